"""Meshes: influences in any number of sets and types, and what of them is refused."""

import numpy as np
import pytest

from gltf_builder import GltfBuilder, strip
from skinproof.errors import FormatError
from skinproof.formats.gltf.read import read
from skinproof.model import WeightFormat

PRIMITIVE = "/meshes/0/primitives/0"
ATTRIBUTES = f"{PRIMITIVE}/attributes"


def random_sets(count, joint_types, weight_types, vertices=6):
    """Return sets of random joints (0 or 1) and weights, and the weights as they are to be decoded."""
    random = np.random.default_rng(count)
    sets, decoded = [], []
    for number in range(count):
        joints = random.integers(2, size=(vertices, 4)).astype(joint_types[number % len(joint_types)])
        kind = weight_types[number % len(weight_types)]
        if kind == "float32":
            weights = random.random((vertices, 4), dtype=np.float32)
            decoded.append(weights)
        else:
            top = np.iinfo(kind).max
            weights = random.integers(top + 1, size=(vertices, 4)).astype(kind)
            decoded.append(np.float32(weights) / np.float32(top))
        sets.append((joints, weights))
    return sets, np.concatenate(decoded, axis=1)


def read_strip(builder, tmp_path):
    return read(builder.save(tmp_path / "a.glb"))


def refusal(builder, tmp_path, error=FormatError):
    with pytest.raises(error) as caught:
        read_strip(builder, tmp_path)
    assert caught.value.remedy
    return caught.value


@pytest.mark.parametrize("interleave", [False, True])
@pytest.mark.parametrize("weight_type", ["float32", "uint8", "uint16"])
@pytest.mark.parametrize("joint_type", ["uint8", "uint16"])
@pytest.mark.parametrize("count", [1, 2, 5])
def test_every_type_and_number_of_sets(tmp_path, count, joint_type, weight_type, interleave):
    sets, decoded = random_sets(count, [joint_type], [weight_type])
    character = read_strip(strip(sets, interleave=interleave), tmp_path)
    influences = character.primitives[0].influences
    assert np.array_equal(influences.joints, np.concatenate([joints for joints, _ in sets], axis=1))
    assert np.array_equal(influences.weights, decoded)
    expected = {"float32": WeightFormat.FLOAT32, "uint8": WeightFormat.UNORM8, "uint16": WeightFormat.UNORM16}
    assert influences.set_formats == (expected[weight_type],) * count
    if weight_type == "float32":
        assert influences.stored is None
    else:
        assert influences.stored.dtype == weight_type
        assert np.array_equal(influences.stored, np.concatenate([weights for _, weights in sets], axis=1))
    assert character.findings == ()


def test_sets_of_different_types_are_decoded_each_by_its_own_rule(tmp_path):
    sets, decoded = random_sets(3, ["uint8", "uint16"], ["float32", "uint8", "uint16"])
    character = read_strip(strip(sets), tmp_path)
    influences = character.primitives[0].influences
    assert np.array_equal(influences.weights, decoded)
    assert influences.set_formats == (WeightFormat.FLOAT32, WeightFormat.UNORM8, WeightFormat.UNORM16)
    assert influences.stored is None
    assert [(finding.code, finding.pointer) for finding in character.findings] == [("MIXED_WEIGHT_FORMATS", ATTRIBUTES)]


def test_broken_weights_are_read_as_they_are(tmp_path):
    weights = np.array([[np.nan, np.inf, -1, -0.0]] * 6, dtype=np.float32)
    joints = np.full((6, 4), 65535, dtype=np.uint16)
    influences = read_strip(strip([(joints, weights)]), tmp_path).primitives[0].influences
    assert influences.weights.tobytes() == weights.tobytes()
    assert (influences.joints == 65535).all()


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32"])
def test_indices_of_every_type(tmp_path, dtype):
    builder = strip(indices=False)
    builder.json["meshes"][0]["primitives"][0]["indices"] = builder.accessor(np.array([5, 0, 3], dtype=dtype))
    primitive = read_strip(builder, tmp_path).primitives[0]
    assert primitive.indices.tolist() == [5, 0, 3]
    assert primitive.indices.dtype == np.uint32


