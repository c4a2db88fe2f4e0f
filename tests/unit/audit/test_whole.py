from __future__ import annotations

import numpy as np

from captures import drawn, make_walker
from skinproof.audit.paths import Paths
from skinproof.audit.reach import Reach
from skinproof.audit.whole import chord_distances, nearest, refined


def test_the_time_is_found_in_the_right_clip():
    character = make_walker()
    reach = Reach.of(character, 0)
    paths = Paths.of(character, 0, reach, tolerance=1e-4, fps=30.0)
    times = np.array([0.31, 1.4, 1.99])
    for clip in (0, 1):
        points = reach.coordinates(drawn(character, clip, times).astype(np.float64))
        found = nearest(paths, points, np.full((3, 4), 1e-4))
        assert found.whole.all()
        assert (paths.clips[found.pieces] == clip).all()
        np.testing.assert_allclose(paths.times(found.pieces, found.shares), times, atol=1e-5)


def test_distances_to_chords_are_those_of_geometry():
    points = np.array([[0.0, 3], [5, 1], [-4, 0]])
    squared, feet = chord_distances(points, np.array([[0.0, 0]]), np.array([[2.0, 0]]))
    np.testing.assert_allclose(squared[:, 0], [9, 10, 16])
    np.testing.assert_allclose(feet[:, 0], [0, 1, 0])


def test_the_foot_on_a_cubic_is_found():
    cubic = np.array([[[0.0, 0], [1, 0.5], [0, 0.2], [0.1, 0]]])
    u = 0.37
    point = cubic[0, 0] + u * cubic[0, 1] + u**2 * cubic[0, 2] + u**3 * cubic[0, 3]
    np.testing.assert_allclose(refined(cubic, point, np.array([0.9])), [u], atol=1e-12)
