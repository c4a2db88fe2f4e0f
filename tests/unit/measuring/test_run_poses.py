from __future__ import annotations

from arms import make_arm
from skinproof.measuring.run_poses import run_poses
from skinproof.measuring.subject import Subject, Weights
from skinproof.poses import PoseSchedule, palettes


class Recorder:
    """A showing that writes down what it is given."""

    def __init__(self, arm, skin):
        primitive = arm.primitives[0]
        measured = primitive.influences.weights[:, 0] >= 0
        self.subject = Subject(primitive, 0, measured, Weights.of(primitive.influences, measured))
        self.skin, self.runs, self.seen = skin, [self], []
        self.clip_max_squared = self.clip_mean_squared = self.clip_max_pose = measured * 0.0
        self.ended = []

    def add(self, matrices, block):
        self.seen.append((block.first_pose, len(matrices)))
        assert (matrices == palettes(ARM.skins[0], block.worlds)).all()

    def end_clip(self, *, weight, poses):
        self.ended.append((weight, poses))


ARM = make_arm(vertices=6)


def test_every_pose_of_every_clip_once_and_in_order():
    schedule = PoseSchedule.from_clips(ARM, samples=100)
    recorder, steps = Recorder(ARM, 0), []
    clips, _ = run_poses(ARM, schedule, [recorder], diagonal=1.0, progress=lambda *step: steps.append(step))
    assert recorder.seen == [(0, 64), (64, 36), (100, 64), (164, 36)]
    assert recorder.ended == [(clip.weight, 100) for clip in schedule.clips]
    assert [(clip.name, clip.poses, clip.max) for clip in clips] == [("bend", 100, 0), ("travel", 100, 0)]
    assert steps == [(64, 200), (100, 200), (164, 200), (200, 200)]


def test_joints_that_no_pose_moves():
    bend = make_arm(vertices=6, clips=("bend",))
    _, still = run_poses(bend, PoseSchedule.from_clips(bend), [Recorder(ARM, 0)], diagonal=1.0)
    assert [joint.name for joint in still] == ["shoulder"]


def test_nothing_to_show():
    clips, still = run_poses(ARM, PoseSchedule.from_clips(ARM, samples=2), [], diagonal=1.0)
    assert [clip.rms for clip in clips] == [0, 0]
    assert still == ()
