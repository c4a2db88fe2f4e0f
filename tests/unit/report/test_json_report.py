import json
from dataclasses import replace

import jsonschema
import numpy as np
import pytest

import altered
from arms import make_arm, weights_of, with_weights
from characters import make_channel, make_clip
from limbs import limb
from reports import compared, inspected, limited
from skinproof.gate import Policy, tolerance
from skinproof.model import Outcome
from skinproof.report import SCHEMA, document, schema, to_json


def closed(node):
    """The schema with every object closed that lists its properties: what is written must be described."""
    if isinstance(node, dict):
        made = {key: closed(value) for key, value in node.items()}
        if isinstance(node.get("properties"), dict):
            made["additionalProperties"] = False
        return made
    return [closed(entry) for entry in node] if isinstance(node, list) else node


def two_limbs():
    """One more primitive than the limb has; they are at the same places."""
    again = replace(limb().primitives[0], index=1, name="limb #1", pointer="/meshes/0/primitives/1")
    return replace(limb(), primitives=(*limb().primitives, again))


def broken_arm():
    arm = make_arm(vertices=30)
    weights = weights_of(arm)
    weights[3], weights[5, 0], weights[6, 1] = 0, np.nan, -1
    return arm, with_weights(arm, weights)


def repaired_report():
    _, broken = broken_arm()
    return limited(arm=broken, repair={"zero": "joint=0", "nonfinite": "drop", "negative": "drop"}, gated="2mm")


def merged_report():
    arm = make_arm(vertices=30)
    joints = np.tile([0, 1, 0], (30, 1))
    return limited(arm=with_weights(arm, weights_of(arm), joints=joints))


def far_report():
    arm = make_arm(vertices=4)
    off = make_clip(make_channel(0, "translation", [0, 1], [[0, 0, 0], [1e200, 0, 0]]), name="off")
    away = replace(arm, clips=(off,))
    return compared(away, with_weights(away, weights_of(arm) / 2), Policy(tolerance=tolerance.parse("1mm")))


def overflown_report():
    arm = make_arm(vertices=4, clips=())
    matrices = arm.nodes.matrices.copy()
    matrices[0, :3, :3] *= 1.7e308
    has_matrix = np.array([True, False, False])
    huge = replace(arm, nodes=replace(arm.nodes, matrices=matrices, has_matrix=has_matrix))
    return limited(1, arm=huge, gated="1%")


REPORTS = {
    "limited": limited,
    "gated": lambda: limited(1, gated="2mm"),
    "gated by a share": lambda: limited(2, gated="90%", pack="unorm8"),
    "unorm16": lambda: limited(2, pack="unorm16"),
    "without clips": lambda: limited(arm=make_arm(clips=())),
    "fitted": lambda: limited(1, method="exact"),
    "repaired": repaired_report,
    "merged": merged_report,
    "broken": lambda: compared(*broken_arm(), Policy(4, tolerance.parse("1cm"))),
    "broken original": lambda: compared(*reversed(broken_arm())),
    "infinitely far": far_report,
    "beyond doubles": overflown_report,
    "unskinned": lambda: compared(*[replace(make_arm(), instances=())] * 2),
    "matched": lambda: compared(limb(), altered.shuffled(limb())),
    "matched in part": lambda: compared(limb(), altered.with_part(limb(), 0, np.arange(1872) < 1500)),
    "matched with fewer primitives": lambda: compared(two_limbs(), altered.welded(limb())),
    "inspected": lambda: inspected(make_arm()),
    "inspected and broken": lambda: inspected(broken_arm()[1]),
    "without influences": lambda: inspected(replace(make_arm(), primitives=(), instances=())),
}


@pytest.fixture(scope="module")
def reports():
    return {name: make() for name, make in REPORTS.items()}


@pytest.mark.parametrize("name", REPORTS)
def test_every_report_fits_the_schema_and_every_field_is_described(reports, name):
    written = json.loads(to_json(reports[name]))
    jsonschema.Draft202012Validator(schema()).validate(written)
    jsonschema.Draft202012Validator(closed(schema())).validate(written)


