"""Fixtures shared by every test; the one place that knows where the asset folder is."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

ASSETS = Path(os.environ.get("SKINPROOF_ASSETS", Path(__file__).parents[2] / "shared" / "assets"))
IN_CI = os.environ.get("CI") == "true"

hypothesis.settings.register_profile("ci", deadline=None, derandomize=True)
hypothesis.settings.register_profile("local", deadline=None)
hypothesis.settings.load_profile("ci" if IN_CI else "local")


@pytest.fixture(scope="session")
def assets() -> Path:
    """The folder of real characters; a test that needs it is skipped where it is missing, and fails for it in CI."""
    if not (ASSETS / "catalog.md").is_file():
        reason = f"the asset folder {ASSETS} is missing (set SKINPROOF_ASSETS)"
        pytest.fail(reason) if IN_CI else pytest.skip(reason)
    return ASSETS
