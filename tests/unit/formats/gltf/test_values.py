"""Typed access to JSON values."""

import pytest

from skinproof.errors import FormatError
from skinproof.formats.gltf.values import Element


def element(**members):
    return Element(members, "/things/3", "file.glb")


def test_integers_come_back_and_absent_ones_are_none():
    assert element(count=7).integer("count") == 7
    assert element().integer("count") is None
    assert element(count=7).required_integer("count", low=7, high=7) == 7


@pytest.mark.parametrize("value", [-1, 1.0, True, None, "1", [1], {}, 2**53 * 1.0, 10**4000 * -1])
def test_what_is_no_integer_in_range_is_refused_with_its_place(value):
    with pytest.raises(FormatError) as caught:
        element(count=value).integer("count")
    assert caught.value.pointer == "/things/3/count"
    assert caught.value.path == "file.glb"
    assert caught.value.reason
    assert caught.value.remedy
    assert len(str(caught.value)) < 400


def test_an_integer_above_the_limit_is_refused():
    with pytest.raises(FormatError, match="expected 0 to 6, got 7"):
        element(mode=7).integer("mode", high=6)


def test_a_missing_required_member_points_at_the_object():
    with pytest.raises(FormatError, match="'count' is missing") as caught:
        element().required_integer("count")
    assert caught.value.pointer == "/things/3"
    with pytest.raises(FormatError, match="'buffer' is missing"):
        element().required_index("buffer", 1, "buffer")


def test_an_index_beyond_the_end_says_how_many_there_are():
    assert element(mesh=1).index("mesh", 2, "mesh") == 1
    with pytest.raises(FormatError, match="there is no mesh 2: the file has 2"):
        element(mesh=2).index("mesh", 2, "mesh")
    with pytest.raises(FormatError, match="more than 128 bits"):
        element(mesh=10**4000).index("mesh", 2, "mesh")


@pytest.mark.parametrize(
    ("value", "pointer"),
    [([0, 2], "/1"), ([0, -1], "/1"), ([1, 0, 1], "/2"), (["0"], "/0"), ([True], "/0"), ({}, ""), (1, "")],
)
def test_lists_of_indices_name_the_entry(value, pointer):
    with pytest.raises(FormatError) as caught:
        element(joints=value).indices("joints", 2, "node")
    assert caught.value.pointer == "/things/3/joints" + pointer


def test_lists_of_indices():
    assert element(joints=[1, 0]).indices("joints", 2, "node") == [1, 0]
    assert element().indices("joints", 2, "node") == []


@pytest.mark.parametrize("value", [[1, 2], [1, 2, "3"], [1, 2, float("inf")], [1, 2, 10**400], [1, 2, None], "123"])
def test_what_is_no_list_of_three_finite_numbers_is_refused(value):
    with pytest.raises(FormatError):
        element(scale=value).numbers("scale", 3)


def test_numbers():
    assert element(scale=[1, 2.5, -3]).numbers("scale", 3) == [1, 2.5, -3]
    assert element().numbers("scale", 3) is None


@pytest.mark.parametrize(
    ("method", "value"),
    [
        ("string", 1),
        ("string", None),
        ("boolean", 1),
        ("boolean", None),
        ("object", []),
        ("object", None),
        ("objects", {}),
        ("objects", [1]),
        ("strings", [1]),
        ("strings", "a"),
    ],
)
def test_other_types_are_refused(method, value):
    with pytest.raises(FormatError) as caught:
        getattr(element(key=value), method)("key")
    assert caught.value.pointer.startswith("/things/3/key")


def test_children_know_their_place():
    parent = element(target={"node": 1}, samplers=[{}, {"a": 1}])
    assert parent.object("target").pointer == "/things/3/target"
    assert [child.pointer for child in parent.objects("samplers")] == ["/things/3/samplers/0", "/things/3/samplers/1"]
    assert parent.object("nothing") is None
    assert parent.objects("nothing") == []


def test_pointers_escape_slash_and_tilde():
    assert element().at("a/b~c") == "/things/3/a~1b~0c"


def test_extensions():
    assert element(extensions={"X": {}}).has_extension("X")
    assert not element(extensions={}).has_extension("X")
    assert not element().has_extension("X")
    with pytest.raises(FormatError):
        element(extensions=[]).has_extension("X")


def test_long_values_are_cut_in_messages():
    with pytest.raises(FormatError) as caught:
        element(name={}, count="x" * 10_000).integer("count")
    assert len(str(caught.value)) < 300