def test_primitives_need_no_indices_and_may_be_points_or_lines(tmp_path):
    for mode in (0, 1, 4):
        builder = strip(indices=False)
        builder.json["meshes"][0]["primitives"][0]["mode"] = mode
        primitive = read_strip(builder, tmp_path).primitives[0]
        assert primitive.indices is None
        assert primitive.mode == mode


def test_normals_come_back_and_broken_ones_are_reported(tmp_path):
    normals = np.tile(np.float32([0, 0, 1]), (6, 1))
    builder = strip()
    attributes = builder.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["NORMAL"] = builder.accessor(normals)
    character = read_strip(builder, tmp_path)
    assert np.array_equal(character.primitives[0].normals, normals)
    assert character.findings == ()
    normals[2] = np.nan
    attributes["NORMAL"] = builder.accessor(normals)
    (finding,) = read_strip(builder, tmp_path).findings
    assert (finding.code, finding.pointer, finding.measured) == ("INVALID_NORMALS", f"{ATTRIBUTES}/NORMAL", 1)


def test_names(tmp_path):
    builder = strip()
    mesh = builder.json["meshes"][0]
    assert read_strip(builder, tmp_path).primitives[0].name == "strip"
    del mesh["name"]
    assert read_strip(builder, tmp_path).primitives[0].name == "mesh 0"
    mesh["primitives"].append(mesh["primitives"][0])
    primitives = read_strip(builder, tmp_path).primitives
    assert [(primitive.name, primitive.index) for primitive in primitives] == [("mesh 0 #0", 0), ("mesh 0 #1", 1)]
    assert primitives[1].pointer == "/meshes/0/primitives/1"


def test_primitives_that_share_accessors_share_arrays(tmp_path):
    builder = strip()
    builder.json["meshes"][0]["primitives"] *= 3
    first, *others = read_strip(builder, tmp_path).primitives
    for other in others:
        assert other.positions is first.positions
        assert other.influences is first.influences
        assert other.indices is first.indices


def test_one_mesh_under_several_skins(tmp_path):
    builder = strip()
    other = builder.skin([1, 0])
    builder.node(mesh=0, skin=other)
    character = read_strip(builder, tmp_path)
    assert len(character.primitives) == 1
    assert character.skins_of(character.primitives[0]) == (0, 1)
    assert [(instance.node, instance.mesh, instance.skin) for instance in character.instances] == [(2, 0, 0), (3, 0, 1)]


def test_several_meshes_under_one_skin(tmp_path):
    builder = strip()
    positions = np.ones((2, 3))
    sets, _ = random_sets(1, ["uint8"], ["float32"], vertices=2)
    builder.node(mesh=builder.mesh(positions, sets, name="hat"), skin=0)
    character = read_strip(builder, tmp_path)
    assert [primitive.name for primitive in character.primitives] == ["strip", "hat"]
    assert [character.skins_of(primitive) for primitive in character.primitives] == [(0,), (0,)]


def test_parts_without_influences_are_left_alone_and_reported(tmp_path):
    builder = strip()
    attributes = {"POSITION": builder.accessor(np.ones((3, 3)))}
    builder.json["meshes"][0]["primitives"].append({"attributes": attributes})
    builder.node(mesh=builder.mesh(np.ones((3, 3))))
    character = read_strip(builder, tmp_path)
    assert len(character.primitives) == 1
    assert [(finding.code, finding.pointer) for finding in character.findings] == [
        ("SKIN_WITHOUT_INFLUENCES", "/meshes/0/primitives/1")
    ]


def test_influences_that_no_skin_shows_are_read_and_reported(tmp_path):
    builder = strip()
    del builder.json["nodes"][2]["skin"]
    character = read_strip(builder, tmp_path)
    assert len(character.primitives) == 1
    assert character.instances == ()
    assert [(finding.code, finding.pointer) for finding in character.findings] == [("UNSKINNED_INFLUENCES", PRIMITIVE)]


def test_a_skin_on_a_node_without_mesh_shows_nothing(tmp_path):
    builder = strip()
    builder.node(skin=0)
    assert len(read_strip(builder, tmp_path).instances) == 1


def test_a_file_without_influences_is_refused(tmp_path):
    builder = GltfBuilder()
    builder.node(mesh=builder.mesh(np.ones((3, 3))))
    assert "no influences" in refusal(builder, tmp_path).reason
    assert "no influences" in refusal(GltfBuilder(), tmp_path).reason


