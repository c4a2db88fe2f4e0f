"""What all commands share: help, version, start-up, wrong usage."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from importlib.metadata import version

import pytest

from cli.command import environment, expect, skinproof
from tolerances import START_UP_RATIO

COMMANDS = ["inspect", "limit", "check", "demo", "probe", "publish", "play", "audit"]


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_the_commands_in_the_order_of_use(flag):
    result = expect(skinproof(flag), 0)
    assert re.findall(r"^│ (\w+)  ", result.stdout, re.MULTILINE) == COMMANDS
    assert result.stderr == ""


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_has_help_that_fits_80_columns(command):
    result = expect(skinproof(command, "--help"), 0)
    assert f"Usage: skinproof {command}" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_help_is_plain_in_a_build_too():
    expect(skinproof("--help", GITHUB_ACTIONS="true"), 0)


def test_version():
    assert expect(skinproof("--version"), 0).stdout == f"skinproof {version('skinproof')}\n"


def test_as_a_module():
    command = [sys.executable, "-m", "skinproof.cli", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout.startswith("skinproof ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["limt"], "No such command 'limt'"),
        (["--verbose"], "No such option"),
        (["limit"], "Missing argument 'FILE'"),
        (["limit", "hero.glb"], "Missing option '-o' / '--output'"),
        (["limit", "hero.glb", "-o", "out.glb", "-k", "0"], "0 is not in the range x>=1"),
        (["limit", "hero.glb", "-o", "out.glb", "-k", "four"], "'four' is not a valid integer"),
        (["limit", "hero.glb", "-o", "out.glb", "--pack", "half"], "'half' is not one of 'float32', 'unorm8'"),
        (["limit", "hero.glb", "-o", "out.glb", "--tolerance", "2"], "the unit is missing; write 2mm"),
        (["limit", "hero.glb", "-o", "out.glb", "--tolerance", "2 furlongs"], "unknown unit 'furlongs'"),
        (["limit", "hero.glb", "-o", "out.glb", "--repair", "nan=drop"], "'nan=drop': expected KIND=POLICY"),
        (["limit", "hero.glb", "-o", "out.glb", "--repair", "zero="], "'zero=': expected KIND=POLICY"),
        (["limit", "hero.glb", "-o", "out.glb", "--repair", "zero=joint=0,zero=joint=1"], "zero is named twice"),
        (
            ["limit", "hero.glb", "-o", "out.glb", "--repair", "zero=joint=0", "--repair", "zero=joint=1"],
            "zero is named twice",
        ),
        (["limit", "hero.glb", "-o", "out.glb", "--fps", "0"], "0.0 is not in the range x>0"),
        (["limit", "hero.glb", "-o", "out.glb", "--fps", "60", "--samples", "9"], "exclude each other"),
        (["limit", "hero.glb", "-o", "out.fbx"], "out.fbx: expected a name that ends in .glb, .gltf or .vrm"),
        (["limit", "hero.glb", "-o", "out.glb", "--json-file", "./out.glb"], "name the same file"),
        (["check", "hero.glb", "--tolerance", "2mm"], "--tolerance needs --against"),
        (["check", "hero.glb", "--min-match", "0.9"], "--min-match needs --against"),
        (["check", "hero.glb", "--against", "a.glb", "--min-match", "90"], "90.0 is not in the range 0.0<=x<=1.0"),
        (["check", "hero.glb", "--reference", "normalized"], "--reference needs --against"),
        (["check", "hero.glb", "--samples", "5"], "--samples needs --against"),
        (["check", "hero.glb", "--fps", "60"], "--fps needs --against"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_how(arguments, said, tmp_path):
    result = expect(skinproof(*arguments, cwd=tmp_path), 2)
    assert said in result.stderr
    assert re.search(r"Try 'skinproof( \w+)? --help'\.\n$", result.stderr)
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_without_a_command_the_help_is_shown_as_an_error():
    result = expect(skinproof(), 2)
    assert "Usage: skinproof" in result.stderr
    assert result.stdout == ""


def test_help_starts_about_as_fast_as_numpy():
    ratio = _best_seconds(["-m", "skinproof.cli", "--help"]) / _best_seconds(["-c", "import numpy"])
    assert ratio < START_UP_RATIO


def test_help_imports_no_numpy():
    code = "import sys; from skinproof.cli import main; main(['limit', '--help']); sys.exit('numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=environment())


def _best_seconds(arguments, rounds=5):
    """The best of a few runs: the only one that nobody else on the machine disturbed."""
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, env=environment())
        seconds.append(time.perf_counter() - start)
    return min(seconds)
