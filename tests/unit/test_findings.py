"""The registry of findings: complete entries, and no finding outside of it."""

import re

import pytest

from skinproof.findings import REGISTRY, Finding, Severity


def test_the_registry_is_keyed_by_name():
    assert len(REGISTRY) >= 15
    assert all(name == code.name for name, code in REGISTRY.items())


@pytest.mark.parametrize("code", REGISTRY.values(), ids=REGISTRY.keys())
def test_every_entry_is_complete(code):
    assert re.fullmatch(r"[A-Z]+(_[A-Z]+)*", code.name)
    assert code.title
    assert not code.title.endswith(".")
    assert code.explanation.endswith(".")
    assert code.remedy.endswith(".")


def test_every_severity_is_used():
    assert {code.severity for code in REGISTRY.values()} == set(Severity)


def test_a_finding_has_the_severity_of_its_code():
    assert Finding("WEIGHT_SUM", "the sum is 0.7").severity is Severity.ERROR
    assert Finding("BIND_MISMATCH", "it is elsewhere").severity is Severity.WARNING


def test_a_code_that_is_not_in_the_registry_is_refused():
    with pytest.raises(KeyError, match="NEVER_HEARD_OF is not in the registry"):
        Finding("NEVER_HEARD_OF", "what?")
