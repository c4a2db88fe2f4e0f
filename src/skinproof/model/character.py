"""A character: nodes, skins, primitives with influences, and the clips that move them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from skinproof.findings import Finding
from skinproof.model.clip import Clip
from skinproof.model.fit import InfluenceFit
from skinproof.model.influences import Influences
from skinproof.model.nodes import Nodes
from skinproof.model.primitive import Primitive
from skinproof.model.skin import Skin


@dataclass(frozen=True, slots=True)
class Instance:
    """A node that shows a mesh through a skin; one mesh may have several."""

    node: int
    mesh: int
    skin: int


@dataclass(frozen=True, slots=True, eq=False)
class InfluenceChange:
    """What an operation did to the influences of one primitive, for reports and for splitting the error by cause.

    Attributes:
        pointer: the primitive's JSON pointer.
        joints: uint16 [V, K], the joints kept, before packing.
        weights: float64 [V, K], their weights, before packing.
        merged: intp [m], vertices on which a joint stood twice and was merged.
        repaired: policy name → intp [r], vertices repaired under it.
        fit: how the joints were chosen, where they were fitted to poses.
    """

    pointer: str
    joints: NDArray[np.uint16]
    weights: NDArray[np.float64]
    merged: NDArray[np.intp]
    repaired: dict[str, NDArray[np.intp]] = field(default_factory=dict)
    fit: InfluenceFit | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Character:
    """Everything skinproof needs to know of a character file.

    Attributes:
        name: for reports: the file's name.
        nodes: the node tree.
        skins: in the file's order.
        primitives: those with influences, in the file's order.
        instances: the skinned nodes, in node order.
        clips: in the file's order.
        findings: what the reader noticed.
        changes: what an operation did to each primitive; empty for a character as read.
        source: the document this was read from, for the writer; opaque here. None for a character made in code.
    """

    name: str
    nodes: Nodes
    skins: tuple[Skin, ...]
    primitives: tuple[Primitive, ...]
    instances: tuple[Instance, ...]
    clips: tuple[Clip, ...]
    findings: tuple[Finding, ...] = ()
    changes: tuple[InfluenceChange, ...] = ()
    source: object | None = None

    def with_influences(self, influences: Sequence[Influences], changes: Sequence[InfluenceChange] = ()) -> Character:
        """Return a copy with the influences of each primitive replaced, in order."""
        primitives = tuple(
            replace(primitive, influences=new) for primitive, new in zip(self.primitives, influences, strict=True)
        )
        return replace(self, primitives=primitives, changes=tuple(changes))

    def skins_of(self, primitive: Primitive) -> tuple[int, ...]:
        """Indices of the skins through which `primitive` is shown, ascending, each once."""
        return tuple(sorted({instance.skin for instance in self.instances if instance.mesh == primitive.mesh}))
