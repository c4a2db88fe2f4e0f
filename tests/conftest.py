"""Fixtures shared by every test; the one place that knows where the asset folder is."""

from __future__ import annotations

import os
from collections.abc import Generator
from pathlib import Path
from typing import TypeVar

import hypothesis
import pytest

import conditions
import validator
from skinproof import _native

ASSETS = Path(os.environ.get("SKINPROOF_ASSETS", Path(__file__).parents[2] / "shared" / "assets"))
Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)
IN_CI = os.environ.get("CI", "").lower() not in ("", "0", "false")

hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.load_profile("ci" if IN_CI else "local")


def pytest_report_header() -> list[str]:
    """Which kernels the tests run with, those that the tests of the kernels run over, and what is left out here."""
    kernels = f"kernels: {_native.INSTRUCTION_SET}, tested over {', '.join(_native.INSTRUCTION_SETS)}"
    return [kernels, *conditions.left_out()]


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Leave out what cannot run here."""
    return True if conditions.reasons(collection_path) else None


@pytest.fixture(scope="session")
def assets() -> Path:
    """The folder of real characters; a test that needs it is skipped where it is missing, and fails for it in CI."""
    if not (ASSETS / "catalog.md").is_file():
        reason = f"the asset folder {ASSETS} is missing (set SKINPROOF_ASSETS)"
        pytest.fail(reason) if IN_CI else pytest.skip(reason)
    return ASSETS


@pytest.fixture(scope="session")
def validate_gltf() -> validator.Validate:
    """The Khronos validator: call it with paths, get a report for each. Skipped where Node.js is missing."""
    reason = validator.missing()
    if reason:
        pytest.fail(reason) if IN_CI else pytest.skip(reason)
    return validator.validate


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test is a failure: what was not tried was not shown."""
    return _skip_fails_in_ci((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for modules that skip themselves while being collected."""
    return _skip_fails_in_ci((yield))


def _skip_fails_in_ci(report: Report) -> Report:
    if IN_CI and report.skipped and not hasattr(report, "wasxfail"):
        report.longrepr = f"skipped, which CI does not allow: {report.longrepr}"
        report.outcome = "failed"
    return report
