"""Gives the space of dead data back: cuts it out of the buffers and moves what follows (glTF 2.0, section 3.6).

Nothing is renumbered. All cuts are whole 4-byte words of the buffer, so that every alignment that glTF asks for
stays as it was. Between accessors any dead word is cut. Within the rows of interleaved accessors only whole columns
are, over all rows alike, and the views' stride shrinks by them.

Tried and left: laying every view out anew. It gives back a few bytes more of alignment, but moves data that others
may point at, and has to understand every layout instead of only the one that it cuts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.formats.gltf.encode import Bytes
from skinproof.formats.gltf.references import Json, Span, opaque_views, spans

_WORD = 4
_EXTENSION_WORDS = 2
"""Views that extensions point at move by multiples of 8 bytes: some hold 64-bit integers."""


def compact(
    document: Json,
    buffers: Sequence[Bytes],
    freed: Sequence[Span],
    /,
    *,
    pinned: frozenset[int],
) -> list[Bytes]:
    """Cut the bytes of `freed` that nothing else uses out of the buffers.

    Args:
        document: its views and accessors are edited in place: offsets, lengths, strides. A view
            that holds nothing any more gets the least length allowed, 1.
        buffers: the bytes of each buffer; not changed.
        freed: what accessors occupied that no longer do; the document no longer says so.
        pinned: views that must stay whole.

    Returns:
        The new buffers; those from which nothing was cut are the very same objects.
    """
    layout = _Layout(document, freed, pinned)
    result = list(buffers)
    for index in sorted({document["bufferViews"][span.view]["buffer"] for span in freed}):
        result[index] = _compact_buffer(layout, index, buffers[index])
    for view_index in layout.dead:
        view = document["bufferViews"][view_index]
        view.pop("byteStride", None)
        view.pop("byteOffset", None)
        view["byteLength"] = 1
    return result


def emptied_views(document: Json, freed: Sequence[Span], /, *, pinned: frozenset[int]) -> frozenset[int]:
    """Return the views that held `freed` and hold nothing any more."""
    return frozenset(_Layout(document, freed, pinned).dead)


def mark(mask: NDArray[np.bool_], start: int, /, *, count: int, size: int, stride: int) -> None:
    """Set the bytes of `count` elements of `size` bytes in `mask`, bool [bytes], one every `stride` from `start`."""
    np.ndarray((count, size), np.bool_, buffer=mask, offset=start, strides=(stride, 1))[...] = True


@dataclass(slots=True, eq=False)
class _Region:
    """Views of one buffer that overlap each other, taken together; bytes [start, end)."""

    start: int
    end: int
    views: list[int] = field(default_factory=list)


class _Layout:
    """Who lives where."""

    def __init__(self, document: Json, freed: Sequence[Span], pinned: frozenset[int]) -> None:
        self.views: list[Json] = document["bufferViews"]
        self.freed: dict[int, list[Span]] = {}
        self.live: dict[int, list[Span]] = {}
        for span in freed:
            self.freed.setdefault(span.view, []).append(span)
        for span in spans(document):
            self.live.setdefault(span.view, []).append(span)
        numbers = range(len(self.views))
        self.whole = {view for view in numbers if view not in self.freed and view not in self.live}
        self.whole |= opaque_views(document) | pinned.intersection(numbers)
        self.pinned = pinned
        self.dead = sorted(view for view in self.freed if view not in self.live and view not in self.whole)

    def bounds(self, view: int) -> tuple[int, int]:
        """The bytes of a view in its buffer."""
        start = self.views[view].get("byteOffset", 0)
        return start, start + self.views[view]["byteLength"]

    def living(self, region: _Region) -> list[int]:
        """The views of a region whose layout is known and that still hold something."""
        return [view for view in region.views if view in self.live and view not in self.whole]

    def regions(self, buffer: int) -> list[_Region]:
        """The regions of one buffer, ascending."""
        numbers = [number for number, view in enumerate(self.views) if view["buffer"] == buffer]
        regions: list[_Region] = []
        for number in sorted(numbers, key=self.bounds):
            start, end = self.bounds(number)
            if not regions or start >= regions[-1].end:
                regions.append(_Region(start, end))
            regions[-1].end = max(regions[-1].end, end)
            regions[-1].views.append(number)
        return regions


def _compact_buffer(layout: _Layout, buffer: int, data: Bytes) -> bytes:
    words = -(-len(data) // _WORD)
    dead, inside = _dead_words(layout, buffer, words)
    cut = dead & ~inside
    strides: dict[int, int] = {}
    moves: list[int] = []  # words at which one word is inserted
    for region in layout.regions(buffer):
        first, last = region.start // _WORD, -(-region.end // _WORD)
        if not layout.pinned.isdisjoint(region.views):
            cut[first:last] = False
            # A start within a word needs no such alignment, and its word may be another region's last.
            if region.start % _WORD == 0 and (np.count_nonzero(cut[:first]) - len(moves)) % _EXTENSION_WORDS:
                moves.append(first)
            continue
        stride = _common_stride(layout, region)
        if stride is not None:
            new_stride = _cut_columns(region, stride, cut, dead, inside)
            strides |= dict.fromkeys(layout.living(region), new_stride)
    if cut.all():
        cut[0] = False  # a buffer has at least one byte
    _move(layout, buffer, cut, moves)
    for view, stride in strides.items():
        layout.views[view]["byteStride"] = stride
    return _without(data, cut, moves)


def _dead_words(layout: _Layout, buffer: int, words: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which words are dead, and which lie between the first and last byte of something that lives."""
    freed, live, inside = (np.zeros(words * _WORD, dtype=np.bool_) for _ in range(3))
    for number, view in enumerate(layout.views):
        if view["buffer"] != buffer:
            continue
        start, end = layout.bounds(number)
        if number in layout.whole:
            live[start:end] = inside[start:end] = True
        for span in layout.live.get(number, ()):
            at = start + span.start
            mark(live, at, count=span.count, size=span.size, stride=span.stride)
            inside[at : at + span.length] = True
        if number in layout.dead:
            freed[start:end] = True
        for span in layout.freed.get(number, ()):
            # The last element too has a gap behind it, as far as the view goes.
            freed[start + span.start : min(start + span.start + span.count * span.stride, end)] = True
    dead: NDArray[np.bool_] = np.all((freed & ~live).reshape(-1, _WORD), axis=1)
    between: NDArray[np.bool_] = np.any(inside.reshape(-1, _WORD), axis=1)
    return dead, between


