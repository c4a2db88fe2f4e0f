import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from arms import brute_force, make_arm, pooled_rms, weights_of, with_weights
from characters import make_channel, make_clip, make_influences, make_primitive, make_skin
from skinproof.errors import ComparisonError, OptionError
from skinproof.limiting import limit
from skinproof.measuring import measure
from skinproof.model import InfluenceChange, Instance
from skinproof.poses import PoseSchedule, palettes, rest_worlds
from skinproof.skinning import reference
from tolerances import DISPLACEMENT, DISPLACEMENT_RELATIVE, SHORT_SUM


def close(metres):
    return pytest.approx(metres, rel=DISPLACEMENT_RELATIVE, abs=DISPLACEMENT)


@pytest.fixture(scope="module")
def arm():
    return make_arm(vertices=30)


@pytest.fixture(scope="module")
def cut(arm):
    return limit(arm, max_influences=1)


class TestWhoHowMuchWhen:
    def test_every_vertex_is_as_far_off_as_brute_force_says(self, arm, cut):
        (primitive,) = measure(arm, cut).primitives
        errors = brute_force(arm, weights_of(arm), weights_of(cut))
        lengths = [np.linalg.norm(clip, axis=2) for clip in errors]
        np.testing.assert_allclose(primitive.max_error, np.max(np.vstack(lengths), axis=0), atol=DISPLACEMENT)
        assert primitive.measured.all()
        assert primitive.max_error.min() >= 0
        for vertex, (clip, pose) in enumerate(zip(primitive.clip, primitive.pose, strict=True)):
            assert lengths[clip][pose, vertex] == close(primitive.max_error[vertex])

    def test_rms_weights_clips_by_their_duration(self, arm, cut):
        measurement = measure(arm, cut)
        errors = brute_force(arm, weights_of(arm), weights_of(cut))
        assert measurement.summary.rms == close(pooled_rms(errors, [2, 1]))
        assert measurement.summary.rms != pytest.approx(pooled_rms(errors, [1, 1]), rel=1e-3)
        assert [clip.rms for clip in measurement.clips] == [close(pooled_rms([clip], [1])) for clip in errors]
        (primitive,) = measurement.primitives
        per_vertex = [pooled_rms([clip[:, [7]] for clip in errors], [2, 1]), primitive.rms[7]]
        assert per_vertex[0] == close(per_vertex[1])

    def test_the_worst_vertex_can_be_found_from_what_is_said(self, arm, cut):
        measurement = measure(arm, cut)
        worst = measurement.worst
        assert worst.metres == measurement.summary.max == measurement.primitives[0].max_error.max()
        schedule = PoseSchedule.from_clips(arm)
        clip = [clip.name for clip in schedule.clips].index(worst.clip)
        assert schedule.clips[clip].times[worst.pose] == worst.time
        matrices = palettes(arm.skins[0], schedule.worlds(clip, np.array([worst.pose])))
        joints, row = np.arange(3)[np.newaxis], [worst.vertex]
        for position, character in ((worst.position_before, arm), (worst.position_after, cut)):
            weights = weights_of(character)[row]
            (there,) = reference.skin_positions(arm.primitives[0].positions[row], joints, weights, matrices)[0]
            np.testing.assert_allclose(position, there, atol=DISPLACEMENT)
        assert np.linalg.norm(np.subtract(worst.position_after, worst.position_before)) == close(worst.metres)
        stored = weights_of(arm)[worst.vertex]
        names = np.array(["shoulder", "elbow", "wrist"])
        assert worst.joints_before == tuple(names[np.argsort(-stored)])
        assert worst.weights_before == tuple(np.sort(stored)[::-1])
        assert (worst.joints_after, worst.weights_after) == (worst.joints_before[:1], (1.0,))
        assert (worst.name, worst.primitive, worst.skin) == ("arm", "/meshes/0/primitives/0", "/skins/0")

    def test_clips_say_how_far_and_when(self, arm, cut):
        errors = brute_force(arm, weights_of(arm), weights_of(cut), samples=7)
        measurement = measure(arm, cut, samples=7)
        assert [clip.poses for clip in measurement.clips] == [7, 7]
        assert [clip.duration for clip in measurement.clips] == [2, 1]
        assert measurement.poses == 14
        for clip, of_clip in zip(measurement.clips, errors, strict=True):
            lengths = np.linalg.norm(of_clip, axis=2)
            assert clip.max == close(lengths.max())
            assert clip.pose == lengths.max(axis=1).argmax()
            assert clip.time == pytest.approx(np.linspace(0, clip.duration, 7)[clip.pose])

    def test_percentiles_are_those_of_the_vertices(self, arm, cut):
        measurement = measure(arm, cut)
        ordered = np.sort(measurement.primitives[0].max_error)
        assert measurement.summary.percentiles[50.0] == ordered[14]
        assert measurement.summary.percentiles[90.0] == ordered[26]
        assert measurement.summary.percentiles[99.9] == ordered[29]

    def test_the_diagonal_is_that_of_the_source_at_rest_in_the_world(self, arm, cut):
        turned = replace(arm, nodes=replace(arm.nodes, matrices=arm.nodes.matrices * np.array([2, 2, 2, 1])[:, None]))
        corners = reference.skin_positions(
            arm.primitives[0].positions,
            np.tile(np.arange(3), (30, 1)),
            weights_of(arm),
            palettes(arm.skins[0], rest_worlds(turned.nodes))[np.newaxis],
        )[0]
        moved = replace(cut, nodes=turned.nodes, skins=turned.skins, clips=())
        measured = measure(replace(turned, clips=()), moved)
        assert measured.diagonal == close(np.linalg.norm(np.ptp(corners, axis=0)))
        assert measured.relative(measured.diagonal / 4) == pytest.approx(0.25)

    def test_nothing_moves_if_nothing_changed(self, arm):
        measurement = measure(arm, arm)
        assert (measurement.summary.max, measurement.summary.rms, measurement.summary.bound) == (0, 0, 0)
        assert measurement.worst.metres == 0
        assert (measurement.worst.vertex, measurement.worst.clip, measurement.worst.time) == (0, "bend", 0)
        causes = {cause.name: cause for cause in measurement.causes}
        assert (causes["limiting"].max, causes["limiting"].vertex, causes["limiting"].primitive) == (0, -1, "")
        assert causes["normalizing"].max < 1e-5


