"""The layout: mirrored tests, readable files, tolerances with reasons, nothing of the machine it was made on."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from house.tree import ROOT, project_files

LINES = 400
TEXT = {".py", ".pyi", ".md", ".toml", ".json", ".txt", ".sh", ".mjs", ".cpp", ".hpp", ".yml", ".yaml", ".npmrc", ""}
_CONTENT = {path.relative_to(ROOT).as_posix(): path.read_text() for path in project_files() if path.suffix in TEXT}
_ALLOWED_URLS = re.compile(
    r"https?://(json-schema\.org|semver\.org|www\.w3\.org/2000/svg|127\.0\.0\.1|localhost|example\.(com|org))\b"
)


def _without_mirror(files: Iterable[str]) -> list[str]:
    """Public modules that have no test file at the mirrored path; thresholds have a test of their own."""
    present = set(files)
    lacking = []
    for file in sorted(present):
        parts = Path(file).parts
        if parts[:2] != ("src", "skinproof") or Path(file).suffix != ".py":
            continue
        if parts[-1].startswith("_") or parts[2:] == ("tolerances.py",):
            continue
        room = Path("tests", *parts[2:-1]) if parts[2] == "cli" else Path("tests", "unit", *parts[2:-1])
        if (room / f"test_{parts[-1]}").as_posix() not in present:
            lacking.append(file)
    return lacking


def _too_long(content: Mapping[str, str]) -> list[str]:
    return [
        file
        for file, text in content.items()
        if file.startswith(("src/", "cpp/", "tests/", "tools/"))
        and text.count("\n") > LINES
        and not file.endswith(".json")
    ]


def _without_reason(source: str) -> list[str]:
    """Constants that no docstring follows and no comment precedes."""
    lines = source.splitlines()
    body = ast.parse(source).body
    lacking = []
    for node, after in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            continue
        name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
        documented = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        commented = "#" in lines[node.lineno - 1] or lines[node.lineno - 2].lstrip().startswith("#")
        if not documented and not commented:
            lacking.append(name)
    return lacking


def _of_this_machine(content: Mapping[str, str]) -> list[str]:
    """Files that name a folder of the machine they were made on, a package host, or the assets' folder."""
    found = []
    for file, text in content.items():
        if re.search(r"(?<![\w.])/(work/|home/|root/\.)", text):
            found.append(f"{file}: a path of a machine")
        if file != "tests/conftest.py" and re.search(r"\bshared/", text):
            found.append(f"{file}: the assets' folder")
        if re.search(r"https?://\w", _ALLOWED_URLS.sub("", text)):
            found.append(f"{file}: a host")
    return found


def test_every_public_module_has_its_test_file() -> None:
    rooms = [file for file in _CONTENT if re.match(r"src/skinproof/\w+/.*\.py", file)]
    assert len(rooms) >= 40
    assert _without_mirror(_CONTENT) == []


def test_files_are_of_readable_length() -> None:
    assert len(_CONTENT) >= 100
    assert _too_long(_CONTENT) == []


@pytest.mark.parametrize("file", ["src/skinproof/tolerances.py", "tests/tolerances.py"])
def test_every_tolerance_has_a_reason(file: str) -> None:
    source = _CONTENT[file]
    assert sum(isinstance(node, ast.Assign | ast.AnnAssign) for node in ast.parse(source).body) >= 3
    assert _without_reason(source) == []


def test_nothing_of_a_machine_or_a_host_is_in_the_files() -> None:
    here = "tests/house/test_layout.py"
    assert _of_this_machine({file: text for file, text in _CONTENT.items() if file != here}) == []


def test_the_lock_file_names_no_host() -> None:
    packages = json.loads(_CONTENT["tests/node/package-lock.json"])["packages"]
    assert len(packages) >= 2
    assert [name for name, package in packages.items() if "resolved" in package] == []


class TestSeededFaults:
    def test_a_module_without_test(self) -> None:
        files = ["src/skinproof/poses/new.py", "src/skinproof/poses/old.py", "tests/unit/poses/test_old.py"]
        assert _without_mirror(files) == ["src/skinproof/poses/new.py"]
        assert _without_mirror(["src/skinproof/new.py"]) == ["src/skinproof/new.py"]
        assert _without_mirror(["src/skinproof/cli/new.py"]) == ["src/skinproof/cli/new.py"]
        assert _without_mirror(["src/skinproof/cli/new.py", "tests/cli/test_new.py"]) == []

    def test_a_long_file(self) -> None:
        assert _too_long({"src/a.py": "x\n" * LINES, "src/b.py": "x\n" * (LINES + 1)}) == ["src/b.py"]

    def test_a_tolerance_without_reason(self) -> None:
        source = 'A = 1\n"""Because."""\n\nB = 2\n\n# Because.\nC = 3\n\nD: int = 4\n'
        assert _without_reason(source) == ["B", "D"]

    @pytest.mark.parametrize(
        "text", ["see /home/somebody/file", "at https://packages.example.net/simple", "../shared/assets"]
    )
    def test_something_of_a_machine(self, text: str) -> None:
        assert len(_of_this_machine({"docs/a.md": text})) == 1
