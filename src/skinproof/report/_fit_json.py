"""The part of the JSON report that says how influences were fitted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from skinproof.model import InfluenceFit, Outcome
from skinproof.model.fit import Figures, FitCheck, Trial
from skinproof.report._content import Report

Object = dict[str, object]

COSTS = ("optimum", "chosen", "largest")


def fit_object(report: Report, /) -> Object | None:
    """Return it, or None where nothing was fitted."""
    fits = {change.pointer: change.fit for change in report.changes if change.fit is not None}
    if not fits:
        return None
    check = report.fit_check or FitCheck((), ())
    measurement = report.measurement
    relative = (lambda metres: None) if measurement is None else measurement.relative
    return {
        **_fitted(list(fits.values())),
        "trials": [_trial(trial, relative) for trial in check.trials],
        "still_joints": [
            {
                "primitive": near.primitive,
                "skin": near.skin,
                "joint": near.joint,
                "name": near.name,
                "vertices": near.vertices.tolist(),
            }
            for near in check.still
        ],
        "primitives": [
            {"pointer": pointer, **_fitted([fit]), "by_vertex": _by_vertex(fit)} for pointer, fit in fits.items()
        ],
    }


def _trial(trial: Trial, relative: Callable[[float], float | None]) -> Object:
    def figures(found: Figures) -> Object:
        return {
            name: {"metres": metres, "relative": relative(metres)}
            for name, metres in (("max", found.max), ("rms", found.rms))
        }

    return {
        "name": trial.name,
        "poses": trial.poses,
        "exact": figures(trial.exact),
        "largest": figures(trial.largest),
    }


def _fitted(fits: Sequence[InfluenceFit]) -> Object:
    return {
        "vertices": sum(fit.fitted for fit in fits),
        "outcomes": {
            outcome.name.lower(): sum(fit.count(outcome) for fit in fits)
            for outcome in Outcome
            if outcome is not Outcome.FEW
        },
        "unproven": sum(int(fit.unproven.sum()) for fit in fits),
        "rms": pooled(fits),
    }


def _by_vertex(fit: InfluenceFit) -> Object:
    """Columns of equal length, one entry per vertex that had a choice."""
    vertices = np.flatnonzero(fit.outcome != Outcome.FEW)
    return {
        "vertex": vertices.tolist(),
        "outcome": [Outcome(code).name.lower() for code in fit.outcome[vertices].tolist()],
        **{name: getattr(fit, name)[vertices].tolist() for name in COSTS},
        "unproven": np.flatnonzero(fit.unproven).tolist(),
    }


def pooled(fits: Sequence[InfluenceFit], /) -> dict[str, float]:
    """Return the root mean square of each cost over all vertices that had a choice, metres."""
    vertices = sum(fit.fitted for fit in fits)
    return {
        name: math.sqrt(sum(float((getattr(fit, name) ** 2).sum()) for fit in fits) / vertices) if vertices else 0.0
        for name in COSTS
    }
