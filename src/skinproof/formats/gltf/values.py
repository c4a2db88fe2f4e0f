"""Typed access to JSON values: every wrong type or range becomes an error that points at it (RFC 6901 pointers)."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from skinproof.errors import FormatError

DEFAULT_REMEDY = "Export the file again; the Khronos glTF validator lists everything that is wrong with it"


@dataclass(frozen=True, slots=True)
class Element:
    """A JSON object and its place in the file.

    Attributes:
        value: the object.
        pointer: its JSON pointer, "" for the root.
        path: the file, as the caller named it.
    """

    value: dict[str, Any]
    pointer: str
    path: str

    def at(self, key: str | int) -> str:
        """JSON pointer of the member `key`."""
        return f"{self.pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"

    def error(self, reason: str, *, key: str | int | None = None, remedy: str = DEFAULT_REMEDY) -> FormatError:
        """Return the error that says `reason` about this object, or about its member `key`."""
        pointer = self.pointer if key is None else self.at(key)
        return FormatError(reason, path=self.path, pointer=pointer, remedy=remedy)

    def integer(self, key: str, *, low: int = 0, high: int | None = None) -> int | None:
        """Return the integer at `key`, or None where it is absent.

        Raises:
            FormatError: it is no integer, or not within [`low`, `high`].
        """
        value = self.value.get(key)
        if type(value) is int and low <= value and (high is None or value <= high):
            return value
        if value is None and key not in self.value:
            return None
        if type(value) is not int:
            raise self.error(f"expected an integer, got {_show(value)}", key=key)
        allowed = f"at least {low}" if high is None else f"{low} to {high}"
        raise self.error(f"expected {allowed}, got {_show(value)}", key=key)

    def required_integer(self, key: str, *, low: int = 0, high: int | None = None) -> int:
        """Return the integer at `key`.

        Raises:
            FormatError: it is absent, no integer, or not within [`low`, `high`].
        """
        value = self.integer(key, low=low, high=high)
        if value is None:
            raise self.error(f"{key!r} is missing")
        return value

    def index(self, key: str, count: int, what: str) -> int | None:
        """Return the index at `key` into `count` things named `what`, or None where it is absent.

        Raises:
            FormatError: it is no index, or there is no such thing.
        """
        found = self.value.get(key)
        if type(found) is int and 0 <= found < count:
            return found
        value = self.integer(key)
        if value is not None:
            raise self.error(_no_such(what, value, count), key=key)
        return None

    def required_index(self, key: str, count: int, what: str) -> int:
        """Return the index at `key` into `count` things named `what`.

        Raises:
            FormatError: it is absent, no index, or there is no such thing.
        """
        value = self.index(key, count, what)
        if value is None:
            raise self.error(f"{key!r} is missing")
        return value

    def indices(self, key: str, count: int, what: str) -> list[int]:
        """Return the list of indices at `key` into `count` things named `what`; empty where it is absent.

        Raises:
            FormatError: it is no list, or an entry is no index, out of range, or there twice.
        """
        values = self._list(key)
        for position, value in enumerate(values):
            if type(value) is not int or value < 0:
                raise self._entry_error(key, position, f"expected an index, got {_show(value)}")
            if value >= count:
                raise self._entry_error(key, position, _no_such(what, value, count))
        if len(set(values)) != len(values):
            first = {value: position for position, value in reversed(list(enumerate(values)))}
            position = next(position for position, value in enumerate(values) if first[value] != position)
            raise self._entry_error(key, position, f"{what} {values[position]} is listed twice")
        return values

    def boolean(self, key: str) -> bool:
        """Return the boolean at `key`, false where it is absent.

        Raises:
            FormatError: it is no boolean.
        """
        value = self.value.get(key, False)
        if not isinstance(value, bool):
            raise self.error(f"expected true or false, got {_show(value)}", key=key)
        return value

    def string(self, key: str) -> str | None:
        """Return the string at `key`, or None where it is absent.

        Raises:
            FormatError: it is no string.
        """
        value = self.value.get(key)
        if value is None and key not in self.value:
            return None
        if not isinstance(value, str):
            raise self.error(f"expected a string, got {_show(value)}", key=key)
        return value

    def strings(self, key: str) -> list[str]:
        """Return the list of strings at `key`, empty where it is absent.

        Raises:
            FormatError: it is no list of strings.
        """
        values = self._list(key)
        for position, value in enumerate(values):
            if not isinstance(value, str):
                raise self._entry_error(key, position, f"expected a string, got {_show(value)}")
        return values

    def numbers(self, key: str, length: int | None = None) -> list[float] | None:
        """Return the list of finite numbers at `key`, of `length` if given, or None where it is absent.

        Raises:
            FormatError: it is no such list.
        """
        if key not in self.value:
            return None
        values = self._list(key)
        if length is not None and len(values) != length:
            raise self.error(f"expected {length} numbers, got {len(values)}", key=key)
        for position, value in enumerate(values):
            if type(value) not in (int, float) or not _is_finite(value):
                raise self._entry_error(key, position, f"expected a finite number, got {_show(value)}")
        return values

    def object(self, key: str) -> Element | None:
        """Return the object at `key`, or None where it is absent.

        Raises:
            FormatError: it is no object.
        """
        value = self.value.get(key)
        if value is None and key not in self.value:
            return None
        if not isinstance(value, dict):
            raise self.error(f"expected an object, got {_show(value)}", key=key)
        return Element(value, self.at(key), self.path)

    def objects(self, key: str) -> list[Element]:
        """Return the list of objects at `key`, empty where it is absent.

        Raises:
            FormatError: it is no list of objects.
        """
        place = self.at(key)
        elements = []
        for position, value in enumerate(self._list(key)):
            if not isinstance(value, dict):
                raise self._entry_error(key, position, f"expected an object, got {_show(value)}")
            elements.append(Element(value, f"{place}/{position}", self.path))
        return elements

    def has_extension(self, name: str) -> bool:
        """Whether this object carries the extension `name`.

        Raises:
            FormatError: `extensions` is no object.
        """
        if "extensions" not in self.value:
            return False
        extensions = self.object("extensions")
        return extensions is not None and name in extensions.value

    def _list(self, key: str) -> list[Any]:
        value = self.value.get(key, [])
        if not isinstance(value, list):
            raise self.error(f"expected a list, got {_show(value)}", key=key)
        return value

    def _entry_error(self, key: str, position: int, reason: str) -> FormatError:
        pointer = f"{self.at(key)}/{position}"
        return FormatError(reason, path=self.path, pointer=pointer, remedy=DEFAULT_REMEDY)


def _no_such(what: str, value: int, count: int) -> str:
    return f"there is no {what} {_show(value)}: the file has {count}"


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond the doubles
        return False


def _show(value: object) -> str:
    """Return a short text of a JSON value for a message; large ones are cut before they are turned into text."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str) and len(value) > 40:
        return f"{value[:40]!r}…"
    if isinstance(value, int) and value.bit_length() > 128:
        return "an integer of more than 128 bits"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    return repr(value)
