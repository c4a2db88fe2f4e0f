"""A second reader and poser of GLB files: float64, plain NumPy, one element at a time, no checks.

It is written from the glTF 2.0 specification alone and shares nothing with the package: an oracle for small files of
odd structure.
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

import numpy as np

_TYPES = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}
_COMPONENTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_TARGETS = {"translation": 3, "rotation": 4, "scale": 3}


class PlainGltf:
    """One .glb file with at most one buffer."""

    def __init__(self, path):
        raw = Path(path).read_bytes()
        (length,) = struct.unpack_from("<I", raw, 12)
        self.json = json.loads(raw[20 : 20 + length])
        self.data = raw[28 + length :]

    def array(self, index):
        """The decoded elements of an accessor, float64 [count, components]."""
        accessor = self.json["accessors"][index]
        code, columns = _TYPES[accessor["componentType"]], _COMPONENTS[accessor["type"]]
        values = np.zeros((accessor["count"], columns))
        if "bufferView" in accessor:
            view = self.json["bufferViews"][accessor["bufferView"]]
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            stride = view.get("byteStride", struct.calcsize(code) * columns)
            for row in range(len(values)):
                values[row] = struct.unpack_from(f"<{columns}{code}", self.data, start + row * stride)
        if accessor.get("normalized"):
            largest = {"b": 127, "B": 255, "h": 32767, "H": 65535}[code]
            values = np.maximum(values / largest, -1)
        return values

    def primitives(self):
        """(mesh, primitive) of all that have influences, in order."""
        return [
            (mesh, part)
            for mesh, holder in enumerate(self.json["meshes"])
            for part in holder["primitives"]
            if "JOINTS_0" in part["attributes"]
        ]

    def influences(self, part):
        """Joints [V, N] and weights [V, N] of all sets side by side."""
        sets = range(sum(name.startswith("JOINTS_") for name in part["attributes"]))
        joints, weights = (
            np.concatenate([self.array(part["attributes"][f"{name}_{number}"]) for number in sets], axis=1)
            for name in ("JOINTS", "WEIGHTS")
        )
        return joints.astype(int), weights

    def local(self, node, keyed):
        """parent_from_node of a node whose properties `keyed` overrides."""
        holder = self.json["nodes"][node]
        if "matrix" in holder:
            return np.array(holder["matrix"], np.float64).reshape(4, 4).T
        matrix = np.eye(4)
        x, y, z, w = _unit(keyed.get("rotation", holder.get("rotation", [0, 0, 0, 1])))
        matrix[:3, :3] = [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
        matrix[:3, :3] *= keyed.get("scale", holder.get("scale", [1, 1, 1]))
        matrix[:3, 3] = keyed.get("translation", holder.get("translation", [0, 0, 0]))
        return matrix

    def worlds(self, clip, time):
        """world_from_node of every node at a time of a clip."""
        keyed = [{} for _ in self.json["nodes"]]
        animation = self.json["animations"][clip]
        for channel in animation["channels"]:  # of two for one target the last wins
            target = channel["target"]
            if target["path"] in _TARGETS:
                sampler = animation["samplers"][channel["sampler"]]
                keyed[target["node"]][target["path"]] = self._sampled(sampler, target["path"], time)
        parents = {child: node for node, one in enumerate(self.json["nodes"]) for child in one.get("children", ())}
        worlds = []
        for node in range(len(keyed)):
            matrix, above = self.local(node, keyed[node]), parents.get(node)
            while above is not None:
                matrix, above = self.local(above, keyed[above]) @ matrix, parents.get(above)
            worlds.append(matrix)
        return worlds

    def _sampled(self, sampler, path, time):
        times = self.array(sampler["input"])[:, 0]
        kind = sampler.get("interpolation", "LINEAR")
        values = self.array(sampler["output"]).reshape(len(times), -1, _TARGETS[path])
        time = min(max(time, times[0]), times[-1])
        key = max(index for index, one in enumerate(times) if one <= time)
        start = values[key, 1 if kind == "CUBICSPLINE" else 0]
        if key == len(times) - 1 or kind == "STEP":
            return start
        span = times[key + 1] - times[key]
        t = (time - times[key]) / span
        if kind == "CUBICSPLINE":
            end = values[key + 1, 1]
            slopes = span * values[key, 2], span * values[key + 1, 0]
            return (
                (2 * t**3 - 3 * t**2 + 1) * start + (t**3 - 2 * t**2 + t) * slopes[0]
                + (3 * t**2 - 2 * t**3) * end + (t**3 - t**2) * slopes[1]
            )  # fmt: skip
        end = values[key + 1, 0]
        if path != "rotation":
            return start + t * (end - start)
        start, end = _unit(start), _unit(end)
        end = end if start @ end >= 0 else -end  # the shorter arc
        angle = np.arccos(min(start @ end, 1.0))
        if angle < 1e-9:
            return start
        return (np.sin((1 - t) * angle) * start + np.sin(t * angle) * end) / np.sin(angle)

    def posed(self, part, influences, skin, worlds):
        """The positions of a primitive with `influences` under a skin, float64 [V, 3]."""
        holder = self.json["skins"][skin]
        binds = np.tile(np.eye(4), (len(holder["joints"]), 1, 1))
        if "inverseBindMatrices" in holder:
            binds = self.array(holder["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        matrices = [worlds[node] @ bind for node, bind in zip(holder["joints"], binds, strict=False)]
        positions = self.array(part["attributes"]["POSITION"])
        found = np.zeros((len(positions), 3))
        for vertex, (joints, weights) in enumerate(zip(*influences, strict=True)):
            for joint, weight in zip(joints, weights, strict=True):
                if weight != 0:
                    found[vertex] += weight * (matrices[joint] @ [*positions[vertex], 1.0])[:3]
        return found


def displacements(original, result, times):
    """Largest distance of each vertex between two files: of every primitive with influences float64 [V].

    Args:
        original: the file whose clips and skins pose both.
        result: the other.
        times: of each clip, seconds.
    """
    before, after = PlainGltf(original), PlainGltf(result)
    found = []
    for (mesh, part), (_, other) in zip(before.primitives(), after.primitives(), strict=True):
        skins = {node["skin"] for node in before.json["nodes"] if node.get("mesh") == mesh and "skin" in node}
        furthest = np.zeros(before.json["accessors"][part["attributes"]["POSITION"]]["count"])
        for clip, of_clip in enumerate(times):
            for time in of_clip:
                worlds = before.worlds(clip, time)
                for skin in skins:
                    here = before.posed(part, before.influences(part), skin, worlds)
                    there = before.posed(part, after.influences(other), skin, worlds)
                    furthest = np.maximum(furthest, np.linalg.norm(here - there, axis=1))
        found.append(furthest)
    return found


def _unit(quaternion):
    quaternion = np.asarray(quaternion, np.float64)
    return quaternion / np.linalg.norm(quaternion)
