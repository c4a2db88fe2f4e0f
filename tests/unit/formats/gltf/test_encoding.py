"""How written files store their data: as the source does, plainly, or compressed."""

import numpy as np
import pytest

import skinproof as sp
from gltf_builder import strip
from packed import EXT, KHR, arrays, eight, pack, parts
from skinproof.errors import OptionError
from skinproof.limiting import limit


@pytest.mark.parametrize("encoding", ["keep", "none", "meshopt"])
@pytest.mark.parametrize("source", ["plain", EXT, KHR])
@pytest.mark.parametrize("name", ["out.glb", "out.gltf"])
def test_every_encoding_holds_the_same_character(tmp_path, source, encoding, name):
    path = tmp_path / "in.glb"
    builder = eight()
    builder.save(path) if source == "plain" else pack(builder, path, extension=source)
    limited = limit(sp.read(path), max_influences=4)
    sp.write(limited, tmp_path / name, encoding=encoding)
    found = sp.read(tmp_path / name)
    assert arrays(found) == arrays(limited)
    packed = found.source.packed
    if encoding == "none" or (encoding == "keep" and source == "plain"):
        assert packed is None
        assert "extensionsUsed" not in found.source.json
    else:
        assert packed.extension == (EXT if source == "plain" else source)
        assert packed.json["extensionsRequired"] == [packed.extension]


def test_unchanged_but_in_another_encoding(tmp_path):
    path = pack(eight(), tmp_path / "in.glb")
    sp.write(sp.read(path), tmp_path / "out.glb", encoding="none")
    assert arrays(sp.read(tmp_path / "out.glb")) == arrays(sp.read(path))
    assert sp.read(tmp_path / "out.glb").source.packed is None


@pytest.mark.node
def test_the_validator_finds_no_error(tmp_path, validate_gltf):
    path = pack(eight(), tmp_path / "in.glb")
    limited = limit(sp.read(path), max_influences=4)
    for encoding in ("keep", "none", "meshopt"):
        sp.write(limited, tmp_path / f"{encoding}.glb", encoding=encoding)
    for report in validate_gltf(*(tmp_path / f"{name}.glb" for name in ("keep", "none", "meshopt"))):
        assert [message for message in report.errors if "IMAGE" not in message] == []


def test_there_is_no_other(tmp_path):
    character = sp.read(strip().save(tmp_path / "in.glb"))
    with pytest.raises(OptionError, match="expected one of keep, none, meshopt, got 'zip'"):
        sp.write(character, tmp_path / "out.glb", encoding="zip")
    assert not (tmp_path / "out.glb").exists()


def test_none_makes_floats_of_what_every_reader_decodes(tmp_path):
    builder = strip()
    generator = np.random.default_rng(5)
    stored = generator.integers(-32767, 32767, (6, 4)).astype(np.int16)
    positions = builder.accessor(stored[:, :3], normalized=True, min=[-1, -1, -1], max=[1, 1, 1])
    part = builder.json["meshes"][0]["primitives"][0]
    part["attributes"] |= {"POSITION": positions, "TEXCOORD_0": builder.accessor(stored[:, :2])}
    part["targets"] = [{"POSITION": builder.accessor(stored[:, 1:], normalized=True)}]
    builder.json["extensionsUsed"] = builder.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    source = sp.read(builder.save(tmp_path / "in.glb"))
    sp.write(source, tmp_path / "out.glb", encoding="none")
    found = sp.read(tmp_path / "out.glb")
    assert not {"extensionsUsed", "extensionsRequired"} & set(found.source.json)
    assert found.primitives[0].positions.tolist() == (stored[:, :3].astype(np.float32) / np.float32(32767)).tolist()
    assert arrays(found) == arrays(source)
    assert found.primitives[0].targets[0].tolist() == source.primitives[0].targets[0].tolist()
    accessors = found.source.json["accessors"]
    attributes = found.source.json["meshes"][0]["primitives"][0]["attributes"]
    assert {accessors[attributes[name]]["componentType"] for name in ("POSITION", "TEXCOORD_0")} == {5126}
    bounds = accessors[attributes["POSITION"]]
    assert bounds["max"] == found.primitives[0].positions.max(axis=0).tolist()
    kept = tmp_path / "kept.glb"
    sp.write(limit(source, max_influences=1), kept)
    assert parts(kept)[0]["extensionsRequired"] == ["KHR_mesh_quantization"]
