"""One character as other tools would have left it: vertices in another order, welded, split; joints and bind moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from skinproof.model import Character, Influences, Skin


def with_primitive(character: Character, index, **changes):
    primitives = list(character.primitives)
    primitives[index] = replace(primitives[index], **changes)
    return replace(character, primitives=tuple(primitives))


def taken(primitive, vertices, indices):
    """A primitive whose vertex i is vertex `vertices[i]` of another one."""
    influences = primitive.influences
    return replace(
        primitive,
        positions=np.ascontiguousarray(primitive.positions[vertices]),
        normals=None if primitive.normals is None else np.ascontiguousarray(primitive.normals[vertices]),
        uvs=None if primitive.uvs is None else np.ascontiguousarray(primitive.uvs[vertices]),
        targets=tuple(np.ascontiguousarray(target[vertices]) for target in primitive.targets),
        indices=np.asarray(indices, np.uint32),
        influences=Influences(
            np.ascontiguousarray(influences.joints[vertices]),
            np.ascontiguousarray(influences.weights[vertices]),
            influences.set_formats,
            None if influences.stored is None else np.ascontiguousarray(influences.stored[vertices]),
        ),
    )


def indices_of(primitive):
    return np.arange(primitive.vertex_count) if primitive.indices is None else primitive.indices.astype(np.intp)


def with_vertices(character, choose):
    """`choose(primitive)` returns vertices, and indices into them, of what each primitive becomes."""
    primitives = tuple(taken(primitive, *choose(primitive)) for primitive in character.primitives)
    return replace(character, primitives=primitives, source=None)


def shuffled(character, seed=0):
    """All vertices in another order; those that nothing draws are dropped."""
    random = np.random.default_rng(seed)

    def choose(primitive):
        indices = indices_of(primitive)
        order = random.permutation(np.unique(indices))
        places = np.full(primitive.vertex_count, -1)
        places[order] = np.arange(len(order))
        return order, places[indices]

    return with_vertices(character, choose)


def welded(character):
    """One vertex for all of the same position, whatever their normals and texture coordinates."""

    def choose(primitive):
        _, first, classes = np.unique(primitive.positions, axis=0, return_index=True, return_inverse=True)
        return first, classes.reshape(-1)[indices_of(primitive)]

    return with_vertices(character, choose)


def split(character):
    """A vertex of its own for every corner of every triangle."""
    return with_vertices(character, lambda primitive: (indices_of(primitive), np.arange(len(indices_of(primitive)))))


def with_part(character, index, keep):
    """Only the triangles of one primitive for which `keep` [n] is true, as another file would hold them."""
    primitive = character.primitives[index]
    indices = indices_of(primitive).reshape(-1, 3)[keep].reshape(-1)
    used, places = np.unique(indices, return_inverse=True)
    primitives = list(character.primitives)
    primitives[index] = taken(primitive, used, places.reshape(-1))
    return replace(character, primitives=tuple(primitives), source=None)


def with_joints_in_order(character, order):
    """The joints of the first skin in another order: joint `order[i]` becomes joint i."""
    skin = character.skins[0]
    places = np.argsort(order).astype(np.uint16)
    moved = replace(
        skin,
        joints=np.ascontiguousarray(skin.joints[order]),
        inverse_binds=np.ascontiguousarray(skin.inverse_binds[order]),
    )
    primitives = tuple(
        replace(primitive, influences=replace(primitive.influences, joints=places[primitive.influences.joints]))
        if 0 in character.skins_of(primitive)
        else primitive
        for primitive in character.primitives
    )
    return replace(character, skins=(moved, *character.skins[1:]), primitives=primitives, source=None)


def quantized(character, steps, *, offset=(0.3, -0.2, 0.1)):
    """Positions on a grid of whole numbers up to `steps`; the inverse bind matrices undo it, as encoders do."""
    low = np.min([one.positions.min(axis=0) for one in character.primitives], axis=0) - np.array(offset)
    scale = float(np.max([one.positions.max(axis=0) - low for one in character.primitives])) / steps
    undo = np.eye(4)
    undo[:3] = np.column_stack([np.eye(3) * scale, low])
    skins = tuple(Skin(one.name, one.joints, np.ascontiguousarray(one.inverse_binds @ undo)) for one in character.skins)
    primitives = tuple(
        replace(one, positions=np.rint((one.positions - low) / scale).astype(np.float32), position_step=1.0)
        for one in character.primitives
    )
    return replace(character, skins=skins, primitives=primitives, source=None)


def renamed(character, names):
    """Some nodes under other names."""
    new = tuple(names.get(name, name) for name in character.nodes.names)
    return replace(character, nodes=replace(character.nodes, names=new), source=None)
