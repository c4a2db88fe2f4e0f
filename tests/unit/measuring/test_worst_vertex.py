from __future__ import annotations

import numpy as np
import pytest

from arms import make_arm, weights_of, with_weights
from skinproof.measuring.subject import make_subject
from skinproof.measuring.worst_vertex import Sight, worst_vertex
from skinproof.poses import PoseSchedule, palettes
from skinproof.skinning import reference


@pytest.mark.parametrize("standard", ["stored", "normalized"])
def test_it_is_placed_by_both_files_and_its_joints_are_named(standard):
    arm = make_arm(vertices=8)
    weights = weights_of(arm) * 0.5
    weights[3] = [0.25, 0, 0.5]
    arm, result = with_weights(arm, weights), arm
    subject, _ = make_subject(arm.primitives[0], result.primitives[0], None, index=0, reference=standard, joint_count=3)
    schedule = PoseSchedule.from_clips(arm, samples=5)
    found = worst_vertex(arm, result, schedule, subject, 0, Sight(0.5, 0, 3, 0, 4))
    assert (found.metres, found.vertex, found.clip, found.time, found.pose) == (0.5, 3, "bend", 2.0, 4)
    assert (found.joints_before, found.weights_before) == (("wrist", "shoulder"), (0.5, 0.25))
    assert sorted(found.joints_after) == ["elbow", "shoulder", "wrist"]
    assert found.weights_after == tuple(sorted(result.primitives[0].influences.weights[3, :3].tolist(), reverse=True))
    matrices = palettes(arm.skins[0], schedule.worlds(0, np.array([4])))
    start = np.array([weights[3]]) / (0.75 if standard == "normalized" else 1.0)
    for place, values in ((found.position_before, start), (found.position_after, weights_of(result)[3:4])):
        expected = reference.skin_positions(arm.primitives[0].positions[3:4], [[0, 1, 2]], values, matrices)
        np.testing.assert_allclose(place, expected[0, 0], atol=1e-6)
