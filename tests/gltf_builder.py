"""Builds small glTF files for tests, byte by byte, without the code under test.

    builder = GltfBuilder()
    joints = [builder.node(), builder.node(parent=0, translation=[0, 1, 0])]
    mesh = builder.mesh(positions, [(joint_indices, weights)])
    builder.node(mesh=mesh, skin=builder.skin(joints))
    path = builder.save(tmp_path / "file.glb")

`strip` gives a whole small character; `builder.json` is the plain JSON, to be broken at will before `save`.
"""

from __future__ import annotations

import base64
import json
import struct
from pathlib import Path
from urllib.parse import unquote

import numpy as np

COMPONENT_TYPES = {"int8": 5120, "uint8": 5121, "int16": 5122, "uint16": 5123, "uint32": 5125, "float32": 5126}
KINDS = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class GltfBuilder:
    """A glTF file in the making: one buffer, `data`, and the JSON."""

    def __init__(self):
        self.json = {"asset": {"version": "2.0", "generator": "tests"}}
        self.data = bytearray()

    def _append(self, key, value):
        self.json.setdefault(key, []).append(value)
        return len(self.json[key]) - 1

    def view(self, data, **fields):
        """Append bytes, aligned to four, and return the index of their buffer view."""
        self.data.extend(b"\0" * (-len(self.data) % 4))
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(data), **fields}
        self.data.extend(data)
        return self._append("bufferViews", view)

    def accessor(self, array, *, normalized=False, kind=None, **fields):
        """Append an array [count] or [count, components] and return the index of its accessor.

        What glTF cannot store (float64, Python's own integers) is stored as float32.
        """
        array = _storable(array)
        view = self.view(array.tobytes())
        return self._accessor(array, view, normalized, kind, fields)

    def sparsify(self, accessor, rows, *, base=True):
        """Store `rows` of an accessor as replaced elements: zeros stand for them in its view, or, without a base,
        for all that the others hold."""
        holder = self.json["accessors"][accessor]
        columns = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[holder["type"]]
        size = columns * {5121: 1, 5123: 2, 5126: 4}[holder["componentType"]]
        start = self.json["bufferViews"][holder["bufferView"]]["byteOffset"]
        values = b"".join(self.data[start + row * size : start + (row + 1) * size] for row in rows)
        for row in rows:
            self.data[start + row * size : start + (row + 1) * size] = bytes(size)
        if not base:
            del holder["bufferView"]
        indices = np.asarray(rows, dtype=np.uint16)
        holder["sparse"] = {
            "count": len(rows),
            "indices": {"bufferView": self.view(indices.tobytes()), "componentType": 5123},
            "values": {"bufferView": self.view(values)},
        }

    def interleaved(self, arrays, *, stride=None):
        """Append named arrays of equal length in one buffer view with a byteStride; return name → accessor index.

        Arrays of weights are normalized if they are integers.
        """
        arrays = {name: _storable(array) for name, array in arrays.items()}
        offsets, size = {}, 0
        for name, array in arrays.items():
            offsets[name] = size
            size += -(-array[0].nbytes // 4) * 4
        stride = stride or size
        count = len(next(iter(arrays.values())))
        rows = np.zeros((count, stride), dtype=np.uint8)
        for name, array in arrays.items():
            raw = array.reshape(count, -1).view(np.uint8)
            rows[:, offsets[name] : offsets[name] + raw.shape[1]] = raw
        view = self.view(rows.tobytes(), byteStride=stride)
        return {
            name: self._accessor(
                array,
                view,
                name.startswith("WEIGHTS") and array.dtype.kind == "u",
                None,
                {"byteOffset": offsets[name], **_bounds(name, array)},
            )
            for name, array in arrays.items()
        }

    def _accessor(self, array, view, normalized, kind, fields):
        components = int(np.prod(array.shape[1:]))
        accessor = {
            "bufferView": view,
            "componentType": COMPONENT_TYPES[array.dtype.name],
            "count": len(array),
            "type": kind or KINDS[components],
            **fields,
        }
        if normalized:
            accessor["normalized"] = True
        return self._append("accessors", accessor)

    def node(self, *, parent=None, **fields):
        """Append a node with the given JSON members, as a child of `parent` if given; return its index."""
        node = self._append("nodes", dict(fields))
        if parent is not None:
            self.json["nodes"][parent].setdefault("children", []).append(node)
        return node

    def skin(self, joints, inverse_binds=None, **fields):
        """Append a skin; `inverse_binds` [J, 4, 4] is row-major and is stored by columns. Return its index."""
        skin = {"joints": list(joints), **fields}
        if inverse_binds is not None:
            columns = np.asarray(inverse_binds, dtype=np.float32).transpose(0, 2, 1)
            skin["inverseBindMatrices"] = self.accessor(columns.reshape(-1, 16))
        return self._append("skins", skin)

    def attributes(self, positions, sets=(), *, interleave=False, **others):
        """Append vertex data and return a primitive's `attributes`.

        Args:
            positions: [V, 3].
            sets: one (joints, weights) per set, each [V, 4]; integer joints, float or unsigned integer weights.
            interleave: all in one buffer view with a byteStride.
            others: further attributes, such as NORMAL=array.
        """
        arrays = {"POSITION": positions, **others}
        for number, (joints, weights) in enumerate(sets):
            arrays[f"JOINTS_{number}"] = joints
            arrays[f"WEIGHTS_{number}"] = weights
        if interleave:
            return self.interleaved(arrays)
        return {
            name: self.accessor(
                array,
                normalized=name.startswith("WEIGHTS") and np.asarray(array).dtype.kind == "u",
                **_bounds(name, array),
            )
            for name, array in arrays.items()
        }

    def mesh(self, positions, sets=(), *, indices=None, interleave=False, name=None, **others):
        """Append a mesh of one primitive and return its index."""
        primitive = {"attributes": self.attributes(positions, sets, interleave=interleave, **others)}
        if indices is not None:
            primitive["indices"] = self.accessor(np.asarray(indices))
        mesh = {"primitives": [primitive]}
        if name is not None:
            mesh["name"] = name
        return self._append("meshes", mesh)

    def clip(self, channels, *, name=None):
        """Append an animation; each channel is (node, path, times, values, interpolation). Return its index.

        `values` are stored as they are, [count] or [count, components]; integers are marked as normalized.
        """
        animation = {"samplers": [], "channels": []}
        if name is not None:
            animation["name"] = name
        for node, path, times, values, interpolation in channels:
            times = np.asarray(times, dtype=np.float32)
            sampler = {
                "input": self.accessor(times, min=[float(times.min())], max=[float(times.max())]),
                "output": self.accessor(values, normalized=_storable(values).dtype.kind in "iu"),
                "interpolation": interpolation,
            }
            animation["samplers"].append(sampler)
            target = {"node": node, "path": path}
            animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": target})
        return self._append("animations", animation)

    def document(self, uri=None):
        """Return the JSON with its one buffer."""
        buffer = {"byteLength": len(self.data)}
        if uri is not None:
            buffer["uri"] = uri
        return {**self.json, "buffers": [buffer]} if self.data else self.json

    def save(self, path, *, uri=None):
        """Write the file and return its path.

        A .glb holds all. A .gltf has its buffer as a data URI, or, where the percent-encoded `uri` is given, in the
        file of that name.
        """
        path = Path(path)
        self.data.extend(b"\0" * (-len(self.data) % 4))
        if path.suffix == ".glb":
            path.write_bytes(glb(json.dumps(self.document()).encode(), bytes(self.data)))
            return path
        if uri is None:
            uri = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
        else:
            (path.parent / unquote(uri)).write_bytes(self.data)
        path.write_text(json.dumps(self.document(uri)), encoding="utf-8")
        return path


def glb(text, data=b"", *, extra=b""):
    """Return a GLB of JSON text (bytes) and binary data; `extra` are whole further chunks."""
    text += b" " * (-len(text) % 4)
    data += b"\0" * (-len(data) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if data:
        chunks += struct.pack("<II", len(data), 0x004E4942) + data
    chunks += extra
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def strip(sets=None, *, inverse_binds=True, interleave=False, indices=True, vertices=6):
    """Return the builder of a whole small character: a strip along y on two joints, one clip that bends it.

    Nodes: 0 the lower joint at the origin, 1 the upper joint one metre above, 2 the skinned mesh, moved aside (which
    must be ignored). Without `sets` the weights go over from the one joint to the other.
    """
    builder = GltfBuilder()
    lower = builder.node(name="lower")
    upper = builder.node(parent=lower, name="upper", translation=[0, 1, 0])
    height = np.repeat(np.linspace(0, 2, vertices // 2), 2)
    positions = np.stack([np.tile([-0.5, 0.5], vertices // 2), height, np.zeros(vertices)], axis=1)
    if sets is None:
        joints = np.tile(np.array([0, 1, 0, 0], dtype=np.uint8), (vertices, 1))
        share = height / 2
        weights = np.stack([1 - share, share, 0 * share, 0 * share], axis=1)
        joints[weights == 0] = 0
        sets = [(joints, weights)]
    corners = np.arange(vertices - 2, dtype=np.uint16)
    triangles = np.stack([corners, corners + 1 + corners % 2, corners + 2 - corners % 2], axis=1).ravel()
    mesh = builder.mesh(positions, sets, interleave=interleave, indices=triangles if indices else None, name="strip")
    binds = np.tile(np.identity(4), (2, 1, 1))
    binds[1, 1, 3] = -1
    skin = builder.skin([lower, upper], binds if inverse_binds else None)
    builder.node(mesh=mesh, skin=skin, name="body", translation=[5, 0, 0])
    half = np.sqrt(0.5)
    builder.clip([(upper, "rotation", [0, 1], [[0, 0, 0, 1], [half, 0, 0, half]], "LINEAR")], name="bend")
    builder.json["scenes"] = [{"nodes": [0, 2]}]
    builder.json["scene"] = 0
    return builder


def _storable(array):
    array = np.asarray(array)
    return np.ascontiguousarray(array, dtype=array.dtype if array.dtype.name in COMPONENT_TYPES else np.float32)


def _bounds(name, array):
    if name != "POSITION":
        return {}
    array = np.asarray(array, dtype=np.float32)
    return {"min": array.min(axis=0).tolist(), "max": array.max(axis=0).tolist()}
