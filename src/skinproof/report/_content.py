"""What a report is about: the results that were put together for one file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from skinproof.gate import Policy, Verdict
from skinproof.model import InfluenceChange
from skinproof.model.fit import FitCheck
from skinproof.model.measurement import Measurement
from skinproof.model.survey import Survey


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """Everything that a report on one file says; `to_json` and `show` only arrange it.

    Attributes:
        command: the command that was run: "inspect", "limit", "check" or "demo".
        file: the file judged: what was written, or what `inspect` and `check` were given.
        verdict: of the gate.
        policy: what was gated.
        survey: of the file judged, as read back.
        original_file: what it was made from or is compared with, or None.
        original: survey of that, or None.
        measurement: displacement between the two, or None if it was not measured.
        changes: what limiting did to each primitive; empty where nothing was limited.
        fit_check: what a fit is worth in other poses, or None if nothing was fitted.
        written: every file that was written.
        options: the command's options as given, for the record.
    """

    command: str
    file: str
    verdict: Verdict
    policy: Policy
    survey: Survey
    original_file: str | None = None
    original: Survey | None = None
    measurement: Measurement | None = None
    changes: tuple[InfluenceChange, ...] = ()
    fit_check: FitCheck | None = None
    written: tuple[str, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
