"""Required extensions are refused by name unless they leave the skin alone."""

import re
from pathlib import Path

import pytest

from skinproof.errors import FormatError, UnsupportedError
from skinproof.formats.gltf.extensions import HARMLESS, QUANTIZATION, is_harmless, refuse_required
from skinproof.formats.gltf.values import Element


def root(**members):
    return Element(members, "", "file.glb")


@pytest.mark.parametrize(
    "extension",
    ["KHR_materials_unlit", "KHR_texture_transform", "EXT_texture_webp", "KHR_lights_punctual", "VRM", "VRMC_vrm"],
)
def test_harmless_ones_may_be_required(extension):
    assert is_harmless(extension)
    refuse_required(root(extensionsRequired=[extension]))


def test_the_documentation_lists_the_harmless_ones():
    text = (Path(__file__).parents[4] / "docs" / "gltf.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"Known to be harmless.*?Any\s+other\s+extension", text, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", listed)) == HARMLESS


@pytest.mark.parametrize(
    "extension", [QUANTIZATION, "EXT_meshopt_compression", "KHR_meshopt_compression", "KHR_draco_mesh_compression"]
)
def test_what_is_read_may_be_required_and_is_not_harmless(extension):
    assert not is_harmless(extension)
    refuse_required(root(extensionsRequired=[extension]))


@pytest.mark.parametrize(
    "extension",
    [
        "ACME_bones",
        "KHR_materialsX",
        "KHR_materials_",
        "VRMC_mesh_annotation",
        "EXT_lights_ies",
    ],
)
def test_others_are_refused_by_name(extension):
    assert not is_harmless(extension)
    with pytest.raises(UnsupportedError, match=extension) as caught:
        refuse_required(root(extensionsRequired=["VRM", extension]))
    assert caught.value.feature == extension
    assert caught.value.pointer == "/extensionsRequired/1"
    assert caught.value.remedy


def test_unknown_extensions_may_be_used():
    refuse_required(root(extensionsUsed=["ACME_bones"]))


def test_the_lists_must_be_lists_of_strings():
    with pytest.raises(FormatError):
        refuse_required(root(extensionsRequired=[1]))
    with pytest.raises(FormatError):
        refuse_required(root(extensionsUsed="VRM"))
