"""The stored stub of the compiled publisher is what the module says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import skinproof

ROOT = Path(__file__).parents[3]


def test_the_stub_is_current(tmp_path):
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "skinproof._publish"]
    patterns = ROOT / "cpp" / "publish_module" / "stub.pat"
    subprocess.run([*command, "-p", patterns, "-o", tmp_path / "_publish.pyi"], check=True)
    stored = Path(skinproof.__file__).parent / "_publish.pyi"
    assert stored.read_text() == (tmp_path / "_publish.pyi").read_text()
