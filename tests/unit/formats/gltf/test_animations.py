"""Animations: keys as stored, decoded; what is passed over, reported or refused."""

import numpy as np
import pytest

from gltf_builder import strip
from skinproof.errors import FormatError, UnsupportedError
from skinproof.formats.gltf.read import read
from skinproof.model import Interpolation, Path

ROTATIONS = [[0, 0, 0, 1], [0, 0, 1, 0]]


@pytest.fixture
def builder():
    builder = strip()
    builder.json["animations"] = []
    return builder


def read_clips(builder, tmp_path):
    character = read(builder.save(tmp_path / "a.glb"))
    return character.clips, character.findings


def refusal(builder, tmp_path, error=FormatError):
    with pytest.raises(error) as caught:
        read_clips(builder, tmp_path)
    assert caught.value.remedy
    return caught.value


def test_channels_come_back_as_they_are(builder, tmp_path):
    builder.clip(
        [
            (0, "translation", [0.5, 2], [[1, 2, 3], [4, 5, 6]], "LINEAR"),
            (1, "rotation", [0, 1], ROTATIONS, "STEP"),
            (1, "scale", [3], [[1, 1, 2]], "LINEAR"),
        ],
        name="walk",
    )
    (clip,), findings = read_clips(builder, tmp_path)
    assert clip.name == "walk"
    assert clip.pointer == "/animations/0"
    assert (clip.start, clip.end) == (0, 3)
    assert [(channel.node, channel.path, channel.interpolation) for channel in clip.channels] == [
        (0, Path.TRANSLATION, Interpolation.LINEAR),
        (1, Path.ROTATION, Interpolation.STEP),
        (1, Path.SCALE, Interpolation.LINEAR),
    ]
    assert clip.channels[0].times.tolist() == [0.5, 2]
    assert clip.channels[0].values.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert clip.channels[1].values.tolist() == ROTATIONS
    assert clip.channels[2].pointer == "/animations/0/channels/2"
    assert findings == ()


def test_defaults(builder, tmp_path):
    builder.clip([(1, "rotation", [0, 1], ROTATIONS, "LINEAR")])
    del builder.json["animations"][0]["samplers"][0]["interpolation"]
    (clip,), _ = read_clips(builder, tmp_path)
    assert clip.name == "clip 0"
    assert clip.channels[0].interpolation is Interpolation.LINEAR


def test_cubic_splines_have_tangents(builder, tmp_path):
    values = np.arange(18, dtype=np.float32).reshape(6, 3)
    builder.clip([(1, "translation", [0, 1], values, "CUBICSPLINE")])
    (clip,), _ = read_clips(builder, tmp_path)
    assert np.array_equal(clip.channels[0].values, values.reshape(2, 3, 3))


@pytest.mark.parametrize(
    ("dtype", "half", "one"),
    [("int8", 64, 127), ("uint8", 128, 255), ("int16", 16384, 32767), ("uint16", 32768, 65535)],
)
def test_rotations_as_normalized_integers_are_decoded(builder, tmp_path, dtype, half, one):
    builder.clip([(1, "rotation", [0, 1], np.array([[0, 0, 0, one], [half, 0, 0, half]], dtype=dtype), "LINEAR")])
    (clip,), _ = read_clips(builder, tmp_path)
    assert clip.channels[0].values.tolist() == [[0, 0, 0, 1], [half / one, 0, 0, half / one]]


def test_the_most_negative_integer_is_minus_one(builder, tmp_path):
    builder.clip([(1, "rotation", [0], np.array([[0, 0, 0, -128]], dtype=np.int8), "LINEAR")])
    (clip,), _ = read_clips(builder, tmp_path)
    assert clip.channels[0].values.tolist() == [[0, 0, 0, -1]]


def test_clips_that_share_accessors_share_arrays(builder, tmp_path):
    builder.clip([(1, "rotation", [0, 1], ROTATIONS, "LINEAR"), (0, "rotation", [0, 1], ROTATIONS, "LINEAR")])
    samplers = builder.json["animations"][0]["samplers"]
    samplers[1] = samplers[0]
    (clip,), _ = read_clips(builder, tmp_path)
    assert clip.channels[0].times is clip.channels[1].times
    assert clip.channels[0].values is clip.channels[1].values


