"""Figures of real characters that two independent programs computed beforehand: all digits must come out.

Largest four influences, normalized, against the source as stored; every clip at 20 evenly spaced times from its first
key to its last, both included; maximum, and RMS over all skinned vertices and poses; percent of the bounding diagonal
of the source posed at rest.
"""

from dataclasses import replace

import numpy as np
import pytest

from characters import make_influences
from skinproof.formats import read
from skinproof.gate import Policy, judge, tolerance
from skinproof.limiting import limit
from skinproof.measuring import measure, survey
from skinproof.model import Interpolation, Path
from skinproof.poses import PoseSchedule, palettes
from skinproof.skinning import reference
from tolerances import DISPLACEMENT, DISPLACEMENT_RELATIVE

pytestmark = pytest.mark.assets

DENSE = "derived-collada/CesiumMan-dense/CesiumMan-dense.glb"
PUBLISHED = "khronos/CesiumMan/glTF-Binary/CesiumMan.glb"
SAMPLES = 20

LIMITED = {
    DENSE: ("0.836", "0.0502"),
    "derived-blender/Simple_SI_Rigging/Simple_SI_Rigging.glb": ("7.707", "1.113"),
    "derived-blender/dembones-Decomposition_20/Decomposition_20.glb": ("0.892", "0.0736"),
}
"""File → maximum and RMS in percent, as published."""


def percent(measurement, metres, digits):
    """The share in percent, with as many decimals as the figure it is compared with."""
    return f"{100 * measurement.relative(metres):.{len(digits.partition('.')[2])}f}"


@pytest.mark.parametrize("file", LIMITED)
def test_largest_four_against_the_source(assets, file):
    source = read(assets / file)
    maximum, rms = LIMITED[file]
    measurement = measure(source, limit(source, max_influences=4), samples=SAMPLES)
    assert measurement.poses == SAMPLES * len(source.clips) > 0
    assert percent(measurement, measurement.summary.max, maximum) == maximum
    assert percent(measurement, measurement.summary.rms, rms) == rms
    assert measurement.summary.bound > measurement.summary.max


@pytest.mark.parametrize("file", LIMITED)
def test_brute_force_says_the_same(assets, file):
    source = read(assets / file)
    (primitive,), (skin,) = source.primitives, source.skins
    result = limit(source, max_influences=4)
    schedule = PoseSchedule.from_clips(source, samples=SAMPLES)
    squares = []
    for block in schedule.blocks():
        matrices = palettes(skin, block.worlds)
        here, there = (
            reference.skin_positions(primitive.positions, one.joints, one.weights, matrices)
            for one in (primitive.influences, result.primitives[0].influences)
        )
        squares.append(np.sum((there - here) ** 2, axis=2))
    squares = np.vstack(squares)
    measurement = measure(source, result, schedule=schedule)
    assert measurement.summary.max == pytest.approx(np.sqrt(squares.max()), rel=DISPLACEMENT_RELATIVE)
    assert measurement.summary.rms == pytest.approx(np.sqrt(squares.mean()), rel=DISPLACEMENT_RELATIVE)
    pose, vertex = np.unravel_index(squares.argmax(), squares.shape)
    assert (measurement.worst.vertex, measurement.worst.pose) == (vertex, pose)


@pytest.fixture(scope="module")
def dense(assets):
    return read(assets / DENSE)


@pytest.fixture(scope="module")
def published(assets):
    return read(assets / PUBLISHED)


class TestThePublishedCesiumMan:
    """It kept the first four influences instead of the largest, and did not normalize them: sums down to 0.18."""

    def test_as_stored(self, dense, published):
        measurement = measure(dense, published, samples=SAMPLES)
        assert percent(measurement, measurement.summary.max, "46.3") == "46.3"
        assert percent(measurement, measurement.summary.max, "46.26") == "46.26"

    def test_with_its_weights_normalized(self, dense, published):
        measurement = measure(dense, limit(published, max_influences=4), samples=SAMPLES)
        assert percent(measurement, measurement.summary.max, "3.27") == "3.27"

    def test_the_gate_sees_both_faults(self, dense, published):
        measurement = measure(dense, published, samples=SAMPLES)
        policy = Policy(max_influences=4, tolerance=tolerance.parse("1%"))
        verdict = judge(policy, survey(published), original=survey(dense), measurement=measurement)
        assert not verdict.passed
        found = {finding.code: finding for finding in verdict.findings}
        assert {"WEIGHT_SUM", "DISPLACEMENT"} <= set(found)
        assert found["WEIGHT_SUM"].where["count"] == 210
        assert found["WEIGHT_SUM"].where["sum"] == pytest.approx(0.184742, abs=1e-6)


def test_clips_of_every_interpolation_are_among_the_assets_measured(assets):
    """Otherwise the bound would be tried on linear keys alone."""
    files = [DENSE, "derived-makehuman/mpfb-cmu_mb/mpfb-cmu_mb-cubic.glb"]
    files.append("derived-makehuman/mpfb-game_engine/mpfb-game_engine.glb")
    used = set()
    for file in files:
        source = read(assets / file)
        used |= {c.interpolation for clip in source.clips for c in clip.channels if c.path is not Path.WEIGHTS}
        measurement = measure(source, limit(source, max_influences=2, pack="unorm8"), samples=9)
        (primitive,) = measurement.primitives
        assert 0 < measurement.summary.max < 0.1 * measurement.diagonal
        assert (primitive.max_error <= primitive.bound + DISPLACEMENT).all()
    assert used == set(Interpolation)


def test_a_character_of_many_skins_is_measured_for_each(assets):
    source = read(assets / "sharpgltf/InfiniteSkinnedTentacle/InfiniteSkinnedTentacle.glb")
    assert len(source.skins) > 80
    (primitive,) = source.primitives
    ones = np.ones((primitive.vertex_count, 1))
    wrong = source.with_influences([make_influences(np.zeros_like(ones), ones)])
    every = measure(source, wrong, samples=3).primitives[0].max_error
    first_alone = (replace(one, instances=one.instances[:1]) for one in (source, wrong))
    first = measure(*first_alone, samples=3).primitives[0].max_error
    assert (every >= first).all()
    assert (every > first).any()
