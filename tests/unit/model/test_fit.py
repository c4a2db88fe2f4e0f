"""model.fit: what fitting came to."""

from __future__ import annotations

import numpy as np
import pytest

from skinproof.errors import ArrayError
from skinproof.model import InfluenceFit, Outcome


def make_fit(outcome, **arrays):
    count = len(outcome)
    given = {name: np.zeros(count) for name in ("optimum", "chosen", "largest")}
    given = {"unproven": np.zeros(count, np.bool_), **given, **arrays}
    return InfluenceFit(np.array(outcome, np.uint8), **given)


def test_outcomes_are_counted():
    fit = make_fit([Outcome.BEST, Outcome.FEW, Outcome.BEST])
    assert [fit.count(outcome) for outcome in Outcome] == [1, 2, 0, 0, 0, 0, 0]


def test_its_arrays_are_read_only_and_of_one_length():
    fit = make_fit([Outcome.BEST])
    with pytest.raises(ValueError, match="read-only"):
        fit.optimum[0] = 1
    with pytest.raises(ArrayError, match="largest"):
        make_fit([Outcome.BEST], largest=np.zeros(2))