class TestSums:
    def test_a_sum_that_is_off_is_seen_far_from_the_origin(self, arm):
        short = with_weights(arm, weights_of(arm) * 0.98)
        worst = measure(arm, short).worst
        assert worst.clip == "travel"
        assert worst.metres > 0.02 * 30
        assert worst.metres == pytest.approx(0.02 * np.linalg.norm(worst.position_before), rel=SHORT_SUM)

    def test_the_normalized_reference_leaves_the_sum_of_the_source_out(self, arm):
        loose = with_weights(arm, weights_of(arm) * np.linspace(0.5, 1.5, 30)[:, np.newaxis])
        tight = limit(loose, max_influences=3)
        stored, normalized = measure(loose, tight), measure(loose, tight, reference="normalized")
        errors = brute_force(arm, weights_of(loose), weights_of(tight))
        assert stored.summary.max == close(max(np.linalg.norm(clip, axis=2).max() for clip in errors))
        assert stored.summary.max > 1
        assert normalized.summary.max < 1e-5
        assert (stored.reference, normalized.reference) == ("stored", "normalized")
        assert {cause.name: cause.max for cause in normalized.causes}["normalizing"] == 0

    def test_a_result_without_weights_lies_at_the_origin(self, arm):
        weights = weights_of(arm)
        weights[4] = 0
        measurement = measure(arm, with_weights(arm, weights))
        assert measurement.worst.vertex == 4
        assert measurement.worst.position_after == (0, 0, 0)
        assert measurement.unmeasured == ()


class TestCauses:
    def test_each_step_gets_its_own_part(self, arm):
        loose = with_weights(arm, weights_of(arm) * 1.2)
        packed = limit(loose, max_influences=2, pack="unorm8")
        measurement = measure(loose, packed)
        source = weights_of(loose)
        normal = source / source.sum(axis=1, keepdims=True)
        limited = np.zeros((30, 3))
        np.put_along_axis(limited, packed.changes[0].joints.astype(int), packed.changes[0].weights, axis=1)
        steps = [source, normal, limited, weights_of(packed)]
        assert [cause.name for cause in measurement.causes] == ["normalizing", "limiting", "packing"]
        for cause, before, after in zip(measurement.causes, steps[:-1], steps[1:], strict=True):
            errors = brute_force(arm, before, after)
            lengths = np.max(np.vstack([np.linalg.norm(clip, axis=2) for clip in errors]), axis=0)
            assert cause.max == close(lengths.max())
            assert cause.vertex == lengths.argmax()
            assert cause.primitive == "/meshes/0/primitives/0"
            assert cause.rms == close(pooled_rms(errors, [2, 1]))
        assert all(cause.max > 0 for cause in measurement.causes)

    def test_a_file_read_back_is_told_what_was_done_to_it(self, arm):
        packed = limit(arm, max_influences=2, pack="unorm8")
        read_back = replace(packed, changes=())
        told = measure(arm, read_back, changes=packed.changes)
        assert told.causes == measure(arm, packed).causes
        guessed = {cause.name: cause.max for cause in measure(arm, read_back).causes}
        assert guessed["packing"] < 1e-5 < {cause.name: cause.max for cause in told.causes}["packing"]

    def test_the_number_of_changes_must_fit(self, arm, cut):
        with pytest.raises(ComparisonError, match="one per primitive"):
            measure(arm, cut, changes=cut.changes * 2)


