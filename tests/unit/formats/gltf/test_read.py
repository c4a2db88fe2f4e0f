"""glTF files → `Character`, whole."""

import copy
import json
import os
import struct
from pathlib import Path

import numpy as np
import pytest

from gltf_builder import glb, strip
from skinproof import formats
from skinproof.errors import FormatError, SkinproofError
from skinproof.formats.gltf.document import Document
from skinproof.formats.gltf.read import read

HALF = np.sqrt(0.5)


def rich(vertices=6):
    """Return the builder of a strip that has a bit of everything that the reader looks at."""
    random = np.random.default_rng(3)
    joints = [random.integers(2, size=(vertices, 4)).astype(kind) for kind in (np.uint8, np.uint16)]
    weights = random.integers(256, size=(vertices, 4)).astype(np.uint8)
    builder = strip([(joints[0], weights), (joints[1], weights)], interleave=True, vertices=vertices)
    part = builder.json["meshes"][0]["primitives"][0]
    part["attributes"]["NORMAL"] = builder.accessor(np.tile(np.float32([0, 0, 1]), (vertices, 1)))
    part["targets"] = [{"POSITION": builder.accessor(np.zeros((vertices, 3)))}]
    builder.json["meshes"][0]["weights"] = [0.5]
    matrix = [2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0, 0, 0, 1, 1]
    builder.node(matrix=matrix, children=[0])
    builder.clip(
        [
            (1, "rotation", [0, 1], np.array([[0, 0, 0, 127], [90, 0, 0, 90]], dtype=np.int8), "STEP"),
            (0, "translation", [0, 1], np.ones((6, 3), dtype=np.float32), "CUBICSPLINE"),
            (2, "weights", [0, 1], np.float32([0, 1]), "LINEAR"),
        ]
    )
    builder.json["extensionsUsed"] = ["ACME_unknown"]
    builder.json["extensions"] = {"ACME_unknown": {"accessors": [0]}}
    return builder


@pytest.mark.parametrize("name", ["a.glb", "a.vrm.glb", "a.gltf"])
def test_a_character_is_read_whole(tmp_path, name):
    path = strip().save(tmp_path / name)
    character = formats.read(path)
    assert character.name == name
    assert character.nodes.names == ("lower", "upper", "body")
    assert [len(skin) for skin in character.skins] == [2]
    assert [primitive.vertex_count for primitive in character.primitives] == [6]
    assert character.primitives[0].positions[5].tolist() == [0.5, 2, 0]
    assert character.primitives[0].influences.weights[2].tolist() == [0.5, 0.5, 0, 0]
    assert [(clip.name, clip.duration) for clip in character.clips] == [("bend", 1)]
    np.testing.assert_array_equal(character.clips[0].channels[0].values[1], np.float32([HALF, 0, 0, HALF]))
    assert character.findings == ()
    assert isinstance(character.source, Document)
    assert character.source.raw == path.read_bytes()


def test_all_containers_give_the_same(tmp_path):
    characters = [
        read(rich().save(tmp_path / "a.glb")),
        read(rich().save(tmp_path / "a.gltf")),
        read(rich().save(tmp_path / "b.gltf", uri="b%20c.bin")),
    ]
    first = characters[0]
    assert (tmp_path / "b c.bin").is_file()
    for character in characters[1:]:
        assert np.array_equal(character.primitives[0].positions, first.primitives[0].positions)
        assert np.array_equal(character.primitives[0].influences.stored, first.primitives[0].influences.stored)
        assert np.array_equal(character.nodes.matrices, first.nodes.matrices)
        assert [finding.code for finding in character.findings] == [finding.code for finding in first.findings]


def test_the_path_may_be_text_or_a_path(tmp_path):
    path = strip().save(tmp_path / "a.glb")
    assert read(str(path)).name == read(Path(path)).name == "a.glb"


def test_the_path_may_be_bytes_as_the_system_has_it(tmp_path):
    character = read(os.fsencode(strip().save(tmp_path / "a.glb")))
    assert character.name == "a.glb"
    assert formats.write(character, os.fsencode(tmp_path / "b.glb")) == (tmp_path / "b.glb",)


