"""`skinproof probe`."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cli.command import environment, expect, skinproof
from skinproof._native import INSTRUCTION_SETS

NUMBERS = ["22", "11.4", "16.28571429", "0.3", "35.33333333", "5.714285714", "70", "12", "8.4"]


def test_it_prints_the_contract_s_numbers_as_computed_and_passes():
    result = expect(skinproof("probe"), 0)
    rows = [line.split() for line in result.stdout.splitlines() if line.startswith("ok ")]
    assert len(rows) == 14 + 3 + 7
    for number in NUMBERS:
        assert any(row[-2:] == [number, number] for row in rows), number
    assert "10,000 random vertices" in result.stdout
    assert result.stdout.count("2: 11, 22, 33, 44") == 6
    assert result.stdout.count("x = 44") == 2
    assert "STALE_REVISION" in result.stdout
    assert "PASS" in result.stdout
    assert result.stderr == ""
    assert max(map(len, result.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", INSTRUCTION_SETS)
def test_it_says_which_kernels_are_used(name):
    result = expect(skinproof("probe", SKINPROOF_ISA=name), 0)
    assert f"Kernels: {name}" in result.stdout


def test_kernels_that_do_not_exist_are_wrong_usage():
    result = expect(skinproof("probe", SKINPROOF_ISA="mmx"), 2)
    assert "SKINPROOF_ISA" in result.stderr
    assert "'mmx'" in result.stderr


SABOTAGE = """
import sys
from skinproof.probe import contract
from skinproof.cli import main
{fault}
sys.exit(main(["probe"]))
"""


def sabotaged(fault):
    code = SABOTAGE.format(fault=fault)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=False)


def test_a_number_that_is_off_fails():
    result = expect(sabotaged("contract.normalize = lambda joints, weights: weights"), 1)
    assert "OFF" in result.stdout
    assert "FAIL" in result.stdout


def test_a_scan_that_does_not_hold_fails():
    fault = "contract.scan = lambda: contract.ContractScan(10000, 0.0, 1e-9, -1.0, 1.0)"
    result = expect(sabotaged(fault), 1)
    assert "all 14 numbers hold" not in result.stdout
    assert "the scan does not hold" in result.stdout


def test_a_pose_that_is_off_fails():
    fault = "from skinproof.publish import contract as c; c._moved = lambda xs, m=c._moved: m(tuple(2 * x for x in xs))"
    result = expect(sabotaged(fault), 1)
    assert "the poses do not hold" in result.stdout