def test_strided_keys_are_read_and_reported(builder, tmp_path):
    builder.clip([(1, "rotation", [0, 1], ROTATIONS, "LINEAR")])
    columns = builder.interleaved({"times": np.float32([0.25, 0.75]), "values": np.float32(ROTATIONS)})
    builder.json["animations"][0]["samplers"][0] |= {"input": columns["times"], "output": columns["values"]}
    (clip,), (finding,) = read_clips(builder, tmp_path)
    assert clip.channels[0].times.tolist() == [0.25, 0.75]
    assert clip.channels[0].values.tolist() == ROTATIONS
    assert (finding.code, finding.pointer, finding.measured) == (
        "STRIDE_NOT_ALLOWED",
        "/animations/0/samplers/0/input",
        2,
    )


def test_of_two_channels_with_one_target_the_last_wins_and_is_reported(builder, tmp_path):
    builder.clip(
        [
            (1, "rotation", [0, 1], ROTATIONS, "LINEAR"),
            (1, "scale", [0], [[1, 1, 1]], "LINEAR"),
            (1, "rotation", [0, 2], ROTATIONS[::-1], "LINEAR"),
        ]
    )
    (clip,), (finding,) = read_clips(builder, tmp_path)
    assert [channel.pointer for channel in clip.channels] == ["/animations/0/channels/1", "/animations/0/channels/2"]
    assert clip.channels[1].values.tolist() == ROTATIONS[::-1]
    assert (finding.code, finding.pointer) == ("DUPLICATE_CHANNEL", "/animations/0/channels/2")
    assert "/animations/0/channels/0" in finding.message


def test_channels_that_move_no_node_are_passed_over(builder, tmp_path):
    builder.clip([(1, "rotation", [0, 1], ROTATIONS, "LINEAR")] * 2)
    first, second = builder.json["animations"][0]["channels"]
    del first["target"]["node"]
    pointer = {"pointer": "/materials/0/emissiveFactor"}
    second["target"] = {"path": "pointer", "extensions": {"KHR_animation_pointer": pointer}}
    (clip,), _ = read_clips(builder, tmp_path)
    assert clip.channels == ()
    assert clip.duration == 0
    pointer["pointer"] = "/nodes/1/rotation"
    error = refusal(builder, tmp_path, UnsupportedError)
    assert error.feature == "KHR_animation_pointer"
    assert error.pointer == "/animations/0/channels/1/target"


def with_targets(builder, count):
    part = builder.json["meshes"][0]["primitives"][0]
    part["targets"] = [{"POSITION": builder.accessor(np.ones((6, 3)))} for _ in range(count)]


@pytest.mark.parametrize(("interpolation", "shape"), [("LINEAR", (2, 2)), ("CUBICSPLINE", (2, 3, 2))])
def test_morph_weights_are_read_target_by_target(builder, tmp_path, interpolation, shape):
    with_targets(builder, 2)
    values = np.linspace(0, 1, int(np.prod(shape)), dtype=np.float32)
    builder.clip([(2, "weights", [0, 1], values, interpolation)], name="smile")
    (clip,), findings = read_clips(builder, tmp_path)
    assert clip.channels[0].path is Path.WEIGHTS
    assert np.array_equal(clip.channels[0].values, values.reshape(shape))
    assert not findings


def test_morph_weights_of_a_mesh_without_targets_are_refused(builder, tmp_path):
    builder.clip([(2, "weights", [0, 1], np.float32([0, 1]), "LINEAR")])
    assert "no morph targets" in refusal(builder, tmp_path).reason
    builder.json["animations"][0]["channels"][0]["target"]["node"] = 1
    assert "no morph targets" in refusal(builder, tmp_path).reason


@pytest.mark.parametrize(
    ("times", "reason"),
    [
        ([1, 0], "key 0 is at 1 s, key 1 at 0 s"),
        ([0, 0], "do not ascend"),
        ([0, np.nan], "NaN or infinite"),
        ([0, np.inf], "NaN or infinite"),
    ],
)
def test_keys_that_do_not_ascend_are_refused(builder, tmp_path, times, reason):
    builder.clip([(1, "rotation", [0, 1], ROTATIONS, "LINEAR")])
    builder.json["animations"][0]["samplers"][0]["input"] = builder.accessor(np.float32(times))
    error = refusal(builder, tmp_path)
    assert error.pointer == "/animations/0/samplers/0/input"
    assert reason in error.reason