def test_the_character_keeps_the_order_of_the_file(tmp_path):
    character = read(rich().save(tmp_path / "a.glb"))
    assert [clip.pointer for clip in character.clips] == ["/animations/0", "/animations/1"]
    assert character.nodes.parents.tolist() == [3, 0, -1, -1]


def test_morph_weights_at_rest_are_the_nodes_then_the_meshs_then_zeros(tmp_path):
    def weights(builder):
        (instance,) = read(builder.save(tmp_path / "a.glb")).instances
        return instance.morph_weights

    builder = rich()
    builder.json["nodes"][2]["weights"], builder.json["meshes"][0]["weights"] = [0.25], [3]
    assert weights(builder) == (0.25,)
    del builder.json["nodes"][2]["weights"]
    assert weights(builder) == (3.0,)
    del builder.json["meshes"][0]["weights"]
    assert weights(builder) == (0.0,)


def test_an_unknown_extension_is_passed_over(tmp_path):
    assert read(rich().save(tmp_path / "a.glb")).source.json["extensions"] == {"ACME_unknown": {"accessors": [0]}}


def test_a_chain_of_twenty_thousand_nodes_is_read(tmp_path):
    builder = strip()
    parent = 1
    for _ in range(20_000):
        parent = builder.node(parent=parent)
    character = read(builder.save(tmp_path / "a.glb"))
    assert len(character.nodes) == 20_003


