"""The node tree."""

import math
import sys

import numpy as np
import pytest

from skinproof.errors import FormatError
from skinproof.formats.gltf.nodes import read_nodes
from skinproof.formats.gltf.values import Element
from tolerances import ROUNDING


def read(nodes):
    findings = []
    return read_nodes(Element({"nodes": nodes}, "", "file"), findings.append), findings


def refusal(nodes):
    with pytest.raises(FormatError) as caught:
        read(nodes)
    return caught.value


def test_defaults():
    nodes, findings = read([{}, {"name": "hip", "children": [0]}])
    assert nodes.names == ("", "hip")
    assert nodes.parents.tolist() == [1, -1]
    assert nodes.order.tolist() == [1, 0]
    assert np.array_equal(nodes.matrices, np.tile(np.identity(4), (2, 1, 1)))
    assert nodes.rotations.tolist() == [[0, 0, 0, 1]] * 2
    assert nodes.scales.tolist() == [[1, 1, 1]] * 2
    assert not nodes.has_matrix.any()
    assert findings == []


def test_a_file_may_have_no_nodes():
    nodes, _ = read([])
    assert len(nodes) == 0


def test_translation_rotation_and_scale_make_the_matrix():
    half = math.sqrt(0.5)
    nodes, _ = read([{"translation": [1, 2, 3], "rotation": [0, 0, half, half], "scale": [2, 3, 4]}])
    # Scaled first, then turned by 90° about z (x → y), then moved.
    expected = [[0, -3, 0, 1], [2, 0, 0, 2], [0, 0, 4, 3], [0, 0, 0, 1]]
    np.testing.assert_allclose(nodes.matrices[0], expected, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize(
    ("axis", "moved"), [([1, 0, 0], [0, 0, 1]), ([0, 1, 0], [0, 1, 0]), ([0, 0, 1], [-1, 0, 0])], ids="xyz"
)
def test_rotations_turn_counterclockwise(axis, moved):
    quaternion = [component * math.sqrt(0.5) for component in axis] + [math.sqrt(0.5)]
    nodes, _ = read([{"rotation": quaternion}])
    np.testing.assert_allclose(nodes.matrices[0, :3, :3] @ [0, 1, 0], moved, rtol=0, atol=ROUNDING)


def test_a_matrix_is_stored_by_columns():
    columns = [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 5, 6, 7, 1]
    nodes, _ = read([{"matrix": columns}, {}])
    assert nodes.matrices[0].tolist() == [[2, 0, 0, 5], [0, 2, 0, 6], [0, 0, 2, 7], [0, 0, 0, 1]]
    assert nodes.has_matrix.tolist() == [True, False]
    assert nodes.translations[0].tolist() == [0, 0, 0]


def test_a_chain_of_twenty_thousand_nodes_is_read():
    count = 20_000
    nodes, _ = read([{"children": [node + 1]} for node in range(count - 1)] + [{}])
    assert nodes.order.tolist() == list(range(count))
    nodes, _ = read([{}] + [{"children": [node]} for node in range(count - 1)])
    assert nodes.order.tolist() == list(range(count))[::-1]


def test_every_parent_comes_before_its_children():
    random = np.random.default_rng(2)
    count = 500
    names = random.permutation(count)
    nodes = [{"children": []} for _ in range(count)]
    for number in range(1, count):
        nodes[names[random.integers(number)]]["children"].append(int(names[number]))
    tree, _ = read(nodes)
    place = np.empty(count, dtype=int)
    place[tree.order] = np.arange(count)
    children = np.flatnonzero(tree.parents >= 0)
    assert len(children) == count - 1
    assert (place[tree.parents[children]] < place[children]).all()


def test_cycles_are_refused_at_a_node_of_the_cycle():
    assert refusal([{"children": [0]}]).pointer == "/nodes/0/children"
    assert "its own ancestor" in refusal([{}, {"children": [2]}, {"children": [1]}]).reason
    # 3 → 4 → 5 → 4 has two parents for 4; 1 hangs below the cycle 2 → 3 → 2.
    assert refusal([{}, {}, {"children": [3]}, {"children": [2, 1]}]).pointer in {
        "/nodes/2/children",
        "/nodes/3/children",
    }


@pytest.mark.parametrize(
    ("nodes", "pointer"),
    [
        ([{"children": [1]}, {}, {"children": [1]}], "/nodes/2/children"),
        ([{"children": [1, 1]}, {}], "/nodes/0/children/1"),
        ([{"children": [1]}], "/nodes/0/children/0"),
        ([{"children": [-1]}], "/nodes/0/children/0"),
        ([{"translation": [1, 2]}], "/nodes/0/translation"),
        ([{"translation": [1, 2, "3"]}], "/nodes/0/translation/2"),
        ([{"rotation": [0, 0, 0, 0]}], "/nodes/0/rotation"),
        ([{"rotation": [1e308, 1e308, 1e308, 1e308]}], "/nodes/0/rotation"),
        ([{"matrix": [1] * 16}], "/nodes/0/matrix"),
        ([{"matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], "scale": [1, 1, 1]}], "/nodes/0"),
        ([{"rotation": [math.sqrt(0.5), math.sqrt(0.5), 0, 0], "scale": [sys.float_info.max, 1, 1]}], "/nodes/0/scale"),
        ([{}, {"name": 3}], "/nodes/1/name"),
        ([5], "/nodes/0"),
    ],
)
def test_broken_nodes_are_refused(nodes, pointer):
    assert refusal(nodes).pointer == pointer


def test_a_last_row_off_by_rounding_is_set_right_and_reported():
    columns = [1, 0, 0, 1e-7, 0, 1, 0, 0, 0, 0, 1, 0, 5, 6, 7, 0.99999994]
    nodes, (finding,) = read([{}, {"matrix": columns}])
    assert nodes.matrices[1].tolist() == [[1, 0, 0, 5], [0, 1, 0, 6], [0, 0, 1, 7], [0, 0, 0, 1]]
    assert (finding.code, finding.pointer, finding.measured) == ("NODE_MATRIX_NOT_AFFINE", "/nodes/1/matrix", 1e-7)
    assert finding.message.endswith("; 0 0 0 1 was used")


def test_another_last_row_is_refused_with_what_it_is():
    error = refusal([{"matrix": [1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7, 0, 0, 0, 1]}])
    assert (error.path, error.pointer) == ("file", "/nodes/0/matrix")
    assert "last row 5 6 7 1" in error.reason
    assert "stored by columns" in error.remedy


def test_a_rotation_that_is_no_unit_is_normalized_and_reported():
    nodes, findings = read([{}, {"rotation": [0, 0, 0, 2]}, {"rotation": [0, 0, 0.0001, 1]}])
    assert nodes.rotations[1].tolist() == [0, 0, 0, 1]
    assert np.array_equal(nodes.matrices[1], np.identity(4))
    assert [(finding.code, finding.pointer, finding.measured) for finding in findings] == [
        ("ROTATION_NOT_UNIT", "/nodes/1/rotation", 1.0)
    ]
