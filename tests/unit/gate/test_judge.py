"""Every check passes on a sound file, and goes red on the one fault that it is there for."""

from dataclasses import replace

import numpy as np
import pytest

from arms import make_arm, weights_of, with_weights
from skinproof.errors import OptionError
from skinproof.findings import Finding, Severity
from skinproof.gate import CHECKS, Policy, judge, tolerance
from skinproof.limiting import limit
from skinproof.measuring import measure, survey
from skinproof.model import Influences, WeightFormat

VERTICES = 12
POLICY = Policy(max_influences=3, tolerance=tolerance.parse("5cm"))


@pytest.fixture(scope="module")
def arm():
    return make_arm(vertices=VERTICES)


def verdict_on(arm, file, policy=POLICY, **options):
    return judge(policy, survey(file), original=survey(arm), measurement=measure(arm, file), **options)


def checks_of(verdict):
    return {check.name: check for check in verdict.checks}


def faulty(arm, fault):
    """The arm with one fault on vertex 5 (and 7)."""
    weights, joints = weights_of(arm), np.tile(np.arange(4), (VERTICES, 1))
    weights = np.pad(weights, ((0, 0), (0, 1)))
    joints[:, 3] = 0
    if fault == "influence_count":
        weights[[5, 7]] = 0.25
        joints[[5, 7], 3] = 2
    elif fault == "valid_weights":
        weights[5, 1], weights[7, 1] = np.nan, -0.5
    elif fault == "bound_vertices":
        weights[[5, 7]] = 0
    elif fault == "joints_in_range":
        joints[[5, 7], 2] = 3
    elif fault == "distinct_joints":
        joints[[5, 7], 2] = 0
    elif fault == "decoded_sums_float64":
        weights[[5, 7]] *= 0.7
    elif fault == "decoded_sums_validator":
        # In eight slots, so that the sum is right in float64 and wrong when it is rounded after each addition.
        weights, joints = np.zeros((VERTICES, 8)), np.tile(np.arange(8) % 3, (VERTICES, 1))
        weights[:, 0] = 1
        weights[[5, 7], 1:] = 1.8e-7
    elif fault == "displacement":
        weights[[5, 7]] = [[0, 0, 1, 0], [1, 0, 0, 0]]
    return with_weights(arm, weights, joints=joints)


def with_integers(arm, format, off):  # noqa: A002
    """The arm limited and packed, the heaviest weight of vertices 5 and 7 off by some steps of the stored integer."""
    packed = limit(arm, max_influences=3, pack=format)
    influences = packed.primitives[0].influences
    stored = influences.stored.copy()
    stored[[5, 7], 0] -= off
    decoded = (stored / np.iinfo(stored.dtype).max).astype(np.float32)
    return packed.with_influences([Influences(influences.joints, decoded, influences.set_formats, stored)])


FOUND = {
    "influence_count": "TOO_MANY_INFLUENCES",
    "valid_weights": "INVALID_WEIGHT",
    "bound_vertices": "ZERO_SUM",
    "joints_in_range": "JOINT_OUT_OF_RANGE",
    "distinct_joints": "DUPLICATE_JOINT",
    "decoded_sums_integer": "WEIGHT_SUM",
    "decoded_sums_float64": "WEIGHT_SUM",
    "decoded_sums_validator": "WEIGHT_SUM",
    "displacement": "DISPLACEMENT",
}


def test_every_check_has_a_fault_below():
    assert set(FOUND) | {"matched_vertices"} == set(CHECKS)  # its faults are in test_matching.py


@pytest.mark.parametrize("format", ["float32", "unorm8", "unorm16"])
def test_a_sound_file_passes_and_every_check_has_subjects(arm, format):  # noqa: A002
    verdict = verdict_on(arm, limit(arm, max_influences=3, pack=format))
    assert verdict.passed
    without = "decoded_sums_validator" if format != "float32" else "decoded_sums_integer"
    assert list(checks_of(verdict)) == [name for name in CHECKS if name not in (without, "matched_vertices")]
    assert {check.subjects for check in verdict.checks} == {VERTICES}
    assert all(check.passed for check in verdict.checks)


