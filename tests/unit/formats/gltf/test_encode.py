import json
import struct

import pytest

from skinproof.errors import OutputError
from skinproof.formats.gltf import encode
from skinproof.formats.gltf.encode import data_uri, encode_glb, encode_json, joined


def test_json_keeps_order_integers_and_every_digit():
    text = b'{"b":1,"a":[1.0,0.1,1e-07,12345678901234567890],"\xc3\xa9":"\xe2\x82\xac"}'
    assert encode_json(json.loads(text)) == text


def test_half_a_surrogate_pair_is_escaped():
    assert encode_json({"name": "\ud800"}) == b'{"name":"\\ud800"}'


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_json_cannot_say_is_refused(value):
    with pytest.raises(OutputError, match="cannot be written as JSON"):
        encode_json({"a": value})


def test_a_glb_is_padded_with_spaces_and_zeros():
    glb = encode_glb(b"{}", b"12345", extra_chunks=[(7, memoryview(b"abcd"))])
    assert glb == (
        struct.pack("<4sII", b"glTF", 2, len(glb))
        + struct.pack("<I4s", 4, b"JSON")
        + b"{}  "
        + struct.pack("<I4s", 8, b"BIN\0")
        + b"12345\0\0\0"
        + struct.pack("<II", 4, 7)
        + b"abcd"
    )


def test_a_glb_without_binary_has_one_chunk():
    assert encode_glb(b"{}  ", None) == struct.pack("<4sIII4s", b"glTF", 2, 24, 4, b"JSON") + b"{}  "


def test_a_glb_beyond_32_bits_is_refused(monkeypatch):
    monkeypatch.setattr(encode, "_LARGEST_GLB", 100)
    with pytest.raises(OutputError, match=r"Write a \.gltf"):
        encode_glb(b"{}", bytes(100))


@pytest.mark.parametrize(
    ("like", "prefix"),
    [
        ("", "data:application/octet-stream;base64"),
        ("data:application/gltf-buffer;base64,AAAA", "data:application/gltf-buffer;base64"),
        ("data:text/plain,AAAA", "data:application/octet-stream;base64"),
        ("hero.bin", "data:application/octet-stream;base64"),
    ],
)
def test_a_data_uri_keeps_its_media_type(like, prefix):
    assert data_uri(b"\0\1\2", like=like) == f"{prefix},AAEC"


def test_joined_parts_begin_at_multiples_of_eight():
    assert joined([b"abc", b"", b"d"]) == (b"abc\0\0\0\0\0d", [0, 8, 8])
