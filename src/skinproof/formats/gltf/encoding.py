"""How a file stores its data: as its source does, plainly, or compressed (`Encoding`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from skinproof.formats.gltf.accessors import decode
from skinproof.formats.gltf.document import Document
from skinproof.formats.gltf.extensions import QUANTIZATION
from skinproof.formats.gltf.layout import COMPONENT_TYPES, DTYPES, SHAPES
from skinproof.formats.gltf.meshopt import repack
from skinproof.formats.gltf.place import Draft, place
from skinproof.formats.gltf.references import Json, Span, accessor_span, find_pins, sparse_spans

_FLOAT = COMPONENT_TYPES[np.dtype("<f4")]


class Encoding(StrEnum):
    """How a written file stores its data.

    Attributes:
        KEEP: as the source does: what was compressed is compressed again, what was not is not. Draco is not written:
            it loses digits.
        NONE: nothing is compressed or quantized; positions, normals, tangents and texture coordinates that only
            KHR_mesh_quantization allows become the float32 values that every reader decodes them to.
        MESHOPT: what accessors hold is compressed by EXT_meshopt_compression (or the KHR_ form, if the source has
            that), without loss.
    """

    KEEP = "keep"
    NONE = "none"
    MESHOPT = "meshopt"


def is_stored_so(document: Document, encoding: Encoding, /) -> bool:
    """Whether the document's own bytes will do."""
    if encoding is Encoding.NONE:
        return document.packed is None and not _quantized(document.json)
    return encoding is Encoding.KEEP


def encoded(draft: Draft, document: Document, encoding: Encoding, /) -> Draft:
    """Return a draft, which is plain, in an encoding.

    Args:
        draft: what to write; not changed.
        document: what it was made from.
        encoding: how to store it.
    """
    if encoding is Encoding.NONE:
        return _dequantized(draft)
    packed = document.packed if document.packed is not None and document.packed.views else None
    if encoding is Encoding.KEEP and packed is None:
        return draft
    everything = encoding is Encoding.MESHOPT
    return Draft(*repack(draft.json, draft.buffers, draft.sources, packed, everything=everything))


def _dequantized(draft: Draft) -> Draft:
    """Give what KHR_mesh_quantization alone allows its decoded values."""
    quantized = _quantized(draft.json)
    json = draft.json | {
        key: [dict(item) for item in draft.json.get(key, ())] for key in ("accessors", "bufferViews", "buffers")
    }
    for key in ("extensionsUsed", "extensionsRequired"):
        names = [name for name in json.get(key, ()) if name != QUANTIZATION]
        json = {name: value for name, value in json.items() if name != key} | ({key: names} if names else {})
    result = Draft(json, list(draft.buffers), list(draft.sources))
    contents: dict[int, NDArray[np.float32]] = {}
    freed: list[Span] = []
    for index in quantized:
        accessor = json["accessors"][index]
        contents[index] = _decoded(accessor, draft)
        accessor["componentType"] = _FLOAT
        accessor.pop("normalized", None)
        sparse = accessor.pop("sparse", None)
        if sparse is not None:
            freed += sparse_spans(draft.json["accessors"][index], sparse)
        for bound, of in (("min", np.min), ("max", np.max)):
            if bound in accessor:
                accessor[bound] = of(contents[index], axis=0).tolist()
    if contents:
        place(result, draft.json, contents, {}, freed, find_pins(draft.json))
    return result


def _decoded(accessor: Json, draft: Draft) -> NDArray[np.float32]:
    columns, rows = SHAPES[accessor["type"]]
    dtype = DTYPES[accessor["componentType"]]
    stored = np.zeros((accessor["count"], columns * rows), dtype)
    if "bufferView" in accessor:
        stored[...] = _rows(accessor_span(accessor, draft.json["bufferViews"]), dtype, draft)
    if "sparse" in accessor:
        indices, values = sparse_spans(accessor, accessor["sparse"])
        places = _rows(indices, DTYPES[accessor["sparse"]["indices"]["componentType"]], draft)[:, 0]
        stored[places] = _rows(values, dtype, draft)
    found: NDArray[np.float32] = decode(stored, accessor.get("normalized", False), np.dtype(np.float32))
    return found


def _rows(span: Span, dtype: np.dtype[np.generic], draft: Draft) -> NDArray[np.generic]:
    view = draft.json["bufferViews"][span.view]
    return np.ndarray(
        (span.count, span.size // dtype.itemsize),
        dtype,
        buffer=draft.buffers[view["buffer"]],
        offset=view.get("byteOffset", 0) + span.start,
        strides=(span.stride, dtype.itemsize),
    )


def _quantized(json: Json) -> list[int]:
    """The accessors of attributes and morph targets whose type only the extension allows."""
    found = {
        accessor
        for name, accessor, is_target in _attributes(json)
        if _needs_extension(name, json["accessors"][accessor], is_target=is_target)
    }
    return sorted(found)


def _attributes(json: Json) -> Iterator[tuple[str, int, bool]]:
    """Yield every attribute of every primitive, and of its morph targets."""
    for mesh in json.get("meshes", ()):
        for part in mesh.get("primitives", ()):
            holders: Iterable[tuple[Json, bool]] = [
                (part.get("attributes", {}), False),
                *((target, True) for target in part.get("targets", ())),
            ]
            for holder, is_target in holders:
                for name, accessor in holder.items():
                    yield name, accessor, is_target


def _needs_extension(name: str, accessor: Json, *, is_target: bool) -> bool:
    if accessor["componentType"] == _FLOAT:
        return False
    if name in ("POSITION", "NORMAL", "TANGENT"):
        return True
    if not name.startswith("TEXCOORD_"):
        return False
    unsigned = DTYPES[accessor["componentType"]].kind == "u"
    return is_target or not (unsigned and accessor.get("normalized", False))
