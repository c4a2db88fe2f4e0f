"""Exit codes 0 and 1 mean that everything is written, every other one that nothing is, whenever and however it ends."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from cli.command import SECONDS, SKINPROOF, environment, expect, skinproof
from file_sets import contents
from gltf_builder import strip
from skinproof import read

FULL = "/dev/full"
needs_full = pytest.mark.skipif(not os.path.exists(FULL), reason="this system has no /dev/full")


@pytest.fixture
def hero(tmp_path):
    return strip(vertices=40).save(tmp_path / "hero.glb")


def start(before, *arguments, folder, **options):
    """Start the command in a process in which `before` was executed first."""
    script = f"{before}\nimport sys\nfrom skinproof.cli import main\nsys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(command, cwd=folder, env=environment(), stderr=subprocess.PIPE, text=True, **options)


def run(before, *arguments, folder):
    process = start(before, *arguments, folder=folder, stdout=subprocess.PIPE)
    output, errors = process.communicate(timeout=SECONDS)
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


@pytest.mark.parametrize("force", [False, True])
@pytest.mark.parametrize("out", ["out.glb", "out.gltf"])
class TestExitCode3:
    """With --force old files are there, without it none are."""

    @pytest.fixture
    def before(self, hero, out, force):
        if force:
            (hero.parent / out).write_text("precious")
            (hero.parent / "report.json").write_text('{"precious": true}')
            if out == "out.gltf":
                (hero.parent / "out.bin").write_text("precious")
        return contents(hero.parent)

    def limit(self, hero, out, force, *options, **extra):
        return skinproof("limit", hero, "-o", out, *(["--force"] * force), *options, cwd=hero.parent, **extra)

    @needs_full
    def test_a_report_that_is_no_file_is_refused_early(self, hero, out, force, before):
        result = expect(self.limit(hero, out, force, "--json-file", FULL), 3)
        assert result.stderr.startswith(f"error: {FULL}: is not a regular file")
        assert contents(hero.parent) == before

    @needs_full
    @pytest.mark.parametrize("options", [[], ["--json"], ["--json-file", "report.json"]], ids=len)
    def test_a_report_that_cannot_be_printed(self, hero, out, force, before, options):
        with open(FULL, "w") as full:
            result = expect(self.limit(hero, out, force, *options, stdout=full), 3)
        assert result.stderr == "error: standard output: No space left on device\n"
        assert contents(hero.parent) == before

    def test_a_report_that_cannot_be_written(self, hero, out, force, before):
        """There is room for the character's files, but none for the report."""
        fault = """
import os
fsync, calls = os.fsync, []
def full(descriptor):
    calls.append(descriptor)
    if len(calls) > FILES:
        raise OSError(28, "No space left on device")
    fsync(descriptor)
os.fsync = full
""".replace("FILES", "2" if out == "out.gltf" else "1")
        options = ["--json-file", "report.json", *(["--force"] * force)]
        result = expect(run(fault, "limit", "hero.glb", "-o", out, *options, folder=hero.parent), 3)
        assert "report.json: cannot be written: No space left" in result.stderr
        assert result.stdout == ""
        assert contents(hero.parent) == before

    def test_a_file_that_cannot_be_measured(self, hero, out, force, before):
        fault = """
from skinproof import errors, measuring
def fail(*arguments, **options):
    raise errors.SkinproofError("cannot be measured")
measuring.measure = fail
"""
        arguments = ["limit", "hero.glb", "-o", out, *(["--force"] * force)]
        result = expect(run(fault, *arguments, folder=hero.parent), 3)
        assert "cannot be measured" in result.stderr
        assert contents(hero.parent) == before


