from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from characters import make_character, make_influences, make_nodes, make_primitive, make_skin
from skinproof.measuring.pair_skins import pair_skins
from skinproof.model import Instance


def crowd(*skins, names=(), shown=None):
    """A character whose skins have these joint names, each a node of its own, each over a mesh of its own."""
    joint_names = [name for skin in skins for name in skin]
    nodes = replace(make_nodes([-1] * len(joint_names)), names=tuple(joint_names))
    primitives = [make_primitive(make_influences([[0]], [[1.0]]), mesh=mesh) for mesh in range(len(skins))]
    made, first = [], 0
    for index, skin in enumerate(skins):
        skin_name = names[index] if names else ""
        made.append(replace(make_skin(range(first, first + len(skin))), name=skin_name))
        first += len(skin)
    instances = [Instance(0, mesh, mesh) for mesh in (range(len(skins)) if shown is None else shown)]
    return make_character(nodes, skins=made, primitives=primitives, instances=instances)


def paired(original, result):
    return [(list(group.original), list(group.result)) for group in pair_skins(original, result)]


def common(original, result):
    """Pairs of joint indices of the one group of two skins."""
    (group,) = pair_skins(original, result)
    (ours,), (theirs,) = group.original.values(), group.result.values()
    return [(joint, theirs.index(label)) for joint, label in enumerate(ours) if label in theirs]


class TestJoints:
    def test_by_name_in_any_order(self):
        assert common(crowd(["hip", "knee", "toe"]), crowd(["toe", "hip", "knee"])) == [(0, 1), (1, 2), (2, 0)]

    def test_a_renamed_one_and_a_missing_one(self):
        assert common(crowd(["hip", "knee", "toe"]), crowd(["toe", "pelvis"])) == [(2, 0)]

    def test_names_that_stand_twice_or_are_empty_say_nothing(self):
        assert common(crowd(["hip", "bone", "bone", ""]), crowd(["bone", "hip", "", ""])) == [(0, 1)]

    def test_without_names_by_order(self):
        assert common(crowd(["", "", ""]), crowd(["a", "b", "c"])) == [(0, 0), (1, 1), (2, 2)]
        assert common(crowd(["x", "x", ""]), crowd(["x", "x", ""])) == [(0, 0), (1, 1), (2, 2)]

    def test_another_number_of_nameless_ones_is_nothing(self):
        assert pair_skins(crowd(["", ""]), crowd(["", "", ""])) == ()


class TestSkins:
    def test_by_the_joints_they_share(self):
        original = crowd(["a", "b"], ["c", "d"], ["e"])
        assert paired(original, crowd(["e", "x"], ["d", "c"], ["b"])) == [([0], [2]), ([1], [1]), ([2], [0])]

    def test_a_crowd_goes_by_skin_names_then_by_order(self):
        same = [["hip", "knee"]] * 3
        assert paired(crowd(*same), crowd(*same)) == [([0], [0]), ([1], [1]), ([2], [2])]
        renamed = crowd(*same, names=["x", "y", "z"]), crowd(*same, names=["z", "x", "y"])
        assert paired(*renamed) == [([0], [1]), ([1], [2]), ([2], [0])]

    def test_skins_made_one_and_a_skin_made_two(self):
        """As tools do that drop what stands twice, or give every mesh a skin of its own."""
        assert paired(crowd(["a"], ["a"], ["b"]), crowd(["a"], ["b"])) == [([0, 1], [0]), ([2], [1])]
        assert paired(crowd(["a"], ["b"]), crowd(["a"], ["a"], ["b"])) == [([0], [0, 1]), ([1], [2])]

    def test_a_skin_that_shows_nothing_is_none(self):
        assert paired(crowd(["a"], ["a"], shown=[1]), crowd(["a"], ["a"])) == [([1], [0, 1])]

    def test_strangers_go_with_none(self):
        assert paired(crowd(["a", "b"], ["c"]), crowd(["c"], ["x", "y", "z"])) == [([1], [0])]
        assert paired(crowd(["a"]), crowd()) == []

    def test_a_large_crowd_is_no_wait(self):
        many = crowd(*[["hip", "knee"]] * 3000)
        start = time.thread_time()
        groups = pair_skins(many, many)
        assert time.thread_time() - start < 5
        assert len(groups) == 3000


def test_no_skins_of_the_result_are_left_out_by_accident():
    """Each shown skin of either side is in exactly one group where all have a joint in common."""
    random = np.random.default_rng(3)
    for _ in range(50):
        sides = [
            crowd(*[["root", *random.choice(list("abcdef"), 2, replace=False)] for _ in range(random.integers(1, 6))])
            for _ in range(2)
        ]
        groups = pair_skins(*sides)
        assert sorted(skin for group in groups for skin in group.original) == list(range(len(sides[0].skins)))
        assert sorted(skin for group in groups for skin in group.result) == list(range(len(sides[1].skins)))
