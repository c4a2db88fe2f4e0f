"""Files with other vertices are compared in their poses; where the truth is known, the figures are those of the truth.

The oracle is the comparison vertex by vertex of the same change before the vertices were shuffled, welded or split.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import altered
from characters import make_channel, make_clip
from limbs import JOINTS, limb
from skinproof.errors import ComparisonError
from skinproof.limiting import limit
from skinproof.measuring import measure
from skinproof.model import Influences, Instance
from skinproof.skinning import reference
from tolerances import MATCHED_FLOAT32


@cache
def cut():
    """The limb with two influences a vertex, as a file would come back: nobody knows what it was made from."""
    return replace(limit(limb(), max_influences=2), changes=())


@cache
def truth():
    return measure(limb(), cut())


def expect_same_figures(found, *, atol=MATCHED_FLOAT32):
    """Whether every figure is that of the comparison vertex by vertex."""
    assert found.match.share == 1.0
    (one,), (known,) = found.primitives, truth().primitives
    np.testing.assert_allclose(one.max_error, known.max_error, rtol=0, atol=atol)
    np.testing.assert_allclose(one.rms, known.rms, rtol=0, atol=atol)
    assert found.summary.max == pytest.approx(truth().summary.max, abs=atol)
    assert found.summary.max > 10 * atol
    assert found.diagonal == pytest.approx(truth().diagonal, abs=4 * atol)
    assert found.poses == truth().poses
    for part, cause in zip(found.causes, truth().causes, strict=True):
        assert (part.name, part.max) == (cause.name, pytest.approx(cause.max, abs=atol))
        assert part.rms == pytest.approx(cause.rms, abs=atol)
    for clip, other in zip(found.clips, truth().clips, strict=True):
        assert (clip.name, clip.poses, clip.max) == (other.name, other.poses, pytest.approx(other.max, abs=atol))
    assert [joint.name for joint in found.still_joints] == [joint.name for joint in truth().still_joints]


class TestTheTruthComesOut:
    @pytest.mark.parametrize("seed", range(3))
    def test_shuffled(self, seed):
        found = measure(limb(), altered.shuffled(cut(), seed))
        expect_same_figures(found)
        assert "vertices of limb have other positions" in found.match.reason

    @pytest.mark.parametrize("change", [altered.welded, altered.split])
    def test_welded_and_split(self, change):
        expect_same_figures(measure(limb(), change(cut())))

    def test_the_original_split(self):
        """Vertices of the original that are one in the result are each measured."""
        found = measure(altered.split(limb()), cut())
        assert found.match.share == 1.0
        assert found.summary.max == pytest.approx(truth().summary.max, abs=MATCHED_FLOAT32)
        assert found.summary.vertices == found.match.original.vertices == len(limb().primitives[0].indices)

    def test_joints_in_another_order(self):
        order = np.array([3, 0, 4, 2, 1])
        expect_same_figures(measure(limb(), altered.with_joints_in_order(cut(), order)))

    def test_one_joint_renamed(self):
        expect_same_figures(measure(limb(), altered.shuffled(altered.renamed(cut(), {"joint4": "end"}))))

    @pytest.mark.parametrize("steps", [65535, 4095])
    def test_positions_as_integers(self, steps):
        """A vertex lies off by half a step of the grid in each direction, and no figure by more."""
        step = np.ptp(limb().primitives[0].positions, axis=0).max() / steps
        found = measure(limb(), altered.quantized(altered.shuffled(cut()), steps))
        expect_same_figures(found, atol=1.1 * np.sqrt(3) / 2 * step)
        same = measure(limb(), altered.quantized(limb(), steps))
        assert 0.1 * step < same.summary.max < 1.1 * np.sqrt(3) / 2 * step

    def test_a_mesh_in_two_parts(self):
        primitive = cut().primitives[0]
        low = primitive.positions[primitive.indices][:, 1].reshape(-1, 3).mean(axis=1) < 2.5
        parts = [replace(altered.with_part(cut(), 0, keep).primitives[0], mesh=n) for n, keep in enumerate((low, ~low))]
        parts = [replace(part, pointer=f"/meshes/{part.mesh}/primitives/0") for part in parts]
        instances = (Instance(JOINTS, 0, 0), Instance(JOINTS, 1, 0))
        expect_same_figures(measure(limb(), replace(cut(), primitives=tuple(parts), instances=instances)))

    def test_the_normalized_reference(self):
        halved = altered.with_primitive(limb(), 0, influences=scaled(limb().primitives[0].influences, 0.5))
        exact = measure(halved, cut(), reference="normalized")
        found = measure(halved, altered.shuffled(cut()), reference="normalized")
        assert found.summary.max == pytest.approx(exact.summary.max, abs=MATCHED_FLOAT32)
        assert found.causes[0].max == 0
        stored = measure(halved, altered.shuffled(cut()))
        assert stored.summary.max == pytest.approx(measure(halved, cut()).summary.max, abs=MATCHED_FLOAT32)
        assert stored.causes[0].max > 1

    def test_no_clips(self):
        """Both follow the same made range of motion, though their joints stand in another order."""
        originals, result = replace(limb(), clips=()), replace(cut(), clips=())
        exact = measure(originals, result)
        found = measure(originals, altered.with_joints_in_order(altered.shuffled(result), np.array([3, 0, 4, 2, 1])))
        assert found.made_poses
        assert found.summary.max == pytest.approx(exact.summary.max, abs=MATCHED_FLOAT32)
        np.testing.assert_allclose(found.primitives[0].max_error, exact.primitives[0].max_error, atol=MATCHED_FLOAT32)

    def test_morphed(self):
        """Each file takes its own targets, in its own vertices, at the same times."""
        morphed, result = (with_morphs(character) for character in (limb(), cut()))
        exact = measure(morphed, result)
        order = altered.shuffled(result)
        found = measure(morphed, order)
        assert found.match.share == 1.0
        np.testing.assert_allclose(found.primitives[0].max_error, exact.primitives[0].max_error, atol=MATCHED_FLOAT32)
        assert found.summary.max == pytest.approx(exact.summary.max, abs=MATCHED_FLOAT32)
        assert abs(exact.summary.max - truth().summary.max) > 1e-3
        (primitive,) = order.primitives
        still = replace(order, primitives=(replace(primitive, targets=()),))
        assert measure(morphed, still).summary.max > 0.1


def scaled(influences, factor):
    return Influences(influences.joints, influences.weights * np.float32(factor), influences.set_formats)


def with_morphs(character):
    """A target that swells the limb, which a clip brings in and takes out."""
    primitive = character.primitives[0]
    swollen = (primitive.normals * primitive.positions[:, 1:2] * 0.2).astype(np.float32)
    clip = character.clips[0]
    weights = make_channel(JOINTS, "weights", [0.0, 0.4, 1.0], [[0.0], [1.0], [0.3]])
    return replace(
        character,
        primitives=(replace(primitive, targets=(swollen,)),),
        instances=(Instance(JOINTS, 0, 0, (0.5,)),),
        clips=(replace(clip, channels=(*clip.channels, weights)), *character.clips[1:]),
    )


class TestOtherPoses:
    def test_a_wrong_weight_is_found_where_it_is(self):
        """One vertex of the shuffled file is bound to another joint: its place in both files, by the reference."""
        result = altered.shuffled(limb(), 3)
        (primitive,) = result.primitives
        joints, weights = primitive.influences.joints.copy(), primitive.influences.weights.copy()
        joints[7], weights[7] = [4, 0, 0, 0], [1, 0, 0, 0]
        result = altered.with_primitive(
            result, 0, influences=Influences(joints, weights, primitive.influences.set_formats)
        )
        worst = measure(limb(), result).worst
        before = limb().primitives[0]
        same = np.flatnonzero((before.positions == primitive.positions[7]).all(axis=1))
        assert worst.vertex in same
        assert (worst.joints_after, worst.weights_after) == (("joint4",), (1.0,))
        assert worst.metres == pytest.approx(np.linalg.norm(np.subtract(worst.position_after, worst.position_before)))
        influences = before.influences
        palette = bent(limb(), worst.clip, worst.time)
        one = before.positions[same[:1]].astype(np.float64)
        expected = reference.skin_positions(one, influences.joints[same[:1]], influences.weights[same[:1]], palette)
        np.testing.assert_allclose(worst.position_before, expected[0, 0], atol=1e-6)
        wrong = reference.skin_positions(one, [[4]], [[1.0]], palette)
        np.testing.assert_allclose(worst.position_after, wrong[0, 0], atol=1e-6)

    def test_keys_of_either_file_are_posed(self):
        """A spike between the original's keys, in the result alone, is seen at its key time."""
        first = limb().clips[0].channels[1]
        times = np.sort(np.append(first.times, [0.41234, 0.41235, 0.41236]))
        turns = np.stack([first.values[np.searchsorted(first.times, time, side="right") - 1] for time in times])
        spike = replace(limb().clips[0], channels=(make_channel(1, "rotation", times, turns),))
        result = altered.shuffled(replace(limb(), clips=(spike, limb().clips[1])))
        found = measure(limb(), result, fps=1.0)
        assert {0.41234, 0.41235, 0.41236} <= set(times_of(found, limb(), result))

    def test_clips_go_by_name(self):
        bend, twist = cut().clips
        expect_same_figures(measure(limb(), altered.shuffled(replace(cut(), clips=(twist, bend)))))

    def test_another_skeleton_is_measured_not_refused(self):
        """The result's own joints pose it: one that hangs 10 cm off carries all that hangs on it 10 cm off."""
        moved = cut().nodes.translations.copy()
        moved[0, 0] += 0.1
        matrices = cut().nodes.matrices.copy()
        matrices[0, 0, 3] += 0.1
        nodes = replace(cut().nodes, translations=moved, matrices=matrices)
        still = make_clip(make_channel(4, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, 0, 1]]))
        found = measure(replace(limb(), clips=(still,)), replace(limb(), nodes=nodes, clips=(still,)))
        assert found.match.share == 1.0
        np.testing.assert_allclose(found.primitives[0].max_error, 0.1, atol=1e-6)

    def test_there_is_no_bound(self):
        assert measure(limb(), altered.shuffled(cut())).summary.bound == np.inf


