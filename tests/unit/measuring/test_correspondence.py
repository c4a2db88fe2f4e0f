from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import altered
from characters import make_character, make_influences, make_nodes, make_primitive, make_skin
from limbs import limb
from skinproof.errors import ComparisonError
from skinproof.measuring.correspondence import correspond
from skinproof.model import Instance
from skinproof.model.match import SHOWN


def pairs_of(correspondence):
    """All pairs as (original primitive, vertex, result primitive, vertex)."""
    return [
        (one.primitive, vertex, one.result_primitive, other)
        for one in correspondence.pairs
        for vertex, other in zip(one.vertices.tolist(), one.result_vertices.tolist(), strict=True)
    ]


def are_the_same(original, result, pairs):
    """Whether the two vertices of every pair have the same position, normal and weights."""
    for here, vertex, there, other in pairs:
        one, two = original.primitives[here], result.primitives[there]
        for name in ("positions", "normals"):
            if not np.array_equal(getattr(one, name)[vertex], getattr(two, name)[other]):
                return False
        if not np.array_equal(one.influences.weights[vertex], two.influences.weights[other]):
            return False
    return True


def expect_whole(original, result):
    found = correspond(original, result)
    assert found.share == 1.0
    assert found.original.ambiguous == found.result.ambiguous == ()
    return found


class TestOtherVertices:
    def test_in_another_order(self):
        result = altered.shuffled(limb())
        found = expect_whole(limb(), result)
        pairs = pairs_of(found)
        assert are_the_same(limb(), result, pairs)
        assert len(pairs) >= limb().primitives[0].vertex_count

    def test_welded(self):
        """The two sides of the seam have become one."""
        result = altered.welded(limb())
        found = expect_whole(limb(), result)
        before, after = limb().primitives[0], result.primitives[0]
        assert after.vertex_count < before.vertex_count
        assert len(pairs_of(found)) == before.vertex_count
        assert are_the_same(limb(), result, pairs_of(found))

    def test_split(self):
        result = altered.split(limb())
        found = expect_whole(limb(), result)
        assert found.result.vertices == len(limb().primitives[0].indices)
        corners = {other for *_, other in pairs_of(found)}
        assert corners == set(range(len(limb().primitives[0].indices)))
        assert are_the_same(limb(), result, pairs_of(found))

    def test_what_no_triangle_names_is_no_part_of_it(self):
        primitive = limb().primitives[0]
        stray = altered.taken(primitive, np.append(np.arange(primitive.vertex_count), 0), primitive.indices)
        moved = stray.positions.copy()
        moved[-1] = 77
        original = replace(limb(), primitives=(replace(stray, positions=moved),))
        found = expect_whole(original, altered.shuffled(original))
        assert found.original.vertices == primitive.vertex_count


class TestOtherSkins:
    def test_joints_in_another_order(self):
        order = np.random.default_rng(2).permutation(len(limb().skins[0]))
        result = altered.shuffled(altered.with_joints_in_order(limb(), order))
        assert are_the_same(limb(), result, pairs_of(expect_whole(limb(), result)))

    def test_a_joint_renamed(self):
        """Vertices that hang on it alone are placed by the other joints of their skin."""
        result = altered.renamed(altered.shuffled(limb()), {"joint4": "Gelenk"})
        assert are_the_same(limb(), result, pairs_of(expect_whole(limb(), result)))

    def test_all_joints_without_names(self):
        nameless = altered.renamed(limb(), dict.fromkeys(limb().nodes.names, ""))
        expect_whole(nameless, altered.shuffled(limb()))

    @pytest.mark.parametrize("steps", [65535, 16383, 4095])
    def test_positions_as_integers(self, steps):
        """The bind matrices hold the scale; vertices that the grid cannot tell apart are told apart by weights."""
        found = correspond(limb(), altered.quantized(altered.shuffled(limb()), steps))
        assert found.share == 1.0
        extent = np.ptp(limb().primitives[0].positions, axis=0).max()
        assert found.radius == pytest.approx(np.sqrt(3) / 2 * (extent + 0.2) / steps, rel=0.2)

    def test_the_tolerance_is_told_in_metres_whichever_file_is_the_integers(self):
        integers = altered.quantized(limb(), 4095)
        there, back = correspond(limb(), integers), correspond(integers, limb())
        assert (there.share, back.share) == (1.0, 1.0)
        assert back.radius == pytest.approx(there.radius, rel=0.01)

    def test_a_grid_that_is_not_said_is_not_guessed(self):
        result = altered.quantized(limb(), 4095)
        silent = altered.with_primitive(result, 0, position_step=0.0)
        assert correspond(limb(), silent).share < 0.1

    def test_a_mesh_that_is_scaled(self):
        """In centimetres, bind matrices included, but not the joints' own places."""
        scale = np.diag([0.01, 0.01, 0.01, 1])
        skins = tuple(replace(one, inverse_binds=one.inverse_binds @ scale) for one in limb().skins)
        result = altered.with_primitive(limb(), 0, positions=limb().primitives[0].positions * np.float32(100))
        expect_whole(limb(), replace(result, skins=skins))

    def test_other_units_match_nothing(self):
        """In centimetres, joints included."""
        to_metres, to_centimetres = np.diag([0.01, 0.01, 0.01, 1]), np.diag([100.0, 100, 100, 1])
        skins = tuple(
            replace(one, inverse_binds=to_centimetres @ one.inverse_binds @ to_metres) for one in limb().skins
        )
        result = altered.with_primitive(limb(), 0, positions=limb().primitives[0].positions * np.float32(100))
        match = correspond(limb(), replace(result, skins=skins))
        assert match.share < 0.01


