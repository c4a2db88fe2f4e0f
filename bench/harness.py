"""Contenders side by side: short slices of each in shuffled order, on the thread's own processor time.

Another process on the machine slows whichever slice it meets. Slices of about a millisecond, in another order each
round, spread that over all contenders; the 20th percentile leaves out the slices that were hit. Ratios of one run
repeat to a few percent on a machine that is busy; times do not.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

SLICE_SECONDS = 0.8e-3
PERCENTILE = 20
SLOW_SECONDS = 0.05
"""A contender that takes longer brings its caches into their state by itself, and few slices show its time: no other
process can hit or spare a large part of one."""
SLOW_SLICES = 5


@dataclass(frozen=True)
class Contender:
    """Something that does `units` of work per call, and says what it found."""

    name: str
    run: Callable[[], object]
    units: float
    clock: Callable[[], int] = time.thread_time_ns
    """Processor time so far, in ns: of this thread, or of what runs elsewhere on its behalf."""


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        title: what is done, with its size.
        unit: of the work.
        ours: the contender that the others are compared with.
        peers: the others.
        check: raises if what a contender returned is wrong; called with its name and its result.
        bound: what no kernel can beat, by the name of a measure of the machine, with how much of it a unit needs; None
            where nothing of the kind is known.
        floors: peer → instruction set → least ratio.
        share_floors: instruction set → least share of the bound.
    """

    title: str
    unit: str
    ours: Contender
    peers: Sequence[Contender]
    check: Callable[[str, object], None]
    bound: tuple[str, float] | None
    floors: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    share_floors: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """What a row came to: ns per unit of each contender, and the share of the bound that ours reached (0 without)."""

    row: Row
    ns: Mapping[str, float]
    share: float

    def ratio(self, peer: str) -> float:
        """How many times as long as ours the peer takes."""
        return self.ns[peer] / self.ns[self.row.ours.name]

    def failures(self, instruction_set: str) -> list[str]:
        """Floors that were not reached."""
        found = []
        for peer, floors in self.row.floors.items():
            least = floors.get(instruction_set)
            if least is not None and self.ratio(peer) < least:
                found.append(f"{self.row.title}: {self.ratio(peer):.2f} times {peer}, the floor is {least}")
        least = self.row.share_floors.get(instruction_set)
        if least is not None and self.row.bound is not None and self.share < least:
            found.append(f"{self.row.title}: {self.share:.0%} of {self.row.bound[0]}, the floor is {least:.0%}")
        return found


def contest(row: Row, machine: Mapping[str, Contender], *, rounds: int, seed: int = 0) -> Outcome:
    """Check every contender's result, then time them all, and the machine's own measure with them.

    Args:
        row: what to compare.
        machine: measures of the machine by name: contenders whose unit is that of `Row.bound`.
        rounds: slices of each contender.
        seed: of the order.
    """
    contenders = [row.ours, *row.peers]
    for one in contenders:
        row.check(one.name, one.run())
    if row.bound is not None:
        contenders.append(machine[row.bound[0]])
    once = [min(_seconds(one, 1) for _ in range(2)) for one in contenders]
    slices = np.full((len(contenders), rounds), np.nan)
    generator = np.random.default_rng(seed)
    for turn in range(rounds):
        for index in generator.permutation(len(contenders)):
            slow = once[index] > SLOW_SECONDS
            if slow and turn >= SLOW_SLICES:
                continue
            repeats = max(1, round(SLICE_SECONDS / max(once[index], 1e-7)))
            slices[index, turn] = _seconds(contenders[index], repeats, warm=slow) / contenders[index].units
    times = np.nanpercentile(slices, PERCENTILE, axis=1) * 1e9
    ns = {one.name: float(value) for one, value in zip(contenders, times, strict=True)}
    share = 0.0 if row.bound is None else ns[row.bound[0]] * row.bound[1] / ns[row.ours.name]
    return Outcome(row, ns, share)


def _seconds(one: Contender, repeats: int, *, warm: bool = False) -> float:
    """Processor seconds per call, after a call that brings the caches and the processor's clock into their state.

    Not if they are `warm`, or the work is done elsewhere.
    """
    if one.clock is time.thread_time_ns and not warm:
        one.run()
    start = one.clock()
    for _ in range(repeats):
        one.run()
    return (one.clock() - start) * 1e-9 / repeats
