"""What holds for every character that a reader returns, checked by a walk over all of it.

Readers check what they read where they read it; this is the second look, for tests of readers and for characters made
in code. It knows nothing of files.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from skinproof.model.character import Character
from skinproof.model.clip import Channel, Interpolation, Path
from skinproof.model.nodes import Nodes
from skinproof.model.primitive import Primitive

_WIDTHS = {Path.TRANSLATION: 3, Path.ROTATION: 4, Path.SCALE: 3}


def broken_invariants(character: Character, /) -> tuple[str, ...]:
    """Return what does not hold, a sentence each; none for a sound character.

    Shapes and dtypes are those of the model's classes, which refuse others. Walked are: the node tree (parents within,
    acyclic, before their children in `order`), skins (joints within the tree, each once, finite inverse binds),
    instances, primitives (finite positions and morph targets, vertex indices within, as many influences as vertices)
    and clips (ascending finite times, finite values as wide as their path, each target once). Weights may be anything:
    the weight contract judges them (`skinproof.validate`).
    """
    return (
        *_nodes(character.nodes),
        *_skins(character),
        *(line for part in character.primitives for line in _primitive(part)),
        *_clips(character),
    )


def _nodes(nodes: Nodes) -> Iterator[str]:
    count = len(nodes)
    if ((nodes.parents < -1) | (nodes.parents >= count)).any():
        yield "a node's parent is no node"
        return
    if not np.array_equal(np.sort(nodes.order), np.arange(count)):
        yield "the order does not hold every node once"
        return
    place = np.empty(count, np.intp)
    place[nodes.order] = np.arange(count)
    children = np.flatnonzero(nodes.parents >= 0)
    if (place[nodes.parents[children]] >= place[children]).any():
        yield "a node comes before its parent in the order"
    for name in ("translations", "rotations", "scales", "matrices"):
        if not np.isfinite(getattr(nodes, name)).all():
            yield f"the {name} of the nodes are not finite"


def _skins(character: Character) -> Iterator[str]:
    for number, skin in enumerate(character.skins):
        if ((skin.joints < 0) | (skin.joints >= len(character.nodes))).any():
            yield f"skin {number}: a joint is no node"
        if len(np.unique(skin.joints)) != len(skin.joints):
            yield f"skin {number}: a joint stands twice"
        if not np.isfinite(skin.inverse_binds).all():
            yield f"skin {number}: an inverse bind matrix is not finite"
    meshes = {primitive.mesh for primitive in character.primitives}
    for number, instance in enumerate(character.instances):
        if not (0 <= instance.node < len(character.nodes) and 0 <= instance.skin < len(character.skins)):
            yield f"instance {number}: there is no such node or skin"
        if instance.mesh < 0 or not meshes:
            yield f"instance {number}: there is no such mesh"
        if not np.isfinite(instance.morph_weights).all():
            yield f"instance {number}: a morph weight is not finite"


def _primitive(primitive: Primitive) -> Iterator[str]:
    name, count = primitive.pointer or primitive.name, len(primitive.positions)
    if not np.isfinite(primitive.positions).all():
        yield f"{name}: a position is not finite"
    if not all(np.isfinite(target).all() for target in primitive.targets):
        yield f"{name}: a morph target is not finite"
    if any(target.shape != primitive.positions.shape for target in primitive.targets):
        yield f"{name}: a morph target has another number of vertices"
    if primitive.indices is not None and (primitive.indices >= count).any():
        yield f"{name}: an index is no vertex"
    if not 0 <= primitive.mode <= 6:
        yield f"{name}: there is no mode {primitive.mode}"
    influences = primitive.influences
    if len(influences.joints) != count or influences.weights.shape != influences.joints.shape:
        yield f"{name}: there are not as many influences as vertices"
    if influences.stored is not None and influences.stored.shape != influences.weights.shape:
        yield f"{name}: there are not as many stored weights as weights"


def _clips(character: Character) -> Iterator[str]:
    for number, clip in enumerate(character.clips):
        targets = [(channel.node, channel.path) for channel in clip.channels]
        if len(set(targets)) != len(targets):
            yield f"clip {number}: two channels have one target"
        for channel in clip.channels:
            yield from (f"clip {number}: {line}" for line in _channel(channel, character))


def _channel(channel: Channel, character: Character) -> Iterator[str]:
    if not 0 <= channel.node < len(character.nodes):
        yield "a channel's node is no node"
    if not len(channel.times):
        yield "a channel has no key"
    if not (np.isfinite(channel.times).all() and (np.diff(channel.times) > 0).all()):
        yield "key times do not ascend"
    if not np.isfinite(channel.values).all():
        yield "a key's value is not finite"
    axes = 3 if channel.interpolation is Interpolation.CUBICSPLINE else 2
    width = _WIDTHS.get(channel.path, channel.values.shape[-1])
    if channel.values.ndim != axes or len(channel.values) != len(channel.times) or channel.values.shape[-1] != width:
        yield f"the values are no keys of a {channel.path}"