class TestBound:
    @pytest.mark.parametrize("total", [1.0, 0.9, 1.1])
    def test_no_displacement_exceeds_it(self, arm, total):
        generator = np.random.default_rng(8)
        other = with_weights(arm, generator.dirichlet([1, 1, 1], 30) * total)
        (primitive,) = measure(arm, other).primitives
        assert (primitive.max_error <= primitive.bound + DISPLACEMENT).all()
        assert (primitive.bound < 20 * primitive.max_error).mean() > 0.5


class TestPrimitivesAndSkins:
    def test_of_several_skins_the_worst_counts(self):
        arm = make_arm(vertices=12)
        far = arm.skins[0].inverse_binds.copy()
        far[1:, 0, 3] = 50
        two = replace(
            arm,
            skins=(arm.skins[0], replace(make_skin([0, 1, 2], far), pointer="/skins/1")),
            instances=(Instance(0, 0, 0), Instance(1, 0, 1)),
        )
        cut = limit(two, max_influences=1)
        measurement = measure(two, cut)
        (primitive,) = measurement.primitives
        before, after = weights_of(two), weights_of(cut)
        lengths = [
            np.max(np.vstack([np.linalg.norm(clip, axis=2) for clip in brute_force(two, before, after, skin=skin)]), 0)
            for skin in (0, 1)
        ]
        np.testing.assert_allclose(primitive.max_error, np.maximum(*lengths), rtol=1e-12, atol=DISPLACEMENT)
        assert measurement.worst.skin == "/skins/1"
        assert measurement.summary.vertices == 12

    def test_primitives_are_told_apart(self, arm):
        still = make_primitive(make_influences([[2]] * 4, [[1.0]] * 4), mesh=1)
        both = replace(arm, primitives=(*arm.primitives, still), instances=(*arm.instances, Instance(0, 1, 0)))
        measurement = measure(both, limit(both, max_influences=1))
        moved, unmoved = measurement.primitives
        assert (moved.pointer, unmoved.pointer) == ("/meshes/0/primitives/0", "/meshes/1/primitives/0")
        assert unmoved.summary.max == 0 < moved.summary.max == measurement.summary.max
        assert measurement.summary.vertices == 34
        assert measurement.worst.primitive == moved.pointer
        squares = 30 * moved.summary.rms**2
        assert measurement.summary.rms == close(np.sqrt(squares / 34))

    def test_a_primitive_that_no_skin_shows_is_named(self, arm):
        alone = make_primitive(make_influences([[0]] * 4, [[1.0]] * 4), mesh=1)
        both = replace(arm, primitives=(*arm.primitives, alone))
        measurement = measure(both, both)
        (gap,) = measurement.unmeasured
        assert (gap.pointer, gap.vertices, gap.posable) == ("/meshes/1/primitives/0", 4, False)
        assert len(measurement.primitives) == 1

    def test_a_character_that_cannot_be_posed_at_all_is_measured_nowhere(self, arm):
        unskinned = replace(arm, instances=())
        measurement = measure(unskinned, unskinned)
        assert (measurement.worst, measurement.summary.vertices, measurement.diagonal) == (None, 0, 0)
        assert measurement.relative(0.0) == 0


