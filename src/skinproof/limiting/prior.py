"""What the kinematic tree says of pairs of joints before any pose is known: independent small turns of every joint.

Each joint j turns by a random vector of root mean square length σ_j about its pivot o_j at bind time and carries all
that hangs below it. To first order a vertex at v then moves by θ × (v − o_j) for every j above the joint that carries
it, and the mean over all directions of |θ × r|² is ⅔ σ² |r|². Two joints k and l move alike by all that is above both
of them, so their form is the sum over their common ancestors (a joint counts as its own),

    G_kl(v) = Σ_j ⅔ σ_j² |v − o_j|²,

a quadratic form in v: the prior has the very form of `gram.add_poses`, and costs nothing per vertex.
Cf. B. H. Le, K. Villeneuve, C. Gonzalez-Ochoa, "Direct Delta Mush Skinning Compression with Continuous Examples",
ACM TOG 40(4), 2021, for weights that are fitted without example poses.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.limiting.gram import FORM_SIZE, JointPairs
from skinproof.model import Nodes, Skin
from skinproof.poses import palettes
from skinproof.poses.bind_pose import bind_worlds
from skinproof.tolerances import SINGULAR_CONDITION

Array = NDArray[np.float64]


def prior_forms(nodes: Nodes, skin: Skin, pairs: JointPairs, centre: Array, /, *, angles: Array) -> Array:
    """Return the forms of all pairs under random turns of the joints, in the metric of the bind pose.

    Where no two joints of a pair have a joint above both of them (all joints are roots), there is no tree to go by, and
    all forms are zero.

    Args:
        nodes: the tree.
        skin: J joints.
        pairs: of those joints.
        centre: float64 [3], mesh space, metres; positions are taken relative to it.
        angles: float64 [N], σ of each node, radians; 0 for nodes that do not turn.

    Returns:
        float64 [n, 10].
    """
    worlds = bind_worlds(nodes, [skin])
    world_from_mesh = _bind_matrix(skin, worlds)
    linear, offset = world_from_mesh[:3, :3], world_from_mesh[:3, 3]
    # Written out, here and below: products of matrices round by the processor they run on.
    origin = (linear * centre).sum(axis=1) + offset
    own = (2.0 / 3.0) * angles[:, np.newaxis] ** 2 * _squared_distances(linear, origin, worlds[:, :3, 3])
    paths = np.zeros((len(nodes), FORM_SIZE))
    for node in nodes.order.tolist():
        parent = nodes.parents[node]
        paths[node] = own[node] + (paths[parent] if parent >= 0 else 0.0)
    common = _lowest_common(nodes, skin.joints[pairs.firsts], skin.joints[pairs.partners])
    forms = np.where(common[:, np.newaxis] >= 0, paths[common], 0.0)
    apart = pairs.firsts != pairs.partners
    turning_above = _turning_above(nodes, angles)
    if not np.any(turning_above[common[apart]] & (common[apart] >= 0)):
        return np.zeros_like(forms)
    return forms


def _bind_matrix(skin: Skin, worlds: Array) -> Array:
    """world_from_mesh in the bind pose, float64 [4, 4]: one and the same for all joints that can be inverted."""
    sound = np.flatnonzero(np.linalg.cond(skin.inverse_binds) < SINGULAR_CONDITION)
    matrices = palettes(skin, worlds)
    chosen: Array = matrices[sound[0] if len(sound) else 0]
    return chosen


def _squared_distances(linear: Array, origin: Array, pivots: Array) -> Array:
    """|L x + origin − pivot|² as forms in x, one per pivot, float64 [N, 10]."""
    square = (linear[:, :, np.newaxis] * linear[:, np.newaxis]).sum(axis=0)
    away = origin - pivots
    forms = np.empty((len(pivots), FORM_SIZE))
    forms[:, 0:3] = square.diagonal()
    forms[:, 3:6] = 2.0 * square[[0, 0, 1], [1, 2, 2]]
    forms[:, 6:9] = 2.0 * (away[:, :, np.newaxis] * linear).sum(axis=1)
    forms[:, 9] = (away**2).sum(axis=1)
    return forms


def _turning_above(nodes: Nodes, angles: Array) -> NDArray[np.bool_]:
    """Whether the node or one above it turns, bool [N]."""
    turning = angles > 0.0
    for node in nodes.order.tolist():
        if nodes.parents[node] >= 0:
            turning[node] |= turning[nodes.parents[node]]
    return turning


def _lowest_common(nodes: Nodes, first: NDArray[np.int32], second: NDArray[np.int32]) -> NDArray[np.intp]:
    """The lowest node that is, or is above, both nodes of each pair; −1 where they share no root."""
    depths = np.zeros(len(nodes), np.intp)
    for node in nodes.order.tolist():
        parent = nodes.parents[node]
        depths[node] = depths[parent] + 1 if parent >= 0 else 0
    a, b = first.astype(np.intp), second.astype(np.intp)
    while True:
        apart = (a != b) & (a >= 0) & (b >= 0)
        if not apart.any():
            return np.where(a == b, a, -1)
        # Whoever is deeper goes up; of two equally deep both do.
        up_a, up_b = apart & (depths[a] >= depths[b]), apart & (depths[b] >= depths[a])
        a, b = np.where(up_a, nodes.parents[a], a), np.where(up_b, nodes.parents[b], b)
