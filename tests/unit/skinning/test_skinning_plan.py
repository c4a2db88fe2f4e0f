import numpy as np
import pytest

import tolerances
from blends import random_blend, rounding_bound
from skinproof._native import INSTRUCTION_SETS
from skinproof.errors import ArrayError, OptionError
from skinproof.skinning import SkinningPlan, reference

every_set = pytest.mark.parametrize("instruction_set", INSTRUCTION_SETS)


def blend_of(*, sets=None, **sizes):
    """A float32 blend; only `sets` different joint sets if that is given."""
    blend = random_blend(4, **sizes).cast(np.float32)
    if sets is not None:
        blend.joints[:] = blend.joints[np.arange(len(blend.joints)) % sets]
    return blend


def assert_as_the_reference(found, blend):
    exact = reference.skin_positions(*blend)
    assert (np.abs(found - exact) <= rounding_bound(blend, np.float32)).all()


@every_set
@pytest.mark.parametrize("slots", [1, 2, 3, 4, 5, 8, 12, 16, 20])
@pytest.mark.parametrize("sets", [1, 3, None])
def test_as_the_reference_says(instruction_set, slots, sets):
    blend = blend_of(vertices=90, slots=slots, joints=24, sets=sets)
    plan = SkinningPlan(*blend[:3], instruction_set=instruction_set)
    assert_as_the_reference(plan.skin(blend.palettes), blend)


@every_set
@pytest.mark.parametrize("vertices", [0, 1, 7, 8, 15, 16, 17, 40])
def test_any_number_of_vertices(instruction_set, vertices):
    blend = blend_of(vertices=vertices, slots=4, sets=1, poses=2) if vertices else blend_of(vertices=0, slots=4)
    plan = SkinningPlan(*blend[:3], instruction_set=instruction_set)
    assert_as_the_reference(plan.skin(blend.palettes), blend)


@every_set
def test_mixed_counts_and_vertices_without_weights(instruction_set):
    blend = blend_of(vertices=200, slots=6, sets=9)
    counts = np.arange(200) % 7
    blend.weights[np.arange(6) >= counts[:, np.newaxis]] = 0
    blend.joints[blend.weights == 0] = 65535
    found = SkinningPlan(*blend[:3], instruction_set=instruction_set).skin(blend.palettes)
    assert not found[:, counts == 0].any()
    blend.joints[blend.weights == 0] = 0
    assert_as_the_reference(found, blend)


@every_set
def test_weights_are_used_as_they_are(instruction_set):
    blend = blend_of(vertices=40, slots=4, sets=2)
    blend.weights[:] *= np.linspace(-2, 2, 40, dtype=np.float32)[:, np.newaxis]
    assert_as_the_reference(SkinningPlan(*blend[:3], instruction_set=instruction_set).skin(blend.palettes), blend)


@every_set
def test_neither_threads_nor_poses_change_a_bit(instruction_set):
    blend = blend_of(vertices=6000, slots=4, sets=300, poses=20)
    alone = SkinningPlan(*blend[:3], threads=1, instruction_set=instruction_set).skin(blend.palettes)
    for threads in (2, 5, None):
        plan = SkinningPlan(*blend[:3], threads=threads, instruction_set=instruction_set)
        np.testing.assert_array_equal(plan.skin(blend.palettes), alone)
    for pose in (0, 17):
        np.testing.assert_array_equal(plan.skin(blend.palettes[pose]), alone[pose])


def test_other_positions_for_the_same_influences():
    blend = blend_of(vertices=50, slots=4, sets=4)
    plan = SkinningPlan(*blend[:3])
    morphed = blend._replace(positions=-2 * blend.positions)
    plan.set_positions(morphed.positions)
    assert_as_the_reference(plan.skin(morphed.palettes), morphed)


def near_identity(**sizes):
    """A blend whose matrices turn, stretch and mirror a little: every normal has its direction."""
    blend = blend_of(**sizes)
    blend.palettes[..., :3, :] *= np.float32(0.2)
    blend.palettes[..., :3, :3] += np.eye(3, dtype=np.float32)
    blend.palettes[:, :, 0, :3] *= -1
    return blend


