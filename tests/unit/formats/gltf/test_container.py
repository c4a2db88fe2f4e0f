"""The containers: .glb and .gltf, told by their first bytes."""

import os
import struct

import pytest

from gltf_builder import glb
from skinproof.errors import FormatError, UnsupportedError
from skinproof.formats.gltf.container import read_bytes, split


def refusal(raw):
    with pytest.raises(FormatError) as caught:
        split(raw, path="file.glb")
    assert caught.value.path == "file.glb"
    assert caught.value.remedy
    return caught.value.reason


def test_a_glb_is_taken_apart():
    container = split(glb(b'{"a":1}', b"12345"), path="file")
    assert container.kind == "glb"
    assert bytes(container.json) == b'{"a":1} '
    assert bytes(container.binary) == b"12345\0\0\0"
    assert container.extra_chunks == ()


def test_a_glb_need_not_have_a_binary_chunk():
    assert split(glb(b"{}"), path="file").binary is None


def test_unknown_chunks_are_kept():
    container = split(glb(b"{}", b"data", extra=struct.pack("<II", 4, 77) + b"more"), path="file")
    assert bytes(container.binary) == b"data"
    assert [(kind, bytes(data)) for kind, data in container.extra_chunks] == [(77, b"more")]
    container = split(glb(b"{}", extra=struct.pack("<II", 4, 77) + b"more"), path="file")
    assert container.binary is None
    assert len(container.extra_chunks) == 1


def test_text_is_a_gltf_after_white_space_or_a_byte_order_mark():
    assert split(b' \r\n\t{"a":1}', path="file").kind == "gltf"
    assert split(b'\xef\xbb\xbf{"a":1}', path="file").kind == "gltf"


def test_nothing_and_other_files_are_refused():
    assert refusal(b"") == "the file is empty"
    assert "no glTF" in refusal(b"Kaydara FBX Binary")
    assert "no glTF" in refusal(b"glt")
    assert "no glTF" in refusal(b"\0" * 100)


def test_other_versions_are_unsupported():
    with pytest.raises(UnsupportedError, match="version 1") as caught:
        split(b"glTF" + struct.pack("<II", 1, 20) + b"\0" * 8, path="file")
    assert caught.value.feature == "GLB 1"


def test_every_shorter_length_is_refused():
    raw = glb(b'{"a":1}', b"12345")
    for length in range(len(raw)):
        assert refusal(raw[:length])
    assert "the file has" in refusal(raw + b"\0")


def with_length(raw):
    return raw[:8] + struct.pack("<I", len(raw)) + raw[12:]


def test_broken_chunks_are_refused_with_their_byte():
    raw = glb(b'{"a":1}', b"12345")
    assert "chunk at byte 12" in refusal(raw[:12] + struct.pack("<I", 2**32 - 4) + raw[16:])
    assert "no multiple of 4" in refusal(raw[:12] + struct.pack("<I", 7) + raw[16:])
    assert "chunk header at byte 44" in refusal(with_length(raw + b"\0\0\0\0"))
    assert "not JSON" in refusal(raw[:16] + struct.pack("<I", 0x004E4942) + raw[20:])
    second_json = struct.pack("<II", 4, 0x4E4F534A) + b"{}  "
    assert "second JSON chunk" in refusal(glb(b"{}", b"data", extra=second_json))


def test_a_file_is_read_whole(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    assert read_bytes(tmp_path / "file") == b"content"
    assert read_bytes(str(tmp_path / "file")) == b"content"


@pytest.mark.parametrize("name", ["missing", ".", "null\0character", "file/below"])
def test_what_is_no_readable_file_is_refused(tmp_path, name):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FormatError) as caught:
        read_bytes(os.path.join(tmp_path, name))
    assert caught.value.remedy


def test_a_pipe_does_not_hang(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FormatError, match="no regular file"):
        read_bytes(tmp_path / "pipe")
