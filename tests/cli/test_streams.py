"""Standard output that goes away, is full, is a terminal; the caller's Ctrl-C."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time

import pytest

from cli.command import ESCAPE, SECONDS, SKINPROOF, environment, expect
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


def interrupted(folder, *options):
    """Start a limit run of some minutes, interrupt it while it measures, and return the process and its errors."""
    command = [SKINPROOF, "limit", "hero.glb", "-o", "out.glb", "--fps", "9000000", *options]
    process = subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + SECONDS
    while not (folder / "out.glb").exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    return process.returncode, errors


def test_an_interrupted_run_exits_with_130_and_leaves_nothing(hero):
    assert interrupted(hero.parent) == (130, "interrupted: nothing was judged\n")
    assert [path.name for path in hero.parent.iterdir()] == ["hero.glb"]


def test_an_interrupted_run_with_force_says_that_the_file_was_not_judged(hero):
    code, errors = interrupted(hero.parent, "--force")
    assert code == 130
    assert errors == "note: out.glb was written, but not judged\ninterrupted: nothing was judged\n"


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
