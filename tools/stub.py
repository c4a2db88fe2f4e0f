"""Compare the stored stub of the compiled core with what nanobind makes of it now; `--write` stores it anew."""

from __future__ import annotations

import difflib
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "src" / "skinproof" / "_core.pyi"
NOTE = "# Written by `make stub` from the compiled core; `make lint` compares.\n"


def generate() -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "_core.pyi"
        subprocess.run(
            [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "skinproof._core", "-o", str(path)], check=True
        )
        path.write_text(NOTE + path.read_text())
        config = str(ROOT / "pyproject.toml")
        subprocess.run([sys.executable, "-m", "ruff", "format", "-q", "--config", config, str(path)], check=True)
        return path.read_text()


def main(arguments: list[str]) -> int:
    generated = generate()
    if "def " not in generated:
        print("the stub generated from the core has no function: the core is not what it should be")
        return 1
    if arguments == ["--write"]:
        STORED.write_text(generated)
        return 0
    difference = list(
        difflib.unified_diff(
            STORED.read_text().splitlines(), generated.splitlines(), "stored", "generated", lineterm=""
        )
    )
    if difference:
        print("\n".join(difference))
        print("the stored stub is not that of the compiled core: run `make stub`")
        return 1
    print(f"{STORED.name}: {generated.count('def ')} signatures as compiled")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
