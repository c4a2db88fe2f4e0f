"""A character: nodes, skins, primitives with influences, and the clips that move them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_array
from skinproof.errors import ArrayError
from skinproof.findings import Finding
from skinproof.model.clip import Clip
from skinproof.model.fit import InfluenceFit
from skinproof.model.influences import Influences
from skinproof.model.nodes import Nodes
from skinproof.model.primitive import Primitive
from skinproof.model.skin import Skin


@dataclass(frozen=True, slots=True)
class Instance:
    """A node that shows a mesh through a skin; one mesh may have several.

    Attributes:
        node: index of the node.
        mesh: index of the mesh in the file.
        skin: index of the skin.
        morph_weights: how much of each morph target of the mesh is added where no clip says otherwise; targets beyond
            have weight zero.
    """

    node: int
    mesh: int
    skin: int
    morph_weights: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class InfluenceChange:
    """What an operation did to the influences of one primitive, for reports and for splitting the error by cause.

    Attributes:
        pointer: the primitive's JSON pointer.
        joints: uint16 [V, K], the joints kept, before packing.
        weights: float64 [V, K], their weights, before packing.
        merged: intp [m], vertices on which a joint stood twice and was merged.
        repaired: policy name → intp [r], vertices repaired under it; read-only.
        fit: how the joints were chosen, where they were fitted to poses.

    Raises:
        ArrayError: on construction, where these do not fit together.
    """

    pointer: str
    joints: NDArray[np.uint16]
    weights: NDArray[np.float64]
    merged: NDArray[np.intp]
    repaired: Mapping[str, NDArray[np.intp]] = field(default_factory=dict)
    fit: InfluenceFit | None = None

    def __post_init__(self) -> None:
        joints = require_array(self.joints, "joints", dtypes=[np.uint16], shape=("V", "K"))
        weights = require_array(self.weights, "weights", dtypes=[np.float64], shape=joints.shape)
        repaired = {
            policy: _require_vertices(vertices, f"repaired[{policy!r}]", len(joints))
            for policy, vertices in self.repaired.items()
        }
        object.__setattr__(self, "merged", _require_vertices(self.merged, "merged", len(joints)))
        object.__setattr__(self, "joints", frozen(joints))
        object.__setattr__(self, "weights", frozen(weights))
        object.__setattr__(self, "repaired", MappingProxyType(repaired))


def _require_vertices(value: object, name: str, count: int) -> NDArray[np.intp]:
    """Return vertex indices, intp [m], frozen, if all are below `count`."""
    vertices = require_array(value, name, dtypes=[np.intp], shape=("m",))
    if len(vertices) and not (vertices.min() >= 0 and vertices.max() < count):
        raise ArrayError(f"{name}: expected vertices below {count}, got {vertices.min()} to {vertices.max()}")
    return frozen(vertices)


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

    def showings_of(self, primitive: Primitive) -> tuple[int, ...]:
        """Indices of the instances in which `primitive` may look different, ordered by skin, then as they stand.

        Without morph targets these are the first instances of each skin: others put its vertices at the same places.
        """
        shown = sorted(
            (instance.skin, index) for index, instance in enumerate(self.instances) if instance.mesh == primitive.mesh
        )
        if primitive.targets:
            return tuple(index for _, index in shown)
        return tuple(dict(reversed(shown)).values())[::-1]

    def joint_count_of(self, primitive: Primitive) -> int | None:
        """How many joints the influences of `primitive` may name: those of the smallest skin that shows it.

        A mesh under several skins must make sense for all of them. None where no skin shows it.
        """
        return min((len(self.skins[skin]) for skin in self.skins_of(primitive)), default=None)

    def joint_name(self, skin: Skin, joint: int) -> str:
        """The name of joint number `joint` of one of the skins; "joint 7" where the file gives none."""
        return self.nodes.names[skin.joints[joint]] or f"joint {joint}"
