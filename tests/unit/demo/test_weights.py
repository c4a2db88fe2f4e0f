"""Weights that spread over a surface: here a strip of vertices in a row."""

from __future__ import annotations

import numpy as np

from skinproof.demo.weights import spread_weights
from tolerances import DEMO_WEIGHT_SUM


def strip(count):
    row = np.arange(count)
    return np.stack([np.maximum(row - 1, 0), np.minimum(row + 1, count - 1)], axis=1)


def spread(**options):
    nearest = np.repeat([0, 1, 2], 10)
    return spread_weights(nearest, strip(30), joint_count=3, max_influences=2, **options)


def dense(joints, weights, joint_count):
    out = np.zeros((len(joints), joint_count))
    np.add.at(out, (np.arange(len(joints))[:, None], joints), weights)
    return out


def test_rows_sum_to_one_largest_first_and_empty_slots_name_joint_0():
    joints, weights = spread(rounds=10)
    assert joints.dtype == np.uint16
    assert weights.dtype == np.float32
    np.testing.assert_allclose(weights.astype(np.float64).sum(axis=1), 1.0, rtol=0, atol=DEMO_WEIGHT_SUM)
    assert np.all(np.diff(weights, axis=1) <= 0)
    assert np.count_nonzero(weights == 0) > 0
    assert np.all(joints[weights == 0] == 0)


def test_weights_fall_smoothly_across_the_border_of_two_joints():
    full = dense(*spread(rounds=10), 3)[:, 0]
    assert full[0] == 1.0
    assert full[20] == 0.0
    assert np.all(np.diff(full[:20]) <= 0)
    assert np.abs(np.diff(full)).max() < 0.25  # a hard border would jump by 1


def test_without_rounds_every_vertex_keeps_its_one_joint():
    joints, weights = spread(rounds=0)
    assert np.array_equal(dense(joints, weights, 3), np.eye(3)[np.repeat([0, 1, 2], 10)])
