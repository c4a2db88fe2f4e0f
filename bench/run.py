"""The benchmark: every row is checked, then timed beside its peers; fails where a floor is not reached twice.

`make bench` runs the sizes of CI in less than a minute, `make bench-full` larger ones with the gain of a second thread,
and stores the table in bench/results. SKINPROOF_ISA chooses the kernels. Needs the library of bench/native, which the
Makefile builds.
"""

from __future__ import annotations

import os

# One thread: peers that would take all processors cannot be timed on one thread's clock. Before NumPy is loaded.
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import datetime
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

import displacement
import publish
import skinning
import sparse
import startup
import weights
from harness import Contender, Outcome, Row, contest
from native import Native

from skinproof._native import INSTRUCTION_SET

TOPICS = (displacement, skinning, weights, sparse, publish, startup)
"""What is measured: modules with rows(native, instruction_set, full=...), which yields rows of the table."""

RESULTS = Path(__file__).parent / "results"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="larger sizes, and store the table in bench/results")
    parser.add_argument("--rounds", type=int, default=15, help="slices of each contender per row")
    options = parser.parse_args(arguments)
    native = Native(INSTRUCTION_SET)
    machine = native.machine()
    lines = [f"{processor()}, kernels {INSTRUCTION_SET}, Python {platform.python_version()}"]
    lines += [f"{name}: {speed(one):.1f} per ns" for name, one in machine.items()]
    print("\n".join(lines), flush=True)
    failures: list[str] = []
    for row in all_rows(native, full=options.full):
        outcome = contest(row, machine, rounds=options.rounds)
        if outcome.failures(INSTRUCTION_SET):
            print("below a floor, once more:", flush=True)
            outcome = contest(row, machine, rounds=2 * options.rounds, seed=1)
        failures += outcome.failures(INSTRUCTION_SET)
        lines.append(shown(outcome))
        print(lines[-1], flush=True)
    if options.full:
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{datetime.date.today().isoformat()}-{INSTRUCTION_SET}.txt"
        path.write_text("\n".join(lines) + "\n")
        print(f"written: {path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path}")
    for failure in failures:
        print(f"bench: BELOW THE FLOOR: {failure}")
    print(f"bench: {'FAILED' if failures else 'every floor held'}")
    return 1 if failures else 0


def all_rows(native: Native, *, full: bool) -> Iterator[Row]:
    for topic in TOPICS:
        yield from topic.rows(native, INSTRUCTION_SET, full=full)


def speed(one: Contender) -> float:
    """Units per ns, the best of a few calls."""
    import time

    best = float("inf")
    for _ in range(5):
        start = time.thread_time_ns()
        one.run()
        best = min(best, time.thread_time_ns() - start)
    return one.units / best


def shown(outcome: Outcome) -> str:
    row = outcome.row
    ours = row.ours.name
    share = "" if row.bound is None else f", {outcome.share:.0%} of {row.bound[0]}"
    lines = [
        f"\n{row.title}",
        f"    {ours:42} {outcome.ns[ours]:9.2f} ns per {row.unit}{share}",
    ]
    for peer in row.peers:
        floor = row.floors.get(peer.name, {}).get(INSTRUCTION_SET)
        held = "" if floor is None else f"  (floor {floor:.3g})"
        lines.append(f"    {peer.name:42} {outcome.ns[peer.name]:9.2f}   {outcome.ratio(peer.name):7.2f} ×{held}")
    return "\n".join(lines)


def processor() -> str:
    """The processor's name as the system has it."""
    try:
        listed = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.machine()
    return next(
        (line.partition(":")[2].strip() for line in listed if line.startswith("model name")), platform.machine()
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
