"""Random vertices with influences and palettes, and how far rounding may move a blend of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from skinproof.skinning import reference


class Blend(NamedTuple):
    """The arguments of `skin_positions`."""

    positions: np.ndarray
    joints: np.ndarray
    weights: np.ndarray
    palettes: np.ndarray

    def cast(self, dtype):
        return Blend(*(array if array.dtype == np.uint16 else array.astype(dtype) for array in self))


def random_blend(seed, *, vertices=40, slots=5, poses=3, joints=12):
    """Weights sum to one, no joint stands twice on a vertex, matrices are any affine ones; float64."""
    generator = np.random.default_rng(seed)
    weights = generator.random((vertices, slots)) + 0.01
    palettes = generator.normal(size=(poses, joints, 4, 4))
    palettes[..., 3, :] = (0, 0, 0, 1)
    return Blend(
        generator.normal(size=(vertices, 3)),
        np.argsort(generator.random((vertices, joints)), axis=1)[:, :slots].astype(np.uint16),
        weights / weights.sum(axis=1, keepdims=True),
        palettes,
    )


def rounding_bound(blend, dtype):
    """How far a blend computed in `dtype` may lie from the exact one, metres [P, V, 3].

    Every product and sum on the way rounds by at most half a unit in the last place of its operands: four in a
    matrix times a point, one for the weight, one per slot, and three more for inputs that were rounded to `dtype`.
    Joining them, the error is at most that number times Σ |w| |M| |p| (Higham 2002, chapter 3).
    """
    roundings = blend.weights.shape[1] + 8
    positions, weights, palettes = (np.abs(np.asarray(a, np.float64)) for a in (blend[0], blend[2], blend[3]))
    magnitude = reference.skin_positions(positions, blend.joints, weights, palettes)
    return roundings * np.finfo(dtype).eps / 2 * magnitude
