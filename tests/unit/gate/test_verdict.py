import pytest

from skinproof.findings import Finding
from skinproof.gate import Check, Verdict

ERROR, WARNING, NOTE = (Finding(code, "said") for code in ("WEIGHT_SUM", "BIND_MISMATCH", "NOT_GATED"))


@pytest.mark.parametrize(("findings", "passed"), [((), True), ((WARNING, NOTE), True), ((NOTE, ERROR), False)])
def test_errors_alone_fail(findings, passed):
    assert Check("any", 5, findings).passed is passed
    assert Verdict((), findings).passed is passed
