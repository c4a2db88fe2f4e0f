"""`skinproof check`: a file held to the weight contract, and to its original."""

from __future__ import annotations

import json

import jsonschema
import numpy as np
import pytest

from cli.command import expect, skinproof
from gltf_builder import strip
from skinproof.report import schema


def make(path, *, scale=1.0, vertices=40, shift=0.0):
    """The strip with its weights all times `scale`, `shift` of them moved from the one joint to the other."""
    joints = np.tile(np.array([0, 1, 0, 0], dtype=np.uint8), (vertices, 1))
    weights = np.tile(np.array([0.75 - shift, 0.25 + shift, 0, 0]) * scale, (vertices, 1))
    return strip([(joints, weights)], vertices=vertices).save(path)


def check(folder, *arguments):
    return skinproof("check", *arguments, cwd=folder)


def test_a_sound_file_passes(tmp_path):
    make(tmp_path / "hero.glb")
    result = expect(check(tmp_path, "hero.glb", "-k", 2), 0)
    assert result.stdout.startswith(" PASS  hero.glb\n")
    assert result.stderr == ""


@pytest.mark.parametrize(
    ("options", "scale", "code"),
    [
        (["-k", "1"], 1.0, "TOO_MANY_INFLUENCES"),
        ([], 0.98, "WEIGHT_SUM"),
        ([], -1.0, "INVALID_WEIGHT"),
        ([], 0.0, "ZERO_SUM"),
    ],
)
def test_a_broken_contract_fails(tmp_path, options, scale, code):
    make(tmp_path / "hero.glb", scale=scale)
    result = expect(check(tmp_path, "hero.glb", "--json", *options), 1)
    report = json.loads(result.stdout)
    jsonschema.validate(report, schema())
    assert report["verdict"] == "fail"
    assert code in [found["code"] for found in report["findings"] if found["severity"] == "error"]
    assert code in result.stderr


def test_against_an_original(tmp_path):
    make(tmp_path / "hero.glb")
    make(tmp_path / "other.glb", shift=0.125)
    against = ["other.glb", "--against", "hero.glb"]
    assert "NOT_GATED" in expect(check(tmp_path, *against), 0).stdout
    expect(check(tmp_path, *against, "--tolerance", "50%"), 0)
    result = expect(check(tmp_path, *against, "--tolerance", "2mm"), 1)
    assert result.stdout.startswith(" FAIL  other.glb  against hero.glb\n")
    assert "DISPLACEMENT" in result.stdout


def test_the_same_file_lies_nowhere_else(tmp_path):
    make(tmp_path / "hero.glb")
    result = expect(check(tmp_path, "hero.glb", "--against", "hero.glb", "--tolerance", "0mm", "--json"), 0)
    assert json.loads(result.stdout)["displacement"]["max"]["metres"] == 0.0


def test_the_normalized_reference_leaves_normalizing_out(tmp_path):
    make(tmp_path / "hero.glb", scale=0.5)
    make(tmp_path / "mended.glb")
    against = ["mended.glb", "--against", "hero.glb", "--tolerance", "1mm"]
    expect(check(tmp_path, *against), 1)
    expect(check(tmp_path, *against, "--reference", "normalized"), 0)


def test_files_that_cannot_be_compared_exit_with_3(tmp_path):
    make(tmp_path / "hero.glb")
    other = strip(vertices=42)
    other.json["animations"][0]["name"] = "walk"
    other.save(tmp_path / "other.glb")
    result = expect(check(tmp_path, "other.glb", "--against", "hero.glb"), 3)
    assert "other.glb cannot be compared: other.glb has no clip 'bend'" in result.stderr
    assert result.stdout == ""


def test_vertices_that_have_no_partner_fail_below_min_match(tmp_path):
    """42 vertices spread over the height of 40: only those at both ends are at the same places."""
    make(tmp_path / "hero.glb")
    make(tmp_path / "other.glb", vertices=42)
    against = ["other.glb", "--against", "hero.glb"]
    result = expect(check(tmp_path, *against), 1)
    assert "VERTICES_UNMATCHED  4 of 40 vertices of the original" in result.stdout
    report = json.loads(expect(check(tmp_path, *against, "--min-match", "0.05", "--json"), 0).stdout)
    jsonschema.validate(report, schema())
    assert report["policy"]["min_match"] == 0.05
    assert report["displacement"]["match"]["share"] == 4 / 42
    assert report["displacement"]["match"]["original"]["unmatched"][0]["first"] == list(range(2, 10))


def test_vertices_in_another_order_are_matched(tmp_path):
    """The strip upside down in its file: the same vertices, the last ones first."""
    joints = np.tile(np.array([0, 1, 0, 0], dtype=np.uint8), (40, 1))
    heavy = np.linspace(0.1, 0.9, 40)
    weights = np.stack([heavy, 1 - heavy, 0 * heavy, 0 * heavy], axis=1)
    strip([(joints, weights)], vertices=40).save(tmp_path / "hero.glb")
    turned = strip([(joints, weights[::-1])], vertices=40)
    view = turned.json["bufferViews"][0]
    start, size = view["byteOffset"], view["byteLength"]
    positions = np.frombuffer(bytes(turned.data[start : start + size]), np.float32).reshape(40, 3)
    turned.data[start : start + size] = positions[::-1].tobytes()
    turned.save(tmp_path / "turned.glb")
    options = ["--against", "hero.glb", "--tolerance", "0.01mm"]
    result = expect(check(tmp_path, "turned.glb", *options), 0)
    assert "40 of 40 vertices" in " ".join(result.stdout.split())
    assert "FAIL" not in result.stdout


@pytest.mark.parametrize("missing", ["FILE", "ORIGINAL"])
def test_a_missing_file_exits_with_3(tmp_path, missing):
    make(tmp_path / "hero.glb")
    names = ["nobody.glb", "--against", "hero.glb"] if missing == "FILE" else ["hero.glb", "--against", "nobody.glb"]
    assert "nobody.glb" in expect(check(tmp_path, *names), 3).stderr


def test_the_report_never_replaces_what_is_checked(tmp_path):
    make(tmp_path / "hero.glb")
    make(tmp_path / "other.glb")
    before = (tmp_path / "hero.glb").read_bytes()
    for names in (["hero.glb"], ["other.glb", "--against", "hero.glb"]):
        result = expect(check(tmp_path, *names, "--json-file", "./hero.glb", "--force"), 2)
        assert "name the same file" in result.stderr
    assert (tmp_path / "hero.glb").read_bytes() == before
