"""Morph targets are applied before skinning: measured files against plain NumPy, kept when rewritten."""

import math

import numpy as np
import pytest

import skinproof as sp
from morphs import TARGETS, MorphedStrip
from skinproof.errors import FormatError
from skinproof.limiting import FitOptions, limit
from skinproof.poses import PoseSchedule
from tolerances import FLOAT32_DISPLACEMENT

SAMPLES = 23
LINEAR = ([0, 0.3, 1], [[0, 1], [2, -1], [0.5, 3]], "LINEAR")
STEP = ([0.1, 0.4, 0.9], [[0, 1], [2, -1], [0.5, 3]], "STEP")
CUBIC = ([0, 0.6, 1], np.random.default_rng(4).uniform(-3, 3, (3, 3, TARGETS)), "CUBICSPLINE")
KINDS = {"linear": LINEAR, "step": STEP, "cubic": CUBIC}


def measured(made, tmp_path, *, samples=SAMPLES):
    character = sp.read(made.builder.save(tmp_path / "strip.glb"))
    return character, sp.measure(character, limit(character, max_influences=1), samples=samples)


def assert_measured(found, expected):
    """Held against displacements [P, V, 3]: every vertex, its worst pose, the mean, the bound above both."""
    lengths = np.linalg.norm(expected, axis=2)
    (primitive,) = found.primitives
    np.testing.assert_allclose(primitive.max_error, lengths.max(axis=0), **FLOAT32_DISPLACEMENT)
    np.testing.assert_allclose(primitive.rms, np.sqrt((lengths**2).mean(axis=0)), **FLOAT32_DISPLACEMENT)
    vertex = primitive.worst.vertex
    assert lengths[primitive.worst.pose, vertex] == pytest.approx(lengths.max(), rel=1e-6)
    moved = np.subtract(primitive.worst.position_after, primitive.worst.position_before)
    np.testing.assert_allclose(moved, expected[primitive.worst.pose, vertex], **FLOAT32_DISPLACEMENT)
    assert (primitive.bound >= primitive.max_error * (1 - 1e-9)).all()
    assert found.summary.max > 0.05, "nothing to measure"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("storage", ["dense", "sparse", "sparse without base"])
def test_a_clip_that_bends_and_morphs(tmp_path, kind, storage):
    made = MorphedStrip(*KINDS[kind])
    if storage != "dense":
        rows = [1, 4, 5, 8]
        made.targets[1, np.setdiff1d(np.arange(12), rows)] = 0
        made.builder.sparsify(made.accessors[1], rows, base=storage == "sparse")
        if storage == "sparse":  # sparsify leaves what it does not replace
            view = made.builder.json["bufferViews"][made.builder.json["accessors"][made.accessors[1]]["bufferView"]]
            made.builder.data[view["byteOffset"] : view["byteOffset"] + view["byteLength"]] = bytes(view["byteLength"])
    character, found = measured(made, tmp_path)
    assert not [finding for finding in character.findings if "MORPH" in finding.code]
    clip = character.clips[0]
    times = np.linspace(clip.start, clip.end, SAMPLES)
    expected = made.displacements(times)
    assert_measured(found, expected)
    without = made.displacements(times, weights=np.zeros(TARGETS))
    assert abs(np.linalg.norm(expected, axis=2).max() - np.linalg.norm(without, axis=2).max()) > 0.05, "no test"


def test_the_exact_bound_is_that_of_the_morphed_shape(tmp_path):
    made = MorphedStrip(*LINEAR)
    _, found = measured(made, tmp_path)
    bound = np.zeros(len(made.positions))
    for time in np.linspace(0, 1, SAMPLES):
        points = np.c_[made.shape(made.weights_at(time)), np.ones(len(made.positions))]
        lower, upper = np.einsum("jab,vb->jva", made.matrices(np.pi / 2 * time), points)[:, :, :3]
        dropped = np.minimum(made.before[:, 0], made.before[:, 1])
        bound = np.maximum(bound, dropped * np.linalg.norm(upper - lower, axis=1))
    np.testing.assert_allclose(found.primitives[0].bound, bound, **FLOAT32_DISPLACEMENT)


@pytest.mark.parametrize("holder", ["mesh", "node", "both"])
def test_weights_at_rest(tmp_path, holder):
    made = MorphedStrip(interpolation=None)
    if holder != "node":
        made.mesh["weights"] = [1, -0.5] if holder == "mesh" else [9, 9]
    if holder != "mesh":
        made.builder.json["nodes"][2]["weights"] = [1, -0.5]
    _, found = measured(made, tmp_path)
    assert_measured(found, made.displacements(np.linspace(0, 1, SAMPLES), weights=np.array([1, -0.5])))


