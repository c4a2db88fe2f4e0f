"""The scripts in examples/ run as they are, and what they print is right."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from cli.command import SECONDS, environment, expect
from gltf_builder import strip
from skinproof import read

EXAMPLES = Path(__file__).parents[2] / "examples"


def run(name, *arguments, folder):
    command = [sys.executable, EXAMPLES / name, *arguments]
    process = subprocess.run(
        command, cwd=folder, env=environment(), capture_output=True, text=True, timeout=SECONDS, check=False
    )
    return expect(process, 0).stdout


def millimetres(name, printed):
    return float(re.search(rf"^{name} +([0-9.]+) mm", printed, re.MULTILINE)[1])


def test_every_example_is_run_here():
    assert sorted(path.name for path in EXAMPLES.glob("*.py")) == ["arrays.py", "character.py"]


def test_the_character_example_runs_on_the_made_character(tmp_path):
    printed = run("character.py", folder=tmp_path)
    assert 0 < millimetres("RMS", printed) < millimetres("maximum", printed) < 100
    assert "in bend at" in printed
    assert list(tmp_path.iterdir()) == []


def test_the_character_example_runs_on_a_file(tmp_path):
    strip(vertices=40).save(tmp_path / "hero.glb")
    printed = run("character.py", "hero.glb", "out.glb", folder=tmp_path)
    assert "hero.glb: 40 vertices measured in 31 poses" in printed
    assert "written out.glb" in printed
    assert read(tmp_path / "out.glb").primitives[0].vertex_count == 40


def test_the_arrays_example(tmp_path):
    printed = run("arrays.py", folder=tmp_path)
    assert "stored sums: 255 to 255" in printed
    assert 0 < millimetres("RMS", printed) < millimetres("maximum", printed) < 100
