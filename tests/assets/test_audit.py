"""Captures of real characters: every kind of draw is told from every other, and nothing whole is called torn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from skinproof import read
from skinproof.audit import audit
from skinproof.model import Capture
from skinproof.model.audit import DrawKind
from skinproof.poses import clip_worlds, palettes

CHARACTERS = {
    "Fox": "khronos/Fox/glTF-Binary/Fox.glb",
    "CesiumMan": "khronos/CesiumMan/glTF-Binary/CesiumMan.glb",
    "Cesium_Man": "cesium/Cesium_Man/Cesium_Man.glb",
    "fox-animations": "mesh2motion/fox-animations/fox-animations.glb",
    "RiggedFigure": "khronos/RiggedFigure/glTF/RiggedFigure.gltf",
}
CLEAN, SPOILT, NEAR = 10_000, 200, 0.05


@pytest.fixture(scope="module", params=CHARACTERS)
def subject(request, assets):
    """A character, and draws of its clips at random times: clip and time of each."""
    character = read(assets / CHARACTERS[request.param])
    character = replace(character, clips=character.clips[:3])  # of fourteen that one of them has, for the time it takes
    rng = np.random.default_rng(20)
    clips = character.clips
    lengths = np.array([clip.duration for clip in clips])
    chosen = rng.choice(len(clips), CLEAN, p=lengths / lengths.sum())
    times = np.array([clips[clip].start for clip in chosen]) + rng.random(CLEAN) * lengths[chosen]
    return character, chosen, times, drawn(character, chosen, times)


def drawn(character, chosen, times):
    """float32 [D, J, 4, 4]."""
    made = np.empty((len(times), len(character.skins[0]), 4, 4), np.float32)
    for clip in np.unique(chosen):
        own = np.flatnonzero(chosen == clip)
        for some in np.array_split(own, len(own) // 500 + 1):
            worlds = clip_worlds(character.nodes, character.clips[clip], times[some])
            made[some] = palettes(character.skins[0], worlds)
    return made


def of_kind(found, kind):
    return {draw.draw for draw in found.draws if draw.kind is kind}


def test_no_clean_draw_is_called_anything_else(subject):
    character, chosen, times, clean = subject
    found = audit(Capture(clean, times=times, clips=chosen.astype(np.int32)), character)
    assert found.counts[DrawKind.WHOLE] == CLEAN


def test_torn_draws_are_named_exactly(subject):
    """Jobs of a third of the joints each; one or two of them show the pose of a moment before, or of another time."""
    character, chosen, times, clean = subject
    rng = np.random.default_rng(21)
    joints = clean.shape[1]
    spoilt = clean[: 2 * SPOILT].copy()
    apart = np.where(rng.random(SPOILT) < 0.5, NEAR, 0.3)
    other = drawn(character, chosen[:SPOILT], np.abs(times[:SPOILT] - apart))
    first = rng.integers(0, 3, SPOILT) * joints // 3
    for draw in range(SPOILT):
        job = slice(first[draw], first[draw] + joints // 3)
        spoilt[draw, job] = other[draw, job]
    found = audit(Capture(spoilt), character)
    torn = of_kind(found, DrawKind.TORN)
    assert torn <= set(range(SPOILT))
    # Where both poses put every joint at the same place there is no tear: the oracle looks at the matrices themselves.
    unlike = np.abs(clean[:SPOILT].astype(float) - other).max(axis=(2, 3))
    told = {
        draw
        for draw in range(SPOILT)
        for inside in [np.isin(np.arange(joints), np.arange(first[draw], first[draw] + joints // 3))]
        if unlike[draw, inside].max() > 1e-2 and unlike[draw, ~inside].max() > 1e-2
    }
    assert len(told) > SPOILT // 4
    assert told <= torn
    assert all(found.draws[draw].displacement > 0 for draw in told)


def test_a_crossfade_is_never_torn(subject):
    character, _, _, clean = subject
    others = np.roll(clean[:SPOILT], 1, axis=0)
    found = audit(Capture(((clean[:SPOILT] + others) / 2).astype(np.float32)), character)
    assert of_kind(found, DrawKind.TORN) == set()
    assert len(of_kind(found, DrawKind.UNEXPLAINED)) > SPOILT * 0.9


def test_injected_faults_are_each_named(subject):
    character, _, _, clean = subject
    skin = character.skins[0]
    spoilt = clean[:6].astype(np.float64)
    spoilt[0] = spoilt[0].swapaxes(1, 2)
    spoilt[1] = spoilt[1] @ np.linalg.inv(skin.inverse_binds)
    spoilt[2] = spoilt[2] @ skin.inverse_binds
    spoilt[3, -1, 1, 2] = np.nan
    spoilt[4, -2] = np.eye(4)
    found = audit(Capture(spoilt.astype(np.float32)), character).draws
    assert [draw.detail for draw in found[:3]] == ["transposed", "inverse bind missing", "inverse bind applied twice"]
    assert [draw.kind for draw in found[3:]] == [DrawKind.NOT_FINITE, DrawKind.IDENTITY_FILLED, DrawKind.WHOLE]
    assert found[3].joints == (clean.shape[1] - 1,)
    short = audit(Capture(np.ascontiguousarray(clean[:3, :-1])), character, skin=0)
    assert short.counts[DrawKind.WRONG_JOINT_COUNT] == 3


def test_one_frame_off_is_stale(subject):
    character, chosen, times, _ = subject
    late = drawn(character, chosen[:50], np.maximum(times[:50] - 1 / 30, 0))
    found = audit(Capture(late, times=times[:50], clips=chosen[:50].astype(np.int32)), character)
    stale = [draw for draw in found.draws if draw.kind is DrawKind.STALE]
    assert len(stale) >= 40
    assert np.median([draw.lag for draw in stale]) == pytest.approx(1 / 30, abs=1e-4)
