"""What the exact method is told on the command line: --prior, --angle, --joint-angle."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import rich_click as click

if TYPE_CHECKING:
    from skinproof.limiting import FitOptions

Function = Callable[..., Any]

NAMES = {"prior": "--prior", "angle": "--angle", "joint_angle": "--joint-angle"}


def fit_options(function: Function) -> Function:
    """--prior, --angle and --joint-angle; `read_fit` makes `FitOptions` of them."""
    for option in (
        click.option(
            "--joint-angle",
            metavar="JOINT=DEGREES",
            multiple=True,
            help="The angle of one joint, by its name; may be given several times. With --method exact.",
        ),
        click.option(
            "--angle",
            metavar="DEGREES",
            type=float,
            help="How far joints turn in poses that no clip shows, rms: 20 by default. With --method exact.",
        ),
        click.option(
            "--prior",
            metavar="RHO",
            type=float,
            help="How much such poses count beside the clips: 0.3 by default, 0 not at all. With --method exact.",
        ),
    ):
        function = option(function)
    return function


def read_fit(
    ctx: click.Context, method: str, prior: float | None, angle: float | None, joint_angle: tuple[str, ...]
) -> FitOptions | None:
    """Return what was given, or None where nothing was.

    Raises:
        UsageError: an option without --method exact; one that is no angle, or no number from 0.
    """
    given = [name for key, name in NAMES.items() if ctx.params[key] not in (None, ())]
    if not given:
        return None
    if method != "exact":
        raise click.UsageError(f"{given[0]} goes with --method exact, not with --method {method}")
    for name, value in (("--prior", prior), ("--angle", angle)):
        if value is not None:
            _require(name, value)
    from skinproof.limiting import FitOptions

    usual = FitOptions()
    return FitOptions(
        prior=usual.prior if prior is None else prior,
        angle=usual.angle if angle is None else math.radians(angle),
        angles=_angles(joint_angle),
    )


def _angles(given: tuple[str, ...]) -> dict[str, float]:
    """Angles in radians by name; a name may hold = itself, so the last one counts."""
    angles: dict[str, float] = {}
    for text in given:
        joint, _, degrees = text.rpartition("=")
        try:
            value = float(degrees)
        except ValueError:
            value = math.nan
        if not joint:
            raise click.UsageError(f"--joint-angle {text!r}: expected JOINT=DEGREES")
        if joint in angles:
            raise click.UsageError(f"--joint-angle: {joint!r} is named twice")
        _require(f"--joint-angle {joint}", value)
        angles[joint] = math.radians(value)
    return angles


def _require(name: str, value: float) -> None:
    if not (math.isfinite(value) and value >= 0.0):
        raise click.UsageError(f"{name}: expected a finite number from 0")
