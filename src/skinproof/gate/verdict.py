"""The verdict: what was checked, on how many subjects, and what was found."""

from __future__ import annotations

from dataclasses import dataclass

from skinproof.findings import Finding, Severity


@dataclass(frozen=True, slots=True)
class Check:
    """One check that was made.

    Attributes:
        name: for example "decoded_sums_float64"; `judge.CHECKS` says what each looks at.
        subjects: how many vertices it looked at; a check without subjects fails, for it has shown nothing.
        findings: what it found; errors make it fail.
    """

    name: str
    subjects: int
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether none of its findings is an error."""
        return not any(finding.severity is Severity.ERROR for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one file.

    Attributes:
        checks: those that were made.
        findings: all of them, errors first, then warnings, then notes; within a severity in the order of discovery.
    """

    checks: tuple[Check, ...]
    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether no finding is an error."""
        return not any(finding.severity is Severity.ERROR for finding in self.findings)
