"""A primitive: the part of a mesh that is drawn at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import frozen, require_array
from skinproof.model.influences import Influences


@dataclass(frozen=True, slots=True, eq=False)
class Primitive:
    """One primitive with influences, V vertices.

    Attributes:
        mesh: index of its mesh in the file.
        index: its index within the mesh.
        name: readable: mesh name and, where the mesh has several, "#index".
        positions: float32 [V, 3], bind positions in mesh space, metres.
        normals: float32 [V, 3], or None.
        indices: uint32 [I], vertex indices of its triangles (or points, lines), or None if not indexed.
        mode: glTF draw mode (4 = triangles).
        influences: V rows.
        pointer: JSON pointer of the primitive.
        targets: of each morph target float32 [V, 3]: by how much it moves the positions at weight one, mesh space,
            metres. Those of one accessor are one array; a file may name it many times.
        uvs: float32 [V, 2], its first texture coordinates, as the texture sees them, or None.
        position_step: how far apart, in each coordinate, the nearest two positions lie that the file can tell apart,
            metres; 0 for float32.
    """

    mesh: int
    index: int
    name: str
    positions: NDArray[np.float32]
    normals: NDArray[np.float32] | None
    indices: NDArray[np.uint32] | None
    mode: int
    influences: Influences
    pointer: str = ""
    targets: tuple[NDArray[np.float32], ...] = ()
    uvs: NDArray[np.float32] | None = None
    position_step: float = 0.0

    def __post_init__(self) -> None:
        positions = require_array(self.positions, "positions", dtypes=[np.float32], shape=("V", 3))
        object.__setattr__(self, "positions", frozen(positions))
        if self.normals is not None:
            normals = require_array(self.normals, "normals", dtypes=[np.float32], shape=positions.shape)
            object.__setattr__(self, "normals", frozen(normals))
        if self.uvs is not None:
            uvs = require_array(self.uvs, "uvs", dtypes=[np.float32], shape=(len(positions), 2))
            object.__setattr__(self, "uvs", frozen(uvs))
        if self.indices is not None:
            indices = require_array(self.indices, "indices", dtypes=[np.uint32], shape=("I",))
            object.__setattr__(self, "indices", frozen(indices))
        targets = tuple(
            frozen(require_array(target, f"targets[{index}]", dtypes=[np.float32], shape=positions.shape))
            for index, target in enumerate(self.targets)
        )
        object.__setattr__(self, "targets", targets)
        require_array(self.influences.joints, "influences", dtypes=[np.uint16], shape=(len(positions), "N"))

    @property
    def morphed(self) -> NDArray[np.bool_] | None:
        """The vertices that some morph target moves, bool [V]; None without targets."""
        if not self.targets:
            return None
        moved: NDArray[np.bool_] = np.any([target.any(axis=1) for target in self.targets], axis=0)
        return moved

    @property
    def vertex_count(self) -> int:
        """V."""
        return len(self.positions)