class TestBrokenWeights:
    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("side", ["original", "result"])
    def test_a_weight_that_is_not_finite_is_left_out_and_named(self, arm, cut, value, side):
        weights = weights_of(arm if side == "original" else cut)
        weights[[3, 8], 1] = value
        broken = with_weights(arm, weights)
        pair = (broken, cut) if side == "original" else (arm, broken)
        measurement = measure(*pair)
        (gap,) = measurement.unmeasured
        assert (gap.vertices, gap.vertex, gap.repaired) == (2, 3, 0)
        assert gap.reason == f"in the {side} a weight is NaN or infinite"
        (primitive,) = measurement.primitives
        assert np.flatnonzero(~primitive.measured).tolist() == [3, 8]
        sound = measure(arm, cut).primitives[0].max_error
        np.testing.assert_array_equal(primitive.max_error, np.where(primitive.measured, sound, 0))
        assert measurement.summary.vertices == 28

    def test_a_joint_out_of_range_is_left_out_and_named(self, arm, cut):
        joints = np.tile(np.arange(3), (30, 1))
        joints[5, 2] = 3
        measurement = measure(arm, with_weights(arm, weights_of(arm), joints=joints))
        assert [(gap.vertex, gap.reason) for gap in measurement.unmeasured] == [
            (5, "in the result a joint is not in the skin")
        ]

    def test_an_original_bound_to_nothing_is_left_out_and_named(self, arm):
        weights = weights_of(arm)
        weights[2] = 0
        unbound = with_weights(arm, weights)
        repaired = limit(unbound, max_influences=2, repair={"zero": "joint=0"})
        measurement = measure(unbound, repaired)
        (gap,) = measurement.unmeasured
        assert (gap.vertex, gap.vertices, gap.repaired) == (2, 1, 1)
        assert gap.reason == "in the original the weights sum to nothing"
        assert np.isfinite(measurement.summary.max)

    def test_all_vertices_broken(self, arm, cut):
        measurement = measure(with_weights(arm, np.full((30, 3), np.nan)), cut)
        assert (measurement.worst, measurement.summary.vertices, measurement.summary.percentiles) == (None, 0, {})
        assert measurement.unmeasured[0].vertices == 30

    def test_a_displacement_whose_square_is_no_number_is_infinite_and_the_worst(self, arm):
        off = make_clip(make_channel(0, "translation", [0, 1], [[0, 0, 0], [1e200, 0, 0]]), name="off")
        away = replace(arm, clips=(arm.clips[0], off))
        weights = weights_of(arm)
        weights[6] *= 0.5
        measurement = measure(away, with_weights(away, weights))
        assert (measurement.worst.metres, measurement.worst.vertex, measurement.worst.clip) == (np.inf, 6, "off")
        assert measurement.summary.percentiles[50.0] < 1
        assert measurement.relative(measurement.summary.max) == np.inf

    @pytest.mark.parametrize("keys", [[1.7e308, 1.7e308], [1.0, 1.7e308]])
    def test_a_displacement_that_is_no_number_is_infinite_and_seen_where_it_first_is(self, arm, keys):
        scale = [[key] * 3 for key in keys]
        nodes = (0, 1)  # the one below the other: infinite, and minus infinite, which is no number
        huge = make_clip(*(make_channel(node, "scale", [0, 1], scale) for node in nodes), name="huge")
        away = replace(arm, clips=(arm.clips[0], huge, arm.clips[1]))
        measurement = measure(away, limit(away, max_influences=1), samples=5)
        first = keys.index(1.7e308)  # of the five times, only the first is at rest
        (primitive,) = measurement.primitives
        broken = np.isinf(primitive.max_error)
        assert broken.any()
        assert (primitive.clip[broken], primitive.pose[broken]) == (pytest.approx(1), pytest.approx(first))
        worst, clip = measurement.worst, measurement.clips[1]
        assert (worst.metres, worst.clip, worst.pose, worst.time) == (np.inf, "huge", first, first / 4)
        assert (clip.max, clip.rms, clip.pose, clip.time) == (np.inf, np.inf, first, first / 4)
        assert np.isnan(worst.position_before).any()
        sound = measure(arm, limit(arm, max_influences=1), samples=5).clips
        assert [measurement.clips[0].max, measurement.clips[2].max] == [one.max for one in sound]
        assert [measurement.clips[0].pose, measurement.clips[2].pose] == [one.pose for one in sound]

    @pytest.mark.parametrize("shared", [True, False], ids=["in memory", "from another file"])
    @pytest.mark.parametrize("clips", [(), ("bend",)])
    def test_a_root_scale_beyond_doubles_brings_no_warning(self, clips, shared):
        arm = make_arm(vertices=8, clips=clips)
        scales, matrices = arm.nodes.scales.copy(), arm.nodes.matrices.copy()
        scales[0], matrices[0, :3, :3] = 1.7e308, matrices[0, :3, :3] * 1.7e308
        huge = replace(arm, nodes=replace(arm.nodes, scales=scales, matrices=matrices))
        result = limit(huge, max_influences=1)
        measurement = measure(huge, result if shared else replace(result, nodes=replace(result.nodes)))
        assert measurement.worst.metres == np.inf
        assert np.isnan(measurement.diagonal)

    def test_finite_squares_may_have_an_infinite_mean(self, arm):
        off = make_clip(make_channel(0, "translation", [0, 1], [[1e154, 0, 0]] * 2), name="off")
        away = replace(arm, clips=(off,))
        measurement = measure(away, with_weights(away, weights_of(away) * 0.5))
        assert measurement.worst.metres == pytest.approx(0.5e154)
        assert measurement.summary.rms == np.inf


