"""Compresses the buffer views of a test file, as an exporter would; shares only the codec with the code under test."""

from __future__ import annotations

import base64
import copy
import json

import meshopt
import numpy as np

from gltf_builder import glb, strip

EXT, KHR = "EXT_meshopt_compression", "KHR_meshopt_compression"


def pack(builder, path, *, extension=EXT, plain=(), kept_fallback=False, image=b"an image", filters=None):
    """Write the builder's file as a .glb with every view compressed but `plain` ones and those of odd lengths.

    A view of an image stays plain, between the payloads. `filters` maps a view to the filter whose encoded rows it
    already holds. The buffer that stands for what the views decode to has no data or, if `kept_fallback`, is a
    data URI.
    """
    document = copy.deepcopy(builder.document())
    data = bytes(builder.data)
    indices = {part["indices"] for mesh in document["meshes"] for part in mesh["primitives"] if "indices" in part}
    rows = {}
    for number, accessor in enumerate(document["accessors"]):
        if "bufferView" in accessor:
            size = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}[accessor["componentType"]]
            size *= {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
            stride = document["bufferViews"][accessor["bufferView"]].get("byteStride", size)
            rows[accessor["bufferView"]] = ("TRIANGLES" if number in indices else "ATTRIBUTES", stride)
    chunk, fallback = bytearray(), bytearray()
    for number, view in enumerate(list(document["bufferViews"])):
        bits = data[view["byteOffset"] : view["byteOffset"] + view["byteLength"]]
        mode, stride = rows.get(number, ("ATTRIBUTES", 0))
        fits = stride and len(bits) % stride == 0 and (mode == "TRIANGLES" or stride % 4 == 0)
        if number in plain or not fits:
            view["byteOffset"] = len(chunk)
            chunk += bits + b"\0" * (-len(bits) % 8)
            continue
        array = np.frombuffer(bits, np.uint8).reshape(-1, stride)
        payload = meshopt.encode_gltf_buffer(
            array if mode == "ATTRIBUTES" else array.view(f"<u{stride}"), mode, 0 if extension == EXT else 1
        )
        how = {"buffer": 0, "byteOffset": len(chunk), "byteLength": len(payload), "mode": mode}
        how |= {"byteStride": stride, "count": len(array)}
        if filters and number in filters:
            how["filter"] = filters[number]
        view |= {"buffer": 1, "byteOffset": len(fallback), "extensions": {extension: how}}
        chunk += payload + b"\0" * (-len(payload) % 4)
        fallback += bits + b"\0" * (-len(bits) % 4)
        if image and number == 1:
            place = {"buffer": 0, "byteOffset": len(chunk), "byteLength": len(image)}
            document["bufferViews"].append(place)
            document["images"] = [{"bufferView": len(document["bufferViews"]) - 1, "mimeType": "image/png"}]
            chunk += image + b"\0" * (-len(image) % 4)
            image = b""
    document["buffers"] = [{"byteLength": len(chunk)}, {"byteLength": len(fallback)}]
    document["buffers"][1]["extensions"] = {extension: {"fallback": True}}
    document["extensionsUsed"] = [*document.get("extensionsUsed", ()), extension]
    if kept_fallback:
        uri = "data:application/octet-stream;base64," + base64.b64encode(fallback).decode()
        document["buffers"][1]["uri"] = uri
    else:
        document["extensionsRequired"] = [*document.get("extensionsRequired", ()), extension]
    path.write_bytes(glb(json.dumps(document).encode(), bytes(chunk)))
    return path


def parts(path):
    """JSON and binary chunk of a .glb."""
    raw = path.read_bytes()
    length = int.from_bytes(raw[12:16], "little")
    return json.loads(raw[20 : 20 + length]), raw[28 + length :]


def eight():
    """A strip of 40 vertices with eight influences each, joints and weights interleaved."""
    generator = np.random.default_rng(1)
    weights = generator.dirichlet(np.ones(8), 40).astype(np.float32)
    joints = np.tile(np.uint8([0, 1]), (40, 4))
    sets = [(joints[:, :4], weights[:, :4]), (joints[:, 4:], weights[:, 4:])]
    return strip(sets, vertices=40)


def arrays(character):
    """The bytes of what was read of a character of one primitive."""
    (primitive,) = character.primitives
    found = [primitive.positions, primitive.indices, primitive.influences.joints, primitive.influences.weights]
    found += [skin.inverse_binds for skin in character.skins]
    found += [
        array for clip in character.clips for channel in clip.channels for array in (channel.times, channel.values)
    ]
    return [array.tobytes() for array in found]
