"""The gate: a policy and measurements in, findings and a verdict out."""

from skinproof.gate.judge import CHECKS, judge
from skinproof.gate.policy import Policy
from skinproof.gate.tolerance import Tolerance
from skinproof.gate.verdict import Check, Verdict

__all__ = ["CHECKS", "Check", "Policy", "Tolerance", "Verdict", "judge"]