def test_errors_name_the_file_as_the_caller_did(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    builder = strip()
    builder.json["skins"][0]["joints"] = [7]
    builder.save("broken.gltf")
    with pytest.raises(FormatError) as caught:
        read("broken.gltf")
    assert str(caught.value).startswith("broken.gltf /skins/0/joints/0: there is no node 7")


@pytest.mark.node
def test_the_files_that_these_tests_build_are_valid(tmp_path, validate_gltf):
    paths = [
        strip().save(tmp_path / "a.glb"),
        strip().save(tmp_path / "a.gltf"),
        strip(interleave=True).save(tmp_path / "b.gltf", uri="b%20c.bin"),
        strip(inverse_binds=False, indices=False, vertices=9 * 2).save(tmp_path / "c.glb"),
    ]
    reports = validate_gltf(*paths)
    assert len(reports) == len(paths)
    for report in reports:
        assert report.errors == []
        assert report.warning_kinds == {"NODE_SKINNED_MESH_LOCAL_TRANSFORMS"}  # meant: the reader must ignore it


def outcome(path, raw):
    """Write and read `raw`; return whether it could be read. Any error but `SkinproofError` fails the test."""
    path.write_bytes(raw)
    error = None
    try:
        character = read(path)
    except SkinproofError as caught:
        error = caught
    if error is None:
        check_invariants(character)
        return True
    assert isinstance(error, FormatError)
    assert error.path == os.fspath(path)
    assert error.reason
    assert error.remedy
    assert len(str(error)) < 2000
    return False


def check_invariants(character):
    """What holds for every character that can be read, however odd its file."""
    nodes = character.nodes
    place = np.empty(len(nodes), dtype=int)
    place[nodes.order] = np.arange(len(nodes))
    children = np.flatnonzero(nodes.parents >= 0)
    assert (place[nodes.parents[children]] < place[children]).all()
    assert np.isfinite(nodes.matrices).all()
    for skin in character.skins:
        assert ((skin.joints >= 0) & (skin.joints < len(nodes))).all()
        assert np.isfinite(skin.inverse_binds).all()
    assert character.primitives
    for primitive in character.primitives:
        assert primitive.vertex_count > 0
        assert np.isfinite(primitive.positions).all()
        assert primitive.indices is None or primitive.indices.max() < primitive.vertex_count
    for instance in character.instances:
        assert instance.skin < len(character.skins)
    for clip in character.clips:
        for channel in clip.channels:
            assert channel.node < len(nodes)
            assert (np.diff(channel.times) > 0).all()
            assert np.isfinite(channel.values).all()


def test_every_shorter_file_is_refused(tmp_path):
    raw = rich().save(tmp_path / "a.glb").read_bytes()
    lengths = [*range(64), *range(64, len(raw), 7)]
    assert len(lengths) > 500
    for length in lengths:
        assert not outcome(tmp_path / "b.glb", raw[:length])
        # The same with a header that agrees, so that the cut shows further in.
        assert not outcome(tmp_path / "b.glb", raw[:8] + struct.pack("<I", length) + raw[12:length])


def test_every_shorter_binary_chunk_is_refused(tmp_path):
    builder = rich()
    data = bytes(builder.data)
    text = json.dumps(builder.document()).encode()
    for length in range(0, len(data), 4):
        assert not outcome(tmp_path / "b.glb", glb(text, data[:length]))
    assert outcome(tmp_path / "b.glb", glb(text, data))


def test_a_separate_buffer_cut_short_is_refused(tmp_path):
    path = rich().save(tmp_path / "a.gltf", uri="a.bin")
    whole = (tmp_path / "a.bin").read_bytes()
    (tmp_path / "a.bin").write_bytes(whole[:-1])
    assert not outcome(path, path.read_bytes())
    (tmp_path / "a.bin").write_bytes(whole)
    assert outcome(path, path.read_bytes())


def test_changed_bytes_never_raise_anything_else(tmp_path):
    raw = rich().save(tmp_path / "a.glb").read_bytes()
    random = np.random.default_rng(4)
    read_count = 0
    for _ in range(1500):
        changed = bytearray(raw)
        for place in random.integers(len(raw), size=random.integers(1, 4)):
            changed[place] = random.integers(256)
        read_count += outcome(tmp_path / "b.glb", bytes(changed))
    assert 100 < read_count < 1400  # else the changes are too wild or too tame to show anything


NASTY = [
    None, True, False, 0, 1, -1, 0.5, 1e308, -1e308, 2**31, 2**32, 2**53, 2**63, 10**400, "", "x", "SCALAR", "MAT4",
    "\0", "../..", [], {}, [None], [0], [[]], {"": None}, [0] * 100, 5121, 5123, 5125, 5126,
]  # fmt: skip


def places(value, path=()):
    """Yield the path of every value within a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield (*path, key)
        yield from places(child, (*path, key))


def mutate(document, random):
    """Change, remove or repeat one value of a JSON document, in place."""
    paths = list(places(document))
    *parents, key = paths[random.integers(len(paths))]
    holder = document
    for parent in parents:
        holder = holder[parent]
    choice = random.integers(8)
    if choice == 0:
        del holder[key]
    elif choice == 1 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    elif choice == 2 and isinstance(holder[key], int) and not isinstance(holder[key], bool):
        holder[key] += int(random.integers(-2, 3))
    else:
        holder[key] = copy.deepcopy(NASTY[random.integers(len(NASTY))])


def test_changed_json_never_raises_anything_else(tmp_path):
    builder = rich()
    text = json.dumps(builder.document())
    random = np.random.default_rng(5)
    read_count = 0
    for _ in range(3000):
        document = json.loads(text)
        for _ in range(random.integers(1, 3)):
            mutate(document, random)
        read_count += outcome(tmp_path / "b.glb", glb(json.dumps(document).encode(), bytes(builder.data)))
    assert 300 < read_count < 2700


@pytest.mark.parametrize(
    "text",
    [
        b"{",
        b"{}",
        b'{"asset":{"version":"2.0"}}',
        b'{"asset":{"version":"2.0"},"asset":{"version":"2.0"}}',
        b'{"asset":{"version":"2.0"},"nodes":[{"translation":[NaN,0,0]}]}',
        b'{"asset":{"version":"2.0"},"nodes":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"asset":{"version":"2.0"},"accessors":[{"componentType":5126,"type":"MAT4","count":9007199254740992}]}',
        b'{"asset":{"version":"2.0"},"buffers":[{"byteLength":9007199254740992,"uri":"data:;base64,AAAA"}]}',
        b'{"asset":{"version":"2.0"},"nodes":[{"children":[0]}]}',
    ],
)
def test_hostile_text_is_refused(tmp_path, text):
    assert not outcome(tmp_path / "a.gltf", text)
    assert not outcome(tmp_path / "a.glb", glb(text))
