"""The corpus: small broken and hostile files, made in code.

`python tests/hostile/corpus.py FOLDER` writes them all. A case is made from a sound character of six vertices by one
change, so that what is refused is that change. Each says how the command must end: with exit code 3 and a message that
names a place, or with 0 or 1 and the code of a finding, or soundly.
"""

from __future__ import annotations

import json
import struct
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from gltf_builder import glb, strip

HUGE = 2**53
PART = "/meshes/0/primitives/0"


@dataclass(frozen=True)
class Case:
    """One file.

    Attributes:
        name: of the file, with its suffix.
        data: its bytes.
        code: exit code of `skinproof limit -k 1`.
        says: what the message must hold: a JSON pointer or byte offset, and words of the reason.
    """

    name: str
    data: bytes
    code: int
    says: tuple[str, ...]


def corpus() -> list[Case]:
    """All cases, in a fixed order."""
    cases = [*_containers(), *_texts(), *_documents(), *_arrays(), *_trees(), *_weights(), *_clips()]
    assert len({case.name for case in cases}) == len(cases)
    return cases


def sound() -> tuple[dict, bytes]:
    builder = strip()
    return json.loads(json.dumps(builder.document())), bytes(builder.data)


def packed(document: object, data: bytes) -> bytes:
    return glb(json.dumps(document).encode(), data)


def changed(name: str, change: Callable[[dict], object], *says: str, code: int = 3) -> Case:
    """The sound character after one change of its JSON."""
    document, data = sound()
    change(document)
    return Case(f"{name}.glb", packed(document, data), code, says)


def put(path: str, value: object) -> Callable[[dict], None]:
    """Set the member at a JSON pointer, or take it away (`...`)."""
    *keys, last = path[1:].split("/")

    def change(document: dict) -> None:
        holder = document
        for key in keys:
            holder = holder[int(key)] if isinstance(holder, list) else holder.setdefault(key, {})
        last_key = int(last) if isinstance(holder, list) else last
        if value is ...:
            del holder[last_key]
        else:
            holder[last_key] = value

    return change


def with_data(name: str, accessor: Callable[[dict], int], values: np.ndarray, *says: str, code: int = 3) -> Case:
    """The sound character with the first bytes of an accessor's data replaced."""
    document, data = sound()
    described = document["accessors"][accessor(document)]
    view = document["bufferViews"][described["bufferView"]]
    start = view["byteOffset"] + described.get("byteOffset", 0)
    bits = values.tobytes()
    return Case(f"{name}.glb", packed(document, data[:start] + bits + data[start + len(bits) :]), code, says)


def attribute(name: str) -> Callable[[dict], int]:
    return lambda document: document["meshes"][0]["primitives"][0]["attributes"][name]


def sampler(key: str) -> Callable[[dict], int]:
    return lambda document: document["animations"][0]["samplers"][0][key]


def _containers() -> list[Case]:
    document, data = sound()
    whole = packed(document, data)
    text_length = struct.unpack_from("<I", whole, 12)[0]

    def with_word(offset: int, word: int) -> bytes:
        return whole[:offset] + struct.pack("<I", word) + whole[offset + 4 :]

    cases = [
        Case("empty.glb", b"", 3, ("empty",)),
        Case("empty.gltf", b"", 3, ("empty",)),
        Case("magic.glb", b"glTG" + whole[4:], 3, ("this is no glTF",)),
        Case("version_1.glb", with_word(4, 1), 3, ("version",)),
        Case("longer_than_it_is.glb", with_word(8, len(whole) + 4), 3, ("byte",)),
        Case("length_of_4_gigabytes.glb", with_word(8, 2**32 - 1), 3, ("byte",)),
        Case("length_zero.glb", with_word(8, 0), 3, ("byte",)),
        Case("chunk_beyond_the_end.glb", with_word(12, 2**31), 3, ("byte 12",)),
        Case("chunk_of_length_zero.glb", with_word(12, 0), 3, ("the chunk at byte 20",)),
        Case("first_chunk_is_binary.glb", with_word(16, 0x004E4942), 3, ("the first chunk of the GLB is not JSON",)),
        Case("binary_chunk_of_unknown_type.glb", with_word(20 + text_length + 4, 0x11111111), 3, ("/buffers/0",)),
        Case("two_text_chunks.glb", with_word(20 + text_length + 4, 0x4E4F534A), 3, ("second JSON chunk",)),
        Case("zeros.glb", bytes(1000), 3, ("this is no glTF",)),
        Case("text_in_a_glb.glb", json.dumps(document).encode(), 3, ("/buffers/0", "no binary chunk")),
        Case("binary_in_a_gltf.gltf", whole[20:], 3, ("not UTF-8",)),
    ]
    cuts = (1, 4, 11, 12, 16, 19, 20, 21, text_length, 20 + text_length, 27 + text_length, len(whole) - 1)
    return cases + [
        Case(f"cut_at_{cut}.glb", whole[:cut], 3, ("byte" if cut >= 4 else "this is no glTF",)) for cut in cuts
    ]


