"""What `limit`, `check` and `demo` have in common: measure one character against another, judge, report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skinproof.formats.atomic import Staged
    from skinproof.gate import Policy
    from skinproof.limiting import FitOptions
    from skinproof.model import Character, WeightFormat
    from skinproof.model.fit import FitCheck
    from skinproof.model.measurement import Measurement
    from skinproof.poses import PoseSchedule
    from skinproof.report import Report

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Sampling:
    """Which poses, and against what: the arguments of `measure`."""

    reference: str = "stored"
    fps: float = 30.0
    samples: int | None = None

    def schedule(self, original: Character, /) -> PoseSchedule:
        """Return the poses; raises OptionError if they are too many."""
        from skinproof.poses import PoseSchedule

        return PoseSchedule.from_clips(original, fps=self.fps, samples=self.samples)


@dataclass(frozen=True, slots=True)
class LimitJob:
    """One run of the main job.

    Attributes:
        command: for the report.
        file: what to read.
        output: where the limited character goes.
        policy: what to gate; its `max_influences` is the K to limit to.
        pack: how to store the weights, or None for the source's own format.
        repair: policies by kind of flaw.
        method: how the influences are chosen, as in `limiting.limit`; "exact" fits to the poses of `sampling`.
        fit: how the exact method weighs poses that no clip shows; None for its defaults.
        sampling: which poses, and against what.
        encoding: how the result is stored, as in `write`.
        force: whether files that exist are replaced.
        options: for the report: the options as given.
    """

    command: str
    file: Path
    output: Path
    policy: Policy
    pack: WeightFormat | None = None
    repair: Mapping[str, str] = field(default_factory=dict)
    method: str = "largest"
    fit: FitOptions | None = None
    sampling: Sampling = field(default_factory=Sampling)
    encoding: str = "keep"
    force: bool = False
    options: Mapping[str, object] = field(default_factory=dict)

    @contextmanager
    def judged(self) -> Iterator[tuple[Report, Staged]]:
        """Read, limit, stage the result, read back what was staged, measure it against the source, judge.

        Yields the report and the files, which the block puts in place; if it fails, nothing was written.
        """
        from skinproof.formats import read, stage
        from skinproof.limiting import check_fit, limit

        source = read(self.file)
        schedule = self.sampling.schedule(source)  # refuses what it must before the work
        k = self.policy.max_influences
        assert k is not None
        again = partial(limit, source, max_influences=k, pack=self.pack, repair=self.repair, fit=self.fit)
        limited = again(method=self.method, schedule=schedule)
        with stage(limited, self.output, encoding=self.encoding, force=self.force) as files:
            result = read(self.output, staged=files)
            measurement = measured(source, result, self.sampling, schedule=schedule, limited=limited)
            still = measurement.still_joints
            fit = None
            if self.method == "exact":
                fit = check_fit(source, limited, again, schedule=schedule, still_joints=still)
            yield self._report(source, limited, result, measurement, fit, files.paths), files

    def _report(
        self,
        source: Character,
        limited: Character,
        result: Character,
        measurement: Measurement,
        fit_check: FitCheck | None,
        written: Sequence[Path],
    ) -> Report:
        from skinproof.gate import judge
        from skinproof.measuring import survey
        from skinproof.report import Report

        after, before = survey(result), survey(source)
        notes = (*limited.findings, *result.findings)
        return Report(
            command=self.command,
            file=str(self.output),
            verdict=judge(self.policy, after, original=before, measurement=measurement, notes=notes),
            policy=self.policy,
            survey=after,
            original_file=str(self.file),
            original=before,
            measurement=measurement,
            changes=limited.changes,
            fit_check=fit_check,
            written=tuple(map(str, written)),
            options=self.options,
        )


def measured(
    original: Character,
    result: Character,
    sampling: Sampling,
    /,
    *,
    schedule: PoseSchedule | None = None,
    limited: Character | None = None,
) -> Measurement:
    """Measure with a progress bar; `limited` is the character whose written file `result` is, if there is one."""
    from skinproof.measuring import measure

    with _progress() as progress:
        return measure(
            original,
            result,
            reference=sampling.reference,
            fps=sampling.fps,
            samples=sampling.samples,
            schedule=schedule,
            changes=None if limited is None else limited.changes,
            progress=progress,
        )


@contextmanager
def _progress() -> Iterator[Progress | None]:
    """A progress bar on standard error, where that is a terminal; it leaves nothing behind."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("measuring"), BarColumn(), MofNCompleteColumn(), TextColumn("poses"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("measuring", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
