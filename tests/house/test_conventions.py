"""Conventions that can be read off the code: signatures, docstrings, the rules of the core."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

from house.tree import ROOT

ROOMS = ("influences", "limiting", "measuring", "probe", "gate", "poses", "skinning", "formats")
KERNELS = sorted(
    path
    for folder in ("cpp", "cpp/kernels", "cpp/repeatable")
    for path in (ROOT / folder).glob("*.*")
    if path.suffix in (".cpp", ".hpp", ".inl") and path.name not in ("bindings.hpp", "module.cpp", "module_posing.cpp")
)
BY_INSTRUCTION_SET = [path for path in KERNELS if path.parent.name in ("kernels", "repeatable")]


def _public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    for room in ROOMS:
        module = import_module(f"skinproof.{room}")
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isfunction(value):
                yield f"{room}.{name}", value


FUNCTIONS = dict(_public_functions())


def _breaches(function: Callable[..., Any]) -> list[str]:
    """Rules of CONVENTIONS.md, "Functions", that the signature or docstring of `function` breaks."""
    parameters = inspect.signature(function).parameters
    doc = function.__doc__ or ""
    found = [
        f"{name} can be given by position and by name"
        for name, parameter in parameters.items()
        if parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    if "out" in parameters and list(parameters)[-1] != "out":
        found.append("out is not last")
    found += [f"{name} is not described" for name in parameters if not re.search(rf"\b{name}\b", doc)]
    if re.search(r"\braise |\brequire_", inspect.getsource(function)) and "Raises:" not in doc:
        found.append("what it raises is not said")
    return found


def test_there_are_functions_to_look_at() -> None:
    assert len(FUNCTIONS) >= 15
    assert {name.split(".")[0] for name in FUNCTIONS} == set(ROOMS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_public_functions_keep_the_conventions(name: str) -> None:
    assert _breaches(FUNCTIONS[name]) == []


SOURCE = re.compile(r"section \d|appendix \w|\b(19|20)\d\d\b|this project's own|docs/weight-contract\.md")
OPERATIONS = sorted(
    path.relative_to(ROOT).as_posix()
    for room in ("influences", "limiting", "measuring", "poses", "skinning")
    for path in (ROOT / "src/skinproof" / room).glob("[!_]*.py")
)


def _names_its_source(code: str) -> bool:
    return SOURCE.search(ast.get_docstring(ast.parse(code)) or "") is not None


def test_every_operation_begins_with_where_its_method_comes_from() -> None:
    assert len(OPERATIONS) >= 25
    assert [file for file in OPERATIONS if not _names_its_source((ROOT / file).read_text())] == []


def test_a_file_without_source_is_found() -> None:
    assert _names_its_source('"""Blend (glTF 2.0, section 3.7)."""')
    assert not _names_its_source('"""Blend. See the section of the manual."""\nTHIS = "this project\'s own"')
    assert not _names_its_source("x = 1  # glTF 2.0, section 3.7")


def test_seeded_faults_are_found() -> None:
    def sound(data: object, /, *, option: int = 1, out: object = None) -> None:
        """Do it.

        Args:
            data: float64 [V].
            option: which.
            out: float64 [V].

        Raises:
            ArrayError: wrong array.
        """

    def faulty(data: object, /, option: int = 1, *, out: object = None, last: int = 2) -> None:
        """Do it.

        Args:
            data: float64 [V].
            option: which.
            out: float64 [V].
        """
        raise TypeError(f"no {data}")

    assert _breaches(sound) == []
    assert _breaches(faulty) == [
        "option can be given by position and by name",
        "out is not last",
        "last is not described",
        "what it raises is not said",
    ]


class TestCore:
    """Rules of the core that its sources show."""

    def test_kernels_know_no_python(self) -> None:
        assert len(KERNELS) >= 10
        including = r'#include\s*[<"](Python\.h|nanobind)'
        assert [path.name for path in KERNELS if re.search(including, path.read_text())] == []

    def test_kernels_by_instruction_set_use_no_inline_function_of_others(self) -> None:
        """The linker would keep one copy for all units, maybe one that this processor cannot run."""
        assert len(BY_INSTRUCTION_SET) >= 12
        for path in BY_INSTRUCTION_SET:
            included = re.findall(r'#include\s*[<"]([^>"]+)', path.read_text())
            allowed = {other.name for other in BY_INSTRUCTION_SET} | {"cstddef", "cstdint", "utility"}
            assert {name.rpartition("/")[2] for name in included} <= allowed, path.name

    def test_only_the_module_knows_nanobind(self) -> None:
        assert re.search(r"#include <nanobind", (ROOT / "cpp" / "module.cpp").read_text())

    def test_every_kernel_is_noexcept(self) -> None:
        """But for those that cannot know beforehand how much memory they need."""
        declared = [
            (path.name, declaration)
            for path in KERNELS
            if path.suffix == ".hpp"
            for declaration in re.findall(
                r"^(?:template.*\n)?void \w+\([^;{]*?\)[^;{]*;", path.read_text(), re.MULTILINE
            )
        ]
        assert len(declared) >= 5
        throwing = [entry for entry in declared if "noexcept" not in entry[1]]
        assert [name for name, declaration in throwing if "solve_minimax" not in declaration] == []

    def test_no_array_is_converted_at_the_border(self) -> None:
        """Arguments without .noconvert() are plain numbers only, or tuples of arrays."""
        source = "".join(path.read_text() for path in sorted((ROOT / "cpp").glob("module*.cpp")))
        arguments = re.findall(r'"(\w+)"_a(\.noconvert\(\))?', source)
        assert len(arguments) >= 20
        assert {name for name, strict in arguments if not strict} <= {
            "first_pose",
            "bounded",
            "repeatable",
            "threads",
            "instruction_set",
            "joint_count",
            "max_influences",
            "max_faces",
            "max_nodes",
            "max_sets",
            "max_solved",
            "tolerance",
            "channel",
            "channels",
        }

    def test_rounding_is_the_same_with_and_without_fma(self) -> None:
        cmake = (ROOT / "CMakeLists.txt").read_text()
        assert "-ffp-contract=off" in cmake
        assert "fast-math" not in cmake