def test_a_match_is_told_with_what_lacks_a_partner(reports):
    assert document(reports["gated"])["displacement"]["match"] is None
    match = document(reports["matched in part"])["displacement"]["match"]
    original, result = match["original"], match["result"]
    assert match["share"] == original["share"] == original["matched"] / original["vertices"] < 1
    assert result["share"] == 1.0
    assert original["unmatched"][0]["vertices"] == original["vertices"] - original["matched"]
    assert len(original["unmatched"][0]["first"]) == 8
    assert match["reason"].startswith("limb has 1000 and")
    assert document(reports["matched"])["displacement"]["bound"] == {"metres": None, "relative": None}


def test_primitives_that_were_matched_have_no_counterpart_by_number(reports):
    written = document(reports["matched with fewer primitives"])
    assert [one["max_before"] for one in written["primitives"]] == [None]
    assert written["influences"]["max_before"] == 4


def test_the_schema_is_a_schema_and_bites():
    published = schema()
    jsonschema.Draft202012Validator.check_schema(published)
    assert published["properties"]["schema"]["const"] == SCHEMA == "skinproof-report-1"
    sound = json.loads(to_json(limited()))
    for path, wrong in (("verdict", "maybe"), ("schema", "skinproof-report-2"), ("findings", [{"code": "X"}])):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.Draft202012Validator(published).validate({**sound, path: wrong})
    for key in sound:
        with pytest.raises(jsonschema.ValidationError, match="required"):
            jsonschema.Draft202012Validator(published).validate({k: v for k, v in sound.items() if k != key})


def test_what_a_build_needs_is_there(reports):
    written = document(reports["gated"])
    measurement = reports["gated"].measurement
    worst = measurement.worst
    assert (written["schema"], written["verdict"]) == ("skinproof-report-1", "fail")
    assert (written["influences"]["max_before"], written["influences"]["max_after"]) == (3, 1)
    assert written["decoded_sum"]["max_error"] == 0
    most = written["displacement"]["max"]
    assert most["metres"] == measurement.summary.max
    assert most["relative"] == measurement.summary.max / measurement.diagonal
    assert (most["primitive"], most["vertex"]) == (worst.primitive, worst.vertex)
    assert (most["clip"], most["time"], most["pose"]) == (worst.clip, worst.time, worst.pose)
    assert [(clip["max"]["time"], clip["max"]["pose"]) for clip in written["displacement"]["clips"]] == [
        (clip.time, clip.pose) for clip in measurement.clips
    ]
    assert written["displacement"]["rms"]["metres"] == measurement.summary.rms
    assert written["displacement"]["rms"]["relative"] == measurement.relative(measurement.summary.rms)
    finding = written["findings"][0]
    assert list(finding)[:2] == ["code", "severity"]
    assert (finding["code"], finding["severity"], finding["unit"], finding["limit"]) == (
        "DISPLACEMENT",
        "error",
        "m",
        0.002,
    )
    assert (finding["pointer"], finding["measured"]) == ("/meshes/0/primitives/0", worst.metres)
    assert finding["where"]["vertex"] == worst.vertex


def test_made_poses_have_a_number_and_no_time(reports):
    displacement = document(reports["without clips"])["displacement"]
    (clip,), pose = displacement["clips"], reports["without clips"].measurement.worst.pose
    assert pose > 1
    for most in (displacement["max"], displacement["primitives"][0]["max"], clip["max"]):
        assert (most["time"], most["pose"]) == (None, pose)


def test_the_tolerance_is_written_as_given_and_in_metres(reports):
    written = document(reports["gated by a share"])
    assert written["policy"]["tolerance"] == {"text": "90%", "metres": None, "relative": 0.9}
    diagonal = written["displacement"]["diagonal"]
    assert written["displacement"]["limit"] == {"metres": 0.9 * diagonal, "relative": pytest.approx(0.9)}
    assert (written["displacement"]["gated"], written["verdict"]) == (True, "pass")
    assert document(reports["limited"])["displacement"]["gated"] is False


def test_without_an_original_there_is_nothing_before(reports):
    written = document(reports["inspected"])
    assert written["displacement"] is None
    assert written["original"] is None
    assert (written["influences"]["max_before"], written["influences"]["max_after"]) == (None, 3)
    assert written["primitives"][0]["histogram_before"] is None


