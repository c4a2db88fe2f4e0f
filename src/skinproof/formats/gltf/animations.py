"""Animations. glTF 2.0, sections 3.11 (animations), 5.5 to 5.8, and appendix C (interpolation)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from skinproof.findings import Finding
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.formats.gltf.extensions import unsupported
from skinproof.formats.gltf.meshes import target_count
from skinproof.formats.gltf.values import Element
from skinproof.model import Channel, Clip, Interpolation, Nodes, Path

Report = Callable[[Finding], None]

_FRACTIONS = ("float32", "snorm8", "unorm8", "snorm16", "unorm16")
# path → accessor type, components, component types (the table of section 3.11)
_OUTPUTS = {
    Path.TRANSLATION: ("VEC3", 3, ("float32",)),
    Path.ROTATION: ("VEC4", 4, _FRACTIONS),
    Path.SCALE: ("VEC3", 3, ("float32",)),
    Path.WEIGHTS: ("SCALAR", 1, _FRACTIONS),
}
_PATHS = {path.value: path for path in Path}
_INTERPOLATIONS = {interpolation.value: interpolation for interpolation in Interpolation}
_POINTER = "KHR_animation_pointer"


def read_clips(root: Element, nodes: Nodes, accessors: AccessorReader, report: Report) -> tuple[Clip, ...]:
    """Read all animations.

    A channel without a node, or with a path that an extension defines, moves no joint and is passed over. Of two
    channels with the same node and path the last wins, which is reported.

    Raises:
        FormatError: an animation is broken.
        UnsupportedError: its data are compressed, or it animates a node through KHR_animation_pointer.
    """
    reader = _ClipReader(root, nodes, accessors, report)
    return tuple(reader.read(element, index) for index, element in enumerate(root.objects("animations")))


class _ClipReader:
    """Reads animations; channels that share accessors share arrays."""

    def __init__(self, root: Element, nodes: Nodes, accessors: AccessorReader, report: Report) -> None:
        self._nodes = nodes
        self._elements = root.objects("nodes")
        self._meshes = root.objects("meshes")
        self._accessors = accessors
        self._report = report
        self._times: dict[int, NDArray[np.float64]] = {}
        self._values: dict[tuple[int, tuple[int, ...]], NDArray[np.float64]] = {}

    def read(self, element: Element, index: int) -> Clip:
        samplers = element.objects("samplers")
        channels: dict[tuple[int, Path], Channel] = {}
        for part in element.objects("channels"):
            channel = self._read_channel(part, samplers)
            if channel is None:
                continue
            key = channel.node, channel.path
            if key in channels:
                self._report(_duplicate(channel, channels.pop(key)))
            channels[key] = channel
        name = element.string("name") or f"clip {index}"
        return Clip(name, tuple(channels.values()), element.pointer)

    def _read_channel(self, part: Element, samplers: list[Element]) -> Channel | None:
        sampler = samplers[part.required_index("sampler", len(samplers), "sampler")]
        target = part.object("target")
        if target is None:
            raise part.error("'target' is missing")
        name = target.string("path")
        if name == "pointer":
            _refuse_node_pointer(target)
            return None
        node = target.index("node", len(self._nodes), "node")
        path = _PATHS.get(name or "")
        if path is None:
            raise target.error("unknown or missing path", key="path")
        if node is None:
            return None
        if path is not Path.WEIGHTS and self._nodes.has_matrix[node]:
            raise target.error(
                f"node {node} has a matrix, so it cannot be animated",
                key="node",
                remedy="Export the node with translation, rotation and scale",
            )
        interpolation = _read_interpolation(sampler)
        times = self._read_times(sampler)
        values = self._read_values(sampler, target, node, path, interpolation, len(times))
        return Channel(node, path, interpolation, times, values, part.pointer)

    def _read_times(self, sampler: Element) -> NDArray[np.float64]:
        index = self._accessors.get(sampler, "input", kinds=("SCALAR",), types=("float32",))
        if index is None:
            raise sampler.error("'input' is missing")
        if index not in self._times:
            times = _owned(self._accessors.decoded(index, np.float64).ravel())
            if not np.isfinite(times).all():
                raise sampler.error("a key time is NaN or infinite", key="input")
            disorder = np.flatnonzero(times[1:] <= times[:-1])
            if len(disorder):
                key = int(disorder[0])
                raise sampler.error(
                    f"the key times do not ascend: key {key} is at {times[key]:g} s, key {key + 1} at "
                    f"{times[key + 1]:g} s",
                    key="input",
                    remedy="Export the animation again with sorted keys, each time once",
                )
            self._times[index] = times
        return self._times[index]

    def _read_values(
        self, sampler: Element, target: Element, node: int, path: Path, interpolation: Interpolation, keys: int
    ) -> NDArray[np.float64]:
        kind, components, types = _OUTPUTS[path]
        index = self._accessors.get(sampler, "output", kinds=(kind,), types=types)
        if index is None:
            raise sampler.error("'output' is missing")
        if path is Path.WEIGHTS:
            components = self._target_count(target, node)
        accessor = self._accessors.accessors[index]
        count = accessor.count * accessor.components
        cubic = interpolation is Interpolation.CUBICSPLINE
        shape = (keys, 3, components) if cubic else (keys, components)
        expected = keys * components * (3 if cubic else 1)
        if count != expected:
            raise sampler.error(
                f"{interpolation} with {keys} keys needs {expected} numbers, accessor {index} has {count}", key="output"
            )
        if (index, shape) not in self._values:
            values = self._accessors.decoded(index, np.float64)
            if not np.isfinite(values).all():
                raise sampler.error("a key value is NaN or infinite", key="output")
            self._values[index, shape] = values if values.shape == shape else _owned(values.reshape(shape))
        values = self._values[index, shape]
        if path is Path.ROTATION:
            zero = np.flatnonzero(~(values[:, 1] if cubic else values).any(axis=1))
            if len(zero):
                reason = f"the rotation of key {zero[0]} is no quaternion that can be normalized"
                raise sampler.error(reason, key="output")
        return values

    def _target_count(self, target: Element, node: int) -> int:
        """Return the number of morph targets of the mesh of `node`."""
        mesh = self._elements[node].index("mesh", len(self._meshes), "mesh")
        count = 0 if mesh is None else target_count(self._meshes[mesh])
        if count == 0:
            raise target.error(f"the channel animates morph weights, but node {node} has no morph targets")
        return count


def _owned(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a read-only copy, which all channels that get it can share (a view, each would copy for itself)."""
    copy = array.copy()
    copy.flags.writeable = False
    return copy


def _read_interpolation(sampler: Element) -> Interpolation:
    name = sampler.string("interpolation")
    if name is None:
        return Interpolation.LINEAR
    if name not in _INTERPOLATIONS:
        raise sampler.error(f"unknown interpolation {name[:40]!r}", key="interpolation")
    return _INTERPOLATIONS[name]


def _refuse_node_pointer(target: Element) -> None:
    """Refuse a channel that moves a node by another way than `target.node`; materials may be animated."""
    extensions = target.object("extensions")
    extension = None if extensions is None else extensions.object(_POINTER)
    pointer = None if extension is None else extension.string("pointer")
    if pointer is None or pointer.startswith(("/nodes/", "/skins/", "/meshes/")):
        raise unsupported(target, _POINTER)


def _duplicate(channel: Channel, earlier: Channel) -> Finding:
    return Finding(
        "DUPLICATE_CHANNEL",
        f"the clip animates the {channel.path} of node {channel.node} twice; the last channel is used, "
        f"not {earlier.pointer}",
        channel.pointer,
        where={"node": channel.node},
    )
