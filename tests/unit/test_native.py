"""Which kernels are used."""

import os
import subprocess
import sys

import pytest

from skinproof._native import INSTRUCTION_SET, INSTRUCTION_SETS, KNOWN_INSTRUCTION_SETS, choose_instruction_set
from skinproof.errors import OptionError


def test_scalar_kernels_run_everywhere():
    assert INSTRUCTION_SETS[0] == "scalar"
    assert set(INSTRUCTION_SETS) <= set(KNOWN_INSTRUCTION_SETS)


def test_the_widest_is_taken_unless_another_is_asked_for():
    assert choose_instruction_set("", ["scalar", "x86-64-v2"]) == "x86-64-v2"
    assert choose_instruction_set("scalar", ["scalar", "x86-64-v2"]) == "scalar"
    assert os.environ.get("SKINPROOF_ISA", INSTRUCTION_SETS[-1]) == INSTRUCTION_SET


def test_what_does_not_run_here_is_told_from_what_does_not_exist():
    with pytest.raises(OptionError, match=r"SKINPROOF_ISA: neon does not run on this processor .*; here run scalar"):
        choose_instruction_set("neon", ["scalar"])
    with pytest.raises(OptionError, match="SKINPROOF_ISA: expected one of scalar, x86-64-v2, got 'avx2'"):
        choose_instruction_set("avx2", ["scalar", "x86-64-v2"])


@pytest.mark.parametrize("name", INSTRUCTION_SETS)
def test_the_environment_forces_one(name):
    code = "from skinproof._native import INSTRUCTION_SET; print(INSTRUCTION_SET)"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"SKINPROOF_ISA": name}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.strip()) == (0, name), done.stderr
