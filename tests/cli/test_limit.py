"""`skinproof limit`: what is written, what is said, and what the process exits with."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import jsonschema
import numpy as np
import pytest

from cli.command import environment, expect, skinproof
from gltf_builder import strip
from skinproof import read
from skinproof.report import schema


@pytest.fixture
def hero(tmp_path):
    """Two joints, weights that go over from the one to the other: K = 1 moves vertices by decimetres."""
    return strip(vertices=40).save(tmp_path / "hero.glb")


def broken(path, value):
    """The strip, with `value` for both weights of vertex 7."""
    joints = np.tile(np.array([0, 1, 0, 0], dtype=np.uint8), (40, 1))
    weights = np.tile(np.array([0.75, 0.25, 0, 0]), (40, 1))
    weights[7, :2] = value
    return strip([(joints, weights)], vertices=40).save(path)


def limit(file, *arguments, out="out.glb", **extra):
    return skinproof("limit", file.name, "-o", out, *arguments, cwd=file.parent, **extra)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def words(text):
    """The text without its line breaks, which depend on the width."""
    return " ".join(text.split())


def validated(text):
    report = json.loads(text)
    jsonschema.validate(report, schema())
    return report


def test_pass(hero, validate_gltf):
    result = expect(limit(hero, "-k", 2, "--tolerance", "0.1mm"), 0)
    assert result.stdout.startswith(" PASS  out.glb  against hero.glb\n")
    assert "at most 2 influences per vertex, displacement at most 0.1mm, weight contract" in words(result.stdout)
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 80
    (report,) = validate_gltf(hero.parent / "out.glb")
    assert report.errors == []


def test_k_is_4_unless_told_otherwise(hero):
    assert "at most 4 influences per vertex" in expect(limit(hero), 0).stdout


def test_a_limit_beyond_all_influences_keeps_them(hero):
    expect(limit(hero, "-k", 1_000_000_000), 0)
    assert read(hero.parent / "out.glb").primitives[0].influences.counts.max() == 2


def test_a_failed_gate_exits_with_1_writes_the_output_and_says_so(hero):
    result = expect(limit(hero, "-k", 1, "--tolerance", "1mm", "--json-file", "report.json"), 1)
    assert result.stdout.startswith(" FAIL  out.glb  against hero.glb\n")
    assert re.search(r"DISPLACEMENT .*vertex \d+", result.stdout)
    assert read(hero.parent / "out.glb").primitives[0].influences.counts.max() == 1
    report = validated((hero.parent / "report.json").read_text())
    assert report["verdict"] == "fail"
    assert [found["code"] for found in report["findings"] if found["severity"] == "error"] == ["DISPLACEMENT"]
    assert report["displacement"]["max"]["metres"] > 0.001


def test_the_exact_method_is_there_for_the_asking_and_reports_its_fit(hero):
    result = expect(limit(hero, "-k", 1, "--method", "exact", "--samples", 5, "--json"), 0)
    report = validated(result.stdout)
    assert report["options"]["method"] == "exact"
    assert report["displacement"]["poses"] == 5
    assert report["fit"]["vertices"] > 0
    assert [trial["name"] for trial in report["fit"]["trials"]] == ["training", "held_out", "fresh"]
    ours, theirs = (report["fit"]["trials"][0][way]["max"]["metres"] for way in ("exact", "largest"))
    assert 0 < ours <= theirs
    largest = validated(expect(limit(hero, "-k", 1, "--samples", 5, "--json", out="largest.glb"), 0).stdout)
    assert largest["fit"] is None
    assert report["displacement"]["max"]["metres"] <= largest["displacement"]["max"]["metres"]


def test_the_prior_of_the_exact_method_is_set_on_the_command_line(hero):
    exact = (hero, "-k", 1, "--method", "exact", "--samples", 5, "--json")
    joint = read(hero).nodes.names[read(hero).skins[0].joints[1]]
    usual = validated(expect(limit(*exact), 0).stdout)["fit"]
    same = limit(*exact, "--prior", 0.3, "--angle", 20, "--joint-angle", f"{joint}=20", out="same.glb")
    assert validated(expect(same, 0).stdout)["fit"] == usual
    alone = validated(expect(limit(*exact, "--prior", 0, out="alone.glb"), 0).stdout)["fit"]
    assert alone != usual  # the costs lack the prior's part
    wider = limit(*exact, "--joint-angle", f"{joint}=60", out="wider.glb")
    assert validated(expect(wider, 0).stdout)["fit"] != usual


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--prior", 1), "--prior goes with --method exact"),
        (("--method", "exact", "--prior", -1), "--prior"),
        (("--method", "exact", "--angle", "nan"), "--angle"),
        (("--method", "exact", "--joint-angle", "20"), "expected JOINT=DEGREES"),
        (("--method", "exact", "--joint-angle", "nobody=20"), "nobody"),
        (("--method", "exact", "--joint-angle", "walk=20", "--joint-angle", "walk=30"), "'walk' is named twice"),
    ],
)
def test_a_prior_that_makes_no_sense_is_refused_by_name(hero, options, named):
    result = expect(limit(hero, "-k", 1, *options), 2)
    assert named in " ".join(result.stderr.replace("│", " ").split())


def test_without_a_tolerance_displacement_is_not_gated(hero):
    result = expect(limit(hero, "-k", 1), 0)
    assert "NOT_GATED" in result.stdout


def test_json_is_all_of_standard_output_and_follows_the_schema(hero):
    result = expect(limit(hero, "-k", 1, "--pack", "unorm8", "--json", "--json-file", "report.json"), 0)
    report = validated(result.stdout)
    assert (hero.parent / "report.json").read_text() == result.stdout
    assert result.stderr == ""
    assert report["verdict"] == "pass"
    assert report["options"] == {"output": "out.glb", "max-influences": 1, "pack": "unorm8", "json": True} | {
        "json-file": "report.json"
    }
    assert (report["influences"]["max_before"], report["influences"]["max_after"]) == (2, 1)
    assert report["decoded_sum"]["checks"]["integer"]["failing"] == 0
    assert report["written"] == ["out.glb"]
    worst = report["displacement"]["max"]
    assert {"metres", "relative", "primitive", "vertex", "clip", "time"} <= worst.keys()
    assert worst["clip"] == "bend"


def test_json_of_a_failed_gate_leaves_standard_output_to_the_json(hero):
    result = expect(limit(hero, "-k", 1, "--tolerance", "1mm", "--json"), 1)
    assert validated(result.stdout)["verdict"] == "fail"
    assert " FAIL  out.glb" in result.stderr
    assert "DISPLACEMENT" in result.stderr


def test_quiet_says_the_verdict_and_the_errors_only(hero):
    passed = expect(limit(hero, "--quiet"), 0).stdout
    assert passed.startswith(" PASS ")
    assert "Worst vertex" not in passed
    assert "NOT_GATED" not in passed
    failed = expect(limit(hero, "-q", "-f", "-k", 1, "--tolerance", "1mm"), 1).stdout
    assert failed.startswith(" FAIL ")
    assert "DISPLACEMENT" in failed


@pytest.mark.parametrize("weights", ["float32", "unorm8", "unorm16"])
def test_pack(hero, weights):
    report = validated(expect(limit(hero, "-k", 2, "--pack", weights, "--json"), 0).stdout)
    assert report["primitives"][0]["formats"] == [weights]
    assert read(hero.parent / "out.glb").primitives[0].influences.format == weights


def test_the_poses_and_the_reference_are_those_asked_for(hero):
    reports = [
        validated(expect(limit(hero, "--json", "--force", *options), 0).stdout)["displacement"]
        for options in ([], ["--fps", "100"], ["--samples", "7"], ["--reference", "normalized"])
    ]
    assert [report["poses"] for report in reports] == [31, 101, 7, 31]
    assert [report["reference"] for report in reports] == ["stored", "stored", "stored", "normalized"]


def test_poses_beyond_all_measure_are_refused_before_anything_is_written(hero):
    before = hero.read_bytes()
    result = expect(limit(hero, "--fps", "1e12", "--force", out="hero.glb"), 2)
    assert "Try 'skinproof limit --help'." in result.stderr
    assert hero.read_bytes() == before


def test_the_same_run_gives_the_same_bytes(hero):
    first, second = (
        expect(limit(hero, "-k", 1, "--json", "--force"), 0).stdout,
        (hero.parent / "out.glb").read_bytes(),
    )
    again = expect(limit(hero, "-k", 1, "--json", "--force"), 0).stdout
    assert again == first
    assert (hero.parent / "out.glb").read_bytes() == second


SPOILING_WRITER = """
import dataclasses, numpy
from skinproof import formats
honest = formats.stage
def spoil(character, path, **options):
    influences = character.primitives[0].influences
    weights = (influences.weights * numpy.float32(0.7)).astype(numpy.float32)
    return honest(character.with_influences([dataclasses.replace(influences, weights=weights)]), path, **options)