def test_a_reader_that_leaves_gets_no_files(hero):
    before = contents(hero.parent)
    script = 'set -o pipefail; { sleep 2; "$0" limit hero.glb -o out.glb --json; echo "code $?" >&2; } | true'
    result = subprocess.run(
        ["bash", "-c", script, SKINPROOF],
        cwd=hero.parent,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert result.stderr == "code 141\n"
    assert contents(hero.parent) == before


def test_whoever_reads_the_report_finds_the_files_that_it_names(hero):
    """They are there as soon as the report is, before the process has ended."""
    process = start(
        f"import time\nfrom skinproof.cli import limit\nlimit.settle = lambda: time.sleep({SECONDS})",
        *["limit", "hero.glb", "-o", "out.glb", "--json", "--json-file", "report.json"],
        folder=hero.parent,
        stdout=subprocess.PIPE,
    )
    report = json.JSONDecoder().raw_decode(read_object(process.stdout))[0]
    assert process.poll() is None
    assert report["written"] == ["out.glb"]
    assert read(hero.parent / "out.glb").primitives[0].vertex_count == 40
    assert json.loads((hero.parent / "report.json").read_text()) == report
    process.kill()
    process.communicate(timeout=SECONDS)


def read_object(stream):
    """Read indented JSON up to the end of its outermost object."""
    text = ""
    for line in stream:
        text += line
        if line == "}\n":
            break
    return text


def test_a_report_is_not_written_over_the_buffer_beside_the_output(hero):
    before = contents(hero.parent)
    arguments = ["limit", "hero.glb", "-o", "out.gltf", "--json-file", "out.bin", "--force"]
    result = expect(skinproof(*arguments, cwd=hero.parent), 3)
    assert result.stderr == "error: out.bin: another file of the output gets this name. Use another one\n"
    assert contents(hero.parent) == before


def test_what_is_judged_of_a_gltf_is_its_new_buffer(hero):
    """The old pair has other weights, and as many bytes of them."""
    arguments = ["limit", "hero.glb", "-o", "out.gltf", "--json", "--force"]
    reports = {}
    for k in (2, 1, 2):
        report = json.loads(expect(skinproof(*arguments, "-k", k, cwd=hero.parent), 0).stdout)
        assert report["influences"]["max_after"] == k
        assert report["written"] == ["out.gltf", "out.bin"]
        assert reports.setdefault(k, report) == report
    again = json.loads(expect(skinproof(*arguments, "-k", 2, cwd=hero.parent), 0).stdout)
    assert again == reports[2] | {"written": ["out.gltf"]}  # the same buffer is there already


STAGES = {
    "reading": ("skinproof.formats", "read", 1),
    "limiting": ("skinproof.limiting", "limit", 1),
    "writing": ("os", "fsync", 1),
    "reading back": ("skinproof.formats", "read", 2),
    "measuring": ("skinproof.measuring", "measure", 1),
    "judging": ("skinproof.gate", "judge", 1),
    "writing the report": ("skinproof.report", "to_json", 1),
    "renaming": ("pathlib.Path", "replace", 1),
    "renaming the second file": ("pathlib.Path", "replace", 2),
    "printing": ("skinproof.report", "show", 1),
    "having printed": ("skinproof.report", "show", 1),
}

SIGNAL_AT = """
import importlib, os, sys
holder, name, nth, number, after = sys.argv.pop(1), sys.argv.pop(1), *[int(sys.argv.pop(1)) for _ in range(3)]
module, _, inner = holder.partition(".Path")
owner = importlib.import_module(module)
owner = owner.Path if holder.endswith(".Path") else owner
honest, calls = getattr(owner, name), []
def signalled(*arguments, **options):
    calls.append(arguments)
    if len(calls) == nth and not after:
        os.kill(os.getpid(), number)
    result = honest(*arguments, **options)
    if len(calls) == nth and after:
        os.kill(os.getpid(), number)
    return result
setattr(owner, name, signalled)
"""


def signalled(stage, number, *options, folder):
    """Run limit with a signal that comes in a stage."""
    where = [*STAGES[stage], int(number), int(stage == "having printed")]
    arguments = ["limit", "hero.glb", "--force", "--json-file", "report.json", *options]
    return run(SIGNAL_AT, *where, *arguments, folder=folder)


@pytest.fixture(scope="module")
def earlier_results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("earlier")
    strip(vertices=40).save(folder / "hero.glb")
    for out in ("out.glb", "out.gltf"):
        arguments = ["limit", "hero.glb", "-o", out, "-k", 2, "--json-file", "report.json", "--force"]
        expect(skinproof(*arguments, cwd=folder), 0)
    return folder


@pytest.fixture
def older(earlier_results, tmp_path):
    """A folder with the results of an earlier run."""
    return shutil.copytree(earlier_results, tmp_path, dirs_exist_ok=True)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("out", ["out.glb", "out.gltf"])
def test_ctrl_c_in_any_stage_changes_nothing(older, out, stage):
    before = contents(older)
    result = expect(signalled(stage, signal.SIGINT, "-o", out, "-k", 1, folder=older), 130)
    assert result.stderr == "interrupted: nothing was judged, nothing was written\n"
    assert contents(older) == before


def test_ctrl_c_after_the_report_comes_too_late(older):
    """The files are in place and the report is out: what it says stays true."""
    late = "import os\nfrom skinproof.cli import limit\nhonest = limit.settle\n"
    late += "def settle():\n    honest()\n    os.kill(os.getpid(), 2)\nlimit.settle = settle"
    arguments = ["limit", "hero.glb", "-o", "out.glb", "-k", 1, "--force"]
    result = expect(run(late, *arguments, folder=older), 0)
    assert result.stdout.startswith(" PASS ")
    assert read(older / "out.glb").primitives[0].influences.counts.max() == 1


def test_ctrl_c_from_a_terminal_s_user(hero):
    """A run of some minutes, interrupted from outside while it measures."""
    command = [SKINPROOF, "limit", "hero.glb", "-o", "out.glb", "--fps", "9000000"]
    process = subprocess.Popen(command, cwd=hero.parent, env=environment(), stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + SECONDS
    while not list(hero.parent.glob(".skinproof-*")) and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=SECONDS)
    assert (process.returncode, errors) == (130, "interrupted: nothing was judged, nothing was written\n")
    assert [path.name for path in hero.parent.iterdir()] == ["hero.glb"]


EARLY = ("writing", "measuring")
LATE = ("printing", "having printed")


@pytest.mark.parametrize("stage", [*EARLY, "renaming", "renaming the second file", *LATE])
@pytest.mark.parametrize("out", ["out.glb", "out.gltf"])
def test_a_kill_in_any_stage_leaves_all_of_the_old_or_all_of_the_new(older, out, stage):
    """Of a pair the .gltf may be missing; never does it name the other run's buffer."""
    before = contents(older)
    result = signalled(stage, signal.SIGKILL, "-o", out, "-k", 1, folder=older)
    assert result.returncode == -signal.SIGKILL
    after = contents(older)
    if out == "out.gltf" and stage not in EARLY + LATE:
        assert out not in after
    elif stage in EARLY or (out, stage) == ("out.glb", "renaming"):
        assert after[out] == before[out]
        assert read(older / out).primitives[0].influences.counts.max() == 2
    else:
        assert read(older / out).primitives[0].influences.counts.max() == 1
    assert json.loads(after["report.json"])
    leftovers = set(after) - set(before)
    assert all(name.startswith(".skinproof-") and name.endswith(".tmp") for name in leftovers)
