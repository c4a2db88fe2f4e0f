"""Every gate of `make lint` and of the core's own tests is green on the tree and turns red on a seeded fault."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from house.tree import copy_tree, run, seeded


@dataclass(frozen=True)
class Fault:
    gate: str
    file: str
    text: str
    expected: str
    instead_of: str | None = None


FAULTS = {
    "an unused import": Fault("ruff", "src/skinproof/errors.py", "\nimport os\n", "F401"),
    "a public function without docstring": Fault("ruff", "src/skinproof/errors.py", "\ndef f() -> None: ...\n", "D103"),
    "a second importer of the core": Fault(
        "ruff", "src/skinproof/model/skin.py", "\nimport skinproof._core\n", "taken from skinproof._native"
    ),
    "the core imported from the package": Fault(
        "ruff", "src/skinproof/model/skin.py", "\nfrom skinproof import _core\n", "taken from skinproof._native"
    ),
    "sources left out of ruff": Fault(
        "ruff", "pyproject.toml", 'line-length = 120\nexclude = ["src/skinproof/model"]', "missed", "line-length = 120"
    ),
    "a line out of shape": Fault("format", "src/skinproof/errors.py", "\nLIST = [1,2 ,3]\n", "would be reformatted"),
    "an untyped function": Fault("types", "src/skinproof/errors.py", "\ndef f(a): return a\n", "no-untyped-def"),
    "a wrong type": Fault("types", "src/skinproof/errors.py", '\nCOUNT: int = "four"\n', "Incompatible types"),
    "a call that the stub does not know": Fault(
        "types", "src/skinproof/_native.py", "\n_core.skin_positions(1)\n", "No overload variant"
    ),
    "an import that points up": Fault(
        "imports", "src/skinproof/model/skin.py", "\nimport skinproof.gate\n", "not allowed to import skinproof.gate"
    ),
    "an algorithm that imports formats": Fault(
        "imports", "src/skinproof/influences/pack.py", "\nimport skinproof.formats\n", "Algorithms know no files BROKEN"
    ),
    "a report that imports an algorithm": Fault(
        "imports", "src/skinproof/report/text.py", "\nimport skinproof.influences\n", "Reports know no maths BROKEN"
    ),
    "a reference that imports the core": Fault(
        "imports", "src/skinproof/skinning/reference.py", "\nimport skinproof._native\n", "what it judges BROKEN"
    ),
    "a publisher that imports the offline side": Fault(
        "imports", "src/skinproof/publish/owner.py", "\nimport skinproof.poses\n", "knows nothing offline BROKEN"
    ),
    "a second importer of the publisher": Fault(
        "ruff", "src/skinproof/publish/owner.py", "\nimport skinproof._publish\n", "taken from skinproof._native"
    ),
    "siblings that import each other": Fault(
        "imports", "src/skinproof/poses/world.py", "\nimport skinproof.skinning\n", "Imports point down BROKEN"
    ),
    "an operation on weights that skins": Fault(
        "imports", "src/skinproof/influences/pack.py", "\nimport skinproof.skinning\n", "Imports point down BROKEN"
    ),
    "a room outside the layers": Fault(
        "imports", "src/skinproof/attic/__init__.py", '"""Nobody knows where this belongs."""\n', "attic"
    ),
    "a stub that is not the core's": Fault(
        "stub", "src/skinproof/_core.pyi", "run `make stub`", "run `make stub`", "def skin_positions("
    ),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_tree(tmp_path_factory.mktemp("house") / "tree")


def _lint(tree: Path, *gates: str) -> tuple[int, str]:
    result = run(tree, sys.executable, "tools/lint.py", *gates)
    return result.returncode, result.stdout


def test_the_tree_is_green(tree: Path) -> None:
    status, output = _lint(tree)
    assert status == 0, output
    assert "lint: 5 gates passed" in output


def test_every_gate_has_a_seeded_fault(tree: Path) -> None:
    status, output = _lint(tree, "none")
    assert status == 2
    named = output.rpartition("there are ")[2].strip().split(", ")
    assert len(named) == 5
    assert {fault.gate for fault in FAULTS.values()} == set(named)


@pytest.mark.parametrize("name", FAULTS)
def test_a_seeded_fault_turns_its_gate_red(name: str, tree: Path) -> None:
    fault = FAULTS[name]
    with seeded(tree, fault.file, fault.text, instead_of=fault.instead_of):
        status, output = _lint(tree, fault.gate)
    assert status == 1, output
    assert fault.expected in " ".join(output.split()), output


class TestCore:
    """tools/core_tests.sh: the core's own tests, compiled with every warning an error."""

    def test_the_core_is_green(self, tree: Path) -> None:
        result = run(tree, "tools/core_tests.sh")
        assert result.returncode == 0, result.stdout
        assert "100% tests passed" in result.stdout

    def test_a_wrong_sum_turns_it_red(self, tree: Path) -> None:
        with seeded(tree, "cpp/skin.cpp", "q[0] = sum.y;", instead_of="q[0] = sum.x;"):
            result = run(tree, "tools/core_tests.sh")
        assert result.returncode != 0, result.stdout
        assert "tests failed" in result.stdout

    def test_a_warning_turns_it_red(self, tree: Path) -> None:
        with seeded(tree, "cpp/skin.cpp", "\nstatic int unused() { return 0; }\n"):
            result = run(tree, "tools/core_tests.sh")
        assert result.returncode != 0, result.stdout
        assert "-Werror" in result.stdout

    def test_no_tests_at_all_turn_it_red(self, tree: Path) -> None:
        file = "cpp/tests/CMakeLists.txt"
        text = (tree / file).read_text()
        with seeded(tree, file, "", instead_of=text):
            result = run(tree, "tools/core_tests.sh")
        assert result.returncode != 0, result.stdout
        assert "No tests were found" in result.stdout