class TestShares:
    def test_a_missing_region(self):
        """The triangles at one end are gone: their vertices have no partner, all of the result's do."""
        primitive = limb().primitives[0]
        corners = primitive.positions[primitive.indices].reshape(-1, 3, 3)
        kept = (corners[:, :, 1] < 4.5).all(axis=1)
        result = altered.with_part(limb(), 0, kept)
        match = correspond(limb(), result)
        drawn = np.unique(primitive.indices.reshape(-1, 3)[kept])
        missing = sorted(set(np.unique(primitive.indices).tolist()) - set(drawn.tolist()))
        assert 0 < len(missing) < 0.2 * primitive.vertex_count
        (unmatched,) = match.original.unmatched
        assert (unmatched.name, unmatched.vertices) == ("limb", len(missing))
        assert unmatched.first == tuple(missing[:SHOWN])
        assert match.result.share == 1.0
        assert match.share == match.original.share == 1 - len(missing) / match.original.vertices
        back = correspond(result, limb())
        assert (back.share, back.original.share) == (match.share, 1.0)

    def test_strangers_share_nothing(self):
        other = make_character(
            make_nodes([-1, 0, 0]),
            skins=[make_skin([0, 1])],
            primitives=[make_primitive(make_influences([[0], [1]], [[1.0], [1.0]]))],
            instances=[Instance(2, 0, 0)],
        )
        match = correspond(limb(), other)
        assert (match.share, match.original.matched, match.result.matched) == (0.0, 0, 0)
        assert match.result.vertices == 2

    def test_what_no_skin_shows_is_not_counted(self):
        unshown = replace(limb(), instances=())
        match = correspond(unshown, unshown)
        assert (match.original.vertices, match.share) == (0, 0.0)


def seam(*, sides, normals=True, uvs=True):
    """Vertices that stand twice at the same places; the two copies differ in normal, uv and weights as asked for."""
    random = np.random.default_rng(8)
    places = random.uniform(-1, 1, (20, 3)).astype(np.float32)
    positions = np.concatenate([places, places])
    side = np.repeat([0, 1], 20)
    influences = make_influences(
        np.tile([1, 2], (40, 1)), np.where((side == 0)[:, None], [0.9, 0.1], sides), format="float32"
    )
    up, down = np.array([0, 1, 0], np.float32), np.array([0, -1, 0], np.float32)
    primitive = replace(
        make_primitive(influences, positions=positions),
        normals=np.where((side == 0)[:, None], up, down if normals else up).astype(np.float32),
        uvs=np.where((side == 0)[:, None], 0.0, 0.5 if uvs else 0.0).astype(np.float32) * np.ones((1, 2), np.float32),
    )
    return make_character(
        make_nodes([-1, 0, 1, -1], translations=[[0, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 0]]),
        skins=[make_skin([0, 1, 2])],
        primitives=[primitive],
        instances=[Instance(3, 0, 0)],
    )


class TestTwoSidesOfASeam:
    @pytest.mark.parametrize(("normals", "uvs"), [(True, False), (False, True), (True, True)])
    def test_told_apart_by_normal_or_texture(self, normals, uvs):
        original = seam(sides=[0.2, 0.8], normals=normals, uvs=uvs)
        result = altered.shuffled(original)
        found = expect_whole(original, result)
        assert len(pairs_of(found)) == 40
        assert are_the_same(original, result, pairs_of(found))

    def test_told_apart_by_nothing_else(self):
        original = seam(sides=[0.2, 0.8], normals=False, uvs=False)
        result = altered.shuffled(original)
        found = correspond(original, result)
        assert found.share == 1.0
        assert [one.vertices for one in (*found.original.ambiguous, *found.result.ambiguous)] == [40, 40]
        assert are_the_same(original, result, pairs_of(found))

    def test_the_same_weights_are_not_ambiguous(self):
        original = seam(sides=[0.9, 0.1], normals=False, uvs=False)
        expect_whole(original, altered.shuffled(original))


def test_a_mesh_under_several_skins():
    """A vertex has its partner under all of them, or it has none."""
    base = seam(sides=[0.2, 0.8])
    nodes = make_nodes([-1, 0, 1, -1, -1, 4, 5, -1])
    skins = (base.skins[0], replace(base.skins[0], joints=np.array([4, 5, 6], np.int32)))
    original = replace(base, nodes=nodes, skins=skins, instances=(Instance(3, 0, 0), Instance(7, 0, 1)))
    whole = expect_whole(original, altered.shuffled(original))
    assert [(one.skin, one.result_skin, len(one.vertices)) for one in whole.pairs] == [(0, 0, 40), (1, 1, 40)]
    moved = replace(skins[1], inverse_binds=skins[1].inverse_binds + np.eye(4)[:, [3, 0, 1, 2]] * 0)
    shift = np.eye(4)
    shift[0, 3] = 0.5
    moved = replace(skins[1], inverse_binds=np.ascontiguousarray(moved.inverse_binds @ shift))
    half = correspond(original, replace(original, skins=(skins[0], moved)))
    assert half.share < 0.1


def test_too_many_joints_are_refused(monkeypatch):
    """More than their numbers can hold; here the limit is made small."""
    monkeypatch.setattr("skinproof.measuring.correspondence._MOST_JOINTS", 7)
    correspond(limb(), limb())
    other = altered.renamed(limb(), {"joint0": "a", "joint1": "b", "joint4": "c"})
    with pytest.raises(ComparisonError, match="8 different joints"):
        correspond(limb(), other)
