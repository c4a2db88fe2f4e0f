"""measuring.figures: the figures of `measure`, for several results at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import skinproof as sp
from arms import brute_force, make_arm, pooled_rms, weights_of, with_weights
from chains import make_chain
from skinproof.errors import ComparisonError
from skinproof.measuring.figures import measure_figures
from skinproof.model import Instance
from skinproof.model.fit import Figures
from skinproof.poses import PoseSchedule
from tolerances import DISPLACEMENT_RELATIVE, ROUNDING


def test_they_are_those_of_brute_force():
    arm = make_arm(vertices=30)
    result = sp.limit(arm, max_influences=1)
    before, after = weights_of(arm), weights_of(result)
    errors = brute_force(arm, before / before.sum(axis=1, keepdims=True), after)
    (found,) = measure_figures(arm, [result], schedule=PoseSchedule.from_clips(arm))
    assert found.rms == pytest.approx(pooled_rms(errors, [2, 1]), rel=DISPLACEMENT_RELATIVE)
    furthest = max(float(np.linalg.norm(clip, axis=2).max()) for clip in errors)
    assert found.max == pytest.approx(furthest, rel=DISPLACEMENT_RELATIVE)


def test_each_result_has_the_figures_that_measure_finds_alone():
    source = make_chain(vertices=50)
    two = replace(source, skins=(source.skins[0],) * 2, instances=(Instance(0, 0, 0), Instance(0, 0, 1)))
    results = [sp.limit(two, max_influences=most) for most in (1, 2, 4)]
    schedule = PoseSchedule.from_clips(two)
    for result, found in zip(results, measure_figures(two, results, schedule=schedule), strict=True):
        alone = sp.measure(two, result, reference="normalized", schedule=schedule).summary
        assert found.max == alone.max
        assert found.rms == pytest.approx(alone.rms, rel=ROUNDING)


def test_what_no_skin_shows_and_what_cannot_be_placed_is_left_out():
    arm = make_arm(vertices=6)
    hidden = replace(arm, instances=())
    nothing = Figures(0.0, 0.0)
    assert measure_figures(hidden, [hidden], schedule=PoseSchedule.from_clips(arm)) == (nothing,)
    broken = weights_of(arm)
    broken[2] = np.nan
    assert measure_figures(arm, [with_weights(arm, broken)], schedule=PoseSchedule.from_clips(arm))[0].rms < 1e-6


def test_results_of_another_character_are_refused():
    with pytest.raises(ComparisonError):
        measure_figures(make_arm(), [make_arm(vertices=3)], schedule=PoseSchedule.from_clips(make_arm()))
