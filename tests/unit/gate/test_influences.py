from dataclasses import replace

import numpy as np
import pytest

from arms import make_arm, weights_of, with_weights
from characters import make_influences, make_primitive
from skinproof.gate import influences
from skinproof.measuring import survey


@pytest.fixture
def two():
    """Two primitives of four and three vertices, the second one sound."""
    arm = make_arm(vertices=4)
    sound = make_primitive(make_influences([[0]] * 3, [[1.0]] * 3), mesh=1)
    return replace(arm, primitives=(*arm.primitives, sound))


def broken(two, change):
    weights, joints = weights_of(two), np.tile(np.arange(3), (4, 1))
    change(weights, joints)
    return survey(with_weights(two, weights, joints=joints))


def test_a_finding_for_each_primitive_above_the_limit(two):
    found = list(influences.too_many(survey(two), 2))
    assert [finding.pointer for finding in found] == ["/meshes/0/primitives/0"]
    assert (found[0].measured, found[0].limit, found[0].unit) == (3, 2, "influences")
    assert found[0].where == {"primitive": "/meshes/0/primitives/0", "name": "arm", "vertex": 0, "count": 4}
    assert "4 vertices of arm above the limit of 2: vertex 0 has 3 influences" in found[0].message
    assert list(influences.too_many(survey(two), 3)) == []


def test_invalid_weights_say_which_and_what(two):
    def change(weights, joints):
        weights[1, 2], weights[3, 0] = np.nan, -0.5

    by_rule = {finding.where["rule"]: finding for finding in influences.invalid_weights(broken(two, change))}
    assert set(by_rule) == {"nonfinite_weight", "negative_weight"}
    negative = by_rule["negative_weight"]
    assert (negative.code, negative.measured, negative.limit, negative.unit) == ("INVALID_WEIGHT", 1, 0, "vertices")
    assert (negative.where["vertex"], negative.where["joint"], negative.where["weight"]) == (3, 0, -0.5)
    assert "vertex 3, joint 0, weight -0.5" in negative.message
    assert np.isnan(by_rule["nonfinite_weight"].where["weight"])


def test_vertices_bound_to_nothing(two):
    def change(weights, joints):
        weights[2:] = 0

    (finding,) = influences.zero_sums(broken(two, change))
    assert (finding.code, finding.measured, finding.where["vertex"], finding.where["count"]) == ("ZERO_SUM", 2, 2, 2)
    assert "joint" not in finding.where


def test_joints_out_of_range_say_how_many_there_are(two):
    def change(weights, joints):
        joints[1, 1] = 7

    (finding,) = influences.joints_out_of_range(broken(two, change))
    assert (finding.code, finding.where["joint"], finding.where["joint_count"]) == ("JOINT_OUT_OF_RANGE", 7, 3)


def test_duplicate_joints(two):
    def change(weights, joints):
        joints[0, 2] = 1

    (finding,) = influences.duplicate_joints(broken(two, change))
    assert (finding.code, finding.where["vertex"], finding.where["joint"]) == ("DUPLICATE_JOINT", 0, 1)


def test_weight_sums_say_how_far_and_by_which_way_of_adding(two):
    def change(weights, joints):
        weights[1] *= 0.7
        weights[2] *= 0.9

    found = broken(two, change)
    (finding,) = influences.weight_sums(found, "float64")
    assert (finding.code, finding.unit) == ("WEIGHT_SUM", "1")
    assert finding.measured == pytest.approx(0.3, abs=1e-6)
    assert finding.limit == pytest.approx(6e-7)
    where = {key: finding.where[key] for key in ("vertex", "count", "method")}
    assert where == {"vertex": 1, "count": 2, "method": "float64"}
    assert finding.where["sum"] == pytest.approx(0.7, abs=1e-6)
    assert "2 vertices of arm: the decoded weights do not sum to one" in finding.message
    assert list(influences.weight_sums(found, "integer")) == []
    (source,) = influences.weight_sums(found, "float64", code="SOURCE_WEIGHT_SUM")
    assert source.code == "SOURCE_WEIGHT_SUM"


def test_sound_primitives_have_no_findings(two):
    found = survey(two)
    rules = (influences.invalid_weights, influences.zero_sums, influences.joints_out_of_range)
    assert [list(rule(found)) for rule in (*rules, influences.duplicate_joints)] == [[]] * 4
    assert [list(influences.weight_sums(found, method)) for method in ("float64", "validator")] == [[], []]
