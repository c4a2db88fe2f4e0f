"""Primitives compressed by Draco: KHR_draco_mesh_compression.

They are decoded when a document is opened; the rest of the reader sees plain accessors. Draco loses digits and puts
vertices into an order of its own, so what was decoded is never encoded again: it is written plainly, or as meshopt.
The codec is the library's (`DracoPy`), which trusts its input: it runs in a child process with bounded memory and time.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.findings import Finding
from skinproof.formats.gltf.extensions import DRACO
from skinproof.formats.gltf.layout import DTYPES, INDEX_DATA, SHAPES, TRIANGLES, VERTEX_DATA, aligned
from skinproof.formats.gltf.meshopt import Rows, Unpacked
from skinproof.formats.gltf.references import Json, find_pins, opaque_views
from skinproof.formats.gltf.values import Element
from skinproof.tolerances import DECODER_SECONDS

_STRIP = 5
_NEAR = 0.25  # of an integer: rounded to 8 bits, 200 joints are off by 0.4 in the worst place, to 10 bits by 0.1
_FACES = "faces"
_TOO_MUCH = "it takes longer or more memory than such data can need"
Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Decoded:
    """A document whose compressed primitives were decoded.

    Attributes:
        plain: the document with plain accessors.
        findings: what was noticed.
        steps: how far apart neighbouring positions lie that the encoder told apart, by the accessor of the positions.
    """

    plain: Unpacked
    findings: tuple[Finding, ...]
    steps: Mapping[int, float]


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """One compressed primitive.

    Attributes:
        element: the primitive.
        extension: its extension.
        view: index of the buffer view that holds the payload.
        payload: the compressed bytes.
    """

    element: Element
    extension: Element
    view: int
    payload: memoryview


def decode_primitives(root: Element, buffers: Sequence[memoryview], sources: Sequence[str], /) -> Decoded | None:
    """Return the document with its compressed primitives decoded; None if there are none.

    Accessors keep their numbers and get views of their own, appended; counts are those decoded. A primitive whose
    attributes all have uncompressed data beside it is read from that.

    Args:
        root: the JSON, without compressed views.
        buffers: the bytes of each buffer.
        sources: where they came from.

    Raises:
        FormatError: the extension is broken, or the data cannot be decoded or does not fit its accessors.
    """
    parts = [
        _read(part, extension, root, buffers)
        for mesh in root.objects("meshes")
        for part in mesh.objects("primitives")
        if (extension := _extension_of(part)) is not None
    ]
    if not parts:
        return None
    return _Decoding(root, buffers, sources).result(parts)


class _Decoding:
    """Gives accessors their decoded data."""

    def __init__(self, root: Element, buffers: Sequence[memoryview], sources: Sequence[str]) -> None:
        self._root, self._buffers, self._sources = root, buffers, sources
        self._json = root.value | {
            key: [dict(item) for item in root.value.get(key, ())] for key in ("accessors", "bufferViews", "buffers")
        }
        self._json["meshes"] = [
            mesh | {"primitives": [_copy(part) for part in mesh.get("primitives", ())]} for mesh in root.value["meshes"]
        ]
        self._contents: dict[int, tuple[int, NDArray[Any], int]] = {}  # accessor → view of the payload, rows, target
        self._findings: list[Finding] = []
        self.steps: dict[int, float] = {}

    def result(self, parts: Sequence[_Part]) -> Decoded:
        compressed = [part for part in parts if not self._has_plain_data(part)]
        payloads = {part.view: part for part in compressed}
        decoded = dict(zip(payloads, _decode(list(payloads.values())), strict=True)) if payloads else {}
        for part in compressed:
            self._take(part, decoded[part.view])
        self._lay_out({part.view for part in parts})
        for key in ("extensionsUsed", "extensionsRequired"):
            names = [name for name in self._json.get(key, ()) if name != DRACO]
            self._json.pop(key, None)
            if names:
                self._json[key] = names
        if compressed:
            count = f"{len(compressed)} primitive{'s are' if len(compressed) > 1 else ' is'}"
            message = f"{count} compressed by Draco, judged as decoded, and written without it"
            self._findings.insert(0, Finding("DRACO_DECODED", message, compressed[0].extension.pointer))
        sources = tuple(self._sources)
        plain = Unpacked(self._json, tuple(memoryview(data) for data in self._data), sources)
        return Decoded(plain, tuple(self._findings), self.steps)

    def _has_plain_data(self, part: _Part) -> bool:
        accessors = self._root.objects("accessors")
        named = [*part.element.value.get("attributes", {}).values(), part.element.value.get("indices")]
        return all(
            type(index) is int and 0 <= index < len(accessors) and "bufferView" in accessors[index].value
            for index in named
        )

    def _take(self, part: _Part, arrays: Arrays) -> None:
        """Give the accessors of one primitive what was decoded."""
        primitive = self._copied(part)
        mode = part.element.integer("mode")
        if mode not in (None, TRIANGLES, _STRIP):
            raise part.element.error("only triangles can be compressed by Draco", key="mode")
        if mode == _STRIP:
            primitive["mode"] = TRIANGLES
        attributes, wanted = part.element.object("attributes"), part.extension.object("attributes")
        if attributes is None or wanted is None:
            raise part.extension.error("'attributes' is missing")
        for name in wanted.value:
            unique = wanted.required_integer(name)
            accessor = attributes.required_index(name, len(self._json["accessors"]), "accessor")
            rows = arrays.get(str(unique))
            if rows is None:
                raise wanted.error(f"the compressed data has no attribute {unique}", key=name)
            primitive["attributes"][name] = self._assign(accessor, rows, part, attributes, name)
        indices = part.element.index("indices", len(self._json["accessors"]), "accessor")
        if indices is not None and _FACES in arrays:
            faces = arrays[_FACES].reshape(-1, 1)
            primitive["indices"] = self._assign(indices, faces, part, part.element, "indices", target=INDEX_DATA)

    def _assign(
        self,
        accessor: int,
        rows: NDArray[Any],
        part: _Part,
        user: Element,
        key: str,
        *,
        target: int = VERTEX_DATA,
    ) -> int:
        """Return the accessor that holds `rows`: this one, or a new one if another primitive has other data for it."""
        described = self._json["accessors"][accessor]
        dtype, shape = DTYPES.get(described.get("componentType", 0)), SHAPES.get(described.get("type", ""))
        if dtype is None or shape is None:
            raise user.error(f"accessor {accessor} has no known type", key=key)
        if shape[0] * shape[1] != rows.shape[1]:
            raise user.error(
                f"accessor {accessor} is {described['type']}, decoded were {rows.shape[1]} numbers", key=key
            )
        typed = self._typed(rows, dtype, user, key)
        if not len(typed):
            raise user.error("nothing was decoded", key=key)
        if accessor in self._contents and self._contents[accessor][0] != part.view:
            self._json["accessors"].append(dict(described))
            accessor = len(self._json["accessors"]) - 1
            described = self._json["accessors"][accessor]
        if described.get("count") != len(typed):
            message = f"the accessor has {described.get('count')} elements, decoded were {len(typed)}"
            pointer = f"/accessors/{accessor}/count"
            self._findings.append(Finding("DRACO_COUNT", message, pointer, measured=float(len(typed)), unit="elements"))
        described["count"] = len(typed)
        for name in ("byteOffset", "sparse"):
            described.pop(name, None)
        for bound, of in (("min", np.min), ("max", np.max)):
            if bound in described:
                described[bound] = of(typed, axis=0).tolist()
        self._contents[accessor] = part.view, typed, target
        if key == "POSITION" and dtype.kind == "f":
            self.steps[accessor] = grid_step(typed)
        return accessor

    def _typed(self, rows: NDArray[Any], dtype: np.dtype[Any], user: Element, key: str) -> NDArray[Any]:
        """Return the rows as numbers of `dtype`; where Draco has rounded integers as fractions, the nearest ones."""
        if dtype.kind == "f" or rows.dtype.kind != "f":
            typed = rows.astype(dtype)
            exact = np.array_equal(typed, rows) or dtype.kind == "f"
        else:
            whole = np.rint(rows)
            limits = np.iinfo(dtype)
            exact = bool(
                (np.abs(rows - whole) <= _NEAR).all() and ((whole >= limits.min) & (whole <= limits.max)).all()
            )
            typed = whole.astype(dtype) if exact else np.zeros(rows.shape, dtype)
            off = int(np.count_nonzero((rows != whole).any(axis=1))) if exact else 0
            if off:
                message = f"{off} elements are no integers, as they must be; the nearest ones were taken"
                self._findings.append(
                    Finding("DRACO_ROUNDED", message, user.at(key), measured=float(off), limit=0.0, unit="elements")
                )
        if not exact:
            raise user.error(f"what was decoded does not fit into the {dtype.name} of its accessor", key=key)
        return typed

    def _lay_out(self, payloads: set[int]) -> None:
        """Take the payloads out of the buffers, and put what was decoded in."""
        views = self._json["bufferViews"]
        used = {accessor.get("bufferView") for accessor in self._json["accessors"]} | opaque_views(self._json)
        pins = find_pins(self._json)
        dead = payloads - used - pins.views
        touched = {views[view]["buffer"] for view in payloads}
        parts = [
            Rows(data, keep=index in pins.buffers or index not in touched) for index, data in enumerate(self._buffers)
        ]
        for index, view in enumerate(views):
            if index not in dead:
                parts[view["buffer"]].want(view)
        for part in parts:
            part.settle()
        for accessor, (view, rows, target) in self._contents.items():
            row = rows.shape[1] * rows.itemsize
            stride = row if target == INDEX_DATA else aligned(row)
            padded = np.zeros((len(rows), stride), np.uint8)
            padded[:, :row] = np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), row)
            buffer = views[view]["buffer"]
            made = {"buffer": buffer, "byteOffset": parts[buffer].append(padded.tobytes()), "byteLength": padded.nbytes}
            views.append(made | ({"byteStride": stride} if stride != row else {}) | {"target": target})
            self._json["accessors"][accessor]["bufferView"] = len(views) - 1
        for view in dead:
            views[view] = {"buffer": views[view]["buffer"], "byteLength": 1}
        self._data = [part.data for part in parts]
        for described, data in zip(self._json["buffers"], self._data, strict=True):
            described["byteLength"] = len(data)

    def _copied(self, part: _Part) -> Json:
        """The primitive of the plain document."""
        _, _, mesh, _, index = part.element.pointer.split("/")
        found: Json = self._json["meshes"][int(mesh)]["primitives"][int(index)]
        return found


def grid_step(positions: NDArray[np.float32], /) -> float:
    """Return the step of the grid that Draco rounded positions to, metres: the coarsest on which all of them lie.

    It divides the largest extent evenly, from the lowest corner on. 0 if the positions lie on none of up to 20 bits.

    Args:
        positions: float32 [V, 3], as decoded.
    """
    exact = positions.astype(np.float64)
    away = exact - exact.min(axis=0)
    extent = float(away.max())
    rounding = float(np.abs(exact).max()) * 2.0**-22  # of float32, twice
    for bits in range(6, 21) if extent > 0 else ():
        step = extent / ((1 << bits) - 1)
        if rounding < step / 8 and (np.abs(away - np.rint(away / step) * step) <= rounding).all():
            return step
    return 0.0


def _extension_of(part: Element) -> Element | None:
    extensions = part.object("extensions")
    return None if extensions is None else extensions.object(DRACO)


def _read(part: Element, extension: Element, root: Element, buffers: Sequence[memoryview]) -> _Part:
    views = root.objects("bufferViews")
    index = extension.required_index("bufferView", len(views), "buffer view")
    view = views[index]
    buffer = view.required_index("buffer", len(buffers), "buffer")
    offset = view.integer("byteOffset") or 0
    length = view.required_integer("byteLength", low=1)
    available = len(buffers[buffer])
    if length > available or offset > available - length:
        raise view.error(f"bytes {offset} to {offset + length} lie outside of buffer {buffer}, which has {available}")
    return _Part(part, extension, index, buffers[buffer][offset : offset + length])


def _decode(parts: Sequence[_Part]) -> list[Arrays]:
    """Decode payloads in one child process."""
    payloads = [bytes(part.payload) for part in parts]
    message = b"".join(len(data).to_bytes(8, "little") + data for data in payloads)
    command = [sys.executable, "-I", "-m", "skinproof.formats.gltf.draco_child"]
    # One thread: those of a linear algebra library that nothing here uses would count as memory.
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    try:
        done = subprocess.run(  # noqa: S603, this interpreter and a module of this package
            command, input=message, capture_output=True, timeout=DECODER_SECONDS, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        raise parts[0].extension.error(f"the compressed data cannot be decoded: {_TOO_MUCH}") from None
    if done.returncode:
        number = min(int.from_bytes(done.stdout[-8:], "little"), len(parts) - 1) if len(done.stdout) % 8 == 0 else 0
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        reason = said if done.returncode == 1 and said else "the decoder failed"
        raise parts[number].extension.error(f"the compressed data cannot be decoded: {reason[:200]}")
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as archive:
        found: list[dict[str, NDArray[Any]]] = [{} for _ in parts]
        for name in archive.files:
            number, _, key = name.partition("/")
            found[int(number)][key] = archive[name]
    return list(found)


def _copy(part: Json) -> Json:
    extensions = {name: value for name, value in part.get("extensions", {}).items() if name != DRACO}
    rest = {key: value for key, value in part.items() if key != "extensions"}
    copied = rest | {"extensions": extensions} if extensions else rest
    return copied | {"attributes": dict(part["attributes"])} if isinstance(part.get("attributes"), dict) else copied
