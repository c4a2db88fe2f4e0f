"""The gates that need no test run: `python tools/lint.py [GATE ...]`, all of them by default.

tests/house/test_gates.py runs the same gates on copies of the tree with a fault seeded for each.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run(*command: str) -> bool:
    return subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=False).returncode == 0


def ruff() -> bool:
    listed = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--show-files"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    # ruff is content with an empty selection: an exclude gone wrong must not pass for a clean tree.
    sources = {str(path) for path in (ROOT / "src").rglob("*.py")}
    missed = sources - set(listed.stdout.split())
    if not sources or missed:
        print(f"ruff looks at {len(sources) - len(missed)} of {len(sources)} source files; missed: {sorted(missed)}")
        return False
    return run("ruff", "check")


def layout() -> bool:
    return run("ruff", "format", "--check")


def types() -> bool:
    return run("mypy")


def imports() -> bool:
    # An editable install answers for `skinproof` before sys.path does; the tree at hand is the one to judge.
    code = (
        "import sys; sys.path.insert(0, 'src');"
        "sys.meta_path[:] = [f for f in sys.meta_path if type(f).__name__ != 'ScikitBuildRedirectingFinder'];"
        "from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True, no_logo=True))"
    )
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def stub() -> bool:
    return subprocess.run([sys.executable, "tools/stub.py"], cwd=ROOT, check=False).returncode == 0


GATES: dict[str, Callable[[], bool]] = {
    "ruff": ruff,
    "format": layout,
    "types": types,
    "imports": imports,
    "stub": stub,
}


def main(names: list[str]) -> int:
    unknown = set(names) - set(GATES)
    if unknown:
        print(f"no such gate: {', '.join(sorted(unknown))}; there are {', '.join(GATES)}")
        return 2
    failed = []
    for name in names or GATES:
        print(f"-- {name}", flush=True)
        if not GATES[name]():
            failed.append(name)
    if failed:
        print(f"lint: FAILED: {', '.join(failed)}")
        return 1
    print(f"lint: {len(names or GATES)} gates passed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
