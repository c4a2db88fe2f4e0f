from __future__ import annotations

from skinproof.publish import contract


def test_every_step_holds():
    steps = contract.fixed_numbers()
    assert len(steps) == 7
    assert all(step.holds for step in steps), steps


def test_a_step_that_is_off_shows(monkeypatch):
    monkeypatch.setattr(contract, "_moved", lambda xs, moved=contract._moved: moved(tuple(x + (x == 33) for x in xs)))
    assert [step.holds for step in contract.fixed_numbers()] == [True, True, True, True, False, False, False]
