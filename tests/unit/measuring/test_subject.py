import numpy as np
import pytest

from arms import make_arm, weights_of, with_weights
from skinproof.limiting import limit
from skinproof.measuring.subject import Weights, make_subject


def dense(deltas):
    full = np.zeros((len(deltas.joints), 3))
    for slot in range(deltas.joints.shape[1]):
        full[np.arange(len(full)), deltas.joints[:, slot]] += deltas.weights[:, slot]
    return full


def subject_of(before, after, change=None, reference="stored"):
    return make_subject(before.primitives[0], after.primitives[0], change, index=0, reference=reference, joint_count=3)


@pytest.mark.parametrize("reference", ["stored", "normalized"])
def test_the_parts_add_up_to_the_whole(reference):
    loose = with_weights(make_arm(vertices=20), weights_of(make_arm(vertices=20)) * 0.9)
    packed = limit(loose, max_influences=2, pack="unorm8")
    subject, gaps = subject_of(loose, packed, packed.changes[0], reference)
    assert gaps == []
    start = weights_of(loose) / (weights_of(loose).sum(axis=1, keepdims=True) if reference == "normalized" else 1)
    np.testing.assert_allclose(dense(subject.total), weights_of(packed) - start, atol=1e-15)
    parts = [dense(deltas) for deltas in subject.causes.values()]
    np.testing.assert_allclose(np.sum(parts, axis=0), dense(subject.total), atol=1e-15)
    assert (np.abs(parts[0]).max() == 0) == (reference == "normalized")


def test_a_vertex_is_counted_once_with_its_first_reason():
    arm = make_arm(vertices=6)
    before, after = weights_of(arm), weights_of(arm)
    before[1, 0] = after[1, 0] = after[2, 0] = np.nan
    before[4] = 0
    subject, gaps = subject_of(with_weights(arm, before), with_weights(arm, after))
    assert [(gap.reason, gap.vertices, gap.vertex) for gap in gaps] == [
        ("in the original a weight is NaN or infinite", 1, 1),
        ("in the result a weight is NaN or infinite", 1, 2),
        ("in the original the weights sum to nothing", 1, 4),
    ]
    assert np.flatnonzero(~subject.measured).tolist() == [1, 2, 4]
    assert np.isfinite(subject.total.weights).all()
    assert np.abs(dense(subject.total)[[1, 2, 4]]).max() == 0


def test_repaired_vertices_are_told_from_those_nobody_knows_of():
    arm = make_arm(vertices=6)
    broken = weights_of(arm)
    broken[[1, 5], 0] = np.nan
    source = with_weights(arm, broken)
    repaired = limit(source, max_influences=3, repair={"nonfinite": "drop"})
    _, (gap,) = subject_of(source, repaired, repaired.changes[0])
    assert (gap.vertices, gap.repaired) == (2, 2)
    _, (gap,) = subject_of(source, repaired)
    assert (gap.vertices, gap.repaired) == (2, 0)


def test_weights_without_a_sum_stay_when_normalized():
    weights = Weights(np.zeros((3, 2), np.uint16), np.array([[0.2, 0.6], [0, 0], [-1, 0.5]]))
    np.testing.assert_allclose(weights.normalized().weights, [[0.25, 0.75], [0, 0], [-1, 0.5]])
