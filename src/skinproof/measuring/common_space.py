"""Bind positions of two files in one space: that of the original's mesh.

A bind position in joint space is what a joint carries along, so it is the same in two files of one character; the
original's inverse bind matrix of that joint, inverted, brings it into the original's mesh space. glTF 2.0, section
3.7.3.1 (skins), has the spaces; the choice of the joint is this project's own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.measuring.pair_skins import Label
from skinproof.model import Primitive, Skin
from skinproof.tolerances import SINGULAR_CONDITION

Array = NDArray[np.float64]


def binds_of(skins: Sequence[tuple[Skin, Sequence[Label]]], /) -> dict[Label, Array]:
    """Return label → mesh_from_joint at bind time, float64 [4, 4], of the first skin that has such a joint.

    Joints whose inverse bind matrix cannot be inverted are left out.

    Args:
        skins: skins and the labels of their joints.
    """
    binds: dict[Label, Array] = {}
    for skin, labels in skins:
        with np.errstate(over="ignore", invalid="ignore"):
            sound = np.linalg.cond(skin.inverse_binds) < SINGULAR_CONDITION
        for joint in np.flatnonzero(sound).tolist():
            if labels[joint] not in binds:
                binds[labels[joint]] = np.linalg.inv(skin.inverse_binds[joint])
    return binds


@dataclass(frozen=True, slots=True, eq=False)
class CommonSpace:
    """The way from the mesh space of one skin of J joints into the common one.

    Attributes:
        matrices: float64 [J, 4, 4], common_from_mesh by each joint.
        known: bool [J], false where the original has no such joint; its matrix is the identity.
    """

    matrices: Array
    known: NDArray[np.bool_]

    @classmethod
    def of(cls, skin: Skin, labels: Sequence[Label], binds: Mapping[Label, Array], /) -> CommonSpace:
        """Return the way for a skin with these labels into the space of `binds` (`binds_of`)."""
        matrices = np.tile(np.eye(4), (len(skin), 1, 1))
        known = np.array([label in binds for label in labels], np.bool_)
        with np.errstate(over="ignore", invalid="ignore"):
            for joint in np.flatnonzero(known).tolist():
                matrices[joint] = binds[labels[joint]] @ skin.inverse_binds[joint]
        known &= np.isfinite(matrices).all(axis=(1, 2))
        return cls(matrices, known)

    def placed(self, primitive: Primitive, vertices: NDArray[np.intp], /) -> tuple[Array, Array, float]:
        """Bring some vertices of a primitive into the common space, each by its heaviest joint that is known there.

        A vertex without such a joint goes by the one that is the heaviest of the whole primitive.

        Returns:
            positions float64 [n, 3], NaN if no joint is known; unit normals float64 [n, 3], NaN where there are none;
            and how far the encoding of the positions may have moved them.
        """
        if not self.known.any():
            nothing = np.full((len(vertices), 3), np.nan)
            return nothing, nothing, 0.0
        joints = self._joints(primitive, vertices)
        linear = self.matrices[:, :3, :3]
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            positions = np.einsum("nij,nj->ni", linear[joints], primitive.positions[vertices].astype(np.float64))
            positions += self.matrices[joints, :3, 3]
            normals = np.full((len(vertices), 3), np.nan)
            if primitive.normals is not None:
                # Up to its length, which does not matter, the cofactor matrix is the inverse transposed.
                turned = np.einsum("nij,nj->ni", _cofactors(linear)[joints], primitive.normals[vertices])
                normals = turned / np.linalg.norm(turned, axis=1, keepdims=True)
        stretch = np.linalg.norm(linear[np.unique(joints)], axis=(1, 2), ord=2).max(initial=0.0)
        return positions, normals, float(np.sqrt(3) / 2 * primitive.position_step * stretch)

    def _joints(self, primitive: Primitive, vertices: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the joint, intp [n], by which each vertex is placed."""
        joints = primitive.influences.joints[vertices].astype(np.intp)
        weights = primitive.influences.weights[vertices].astype(np.float64)
        inside = np.minimum(joints, len(self.known) - 1)
        usable = (joints < len(self.known)) & np.isfinite(weights) & (weights > 0) & self.known[inside]
        weights = np.where(usable, weights, 0.0)
        heaviest = np.argmax(weights, axis=1)[:, np.newaxis]
        totals = np.bincount(inside[usable], weights[usable], minlength=len(self.known))
        spare = int(np.argmax(np.where(self.known, totals, -1.0)))
        found: NDArray[np.intp] = np.where(
            weights.any(axis=1), np.take_along_axis(inside, heaviest, axis=1)[:, 0], spare
        )
        return found


def _cofactors(linear: Array) -> Array:
    """Return the cofactor matrices of [J, 3, 3]: its rows are the cross products of the other two rows."""
    return np.stack([np.cross(linear[:, (row + 1) % 3], linear[:, (row + 2) % 3]) for row in range(3)], axis=1)