def test_sums_are_told_by_way_of_adding(reports):
    assert set(document(reports["limited"])["decoded_sum"]["checks"]) == {"float64", "validator"}
    integers = document(reports["unorm16"])["decoded_sum"]["checks"]["integer"]
    assert integers == {"vertices": 30, "failing": 0, "max_error": 0}
    assert document(reports["unorm16"])["primitives"][0]["formats"] == ["unorm16"]


def test_every_repaired_and_merged_vertex_is_listed(reports):
    repaired = document(reports["repaired"])["influences"]["repaired"]
    assert {(entry["policy"].partition("=")[0], tuple(entry["vertices"])) for entry in repaired} == {
        ("zero", (3,)),
        ("nonfinite", (5,)),
        ("negative", (6,)),
    }
    merged = document(reports["merged"])["influences"]["merged"]
    assert merged == [{"primitive": "/meshes/0/primitives/0", "vertices": list(range(30))}]


def test_what_json_cannot_write_is_null(reports):
    text = to_json(reports["infinitely far"])
    assert "NaN" not in text
    assert "Infinity" not in text
    written = json.loads(text)
    assert written["displacement"]["max"]["metres"] is None
    assert written["verdict"] == "fail"
    overflown = json.loads(to_json(reports["beyond doubles"]))
    assert (overflown["displacement"]["diagonal"], overflown["verdict"]) == (None, "fail")
    broken = json.loads(to_json(reports["broken"]))
    weights = [finding["where"].get("weight") for finding in broken["findings"] if finding["code"] == "INVALID_WEIGHT"]
    assert None in weights
    assert -1 in weights


def test_the_same_report_is_the_same_text(reports):
    assert to_json(limited(1, gated="2mm")) == to_json(reports["gated"])
    assert to_json(reports["gated"]).endswith("}\n")


def test_names_are_written_as_they_are():
    arm = make_arm()
    named = replace(arm, primitives=(replace(arm.primitives[0], name="手\x1b[31m"),))
    text = to_json(inspected(named))
    assert text.isascii()
    assert json.loads(text)["primitives"][0]["name"] == "手\x1b[31m"


def test_a_fit_is_summed_up_for_the_file_and_each_primitive(reports):
    assert document(reports["limited"])["fit"] is None
    fit = document(reports["fitted"])["fit"]
    assert fit["vertices"] == sum(fit["outcomes"].values()) == 30
    assert fit["outcomes"]["best"] > 0
    assert fit["unproven"] == 0
    assert 0 < fit["rms"]["optimum"] <= fit["rms"]["chosen"] * (1 + 1e-6)
    assert fit["rms"]["optimum"] < fit["rms"]["largest"]
    (primitive,) = fit["primitives"]
    same = {key: fit[key] for key in ("vertices", "outcomes", "unproven", "rms")}
    by_vertex = primitive.pop("by_vertex")
    assert primitive == {"pointer": "/meshes/0/primitives/0", **same}
    assert by_vertex["vertex"] == list(range(30))
    of = reports["fitted"].changes[0].fit
    for name in ("optimum", "chosen", "largest"):
        assert by_vertex[name] == getattr(of, name).tolist()
    assert by_vertex["outcome"] == [Outcome(code).name.lower() for code in of.outcome]
    assert by_vertex["unproven"] == []


def test_a_fit_stands_beside_keep_the_largest_in_poses_fitted_to_and_in_others(reports):
    report = reports["fitted"]
    written = document(report)["fit"]["trials"]
    assert [trial["name"] for trial in written] == ["training", "held_out", "fresh"]
    for trial, found in zip(written, report.fit_check.trials, strict=True):
        assert trial["poses"] == found.poses
        for way in ("exact", "largest"):
            for figure in ("max", "rms"):
                metres = getattr(getattr(found, way), figure)
                assert trial[way][figure] == {"metres": metres, "relative": report.measurement.relative(metres)}


def test_joints_that_no_pose_moves_are_listed_with_their_vertices():
    fit = document(limited(1, arm=make_arm(vertices=30, clips=("travel",)), method="exact"))["fit"]
    assert [(near["name"], near["vertices"]) for near in fit["still_joints"]] == [
        (name, list(range(30))) for name in ("elbow", "wrist")
    ]
