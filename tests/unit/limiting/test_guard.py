"""limiting.guard: the largest displacement of candidates is what `measure` finds of them."""

from __future__ import annotations

import numpy as np

import skinproof as sp
from arms import make_arm, weights_of, with_weights
from skinproof.limiting.guard import Rows, max_squared
from skinproof.poses import PoseSchedule
from tolerances import DISPLACEMENT


def rows_of(character, kept, skins=(0,)):
    source, primitive = weights_of(character), character.primitives[0]
    joints = np.tile(np.arange(3, dtype=np.uint16), (len(source), 1))
    normalized = source / source.sum(axis=1, keepdims=True)
    return Rows(primitive.positions.astype(np.float64), joints, normalized, joints, kept, skins)


def blocks_of(character):
    return list(PoseSchedule.from_clips(character).blocks())


def test_it_is_what_is_measured():
    character = make_arm(vertices=20)
    kept = weights_of(character)
    kept[:, 0] = 0
    kept = (kept / kept.sum(axis=1, keepdims=True)).astype(np.float32).astype(np.float64)
    (found,) = max_squared([rows_of(character, kept)], blocks_of(character), character)
    expected = sp.measure(character, with_weights(character, kept), reference="normalized").primitives[0].max_error
    assert expected.max() > 0.1
    np.testing.assert_allclose(np.sqrt(found), expected, atol=DISPLACEMENT)


def test_every_group_and_every_skin_counts():
    character = make_arm(vertices=6)
    still, moved = weights_of(character), np.roll(weights_of(character), 1, axis=1)
    none, far, hidden, empty = max_squared(
        [
            rows_of(character, still / still.sum(axis=1, keepdims=True)),
            rows_of(character, moved, skins=(0, 0)),
            rows_of(character, moved, skins=()),
            Rows(*(part[:0] for part in (*_arrays(rows_of(character, moved)),)), skins=(0,)),
        ],
        blocks_of(character),
        character,
    )
    assert none.max() < 1e-12
    assert (far > 0).all()
    assert not hidden.any()
    assert len(empty) == 0


def test_what_is_not_a_number_passes_no_comparison():
    character = make_arm(vertices=3)
    blocks = blocks_of(character)
    blocks[0].worlds[0, 1, 0, 0] = np.nan
    (found,) = max_squared([rows_of(character, np.roll(weights_of(character), 1, axis=1))], blocks, character)
    assert np.isnan(found).all()


def _arrays(rows):
    return rows.positions, rows.joints, rows.weights, rows.kept_joints, rows.kept_weights
