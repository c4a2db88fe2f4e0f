"""A glTF document for a character made in code (glTF 2.0, sections 3.5 nodes, 3.7.3 skins, 3.11 animations)."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import OutputError
from skinproof.formats.gltf.document import GLB_CHUNK, Document
from skinproof.formats.gltf.layout import COMPONENT_TYPES, INDEX_DATA, TRIANGLES, VERTEX_DATA, aligned
from skinproof.formats.gltf.sets import encode_sets
from skinproof.model import Channel, Character, Clip, Instance, Path, Primitive, Skin

_IDENTITY = {"translation": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0], "scale": [1.0, 1.0, 1.0]}
_LARGEST_SHORT_INDEX = 65534  # 65535 would be the primitive-restart value


def build(character: Character, /) -> Document:
    """Return a document that holds everything the model knows of `character`, in one buffer.

    Meshes keep their order; where the primitives' mesh numbers have gaps, the meshes are numbered anew.

    Raises:
        OutputError: the character cannot be said in glTF: an instance shows a mesh without primitives, a primitive
            has no vertices, a channel animates morph targets of a node that has none, or two keys of a channel have
            the same time in float32.
    """
    buffer = _Buffer()
    meshes = sorted({primitive.mesh for primitive in character.primitives})
    document: dict[str, Any] = {"asset": {"version": "2.0", "generator": f"skinproof {version('skinproof')}"}}
    nodes = _nodes(character, {mesh: number for number, mesh in enumerate(meshes)})
    if nodes:
        roots = np.flatnonzero(character.nodes.parents < 0).tolist()
        document |= {"scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes}
    if meshes:
        document["meshes"] = [_mesh(character, mesh, buffer) for mesh in meshes]
    if character.skins:
        document["skins"] = [_skin(skin, buffer) for skin in character.skins]
    animations = [_animation(character, clip, buffer) for clip in character.clips if clip.channels]
    if animations:
        document["animations"] = animations
    if buffer.accessors:
        document |= {
            "accessors": buffer.accessors,
            "bufferViews": buffer.views,
            "buffers": [{"byteLength": len(buffer.data)}],
        }
    buffers, sources = ((memoryview(bytes(buffer.data)),), (GLB_CHUNK,)) if buffer.accessors else ((), ())
    return Document(None, "glb", b"", document, buffers, sources)


@dataclass(slots=True)
class _Buffer:
    """The buffer so far, and the views and accessors on it."""

    data: bytearray = field(default_factory=bytearray)
    views: list[dict[str, Any]] = field(default_factory=list)
    accessors: list[dict[str, Any]] = field(default_factory=list)

    def add(
        self,
        array: NDArray[Any],
        kind: str,
        *,
        target: int | None = None,
        normalized: bool = False,
        bounds: bool = False,
    ) -> int:
        """Append `array`, one element per row, in a view of its own; return the accessor's index."""
        array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        self.data += bytes(aligned(len(self.data)) - len(self.data))
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        if target is not None:
            view["target"] = target
        component = COMPONENT_TYPES[array.dtype]
        accessor: dict[str, Any] = {"bufferView": len(self.views), "componentType": component, "count": len(array)}
        if normalized:
            accessor["normalized"] = True
        accessor["type"] = kind
        if bounds:
            rows = array.reshape(len(array), -1)
            accessor |= {"min": rows.min(axis=0).tolist(), "max": rows.max(axis=0).tolist()}
        self.views.append(view)
        self.accessors.append(accessor)
        self.data += array.tobytes()
        return len(self.accessors) - 1


def _nodes(character: Character, mesh_numbers: dict[int, int]) -> list[dict[str, Any]]:
    nodes = character.nodes
    result: list[dict[str, Any]] = []
    for index, name in enumerate(nodes.names):
        node: dict[str, Any] = {"name": name} if name else {}
        if nodes.has_matrix[index]:
            node["matrix"] = nodes.matrices[index].T.reshape(-1).tolist()  # glTF writes columns first
        else:
            values = {
                "translation": nodes.translations[index],
                "rotation": nodes.rotations[index],
                "scale": nodes.scales[index],
            }
            node |= {key: value.tolist() for key, value in values.items() if value.tolist() != _IDENTITY[key]}
        children = np.flatnonzero(nodes.parents == index).tolist()
        if children:
            node["children"] = children
        result.append(node)
    for instance in character.instances:
        if instance.mesh not in mesh_numbers:
            raise OutputError(f"instance at node {instance.node}: mesh {instance.mesh} has no primitives. Add some")
        result[instance.node] |= {"mesh": mesh_numbers[instance.mesh], "skin": instance.skin}
        weights = _morph_weights(character, instance)
        if any(weights):
            result[instance.node]["weights"] = weights
    return result


