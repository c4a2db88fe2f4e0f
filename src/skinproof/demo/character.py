"""A character made in code, so that skinproof can be tried and tested without a download."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.demo.body import Body
from skinproof.demo.clips import make_clips
from skinproof.demo.rig import Rig, make_rig
from skinproof.demo.surface import Surface, neighbours_of
from skinproof.demo.weights import spread_weights
from skinproof.model import Character, Influences, Instance, Nodes, Primitive, Skin, WeightFormat

_TRIANGLES = 4
"""glTF's draw mode."""


def make_character() -> Character:
    """Return a person of some 9,600 vertices and 28 joints, with up to 8 influences a vertex, who walks and bends.

    One closed surface, cut open in the plane x = 0 as a texture's seam would: the vertices there stand twice, with
    equal influences. Metres, +Y up, facing +Z; mesh space is world space.
    """
    rig = make_rig()
    body = Body(rig)
    surface = body.surface()
    nearest = body.joint_of_limb[body.distances(surface.positions).argmin(axis=1)]
    neighbours = neighbours_of(surface.quads, len(surface.positions))
    joints, weights = spread_weights(nearest, neighbours, joint_count=len(rig))
    source, quads = _cut_open(surface)
    primitive = Primitive(
        mesh=0,
        index=0,
        name="body",
        positions=surface.positions[source].astype(np.float32),
        normals=surface.normals[source].astype(np.float32),
        indices=quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1).astype(np.uint32),
        mode=_TRIANGLES,
        influences=Influences(joints[source], weights[source], (WeightFormat.FLOAT32, WeightFormat.FLOAT32)),
        pointer="/meshes/0/primitives/0",
    )
    skin = Skin("skeleton", np.arange(len(rig), dtype=np.int32), _inverse_binds(rig), pointer="/skins/0")
    return Character(
        name="demo character",
        nodes=_nodes(rig),
        skins=(skin,),
        primitives=(primitive,),
        instances=(Instance(node=len(rig), mesh=0, skin=0),),
        clips=make_clips(rig),
    )


def _cut_open(surface: Surface) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the two sides of x = 0 vertices of their own.

    Returns the vertex of `surface` that each new vertex copies, int64 [V'], and the quads over them, int64 [Q, 4].
    """
    left = surface.positions[surface.quads, 0].mean(axis=1) > 0.0
    keys = surface.quads + len(surface.positions) * left[:, None]
    unique, quads = np.unique(keys, return_inverse=True)
    return unique % len(surface.positions), quads.reshape(keys.shape)


def _nodes(rig: Rig) -> Nodes:
    """The joints, and after them the node that shows the mesh."""
    parents = np.append(rig.parents, np.int32(-1))
    count = len(parents)
    translations = np.zeros((count, 3))
    for joint, parent in enumerate(rig.parents):
        translations[joint] = rig.pivots[joint] - (rig.pivots[parent] if parent >= 0 else 0.0)
    matrices = np.tile(np.eye(4), (count, 1, 1))
    matrices[:, :3, 3] = translations
    return Nodes(
        names=(*rig.names, "body"),
        parents=parents,
        translations=translations,
        rotations=np.tile([0.0, 0.0, 0.0, 1.0], (count, 1)),
        scales=np.ones((count, 3)),
        matrices=matrices,
        has_matrix=np.zeros(count, dtype=np.bool_),
        order=np.arange(count, dtype=np.int32),
    )


def _inverse_binds(rig: Rig) -> NDArray[np.float64]:
    """joint_from_mesh at rest, where every joint stands upright at its pivot: float64 [J, 4, 4]."""
    matrices = np.tile(np.eye(4), (len(rig), 1, 1))
    matrices[:, :3, 3] = -rig.pivots
    return matrices
