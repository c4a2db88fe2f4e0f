"""The bind pose: every joint where it stood when the mesh was bound to it.

Source of the inverse bind matrices: glTF 2.0, section 3.7.3.1 (skins). Where in the world a skin is set down, which
they do not say, is this project's own choice.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Nodes, Skin
from skinproof.poses.affine import inverses, products
from skinproof.poses.palettes import palettes
from skinproof.poses.world import generations, rest_worlds
from skinproof.tolerances import SINGULAR_CONDITION

Array = NDArray[np.float64]


def bind_worlds(nodes: Nodes, skins: Sequence[Skin], /) -> Array:
    """Return every node's world_from_node in the bind pose, float64 [N, 4, 4].

    Inverse bind matrices place joints relative to the mesh, not in the world (and may hold a scale, of quantized
    positions for example). So each skin's bind pose is set down where its topmost joint stands at rest: all its
    skinning matrices are then the same, that joint's world matrix at rest · its inverse bind matrix.

    A joint of several skins stands where the first of them puts it. A joint whose inverse bind matrix cannot be
    inverted, and every node that is no joint, keeps its rest transform relative to its parent.

    Args:
        nodes: the tree.
        skins: the skins to bring into their bind pose.
    """
    rest = rest_worlds(nodes)
    rank = np.empty(len(nodes), np.intp)
    rank[nodes.order] = np.arange(len(nodes))
    placed = np.zeros(len(nodes), np.bool_)
    worlds = rest.copy()
    for skin in skins:
        sound = np.flatnonzero(np.linalg.cond(skin.inverse_binds) < SINGULAR_CONDITION)
        if len(sound) == 0:
            continue
        topmost = sound[np.argmin(rank[skin.joints[sound]])]
        world_from_mesh = palettes(skin, rest)[topmost]
        new = sound[~placed[skin.joints[sound]]]
        first = np.zeros(len(new), np.int32)
        worlds[skin.joints[new]] = products(world_from_mesh[np.newaxis], first, inverses(skin.inverse_binds[new]))
        placed[skin.joints[new]] = True
    for generation in generations(nodes):
        free = generation[~placed[generation]]
        worlds[free] = products(worlds, nodes.parents[free], nodes.matrices[free])
    return worlds