def test_a_clip_overrides_the_weights_at_rest_and_other_clips_do_not(tmp_path):
    made = MorphedStrip(*LINEAR)
    made.mesh["weights"] = [0.25, 0.75]
    bend = {"samplers": [made.builder.json["animations"][0]["samplers"][0]], "channels": []}
    bend["channels"].append({"sampler": 0, "target": {"node": 1, "path": "rotation"}})
    made.builder.json["animations"].append(bend)
    _, found = measured(made, tmp_path)
    times = np.linspace(0, 1, SAMPLES)
    both = [made.displacements(times), made.displacements(times, weights=np.array([0.25, 0.75]))]
    for clip, expected in zip(found.clips, both, strict=True):
        assert clip.max == pytest.approx(np.linalg.norm(expected, axis=2).max(), rel=1e-6)
    assert found.clips[0].max != pytest.approx(found.clips[1].max, rel=0.05)


def test_of_two_nodes_with_one_skin_the_worse_shape_counts(tmp_path):
    made = MorphedStrip(interpolation=None)
    other = dict(made.builder.json["nodes"][2], weights=[-2, 3])
    made.builder.json["nodes"].append(other)
    made.builder.json["scenes"][0]["nodes"].append(3)
    _, found = measured(made, tmp_path)
    times = np.linspace(0, 1, SAMPLES)
    plain, morphed = (np.linalg.norm(made.displacements(times, weights=np.array(w)), axis=2) for w in ([0, 0], [-2, 3]))
    np.testing.assert_allclose(
        found.primitives[0].max_error, np.maximum(plain.max(axis=0), morphed.max(axis=0)), **FLOAT32_DISPLACEMENT
    )
    worst = found.primitives[0].worst
    assert np.subtract(worst.position_after, worst.position_before) == pytest.approx(
        made.displacements([times[worst.pose]], weights=np.array([-2, 3]))[0, worst.vertex], abs=1e-5
    )


def test_clips_that_only_morph_give_their_shapes_to_the_made_poses(tmp_path):
    made = MorphedStrip(*LINEAR, bend=False)
    character, found = measured(made, tmp_path)
    assert found.made_poses
    schedule = sp.poses.PoseSchedule.from_clips(character)
    poses = np.arange(schedule.pose_count)
    worlds = schedule.worlds(0, poses)
    expected = []
    for pose in poses:
        shape = made.shape(made.values.astype(np.float64)[pose % 3])
        points = np.c_[shape, np.ones(len(shape))]
        binds = [np.eye(4), np.array([[1, 0, 0, 0], [0, 1, 0, -1], [0, 0, 1, 0], [0, 0, 0, 1]])]
        images = np.stack([points @ (worlds[pose, joint] @ binds[joint]).T for joint in (0, 1)])
        expected.append(np.einsum("vj,jva->va", made.after - made.before, images)[:, :3])
    assert_measured(found, np.array(expected))


def test_the_diagonal_is_that_of_the_shape_at_rest(tmp_path):
    made = MorphedStrip(interpolation=None)
    made.mesh["weights"] = [5, 5]
    _, found = measured(made, tmp_path)
    assert found.diagonal == pytest.approx(math.dist(*_corners(made.shape(np.array([5, 5])))), rel=1e-6)


def _corners(points):
    return points.min(axis=0), points.max(axis=0)


def test_targets_are_kept_when_influences_are_rewritten(tmp_path):
    made = MorphedStrip(*LINEAR)
    made.mesh["weights"] = [0.5, 0]
    source = sp.read(made.builder.save(tmp_path / "strip.glb"))
    sp.write(limit(source, max_influences=1), tmp_path / "out.glb")
    again = sp.read(tmp_path / "out.glb")
    for before, after in zip(source.primitives[0].targets, again.primitives[0].targets, strict=True):
        assert before.tobytes() == after.tobytes()
    assert again.instances == source.instances
    assert again.clips[0].channels[1].values.tobytes() == source.clips[0].channels[1].values.tobytes()
    assert again.source.json["meshes"][0]["weights"] == [0.5, 0]


