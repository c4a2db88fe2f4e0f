"""limiting.weld: vertices split for texture or normals are one vertex."""

from __future__ import annotations

import numpy as np

from skinproof.limiting.weld import weld_classes


def arrays(*vertices):
    positions, joints, weights = zip(*vertices, strict=True)
    return np.array(positions, np.float32), np.array(joints, np.uint16), np.array(weights, np.float64)


def test_equal_position_and_influences_are_one_class():
    here, there = (0, 1, 2), (0, 1, 3)
    first, classes = weld_classes(
        *arrays(
            (here, (1, 2), (0.6, 0.4)),
            (there, (1, 2), (0.6, 0.4)),
            (here, (1, 2), (0.6, 0.4)),
            (here, (1, 3), (0.6, 0.4)),
            (here, (1, 2), (0.7, 0.3)),
        )
    )
    assert classes[0] == classes[2]
    assert len(set(classes.tolist())) == len(first) == 4
    np.testing.assert_array_equal(classes[first], np.arange(4))
    assert 0 in first


def test_minus_zero_is_the_same_place():
    first, classes = weld_classes(*arrays(((0.0, 0, 0), (1,), (1,)), ((-0.0, 0, 0), (1,), (1,))))
    assert len(first) == 1
    assert classes.tolist() == [0, 0]


def test_no_vertex_is_no_class():
    first, classes = weld_classes(np.zeros((0, 3), np.float32), np.zeros((0, 2), np.uint16), np.zeros((0, 2)))
    assert len(first) == len(classes) == 0
