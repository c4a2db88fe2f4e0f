"""What must hold of every displacement, whatever the weights."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from arms import JOINTS, make_arm, weights_of, with_weights
from characters import about, turn
from skinproof.measuring import decoded_sums, measure
from tolerances import DISPLACEMENT, DISPLACEMENT_RELATIVE

VERTICES = 6
ARM = make_arm(vertices=VERTICES)
SAMPLES = 4

seeds = st.integers(0, 2**32 - 1)
totals = st.floats(0.25, 2.0)


def random_weights(seed, total=1.0):
    """Weights [V, 3] of that sum, some of them zero."""
    generator = np.random.default_rng(seed)
    weights = generator.dirichlet([0.7] * JOINTS, VERTICES) * (generator.random((VERTICES, JOINTS)) > 0.2)
    weights[:, 0] += weights.sum(axis=1) == 0
    return weights / weights.sum(axis=1, keepdims=True) * total


def errors(before, after, **options):
    return measure(before, after, samples=SAMPLES, **options).primitives[0].max_error


def close(a, b):
    np.testing.assert_allclose(a, b, rtol=DISPLACEMENT_RELATIVE, atol=DISPLACEMENT)


@given(seeds, totals)
def test_no_displacement_exceeds_its_bound(seed, total):
    (primitive,) = measure(ARM, with_weights(ARM, random_weights(seed, total)), samples=SAMPLES).primitives
    assert (primitive.max_error <= primitive.bound + DISPLACEMENT).all()
    assert (primitive.rms <= primitive.max_error + DISPLACEMENT).all()


@given(seeds, totals)
def test_the_order_of_slots_and_empty_slots_do_not_matter(seed, total):
    weights = random_weights(seed, total)
    order = np.random.default_rng(seed).permutation(JOINTS + 2)
    padded = np.ascontiguousarray(np.pad(weights, ((0, 0), (0, 2)))[:, order])
    joints = np.tile(np.array([0, 1, 2, 2, 0])[order], (VERTICES, 1))
    close(errors(ARM, with_weights(ARM, padded, joints=joints)), errors(ARM, with_weights(ARM, weights)))


@given(seeds, totals)
def test_there_and_back_is_as_far(seed, total):
    other = with_weights(ARM, random_weights(seed, total))
    close(errors(ARM, other), errors(other, ARM))


@given(seeds, st.floats(0.01, 100.0))
def test_a_character_of_another_size_moves_in_proportion(seed, size):
    def sized(character):
        nodes, skin, (primitive,) = character.nodes, character.skins[0], character.primitives
        root = np.diag([size, size, size, 1.0])
        matrices = nodes.matrices.copy()
        matrices[0] = root @ matrices[0]
        nodes = replace(nodes, matrices=matrices, scales=nodes.scales * np.array([[size], [1], [1]]))
        return replace(character, nodes=nodes, skins=(skin,), primitives=(primitive,), clips=character.clips[:1])

    other = with_weights(ARM, random_weights(seed))
    there = replace(ARM, clips=ARM.clips[:1]), replace(other, clips=ARM.clips[:1])
    plain, scaled = measure(*there, samples=SAMPLES), measure(sized(ARM), sized(other), samples=SAMPLES)
    close(scaled.primitives[0].max_error / size, plain.primitives[0].max_error)
    np.testing.assert_allclose(
        scaled.relative(scaled.summary.rms), plain.relative(plain.summary.rms), rtol=DISPLACEMENT_RELATIVE
    )


@settings(max_examples=30)
@given(seeds, st.floats(-180, 180), st.tuples(*[st.floats(-10, 10)] * 3))
def test_a_rigid_motion_of_everything_changes_nothing_where_sums_agree(seed, degrees, offset):
    """Up to float32: decoded sums differ by 1e-7, and so much of the offset is a real displacement."""
    root = turn(about([1, 2, 3], degrees))
    root[:3, 3] = offset

    def moved(character):
        matrices = character.nodes.matrices.copy()
        matrices[0] = root @ matrices[0]
        return replace(character, nodes=replace(character.nodes, matrices=matrices), clips=())

    other = with_weights(ARM, random_weights(seed))
    still = replace(ARM, clips=()), replace(other, clips=())
    rigid = moved(ARM), moved(other)
    sums = [weights_of(character).sum(axis=1) for character in still]
    allowed = np.abs(sums[0] - sums[1]).max() * 40 + DISPLACEMENT
    plain, carried = (measure(*pair).primitives[0].rms for pair in (still, rigid))
    np.testing.assert_allclose(carried, plain, atol=allowed)


@given(seeds, totals)
def test_one_joint_moves_a_vertex_as_its_matrix_does(seed, total):
    joint = seed % JOINTS
    weights = np.zeros((VERTICES, JOINTS))
    weights[:, joint] = 1
    whole = with_weights(ARM, weights)
    weights[:, joint] = np.float32(total)
    part = with_weights(ARM, weights)
    measurement = measure(whole, part, samples=SAMPLES)
    distance = np.linalg.norm(measurement.worst.position_before)
    close(measurement.worst.metres, abs(1 - np.float64(np.float32(total))) * distance)


@given(seeds, totals)
def test_the_three_parts_are_no_longer_than_the_whole_together(seed, total):
    loose = with_weights(ARM, random_weights(seed, total))
    other = with_weights(ARM, random_weights(seed + 1))
    measurement = measure(loose, other, samples=SAMPLES)
    assert measurement.summary.rms <= sum(cause.rms for cause in measurement.causes) + DISPLACEMENT
    assert measurement.summary.max <= sum(cause.max for cause in measurement.causes) + DISPLACEMENT


@given(seeds, totals)
def test_sums_are_judged_by_their_distance_from_one(seed, total):
    influences = with_weights(ARM, random_weights(seed, total)).primitives[0].influences
    for check in decoded_sums(influences):
        assert check.vertices == VERTICES
        assert abs(check.max_error - abs(total - 1)) < 1e-6
        assert (check.failing > 0) == (check.error > check.limit)
