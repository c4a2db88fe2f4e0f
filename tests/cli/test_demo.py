"""`skinproof demo`: the main job on the made character, for people who have no file at hand."""

from __future__ import annotations

import json

import jsonschema
import pytest

from cli.command import expect, skinproof
from skinproof import read
from skinproof.report import schema

FILES = ["character-k2.glb", "character-k2.json", "character-k4.glb", "character-k4.json", "character.glb"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def result(folder):
    return expect(skinproof("demo", cwd=folder), 0)


def test_it_writes_the_character_two_results_and_their_reports(folder, result, validate_gltf):
    out = folder / "demo-out"
    assert sorted(path.name for path in out.iterdir()) == FILES
    for report in validate_gltf(*out.glob("*.glb")):
        assert report.errors == []
    for k in (4, 2):
        report = json.loads((out / f"character-k{k}.json").read_text())
        jsonschema.validate(report, schema())
        assert report["verdict"] == "pass"
        assert (report["influences"]["max_before"], report["influences"]["max_after"]) == (8, k)
        assert report["displacement"]["max"]["metres"] > 0.001


def test_the_character_is_that_of_the_library(folder, result):
    character = read(folder / "demo-out" / "character.glb")
    assert sum(primitive.vertex_count for primitive in character.primitives) >= 5000
    assert len(character.skins[0]) >= 20
    assert [clip.name for clip in character.clips] == ["walk", "bend"]


def test_it_shows_tables_and_where_the_files_are(folder, result):
    assert result.stdout.count("Vertices by number of influences") == 2
    assert "Side by side" in result.stdout
    assert str((folder / "demo-out").resolve()) in result.stdout
    assert result.stderr == ""


def test_what_it_says_to_try_next_can_be_tried(folder, result):
    lines = [line.split() for line in result.stdout.splitlines() if line.startswith("  skinproof ")]
    assert [line[1] for line in lines] == ["inspect", "check"]
    for line, code in zip(lines, (0, 1), strict=True):
        expect(skinproof(*line[1:], cwd=folder), code)


def test_a_second_run_keeps_the_files_without_force(folder, result):
    before = (folder / "demo-out" / "character-k2.glb").read_bytes()
    assert "character.glb: exists" in expect(skinproof("demo", cwd=folder), 3).stderr
    again = expect(skinproof("demo", "--force", "--quiet", cwd=folder), 0)
    assert "Worst vertex" not in again.stdout
    assert (folder / "demo-out" / "character-k2.glb").read_bytes() == before


def test_where_the_report_cannot_be_printed_nothing_is_written(tmp_path):
    with open("/dev/full", "w") as full:
        result = expect(skinproof("demo", cwd=tmp_path, stdout=full), 3)
    assert result.stderr == "error: standard output: No space left on device\n"
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_exits_with_3(tmp_path):
    (tmp_path / "taken").write_text("a file")
    result = expect(skinproof("demo", "-o", "taken", cwd=tmp_path), 3)
    assert "taken: this folder cannot be made" in result.stderr
