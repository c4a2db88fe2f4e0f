"""Compresses the one primitive of a test file by Draco, as an exporter would; shares only the codec with the code."""

from __future__ import annotations

import copy
import json

import DracoPy
import numpy as np

from gltf_builder import glb

EXTENSION = "KHR_draco_mesh_compression"


def draco(builder, path, *, beside=False, floats=False, joint_offset=0.0):
    """Write the builder's file as a .glb whose primitive is compressed, vertices and triangles in their order.

    With `beside` the accessors keep their plain data, too; with `floats` the joints are compressed as fractions, off by
    `joint_offset`. Returns the path and what was given to the codec: attribute → rows.
    """
    document = copy.deepcopy(builder.document())
    (part,) = document["meshes"][0]["primitives"]
    rows = {name: _rows(document, builder.data, index) for name, index in part["attributes"].items()}
    faces = _rows(document, builder.data, part["indices"]).reshape(-1, 3).astype(np.uint32)
    generic = {name: array for name, array in rows.items() if name != "POSITION"}
    if floats:
        generic |= {
            name: (array + joint_offset).astype(np.float32) for name, array in generic.items() if name[:6] == "JOINTS"
        }
    numbers = {name: number for number, name in enumerate(generic, 1)}
    payload = DracoPy.encode(
        rows["POSITION"],
        faces,
        preserve_order=True,
        generic_attributes={numbers[name]: array for name, array in generic.items()},
    )
    view = {"buffer": 0, "byteOffset": len(builder.data) + -len(builder.data) % 8, "byteLength": len(payload)}
    document["bufferViews"].append(view)
    (position,) = {one["unique_id"] for one in DracoPy.decode(payload).attributes} - set(numbers.values())
    part["extensions"] = {
        EXTENSION: {"bufferView": len(document["bufferViews"]) - 1, "attributes": {"POSITION": position, **numbers}}
    }
    if not beside:
        for index in (*part["attributes"].values(), part["indices"]):
            for key in ("bufferView", "byteOffset"):
                document["accessors"][index].pop(key, None)
        document["extensionsRequired"] = [EXTENSION]
    document["extensionsUsed"] = [EXTENSION]
    data = bytes(builder.data) + b"\0" * (view["byteOffset"] - len(builder.data)) + payload
    document["buffers"] = [{"byteLength": len(data)}]
    path.write_bytes(glb(json.dumps(document).encode(), data))
    return path, rows | generic


def _rows(document, data, index):
    accessor = document["accessors"][index]
    view = document["bufferViews"][accessor["bufferView"]]
    dtype = {5121: np.uint8, 5123: np.uint16, 5126: np.float32}[accessor["componentType"]]
    columns = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    start = view["byteOffset"] + accessor.get("byteOffset", 0)
    return np.frombuffer(bytes(data), dtype, accessor["count"] * columns, start).reshape(-1, columns)
