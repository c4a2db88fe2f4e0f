import numpy as np
import pytest

from gltf_builder import GltfBuilder, strip
from skinproof.errors import ArrayError
from skinproof.formats.gltf.edit import edit_influences
from skinproof.formats.gltf.read import read
from skinproof.model import Influences, WeightFormat

FLOAT32, UNORM8 = WeightFormat.FLOAT32, WeightFormat.UNORM8


def _sets(count, vertices=6, *, joint_type=np.uint8, weight_type=np.float32):
    """Sets whose numbers all differ, on joints 0 and 1 by turns."""
    random = np.random.default_rng(count)
    sets = []
    for _ in range(count):
        joints = np.tile(np.array([0, 1, 0, 1], joint_type), (vertices, 1))
        weights = random.random((vertices, 4))
        sets.append((joints, weights if weight_type == np.float32 else (weights * 100).astype(weight_type)))
    return sets


def _constant(primitive, weight, *, weight_format=FLOAT32, width=4, joint=0):
    """New influences: one joint with one weight on every vertex."""
    joints = np.zeros((primitive.vertex_count, width), np.uint16)
    weights = np.zeros(joints.shape, np.float32)
    joints[:, 0], weights[:, 0] = joint, weight
    return Influences(joints, weights, (weight_format,) * -(-width // 4))


def _edited(character, *weights, **options):
    new = [_constant(one, weight, **options) for one, weight in zip(character.primitives, weights, strict=True)]
    return edit_influences(character.source, character.with_influences(new).primitives)


def _attributes(json, mesh=0, primitive=0):
    return json["meshes"][mesh]["primitives"][primitive]["attributes"]


def _two_meshes(tmp_path, *, more=None, pinned=None):
    """A file whose two meshes share their joints and weights; `more` adds to the JSON before it is saved."""
    builder = strip(_sets(1), indices=False)
    shared = _attributes(builder.json)
    positions = builder.accessor(np.ones((6, 3)), min=[1, 1, 1], max=[1, 1, 1])
    builder.json["meshes"].append({"primitives": [{"attributes": shared | {"POSITION": positions}}]})
    builder.node(mesh=1, skin=0)
    if more is not None:
        more(builder)
    return read(builder.save(tmp_path / "two.glb"))


def test_influences_as_they_are_need_no_edit(tmp_path):
    character = read(strip(_sets(2)).save(tmp_path / "a.glb"))
    assert edit_influences(character.source, character.primitives) is None


def test_untidy_slots_that_did_not_change_need_no_edit(tmp_path):
    joints = np.ones((6, 4), np.uint8)
    weights = np.tile([1.0, -0.0, 0, 0], (6, 1))
    character = read(strip([(joints, weights)]).save(tmp_path / "a.glb"))
    assert edit_influences(character.source, character.primitives) is None


def test_the_document_itself_is_not_touched(tmp_path):
    path = strip(_sets(2)).save(tmp_path / "a.glb")
    character = read(path)
    assert _edited(character, 1) is not None
    again = read(path)
    assert character.source.json == again.source.json
    assert character.source.buffers == again.source.buffers


def test_surplus_sets_go_and_their_accessors_stay_without_data(tmp_path):
    character = read(strip(_sets(3)).save(tmp_path / "a.glb"))
    before = _attributes(character.source.json)
    draft = _edited(character, 1)
    after = _attributes(draft.json)
    assert list(after) == ["POSITION", "JOINTS_0", "WEIGHTS_0"]
    assert all(after[name] == before[name] for name in after)
    assert len(draft.json["accessors"]) == len(character.source.json["accessors"])
    for name in ("JOINTS_1", "WEIGHTS_1", "JOINTS_2", "WEIGHTS_2"):
        assert "bufferView" not in draft.json["accessors"][before[name]]
    assert len(character.source.buffers[0]) - len(draft.buffers[0]) == 2 * 6 * (4 + 16)


def test_what_only_these_influences_use_changes_in_place(tmp_path):
    character = read(strip(_sets(1)).save(tmp_path / "a.glb"))
    draft = _edited(character, 1)
    assert draft.json["accessors"] == character.source.json["accessors"]
    assert draft.json["bufferViews"] == character.source.json["bufferViews"]
    assert len(draft.buffers[0]) == len(character.source.buffers[0])


def test_a_smaller_type_changes_the_accessor_alone(tmp_path):
    character = read(strip(_sets(1)).save(tmp_path / "a.glb"))
    before = character.source.json
    draft = _edited(character, 1, weight_format=UNORM8)
    weights = _attributes(before)["WEIGHTS_0"]
    assert draft.json["accessors"][weights] == before["accessors"][weights] | {
        "componentType": 5121,
        "normalized": True,
    }
    others = [index for index in range(len(before["accessors"])) if index != weights]
    assert all(draft.json["accessors"][index] == before["accessors"][index] for index in others)
    assert len(draft.json["bufferViews"]) == len(before["bufferViews"])
    assert len(character.source.buffers[0]) - len(draft.buffers[0]) == 6 * 12


def test_a_larger_type_moves_to_the_end_under_the_same_view(tmp_path):
    character = read(strip(_sets(1, weight_type=np.uint8)).save(tmp_path / "a.glb"))
    before = character.source.json
    draft = _edited(character, 0.5)
    weights = draft.json["accessors"][_attributes(draft.json)["WEIGHTS_0"]]
    assert weights["bufferView"] == before["accessors"][_attributes(before)["WEIGHTS_0"]]["bufferView"]
    assert "normalized" not in weights
    assert len(draft.json["bufferViews"]) == len(before["bufferViews"])
    view = draft.json["bufferViews"][weights["bufferView"]]
    assert view["byteOffset"] + view["byteLength"] == len(draft.buffers[0])
    assert len(draft.buffers[0]) - len(character.source.buffers[0]) == 6 * 12


def test_bounds_follow_the_data(tmp_path):
    builder = strip(_sets(1))
    accessor = builder.json["accessors"][_attributes(builder.json)["WEIGHTS_0"]]
    accessor |= {"min": [9, 9, 9, 9], "max": [9, 9, 9, 9]}
    character = read(builder.save(tmp_path / "a.glb"))
    draft = _edited(character, 0.25)
    weights = draft.json["accessors"][_attributes(draft.json)["WEIGHTS_0"]]
    assert (weights["min"], weights["max"]) == ([0.25, 0, 0, 0], [0.25, 0, 0, 0])


def test_the_joint_type_of_the_file_stays_where_it_fits(tmp_path):
    character = read(strip(_sets(1, joint_type=np.uint16)).save(tmp_path / "a.glb"))
    draft = _edited(character, 1)
    assert draft.json["accessors"][_attributes(draft.json)["JOINTS_0"]]["componentType"] == 5123


def test_more_sets_than_before_are_appended(tmp_path):
    character = read(strip(_sets(1)).save(tmp_path / "a.glb"))
    count = len(character.source.json["accessors"])
    draft = _edited(character, 1, width=9)
    attributes = _attributes(draft.json)
    assert list(attributes)[-4:] == ["JOINTS_1", "WEIGHTS_1", "JOINTS_2", "WEIGHTS_2"]
    assert [attributes[name] for name in ("JOINTS_1", "WEIGHTS_1")] == [count, count + 1]
    # The empty sets hold the same, so one accessor serves both.
    assert attributes["JOINTS_2"] == attributes["JOINTS_1"]
    assert draft.json["accessors"][count] == {
        "bufferView": len(character.source.json["bufferViews"]),
        "componentType": 5121,
        "count": 6,
        "type": "VEC4",
    }


def test_primitives_that_share_and_change_alike_still_share(tmp_path):
    character = _two_meshes(tmp_path)
    draft = _edited(character, 1, 1)
    assert _attributes(draft.json, 0)["WEIGHTS_0"] == _attributes(draft.json, 1)["WEIGHTS_0"]
    assert draft.json["accessors"] == character.source.json["accessors"]


def test_primitives_that_share_and_differ_get_their_own(tmp_path):
    character = _two_meshes(tmp_path)
    before = character.source.json
    count = len(before["accessors"])
    draft = _edited(character, 1, 0.5)
    assert _attributes(draft.json, 0)["WEIGHTS_0"] == _attributes(before, 0)["WEIGHTS_0"]
    assert _attributes(draft.json, 1)["WEIGHTS_0"] == count
    assert _attributes(draft.json, 0)["JOINTS_0"] == _attributes(draft.json, 1)["JOINTS_0"]
    assert len(draft.json["accessors"]) == count + 1


def test_one_of_two_that_share_may_stay_as_it_is(tmp_path):
    character = _two_meshes(tmp_path)
    first, second = character.primitives
    new = character.with_influences([_constant(first, 1), second.influences])
    draft = edit_influences(character.source, new.primitives)
    before = character.source.json
    assert _attributes(draft.json, 1) == _attributes(before, 1)
    assert _attributes(draft.json, 0)["WEIGHTS_0"] >= len(before["accessors"])
    old = _attributes(before, 1)["WEIGHTS_0"]
    assert draft.json["accessors"][old] == before["accessors"][old]


def test_an_accessor_that_something_else_uses_is_not_changed(tmp_path):
    def use_as_texture_coordinates(builder):
        attributes = builder.json["meshes"][0]["primitives"][0]["attributes"]
        attributes["_JOINTS_AGAIN"] = attributes["JOINTS_0"]

    character = _two_meshes(tmp_path, more=use_as_texture_coordinates)
    before = character.source.json
    draft = _edited(character, 1, 1, joint=1)
    joints = _attributes(before)["JOINTS_0"]
    assert draft.json["accessors"][joints] == before["accessors"][joints]
    assert _attributes(draft.json)["_JOINTS_AGAIN"] == joints
    assert _attributes(draft.json)["JOINTS_0"] == _attributes(draft.json, 1)["JOINTS_0"] == len(before["accessors"])


def test_an_accessor_that_an_unknown_extension_may_mean_is_neither_changed_nor_emptied(tmp_path):
    builder = strip(_sets(2))
    attributes = _attributes(builder.json)
    named = [attributes["WEIGHTS_0"], attributes["WEIGHTS_1"]]
    builder.json["nodes"][0]["extensions"] = {"X_unknown": {"look": named}}
    builder.json["extensionsUsed"] = ["X_unknown"]
    character = read(builder.save(tmp_path / "a.glb"))
    draft = _edited(character, 1)
    for accessor in named:
        assert draft.json["accessors"][accessor] == character.source.json["accessors"][accessor]
    assert _attributes(draft.json)["WEIGHTS_0"] == len(character.source.json["accessors"])


def test_joints_without_data_get_some(tmp_path):
    builder = strip(_sets(1))
    joints = builder.json["accessors"][_attributes(builder.json)["JOINTS_0"]]
    del joints["bufferView"]
    character = read(builder.save(tmp_path / "a.glb"))
    draft = _edited(character, 1, joint=1)
    accessor = draft.json["accessors"][_attributes(character.source.json)["JOINTS_0"]]
    assert accessor["bufferView"] == len(character.source.json["bufferViews"])


def test_a_file_without_any_buffer_gets_one(tmp_path):
    builder = GltfBuilder()
    joint = builder.node()
    parts = {"POSITION": (5126, "VEC3"), "JOINTS_0": (5121, "VEC4"), "WEIGHTS_0": (5126, "VEC4")}
    builder.json["accessors"] = [{"componentType": kind, "type": type_, "count": 2} for kind, type_ in parts.values()]
    builder.json["meshes"] = [{"primitives": [{"attributes": {name: at for at, name in enumerate(parts)}}]}]
    builder.node(mesh=0, skin=builder.skin([joint]))
    character = read(builder.save(tmp_path / "a.glb"))
    assert character.source.buffers == ()
    draft = _edited(character, 1)
    assert draft.json["buffers"] == [{"byteLength": 32}]
    assert draft.sources == ["glb-chunk"]
    assert "bufferView" not in draft.json["accessors"][1]  # the joints still are all zero


def test_another_vertex_count_is_refused(tmp_path):
    character = read(strip(_sets(1)).save(tmp_path / "a.glb"))
    other = read(strip(_sets(1, 8), vertices=8).save(tmp_path / "b.glb"))
    with pytest.raises(ArrayError, match="has 8 vertices, in its file 6"):
        edit_influences(character.source, other.primitives)
