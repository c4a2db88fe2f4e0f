"""Strict JSON."""

import time

import pytest

from skinproof.errors import FormatError
from skinproof.formats.gltf.strict_json import parse
from skinproof.tolerances import MAX_JSON_DEPTH


def test_json_is_read_with_its_order_and_types():
    value = parse('{"b": 1, "a": [1.5, "ä", null, true], "c": "\\ud83d\\ude00"}'.encode(), path="file")
    assert list(value) == ["b", "a", "c"]
    assert value["a"] == [1.5, "ä", None, True]
    assert type(value["b"]) is int
    assert value["c"] == "\N{GRINNING FACE}"


def test_a_byte_order_mark_is_passed_over():
    assert parse(b'\xef\xbb\xbf{"a": 1}', path="file") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b'{"a": 1, "b": {"x": 1, "x": 2}}', "the key 'x' stands twice"),
        (b'{"a": NaN}', "NaN is no JSON number"),
        (b'{"a": -Infinity}', "-Infinity is no JSON number"),
        (b'{"a": 1e999}', "beyond the range of double precision"),
        (b'{"a": ' + b"9" * 5000 + b"}", "the JSON is broken"),
        (b'{"a": "\\ud83d"}', "half a surrogate pair"),
        (b'{"a": 1', "line 1, column"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"{} {}", "Extra data"),
        (b"[1]", "not an object"),
        (b"", "the JSON is broken"),
        (b'{"a": "x\ny"}', "Invalid control character"),
    ],
)
def test_what_is_no_strict_json_object_is_refused(text, reason):
    with pytest.raises(FormatError) as caught:
        parse(text, path="file.gltf")
    assert reason in caught.value.reason
    assert caught.value.path == "file.gltf"


def nested(depth, opening=b"[", closing=b"]"):
    return b'{"a": ' + opening * (depth - 1) + closing * (depth - 1) + b"}"


def test_nesting_is_read_up_to_the_limit():
    assert parse(nested(MAX_JSON_DEPTH), path="file")
    with pytest.raises(FormatError, match=f"nested {MAX_JSON_DEPTH + 1} levels deep"):
        parse(nested(MAX_JSON_DEPTH + 1), path="file")


@pytest.mark.parametrize(
    "text",
    [
        nested(100_000),
        b'{"a":' * 100_000,
        b'{"closing brackets in strings": "' + b"]" * 100_000 + b'", "a": ' + b"[" * 100_000,
        b'{"an escaped quote": "\\"' + b"]" * 100_000 + b'", "a": ' + b"[" * 100_000,
        b'{"an escaped backslash": "' + b"]" * 100_000 + b'\\\\", "a": ' + b"[" * 100_000,
    ],
)
def test_deep_nesting_is_refused_however_it_hides(text):
    with pytest.raises(FormatError, match="levels deep"):
        parse(text, path="file")


def test_brackets_in_strings_are_no_nesting():
    assert parse(b'{"a": "' + b"[{" * 1000 + b'"}', path="file")


@pytest.mark.parametrize("text", [b'{"a": "' + b'\\"' * 500_000, b'"' * 1_000_001, b'{"a' + b"\\" * 1_000_001])
def test_unterminated_strings_take_linear_time(text):
    start = time.perf_counter()
    with pytest.raises(FormatError):
        parse(text, path="file")
    assert time.perf_counter() - start < 5  # a quadratic scan would take an hour


def test_a_duplicate_among_many_keys_is_found_in_linear_time():
    keys = b", ".join(b'"%d": 0' % number for number in range(100_000))
    start = time.perf_counter()
    with pytest.raises(FormatError, match="'99999' stands twice"):
        parse(b"{" + keys + b', "99999": 0}', path="file")
    assert time.perf_counter() - start < 5