@pytest.mark.parametrize("where", ["mesh", "node"])
def test_weights_that_are_not_one_per_target_are_refused(tmp_path, where):
    made = MorphedStrip()
    holder, pointer = (made.mesh, "/meshes/0") if where == "mesh" else (made.builder.json["nodes"][2], "/nodes/2")
    holder["weights"] = [1, 2, 3]
    with pytest.raises(FormatError, match="there are 3 weights for 2 morph targets") as caught:
        sp.read(made.builder.save(tmp_path / "a.glb"))
    assert caught.value.pointer == f"{pointer}/weights"


def test_a_target_that_is_not_finite_is_refused(tmp_path):
    made = MorphedStrip()
    made.primitive["targets"][1] = {"POSITION": made.builder.accessor(np.full((12, 3), np.nan))}
    with pytest.raises(FormatError, match="12 vertices have a NaN or infinite position") as caught:
        sp.read(made.builder.save(tmp_path / "a.glb"))
    assert caught.value.pointer == "/meshes/0/primitives/0/targets/1/POSITION"


def test_a_target_without_positions_moves_nothing(tmp_path):
    made = MorphedStrip(*LINEAR)
    made.targets[0] = 0
    made.primitive["targets"][0] = {"NORMAL": made.accessors[0]}
    _, found = measured(made, tmp_path)
    assert_measured(found, made.displacements(np.linspace(0, 1, SAMPLES)))


def one_more_target(made):
    made.primitive["targets"].append(made.primitive["targets"][0])
    made.builder.json["animations"][0]["channels"].pop()


def other_weights_at_rest(made):
    made.builder.json["nodes"][2]["weights"] = [0, 0.01]


def other_keys(made):
    sampler = made.builder.json["animations"][0]["samplers"][1]
    sampler["output"] = made.builder.accessor(np.float32([0, 1, 2, -1.01, 0.5, 3]))


def another_node(made):
    made.builder.json["nodes"].append(dict(made.builder.json["nodes"][2]))


def of_no_morph(made):
    return np.array([np.tensordot(weights, made.targets, axes=1) for weights in LINEAR[1]])


def of_a_hundredth(made):
    return 0.01 * made.targets[1:2].astype(np.float64)


@pytest.mark.parametrize(
    ("kind", "change", "reason", "apart"),
    [
        (LINEAR, one_more_target, "strip has 2 and 3 morph targets", of_no_morph),
        (LINEAR, other_keys, "strip has other morph weights in bend", of_a_hundredth),
        ((*LINEAR[:2], None), other_weights_at_rest, "strip has other morph weights in bend", of_a_hundredth),
        (LINEAR, another_node, "strip is shown 1 and 2 times", of_no_morph),
    ],
)
def test_other_shapes_are_measured_as_what_they_are(tmp_path, kind, change, reason, apart):
    """A joint turns both shapes alike; between keys their distance has no maximum."""
    made = MorphedStrip(*kind)
    original = sp.read(made.builder.save(tmp_path / "a.glb"))
    assert sp.measure(original, sp.read(made.builder.save(tmp_path / "same.glb")), samples=2).match is None
    change(made)
    found = sp.measure(original, sp.read(made.builder.save(tmp_path / "b.glb")))
    assert found.match.reason == reason
    assert found.match.share == 1
    expected = np.linalg.norm(apart(made), axis=2).max(axis=0)
    # Where nothing turns as one: blends of the two joints shorten what lies between them.
    rigid = (made.before == 1).any(axis=1)
    np.testing.assert_allclose(found.primitives[0].max_error[rigid], expected[rigid], **FLOAT32_DISPLACEMENT)
    assert (found.primitives[0].max_error <= expected * (1 + 1e-6)).all()


def test_other_targets_are_measured_as_what_they_are(tmp_path):
    made = MorphedStrip(*LINEAR)
    original = sp.read(made.builder.save(tmp_path / "a.glb"))
    start = made.builder.json["bufferViews"][made.accessors[0]]["byteOffset"]
    made.builder.data[start : start + 4] = np.float32(9).tobytes()
    found = sp.measure(original, sp.read(made.builder.save(tmp_path / "b.glb")))
    assert found.match.reason.startswith("morph target 0 of strip")
    expected = np.zeros(12)
    expected[0] = 2 * (9 - float(made.targets[0, 0, 0]))  # the largest weight, at the second key
    np.testing.assert_allclose(found.primitives[0].max_error, expected, **FLOAT32_DISPLACEMENT)


