"""A draft to the files of a .glb, or of a .gltf with its .bin (glTF 2.0, sections 3.6.1.1 and 4.4)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from skinproof.formats.atomic import Output
from skinproof.formats.gltf.container import Kind
from skinproof.formats.gltf.document import DATA_URI, GLB_CHUNK, Document
from skinproof.formats.gltf.encode import data_uri, encode_glb, encode_json, joined
from skinproof.formats.gltf.meshopt import FALLBACK
from skinproof.formats.gltf.place import Draft
from skinproof.formats.gltf.references import Json, find_pins


def package(draft: Draft, document: Document, path: Path, kind: Kind, /) -> list[Output]:
    """Return the files that hold `draft`, the one that names the others last.

    A buffer stays a data URI or a file of its own as it was, and the chunk of a .glb becomes a file in a .gltf. Files
    of buffers are named after `path`.

    Args:
        draft: what to write.
        document: what it was made from: data URIs that did not change stay as they are, letter by letter, and chunks
            that only others understand go from .glb to .glb.
        path: the .glb or .gltf.
        kind: which of them it is.

    Raises:
        OutputError: the file would be too large for a .glb.
    """
    json = dict(draft.json)
    files = [index for index, source in enumerate(draft.sources) if _is_file(source, kind)]
    outputs = []
    described = []
    for index, (buffer, data, source) in enumerate(
        zip(json.get("buffers", ()), draft.buffers, draft.sources, strict=True)
    ):
        if (source == GLB_CHUNK and kind == "glb") or source == FALLBACK:
            described.append({key: value for key, value in buffer.items() if key != "uri"})
        elif source == DATA_URI:
            uri = buffer.get("uri", "")
            same = uri[:5].lower() == "data:" and index < len(document.buffers) and data is document.buffers[index]
            described.append(buffer | {"uri": uri if same else data_uri(data, like=uri)})
        else:
            name = f"{path.stem}.bin" if len(files) == 1 else f"{path.stem}_{index}.bin"
            described.append(buffer | {"uri": quote(name)})
            outputs.append(Output(path.with_name(name), data))
    if described:
        json["buffers"] = described
    text = encode_json(json)
    if kind == "glb":
        chunk = draft.buffers[0] if GLB_CHUNK in draft.sources else None
        text = encode_glb(text, chunk, extra_chunks=document.extra_chunks)
    return [*outputs, Output(path, text)]


def _is_file(source: str, kind: Kind) -> bool:
    return source not in (DATA_URI, FALLBACK) and not (source == GLB_CHUNK and kind == "glb")


def merged(draft: Draft, /) -> Draft:
    """Return the draft with its buffers joined into a chunk, or with only the first as chunk if others must stay."""
    if not draft.buffers:
        return draft
    first, *others = draft.json["buffers"]
    if any(set(other) - {"uri", "byteLength", "name"} for other in others) or find_pins(draft.json).buffers:
        # Extensions or extras tell buffers apart, so they stay apart.
        return Draft(draft.json, draft.buffers, [GLB_CHUNK, *(DATA_URI for _ in others)])
    chunk, starts = joined(draft.buffers)
    json = draft.json | {
        "buffers": [first | {"byteLength": len(chunk)}],
        "bufferViews": [_shifted(view, starts) for view in draft.json.get("bufferViews", ())],
    }
    return Draft(json, [chunk], [GLB_CHUNK])


def _shifted(view: Json, starts: Sequence[int]) -> Json:
    if view["buffer"] == 0:
        return view
    return view | {"buffer": 0, "byteOffset": starts[view["buffer"]] + view.get("byteOffset", 0)}
