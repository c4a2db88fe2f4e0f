"""Audit: captures of what draws really used, held against the clips of the character. See docs/audit.md."""

from skinproof.audit.judge import AUDIT_CHECKS, judge_capture, sentence
from skinproof.audit.run import audit

__all__ = ["AUDIT_CHECKS", "audit", "judge_capture", "sentence"]
