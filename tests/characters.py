"""Small node trees, skins and characters, made by hand from the model, for tests that need no file."""

from __future__ import annotations

import numpy as np

from skinproof.model import (
    Channel,
    Character,
    Clip,
    Influences,
    Interpolation,
    Nodes,
    Path,
    Primitive,
    Skin,
    WeightFormat,
)


def make_nodes(parents, *, translations=None, rotations=None, scales=None, matrices=None):
    """Nodes from a list of parents (−1: a root); `matrices` {node: 4×4} gives some of them a matrix instead of TRS."""
    count = len(parents)
    translations = np.zeros((count, 3)) if translations is None else np.array(translations, np.float64)
    rotations = np.tile([0.0, 0, 0, 1], (count, 1)) if rotations is None else np.array(rotations, np.float64)
    scales = np.ones((count, 3)) if scales is None else np.array(scales, np.float64)
    own = matrices or {}
    has_matrix = np.isin(np.arange(count), list(own))
    locals_ = np.array(
        [own.get(n, trs(translations[n], rotations[n], scales[n])) for n in range(count)], np.float64
    ).reshape(count, 4, 4)
    return Nodes(
        names=tuple(f"n{n}" for n in range(count)),
        parents=np.array(parents, np.int32),
        translations=translations,
        rotations=rotations,
        scales=scales,
        matrices=locals_,
        has_matrix=has_matrix,
        order=np.array(parents_first(parents), np.int32),
    )


def parents_first(parents):
    """Node indices, every parent before its children."""
    children = {}
    for node, parent in enumerate(parents):
        children.setdefault(parent, []).append(node)
    order, waiting = [], list(children.get(-1, []))
    while waiting:
        node = waiting.pop()
        order.append(node)
        waiting.extend(children.get(node, []))
    return order


def trs(translation=(0, 0, 0), rotation=(0, 0, 0, 1), scale=(1, 1, 1)):
    """T · R · S as the textbooks write it, one matrix after the other."""
    move, stretch = np.eye(4), np.diag([*scale, 1.0])
    move[:3, 3] = translation
    return move @ turn(rotation) @ stretch


def turn(quaternion):
    """The 4×4 rotation of a unit quaternion x, y, z, w, from its sandwich product with the basis vectors."""
    axis, w = np.array(quaternion[:3], np.float64), quaternion[3]
    matrix = np.eye(4)
    for column, vector in enumerate(np.eye(3)):
        matrix[:3, column] = vector + 2 * w * np.cross(axis, vector) + 2 * np.cross(axis, np.cross(axis, vector))
    return matrix


def about(axis, degrees):
    """The unit quaternion x, y, z, w that turns by `degrees` about `axis`."""
    half = np.radians(degrees) / 2
    direction = np.array(axis, np.float64) / np.linalg.norm(axis)
    return np.array([*(direction * np.sin(half)), np.cos(half)])


def make_channel(node, path, times, values, *, interpolation="LINEAR"):
    return Channel(
        node, Path(path), Interpolation(interpolation), np.array(times, np.float64), np.array(values, np.float64)
    )


def make_skin(joints, inverse_binds=None):
    binds = np.tile(np.eye(4), (len(joints), 1, 1)) if inverse_binds is None else np.array(inverse_binds)
    return Skin("", np.array(joints, np.int32), binds)


def make_character(nodes, *, skins=(), clips=(), primitives=(), instances=()):
    return Character("made", nodes, tuple(skins), tuple(primitives), tuple(instances), tuple(clips))


def make_clip(*channels, name="clip"):
    return Clip(name, channels)


def make_influences(joints, weights, *, format="float32"):  # noqa: A002
    """Influences padded with empty slots to whole sets of four, all sets of one format, weights stored by rounding."""
    joints, weights = np.array(joints), np.array(weights, np.float64)
    padding = ((0, 0), (0, -joints.shape[1] % 4))
    joints, weights = np.pad(joints, padding).astype(np.uint16), np.pad(weights, padding)
    scale = WeightFormat(format).scale
    stored = None if scale is None else np.rint(weights * scale).astype(np.uint8 if scale == 255 else np.uint16)
    decoded = weights if scale is None else stored / scale
    return Influences(joints, decoded.astype(np.float32), (WeightFormat(format),) * (joints.shape[1] // 4), stored)


def make_primitive(influences, *, positions=None, mesh=0):
    """A primitive of points; without `positions` its vertices stand in a row along x, one metre apart."""
    count = len(influences.joints)
    if positions is None:
        positions = np.column_stack([np.arange(count), np.zeros(count), np.zeros(count)])
    return Primitive(
        mesh, 0, f"mesh {mesh}", np.array(positions, np.float32), None, None, 0, influences,
        pointer=f"/meshes/{mesh}/primitives/0",
    )  # fmt: skip
