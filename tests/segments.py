"""Named segments in tests: a name of one's own, and other processes."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = Path("/dev/shm")
SECONDS = 60


@pytest.fixture(name="name")
def segment_name():
    name = f"test-{uuid.uuid4().hex}"
    yield name
    for file in files(name):
        file.unlink()


def files(name):
    return sorted(SHARED.glob(f"skinproof.{name}.*"))


def run(code, *arguments, check=True, **options):
    """Run code in a fresh interpreter, with the helpers of the tests."""
    prelude = f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r})\nfrom palettes import *\n"
    prelude += "from skinproof.publish import *\nname = sys.argv[1]\n"
    command = [sys.executable, "-c", prelude + textwrap.dedent(code), *arguments]
    options = {"timeout": SECONDS, **options}
    return subprocess.run(command, check=check, capture_output=True, text=True, **options)


@contextlib.contextmanager
def child(code, *arguments):
    """A process that runs until it is killed; entered once it has printed its first line."""
    prelude = f"import sys, time; sys.path.insert(0, {str(ROOT / 'tests')!r})\nfrom palettes import *\n"
    prelude += "from skinproof.publish import *\nname = sys.argv[1]\n"
    command = [sys.executable, "-c", prelude + textwrap.dedent(code), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            process.first_line = process.stdout.readline()
            assert process.first_line, "the child died"
            yield process
        finally:
            process.kill()