@pytest.mark.parametrize("name", [name for name in FOUND if name != "decoded_sums_integer"])
def test_a_seeded_fault_turns_its_check_red(arm, name):
    file = faulty(arm, name)
    verdict = verdict_on(arm, file)
    assert not verdict.passed
    check = checks_of(verdict)[name]
    assert not check.passed
    assert check.subjects > 0
    finding = check.findings[0]
    assert (finding.code, finding.severity, finding.pointer) == (FOUND[name], Severity.ERROR, "/meshes/0/primitives/0")
    assert finding.measured > finding.limit
    assert finding.unit
    assert finding.where["primitive"] == finding.pointer
    assert finding.where["vertex"] in (5, 7)
    assert sum(found.where["count"] for found in check.findings) == 2
    assert finding in verdict.findings


@pytest.mark.parametrize("format", ["unorm8", "unorm16"])
def test_integers_that_are_one_step_off_turn_their_check_red(arm, format):  # noqa: A002
    verdict = verdict_on(arm, with_integers(arm, format, 1))
    check = checks_of(verdict)["decoded_sums_integer"]
    assert (check.passed, check.subjects) == (False, VERTICES)
    (finding,) = check.findings
    scale = WeightFormat(format).scale
    assert (finding.code, finding.measured, finding.limit, finding.unit) == ("WEIGHT_SUM", 1, 0, f"1/{scale}")
    assert (finding.where["sum"], finding.where["count"], finding.where["method"]) == (scale - 1, 2, "integer")
    assert checks_of(verdict_on(arm, with_integers(arm, format, 0)))["decoded_sums_integer"].passed


@pytest.mark.parametrize("name", ["influence_count", "distinct_joints", "decoded_sums_validator"])
def test_one_fault_leaves_the_other_checks_alone(arm, name):
    verdict = verdict_on(arm, faulty(arm, name), Policy(3 if name == "influence_count" else None))
    red = {check.name for check in verdict.checks if not check.passed}
    also = {"influence_count": {"distinct_joints"}, "decoded_sums_validator": {"distinct_joints"}}
    assert red == {name} | also.get(name, set())


class TestDisplacement:
    def test_who_how_much_when(self, arm):
        file = limit(arm, max_influences=1)
        measurement = measure(arm, file)
        verdict = judge(POLICY, survey(file), measurement=measurement)
        (finding,) = checks_of(verdict)["displacement"].findings
        worst = measurement.worst
        assert (finding.measured, finding.limit, finding.unit) == (worst.metres, 0.05, "m")
        where = dict(finding.where)
        assert where.pop("count") == np.count_nonzero(measurement.primitives[0].max_error > 0.05) > 1
        assert where == {
            "primitive": worst.primitive,
            "name": "arm",
            "vertex": worst.vertex,
            "skin": worst.skin,
            "clip": worst.clip,
            "time": worst.time,
            "pose": worst.pose,
            "position_before": list(worst.position_before),
            "position_after": list(worst.position_after),
            "joints_before": list(worst.joints_before),
            "weights_before": list(worst.weights_before),
            "joints_after": list(worst.joints_after),
            "weights_after": list(worst.weights_after),
        }
        assert f"vertex {worst.vertex} of arm" in finding.message
        assert f"in {worst.clip} at {worst.time:.3f} s;" in finding.message

    def test_made_poses_are_named_by_their_number(self):
        arm = make_arm(vertices=VERTICES, clips=())
        file = limit(arm, max_influences=1)
        measurement = measure(arm, file)
        (finding,) = checks_of(judge(POLICY, survey(file), measurement=measurement))["displacement"].findings
        pose = measurement.worst.pose
        assert pose > 1
        assert (finding.where["clip"], finding.where["time"], finding.where["pose"]) == ("range of motion", None, pose)
        assert f"from the original, in pose {pose} of the range of motion;" in finding.message

    def test_the_tolerance_itself_passes(self, arm):
        file = limit(arm, max_influences=1)
        measurement = measure(arm, file)
        for metres, passed in ((measurement.summary.max, True), (np.nextafter(measurement.summary.max, 0), False)):
            policy = Policy(tolerance=tolerance.Tolerance("just so", metres=float(metres)))
            assert judge(policy, survey(file), measurement=measurement).passed is passed

    def test_a_share_of_the_diagonal(self, arm):
        file = limit(arm, max_influences=1)
        measurement = measure(arm, file)
        percent = 100 * measurement.relative(measurement.summary.max)
        for factor, passed in ((1.001, True), (0.999, False)):
            policy = Policy(tolerance=tolerance.parse(f"{percent * factor:.6f}%"))
            verdict = judge(policy, survey(file), measurement=measurement)
            assert verdict.passed is passed
            limits = [finding.limit for finding in verdict.findings if finding.code == "DISPLACEMENT"]
            assert limits == (
                [] if passed else [pytest.approx(percent * factor / 100 * measurement.diagonal, rel=1e-6)]
            )

    def test_without_a_tolerance_it_is_measured_and_not_gated(self, arm):
        verdict = verdict_on(arm, limit(arm, max_influences=1), Policy(max_influences=1))
        assert verdict.passed
        assert "displacement" not in checks_of(verdict)
        (note,) = [finding for finding in verdict.findings if finding.code == "NOT_GATED"]
        assert note.measured > 0.05

    def test_a_tolerance_needs_a_measurement(self, arm):
        with pytest.raises(OptionError, match="name the original"):
            judge(POLICY, survey(arm))


