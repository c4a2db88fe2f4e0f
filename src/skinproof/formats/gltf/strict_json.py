"""JSON as RFC 8259 has it, and no more: no duplicate keys, no NaN, no number beyond the doubles, bounded nesting."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import Any

import numpy as np

from skinproof.errors import FormatError
from skinproof.formats.gltf.values import DEFAULT_REMEDY
from skinproof.tolerances import MAX_JSON_DEPTH

_ESCAPE = re.compile(rb"\\.", re.DOTALL)
# The closing quote is optional, so that an unterminated string is one match too:
# else a hostile text takes quadratic time.
_STRING = re.compile(rb'"[^"]*+"?')
_ALL_BUT_STRUCTURE = bytes(set(range(256)) - set(b'[]{}"'))
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
    _check_depth(data, path)
    try:
        value = json.loads(
            text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_float=_finite_float
        )
        if _MAYBE_SURROGATE.search(data):
            json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair could never be written again
    except json.JSONDecodeError as error:
        raise _error(f"the JSON is broken: {error.msg} (line {error.lineno}, column {error.colno})", path) from None
    except UnicodeEncodeError:
        raise _error("the JSON has a string with half a surrogate pair, which is no text", path) from None
    except ValueError as error:
        # What Python says of an integer beyond its limit ends in advice to programmers.
        raise _error(f"the JSON is broken: {str(error).partition('; use sys.')[0]}", path) from None
    if not isinstance(value, dict):
        raise _error("the JSON is not an object", path)
    return value


def _check_depth(data: bytes, path: str) -> None:
    """Refuse deep nesting before the parser recurses into it."""
    without_escapes = _ESCAPE.sub(b"", data) if b"\\" in data else data
    structure = without_escapes.translate(None, _ALL_BUT_STRUCTURE)
    # Most strings are empty now. To drop two quotes side by side leaves every bracket within or outside of a string.
    brackets = _STRING.sub(b"", structure.replace(b'""', b""))
    symbols = np.frombuffer(brackets, dtype=np.uint8)
    steps = np.where((symbols == ord("[")) | (symbols == ord("{")), 1, -1)
    depth = int(np.cumsum(steps).max(initial=0))
    if depth > MAX_JSON_DEPTH:
        raise _error(f"the JSON is nested {depth} levels deep; at most {MAX_JSON_DEPTH} are read", path)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        (twice, _), *_ = Counter(key for key, _ in pairs).most_common(1)
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
