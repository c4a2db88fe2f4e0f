"""JSON as RFC 8259 has it, and no more: no duplicate keys, no NaN, no number beyond the doubles, bounded nesting."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np

from skinproof.errors import FormatError
from skinproof.formats.gltf.values import DEFAULT_REMEDY
from skinproof.tolerances import MAX_JSON_DEPTH

# The closing quote is optional, so that an unterminated string is one match too:
# else a hostile text takes quadratic time.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_MAYBE_TOO_LARGE = re.compile(rb"[eE]\+?[0-9]{3}|[0-9]{300}")
_MAYBE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def parse(data: bytes, *, path: str) -> dict[str, Any]:
    """Return the JSON object in `data`.

    Args:
        data: UTF-8 text; a byte order mark is passed over.
        path: the file, for messages.

    Raises:
        FormatError: it is no strict JSON object.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _error(f"the JSON is not UTF-8 text (byte {error.start})", path) from None
    bare = _STRING.sub(b"", data)
    _check_depth(bare, path)
    parse_float = _finite_float if _MAYBE_TOO_LARGE.search(bare) else None
    try:
        value = json.loads(
            text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=parse_float
        )
        if _MAYBE_SURROGATE.search(data):
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair could never be written again
    except json.JSONDecodeError as error:
        raise _error(f"the JSON is broken: {error.msg} (line {error.lineno}, column {error.colno})", path) from None
    except UnicodeEncodeError:
        raise _error("the JSON has a string with half a surrogate pair, which is no text", path) from None
    except ValueError as error:
        raise _error(f"the JSON is broken: {error}", path) from None
    if not isinstance(value, dict):
        raise _error("the JSON is not an object", path)
    return value


def _check_depth(bare: bytes, path: str) -> None:
    """Refuse deep nesting before the parser recurses into it; `bare` is the text without its strings."""
    symbols = np.frombuffer(bare, dtype=np.uint8)
    symbols = symbols[symbols > ord("Z")]  # letters and brackets: far less than digits and commas
    steps = np.zeros(len(symbols), dtype=np.int32)
    steps[(symbols == ord("[")) | (symbols == ord("{"))] = 1
    steps[(symbols == ord("]")) | (symbols == ord("}"))] = -1
    depth = int(np.cumsum(steps).max(initial=0))
    if depth > MAX_JSON_DEPTH:
        raise _error(f"the JSON is nested {depth} levels deep; at most {MAX_JSON_DEPTH} are read", path)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in result if keys.count(key) > 1)
        raise ValueError(f"the key {twice[:40]!r} stands twice in one object")
    return result


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"the number {text[:40]} is beyond the range of double precision")
    return value


def _error(reason: str, path: str) -> FormatError:
    return FormatError(reason, path=path, pointer="", remedy=DEFAULT_REMEDY)
