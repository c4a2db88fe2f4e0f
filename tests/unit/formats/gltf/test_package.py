import base64
import json
from pathlib import Path

import pytest

from skinproof.formats.gltf.container import split
from skinproof.formats.gltf.document import Document
from skinproof.formats.gltf.package import merged, package
from skinproof.formats.gltf.place import Draft

PARTS = (b"first...", b"second..more")


def _uri(data):
    return "data:application/gltf-buffer;base64," + base64.b64encode(data).decode()


def _document(container, *sources, extra_chunks=(), **more):
    """Two buffers at most, each with one view over all of it."""
    buffers, views = [], []
    for index, source in enumerate(sources):
        data = PARTS[index]
        uri = {"glb-chunk": {}, "data-uri": {"uri": _uri(data)}}.get(source, {"uri": source})
        buffers.append({"byteLength": len(data), **uri})
        views.append({"buffer": index, "byteLength": len(data)})
    document = {"asset": {"version": "2.0"}, "bufferViews": views, "buffers": buffers, **more}
    data = tuple(memoryview(part) for part, _ in zip(PARTS, sources, strict=False))
    return Document(Path("old.gltf"), container, b"", document, data, sources, extra_chunks)


def _package(document, path, kind, *, edited=()):
    draft = Draft(document.json, list(document.buffers), list(document.buffer_sources))
    for index in edited:
        draft.buffers[index] = b"edited.."
        draft.json["buffers"][index]["byteLength"] = 8
    if kind == "glb" and document.container == "gltf":
        draft = merged(draft)
    outputs = {str(output.path): bytes(output.data) for output in package(draft, document, Path(path), kind)}
    assert list(outputs)[-1] == path
    return outputs


def _json(output):
    return json.loads(bytes(split(output, path="").json))


def test_glb_to_glb_keeps_the_chunk_and_what_others_put_behind_it():
    document = _document("glb", "glb-chunk", extra_chunks=((99, memoryview(b"abcd")),))
    outputs = _package(document, "new.glb", "glb")
    container = split(outputs["new.glb"], path="")
    assert list(outputs) == ["new.glb"]
    assert container.binary == PARTS[0]
    assert container.extra_chunks == ((99, b"abcd"),)
    assert _json(outputs["new.glb"]) == document.json


def test_glb_to_gltf_puts_the_chunk_into_a_file():
    outputs = _package(_document("glb", "glb-chunk"), "hero no 1.gltf", "gltf")
    assert outputs["hero no 1.bin"] == PARTS[0]
    assert _json(outputs["hero no 1.gltf"])["buffers"] == [{"byteLength": 8, "uri": "hero%20no%201.bin"}]


def test_gltf_to_glb_joins_the_buffers():
    document = _document("gltf", "a.bin", "data-uri")
    outputs = _package(document, "new.glb", "glb")
    container = split(outputs["new.glb"], path="")
    assert list(outputs) == ["new.glb"]
    assert container.binary == PARTS[0] + PARTS[1]
    written = _json(outputs["new.glb"])
    assert written["buffers"] == [{"byteLength": 20}]
    assert written["bufferViews"] == [
        {"buffer": 0, "byteLength": 8},
        {"buffer": 0, "byteLength": 12, "byteOffset": 8},
    ]


@pytest.mark.parametrize("why", ["extras", "extension"])
def test_buffers_that_somebody_tells_apart_are_not_joined(why):
    more = {"extensions": {"X_unknown": {"buffer": 1}}} if why == "extension" else {}
    document = _document("gltf", "a.bin", "b.bin", **more)
    if why == "extras":
        document.json["buffers"][1]["extras"] = {"for": "physics"}
    outputs = _package(document, "new.glb", "glb")
    container = split(outputs["new.glb"], path="")
    assert list(outputs) == ["new.glb"]
    assert container.binary == PARTS[0]
    first, second = _json(outputs["new.glb"])["buffers"]
    assert first == {"byteLength": 8}
    assert second["uri"] == "data:application/octet-stream;base64," + base64.b64encode(PARTS[1]).decode()


def test_one_file_takes_the_name_and_several_take_a_number():
    assert set(_package(_document("gltf", "a.bin"), "new.gltf", "gltf")) == {"new.bin", "new.gltf"}
    outputs = _package(_document("gltf", "a.bin", "b.bin"), "new.gltf", "gltf")
    assert set(outputs) == {"new_0.bin", "new_1.bin", "new.gltf"}
    assert [buffer["uri"] for buffer in _json(outputs["new.gltf"])["buffers"]] == ["new_0.bin", "new_1.bin"]


def test_a_data_uri_stays_letter_by_letter_unless_its_bytes_changed():
    document = _document("gltf", "data-uri", "data-uri")
    document.json["buffers"][1]["uri"] = document.json["buffers"][1]["uri"].replace("gltf-buffer", "gltf-BUFFER")
    outputs = _package(document, "new.gltf", "gltf", edited=[0])
    written = [buffer["uri"] for buffer in _json(outputs["new.gltf"])["buffers"]]
    assert written == [_uri(b"edited.."), document.json["buffers"][1]["uri"]]


def test_a_glb_with_a_file_beside_its_chunk_keeps_both():
    outputs = _package(_document("glb", "glb-chunk", "old.bin"), "new.glb", "glb")
    assert outputs["new.bin"] == PARTS[1]
    assert [buffer.get("uri") for buffer in _json(outputs["new.glb"])["buffers"]] == [None, "new.bin"]


@pytest.mark.parametrize(("container", "kind"), [("glb", "gltf"), ("gltf", "glb"), ("glb", "glb")])
def test_a_document_without_buffers(container, kind):
    document = Document(None, container, b"", {"asset": {"version": "2.0"}}, (), ())
    outputs = _package(document, f"new.{kind}", kind)
    assert _json(outputs[f"new.{kind}"]) == document.json


def test_the_document_is_not_changed():
    document = _document("gltf", "a.bin", "data-uri")
    before = json.dumps(document.json)
    for kind in ("glb", "gltf"):
        _package(document, f"new.{kind}", kind)
    assert json.dumps(document.json) == before