def _morph_weights(character: Character, instance: Instance) -> list[float]:
    """Return the weights at rest of an instance, one per morph target of its mesh."""
    shown = [primitive for primitive in character.primitives if primitive.mesh == instance.mesh]
    count = max(len(primitive.targets) for primitive in shown)
    return [*instance.morph_weights, *[0.0] * count][:count]


def _mesh(character: Character, mesh: int, buffer: _Buffer) -> dict[str, Any]:
    primitives = [primitive for primitive in character.primitives if primitive.mesh == mesh]
    primitives.sort(key=lambda primitive: primitive.index)
    name = primitives[0].name.removesuffix(f"#{primitives[0].index}").rstrip()
    result: dict[str, Any] = {"name": name} if name else {}
    result["primitives"] = [_primitive(primitive, buffer) for primitive in primitives]
    return result


def _primitive(primitive: Primitive, buffer: _Buffer) -> dict[str, Any]:
    if not primitive.vertex_count:
        raise OutputError(f"{primitive.name}: has no vertices. Leave it out")
    attributes = {"POSITION": buffer.add(primitive.positions, "VEC3", target=VERTEX_DATA, bounds=True)}
    if primitive.normals is not None:
        attributes["NORMAL"] = buffer.add(primitive.normals, "VEC3", target=VERTEX_DATA)
    for index, encoded in enumerate(encode_sets(primitive.influences)):
        normalized = encoded.weights.dtype.kind == "u"
        attributes[f"JOINTS_{index}"] = buffer.add(encoded.joints, "VEC4", target=VERTEX_DATA)
        attributes[f"WEIGHTS_{index}"] = buffer.add(encoded.weights, "VEC4", target=VERTEX_DATA, normalized=normalized)
    result: dict[str, Any] = {"attributes": attributes}
    if primitive.indices is not None:
        small = primitive.vertex_count <= _LARGEST_SHORT_INDEX + 1
        indices = primitive.indices.astype(np.uint16) if small else primitive.indices
        result["indices"] = buffer.add(indices, "SCALAR", target=INDEX_DATA)
    if primitive.mode != TRIANGLES:
        result["mode"] = primitive.mode
    if primitive.targets:
        result["targets"] = [
            {"POSITION": buffer.add(target, "VEC3", target=VERTEX_DATA, bounds=True)} for target in primitive.targets
        ]
    return result


def _skin(skin: Skin, buffer: _Buffer) -> dict[str, Any]:
    result: dict[str, Any] = {"name": skin.name} if skin.name else {}
    columns_first = skin.inverse_binds.transpose(0, 2, 1).astype(np.float32)
    result["inverseBindMatrices"] = buffer.add(columns_first, "MAT4")
    result["joints"] = skin.joints.tolist()
    return result


def _animation(character: Character, clip: Clip, buffer: _Buffer) -> dict[str, Any]:
    morphed = {one.node: len(_morph_weights(character, one)) for one in character.instances}
    channels, samplers = [], []
    inputs: dict[bytes, int] = {}  # channels with the same keys share them
    for number, channel in enumerate(clip.channels):
        times = _times(clip, number, channel)
        key = times.tobytes()
        if key not in inputs:
            inputs[key] = buffer.add(times, "SCALAR", bounds=True)
        width = channel.values.shape[-1]
        if channel.path is Path.WEIGHTS and width != morphed.get(channel.node, 0):
            raise OutputError(
                f"clip {clip.name!r}, channel {number}: animates {width} morph targets of node {channel.node}, which "
                f"has {morphed.get(channel.node, 0)}. Remove it, or show such a mesh there"
            )
        width = 1 if channel.path is Path.WEIGHTS else width  # a number per element, target after target
        values = channel.values.reshape(-1, width).astype(np.float32)
        output = buffer.add(values, "SCALAR" if width == 1 else f"VEC{width}")
        samplers.append({"input": inputs[key], "interpolation": str(channel.interpolation), "output": output})
        channels.append({"sampler": number, "target": {"node": channel.node, "path": str(channel.path)}})
    result: dict[str, Any] = {"name": clip.name} if clip.name else {}
    return result | {"channels": channels, "samplers": samplers}


def _times(clip: Clip, number: int, channel: Channel) -> NDArray[np.float32]:
    where = f"clip {clip.name!r}, channel {number}"
    times = channel.times.astype(np.float32)
    if np.any(np.diff(times) <= 0):
        raise OutputError(f"{where}: two keys have the same time in float32, as glTF stores it. Merge them")
    return times