def _common_stride(layout: _Layout, region: _Region) -> int | None:
    """The stride that all live accessors of a region have in common, if its columns can be cut."""
    found = {layout.views[view].get("byteStride") for view in layout.living(region)}
    stride: int | None = found.pop() if len(found) == 1 else None
    return stride if stride is not None and stride % _WORD == 0 else None


def _cut_columns(
    region: _Region, stride: int, cut: NDArray[np.bool_], dead: NDArray[np.bool_], inside: NDArray[np.bool_]
) -> int:
    """Mark the columns that are dead in all rows; return the new stride."""
    period = stride // _WORD
    numbers = np.arange(region.start // _WORD, -(-region.end // _WORD))
    columns = numbers % period
    occupied = inside[numbers] & ~dead[numbers]
    blocked = np.zeros(period, dtype=np.bool_)
    blocked[columns[occupied]] = True
    cut[numbers] |= inside[numbers] & ~blocked[columns]
    return int(np.count_nonzero(blocked)) * _WORD


def _move(layout: _Layout, buffer: int, cut: NDArray[np.bool_], moves: Sequence[int]) -> None:
    """Point every view and accessor of a buffer to where its bytes will be."""
    removed = np.concatenate([[0], np.cumsum(cut, dtype=np.int64)])
    inserted = np.asarray(moves, dtype=np.int64)

    def moved(position: int, *, is_end: bool = False) -> int:
        word, byte = divmod(position, _WORD)
        # A word inserted just where something ends is not part of it.
        before = int(np.searchsorted(inserted, word, side="left" if is_end and not byte else "right"))
        rest = byte if word < len(cut) and not cut[word] else 0
        return (word - int(removed[word]) + before) * _WORD + rest

    for number, view in enumerate(layout.views):
        if view["buffer"] != buffer:
            continue
        start, end = layout.bounds(number)
        for span in layout.live.get(number, ()):
            _set_offset(span.accessor, moved(start + span.start) - moved(start))
        view["byteLength"] = moved(end, is_end=True) - moved(start)
        _set_offset(view, moved(start))


def _set_offset(holder: dict[str, Any], offset: int) -> None:
    if offset or "byteOffset" in holder:
        holder["byteOffset"] = offset


def _without(data: Bytes, cut: NDArray[np.bool_], moves: Sequence[int]) -> bytes:
    whole = np.zeros(len(cut) * _WORD, dtype=np.uint8)
    whole[: len(data)] = np.frombuffer(data, dtype=np.uint8)
    rows = whole.reshape(-1, _WORD)
    kept = np.insert(rows, moves, 0, axis=0) if moves else rows
    keep = np.insert(~cut, moves, True) if moves else ~cut
    result: bytes = kept[keep].tobytes()
    padding = len(whole) - len(data)
    return result if cut[-1] else result[: len(result) - padding]
