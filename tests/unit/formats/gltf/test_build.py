from dataclasses import replace

import numpy as np
import pytest

from characters import (
    about,
    make_channel,
    make_character,
    make_clip,
    make_influences,
    make_nodes,
    make_primitive,
    make_skin,
)
from skinproof.errors import OutputError
from skinproof.formats import read, write
from skinproof.formats.gltf.build import build
from skinproof.model import Instance, Primitive

SHEARED = np.array([[1, 0.5, 0, 1], [0, 1, 0, 2], [0, 0, 2, 3], [0, 0, 0, 1.0]])


def _character(*, weight_format="unorm8", **changes):
    """Five joints, two meshes (the second of two primitives), a skin with matrices, two clips."""
    nodes = make_nodes(
        [-1, 0, 0, 0, 0, -1, -1],
        translations=[[0, 0, 0], [0, 1.25, 0], *[[0, 0, 0]] * 5],
        rotations=[[0, 0, 0, 1], about([0, 1, 0], 30), *[[0, 0, 0, 1]] * 5],
        scales=[[1, 1, 1], [1, 2, 3], *[[1, 1, 1]] * 5],
        matrices={0: SHEARED},
    )
    influences = make_influences(
        [[0, 1, 2, 3, 4], [1, 0, 0, 0, 0], [0, 0, 0, 0, 0]],
        [[0.2] * 5, [1, 0, 0, 0, 0], [1, 0, 0, 0, 0]],
        format=weight_format,
    )
    first = make_primitive(influences)
    second = Primitive(
        2, 1, "head #1",
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], np.float32),
        np.array([[0, 0, 1]] * 3, np.float32),
        np.array([0, 1, 2], np.uint32), 4, influences,
    )  # fmt: skip
    third = replace(second, index=0, name="head #0")
    clips = [
        make_clip(
            make_channel(1, "rotation", [0, 1], [[0, 0, 0, 1], about([1, 0, 0], 90)]),
            make_channel(1, "translation", [0, 1], [[0, 0, 0], [1, 1, 1]], interpolation="STEP"),
        ),
        make_clip(
            make_channel(1, "scale", [0.5, 2], np.arange(1, 19).reshape(2, 3, 3), interpolation="CUBICSPLINE"),
            name="second",
        ),
    ]
    character = make_character(
        nodes,
        skins=[make_skin(range(5), np.stack([np.linalg.inv(SHEARED), *[np.eye(4)] * 4]))],
        clips=clips,
        primitives=[first, second, third],
        instances=[Instance(5, 0, 0), Instance(6, 2, 0)],
    )
    return replace(character, **changes)


