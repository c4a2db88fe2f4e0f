"""limiting.exact: whole characters, through `limit` with the method "exact"."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import skinproof as sp
from chains import CHAIN, make_chain
from characters import make_channel, make_clip, make_influences, make_primitive
from skinproof.limiting import FitOptions
from skinproof.limiting.exact import Mesh, keep_best
from skinproof.model import Instance, Outcome, WeightFormat
from skinproof.poses import PoseSchedule, palettes
from skinproof.skinning import reference
from tolerances import DISPLACEMENT


def exact(character, most, **options):
    schedule = options.pop("schedule", None)
    pack = options.pop("pack", None)
    return sp.limit(
        character, max_influences=most, method="exact", pack=pack, schedule=schedule, fit=FitOptions(**options)
    )


def displacements(character, result):
    return sp.measure(character, result, reference="normalized").primitives[0]


def dense(influences, joints=CHAIN):
    out = np.zeros((len(influences.joints), joints))
    np.add.at(out, (np.arange(len(out))[:, np.newaxis], influences.joints), influences.weights.astype(np.float64))
    return out


@pytest.mark.parametrize("format_", list(WeightFormat))
@pytest.mark.parametrize("most", [1, 2, 4])
def test_no_vertex_is_worse_in_its_maximum_and_the_whole_is_better(most, format_):
    source = make_chain(vertices=120)
    best, largest = exact(source, most, pack=format_), sp.limit(source, max_influences=most, pack=format_)
    ours, theirs = displacements(source, best), displacements(source, largest)
    assert (ours.max_error <= theirs.max_error).all()
    assert ours.summary.rms < theirs.summary.rms
    influences = best.primitives[0].influences
    assert influences.counts.max() <= most
    if format_.scale:
        assert set(influences.stored.sum(axis=1, dtype=np.int64)) == {format_.scale}
    else:
        assert set(influences.weights.sum(axis=1, dtype=np.float64)) == {1.0}


def test_without_prior_and_guard_it_is_the_least_mean_square_there_is():
    """Brute force over all sets of two joints and a fine grid of weights, posed by the oracle."""
    source = make_chain(3, vertices=10)
    schedule = PoseSchedule.from_clips(source, samples=6)
    found = exact(source, 2, prior=0.0, prior_slack=1e9, schedule=schedule)
    fit = found.changes[0].fit
    from skinproof.poses.shares import time_shares

    matrices = np.concatenate([palettes(source.skins[0], block.worlds) for block in schedule.blocks()])
    shares = np.concatenate([time_shares(clip) for clip in schedule.clips])
    positions = source.primitives[0].positions.astype(np.float64)
    weights = dense(source.primitives[0].influences)
    weights /= weights.sum(axis=1, keepdims=True)
    joints = np.tile(np.arange(CHAIN), (len(positions), 1))
    whole = reference.skin_positions(positions, joints, weights, matrices)
    least = np.full(len(positions), np.inf)
    for pair in itertools.combinations(range(CHAIN), 2):
        for share in np.linspace(0, 1, 201):
            trial = np.tile([share, 1 - share], (len(positions), 1))
            posed = reference.skin_positions(positions, joints[:, list(pair)], trial, matrices)
            least = np.minimum(least, shares @ ((posed - whole) ** 2).sum(axis=2))
    assert (fit.optimum <= np.sqrt(least) + DISPLACEMENT).all()
    np.testing.assert_allclose(fit.optimum, np.sqrt(least), rtol=5e-3)


def test_the_same_bytes_however_vertices_are_stored():
    source = make_chain(5, vertices=60)
    primitive = source.primitives[0]
    before = exact(source, 3).primitives[0].influences
    rng = np.random.default_rng(1)
    order, slots = rng.permutation(60), rng.permutation(primitive.influences.joints.shape[1])
    shuffled = sp.Influences(
        np.ascontiguousarray(primitive.influences.joints[order][:, slots]),
        np.ascontiguousarray(primitive.influences.weights[order][:, slots]),
        primitive.influences.set_formats,
    )
    other = replace(source, primitives=(replace(primitive, positions=primitive.positions[order], influences=shuffled),))
    after = exact(other, 3).primitives[0].influences
    np.testing.assert_array_equal(after.joints, before.joints[order])
    np.testing.assert_array_equal(after.weights, before.weights[order])


def test_welded_vertices_get_the_same_bytes_in_one_primitive_and_across_two():
    source = make_chain(6, vertices=30)
    primitive = source.primitives[0]
    twice = np.r_[np.arange(30), np.arange(30)]
    doubled = replace(
        primitive,
        positions=primitive.positions[twice],
        influences=sp.Influences(
            primitive.influences.joints[twice], primitive.influences.weights[twice], primitive.influences.set_formats
        ),
    )
    part = replace(primitive, index=1, pointer="/meshes/0/primitives/1")
    found = exact(replace(source, primitives=(doubled, part)), 2).primitives
    for other in (found[0].influences.weights[30:], found[1].influences.weights):
        np.testing.assert_array_equal(other, found[0].influences.weights[:30])
    np.testing.assert_array_equal(found[1].influences.joints, found[0].influences.joints[:30])


def test_a_vertex_with_few_influences_is_left_to_the_ordinary_way():
    source = make_chain(7)
    found = exact(source, CHAIN)
    plain = sp.limit(source, max_influences=CHAIN)
    np.testing.assert_array_equal(found.primitives[0].influences.weights, plain.primitives[0].influences.weights)
    assert found.changes[0].fit.count(Outcome.FEW) == 40
    assert plain.changes[0].fit is None


def test_the_fit_says_what_was_gained_and_what_was_kept():
    source = make_chain(8, vertices=200)
    fit = exact(source, 2).changes[0].fit
    fitted = fit.outcome != Outcome.FEW
    assert (fit.optimum <= fit.chosen + 1e-7)[fitted].all()
    assert (fit.optimum <= fit.largest + 1e-7)[fitted].all()
    best = fit.outcome == Outcome.BEST
    np.testing.assert_allclose(fit.chosen[best], fit.optimum[best], rtol=1e-3)
    kept = np.isin(fit.outcome, [Outcome.MAXIMUM, Outcome.PRIOR])
    np.testing.assert_array_equal(fit.chosen[kept], fit.largest[kept])
    assert best.sum() > 100
    assert not fit.unproven.any()


def test_a_prior_of_no_slack_keeps_more_of_the_largest():
    source = make_chain(9, vertices=200)
    free, strict = (exact(source, 2, prior=0.0, prior_slack=slack).changes[0].fit for slack in (1e9, 0.9))
    assert free.count(Outcome.PRIOR) == 0
    assert strict.count(Outcome.PRIOR) > 0
    assert strict.count(Outcome.BEST) < free.count(Outcome.BEST)


def test_without_clips_the_tree_decides():
    source = make_chain(10, clips=0)
    found, schedule = exact(source, 2), PoseSchedule.from_clips(source)
    assert schedule.is_range_of_motion
    fit = found.changes[0].fit
    assert fit.count(Outcome.BEST) > 0
    ours, theirs = displacements(source, found), displacements(source, sp.limit(source, max_influences=2))
    assert (ours.max_error <= theirs.max_error).all()
    assert ours.summary.rms < theirs.summary.rms


def test_roots_without_clips_leave_nothing_to_decide_by():
    source = make_chain(11, clips=0, parents=[-1] * CHAIN)
    found = exact(source, 2)
    assert found.changes[0].fit.count(Outcome.UNDECIDED) == 40
    plain = sp.limit(source, max_influences=2).primitives[0].influences
    np.testing.assert_array_equal(found.primitives[0].influences.weights, plain.weights)


def test_roots_with_clips_are_fitted_to_them():
    source = make_chain(12, parents=[-1] * CHAIN, vertices=100)
    found = exact(source, 2)
    ours, theirs = displacements(source, found), displacements(source, sp.limit(source, max_influences=2))
    assert (ours.max_error <= theirs.max_error).all()
    assert ours.summary.rms < theirs.summary.rms


def test_a_primitive_that_no_skin_shows_keeps_the_largest():
    source = replace(make_chain(13), instances=())
    found = exact(source, 2)
    assert found.changes[0].fit.count(Outcome.UNSHOWN) == 40
    plain = sp.limit(source, max_influences=2).primitives[0].influences
    np.testing.assert_array_equal(found.primitives[0].influences.weights, plain.weights)


def test_one_mesh_under_two_skins_is_held_to_both():
    source = make_chain(14, vertices=80)
    turned = replace(source.skins[0], joints=source.skins[0].joints[::-1].copy())
    both = replace(source, skins=(source.skins[0], turned), instances=(Instance(0, 0, 0), Instance(0, 0, 1)))
    found, largest = exact(both, 3), sp.limit(both, max_influences=3)
    assert (displacements(both, found).max_error <= displacements(both, largest).max_error).all()
    assert found.changes[0].fit.count(Outcome.BEST) > 0


def test_poses_that_overflow_leave_what_there_is():
    source = make_chain(15, clips=1)
    huge = make_clip(make_channel(0, "translation", [0, 1], [[0, 0, 0], [1e300, 0, 0]]))
    with np.errstate(all="ignore"):
        found = exact(replace(source, clips=(*source.clips, huge)), 2)
    assert found.primitives[0].influences.counts.max() <= 2


def test_no_mesh_is_no_work():
    source = make_chain(16)
    schedule = PoseSchedule.from_clips(source)
    assert keep_best(source, [], schedule=schedule, options=FitOptions()) == []
    empty = make_influences(np.zeros((0, 4)), np.zeros((0, 4)))
    nothing = make_primitive(empty, positions=np.zeros((0, 3)))
    mesh = Mesh(
        nothing, empty.joints, np.zeros((0, 4)), np.zeros((0, 2), np.uint16), np.zeros((0, 2)), WeightFormat.FLOAT32
    )
    (kept,) = keep_best(source, [mesh], schedule=schedule, options=FitOptions())
    assert len(kept.joints) == len(kept.fit.outcome) == 0


def test_without_the_guard_every_vertex_gets_the_optimum():
    source = make_chain(17, vertices=200)
    guarded, free = (exact(source, 2, prior=0.0, guard=guard).changes[0].fit for guard in (True, False))
    assert guarded.count(Outcome.BEST) < free.count(Outcome.BEST) == 200
    np.testing.assert_array_equal(free.optimum, guarded.optimum)
    assert (free.chosen <= guarded.chosen + 1e-9).all()
