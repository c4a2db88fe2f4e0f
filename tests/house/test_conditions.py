"""What cannot run on a machine is left out there, and the run says so: nothing is left out in silence."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import conditions
from house.tree import ROOT

OTHER_USER = "unit/publish/test_reader_other_user.py"
COLLECT = (
    "import os, sys, pytest; "
    "os.getuid = lambda: int(sys.argv[1]); "
    "sys.exit(pytest.main(['--collect-only', '-p', 'no:cacheprovider', 'tests/unit/publish']))"
)


def collect(user: int) -> str:
    command = [sys.executable, "-c", COLLECT, str(user)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no user ids here")
@pytest.mark.parametrize(("user", "root"), [(0, True), (1000, False)])
def test_without_root_the_other_user_s_tests_are_not_collected_and_the_run_says_so(user, root):
    shown = collect(user)
    notice = f"not collected: {OTHER_USER} (needs root, who alone can become another user)"
    assert (notice in shown) is not root
    assert ("test_strangers_cannot_attach" in shown) is root
    assert "test_a_second_owner_is_refused_and_a_dead_one_is_recovered" in shown


def test_every_condition_is_of_files_that_exist():
    for condition in conditions.CONDITIONS:
        for pattern in condition.files:
            assert list((ROOT / "tests").glob(pattern)), pattern
