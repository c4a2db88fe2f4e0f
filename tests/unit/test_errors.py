"""Errors: one tree, and messages with the place and the remedy."""

import inspect

import numpy as np
import pytest

from skinproof import errors
from skinproof.errors import (
    FormatError,
    InfluenceError,
    InfluenceProblem,
    InfluenceProblems,
    ProblemArrays,
    UnsupportedError,
)

RULES = list(errors.INFLUENCE_RULES)


def arrays(*rows, primitive=""):
    """The problems of one primitive from rows of rule, vertex, joint, value."""
    rules, vertices, joints, values = zip(*rows, strict=True)
    return ProblemArrays(
        np.array([RULES.index(rule) for rule in rules], dtype=np.uint8),
        np.array(vertices, dtype=np.intp),
        np.array(joints, dtype=np.int16),
        np.array(values, dtype=np.float64),
        primitive,
    )


def problems(*rows):
    return InfluenceProblems([arrays(*rows)])


SPREAD = InfluenceProblems(
    [
        arrays(("duplicate_joint", 7, 3, 0.5), ("negative_joint", 7, -1, 0.25), primitive="/meshes/0/primitives/0"),
        arrays(("duplicate_joint", 7, 3, 0.5), ("zero_sum", 9, 0, 0), primitive="/meshes/0/primitives/1"),
    ]
)
SPREAD_OUT = (
    InfluenceProblem("duplicate_joint", 7, 3, 0.5, "/meshes/0/primitives/0"),
    InfluenceProblem("negative_joint", 7, -1, 0.25, "/meshes/0/primitives/0"),
    InfluenceProblem("duplicate_joint", 7, 3, 0.5, "/meshes/0/primitives/1"),
    InfluenceProblem("zero_sum", 9, None, None, "/meshes/0/primitives/1"),
)

TREE = [
    value
    for value in vars(errors).values()
    if inspect.isclass(value) and issubclass(value, Exception) and value.__module__ == errors.__name__
]


def test_all_exceptions_grow_on_one_tree():
    assert len(TREE) >= 8
    assert all(issubclass(exception, errors.SkinproofError) for exception in TREE)


@pytest.mark.parametrize("exception", [errors.ArrayError, errors.OptionError, InfluenceError, errors.ComparisonError])
def test_misuse_is_a_value_error_too(exception):
    assert issubclass(exception, ValueError)


def test_an_output_error_is_an_os_error_too():
    assert issubclass(errors.OutputError, OSError)


class TestInfluenceProblems:
    def test_they_read_like_a_tuple(self):
        assert len(SPREAD) == 4
        assert tuple(SPREAD) == SPREAD_OUT
        assert [SPREAD[index] for index in (0, 2, -1, -4)] == [SPREAD_OUT[index] for index in (0, 2, -1, -4)]
        assert SPREAD[1:3] == SPREAD_OUT[1:3]
        assert SPREAD[::-2] == SPREAD_OUT[::-2]
        assert SPREAD_OUT[3] in SPREAD

    @pytest.mark.parametrize("index", [4, -5])
    def test_beyond_the_last_there_is_none(self, index):
        with pytest.raises(IndexError):
            SPREAD[index]

    def test_they_equal_what_has_the_same_problems(self):
        assert SPREAD == SPREAD_OUT
        assert InfluenceProblems([]) == ()
        assert SPREAD_OUT[:3] != SPREAD
        assert SPREAD_OUT[::-1] != SPREAD
        assert SPREAD != 4

    def test_numbers_are_plain_ones(self):
        problem = SPREAD[1]
        assert [type(value) for value in (problem.vertex, problem.joint, problem.value)] == [int, int, float]

    def test_rules_are_counted_by_vertices_in_their_order(self):
        counts = problems(
            ("negative_weight", 2, 1, -1.0), ("negative_weight", 2, 3, -2.0), ("negative_joint", 4, -7, 1.0),
            ("negative_weight", 4, -7, -3.0),
        ).by_rule()  # fmt: skip
        assert list(counts) == ["negative_joint", "negative_weight"]
        assert counts["negative_weight"] == (InfluenceProblem("negative_weight", 2, 1, -1.0), 2)
        assert counts["negative_joint"] == (InfluenceProblem("negative_joint", 4, -7, 1.0), 1)

    def test_a_rule_broken_in_two_primitives_is_counted_in_both(self):
        assert SPREAD.by_rule()["duplicate_joint"] == (SPREAD_OUT[0], 2)
        assert SPREAD.vertex_count == 3

    def test_they_can_be_placed_and_joined(self):
        one, two = problems(("zero_sum", 1, 0, 0)), problems(("zero_sum", 2, 0, 0))
        joined = InfluenceProblems.joined([one.of_primitive("/a"), two.of_primitive("/b")])
        assert [(problem.primitive, problem.vertex) for problem in joined] == [("/a", 1), ("/b", 2)]
        assert one[0].primitive == ""

    def test_their_representation_is_short(self):
        assert repr(SPREAD) == "<4 influence problems>"


class TestInfluenceError:
    def test_one_vertex(self):
        error = InfluenceError(problems(("negative_weight", 7, 3, -0.25)))
        assert str(error) == (
            "1 vertex breaks the weight contract: vertex 7: negative weight, joint 3, weight -0.25. "
            "Mend the weights at the producer, or name a policy for them (repair; on the command line --repair)."
        )

    def test_vertices_are_counted_once_per_primitive(self):
        text = str(InfluenceError(SPREAD))
        assert text.startswith("3 vertices break the weight contract: /meshes/0/primitives/0 vertex 7: the same joint")
        assert "Mend the influences at the producer. Merge them first (merge_duplicates)." in text

    def test_the_file_comes_first(self):
        error = InfluenceError(problems(("zero_sum", 7, 0, 0)), file="hero.glb")
        assert str(error).startswith("hero.glb: 1 vertex breaks the weight contract: vertex 7")
        assert error.file == "hero.glb"

    def test_a_long_list_is_cut_in_the_message_only(self):
        error = InfluenceError(problems(*[("zero_sum", vertex, 0, 0) for vertex in range(100)]))
        assert error.problems == [InfluenceProblem("zero_sum", vertex) for vertex in range(100)]
        assert "vertex 7: all weights are zero; and 92 more." in str(error)
        assert "vertex 8:" not in str(error)

    @pytest.mark.parametrize("rule", errors.INFLUENCE_RULES)
    def test_every_rule_has_a_remedy(self, rule):
        assert InfluenceError(problems((rule, 0, 0, 0))).remedy


class TestFormatError:
    @pytest.mark.parametrize(
        ("place", "message"),
        [
            ({}, "it is broken"),
            ({"path": "a.glb"}, "a.glb: it is broken"),
            ({"path": "a.glb", "pointer": "/skins/0"}, "a.glb /skins/0: it is broken"),
            ({"path": "a.glb", "remedy": "Export it again"}, "a.glb: it is broken. Export it again"),
        ],
    )
    def test_the_message_has_what_is_known(self, place, message):
        assert str(FormatError("it is broken", **place)) == message

    def test_unsupported_names_the_feature(self):
        error = UnsupportedError("not read", feature="KHR_draco_mesh_compression", path="a.glb", pointer="/meshes/0")
        assert isinstance(error, FormatError)
        assert error.feature == "KHR_draco_mesh_compression"
        assert str(error) == "a.glb /meshes/0: not read"
