import numpy as np
import pytest

from characters import make_influences, make_primitive
from skinproof.measuring.extent import bounding_corners, diagonal_of


def points(*rows):
    return make_primitive(make_influences([[0]] * len(rows), [[1.0]] * len(rows)), positions=rows)


def test_the_diagonal_spans_the_box_of_all_points():
    assert diagonal_of(np.array([[1.0, 2, 3], [4, 2, 7], [2, 2, 5]])) == 5


@pytest.mark.parametrize("rows", [np.zeros((0, 3)), np.ones((1, 3))])
def test_no_extent_is_zero(rows):
    assert diagonal_of(rows) == 0


def test_far_from_the_origin_float32_points_are_subtracted_in_float64():
    assert diagonal_of(np.array([[3e38, 0, 0], [-3e38, 0, 0]], np.float32)) == pytest.approx(6e38, rel=1e-6)


def test_corners_of_the_box_of_several_primitives():
    corners = bounding_corners([points([0, 0, 0], [1, 2, 0]), points([0, -1, 3])])
    expected = {(x, y, z, 1.0) for x in (0, 1) for y in (-1, 2) for z in (0, 3)}
    assert corners.shape == (4, 8)
    assert {tuple(corner) for corner in corners.T} == expected


def test_without_vertices_there_are_no_corners():
    assert bounding_corners([]).shape == (4, 0)
    empty = make_primitive(make_influences(np.zeros((0, 1)), np.zeros((0, 1))), positions=np.zeros((0, 3)))
    assert bounding_corners([empty]).shape == (4, 0)
