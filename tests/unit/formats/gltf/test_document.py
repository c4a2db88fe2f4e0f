"""Documents: version, buffers and where they come from."""

import json

import pytest

from gltf_builder import glb, strip
from skinproof.errors import FormatError, UnsupportedError
from skinproof.formats.gltf.document import open_document, relative_path
from skinproof.formats.gltf.values import Element


def write(path, document, data=b""):
    text = json.dumps({"asset": {"version": "2.0"}, **document}).encode()
    path.write_bytes(glb(text, data) if path.suffix == ".glb" else text)
    return path


def refusal(path):
    with pytest.raises(FormatError) as caught:
        open_document(path)
    assert caught.value.path == str(path)
    assert caught.value.remedy
    return caught.value


def test_a_glb_has_its_buffer_in_its_chunk(tmp_path):
    path = write(tmp_path / "a.glb", {"buffers": [{"byteLength": 5}]}, b"12345")
    document = open_document(path)
    assert document.container == "glb"
    assert document.path == path
    assert document.raw == path.read_bytes()
    assert [bytes(buffer) for buffer in document.buffers] == [b"12345"]
    assert document.buffer_sources == ("glb-chunk",)
    assert document.root.path == str(path)


def test_a_gltf_has_data_uris_and_files(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a b.bin").write_bytes(b"1234567")
    buffers = [
        {"byteLength": 3, "uri": "data:application/octet-stream;base64,YWJj"},
        {"byteLength": 2, "uri": "DATA:;BASE64,YWJj"},
        {"byteLength": 7, "uri": "sub/a%20b.bin"},
        {"byteLength": 4, "uri": "sub/../sub/a b.bin"},
    ]
    document = open_document(write(tmp_path / "a.gltf", {"buffers": buffers}))
    assert [bytes(buffer) for buffer in document.buffers] == [b"abc", b"ab", b"1234567", b"1234"]
    assert document.buffer_sources == ("data-uri", "data-uri", "sub/a%20b.bin", "sub/../sub/a b.bin")
    assert document.container == "gltf"


def test_a_relative_path_without_folder_works(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    strip().save(tmp_path / "a.gltf", uri="a.bin")
    assert len(open_document("a.gltf").buffers) == 1


@pytest.mark.parametrize(
    ("buffer", "pointer", "reason"),
    [
        ({"byteLength": 4}, "/buffers/0", "no 'uri'"),
        ({"uri": "data:;base64,YWJj"}, "/buffers/0", "'byteLength' is missing"),
        ({"byteLength": 0, "uri": "data:;base64,YWJj"}, "/buffers/0/byteLength", "at least 1"),
        ({"byteLength": 4, "uri": "data:;base64,YWJj"}, "/buffers/0/byteLength", "there are only 3 bytes"),
        ({"byteLength": 2**53, "uri": "data:;base64,YWJj"}, "/buffers/0/byteLength", "there are only 3 bytes"),
        ({"byteLength": 3, "uri": "data:;base64,YW!j"}, "/buffers/0/uri", "base64"),
        ({"byteLength": 3, "uri": "data:;base64,YWJ"}, "/buffers/0/uri", "base64"),
        ({"byteLength": 3, "uri": "data:text/plain,abc"}, "/buffers/0/uri", "not base64"),
        ({"byteLength": 3, "uri": "data:"}, "/buffers/0/uri", "not base64"),
        ({"byteLength": 3, "uri": "gone.bin"}, "/buffers/0/uri", "No such file"),
        ({"byteLength": 3, "uri": ""}, "/buffers/0/uri", "no relative path"),
        ({"byteLength": 3, "uri": 5}, "/buffers/0/uri", "expected a string"),
    ],
)
def test_broken_buffers_are_refused(tmp_path, buffer, pointer, reason):
    error = refusal(write(tmp_path / "a.gltf", {"buffers": [buffer]}))
    assert error.pointer == pointer
    assert reason in error.reason


def test_only_the_first_buffer_may_be_the_chunk(tmp_path):
    buffers = [{"byteLength": 4}, {"byteLength": 4}]
    assert refusal(write(tmp_path / "a.glb", {"buffers": buffers}, b"1234")).pointer == "/buffers/1"


@pytest.mark.parametrize(
    "uri",
    [
        "../secret.bin",
        "a/../../secret.bin",
        "%2e%2e/secret.bin",
        "..%2Fsecret.bin",
        "/etc/hostname",
        "%2Fetc/hostname",
        "file:///etc/hostname",
        "http://127.0.0.1/a.bin",
        "C:/a.bin",
        "..\\secret.bin",
        "a%00.bin",
        ".",
        "a/..",
    ],
)
def test_uris_do_not_leave_the_folder(tmp_path, uri):
    (tmp_path / "secret.bin").write_bytes(b"1234")
    (tmp_path / "folder").mkdir()
    error = refusal(write(tmp_path / "folder" / "a.gltf", {"buffers": [{"byteLength": 4, "uri": uri}]}))
    assert error.pointer == "/buffers/0/uri"


def test_relative_paths_are_decoded_and_made_plain():
    element = Element({}, "/images/0", "file.gltf")
    assert str(relative_path(element, "./a%20b/../c.png")) == "c.png"


def test_the_version_must_be_two(tmp_path):
    path = tmp_path / "a.gltf"
    for asset in ({}, {"asset": {}}, {"asset": []}, {"asset": {"version": 2}}):
        path.write_text(json.dumps(asset))
        refusal(path)
    for asset in ({"version": "1.0"}, {"version": "3.0"}, {"version": "2.1", "minVersion": "2.1"}):
        path.write_text(json.dumps({"asset": asset}))
        with pytest.raises(UnsupportedError, match=r"only 2\.0 is read"):
            open_document(path)
    for asset in ({"version": "2.0"}, {"version": "2.1"}, {"version": "2.1", "minVersion": "2.0"}):
        path.write_text(json.dumps({"asset": asset}))
        assert open_document(path).buffers == ()


def test_a_required_extension_is_refused_before_the_buffers_are_looked_at(tmp_path):
    document = {"extensionsRequired": ["ACME_bones"], "buffers": [{"byteLength": 10}]}
    with pytest.raises(UnsupportedError, match="ACME_bones"):
        open_document(write(tmp_path / "a.gltf", document))
