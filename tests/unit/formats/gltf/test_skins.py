"""Skins."""

import numpy as np
import pytest

from gltf_builder import GltfBuilder
from skinproof.errors import FormatError
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.formats.gltf.document import open_document
from skinproof.formats.gltf.nodes import read_nodes
from skinproof.formats.gltf.skins import read_skins


@pytest.fixture
def builder():
    builder = GltfBuilder()
    for _ in range(3):
        builder.node()
    return builder


def read(builder, tmp_path):
    document = open_document(builder.save(tmp_path / "a.glb"))
    findings = []
    nodes = read_nodes(document.root, findings.append)
    return read_skins(document.root, nodes, AccessorReader(document), findings.append), findings


def refusal(builder, tmp_path):
    with pytest.raises(FormatError) as caught:
        read(builder, tmp_path)
    return caught.value


def matrices(count):
    result = np.random.default_rng(1).standard_normal((count, 4, 4)).astype(np.float32)
    result[:, 3] = (0, 0, 0, 1)
    return result


def test_inverse_binds_are_turned_to_rows(builder, tmp_path):
    binds = matrices(2)
    builder.skin([2, 0], binds, name="body", skeleton=1)
    (skin,), findings = read(builder, tmp_path)
    assert skin.joints.tolist() == [2, 0]
    assert np.array_equal(skin.inverse_binds, binds)
    assert skin.inverse_binds.flags.c_contiguous
    assert skin.name == "body"
    assert skin.pointer == "/skins/0"
    assert findings == []


def test_without_inverse_binds_they_are_identities(builder, tmp_path):
    builder.skin([0, 1])
    (skin,), _ = read(builder, tmp_path)
    assert np.array_equal(skin.inverse_binds, np.tile(np.identity(4), (2, 1, 1)))


def test_skins_may_share_matrices_and_have_more_than_joints(builder, tmp_path):
    binds = matrices(3)
    builder.skin([0, 1, 2], binds)
    builder.skin([1, 2])
    builder.json["skins"][1]["inverseBindMatrices"] = 0
    (first, second), _ = read(builder, tmp_path)
    assert np.array_equal(first.inverse_binds, binds)
    assert np.array_equal(second.inverse_binds, binds[:2])


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"joints": []}, "/skins/0/joints"),
        ({"joints": [0, 3]}, "/skins/0/joints/1"),
        ({"joints": [0, 0]}, "/skins/0/joints/1"),
        ({"joints": [0, 1, 2]}, "/skins/0/inverseBindMatrices"),
        ({"skeleton": 3}, "/skins/0/skeleton"),
        ({"inverseBindMatrices": 1}, "/skins/0/inverseBindMatrices"),
        ({"name": 1}, "/skins/0/name"),
    ],
)
def test_broken_skins_are_refused(builder, tmp_path, change, pointer):
    builder.skin([0, 1], matrices(2))
    builder.json["skins"][0] |= change
    assert refusal(builder, tmp_path).pointer == pointer


def test_other_matrices_are_refused(builder, tmp_path):
    builder.skin([0, 1], matrices(2))
    builder.json["accessors"][0] |= {"type": "VEC4"}
    assert "VEC4 of float32" in refusal(builder, tmp_path).reason


def test_matrices_that_are_no_numbers_are_refused_with_their_joint(builder, tmp_path):
    binds = matrices(2)
    binds[1, 0, 3] = np.nan
    builder.skin([0, 1], binds)
    assert "joint 1" in refusal(builder, tmp_path).reason


@pytest.mark.parametrize(("column", "value"), [(3, 0.99999994), (3, 1 + 9e-6), (0, -1e-7)])
def test_last_rows_off_by_rounding_are_set_right_and_reported(builder, tmp_path, column, value):
    binds = matrices(3)
    binds[1, 3, column] = value
    off = abs(float(np.float32(value)) - (column == 3))
    builder.skin([0, 1, 2], binds)
    (skin,), (finding,) = read(builder, tmp_path)
    binds[1, 3] = (0, 0, 0, 1)
    assert np.array_equal(skin.inverse_binds, binds)
    assert finding.code == "INVERSE_BIND_NOT_AFFINE"
    assert finding.pointer == "/skins/0/inverseBindMatrices"
    assert (finding.measured, finding.limit, finding.where) == (off, 0, {"joint": 1})
    assert "1 of 3 joints" in finding.message
    assert finding.message.endswith("; 0 0 0 1 was used")


@pytest.mark.parametrize("row", [(0, 0, 0, 1 + 1.1e-5), (0.5, 0, 0, 1), (0, 0, 0, 0), (0, 0, 0, 1e38)])
def test_other_last_rows_are_refused_with_the_place_and_the_remedy(builder, tmp_path, row):
    binds = matrices(2)
    binds[1, 3] = row
    builder.skin([0, 1], binds)
    error = refusal(builder, tmp_path)
    assert error.pointer == "/skins/0/inverseBindMatrices"
    assert error.path.endswith("a.glb")
    assert "joint 1 has the last row" in error.reason
    assert "Export the skin again" in error.remedy


def test_more_joints_than_indices_can_name_are_refused(tmp_path):
    builder = GltfBuilder()
    builder.json["nodes"] = [{}] * 65537
    builder.skin(range(65537))
    assert "65537 joints" in refusal(builder, tmp_path).reason
