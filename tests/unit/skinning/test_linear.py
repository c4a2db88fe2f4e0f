import threading
import time

import numpy as np
import pytest

from blends import Blend, random_blend, rounding_bound
from skinproof.errors import ArrayError
from skinproof.skinning import reference, skin_positions


def contract(weights, move=0.0):
    """Where the weight contract's vertex at 2 goes (joints at 10, 20, 30, 40, all moved by `move`)."""
    palettes = np.tile(np.eye(4), (4, 1, 1))
    palettes[:, 0, 3] = np.array([10, 20, 30, 40]) + move
    joints = np.arange(len(weights), dtype=np.uint16)[np.newaxis]
    return skin_positions(np.array([[2.0, 0, 0]]), joints, np.array([weights]), palettes)[0, 0]


def test_the_weight_contract_in_numbers():
    full, cut, normalized = [0.4, 0.3, 0.2, 0.1], [0.4, 0.3], [4 / 7, 3 / 7]
    assert contract(full) == pytest.approx(22, rel=1e-15)
    assert contract(cut) == pytest.approx(11.4, rel=1e-15)
    assert contract(normalized) == pytest.approx(16.285714285714285, rel=1e-15)
    moves = [contract(weights, 100) - contract(weights) for weights in (full, normalized, cut)]
    assert moves == pytest.approx([100, 100, 70], rel=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("slots", [1, 2, 3, 4, 5, 8, 12])
def test_any_number_of_influences_as_the_reference_says(dtype, slots):
    blend = random_blend(slots, slots=slots).cast(dtype)
    found = skin_positions(*blend)
    assert found.dtype == dtype
    assert found.shape == (3, 40, 3)
    error = np.abs(found - reference.skin_positions(*blend))
    assert (error <= rounding_bound(blend, dtype)).all()


def test_one_pose_comes_back_as_one():
    blend = random_blend(1)
    one = skin_positions(*blend[:3], blend.palettes[1].copy())
    np.testing.assert_array_equal(one, skin_positions(*blend)[1])


def test_joints_of_empty_slots_may_be_anything():
    blend = random_blend(2)
    joints, weights = blend.joints.copy(), blend.weights.copy()
    weights[:, 1], weights[:, 3] = 0.0, -0.0
    expected = skin_positions(blend.positions, joints, weights, blend.palettes)
    joints[:, [1, 3]] = 65535
    np.testing.assert_array_equal(skin_positions(blend.positions, joints, weights, blend.palettes), expected)


@pytest.mark.parametrize(("vertices", "poses"), [(0, 3), (4, 0), (0, 0)])
def test_nothing_to_do(vertices, poses):
    assert skin_positions(*random_blend(3, vertices=vertices, poses=poses)).shape == (poses, vertices, 3)


def test_out_is_filled_and_returned():
    blend = random_blend(4)
    out = np.full((3, 40, 3), np.nan)
    assert skin_positions(*blend, out=out) is out
    np.testing.assert_array_equal(out, skin_positions(*blend))
    one = np.full((40, 3), np.nan)
    skin_positions(*blend[:3], blend.palettes[2].copy(), out=one)
    np.testing.assert_array_equal(one, out[2])


def broken(**changes):
    return Blend(**{**random_blend(5)._asdict(), **changes})


GOOD = random_blend(5)
TRANSPOSED = GOOD.palettes.swapaxes(2, 3).copy()
OUTSIDE = GOOD.joints.copy()
OUTSIDE[7, 2] = 12


@pytest.mark.parametrize(
    ("blend", "message"),
    [
        (broken(positions=GOOD.positions.tolist()), "positions: expected a NumPy array, got list"),
        (broken(positions=GOOD.positions.astype(np.float16)), "positions: expected dtype float32 or float64"),
        (broken(positions=GOOD.positions.astype(">f8")), "positions: .* native byte order"),
        (broken(positions=GOOD.positions[:, :2].copy()), r"positions: expected shape \[V, 3\], got \[40, 2\]"),
        (broken(positions=np.asfortranarray(GOOD.positions)), "positions: expected a C-contiguous"),
        (broken(joints=GOOD.joints.astype(np.int64)), "joints: expected dtype uint16"),
        (broken(joints=GOOD.joints[:-1]), r"joints: expected shape \[40, N\], got \[39, 5\]"),
        (broken(weights=GOOD.weights.astype(np.float32)), "weights: expected dtype float64"),
        (broken(weights=GOOD.weights[:, :4].copy()), r"weights: expected shape \[40, 5\], got \[40, 4\]"),
        (broken(palettes=GOOD.palettes.astype(np.float32)), "palettes: expected dtype float64"),
        (broken(palettes=GOOD.palettes[0, 0]), r"palettes: expected shape \[P, J, 4, 4\]"),
        (broken(palettes=GOOD.palettes[:, :, :3].copy()), r"palettes: expected shape \[P, J, 4, 4\]"),
        (broken(palettes=TRANSPOSED), "palettes: pose 0, joint 0 has the bottom row .*expected 0 0 0 1"),
        (broken(joints=OUTSIDE), "joints: vertex 7, slot 2 names joint 12, but the palettes have 12 joints"),
    ],
)
def test_wrong_arguments_are_named(blend, message):
    with pytest.raises(ArrayError, match=message):
        skin_positions(*blend)


READ_ONLY = np.empty((3, 40, 3))
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.empty((3, 40, 3), np.float32), "out: expected dtype float64"),
        (np.empty((40, 3)), r"out: expected shape \[3, 40, 3\]"),
        (np.empty((3, 40, 6))[:, :, ::2], "out: expected a C-contiguous"),
        (READ_ONLY, "out: expected a writable array"),
    ],
)
def test_a_wrong_out_is_named(out, message):
    with pytest.raises(ArrayError, match=message):
        skin_positions(*GOOD, out=out)


def test_out_must_not_be_an_input():
    positions = GOOD.positions.copy()
    with pytest.raises(ArrayError, match="out: shares memory with positions"):
        skin_positions(positions, GOOD.joints, GOOD.weights, GOOD.palettes[0].copy(), out=positions)


def test_other_threads_run_meanwhile():
    blend = random_blend(6, vertices=20_000, slots=8, poses=100)
    worker = threading.Thread(target=skin_positions, args=blend)
    started = last = time.perf_counter()
    longest_wait = 0.0
    worker.start()
    while worker.is_alive():
        now = time.perf_counter()
        longest_wait, last = max(longest_wait, now - last), now
    assert longest_wait < (last - started) / 2
