"""In CI a skipped test fails the run; on other machines it is only reported."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"

PASSES = "def test_runs(): assert 1 + 1 == 2\n"
SKIPS = {
    "in the test": "import pytest\ndef test_skips(): pytest.skip('no reason will do')\n",
    "by a mark": "import pytest\n@pytest.mark.skip(reason='no reason will do')\ndef test_skips(): pass\n",
    "in a fixture": (
        "import pytest\n@pytest.fixture\ndef thing(): pytest.skip('no reason will do')\ndef test_skips(thing): pass\n"
    ),
    "the whole module": "import pytest\npytest.skip('no reason will do', allow_module_level=True)\n",
}


def _run(folder: Path, body: str, *, ci: bool, workers: bool = False) -> subprocess.CompletedProcess[str]:
    shutil.copy(CONFTEST, folder / "conftest.py")
    (folder / "test_one.py").write_text(body)
    (folder / "test_other.py").write_text(PASSES)
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("CI", "PYTEST"))}
    environment["PYTHONPATH"] = str(CONFTEST.parent)  # what conftest.py imports lies beside it
    if ci:
        environment["CI"] = "true"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *(["-n", "2"] if workers else [])]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("place", SKIPS)
def test_a_skip_fails_the_run_in_ci(place: str, tmp_path: Path) -> None:
    result = _run(tmp_path, SKIPS[place], ci=True)
    assert result.returncode != 0, result.stdout
    assert "which CI does not allow" in result.stdout
    assert "no reason will do" in result.stdout
    assert "skipped in" not in result.stdout


def test_a_skip_fails_the_run_in_ci_on_several_workers(tmp_path: Path) -> None:
    result = _run(tmp_path, SKIPS["in a fixture"], ci=True, workers=True)
    assert result.returncode == 1, result.stdout
    assert "which CI does not allow" in result.stdout


@pytest.mark.parametrize("place", SKIPS)
def test_a_skip_is_only_reported_elsewhere(place: str, tmp_path: Path) -> None:
    result = _run(tmp_path, SKIPS[place], ci=False)
    assert result.returncode == 0, result.stdout
    assert "1 passed, 1 skipped" in result.stdout


def test_a_run_without_skips_passes_in_ci(tmp_path: Path) -> None:
    result = _run(tmp_path, PASSES, ci=True)
    assert result.returncode == 0, result.stdout
    assert "2 passed" in result.stdout
