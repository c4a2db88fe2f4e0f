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
    make(tmp_path / "other.glb", vertices=42)
    result = expect(check(tmp_path, "other.glb", "--against", "hero.glb"), 3)
    assert "cannot be compared" in result.stderr
    assert result.stdout == ""


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
