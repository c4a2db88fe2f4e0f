"""Publishing: what a commit, a pin and a call from Python cost, beside memcpy, an atomic exchange and NumPy."""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from enum import IntEnum
from itertools import repeat

import numpy as np
from harness import Contender, Row
from native import LIBRARY, Native

from skinproof.publish import PaletteOwner, Topology

COPY, MEMCPY = "copy and finite check", "memcpy"
NUMPY = "NumPy: isfinite, lock, copy"
COPY_FLOORS = {MEMCPY: {"x86-64-v4": 0.75, "x86-64-v3": 0.5}}
"""0.9 and 0.6 are asked, and reached where nobody else works on the core: 1.0 to 1.1 times. A neighbour on the other
thread of the core takes 64 joints down to 0.85, and the floor must tell that from a kernel that has become slow."""
PYTHON_FLOORS = {NUMPY: {"x86-64-v4": 12.0, "x86-64-v3": 10.0}}
MOST_EXCHANGES = 4.0
"""Uncontended atomic exchanges that acquire and release may take together."""
MOST_GROWTH = 1.5
"""Times as long that a commit may take with a million others behind it."""
JOINTS, CELLS, PAST, ROWS = 64, 4, 1_000_000, (1, 16, 64)


class Step(IntEnum):
    """What `Stage.take` does; as in native/publish.cpp."""

    MEMCPY = 0
    COPY_FINITE = 1
    COMMIT = 2
    PIN = 3
    ACQUIRE = 4
    EXCHANGE = 5


class Stage:
    """An owner in memory whose steps are taken many at a time, in the library."""

    def __init__(self, instruction_set: str, joints: int = JOINTS, rows: int = 1) -> None:
        self._library = ctypes.CDLL(str(LIBRARY))
        self._library.skinproof_bench_stage.restype = ctypes.c_void_p
        make = self._library.skinproof_bench_stage
        self._stage = ctypes.c_void_p(make(joints, rows, CELLS, instruction_set.encode()))
        self.joints = joints

    def __del__(self) -> None:
        self._library.skinproof_bench_unstage(self._stage)

    def take(self, step: Step, times: int) -> int:
        """Take a step; return how many times it did what it should."""
        return self._library.skinproof_bench_step(self._stage, int(step), times)

    def whole_slots(self) -> int:
        """How many slots hold the palette that is published; they are wiped."""
        return self._library.skinproof_bench_whole_slots(self._stage)

    def contender(self, name: str, step: Step) -> Contender:
        """A step as a contender, in slices long enough to call the library for."""
        copies = step in (Step.MEMCPY, Step.COPY_FINITE, Step.COMMIT)
        times = 200_000 // self.joints if copies else 10_000
        return Contender(name, lambda: (self, step, times, self.take(step, times)), times)


def check(name: str, found: object) -> None:
    """Every step succeeded, and those that copy have filled the slots they go round."""
    assert isinstance(found, tuple), name
    stage, step, times, done = found
    assert done == times, name
    if step in (Step.MEMCPY, Step.COPY_FINITE, Step.COMMIT):
        assert stage.whole_slots() > CELLS, name


def rows(native: Native, instruction_set: str, *, full: bool) -> Iterator[Row]:
    """The rows of the table."""
    yield from copies(instruction_set)
    yield growth(instruction_set)
    yield from pins(instruction_set)
    yield python(instruction_set)


def copies(instruction_set: str) -> Iterator[Row]:
    """The copy by itself and within a commit, for palettes of three sizes."""
    for joints in (JOINTS, 256, 1024):
        stage = Stage(instruction_set, joints)
        yield Row(
            title=f"publishing {joints} joints",
            unit="palette",
            ours=stage.contender(COPY, Step.COPY_FINITE),
            peers=[stage.contender(MEMCPY, Step.MEMCPY), stage.contender("begin and commit", Step.COMMIT)],
            check=check,
            bound=None,
            floors=COPY_FLOORS,
        )


def growth(instruction_set: str) -> Row:
    """A commit with many others behind it, and with many processes attached."""
    fresh, old = Stage(instruction_set), Stage(instruction_set)
    assert old.take(Step.COMMIT, PAST) == PAST
    new = "begin and commit, none before"
    attached = {count: Stage(instruction_set, rows=count) for count in ROWS}
    many = [stage.contender(f"with {count} rows registered", Step.COMMIT) for count, stage in attached.items()]
    return Row(
        title=f"publishing {JOINTS} joints, {PAST:,} commits before",
        unit="palette",
        ours=old.contender("begin and commit", Step.COMMIT),
        peers=[fresh.contender(new, Step.COMMIT), *many],
        check=check,
        bound=None,
        floors={new: {instruction_set: 1 / MOST_GROWTH}},
    )


def pins(instruction_set: str) -> Iterator[Row]:
    """Acquire and release, with one process attached and with many."""
    exchange = "atomic exchange"
    for count in ROWS:
        stage = Stage(instruction_set, rows=count)
        yield Row(
            title=f"a snapshot, rows registered: {count}",
            unit="snapshot",
            ours=stage.contender("acquire and release", Step.ACQUIRE),
            peers=[
                stage.contender(exchange, Step.EXCHANGE),
                stage.contender("its pin alone", Step.PIN),
            ],
            check=check,
            bound=None,
            floors={exchange: {instruction_set: 1 / MOST_EXCHANGES}},
        )


def python(instruction_set: str) -> Row:
    """From Python, as one would do it without the package."""
    generator = np.random.default_rng(5)
    palette = generator.normal(size=(JOINTS, 4, 4)).astype(np.float32)
    start = np.zeros_like(palette)
    owner = PaletteOwner(start, Topology(tuple(map(str, range(JOINTS))), start), cells=CELLS)
    source, target, lock = owner.source(palette), np.empty_like(palette), threading.Lock()
    calls = 1_000

    def ours() -> object:
        for _ in repeat(None, calls):
            source.publish(0)
        return published()

    def array() -> object:
        for _ in repeat(None, calls):
            owner.publish(0, palette)
        return published()

    def numpy_way() -> object:
        for _ in repeat(None, calls):
            if np.isfinite(palette).all():
                with lock:
                    np.copyto(target, palette)
        return target

    def acquire() -> object:
        for _ in repeat(None, calls):
            owner.acquire().close()
        return published()

    def published() -> np.ndarray:
        with owner.acquire() as snapshot:
            return np.array(snapshot.palette)

    def check(name: str, found: object) -> None:
        assert isinstance(found, np.ndarray)
        np.testing.assert_array_equal(found, palette, err_msg=name)

    return Row(
        title=f"publishing {JOINTS} joints from Python",
        unit="call",
        ours=Contender("source.publish(revision)", ours, calls),
        peers=[
            Contender(NUMPY, numpy_way, calls),
            Contender("owner.publish(revision, palette)", array, calls),
            Contender("owner.acquire() and close", acquire, calls),
        ],
        check=check,
        bound=None,
        floors=PYTHON_FLOORS,
    )