def _texts() -> list[Case]:
    document, data = sound()
    text = json.dumps(document)

    def as_glb(name: str, changed_text: str | bytes, *says: str, code: int = 3) -> Case:
        encoded = changed_text.encode() if isinstance(changed_text, str) else changed_text
        return Case(f"{name}.glb", glb(encoded, data), code, says)

    return [
        as_glb("nested_100000_deep", "[" * 100_000 + "]" * 100_000, "nest"),
        as_glb("nested_objects", '{"a":' * 50_000 + "1" + "}" * 50_000, "nest"),
        as_glb(
            "nested_extras", text.replace('"asset"', '"extras": ' + "[" * 5000 + "]" * 5000 + ', "asset"', 1), "nest"
        ),
        as_glb("nan", text.replace('"byteOffset": 0', '"byteOffset": NaN', 1), "NaN"),
        as_glb("infinity", text.replace('"byteOffset": 0', '"byteOffset": -Infinity', 1), "Infinity"),
        as_glb("number_beyond_float64", text.replace('"byteOffset": 0', '"byteOffset": 1e400', 1), "1e400"),
        as_glb(
            "number_of_5000_digits", text.replace('"byteOffset": 0', '"byteOffset": ' + "9" * 5000, 1), "5000 digits."
        ),
        as_glb("key_twice", text.replace('"asset"', '"asset": {"version": "2.0"}, "asset"', 1), "twice"),
        as_glb("key_twice_deep", text.replace('"byteOffset"', '"byteOffset": 4, "byteOffset"', 1), "twice"),
        as_glb("no_utf8", text.encode().replace(b"strip", b"str\xff\xfe"), "UTF-8"),
        as_glb("byte_order_mark", b"\xef\xbb\xbf" + text.encode(), code=0),
        as_glb("utf16", text.encode("utf-16"), "not UTF-8"),
        as_glb("control_character", text.replace("strip", "st\nrip"), "control character", "line 1"),
        as_glb("cut_in_a_string", text[: text.index("strip") + 2], "Unterminated string"),
        as_glb("more_after_the_end", text + "{}", "Extra data"),
        as_glb("a_list", "[]", "not an object"),
        as_glb("a_number", "7", "not an object"),
        as_glb("null", "null", "not an object"),
        as_glb("lone_surrogate", text.replace("strip", "\\ud800"), "surrogate"),
    ]


