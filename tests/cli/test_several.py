"""Several files in one call: every one gets its verdict, whatever becomes of the others."""

from __future__ import annotations

import json
import os
import signal
import sys

import jsonschema
import numpy as np
import pytest

from cli.command import expect, run, skinproof
from gltf_builder import strip
from skinproof.report import schema, several_schema


def make(path, *, scale=1.0):
    joints, weights = np.zeros((40, 4), np.uint8), np.tile([scale, 0, 0, 0], (40, 1))
    return strip([(joints, weights)], vertices=40).save(path)


@pytest.fixture
def folder(tmp_path):
    """A good file, a broken one, one that fails, another good one."""
    make(tmp_path / "a.glb")
    (tmp_path / "b.glb").write_bytes(b"glTF")
    make(tmp_path / "c.glb", scale=0.7)
    make(tmp_path / "d.glb")
    return tmp_path


def test_one_bad_file_does_not_stop_the_others_and_the_worst_code_counts(folder):
    result = expect(skinproof("inspect", ".", "--quiet", cwd=folder), 3)
    verdicts = [line.split() for line in result.stdout.splitlines() if line.startswith((" PASS", " FAIL"))]
    assert verdicts == [["PASS", "a.glb"], ["FAIL", "c.glb"], ["PASS", "d.glb"]]
    assert result.stdout.endswith("\n4 files: 2 passed, 1 failed, 1 not judged\n")
    assert result.stderr.startswith("error: b.glb: the GLB ends after 4 bytes")
    assert result.stderr.count("error:") == 1
    (folder / "b.glb").unlink()
    expect(skinproof("inspect", ".", cwd=folder), 1)


@pytest.mark.parametrize("command", ["inspect", "check"])
def test_the_list_and_each_report_fit_their_schemas(folder, command):
    arguments = [command, "a.glb", "b.glb", "c.glb", "d.glb", "--json", "--json-file", "all.json"]
    result = expect(skinproof(*arguments, cwd=folder), 3)
    found = json.loads(result.stdout)
    assert (folder / "all.json").read_text() == result.stdout
    jsonschema.Draft202012Validator(several_schema()).validate(found)
    assert [(file["file"], file["exit_code"]) for file in found["files"]] == [
        ("a.glb", 0), ("b.glb", 3), ("c.glb", 1), ("d.glb", 0),
    ]  # fmt: skip
    assert (found["passed"], found["failed"], found["not_judged"], found["exit_code"]) == (2, 1, 1, 3)
    assert found["files"][1]["report"] is None
    assert found["files"][1]["error"].startswith("b.glb: ")
    for file in (found["files"][number] for number in (0, 2, 3)):
        jsonschema.validate(file["report"], schema())
    alone = json.loads(expect(skinproof(command, "c.glb", "--json", cwd=folder), 1).stdout)
    assert found["files"][2]["report"] == alone | {"options": found["files"][2]["report"]["options"]}


def test_a_folder_of_one_is_a_list_all_the_same(tmp_path):
    make(tmp_path / "a.glb")
    assert len(json.loads(expect(skinproof("inspect", ".", "--json", cwd=tmp_path), 0).stdout)["files"]) == 1


def test_a_report_is_never_written_over_a_file_that_is_judged(folder):
    before = (folder / "d.glb").read_bytes()
    result = expect(skinproof("inspect", ".", "--json-file", "./d.glb", "--force", cwd=folder), 2)
    assert "name the same file" in result.stderr
    assert (folder / "d.glb").read_bytes() == before


def test_a_list_that_cannot_be_written_is_said_and_leaves_nothing(folder):
    (folder / "all.json").write_text("{}")
    assert "exists" in expect(skinproof("inspect", "a.glb", "d.glb", "--json-file", "all.json", cwd=folder), 3).stderr
    expect(skinproof("inspect", "a.glb", "d.glb", "--json-file", "all.json", "--force", cwd=folder), 0)
    assert len(json.loads((folder / "all.json").read_text())["files"]) == 2


FAULTS = {
    "a fault of ours": ("ValueError('odd')", "ValueError: odd (", "A fault of skinproof"),
    "no memory": ("MemoryError()", "error: not enough memory for this file", ""),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_on_one_file_leaves_the_others_their_verdicts(folder, name):
    raised, *said = FAULTS[name]
    fault = f"""
from skinproof import measuring
honest = measuring.survey
def survey(character):
    if character.name == "c.glb":
        raise {raised}
    return honest(character)
measuring.survey = survey
"""
    result = expect(run(fault, "inspect", "a.glb", "c.glb", "d.glb", "--quiet", folder=folder), 3)
    assert all(words in result.stderr for words in said)
    assert result.stdout.endswith("3 files: 2 passed, 0 failed, 1 not judged\n")


def test_ctrl_c_says_how_far_it_came_and_writes_no_file(folder):
    fault = f"""
import os
from skinproof import measuring
honest = measuring.survey
def survey(character):
    if character.name == "c.glb":
        os.kill(os.getpid(), {int(signal.SIGINT)})
    return honest(character)
measuring.survey = survey
"""
    result = expect(run(fault, "inspect", ".", "--json-file", "all.json", folder=folder), 130)
    assert result.stderr.endswith("interrupted: 2 of 4 files were judged, no JSON file was written\n")
    assert not (folder / "all.json").exists()
    assert "a.glb" in result.stdout


def test_memory_does_not_grow_with_the_number_of_files(tmp_path):
    """Half a megabyte each: 120 of them would show. What the process took at most, as it says itself."""
    strip(vertices=16000).save(tmp_path / "large.glb")
    for number in range(120):
        os.link(tmp_path / "large.glb", tmp_path / f"{number:03}.glb")
    most = {}
    script = "import atexit, resource, sys\n"
    script += "atexit.register(lambda: sys.stderr.write(str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)))"
    for count in (10, 120):
        names = [f"{number:03}.glb" for number in range(count)]
        arguments = [*names, "--json", "--json-file", f"{count}.json"]
        result = expect(run(script, "inspect", *arguments, folder=tmp_path), 0)
        assert len(json.loads(result.stdout)["files"]) == count
        most[count] = int(result.stderr)
    size = os.path.getsize(tmp_path / "large.glb") // (1 if sys.platform == "darwin" else 1024)
    assert most[120] - most[10] < 110 * size / 4
