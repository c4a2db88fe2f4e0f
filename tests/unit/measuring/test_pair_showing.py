from __future__ import annotations

import numpy as np

import altered
from limbs import limb
from skinproof.measuring.pair_poses import PairPoses
from skinproof.measuring.pair_showing import PairShowing, Shown
from skinproof.measuring.subject import Subject, Weights
from skinproof.model import Influences
from skinproof.poses import PoseSchedule, palettes
from skinproof.skinning import reference
from tolerances import POSED_SQUARED

VERTICES = np.array([3, 3, 200, 999])
OTHERS = np.array([5, 6, 200, 0])


def test_the_whole_and_its_parts():
    """Pairs of any vertices, against the reference posed side by side; the parts lead from the one to the other."""
    original = limb()
    halved = original.primitives[0].influences
    result = altered.with_primitive(
        original, 0, influences=Influences(halved.joints, halved.weights * np.float32(0.5), halved.set_formats)
    )
    primitive, other = original.primitives[0], result.primitives[0]
    schedule = PoseSchedule.from_clips(original, samples=4)
    measured = np.isin(np.arange(primitive.vertex_count), VERTICES)
    subject = Subject(primitive, 0, measured, Weights.of(primitive.influences, measured))
    poses = PairPoses(original, result, schedule, clips=result.clips, followed={})
    showing = PairShowing(subject, (0, 0), Shown(primitive, 0, VERTICES), Shown(other, 0, OTHERS), poses)
    block = next(iter(schedule.blocks()))
    matrices = palettes(original.skins[0], block.worlds)
    showing.add(matrices, block)
    for run in showing.runs:
        run.end_clip(weight=1.0, poses=4)

    def posed(one, vertices, divisor):
        rows = one.positions[vertices], one.influences.joints[vertices], one.influences.weights[vertices] / divisor
        return reference.skin_positions(*rows, matrices)

    sums = primitive.influences.weights[VERTICES].astype(np.float64).sum(axis=1, keepdims=True)
    other_sums = other.influences.weights[OTHERS].astype(np.float64).sum(axis=1, keepdims=True)
    steps = [posed(primitive, VERTICES, 1), posed(primitive, VERTICES, sums)]
    steps += [posed(other, OTHERS, other_sums), posed(other, OTHERS, 1)]
    for run, (first, last) in zip(showing.runs, [(0, 3), (0, 1), (1, 2), (2, 3)], strict=True):
        squared = ((steps[last] - steps[first]) ** 2).sum(axis=2)
        for vertex in np.unique(VERTICES):
            mine = squared[:, vertex == VERTICES]
            np.testing.assert_allclose(run.max_squared[vertex], mine.max(), rtol=POSED_SQUARED, atol=1e-20)
            np.testing.assert_allclose(
                run.mean_squared[vertex], mine.mean(axis=0).max(), rtol=POSED_SQUARED, atol=1e-20
            )
        assert np.isinf(run.bound).all()
        assert run.max_pose[~measured].max() == -1