class TestPoses:
    def test_without_clips_a_made_range_of_motion_is_measured(self, arm):
        still = replace(arm, clips=())
        measurement = measure(still, limit(still, max_influences=1))
        assert measurement.made_poses
        assert [clip.name for clip in measurement.clips] == ["range of motion"]
        assert measurement.poses > 60
        (primitive,), (clip,), worst = measurement.primitives, measurement.clips, measurement.worst
        assert (primitive.time, clip.time, worst.time) == (None, None, None)
        assert clip.pose == worst.pose == primitive.pose[worst.vertex] > 1
        matrices = palettes(still.skins[0], PoseSchedule.from_clips(still).worlds(0, np.array([worst.pose])))
        row = [worst.vertex]
        (there,) = reference.skin_positions(
            still.primitives[0].positions[row], np.arange(3)[np.newaxis], weights_of(still)[row], matrices
        )[0]
        np.testing.assert_allclose(worst.position_before, there, atol=DISPLACEMENT)
        assert measurement.summary.max > 0.1
        assert measurement.still_joints == ()

    def test_joints_that_no_pose_moves_are_named(self, arm, cut):
        measurement = measure(replace(arm, clips=arm.clips[1:]), replace(cut, clips=arm.clips[1:]))
        assert [(joint.joint, joint.name) for joint in measurement.still_joints] == [(1, "elbow"), (2, "wrist")]
        assert measure(arm, cut).still_joints == ()

    def test_a_schedule_of_the_caller_is_taken(self, arm, cut):
        schedule = PoseSchedule.from_clips(arm, samples=3)
        assert measure(arm, cut, schedule=schedule).poses == 6

    def test_progress_counts_every_pose(self, arm, cut):
        seen = []
        measurement = measure(arm, cut, fps=300, progress=lambda done, total: seen.append((done, total)))
        assert seen[-1] == (measurement.poses, measurement.poses)
        assert len(seen) > 5
        assert sorted(seen) == seen

    def test_memory_does_not_grow_with_the_number_of_poses(self, arm, cut):
        def peak(samples):
            tracemalloc.start()
            try:
                measure(arm, cut, samples=samples)
                return tracemalloc.get_traced_memory()[1]
            finally:
                tracemalloc.stop()

        peak(10)
        few, many = peak(200), peak(20_000)
        times = 2 * 20_000 * 8
        assert many < few + 4 * times


class TestMisuse:
    def test_an_unknown_reference(self, arm, cut):
        with pytest.raises(OptionError, match="stored, normalized"):
            measure(arm, cut, reference="raw")

    @pytest.mark.parametrize("option", [{"fps": 0}, {"fps": float("nan")}, {"samples": 0}])
    def test_poses_that_make_no_sense(self, arm, cut, option):
        with pytest.raises(OptionError):
            measure(arm, cut, **option)

    def test_characters_that_differ(self, arm):
        other = make_arm(vertices=7)
        with pytest.raises(ComparisonError, match="vertices"):
            measure(arm, other, changes=limit(other, max_influences=1).changes)
        assert measure(arm, other).match.share < 1


def test_changes_may_have_more_slots_than_the_result(arm):
    packed = limit(arm, max_influences=2, pack="unorm8")
    (change,) = packed.changes
    joints, weights = (np.pad(array, ((0, 0), (0, 3))) for array in (change.joints, change.weights))
    wide = InfluenceChange(change.pointer, joints, weights, change.merged)
    assert measure(arm, packed, changes=[wide]).causes == measure(arm, packed).causes
