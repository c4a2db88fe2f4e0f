"""`pip install .` from a copy of the tree into a new virtual environment, used from another folder."""

from __future__ import annotations

import json
import venv
from pathlib import Path

import pytest

from house.tree import ROOT, copy_tree, run


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("install")
    tree = copy_tree(folder / "tree")
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / "bin"
    result = run(tree, str(programs / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", ".")
    assert result.returncode == 0, result.stdout
    return programs


def test_the_command_runs(programs: Path, tmp_path: Path) -> None:
    result = run(tmp_path, str(programs / "skinproof"), "probe")
    assert result.returncode == 0, result.stdout
    assert "PASS" in result.stdout


def test_the_readme_s_five_lines_run(programs: Path, tmp_path: Path) -> None:
    assert run(tmp_path, str(programs / "skinproof"), "demo", "--quiet").returncode == 0
    code = (
        "import json, skinproof as sp\n"
        "source = sp.read('demo-out/character.glb')\n"
        "result = sp.limit(source, max_influences=4)\n"
        "sp.write(result, 'out.glb')\n"
        "print(json.dumps(sp.measure(source, result).summary.max))\n"
    )
    result = run(tmp_path, str(programs / "python"), "-c", code)
    assert result.returncode == 0, result.stdout
    assert json.loads(result.stdout) > 0
    assert (tmp_path / "out.glb").stat().st_size > 0


def test_only_what_is_declared_is_installed(programs: Path, tmp_path: Path) -> None:
    """No test dependency sneaks in: what pyproject.toml names, and what that needs."""
    result = run(
        tmp_path, str(programs / "python"), "-m", "pip", "list", "--format=json", "--disable-pip-version-check"
    )
    names = {package["name"].lower().replace("_", "-") for package in json.loads(result.stdout.splitlines()[0])}
    declared = {"skinproof", "dracopy", "meshopt", "numpy", "rich", "rich-click"}
    assert declared <= names
    allowed = {"click", "markdown-it-py", "mdurl", "pygments", "typing-extensions", "colorama", "pip", "setuptools"}
    assert names - declared <= allowed


def test_the_package_is_whole(programs: Path, tmp_path: Path) -> None:
    code = (
        "import importlib.resources as r; p = r.files('skinproof');"
        "print([n for n in ('py.typed', '_core.pyi', 'report/schema.json') if not (p / n).is_file()])"
    )
    result = run(tmp_path, str(programs / "python"), "-c", code)
    assert result.stdout.strip() == "[]", result.stdout


def test_a_reader_in_c_plus_plus_compiles_with_what_is_installed(programs: Path, tmp_path: Path) -> None:
    where = run(
        tmp_path, str(programs / "python"), "-c", "import skinproof.publish as p; print(p.include_dir(), end='')"
    )
    folder = Path(where.stdout)
    assert folder.is_relative_to(programs.parent.resolve()), where.stdout
    assert [file.name for file in folder.iterdir()] == ["skinproof_segment.h"]
    source = ROOT / "examples" / "cpp_reader" / "reader.cpp"
    done = run(tmp_path, "g++", "-std=c++17", "-Wall", "-Werror", "-I", str(folder), str(source), "-o", "reader")
    assert done.returncode == 0, done.stdout
    assert run(tmp_path, "./reader", "no-such-segment", "1").returncode == 2