@pytest.mark.parametrize("suffix", [".glb", ".gltf"])
@pytest.mark.parametrize("weight_format", ["float32", "unorm8", "unorm16"])
def test_what_is_built_reads_back_the_same(tmp_path, weight_format, suffix):
    character = _character(weight_format=weight_format)
    write(character, tmp_path / f"a{suffix}")
    again = read(tmp_path / f"a{suffix}")
    for name in ("names", "parents", "translations", "rotations", "scales", "matrices", "has_matrix"):
        assert np.array_equal(getattr(again.nodes, name), getattr(character.nodes, name)), name
    (skin,), (skin_again,) = character.skins, again.skins
    assert np.array_equal(skin.joints, skin_again.joints)
    assert np.array_equal(skin.inverse_binds.astype(np.float32), skin_again.inverse_binds)
    first, second, third = character.primitives
    for one, other in zip((first, third, second), again.primitives, strict=True):
        for name in ("positions", "normals", "indices", "mode"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
        for name in ("joints", "weights", "stored", "set_formats"):
            assert np.array_equal(getattr(one.influences, name), getattr(other.influences, name)), name
    assert again.instances == (Instance(5, 0, 0), Instance(6, 1, 0))  # meshes without a gap
    for one, other in zip(character.clips, again.clips, strict=True):
        assert one.name == other.name
        for channel, channel_again in zip(one.channels, other.channels, strict=True):
            assert (channel.node, channel.path, channel.interpolation) == (
                channel_again.node, channel_again.path, channel_again.interpolation,
            )  # fmt: skip
            assert np.array_equal(channel.times, channel_again.times)
            assert np.array_equal(channel.values.astype(np.float32), channel_again.values)


@pytest.mark.node
def test_what_is_built_is_valid(tmp_path, validate_gltf):
    write(_character(), tmp_path / "a.glb")
    (report,) = validate_gltf(tmp_path / "a.glb")
    assert report.errors == []
    assert report.warnings == []


def test_the_same_character_gives_the_same_document():
    one, other = build(_character()), build(_character())
    assert one.json == other.json
    assert one.buffers == other.buffers
    assert one.json["asset"]["version"] == "2.0"


def test_channels_of_a_clip_share_equal_keys():
    (first, _) = build(_character()).json["animations"]
    assert len({sampler["input"] for sampler in first["samplers"]}) == 1
    assert len({sampler["output"] for sampler in first["samplers"]}) == 2


def test_large_indices_stay_large():
    count = 65536
    influences = make_influences(np.zeros((count, 1)), np.ones((count, 1)))
    positions = np.zeros((count, 3), np.float32)
    primitive = Primitive(0, 0, "", positions, None, np.array([0, 1, count - 1], np.uint32), 4, influences)
    document = build(_character(primitives=(primitive,), instances=()))
    accessor = document.json["accessors"][document.json["meshes"][0]["primitives"][0]["indices"]]
    assert accessor["componentType"] == 5125
    assert "name" not in document.json["meshes"][0]


def test_what_is_not_there_is_not_written():
    empty = _character(nodes=make_nodes([]), skins=(), clips=(make_clip(),), primitives=(), instances=())
    document = build(empty)
    assert set(document.json) == {"asset"}
    assert document.buffers == ()


def test_an_instance_of_nothing_is_refused():
    with pytest.raises(OutputError, match="instance at node 5: mesh 7 has no primitives"):
        build(_character(instances=(Instance(5, 7, 0),)))


def test_a_primitive_without_vertices_is_refused():
    primitive = make_primitive(make_influences(np.zeros((0, 4)), np.zeros((0, 4))), positions=np.zeros((0, 3)))
    with pytest.raises(OutputError, match="mesh 0: has no vertices"):
        build(_character(primitives=(primitive,), instances=()))


@pytest.mark.parametrize("interpolation", ["LINEAR", "CUBICSPLINE"])
def test_morph_targets_are_written(tmp_path, validate_gltf, interpolation):
    character = _character()
    targets = tuple(np.full((3, 3), number, np.float32) for number in (1, 2))
    first, second, third = character.primitives
    values = np.linspace(0, 1, 12).reshape(2, 3, 2)
    channel = make_channel(
        6, "weights", [0, 1], values if interpolation == "CUBICSPLINE" else values[:, 1], interpolation=interpolation
    )
    character = replace(
        character,
        primitives=(first, replace(second, targets=targets), replace(third, targets=targets[::-1])),
        instances=(Instance(5, 0, 0), Instance(6, 2, 0, (0.25, -1.0))),
        clips=(make_clip(channel),),
    )
    write(character, tmp_path / "a.glb")
    again = read(tmp_path / "a.glb")
    assert [[target[0, 0] for target in one.targets] for one in again.primitives] == [[], [2, 1], [1, 2]]
    assert [one.morph_weights for one in again.instances] == [(), (0.25, -1.0)]
    (written,) = again.clips[0].channels
    assert (written.node, written.path, written.interpolation) == (6, "weights", interpolation)
    np.testing.assert_array_equal(written.values, channel.values.astype(np.float32))
    (report,) = validate_gltf(tmp_path / "a.glb")
    assert not report.errors


def test_a_clip_that_morphs_what_is_not_there_is_refused():
    channel = make_channel(0, "weights", [0, 1], [[0], [1]])
    with pytest.raises(OutputError, match="clip 'clip', channel 0: animates 1 morph targets of node 0, which has 0"):
        build(_character(clips=(make_clip(channel),)))


def test_keys_that_float32_cannot_tell_apart_are_refused():
    channel = make_channel(1, "translation", [1, 1 + 1e-12], np.zeros((2, 3)))
    with pytest.raises(OutputError, match="two keys have the same time in float32"):
        build(_character(clips=(make_clip(channel),)))