def _documents() -> list[Case]:
    return [
        changed("no_asset", put("/asset", ...), "asset"),
        changed("version_3", put("/asset/version", "3.0"), "/asset", "3.0"),
        changed("version_is_a_number", put("/asset/version", 2.0), "/asset/version"),
        changed("unknown_required", put("/extensionsRequired", ["ACME_bones"]), "/extensionsRequired/0", "ACME_bones"),
        changed("required_is_no_list", put("/extensionsRequired", {"a": 1}), "/extensionsRequired"),
        changed("buffers_is_an_object", put("/buffers", {}), "/buffers"),
        changed("buffers_holds_null", put("/buffers/0", None), "/buffers/0"),
        changed("buffer_of_2_53", put("/buffers/0/byteLength", HUGE), "/buffers/0/byteLength"),
        changed("buffer_without_length", put("/buffers/0/byteLength", ...), "/buffers/0"),
        changed("buffer_above_the_folder", put("/buffers/0/uri", "../../etc/passwd"), "/buffers/0/uri", "leaves"),
        changed("buffer_hidden_above", put("/buffers/0/uri", "a/%2e%2e/%2e%2e/x.bin"), "/buffers/0/uri", "leaves"),
        changed("buffer_absolute", put("/buffers/0/uri", "/etc/passwd"), "/buffers/0/uri", "no relative path"),
        changed("buffer_of_the_web", put("/buffers/0/uri", "http://localhost/x.bin"), "/buffers/0/uri"),
        changed("buffer_of_a_device", put("/buffers/0/uri", "file:///dev/zero"), "/buffers/0/uri"),
        changed("buffer_missing", put("/buffers/0/uri", "missing.bin"), "/buffers/0/uri", "missing.bin"),
        changed("buffer_is_a_folder", put("/buffers/0/uri", "."), "/buffers/0/uri"),
        changed("buffer_of_a_null_name", put("/buffers/0/uri", "a\0b"), "/buffers/0/uri"),
        changed("buffer_not_base64", put("/buffers/0/uri", "data:;base64,****"), "/buffers/0/uri", "base64"),
        changed("buffer_too_short", put("/buffers/0/uri", "data:;base64,AAAA"), "/buffers/0/byteLength"),
        changed("buffer_by_number", put("/buffers/0/uri", 7), "/buffers/0/uri"),
        changed("view_of_no_buffer", put("/bufferViews/0/buffer", 9), "/bufferViews/0/buffer"),
        changed("view_beyond", put("/bufferViews/0/byteOffset", HUGE), "/bufferViews/0", "lie outside"),
        changed("view_length_2_53", put("/bufferViews/0/byteLength", HUGE), "/bufferViews/0", "lie outside"),
        changed("view_of_negative_length", put("/bufferViews/0/byteLength", -4), "/bufferViews/0/byteLength"),
        changed("view_of_stride_1", put("/bufferViews/0/byteStride", 1), "/bufferViews/0/byteStride"),
        changed("view_of_stride_253", put("/bufferViews/0/byteStride", 253), "/bufferViews/0/byteStride"),
        changed("view_length_true", put("/bufferViews/0/byteLength", True), "/bufferViews/0/byteLength"),
        changed("no_meshes", put("/meshes", ...), "/nodes/2/mesh"),
        changed("mesh_is_a_string", put("/meshes/0", "mesh"), "/meshes/0"),
        changed("no_primitives", put("/meshes/0/primitives", []), "no influences"),
        changed("attributes_is_a_list", put(f"{PART}/attributes", [1]), f"{PART}/attributes"),
        changed("mode_7", put(f"{PART}/mode", 7), f"{PART}/mode"),
    ]