def mean_squares(made, times, kept, weights):
    """Mean over time, by the trapezoidal rule, of |e|² of each vertex if joint `kept` alone is left to it."""
    after = np.zeros_like(made.before)
    after[:, kept] = 1.0
    found = []
    for time, shape in zip(times, weights, strict=True):
        moved = made.placed(after - made.before, made.shape(shape), np.pi / 2 * time if made.bend else 0.0)
        found.append(np.sum(moved**2, axis=1))
    squares = np.array(found)
    return np.tensordot(np.diff(times), (squares[1:] + squares[:-1]) / 2, axes=1)


def exact(character, **options):
    fit = FitOptions(prior=options.pop("prior", 0.0), **options)
    schedule = PoseSchedule.from_clips(character, samples=SAMPLES)
    return limit(character, max_influences=1, method="exact", schedule=schedule, fit=fit)


@pytest.mark.parametrize("kind", [*KINDS, "at rest", "two nodes"])
def test_the_exact_method_fits_to_the_morphed_shape(tmp_path, kind):
    made = MorphedStrip(*KINDS.get(kind, ((0,), ((0, 0),), None)), vertices=40, third=True)
    times = np.linspace(0, 1, SAMPLES)
    if kind in KINDS:
        shapes = [[made.weights_at(time) for time in times]]
    else:
        made.mesh["weights"] = [2.0, -3.0]
        shapes = [[np.array([2.0, -3.0])] * SAMPLES]
    if kind == "two nodes":
        made.builder.json["nodes"].append(dict(made.builder.json["nodes"][2], weights=[-4.0, 1.0]))
        shapes.append([np.array([-4.0, 1.0])] * SAMPLES)
    character = sp.read(made.builder.save(tmp_path / "a.glb"))
    fit = exact(character, guard=False, prior_slack=1e9).changes[0].fit
    costs = np.array([[mean_squares(made, times, joint, one) for joint in range(3)] for one in shapes]).mean(axis=0)
    np.testing.assert_allclose(fit.optimum, np.sqrt(costs.min(axis=0)), **FLOAT32_DISPLACEMENT)
    plain = np.array([mean_squares(made, times, joint, [np.zeros(TARGETS)] * SAMPLES) for joint in range(3)])
    assert (costs.argmin(axis=0) != plain.argmin(axis=0)).any(), "the shape decides nothing here"


@pytest.mark.parametrize("kind", KINDS)
def test_the_exact_method_moves_no_morphed_vertex_further_than_the_largest(tmp_path, kind):
    made = MorphedStrip(*KINDS[kind], vertices=200, third=True)
    character = sp.read(made.builder.save(tmp_path / "a.glb"))
    results = [exact(character), exact(character, guard=False, prior_slack=1e9), limit(character, max_influences=1)]
    guarded, free, largest = (
        sp.measure(character, one, reference="normalized", samples=SAMPLES).primitives[0].max_error for one in results
    )
    assert (guarded <= largest).all()
    assert (free > largest * 1.01).any(), "nothing to guard against"


def test_what_is_morphed_apart_is_not_welded(tmp_path):
    """The ends of the strip's middle, put at one place, part when they are morphed: one way each is right."""
    made = MorphedStrip([0, 1], [[1, 0], [1, 0]], vertices=12)
    made.before[:] = [0.5, 0.5]
    together = np.tile(np.float32([0.5, 1.2, 0.0]), (12, 1))
    targets = np.zeros((12, 3), np.float32)
    targets[::2, 1] = 5.0  # far beyond the upper joint's pivot
    attributes = made.primitive["attributes"]
    for accessor, data in (
        (attributes["POSITION"], together),
        (attributes["WEIGHTS_0"], np.tile(np.float32([0.5, 0.5, 0, 0]), (12, 1))),
        (attributes["JOINTS_0"], np.tile(np.uint8([0, 1, 0, 0]), (12, 1))),
        (made.accessors[0], targets),
    ):
        holder = made.builder.json["accessors"][accessor]
        holder.pop("min", None), holder.pop("max", None)
        start = made.builder.json["bufferViews"][holder["bufferView"]]["byteOffset"]
        made.builder.data[start : start + data.nbytes] = data.tobytes()
    character = sp.read(made.builder.save(tmp_path / "a.glb"))
    fit = exact(character).changes[0].fit
    assert len(np.unique(fit.optimum[::2])) == len(np.unique(fit.optimum[1::2])) == 1
    assert fit.optimum[0] > 2 * fit.optimum[1]
