"""Standard streams that go away, are full, are pipes or terminals."""

from __future__ import annotations

import json
import os
import pty
import subprocess

import pytest

from cli.command import ESCAPE, SECONDS, SKINPROOF, environment, expect, skinproof
from gltf_builder import strip


@pytest.fixture
def hero(tmp_path):
    return strip(vertices=40).save(tmp_path / "hero.glb")


def shell(script, folder):
    """Run a bash script in which `$skinproof` is the command."""
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment(skinproof=str(SKINPROOF)),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )


@pytest.mark.parametrize("command", ["--help", "inspect hero.glb", "inspect hero.glb --json", "probe"])
def test_a_reader_that_leaves_is_no_crash_and_no_failed_gate(hero, command):
    script = f'set -o pipefail; {{ sleep 2; "$skinproof" {command}; echo "code $?" >&2; }} | true'
    result = expect(shell(script, hero.parent), 0)
    assert result.stderr == "code 141\n"


def test_a_closed_standard_output_still_gives_the_verdict(hero):
    expect(shell('"$skinproof" limit hero.glb -o out.glb >&-', hero.parent), 0)
    assert (hero.parent / "out.glb").is_file()
    expect(shell('"$skinproof" check out.glb -k 1 >&- 2>&-', hero.parent), 1)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", ["inspect hero.glb", "inspect hero.glb --json", "probe", "--help"])
def test_a_full_standard_output_exits_with_3(hero, command):
    result = expect(shell(f'"$skinproof" {command} >/dev/full', hero.parent), 3)
    assert result.stderr == "error: standard output: No space left on device\n"


COMMANDS = [
    "--help",
    "limit --help",
    "inspect hero.glb",
    "limit hero.glb -o out.glb",
    "limit hero.glb -o o.glb -k 1 -q",
]
COMMANDS += ["check hero.glb -k 1 --json", "demo", "probe", "limit"]


@pytest.mark.parametrize("command", COMMANDS)
def test_piped_text_has_no_blanks_at_the_ends_of_its_lines(hero, command):
    result = skinproof(*command.split(), cwd=hero.parent)
    lines = (result.stdout + result.stderr).splitlines()
    assert len(lines) >= 2
    assert [line for line in lines if line != line.rstrip()] == []


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_standard_error_does_not_change_the_exit_code(hero):
    for command, code in (("check nobody.glb", 3), ("check hero.glb", 0), ("check hero.glb -k 1 --json", 1)):
        assert shell(f'"$skinproof" {command} 2>/dev/full', hero.parent).returncode == code


def test_a_terminal_gets_colours_and_a_progress_bar_that_goes_away(hero):
    """Standard error is a terminal, standard output another one."""
    shown = {}
    masters = {}
    ends = {}
    for name in ("stdout", "stderr"):
        masters[name], ends[name] = pty.openpty()
    command = [SKINPROOF, "limit", "hero.glb", "-o", "out.glb"]
    process = subprocess.Popen(command, cwd=hero.parent, env=environment(TERM="xterm-256color"), **ends)
    for name, end in ends.items():
        os.close(end)
        shown[name] = read_all(masters[name])
    assert process.wait(timeout=SECONDS) == 0
    assert ESCAPE in shown["stdout"]
    assert "PASS" in shown["stdout"]
    assert "measuring" not in shown["stdout"]
    assert "measuring" in shown["stderr"]


def read_all(master):
    chunks = []
    try:
        while chunk := os.read(master, 4096):
            chunks.append(chunk)
    except OSError:  # how Linux says that nobody holds the other end any more
        pass
    os.close(master)
    return b"".join(chunks).decode()


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_json_is_json_in_every_encoding(tmp_path, encoding):
    builder = strip(vertices=8)
    builder.json["meshes"][0]["name"] = "Ägir \N{GRINNING FACE}"
    builder.save(tmp_path / "hero.glb")
    output = expect(skinproof("inspect", "hero.glb", "--json", cwd=tmp_path, PYTHONIOENCODING=encoding), 0).stdout
    assert json.loads(output)["primitives"][0]["name"] == "Ägir \N{GRINNING FACE}"


def test_names_in_errors_do_not_steer_the_terminal(tmp_path):
    builder = strip(vertices=8)
    builder.json["extensionsRequired"] = ["\x1b[31mred\x1b]0;title\x07"]
    builder.json["extensionsUsed"] = builder.json["extensionsRequired"]
    builder.save(tmp_path / "hero.glb")
    assert "?[31mred?]0;title?" in expect(skinproof("inspect", "hero.glb", cwd=tmp_path), 3).stderr
