from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import altered
from limbs import limb
from skinproof.findings import Severity
from skinproof.gate import Policy, judge, matching, tolerance
from skinproof.measuring import measure, survey
from skinproof.model.match import Match, MatchedSide, VertexList


def verdict_on(result, policy=None, original=None):
    original = original or limb()
    return judge(
        policy or Policy(), survey(result), original=survey(original), measurement=measure(original, result, samples=3)
    )


def check_of(verdict):
    (check,) = [check for check in verdict.checks if check.name == "matched_vertices"]
    return check


def codes_of(verdict):
    return [finding.code for finding in verdict.findings]


@pytest.fixture(scope="module")
def short():
    """The limb without its end: some 92 % of its vertices."""
    primitive = limb().primitives[0]
    kept = (primitive.positions[primitive.indices].reshape(-1, 3, 3)[:, :, 1] < 4.5).all(axis=1)
    return altered.with_part(limb(), 0, kept)


def test_the_same_vertices_need_no_match():
    verdict = verdict_on(limb())
    assert "matched_vertices" not in [check.name for check in verdict.checks]
    assert "VERTICES_MATCHED" not in codes_of(verdict)


def test_all_matched_passes_and_says_so():
    verdict = verdict_on(altered.shuffled(limb()), Policy(tolerance=tolerance.parse("1mm")))
    assert verdict.passed
    check = check_of(verdict)
    assert (check.passed, check.subjects) == (True, 2 * limb().primitives[0].vertex_count)
    (finding,) = [one for one in verdict.findings if one.code == "VERTICES_MATCHED"]
    assert finding.severity is Severity.INFO
    assert (finding.measured, finding.limit) == (1.0, 1.0)
    assert "1,000 of 1,000 vertices of the original and 1,000 of 1,000 vertices of the file" in finding.message


class TestAMissingPart:
    def test_it_fails_and_names_the_share_and_the_first_vertices(self, short):
        verdict = verdict_on(short)
        assert not verdict.passed
        (finding,) = check_of(verdict).findings
        lone = limb().primitives[0].vertex_count - short.primitives[0].vertex_count
        assert (finding.code, finding.severity) == ("VERTICES_UNMATCHED", Severity.ERROR)
        assert finding.measured == pytest.approx(1 - lone / 1000)
        assert (finding.limit, finding.unit, finding.pointer) == (1.0, "1", "/meshes/0/primitives/0")
        used = set(range(1000)) - set(np.flatnonzero(limb().primitives[0].positions[:, 1] >= 4.49).tolist())
        assert f"{1000 - lone:,} of 1,000 vertices of the original" in finding.message
        assert f"{1000 - lone:,} of {1000 - lone:,} vertices of the file" in finding.message
        first = finding.where["original"][0]["first"]
        assert f"; without one: {', '.join(map(str, first))}, … of limb in the original" in finding.message
        assert not set(first) & used
        assert finding.where["result"] == []
        assert "VERTICES_MATCHED" not in codes_of(verdict)

    def test_a_part_too_many_fails_as_well(self, short):
        (finding,) = check_of(verdict_on(limb(), original=short)).findings
        assert "of limb in the file" in finding.message
        assert finding.where["original"] == []

    def test_it_passes_where_that_share_is_enough(self, short):
        share = measure(limb(), short, samples=2).match.share
        assert verdict_on(short, Policy(min_match=share)).passed
        assert not verdict_on(short, Policy(min_match=share + 1e-9)).passed
        verdict = verdict_on(short, Policy(min_match=0.5, tolerance=tolerance.parse("1mm")))
        assert verdict.passed  # what was left out on purpose is not unknown
        (finding,) = [one for one in verdict.findings if one.code == "VERTICES_MATCHED"]
        assert "without one" in finding.message


def test_nothing_matched_fails_the_tolerance_too():
    far = altered.with_primitive(limb(), 0, positions=limb().primitives[0].positions + np.float32(100))
    verdict = verdict_on(far, Policy(tolerance=tolerance.parse("1m"), min_match=0.0))
    assert not verdict.passed
    assert "NOTHING_TO_CHECK" in codes_of(verdict)


def test_another_unit_is_suspected():
    lone = (VertexList("/meshes/0/primitives/0", "limb", 9, (0, 1)),)
    match = Match("it", MatchedSide(9, lone, ()), MatchedSide(9, lone, ()), 1e-6, 100.0)
    (finding,) = matching.unmatched(match, min_match=1.0)
    assert "At rest the file is 100 times as large as the original: is it in another unit?" in finding.message
    (finding,) = matching.unmatched(replace(match, size_ratio=1.001), min_match=1.0)
    assert "unit" not in finding.message


def test_what_only_weights_tell_apart_is_a_warning():
    some = (VertexList("/meshes/0/primitives/0", "limb", 9, (4, 5)),)
    match = Match("it", MatchedSide(9, (), some), MatchedSide(9, (), some), 1e-6, 1.0)
    matched, here, there = matching.remarks(match, min_match=1.0)
    assert matched.code == "VERTICES_MATCHED"
    for finding, whose in ((here, "the original"), (there, "the file")):
        assert (finding.code, finding.severity) == ("MATCH_AMBIGUOUS", Severity.WARNING)
        assert (finding.measured, finding.where["count"], finding.where["first"]) == (9.0, 9, [4, 5])
        assert f"9 vertices of limb in {whose}, the first 4" in finding.message
