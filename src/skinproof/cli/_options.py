"""Options that several commands share, and the types that read their values."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import rich_click as click
from click.core import ParameterSource

if TYPE_CHECKING:
    from skinproof.gate import Tolerance

Function = TypeVar("Function", bound=Callable[..., Any])

# What the library knows as well, said again here: importing it takes longer than --help may.
# tests/cli/test_options.py compares them.
REPAIR_KINDS = ("zero", "negative", "nonfinite")
WEIGHT_FORMATS = ("float32", "unorm8", "unorm16")
REFERENCES = ("stored", "normalized")
SUFFIXES = (".glb", ".gltf", ".vrm")


def source_file(name: str = "file") -> Callable[[Function], Function]:
    """The file to read; whether it can be read is not a question of usage."""
    return click.argument(name, metavar=name.upper(), type=click.Path(path_type=Path))


def source_files(function: Function) -> Function:
    """The files to read: paths, -, folders and patterns (`_inputs.gather`)."""
    return click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path())(function)


def tolerance_option(text: str, /) -> Callable[[Function], Function]:
    """--tolerance."""
    return click.option("--tolerance", metavar="LENGTH|SHARE", callback=_read_tolerance, help=text)


def repair_option(text: str, /) -> Callable[[Function], Function]:
    """--repair."""
    return click.option("--repair", metavar="KIND=POLICY,…", multiple=True, callback=_read_repair, help=text)


def _read_tolerance(ctx: click.Context, param: click.Parameter, value: str | None) -> Tolerance | None:
    """Read a length or a share of the diagonal: 2mm, 0.1%."""
    if value is None:
        return None
    from skinproof.gate import tolerance

    return tolerance.parse(value)


def _read_repair(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Read policies by kind of flaw, zero=joint=0,negative=drop, in one or several options; the library knows them."""
    policies: dict[str, str] = {}
    for part in (part for value in values for part in value.split(",")):
        kind, _, policy = part.strip().partition("=")
        if kind not in REPAIR_KINDS or not policy:
            raise click.BadParameter(f"{part.strip()!r}: expected KIND=POLICY, KIND one of {', '.join(REPAIR_KINDS)}")
        if kind in policies:
            raise click.BadParameter(f"{kind} is named twice")
        policies[kind] = policy
    return policies


def measuring_options(function: Function) -> Function:
    """--fps, --samples and --reference: which poses, and against what."""
    for option in (
        click.option(
            "--reference",
            metavar="WEIGHTS",
            type=click.Choice(REFERENCES),
            default="stored",
            show_default=True,
            help="Measure against the original's weights as stored, or normalized.",
        ),
        click.option(
            "--samples",
            metavar="N",
            type=click.IntRange(min=1),
            help="Pose each clip N times instead, evenly from first to last key.",
        ),
        click.option(
            "--fps",
            metavar="RATE",
            type=click.FloatRange(min=0.0, min_open=True),
            default=30.0,
            show_default=True,
            help="Pose each clip at every key and at least this often per second.",
        ),
    ):
        function = option(function)
    return function


def output_options(function: Function) -> Function:
    """--json, --json-file, --quiet and --force: where the report goes."""
    for option in (
        click.option("-f", "--force", is_flag=True, help="Replace files that exist."),
        click.option("-q", "--quiet", is_flag=True, help="Print only the verdict and the errors."),
        click.option(
            "--json-file",
            metavar="PATH",
            type=click.Path(path_type=Path),
            help="Write the report as JSON to this file as well.",
        ),
        click.option("--json", "json_output", is_flag=True, help="Print the report as JSON, and nothing else."),
    ):
        function = option(function)
    return function


def require_one_way_to_sample(ctx: click.Context) -> None:
    """Refuse --fps beside --samples: only one of them can have its way."""
    if given(ctx, "fps") and given(ctx, "samples"):
        raise click.UsageError("--fps and --samples exclude each other.", ctx)


def given(ctx: click.Context, name: str) -> bool:
    """Whether the caller set the parameter, be it to its default."""
    return ctx.get_parameter_source(name) is not ParameterSource.DEFAULT


def require_gltf_name(output: Path) -> None:
    """Refuse a name that says nothing of the format, before anything is read."""
    if output.suffix.lower() not in SUFFIXES:
        raise click.UsageError(f"{output}: expected a name that ends in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}")


def as_given(ctx: click.Context) -> dict[str, object]:
    """The options that the caller set, as text, numbers and flags, for the record."""
    return {
        parameter.opts[-1].lstrip("-"): _plain(ctx.params[parameter.name])
        for parameter in ctx.command.params
        if isinstance(parameter, click.Option) and parameter.name and given(ctx, parameter.name)
    }


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | float | str | dict):
        return value
    return str(getattr(value, "text", value))