def times_of(measurement, original, result):
    """The times of the poses of the first clip, made anew from what was measured: its number of poses."""
    from skinproof.poses import PoseSchedule

    schedule = PoseSchedule.from_clips(original, fps=1.0, beside=result.clips)
    assert schedule.clips[0].pose_count == measurement.clips[0].poses
    return schedule.clips[0].times.tolist()


def bent(character, clip_name, time):
    """The palette of the first skin at a time of a clip, [1, J, 4, 4]."""
    from skinproof.poses import clip_worlds, palettes

    (clip,) = [one for one in character.clips if one.name == clip_name]
    return palettes(character.skins[0], clip_worlds(character.nodes, clip, np.array([time])))


class TestShares:
    def test_what_is_missing_is_in_no_figure(self):
        primitive = limb().primitives[0]
        kept = (primitive.positions[primitive.indices].reshape(-1, 3, 3)[:, :, 1] < 4.5).all(axis=1)
        found = measure(limb(), altered.with_part(limb(), 0, kept))
        assert 0.8 < found.match.share < 1
        assert found.summary.vertices == found.match.original.matched
        assert found.summary.max < MATCHED_FLOAT32
        assert not found.primitives[0].measured[list(found.match.original.unmatched[0].first)].any()
        assert found.unmeasured == ()

    def test_nothing_matched_is_nothing_measured(self):
        far = altered.with_primitive(limb(), 0, positions=limb().primitives[0].positions + np.float32(100))
        found = measure(limb(), far)
        assert (found.match.share, found.primitives, found.summary.vertices) == (0.0, (), 0)

    def test_other_units_are_told(self):
        scale = np.diag([100.0, 100, 100, 1])
        nodes = replace(
            limb().nodes,
            translations=limb().nodes.translations * 100,
            matrices=scale @ limb().nodes.matrices @ np.linalg.inv(scale),
        )
        skins = [replace(one, inverse_binds=scale @ one.inverse_binds @ np.linalg.inv(scale)) for one in limb().skins]
        large = altered.with_primitive(limb(), 0, positions=limb().primitives[0].positions * np.float32(100))
        found = measure(limb(), replace(large, nodes=nodes, skins=tuple(skins)))
        assert found.match.share < 0.1
        assert found.match.size_ratio == pytest.approx(100, rel=1e-5)

    def test_broken_weights_are_named_not_measured(self):
        result = altered.shuffled(limb(), 1)
        (primitive,) = result.primitives
        weights = primitive.influences.weights.copy()
        weights[3] = np.nan
        influences = Influences(primitive.influences.joints, weights, primitive.influences.set_formats)
        found = measure(limb(), altered.with_primitive(result, 0, influences=influences))
        assert found.match.share == 1.0
        assert {gap.reason for gap in found.unmeasured} == {"in the result a weight is NaN or infinite"}
        same = np.flatnonzero((limb().primitives[0].positions == primitive.positions[3]).all(axis=1))
        assert found.unmeasured[0].vertex in same
        assert found.summary.vertices == limb().primitives[0].vertex_count - found.unmeasured[0].vertices


class TestRefused:
    def test_a_clip_that_is_missing(self):
        with pytest.raises(ComparisonError, match="limb has no clip 'twist'"):
            measure(limb(), altered.shuffled(replace(cut(), clips=cut().clips[:1])))

    def test_a_clip_too_many(self):
        extra = replace(cut().clips[0], name="run")
        with pytest.raises(ComparisonError, match="limb has no clip 'run'"):
            measure(limb(), altered.shuffled(replace(cut(), clips=(*cut().clips, extra))))

    def test_clips_of_one_file_alone(self):
        with pytest.raises(ComparisonError, match="move joints, those of limb do not"):
            measure(replace(limb(), clips=()), altered.shuffled(cut()))

    def test_made_poses_need_the_joints(self):
        result = altered.renamed(altered.shuffled(replace(cut(), clips=())), {"joint2": "middle"})
        with pytest.raises(ComparisonError, match="middle of limb has no joint of its name to move with"):
            measure(replace(limb(), clips=()), result)