def _arrays() -> list[Case]:
    return [
        changed("accessor_count_2_53", put("/accessors/0/count", HUGE), "/accessors/0", "need"),
        changed("accessor_count_1e300", put("/accessors/0/count", 10**300), "/accessors/0"),
        changed("accessor_count_is_a_float", put("/accessors/0/count", 6.0), "/accessors/0/count"),
        changed("accessor_count_0", put("/accessors/0/count", 0), "/accessors/0/count"),
        changed("accessor_offset_2_53", put("/accessors/0/byteOffset", HUGE), "/accessors/0"),
        changed("accessor_of_type_vec9", put("/accessors/0/type", "VEC9"), "/accessors/0/type"),
        changed("accessor_component_7", put("/accessors/0/componentType", 7), "/accessors/0/componentType"),
        changed("accessor_view_99", put("/accessors/0/bufferView", 99), "/accessors/0/bufferView"),
        changed("zeros_of_2_53", _zeros(HUGE), "/accessors/"),
        changed("zeros_of_2_31", _zeros(2**31), "/accessors/"),
        changed("sparse_count_2_53", _sparse(count=HUGE), "/accessors/0/sparse"),
        changed("sparse_without_indices", put("/accessors/0/sparse", {"count": 1}), "/accessors/0/sparse"),
        changed("sparse_indices_are_floats", _sparse(component=5126), "/accessors/0/sparse/indices/componentType"),
        changed("position_missing", put(f"{PART}/attributes/POSITION", ...), f"{PART}/attributes", "POSITION"),
        changed("position_is_no_accessor", put(f"{PART}/attributes/POSITION", 99), f"{PART}/attributes/POSITION"),
        changed("position_is_negative", put(f"{PART}/attributes/POSITION", -1), f"{PART}/attributes/POSITION"),
        changed("weights_missing", put(f"{PART}/attributes/WEIGHTS_0", ...), f"{PART}/attributes"),
        changed("set_0_missing", _renamed("JOINTS_0", "JOINTS_1"), f"{PART}/attributes", "JOINTS_0 is missing"),
        changed("joints_are_floats", _swapped("JOINTS_0", "WEIGHTS_0"), f"{PART}/attributes/JOINTS_0"),
        with_data("position_nan", attribute("POSITION"), np.full(3, np.nan, np.float32), f"{PART}/attributes/POSITION"),
        with_data("position_all_nan", attribute("POSITION"), np.full(18, np.nan, np.float32), "6 vertices"),
        with_data("position_infinite", attribute("POSITION"), np.full(1, -np.inf, np.float32), "NaN or infinite"),
        with_data(
            "index_beyond", lambda d: d["meshes"][0]["primitives"][0]["indices"], np.uint16([60000]), f"{PART}/indices"
        ),
        changed("indices_are_floats", _indices_are("POSITION"), f"{PART}/indices"),
    ]


def _trees() -> list[Case]:
    def chain(count: int) -> Callable[[dict], None]:
        def change(document: dict) -> None:
            start = len(document["nodes"])
            document["nodes"] += [{"children": [start + number + 1]} for number in range(count - 1)] + [{}]

        return change

    return [
        changed("node_is_its_own_child", put("/nodes/0/children", [0]), "/nodes/0"),
        changed("nodes_in_a_ring", put("/nodes/1/children", [0]), "/nodes"),
        changed("two_parents", put("/nodes/2/children", [1]), "/nodes"),
        changed("child_99", put("/nodes/0/children", [99]), "/nodes/0/children"),
        changed("child_2_53", put("/nodes/0/children", [HUGE]), "/nodes/0/children"),
        changed("chain_of_50000", chain(50_000), code=0),
        changed("node_of_mesh_7", put("/nodes/2/mesh", 7), "/nodes/2/mesh"),
        changed("node_of_skin_7", put("/nodes/2/skin", 7), "/nodes/2/skin"),
        changed("rotation_of_three", put("/nodes/1/rotation", [0, 0, 1]), "/nodes/1/rotation"),
        changed("rotation_of_zero", put("/nodes/1/rotation", [0, 0, 0, 0]), "/nodes/1"),
        changed("translation_huge", put("/nodes/1/translation", [0, 1e308, 0]), code=0),
        changed("matrix_of_projection", put("/nodes/1/matrix", [1.0, 0, 0, 1] + [0, 1, 0, 0] * 3), "/nodes/1"),
        changed("skin_without_joints", put("/skins/0/joints", []), "/skins/0"),
        changed("skin_of_joint_99", put("/skins/0/joints", [0, 99]), "/skins/0/joints/1"),
        changed("skin_of_a_joint_twice", put("/skins/0/joints", [0, 0]), "/skins/0/joints"),
        changed("inverse_binds_of_another", put("/skins/0/inverseBindMatrices", 0), "/skins/0/inverseBindMatrices"),
        with_data("inverse_bind_nan", _inverse_binds, np.full(16, np.nan, np.float32), "/skins/0/inverseBindMatrices"),
        with_data("inverse_bind_zero", _inverse_binds, np.zeros(16, np.float32), "/skins/0/inverseBindMatrices"),
        with_data("inverse_bind_flat", _inverse_binds, np.diag(np.float32([1, 0, 1, 1])).ravel(), code=0),
    ]