def test_values_that_are_no_numbers_are_refused(builder, tmp_path):
    builder.clip([(1, "scale", [0, 1], [[1, 1, 1], [1, np.nan, 1]], "LINEAR")])
    assert refusal(builder, tmp_path).pointer == "/animations/0/samplers/0/output"


@pytest.mark.parametrize(("interpolation", "rows"), [("LINEAR", [1]), ("STEP", [1]), ("CUBICSPLINE", [4])])
def test_rotations_without_a_direction_are_refused(builder, tmp_path, interpolation, rows):
    values = np.tile(np.float32([0, 0, 0, 1]), (6 if interpolation == "CUBICSPLINE" else 2, 1))
    values[rows] = 0
    builder.clip([(1, "rotation", [0, 1], values, interpolation)])
    error = refusal(builder, tmp_path)
    assert error.pointer == "/animations/0/samplers/0/output"
    assert "rotation of key 1" in error.reason


def test_tangents_and_translations_may_be_zero(builder, tmp_path):
    spline = np.tile(np.float32([[0] * 4, [0, 0, 0, 1], [0] * 4]), (2, 1))
    builder.clip(
        [(1, "rotation", [0, 1], spline, "CUBICSPLINE"), (1, "translation", [0, 1], np.zeros((2, 3)), "LINEAR")]
    )
    (clip,), _ = read_clips(builder, tmp_path)
    assert len(clip.channels) == 2


@pytest.mark.parametrize(
    ("path", "values", "interpolation"),
    [
        ("rotation", np.zeros((3, 4), np.float32), "LINEAR"),
        ("rotation", np.zeros((2, 4), np.float32), "CUBICSPLINE"),
        ("rotation", np.zeros((2, 3), np.float32), "LINEAR"),
        ("translation", np.zeros((2, 4), np.float32), "LINEAR"),
        ("translation", np.zeros((2, 3), np.int8), "LINEAR"),
        ("scale", np.zeros((2, 3), np.uint16), "LINEAR"),
    ],
)
def test_values_that_do_not_fit_are_refused(builder, tmp_path, path, values, interpolation):
    builder.clip([(1, path, [0, 1], values, interpolation)])
    assert refusal(builder, tmp_path).pointer == "/animations/0/samplers/0/output"


def test_integers_that_are_not_normalized_are_refused(builder, tmp_path):
    builder.clip([(1, "rotation", [0, 1], np.zeros((2, 4), np.int8), "LINEAR")])
    del builder.json["accessors"][-1]["normalized"]
    assert "VEC4 of int8" in refusal(builder, tmp_path).reason


@pytest.mark.parametrize(
    ("part", "change", "pointer"),
    [
        ("samplers", {"interpolation": "CUBIC"}, "samplers/0/interpolation"),
        ("samplers", {"input": 99}, "samplers/0/input"),
        ("samplers", {"output": -1}, "samplers/0/output"),
        ("channels", {"sampler": 1}, "channels/0/sampler"),
        ("channels", {"target": 1}, "channels/0/target"),
        ("channels", {"target": {"node": 99, "path": "rotation"}}, "channels/0/target/node"),
        ("channels", {"target": {"node": 1, "path": "spin"}}, "channels/0/target/path"),
        ("channels", {"target": {"node": 1}}, "channels/0/target/path"),
    ],
)
def test_broken_animations_are_refused(builder, tmp_path, part, change, pointer):
    builder.clip([(1, "rotation", [0, 1], ROTATIONS, "LINEAR")])
    builder.json["animations"][0][part][0] |= change
    assert refusal(builder, tmp_path).pointer == f"/animations/0/{pointer}"


@pytest.mark.parametrize(
    ("part", "key"), [("samplers", "input"), ("samplers", "output"), ("channels", "sampler"), ("channels", "target")]
)
def test_missing_members_are_named(builder, tmp_path, part, key):
    builder.clip([(1, "rotation", [0, 1], ROTATIONS, "LINEAR")])
    del builder.json["animations"][0][part][0][key]
    error = refusal(builder, tmp_path)
    assert error.reason == f"{key!r} is missing"
    assert error.pointer == f"/animations/0/{part}/0"


def test_a_node_with_a_matrix_cannot_be_animated(builder, tmp_path):
    node = builder.node(matrix=[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])
    builder.clip([(node, "rotation", [0, 1], ROTATIONS, "LINEAR")])
    assert refusal(builder, tmp_path).pointer == "/animations/0/channels/0/target/node"
