"""`skinproof audit` as users call it: captures of a real writer, spoilt in known ways, held against a file."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import jsonschema
import numpy as np
import pytest

from captures import drawn
from cli.command import expect, skinproof
from house.tree import ROOT
from skinproof.demo import make_character
from skinproof.formats import capture_bytes, read, write
from skinproof.model import Capture
from skinproof.report import audit_schema

TIMES = np.array([0.1, 0.2, 0.31])
MAIN = """
int main(int, char** names) {
    std::vector<float> palettes(16 * 3 * 2);
    for (std::size_t i = 0; i < palettes.size(); ++i) palettes[i] = 0.5f * i;
    return write_capture(names[1], palettes, 3) ? 0 : 1;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with hero.glb and whole.npz, three draws of its first clip."""
    folder = tmp_path_factory.mktemp("audit")
    write(make_character(), folder / "hero.glb")
    (folder / "whole.npz").write_bytes(capture_bytes(Capture(palettes(folder), times=TIMES)))
    return folder


def palettes(folder):
    return drawn(read(folder / "hero.glb"), 0, TIMES)


def audit(folder, *arguments):
    return skinproof("audit", *arguments, "--against", "hero.glb", cwd=folder)


def test_whole_draws_pass(folder):
    result = expect(audit(folder, "whole.npz"), 0)
    assert result.stdout.startswith(" PASS  whole.npz  against hero.glb\n")
    assert "3 draws: 3 whole" in result.stdout


def test_a_torn_draw_fails_as_text_and_as_json(folder, tmp_path):
    torn = palettes(folder)
    torn[1, 14:] = torn[2, 14:]
    (folder / "torn.npz").write_bytes(capture_bytes(Capture(torn)))
    expect(audit(folder, "torn.npz"), 1)
    result = expect(audit(folder, "torn.npz", "--json", "--json-file", tmp_path / "audit.json"), 1)
    assert (tmp_path / "audit.json").read_text() == result.stdout
    document = json.loads(result.stdout)
    jsonschema.validate(document, audit_schema())
    (draw,) = document["draws"]
    assert (draw["draw"], draw["kind"]) == (1, "torn")
    assert {round(part["time"], 3) for part in draw["parts"]} == {0.2, 0.31}
    assert [finding["code"] for finding in document["findings"]] == ["TORN_POSE"]


def test_a_capture_of_another_skin_fails(folder):
    (folder / "short.npz").write_bytes(capture_bytes(Capture(np.ascontiguousarray(palettes(folder)[:, :-1]))))
    assert "WRONG_JOINT_COUNT" in expect(audit(folder, "short.npz"), 1).stdout


def test_what_is_no_capture_ends_in_3_and_wrong_usage_in_2(folder):
    (folder / "text.npz").write_text("no archive")
    assert "docs/audit.md" in expect(audit(folder, "text.npz"), 3).stderr
    expect(audit(folder, "missing.npz"), 3)
    expect(audit(folder, "whole.npz", "--tolerance", "1%"), 2)
    expect(audit(folder, "whole.npz", "--skin", "7"), 2)
    expect(skinproof("audit", "whole.npz", cwd=folder), 2)


def test_the_writer_in_the_documentation_writes_what_is_read(tmp_path):
    text = (ROOT / "docs" / "audit.md").read_text()
    source = re.search(r"```cpp\n(.*?)```", text, re.DOTALL)[1] + MAIN
    (tmp_path / "writer.cpp").write_text(source)
    compiler = shutil.which("g++") or shutil.which("c++")
    assert compiler, "no C++ compiler"
    for command in (
        [compiler, "-std=c++17", "-Wall", "-Werror", "writer.cpp", "-o", "writer"],
        [tmp_path / "writer", "capture.npz"],
    ):
        subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    from skinproof.formats import read_capture

    written = read_capture(tmp_path / "capture.npz").palettes
    np.testing.assert_array_equal(written.ravel(), 0.5 * np.arange(96, dtype=np.float32))
    np.testing.assert_array_equal(np.load(tmp_path / "capture.npz")["palettes"], written)
