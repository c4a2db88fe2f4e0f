from dataclasses import replace

import numpy as np
import pytest

from arms import make_arm, weights_of, with_weights
from skinproof.findings import Severity
from skinproof.gate import Policy, remarks, tolerance
from skinproof.limiting import limit
from skinproof.measuring import measure, survey
from skinproof.model import Influences, WeightFormat
from skinproof.model.survey import SkinSurvey


@pytest.fixture(scope="module")
def arm():
    return make_arm(vertices=10)


def about_poses(character, result, policy=None):
    measurement = measure(character, result)
    return {one.code: one for one in remarks.about_poses(policy or Policy(), survey(result), measurement)}


class TestAboutInfluences:
    def test_a_source_whose_weights_do_not_sum_to_one(self, arm):
        loose = with_weights(arm, weights_of(arm) * 0.8)
        (finding,) = remarks.about_influences(survey(limit(loose, max_influences=3)), survey(loose))
        assert (finding.code, finding.severity) == ("SOURCE_WEIGHT_SUM", Severity.WARNING)
        assert finding.where["count"] == 10
        assert list(remarks.about_influences(survey(loose), None)) == []

    def test_joints_of_empty_slots(self, arm):
        joints = np.zeros((10, 4), np.uint16)
        joints[3:5, 2] = 1
        weights = np.tile(np.array([1, 0, 0, 0], np.float32), (10, 1))
        file = arm.with_influences([Influences(joints, weights, (WeightFormat.FLOAT32,))])
        (finding,) = remarks.about_influences(survey(file), None)
        assert (finding.code, finding.where["vertex"], finding.where["count"]) == ("UNUSED_SLOT_JOINT", 3, 2)


class TestAboutPoses:
    @pytest.mark.parametrize(("share", "found"), [(None, False), (0.2, False), (0.21, True)])
    def test_mesh_and_skeleton_that_do_not_fit(self, arm, share, found):
        skin = SkinSurvey("/skins/0", "rig", 20, 18, 500, share)
        made = list(remarks.about_poses(Policy(), replace(survey(arm), skins=(skin,)), None))
        assert [finding.code for finding in made] == ["BIND_MISMATCH"] * found
        for finding in made:
            assert (finding.severity, finding.pointer) == (Severity.WARNING, "/skins/0")
            assert (finding.measured, finding.limit, finding.unit) == (0.21, 0.2, "1")

    def test_joints_that_no_pose_moves(self, arm):
        only_travel = replace(arm, clips=arm.clips[1:])
        finding = about_poses(only_travel, only_travel)["JOINT_NEVER_MOVES"]
        assert (finding.pointer, finding.measured, finding.unit) == ("/skins/0", 2, "joints")
        assert finding.where == {"skin": "/skins/0", "joints": [1, 2], "names": ["elbow", "wrist"]}
        assert "JOINT_NEVER_MOVES" not in about_poses(arm, arm)

    def test_made_poses(self, arm):
        still = replace(arm, clips=())
        assert about_poses(still, still)["NO_CLIPS"].measured > 60
        assert "NO_CLIPS" not in about_poses(arm, arm)

    def test_ungated_displacement(self, arm):
        assert "NOT_GATED" in about_poses(arm, arm)
        assert "NOT_GATED" not in about_poses(arm, arm, Policy(tolerance=tolerance.parse("1mm")))