def without(builder, *names):
    for name in names:
        del builder.json["meshes"][0]["primitives"][0]["attributes"][name]
    return builder


def two_sets():
    return strip(random_sets(2, ["uint8"], ["float32"])[0])


def test_missing_and_surplus_attributes_are_refused(tmp_path):
    for builder in (
        without(strip(), "WEIGHTS_0"),
        without(strip(), "JOINTS_0"),
        without(two_sets(), "WEIGHTS_1"),
        without(two_sets(), "WEIGHTS_0"),
    ):
        assert refusal(builder, tmp_path).pointer == ATTRIBUTES
    assert "JOINTS_0 is missing" in refusal(without(two_sets(), "JOINTS_0", "WEIGHTS_0"), tmp_path).reason
    assert "no POSITION" in refusal(without(strip(), "POSITION"), tmp_path).reason


@pytest.mark.parametrize("name", ["JOINTS_01", "JOINTS_", "JOINTS_x", "JOINTS_2", "JOINTS_-1"])
def test_odd_numbers_of_sets_are_refused(tmp_path, name):
    builder = strip()
    attributes = builder.json["meshes"][0]["primitives"][0]["attributes"]
    attributes[name] = attributes["JOINTS_0"]
    attributes["WEIGHTS_1"] = attributes["WEIGHTS_0"]
    assert "JOINTS_1 is missing" in refusal(builder, tmp_path).reason


@pytest.mark.parametrize(
    ("name", "array", "normalized"),
    [
        ("JOINTS_0", np.zeros((6, 4), np.float32), False),
        ("JOINTS_0", np.zeros((6, 4), np.uint8), True),
        ("JOINTS_0", np.zeros((6, 4), np.uint32), False),
        ("JOINTS_0", np.zeros((6, 3), np.uint8), False),
        ("WEIGHTS_0", np.zeros((6, 4), np.uint8), False),
        ("WEIGHTS_0", np.zeros((6, 4), np.int8), True),
        ("WEIGHTS_0", np.zeros((6, 4), np.uint32), True),
        ("WEIGHTS_0", np.zeros((6, 2), np.float32), False),
        ("POSITION", np.zeros((6, 2), np.float32), False),
        ("NORMAL", np.zeros((6, 4), np.float32), False),
    ],
)
def test_attributes_of_other_types_are_refused(tmp_path, name, array, normalized):
    builder = strip()
    accessor = builder.accessor(array, normalized=normalized)
    builder.json["meshes"][0]["primitives"][0]["attributes"][name] = accessor
    assert refusal(builder, tmp_path).pointer == f"{ATTRIBUTES}/{name}"


@pytest.mark.parametrize("name", ["NORMAL", "JOINTS_0", "WEIGHTS_0", "TEXCOORD_0"])
def test_attributes_of_other_lengths_are_refused(tmp_path, name):
    builder = strip()
    builder.json["meshes"][0]["primitives"][0]["attributes"][name] = builder.accessor(np.zeros((5, 3)))
    error = refusal(builder, tmp_path)
    assert error.pointer == PRIMITIVE
    assert error.reason == f"attributes/{name} has 5 elements, POSITION has 6"


def test_morph_targets_of_other_lengths_are_refused(tmp_path):
    builder = strip()
    builder.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": builder.accessor(np.zeros((5, 3)))}]
    assert refusal(builder, tmp_path).reason == "targets/0/POSITION has 5 elements, POSITION has 6"


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_positions_that_are_no_numbers_are_refused(tmp_path, bad):
    positions = np.zeros((6, 3))
    positions[3, 1] = bad
    builder = strip()
    builder.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = builder.accessor(positions)
    error = refusal(builder, tmp_path)
    assert error.pointer == f"{ATTRIBUTES}/POSITION"
    assert error.reason.startswith("1 vertices")


