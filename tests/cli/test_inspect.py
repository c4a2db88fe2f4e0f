"""`skinproof inspect`: what is in a file."""

from __future__ import annotations

import json

import jsonschema
import numpy as np

from cli.command import expect, skinproof
from gltf_builder import strip
from skinproof.report import schema


def test_it_shows_primitives_skins_clips_influences_and_sums(tmp_path):
    strip(vertices=40).save(tmp_path / "hero.glb")
    shown = expect(skinproof("inspect", "hero.glb", cwd=tmp_path), 0).stdout
    for title in ("Primitives", "Skins", "Clips", "Vertices by number of influences", "Checks"):
        assert f"\n{title}\n" in shown
    assert "strip" in shown
    assert "float32" in shown
    assert "bend" in shown
    assert "decoded sums float64" in shown
    assert max(map(len, shown.splitlines())) <= 80


def test_json(tmp_path):
    strip(vertices=40).save(tmp_path / "hero.glb")
    result = expect(skinproof("inspect", "hero.glb", "--json", "--json-file", "report.json", cwd=tmp_path), 0)
    report = json.loads(result.stdout)
    jsonschema.validate(report, schema())
    assert (tmp_path / "report.json").read_text() == result.stdout
    assert report["command"] == "inspect"
    assert report["displacement"] is None
    assert report["influences"]["histogram_after"] == [0, 4, 36]
    assert [clip["name"] for clip in report["clips"]] == ["bend"]


def test_a_broken_contract_is_found(tmp_path):
    joints, weights = np.zeros((6, 4), dtype=np.uint8), np.tile([0.7, 0, 0, 0], (6, 1))
    strip([(joints, weights)]).save(tmp_path / "hero.glb")
    result = expect(skinproof("inspect", "hero.glb", cwd=tmp_path), 1)
    assert "WEIGHT_SUM" in result.stdout


def test_a_name_that_is_no_text_is_shown_all_the_same(tmp_path):
    name = b"h\xe9ro.glb".decode("utf-8", errors="surrogateescape")
    strip().save(tmp_path / name)
    for options in ([], ["--json"]):
        result = expect(skinproof("inspect", name, *options, cwd=tmp_path), 0)
        assert "ro.glb" in result.stdout
    assert "nobody" in expect(skinproof("inspect", f"nobody-{name}", cwd=tmp_path), 3).stderr


def test_an_encoding_without_the_characters_is_no_crash(tmp_path):
    strip().save(tmp_path / "hero.glb")
    expect(skinproof("inspect", "hero.glb", cwd=tmp_path, PYTHONIOENCODING="ascii"), 0)
    expect(skinproof("limit", "--help", PYTHONIOENCODING="ascii"), 0)
