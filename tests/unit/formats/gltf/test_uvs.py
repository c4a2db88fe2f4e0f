"""Texture coordinates: what can be compared is read, what cannot be is none, and nothing is refused for them."""

import numpy as np
import pytest

from gltf_builder import strip
from skinproof.formats.gltf.read import read

UVS = np.array([[0, 0], [1, 0], [0, 0.5], [1, 0.5], [0, 1], [1, 1]], np.float32)


def uvs_of(tmp_path, array, *, normalized=False, material=None, **accessor):
    builder = strip()
    primitive = builder.json["meshes"][0]["primitives"][0]
    index = builder.accessor(array, normalized=normalized)
    builder.json["accessors"][index].update(accessor)
    primitive["attributes"]["TEXCOORD_0"] = index
    if material is not None:
        builder.json["materials"] = [material]
        primitive["material"] = 0
    return read(builder.save(tmp_path / "a.glb")).primitives[0].uvs


def transformed(**members):
    texture = {"index": 0, "extensions": {"KHR_texture_transform": members}}
    return {"pbrMetallicRoughness": {"baseColorTexture": texture}}


def test_floats_are_read_as_they_are(tmp_path):
    found = uvs_of(tmp_path, UVS)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, UVS)
    assert not found.flags.writeable


@pytest.mark.parametrize("kind", ["uint8", "uint16", "int8", "int16"])
def test_normalized_integers_are_decoded(tmp_path, kind):
    top = np.iinfo(kind).max
    stored = np.round(UVS * top).astype(kind)
    expected = stored.astype(np.float32) / np.float32(top)
    np.testing.assert_array_equal(uvs_of(tmp_path, stored, normalized=True), expected)


def test_the_transform_of_the_texture_undoes_what_an_encoder_did(tmp_path):
    stored = np.round((UVS - 0.25) / 0.5 * 1024 + 2048).astype(np.uint16)
    material = transformed(offset=[0.25 - 0.5 * 2, 0.25 - 0.5 * 2], scale=[0.5 / 1024, 0.5 / 1024])
    np.testing.assert_allclose(uvs_of(tmp_path, stored, material=material), UVS, rtol=0, atol=0)


@pytest.mark.parametrize(
    "material",
    [
        transformed(rotation=0.5),
        transformed(texCoord=1),
        transformed(scale=[1]),
        transformed(scale="wide"),
        transformed(offset=[10**400, 0]),
    ],
)
def test_a_transform_that_is_not_followed_leaves_none(tmp_path, material):
    assert uvs_of(tmp_path, UVS, material=material) is None


@pytest.mark.parametrize("material", [{}, {"pbrMetallicRoughness": 3}, transformed(), {"extensions": []}])
def test_materials_that_say_nothing(tmp_path, material):
    np.testing.assert_array_equal(uvs_of(tmp_path, UVS, material=material), UVS)


def test_another_kind_of_accessor_is_none(tmp_path):
    assert uvs_of(tmp_path, np.zeros((6, 3), np.float32)) is None
    assert uvs_of(tmp_path, np.zeros((6, 2), np.uint32)) is None


def test_a_file_without_has_none(tmp_path):
    assert read(strip().save(tmp_path / "a.glb")).primitives[0].uvs is None
