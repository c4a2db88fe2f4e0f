"""The package's own names, in a process that has imported nothing else."""

import subprocess
import sys
from importlib import metadata

import pytest

import skinproof


def fresh(code):
    """What `code` prints in a new process."""
    command = [sys.executable, "-c", f"import skinproof as sp\n{code}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()


def test_errors_can_be_named_without_another_import():
    assert fresh("print(sp.errors.ArrayError.__mro__[1].__name__)") == "SkinproofError"


def test_the_version_is_that_of_the_package():
    assert fresh("print(sp.__version__)") == metadata.version("skinproof")


def test_every_name_is_there_and_listed():
    assert fresh("print(all(hasattr(sp, name) for name in dir(sp)), *dir(sp))") == " ".join(
        ["True", *sorted(skinproof.__all__)]
    )
    assert {"__version__", "errors", "read", "limit"} <= set(skinproof.__all__)


def test_importing_loads_nothing_that_takes_time():
    loaded = set(fresh("import sys; print(*sys.modules)").split())
    assert "skinproof" in loaded
    assert loaded.isdisjoint({"numpy", "importlib.metadata", "skinproof.errors", "skinproof._native"})


def test_other_names_are_refused():
    with pytest.raises(AttributeError, match="module 'skinproof' has no attribute 'wright'"):
        skinproof.wright  # noqa: B018
