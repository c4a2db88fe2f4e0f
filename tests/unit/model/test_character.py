import numpy as np
import pytest

from skinproof.errors import ArrayError
from skinproof.model import InfluenceChange, Instance
from unit.model.made import character, has_own_frozen_arrays, influences, nodes, primitive, skin


def test_a_mesh_may_be_shown_through_several_skins():
    made = character()
    assert [made.skins_of(primitive) for primitive in made.primitives] == [(0, 1), (0,)]


def test_a_mesh_may_be_shown_through_none():
    made = character(instances=())
    assert made.skins_of(made.primitives[0]) == ()


def test_showings_are_one_per_skin_or_with_morph_targets_all():
    instances = (Instance(0, 0, 1), Instance(1, 0, 0), Instance(1, 1, 0), Instance(1, 0, 1), Instance(0, 0, 0))
    plain = character(instances=instances)
    assert [plain.showings_of(one) for one in plain.primitives] == [(1, 0), (2,)]
    target = (np.zeros((3, 3), np.float32),)
    morphed = character(instances=instances, primitives=(primitive(targets=target), primitive(mesh=1, targets=target)))
    assert [morphed.showings_of(one) for one in morphed.primitives] == [(1, 4, 0, 3), (2,)]


def test_new_influences_make_another_character():
    made = character()
    new = [influences(), influences()]
    change = InfluenceChange("", new[0].joints, new[0].weights.astype(np.float64), np.array([], dtype=np.intp))
    other = made.with_influences(new, [change])
    assert [primitive.influences for primitive in other.primitives] == new
    assert other.changes == (change,)
    assert (other.nodes, other.skins, other.clips) == (made.nodes, made.skins, made.clips)
    assert made.changes == ()
    assert made.primitives[0].influences is not new[0]


def test_influences_for_every_primitive_are_needed():
    with pytest.raises(ValueError, match="shorter"):
        character().with_influences([influences()])


def test_a_mesh_under_several_skins_may_name_the_joints_of_the_smallest():
    small = skin(joints=np.array([1], np.int32), inverse_binds=np.eye(4)[np.newaxis])
    made = character(skins=(skin(), small))
    assert [made.joint_count_of(primitive) for primitive in made.primitives] == [1, 2]
    unseen = character(instances=())
    assert unseen.joint_count_of(unseen.primitives[0]) is None


def test_joints_have_the_names_of_their_nodes_or_their_number():
    made = character(nodes=nodes(names=("root", "")))
    turned = skin(joints=np.array([1, 0], np.int32))
    assert [made.joint_name(turned, joint) for joint in (0, 1)] == ["joint 0", "root"]


def change(**changes):
    values = {
        "pointer": "/meshes/0/primitives/0",
        "joints": np.zeros((3, 2), np.uint16),
        "weights": np.ones((3, 2)),
        "merged": np.array([2], np.intp),
        "repaired": {"zero=joint=0": np.array([0, 1], np.intp)},
    }
    return InfluenceChange(**{**values, **changes})


class TestInfluenceChange:
    def test_arrays_are_its_own_and_frozen(self):
        given = {"joints": np.zeros((3, 2), np.uint16), "weights": np.ones((3, 2)), "merged": np.array([2], np.intp)}
        assert has_own_frozen_arrays(change(**given), **given)

    def test_what_was_repaired_is_its_own_and_frozen(self):
        vertices = np.array([1], np.intp)
        repaired = {"negative=drop": vertices}
        made = change(repaired=repaired)
        repaired["zero=joint=0"], vertices[0] = vertices, 2
        assert {policy: kept.tolist() for policy, kept in made.repaired.items()} == {"negative=drop": [1]}
        assert not made.repaired["negative=drop"].flags.writeable
        with pytest.raises(TypeError):
            made.repaired["zero=joint=0"] = vertices

    @pytest.mark.parametrize(
        ("changes", "said"),
        [
            ({"joints": np.zeros((3, 2), np.int64)}, "joints: expected dtype uint16"),
            ({"weights": np.ones((3, 2), np.float32)}, "weights: expected dtype float64"),
            ({"weights": np.ones((3, 4))}, r"weights: expected shape \[3, 2\]"),
            ({"merged": np.array([1], np.int32)}, "merged: expected dtype int64"),
            ({"merged": np.array([0, 3], np.intp)}, "merged: expected vertices below 3, got 0 to 3"),
            ({"merged": np.array([-1], np.intp)}, "merged: expected vertices below 3, got -1 to -1"),
            ({"repaired": {"zero": np.array([7], np.intp)}}, r"repaired\['zero'\]: expected vertices below 3"),
        ],
    )
    def test_what_does_not_fit_is_refused_by_name(self, changes, said):
        with pytest.raises(ArrayError, match=f"^{said}"):
            change(**changes)