formats.stage = spoil
"""

FAILING_MEASURE = """
from skinproof import measuring
def fail(*arguments, **options):
    raise {error}
measuring.measure = fail
"""


def sabotaged(file, fault, **extra):
    """Run the command in a process in which `fault` was executed before."""
    run = "import sys\nfrom skinproof.cli import main\nsys.exit(main(['limit', 'hero.glb', '-o', 'out.glb']))"
    return subprocess.run(
        [sys.executable, "-c", f"{fault}\n{run}"],
        cwd=file.parent,
        env=environment(**extra),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_what_is_measured_is_the_file_as_written(hero):
    assert "WEIGHT_SUM" in expect(sabotaged(hero, SPOILING_WRITER), 1).stdout


@pytest.mark.parametrize("error", ["measuring.displacement.ComparisonError('no')", "MemoryError", "OSError(5, 'no')"])
def test_a_file_that_cannot_be_judged_is_not_written(hero, error):
    result = expect(sabotaged(hero, FAILING_MEASURE.format(error=error)), 3)
    assert result.stderr.startswith("error: ")
    assert files(hero.parent) == ["hero.glb"]


def test_a_fault_of_ours_is_no_failed_gate(hero):
    fault = FAILING_MEASURE.format(error="KeyError('ours')")
    result = expect(sabotaged(hero, fault), 3)
    assert result.stderr.startswith("error: KeyError: 'ours' (")
    assert "SKINPROOF_TRACEBACK=1" in result.stderr
    assert files(hero.parent) == ["hero.glb"]
    asked = sabotaged(hero, fault, SKINPROOF_TRACEBACK="1")
    assert asked.returncode == 3
    assert "Traceback" in asked.stderr


def test_an_existing_output_is_kept_without_force(hero):
    out = hero.parent / "out.glb"
    out.write_text("precious")
    result = expect(limit(hero), 3)
    assert result.stderr == "error: out.glb: exists. Use --force (force=True) to replace it, or another name\n"
    assert result.stdout == ""
    assert out.read_text() == "precious"
    expect(limit(hero, "--force"), 0)
    assert len(read(out).primitives) == 1


def test_an_existing_report_is_kept_without_force_and_nothing_else_is_written(hero):
    (hero.parent / "report.json").write_text('{"precious": true}')
    result = expect(limit(hero, "--json-file", "report.json"), 3)
    assert "report.json: exists" in result.stderr
    assert files(hero.parent) == ["hero.glb", "report.json"]
    expect(limit(hero, "--json-file", "report.json", "--force"), 0)
    assert validated((hero.parent / "report.json").read_text())["verdict"] == "pass"


def test_in_place_needs_force(hero):
    before = hero.read_bytes()
    expect(limit(hero, "-k", 1, out="hero.glb"), 3)
    assert hero.read_bytes() == before
    expect(limit(hero, "-k", 1, "--force", out="hero.glb"), 0)
    assert read(hero).primitives[0].influences.counts.max() == 1


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("missing/out.glb", "the folder missing does not exist. Make it first"),
        ("folder.glb", "folder.glb: is a folder"),
        ("hero.glb/out.glb", "does not exist"),
        ("/proc/out.glb", "/proc/out.glb: "),
        ("n" * 300 + ".glb", "name"),
    ],
)
def test_an_output_that_cannot_be_written_exits_with_3(hero, out, said):
    (hero.parent / "folder.glb").mkdir()
    result = expect(limit(hero, out=out), 3)
    assert result.stderr.startswith("error: ")
    assert said in result.stderr
    assert result.stdout == ""
    assert files(hero.parent) == ["folder.glb", "hero.glb"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "hero.glb: "),
        (b"", "hero.glb"),
        (b"glTF\2\0\0\0", "hero.glb"),
        (b'{"asset": {"version": "2.0"}}', "hero.glb"),
        (b'{"asset": {"version": "2.0"}, "extensionsRequired": ["ACME_bones"]}', "ACME_bones"),
    ],
)
def test_a_file_that_cannot_be_read_exits_with_3_with_the_place_and_the_remedy(tmp_path, content, said):
    file = tmp_path / "hero.glb"
    if content is not None:
        file.write_bytes(content)
    before = files(tmp_path)
    result = expect(limit(file, "--json"), 3)
    assert re.fullmatch(r"error: hero\.glb\b.*: .+\. .+\n", result.stderr)
    assert said in result.stderr
    assert result.stdout == ""
    assert files(tmp_path) == before


@pytest.mark.parametrize("value", [np.nan, -0.5, 0.0])
def test_broken_weights_are_refused_with_the_place_and_the_remedy(tmp_path, value):
    result = expect(limit(broken(tmp_path / "hero.glb", value)), 3)
    assert "/meshes/0/primitives/0" in result.stderr
    assert "vertex 7" in result.stderr
    assert "--repair" in result.stderr
    assert files(tmp_path) == ["hero.glb"]


@pytest.mark.parametrize(
    ("value", "policies"),
    [
        (np.nan, "nonfinite=drop,zero=joint=1"),
        (-0.5, "negative=absolute"),
        (0.0, "zero=joint=0"),
        (-0.5, " negative=drop , zero=joint=1 "),
    ],
)
def test_repair_is_done_on_demand_and_reported(tmp_path, value, policies):
    file = broken(tmp_path / "hero.glb", value)
    report = validated(expect(limit(file, "--repair", policies, "--json"), 0).stdout)
    assert {"REPAIRED_WEIGHTS"} <= {found["code"] for found in report["findings"]}
    assert all(repaired["vertices"] == [7] for repaired in report["influences"]["repaired"])
    assert len(report["influences"]["repaired"]) == policies.count("=drop") + policies.count("=absolute") + (
        "zero" in policies
    )


def test_repair_may_be_given_several_times(tmp_path):
    file = broken(tmp_path / "hero.glb", np.nan)
    options = ["--repair", "nonfinite=drop", "--repair", "zero=joint=1"]
    report = validated(expect(limit(file, *options, "--json"), 0).stdout)
    assert len(report["influences"]["repaired"]) == 2
    assert report["options"]["repair"] == {"nonfinite": "drop", "zero": "joint=1"}


@pytest.mark.parametrize("policies", ["negative=guess", "zero=joint=2", "zero=drop", "zero=joint=-1"])
def test_a_policy_that_makes_no_sense_is_wrong_usage(tmp_path, policies):
    file = broken(tmp_path / "hero.glb", 0.0)
    result = expect(limit(file, "--repair", policies), 2)
    assert "Try 'skinproof limit --help'." in result.stderr
    assert files(tmp_path) == ["hero.glb"]


class TestFilesOfOthers:
    """--force is meant for OUT and the report, never for what some other file needs."""

    @pytest.fixture
    def low(self, tmp_path):
        """low.gltf, whose buffer is hero.bin and whose image is low.bin."""
        builder = strip(vertices=40)
        builder.json["images"] = [{"uri": "low.bin"}]
        builder.json["textures"] = [{"source": 0}]
        (tmp_path / "low.bin").write_bytes(b"an image")
        return builder.save(tmp_path / "low.gltf", uri="hero.bin")

    @pytest.mark.parametrize("out", ["hero.gltf", "low.gltf"])
    def test_a_buffer_or_image_of_the_source_is_not_overwritten(self, low, out):
        before = {path.name: path.read_bytes() for path in low.parent.iterdir()}
        result = expect(skinproof("limit", low, "-k", "1", "-o", out, "--force", cwd=low.parent), 3)
        assert "low.gltf needs this file" in result.stderr
        assert {path.name: path.read_bytes() for path in low.parent.iterdir()} == before

    def test_a_report_replaces_reports_alone(self, low):
        before = (low.parent / "hero.bin").read_bytes()
        for command in (["limit", low, "-o", "out.glb"], ["check", low], ["inspect", low]):
            result = expect(skinproof(*command, "--json-file", "hero.bin", "--force", cwd=low.parent), 3)
            assert "no JSON report" in result.stderr
        assert (low.parent / "hero.bin").read_bytes() == before
        (low.parent / "report.json").write_text("{}")
        expect(skinproof("inspect", low, "--json-file", "report.json", "--force", cwd=low.parent), 0)

    @pytest.mark.parametrize("name", ["a:b.gltf", "a\\b.gltf"])
    def test_a_name_that_no_uri_can_say_is_refused(self, low, name):
        result = expect(skinproof("limit", low, "-o", name, cwd=low.parent), 3)
        assert "Use another name" in result.stderr
