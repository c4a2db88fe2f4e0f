"""Random files whose primitives share accessors, views and types at random, and random new influences for some."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gltf_builder import GltfBuilder
from skinproof.formats import read, write
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.model import Influences, WeightFormat

JOINTS = 300
VERTICES = 3
_FORMATS = {"float32": np.float32, "unorm8": np.uint8, "unorm16": np.uint16}


def _random_set(random, joint_type, weight_type):
    joints = random.integers(0, np.iinfo(joint_type).max if joint_type == np.uint8 else JOINTS, (VERTICES, 4))
    if weight_type == np.float32:
        weights = random.random((VERTICES, 4))
    else:
        weights = random.integers(0, np.iinfo(weight_type).max, (VERTICES, 4))
    return joints.astype(joint_type), weights.astype(weight_type)


@st.composite
def _files(draw):
    """The builder of a file with up to four primitives."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    builder = GltfBuilder()
    joints = [builder.node() for _ in range(JOINTS)]
    drawn = []  # per primitive its pairs of accessors, one per set
    for _ in range(draw(st.integers(1, 4))):
        joint_type = draw(st.sampled_from([np.uint8, np.uint16]))
        weight_type = draw(st.sampled_from(list(_FORMATS.values())))
        sets = [_random_set(random, joint_type, weight_type) for _ in range(draw(st.integers(1, 3)))]
        others = {"TEXCOORD_0": random.random((VERTICES, 2))} if draw(st.booleans()) else {}
        attributes = builder.attributes(random.random((VERTICES, 3)), sets, interleave=draw(st.booleans()), **others)
        pairs = [(attributes[f"JOINTS_{number}"], attributes[f"WEIGHTS_{number}"]) for number in range(len(sets))]
        if drawn and draw(st.booleans()):
            other = draw(st.sampled_from(drawn))
            shared = draw(st.integers(1, len(other)))
            pairs[:shared] = other[:shared]
        drawn.append(pairs)
        for number, (joints_accessor, weights_accessor) in enumerate(pairs):
            attributes |= {f"JOINTS_{number}": joints_accessor, f"WEIGHTS_{number}": weights_accessor}
        builder.json.setdefault("meshes", []).append({"primitives": [{"attributes": attributes}]})
    skin = builder.skin(joints)
    for mesh in range(len(drawn)):
        builder.node(mesh=mesh, skin=skin)
    if draw(st.booleans()):
        builder.json["extensions"] = {"X_unknown": {"accessors": draw(st.lists(st.integers(0, 12), max_size=2))}}
    return builder


@st.composite
def _new_influences(draw):
    weight_format = WeightFormat(draw(st.sampled_from(list(_FORMATS))))
    random = np.random.default_rng(draw(st.integers(0, 3)))  # few, so that some primitives get the same
    shape = (VERTICES, draw(st.integers(1, 9)))
    joints = random.integers(0, draw(st.sampled_from([200, JOINTS])), shape).astype(np.uint16)
    formats = (weight_format,) * -(-shape[1] // 4)
    if weight_format.scale is None:
        return Influences(joints, random.random(shape).astype(np.float32), formats)
    stored = random.integers(0, weight_format.scale + 1, shape).astype(_FORMATS[weight_format])
    return Influences(joints, stored.astype(np.float32) / np.float32(weight_format.scale), formats, stored)


@given(_files(), st.lists(st.one_of(st.none(), _new_influences()), min_size=4, max_size=4), st.booleans())
def test_new_influences_and_all_else_as_before(builder, new, to_gltf):
    with tempfile.TemporaryDirectory() as folder:
        character = read(builder.save(Path(folder) / "a.glb"))
        influences = [
            primitive.influences if one is None else one
            for primitive, one in zip(character.primitives, new, strict=False)
        ]
        edited = character.with_influences(influences)
        target = Path(folder) / ("b.gltf" if to_gltf else "b.glb")
        write(edited, target)
        again = read(target)
    json, json_again = character.source.json, again.source.json
    for before, wanted, found in zip(character.primitives, edited.primitives, again.primitives, strict=True):
        width = wanted.influences.joints.shape[1]
        assert np.array_equal(found.influences.weights[:, :width], wanted.influences.weights)
        assert not found.influences.weights[:, width:].any()
        used = wanted.influences.weights != 0
        assert np.array_equal(found.influences.joints[:, :width][used], wanted.influences.joints[used])
        assert np.array_equal(found.positions, before.positions)
        assert found.influences.format == wanted.influences.format
        # Untouched primitives keep even their accessors.
        attributes, attributes_again = (
            one["meshes"][before.mesh]["primitives"][0]["attributes"] for one in (json, json_again)
        )
        if before.influences is wanted.influences:
            assert attributes_again == attributes
    for key in ("accessors", "bufferViews"):
        assert len(json_again[key]) >= len(json[key])
    in_use = {index for mesh in json_again["meshes"] for index in mesh["primitives"][0]["attributes"].values()}
    pinned = set(json.get("extensions", {}).get("X_unknown", {}).get("accessors", ()))
    vertex_data = {
        index
        for mesh in json["meshes"]
        for key, index in mesh["primitives"][0]["attributes"].items()
        if key.startswith(("JOINTS", "WEIGHTS"))
    }
    old, new_reader = AccessorReader(character.source), AccessorReader(again.source)
    for index in range(len(old.accessors)):
        if index in pinned or index not in vertex_data:
            assert np.array_equal(old.stored(index), new_reader.stored(index))
        elif index not in in_use:
            assert "bufferView" not in json_again["accessors"][index]