def test_indices_beyond_the_vertices_are_refused(tmp_path):
    builder = strip(indices=False)
    builder.json["meshes"][0]["primitives"][0]["indices"] = builder.accessor(np.array([0, 1, 6], dtype=np.uint8))
    error = refusal(builder, tmp_path)
    assert error.pointer == f"{PRIMITIVE}/indices"
    assert "vertex index 6" in error.reason


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"mode": 7}, f"{PRIMITIVE}/mode"),
        ({"attributes": []}, f"{PRIMITIVE}/attributes"),
        ({"indices": 99}, f"{PRIMITIVE}/indices"),
        ({"targets": {}}, f"{PRIMITIVE}/targets"),
        ({"targets": [{"POSITION": 99}]}, f"{PRIMITIVE}/targets/0/POSITION"),
        ({"extensions": 1}, f"{PRIMITIVE}/extensions"),
    ],
)
def test_broken_primitives_are_refused(tmp_path, change, pointer):
    builder = strip()
    builder.json["meshes"][0]["primitives"][0] |= change
    assert refusal(builder, tmp_path).pointer == pointer


@pytest.mark.parametrize(("change", "pointer"), [({"mesh": 1}, "/nodes/2/mesh"), ({"skin": 1}, "/nodes/2/skin")])
def test_nodes_name_meshes_and_skins_that_are_there(tmp_path, change, pointer):
    builder = strip()
    builder.json["nodes"][2] |= change
    assert refusal(builder, tmp_path).pointer == pointer


QUANTIZED = np.array([[0, 1, -128], [127, -127, 64], [1, 2, 3], [4, 5, 6], [7, 8, 9], [-10, -11, -12]])


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16])
def test_quantized_positions(tmp_path, dtype, normalized):
    """KHR_mesh_quantization; -128 of a normalized byte is -1, as -127 is (glTF 2.0, section 3.11)."""
    stored = (QUANTIZED if np.issubdtype(dtype, np.signedinteger) else np.abs(QUANTIZED)).astype(dtype)
    builder = strip()
    builder.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    accessor = builder.accessor(stored, normalized=normalized)
    builder.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = accessor
    (primitive,) = read_strip(builder, tmp_path).primitives
    expected = stored.astype(np.float64)
    if normalized:
        expected = np.maximum(expected / np.iinfo(dtype).max, -1)
    assert primitive.positions.tolist() == expected.astype(np.float32).tolist()
    assert primitive.position_step > 0


@pytest.mark.parametrize("dtype", [np.int8, np.int16])
def test_quantized_normals_and_morph_targets(tmp_path, dtype):
    builder = strip()
    stored = QUANTIZED.astype(dtype)
    normals, moved = builder.accessor(stored, normalized=True), builder.accessor(stored)
    part = builder.json["meshes"][0]["primitives"][0]
    part["attributes"]["NORMAL"] = normals
    part["targets"] = [{"POSITION": moved}, {"POSITION": normals}]
    (primitive,) = read_strip(builder, tmp_path).primitives
    expected = np.maximum(stored / np.iinfo(dtype).max, -1).astype(np.float32)
    assert primitive.normals.tolist() == expected.tolist()
    assert [target.tolist() for target in primitive.targets] == [stored.tolist(), expected.tolist()]


@pytest.mark.parametrize(
    ("name", "array", "normalized"),
    [
        ("NORMAL", np.zeros((6, 3), np.int16), False),
        ("NORMAL", np.zeros((6, 3), np.uint8), True),
        ("POSITION", np.zeros((6, 3), np.uint32), False),
    ],
)
def test_types_that_no_extension_allows_are_refused(tmp_path, name, array, normalized):
    builder = strip()
    accessor = builder.accessor(array, normalized=normalized)
    builder.json["meshes"][0]["primitives"][0]["attributes"][name] = accessor
    error = refusal(builder, tmp_path)
    assert error.pointer == f"{ATTRIBUTES}/{name}"
    assert "is needed" in str(error)


def test_morph_targets_are_signed(tmp_path):
    builder = strip()
    target = builder.accessor(np.zeros((6, 3), np.uint8), normalized=True)
    builder.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": target}]
    assert refusal(builder, tmp_path).pointer == "/meshes/0/primitives/0/targets/0/POSITION"


def test_quantization_of_other_attributes_is_no_obstacle(tmp_path):
    builder = strip()
    builder.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    accessor = builder.accessor(np.zeros((6, 2), dtype=np.uint16), normalized=True)
    builder.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_0"] = accessor
    assert len(read_strip(builder, tmp_path).primitives) == 1