class TestWhatCannotBeMeasured:
    def broken(self, arm):
        weights = weights_of(arm)
        weights[[2, 9], 0] = np.nan
        return with_weights(arm, weights)

    def test_a_broken_original_fails_the_tolerance(self, arm):
        verdict = verdict_on(self.broken(arm), limit(arm, max_influences=3))
        (unknown,) = checks_of(verdict)["displacement"].findings
        assert (unknown.code, unknown.measured, unknown.where["vertex"]) == ("DISPLACEMENT_UNKNOWN", 2, 2)
        assert not verdict.passed

    def test_without_a_tolerance_it_is_a_warning(self, arm):
        verdict = verdict_on(self.broken(arm), limit(arm, max_influences=3), Policy())
        assert verdict.passed
        (warning,) = [finding for finding in verdict.findings if finding.code == "NOT_MEASURED"]
        assert (warning.measured, warning.severity) == (2, Severity.WARNING)

    def test_what_was_repaired_on_request_does_not_fail(self, arm):
        source = self.broken(arm)
        repaired = limit(source, max_influences=3, repair={"nonfinite": "drop"})
        verdict = verdict_on(source, repaired, notes=repaired.findings)
        assert verdict.passed
        assert {"NOT_MEASURED", "REPAIRED_WEIGHTS"} <= {finding.code for finding in verdict.findings}

    def test_a_file_in_which_nothing_can_be_measured_fails(self, arm):
        nothing = with_weights(arm, np.full((VERTICES, 3), np.nan))
        verdict = verdict_on(arm, nothing)
        check = checks_of(verdict)["displacement"]
        assert check.subjects == 0
        assert {finding.code for finding in check.findings} == {"DISPLACEMENT_UNKNOWN", "NOTHING_TO_CHECK"}
        assert checks_of(verdict)["decoded_sums_float64"].findings[0].code == "NOTHING_TO_CHECK"

    def test_a_mesh_that_no_skin_shows_cannot_pass_a_tolerance(self, arm):
        unskinned = replace(arm, instances=())
        assert not verdict_on(unskinned, unskinned).passed
        verdict = verdict_on(unskinned, unskinned, Policy(max_influences=3))
        assert verdict.passed
        assert "joints_in_range" not in checks_of(verdict)


def test_a_file_without_influences_does_not_pass(arm):
    verdict = judge(Policy(), survey(replace(arm, primitives=(), instances=())))
    assert not verdict.passed
    (check,) = verdict.checks
    assert (check.subjects, check.findings[0].code) == (0, "NOTHING_TO_CHECK")


class TestFindings:
    def test_errors_come_first_then_warnings_then_notes(self, arm):
        notes = [Finding("UNSKINNED_INFLUENCES", "a note"), Finding("REPAIRED_WEIGHTS", "a warning")]
        loose = with_weights(arm, weights_of(arm) * 0.5)
        verdict = verdict_on(arm, loose, Policy(max_influences=2), notes=notes)
        severities = [finding.severity for finding in verdict.findings]
        assert severities == sorted(severities, key=list(Severity).index)
        assert set(severities) == set(Severity)

    def test_what_two_parts_noticed_is_said_once(self, arm):
        note = Finding("MERGED_DUPLICATES", "said", pointer="/meshes/0")
        verdict = verdict_on(arm, arm, Policy(), notes=[note, note])
        assert [finding.code for finding in verdict.findings].count("MERGED_DUPLICATES") == 1