@every_set
@pytest.mark.parametrize("slots", [1, 4, 8, 20])
@pytest.mark.parametrize("sets", [1, 3, None])
def test_normals_as_the_reference_says(instruction_set, slots, sets):
    blend = near_identity(vertices=90, slots=slots, joints=24, sets=sets, poses=9)
    normals = np.roll(blend.positions, 1, axis=0) * np.float32(1e20)
    plan = SkinningPlan(*blend[:3], instruction_set=instruction_set)
    plan.set_normals(normals)
    exact = reference.skin_normals(normals, *blend[1:])
    np.testing.assert_allclose(plan.skin_normals(blend.palettes), exact, rtol=0, atol=tolerances.PLANNED_NORMAL)
    np.testing.assert_allclose(plan.skin_normals(blend.palettes[2]), exact[2], rtol=0, atol=tolerances.PLANNED_NORMAL)
    assert_as_the_reference(plan.skin(blend.palettes), blend)


def test_normals_have_the_same_bits_on_every_set_and_with_any_number_of_threads():
    blend = near_identity(vertices=6000, slots=4, sets=300, poses=20)
    found = []
    for instruction_set in INSTRUCTION_SETS:
        for threads in (1, 3):
            plan = SkinningPlan(*blend[:3], threads=threads, instruction_set=instruction_set)
            plan.set_normals(blend.positions)
            found.append(plan.skin_normals(blend.palettes))
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_vertices_without_weights_and_zero_normals_have_no_normal():
    blend = near_identity(vertices=40, slots=4, sets=1)
    blend.weights[7] = 0
    normals = blend.positions.copy()
    normals[9] = 0
    plan = SkinningPlan(*blend[:3])
    plan.set_normals(normals)
    lengths = np.linalg.norm(plan.skin_normals(blend.palettes), axis=2)
    assert (lengths[:, [7, 9]] == 0).all()
    np.testing.assert_allclose(np.delete(lengths, [7, 9], axis=1), 1, rtol=0, atol=tolerances.PLANNED_NORMAL)


def test_a_plan_without_normals_says_so():
    blend = near_identity(vertices=4, slots=2)
    plan = SkinningPlan(*blend[:3])
    with pytest.raises(OptionError, match="the plan has no normals; give it some with set_normals"):
        plan.skin_normals(blend.palettes)
    with pytest.raises(ArrayError, match=r"normals: expected shape \[4, 3\]"):
        plan.set_normals(blend.positions[:3].copy())


def test_out_is_written_and_returned():
    blend = blend_of(slots=4)
    plan = SkinningPlan(*blend[:3])
    out = np.empty((3, 40, 3), np.float32)
    assert plan.skin(blend.palettes, out=out) is out
    np.testing.assert_array_equal(out, plan.skin(blend.palettes))


def test_wrong_arguments_are_named():
    blend = blend_of(slots=4)
    plan = SkinningPlan(*blend[:3])
    with pytest.raises(ArrayError, match="weights: expected dtype float32"):
        SkinningPlan(blend.positions, blend.joints, blend.weights.astype(np.float64))
    with pytest.raises(OptionError, match="threads"):
        SkinningPlan(*blend[:3], threads=0)
    with pytest.raises(OptionError, match="instruction_set"):
        SkinningPlan(*blend[:3], instruction_set="sse9")
    with pytest.raises(ArrayError, match=r"names joint .* but the palettes have 2 joints"):
        plan.skin(blend.palettes[:, :2].copy())
    with pytest.raises(ArrayError, match=r"out: expected shape \[3, 40, 3\]"):
        plan.skin(blend.palettes, out=np.empty((40, 3), np.float32))
    with pytest.raises(ArrayError, match=r"positions: expected shape \[40, 3\]"):
        plan.set_positions(blend.positions[:7].copy())
