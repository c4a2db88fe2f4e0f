from dataclasses import replace

import numpy as np
import pytest

from arms import make_arm, weights_of
from characters import make_channel
from skinproof.limiting import limit
from skinproof.measuring.showing import Showing
from skinproof.measuring.subject import make_subject
from skinproof.model import Instance
from skinproof.poses import PoseSchedule, palettes
from skinproof.skinning import reference
from tolerances import DISPLACEMENT, FLOAT32_DISPLACEMENT

SHAPES = np.array([[0.0], [0.0], [3.0], [-1.0]])


@pytest.fixture(scope="module")
def arm():
    """Shown twice through one skin; the clip morphs one of the two, in steps; every other vertex is morphed."""
    made = make_arm(clips=("bend",))
    target = np.random.default_rng(2).normal(size=(9, 3)).astype(np.float32)
    target[::2] = 0
    steps = make_channel(7, "weights", [0, 0.5, 1, 1.5], SHAPES, interpolation="STEP")
    return replace(
        made,
        primitives=(replace(made.primitives[0], targets=(target,)),),
        instances=(Instance(0, 0, 0, (2.0,)), Instance(7, 0, 0, (0.0,))),
        clips=(replace(made.clips[0], channels=(*made.clips[0].channels, steps)),),
    )


@pytest.mark.parametrize("instance", [0, 1])
@pytest.mark.parametrize("block", [1, 7, 64])
def test_each_pose_is_taken_in_its_shape(arm, instance, block):
    result = limit(arm, max_influences=1)
    subject, _ = make_subject(arm.primitives[0], result.primitives[0], None, index=0, reference="stored", joint_count=3)
    showing = Showing(arm, subject, instance, [subject.total, subject.causes["limiting"]], bounded=1)
    schedule = PoseSchedule.from_clips(arm, fps=10.0)
    for one in schedule.blocks(block):
        showing.add(palettes(arm.skins[0], one.worlds), one)
    for run in showing.runs:
        run.end_clip(weight=1.0, poses=schedule.pose_count)
    times = schedule.clips[0].times
    weights = np.full(len(times), 2.0) if instance == 0 else SHAPES[np.minimum(times // 0.5, 3).astype(int), 0]
    (primitive,) = arm.primitives
    joints, deltas = np.tile(np.arange(3), (9, 1)), weights_of(result) - weights_of(arm)
    squared = np.zeros((len(times), 9))
    for pose, weight in enumerate(weights):
        shape = primitive.positions + weight * primitive.targets[0].astype(np.float64)
        worlds = schedule.worlds(0, np.array([pose]))
        moved = reference.skin_positions(shape, joints, deltas, palettes(arm.skins[0], worlds))
        squared[pose] = np.sum(moved[0] ** 2, axis=1)
    total, limiting = showing.runs
    np.testing.assert_allclose(total.max_squared, squared.max(axis=0), atol=DISPLACEMENT)
    np.testing.assert_allclose(total.mean_squared, squared.mean(axis=0), atol=DISPLACEMENT)
    np.testing.assert_array_equal(total.max_pose, squared.argmax(axis=0))
    np.testing.assert_allclose(limiting.max_squared, squared.max(axis=0), **FLOAT32_DISPLACEMENT)
    assert (total.bound**2 >= squared.max(axis=0) * (1 - 1e-9)).all()
    assert not limiting.bound.any()