def _weights() -> list[Case]:
    weights, joints = attribute("WEIGHTS_0"), attribute("JOINTS_0")
    return [
        with_data("weight_nan", weights, np.float32([np.nan]), PART, "NaN or infinite"),
        with_data("weight_infinite", weights, np.float32([np.inf]), PART, "NaN or infinite"),
        with_data("weight_negative", weights, np.float32([-1.0]), PART, "negative"),
        with_data("weights_all_zero", weights, np.zeros(24, np.float32), PART, "all weights are zero"),
        with_data("weight_denormal", weights, np.float32([1e-42]), code=0),
        with_data("weight_huge", weights, np.float32([3e38]), code=0),
        with_data("joint_255", joints, np.uint8([255, 255]), PART, "joint 255"),
    ]


def _clips() -> list[Case]:
    return [
        with_data("time_nan", sampler("input"), np.float32([np.nan]), "/animations/0/samplers/0/input"),
        with_data("times_descend", sampler("input"), np.float32([3.0]), "/animations/0/samplers/0/input", "ascend"),
        with_data("rotation_key_nan", sampler("output"), np.full(4, np.nan, np.float32), "/animations/0"),
        with_data("rotation_key_zero", sampler("output"), np.zeros(8, np.float32), "/animations/0"),
        changed("sampler_9", put("/animations/0/channels/0/sampler", 9), "/animations/0/channels/0/sampler"),
        changed("target_node_99", put("/animations/0/channels/0/target/node", 99), "/animations/0/channels/0/target"),
        changed(
            "path_shear", put("/animations/0/channels/0/target/path", "shear"), "/animations/0/channels/0/target/path"
        ),
        changed(
            "interpolation_bezier", put("/animations/0/samplers/0/interpolation", "BEZIER"), "/animations/0/samplers/0"
        ),
        changed("spline_of_too_few", put("/animations/0/samplers/0/interpolation", "CUBICSPLINE"), "/animations/0"),
        changed(
            "weights_without_targets",
            put("/animations/0/channels/0/target", {"node": 2, "path": "weights"}),
            "/animations/0/samplers/0/output",
        ),
        changed("target_of_no_accessor", put(f"{PART}/targets", [{"POSITION": 99}]), f"{PART}/targets/0/POSITION"),
        changed("target_of_another_count", put(f"{PART}/targets", [{"POSITION": 4}]), f"{PART}"),
        with_data("time_of_a_million_years", sampler("input"), np.float32([0, 3e13]), "more than 10000000", code=2),
    ]


def _inverse_binds(document: dict) -> int:
    return document["skins"][0]["inverseBindMatrices"]


def _zeros(count: int) -> Callable[[dict], None]:
    def change(document: dict) -> None:
        for name, index in document["meshes"][0]["primitives"][0]["attributes"].items():
            document["accessors"][index]["count"] = count
            if name == "POSITION":
                continue
            document["accessors"][index].pop("bufferView")
        document["accessors"][attribute("POSITION")(document)].pop("bufferView")

    return change


def _sparse(count: int = 1, component: int = 5123) -> Callable[[dict], None]:
    return put(
        "/accessors/0/sparse",
        {
            "count": count,
            "indices": {"bufferView": 0, "componentType": component},
            "values": {"bufferView": 0},
        },
    )


def _renamed(old: str, new: str) -> Callable[[dict], None]:
    def change(document: dict) -> None:
        attributes = document["meshes"][0]["primitives"][0]["attributes"]
        attributes[new] = attributes.pop(old)

    return change


def _swapped(one: str, other: str) -> Callable[[dict], None]:
    def change(document: dict) -> None:
        attributes = document["meshes"][0]["primitives"][0]["attributes"]
        attributes[one], attributes[other] = attributes[other], attributes[one]

    return change


def _indices_are(name: str) -> Callable[[dict], None]:
    def change(document: dict) -> None:
        part = document["meshes"][0]["primitives"][0]
        part["indices"] = part["attributes"][name]

    return change


def main(arguments: list[str]) -> int:
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for case in corpus():
        (folder / case.name).write_bytes(case.data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
