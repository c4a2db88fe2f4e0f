"""Broken and hostile files: refused with place and remedy, or read soundly; never a crash, a hang, a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from hostile.corpus import corpus
from skinproof.errors import SkinproofError
from skinproof.formats import read
from skinproof.model.invariants import broken_invariants

RUNNER = Path(__file__).with_name("runner.py")
SECONDS = 5
"""Processor time of any one file."""

CASES = {case.name: case for case in corpus()}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """What the command made of each file, in a child with little memory, and which files it wrote."""
    folder, output = tmp_path_factory.mktemp("corpus"), tmp_path_factory.mktemp("out")
    for case in CASES.values():
        (folder / case.name).write_bytes(case.data)
    done = subprocess.run(
        [sys.executable, str(RUNNER), str(output), *(str(folder / name) for name in CASES)],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=SECONDS * len(CASES),
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(lines) == len(CASES) >= 100
    return dict(zip(CASES, lines, strict=True)), {path.stem for path in output.iterdir()}, folder


@pytest.mark.parametrize("name", CASES)
def test_it_ends_as_it_must(name, outcomes):
    ends, written, _ = outcomes
    case, end = CASES[name], ends[name]
    said = " ".join(end["said"].split())
    assert end["failure"] == ""
    assert "Traceback" not in said
    assert end["code"] == case.code, said
    assert [words for words in case.says if words not in said] == [], said
    assert end["seconds"] < SECONDS
    assert (Path(name).stem in written) == (case.code in (0, 1))
    if case.code == 3:
        assert name in said
        assert said.count(". ") >= 1, "no remedy"


def test_what_is_read_is_sound(outcomes):
    *_, folder = outcomes
    read_at_all = 0
    for name in CASES:
        try:
            character = read(folder / name)
        except SkinproofError:
            continue
        read_at_all += 1
        assert broken_invariants(character) == (), name
    assert read_at_all >= 8
