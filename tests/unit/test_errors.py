"""Errors: one tree, and messages with the place and the remedy."""

import inspect

import pytest

from skinproof import errors
from skinproof.errors import FormatError, InfluenceError, InfluenceProblem, UnsupportedError

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


class TestInfluenceError:
    def test_one_vertex(self):
        error = InfluenceError([InfluenceProblem("negative_weight", 7, joint=3, value=-0.25)])
        assert str(error) == (
            "1 vertex breaks the weight contract: vertex 7: negative weight, joint 3, weight -0.25. "
            "Mend the weights at the producer, or name a policy for them (repair; on the command line --repair)."
        )

    def test_vertices_are_counted_once_per_primitive(self):
        problems = [
            InfluenceProblem("duplicate_joint", 7, joint=3, primitive="/meshes/0/primitives/0"),
            InfluenceProblem("negative_joint", 7, joint=-1, primitive="/meshes/0/primitives/0"),
            InfluenceProblem("duplicate_joint", 7, joint=3, primitive="/meshes/0/primitives/1"),
        ]
        text = str(InfluenceError(problems))
        assert text.startswith("2 vertices break the weight contract: /meshes/0/primitives/0 vertex 7: the same joint")
        assert text.endswith("Mend the influences at the producer. Merge them first (merge_duplicates).")

    def test_a_long_list_is_cut_in_the_message_only(self):
        problems = [InfluenceProblem("zero_sum", vertex) for vertex in range(100)]
        error = InfluenceError(problems)
        assert error.problems == tuple(problems)
        assert "vertex 7: all weights are zero; and 92 more." in str(error)
        assert "vertex 8:" not in str(error)

    @pytest.mark.parametrize("rule", errors.INFLUENCE_RULES)
    def test_every_rule_has_a_remedy(self, rule):
        assert InfluenceError([InfluenceProblem(rule, 0)]).remedy


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
