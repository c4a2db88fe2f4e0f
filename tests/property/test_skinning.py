"""Skinning on anything: what must hold whatever the vertices, influences and poses are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blends import Blend, random_blend, rounding_bound
from characters import about, trs
from skinproof.skinning import (
    DisplacementTotals,
    accumulate_bound,
    accumulate_displacement,
    delta_influences,
    skin_normals,
    skin_positions,
)
from tolerances import NORMAL_CONDITION

both_types = pytest.mark.parametrize("dtype", [np.float32, np.float64])
seeds = st.integers(0, 2**32 - 1)
directions = st.tuples(*[st.floats(-1, 1)] * 3).filter(lambda v: np.linalg.norm(v) > 0.1)
rigid_motions = st.builds(
    lambda place, axis, degrees: trs(place, about(axis, degrees)),
    st.tuples(*[st.floats(-100, 100)] * 3),
    directions,
    st.floats(-360, 360),
)


@st.composite
def blends(draw, vertices=5, most_slots=12):
    """Weights that sum to one, any affine matrices, 1 … 12 influences."""
    return random_blend(
        draw(seeds), vertices=vertices, slots=draw(st.integers(1, most_slots)), poses=draw(st.integers(1, 3))
    )


def moved(matrix, points):
    return points @ matrix[:3, :3].T + matrix[:3, 3]


@both_types
@given(blends(), rigid_motions)
def test_a_rigid_motion_of_everything_moves_every_vertex_rigidly(dtype, blend, motion):
    carried = blend._replace(palettes=motion @ blend.palettes)
    found = skin_positions(*carried.cast(dtype))
    expected = moved(motion, skin_positions(*blend.cast(dtype)).astype(np.float64))
    # The expected side carries the error of the unmoved blend, turned, and the sum of the rounded weights.
    turned = np.abs(motion[:3, :3]) @ rounding_bound(blend, dtype)[..., np.newaxis]
    shifted = np.abs(motion[:3, 3]) * np.finfo(dtype).eps * blend.weights.shape[1]
    assert (np.abs(found - expected) <= rounding_bound(carried, dtype) + turned[..., 0] + shifted).all()


@both_types
@given(blends(), st.floats(0.05, 2), st.tuples(*[st.floats(-1000, 1000)] * 3))
def test_a_common_translation_is_followed_by_the_sum_of_the_weights(dtype, blend, total, translation):
    blend = blend._replace(weights=total * blend.weights)
    shift = np.zeros((4, 4))
    shift[:3, 3] = translation
    carried = blend._replace(palettes=blend.palettes + shift)
    difference = skin_positions(*carried.cast(dtype)).astype(np.float64) - skin_positions(*blend.cast(dtype))
    slack = rounding_bound(carried, dtype) + rounding_bound(blend, dtype)
    assert (np.abs(difference - total * np.array(translation)) <= slack).all()


@both_types
@given(blends(), rigid_motions)
def test_joints_that_all_agree_are_one_matrix(dtype, blend, motion):
    together = blend._replace(palettes=np.tile(motion, (1, 12, 1, 1)))
    found = skin_positions(*together.cast(dtype))
    assert (np.abs(found[0] - moved(motion, blend.positions)) <= rounding_bound(together, dtype)).all()


@both_types
@given(blends(most_slots=1))
def test_one_influence_is_one_matrix(dtype, blend):
    blend = blend._replace(weights=np.ones_like(blend.weights))
    matrices = blend.palettes[:, blend.joints[:, 0]]
    expected = (matrices[..., :3, :3] @ blend.positions[:, :, np.newaxis])[..., 0] + matrices[..., :3, 3]
    assert (np.abs(skin_positions(*blend.cast(dtype)) - expected) <= rounding_bound(blend, dtype)).all()


@both_types
@given(blends(), st.integers(-20, 20))
def test_scaling_everything_by_a_power_of_two_changes_no_digit(dtype, blend, exponent):
    blend = blend.cast(dtype)
    palettes = blend.palettes.copy()
    palettes[..., :3, 3] *= dtype(2.0) ** exponent
    scaled = blend._replace(positions=blend.positions * dtype(2.0) ** exponent, palettes=palettes)
    np.testing.assert_array_equal(skin_positions(*scaled), skin_positions(*blend) * dtype(2.0) ** exponent)


@both_types
@given(blends(), seeds)
def test_permuted_influences_move_no_vertex(dtype, blend, seed):
    order = np.argsort(np.random.default_rng(seed).random(blend.joints.shape), axis=1)
    other = blend._replace(
        joints=np.take_along_axis(blend.joints, order, 1), weights=np.take_along_axis(blend.weights, order, 1)
    )
    found, expected = skin_positions(*other.cast(dtype)), skin_positions(*blend.cast(dtype))
    assert (np.abs(found - expected) <= 2 * rounding_bound(blend, dtype)).all()


@both_types
@given(blends(), st.integers(1, 5), seeds)
def test_empty_slots_change_no_bit(dtype, blend, padding, seed):
    blend = blend.cast(dtype)
    generator = np.random.default_rng(seed)
    joints = np.concatenate([blend.joints, generator.integers(0, 65536, (5, padding)).astype(np.uint16)], axis=1)
    zeros = np.copysign(np.zeros((5, padding), dtype), generator.normal(size=(5, padding))).astype(dtype)
    weights = np.concatenate([blend.weights, zeros], axis=1)
    # Anywhere among the others, which keep their order.
    order = np.argsort(np.append(np.arange(blend.joints.shape[1]), generator.uniform(-1, 12, padding)), kind="stable")
    padded = Blend(blend.positions, joints[:, order].copy(), weights[:, order].copy(), blend.palettes)
    np.testing.assert_array_equal(skin_positions(*padded), skin_positions(*blend))
    np.testing.assert_array_equal(skin_normals(blend.positions, *padded[1:]), skin_normals(blend.positions, *blend[1:]))


@both_types
@given(blends())
def test_a_vertex_lies_among_its_joints_images(dtype, blend):
    homogeneous = np.append(blend.positions, np.ones((5, 1)), axis=1)
    images = (blend.palettes[:, blend.joints] @ homogeneous[:, np.newaxis, :, np.newaxis])[..., :3, 0]
    found, slack = skin_positions(*blend.cast(dtype)), rounding_bound(blend, dtype)
    assert (found >= images.min(axis=2) - slack).all()
    assert (found <= images.max(axis=2) + slack).all()


@both_types
@given(blends(), directions, st.floats(-360, 360))
def test_a_rigid_motion_turns_normals(dtype, blend, axis, degrees):
    turn = trs((1, 2, 3), about(axis, degrees))
    rigid = blend._replace(palettes=np.tile(turn, (1, 12, 1, 1)))
    normals = blend.positions.astype(dtype)
    found = skin_normals(normals, *rigid.cast(dtype)[1:])
    unit = normals / np.linalg.norm(normals, axis=1, keepdims=True)
    assert np.abs(found[0] - unit @ turn[:3, :3].T).max() <= NORMAL_CONDITION * np.finfo(dtype).eps


def displaced(before, after):
    """Deltas, totals and bound from one blend to another over the palettes of the first."""
    deltas = delta_influences(before.joints, before.weights, after.joints, after.weights)
    totals, bound = DisplacementTotals.zeros(len(before.positions)), np.zeros(len(before.positions))
    accumulate_displacement(before.positions, *deltas, before.palettes, out=totals)
    accumulate_bound(before.positions, *deltas, before.palettes, out=bound)
    return totals, bound


@given(blends(), blends(), st.floats(0.1, 2))
def test_displacement_is_the_distance_and_below_its_bound(before, after, total):
    after = after._replace(weights=total * after.weights)
    totals, bound = displaced(before, after)
    there = after._replace(positions=before.positions, palettes=before.palettes)
    distance = np.linalg.norm(skin_positions(*before) - skin_positions(*there), axis=2).max(axis=0)
    slack = 4 * np.linalg.norm(rounding_bound(before, np.float64) + rounding_bound(there, np.float64), axis=2).max(
        axis=0
    )
    assert (np.abs(np.sqrt(totals.max_squared) - distance) <= slack).all()
    assert (np.sqrt(totals.max_squared) <= bound + slack).all()


@given(blends(), blends(), seeds)
def test_displacement_depends_on_no_order_and_no_direction(before, after, seed):
    order = np.argsort(np.random.default_rng(seed).random(before.joints.shape), axis=1)
    shuffled = before._replace(
        joints=np.take_along_axis(before.joints, order, 1), weights=np.take_along_axis(before.weights, order, 1)
    )
    there, bound = displaced(before, after)
    back, bound_back = displaced(after._replace(positions=before.positions, palettes=before.palettes), shuffled)
    for name in ("max_squared", "max_pose", "sum_squared"):
        np.testing.assert_array_equal(getattr(there, name), getattr(back, name))
    np.testing.assert_array_equal(bound, bound_back)
