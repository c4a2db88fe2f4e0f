"""From Python: publish a palette of 64 joints, against the NumPy way (isfinite, lock, copy), in the same run.

Thread CPU time, shuffled slices, the 20th percentile of each. Exits with 1 below the floor.
Usage: python bench/publish.py [ROUNDS]
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from skinproof.publish import PaletteOwner, Topology

JOINTS, CALLS = 64, 2000


def main(rounds: int) -> int:
    """Measure and print; 1 below the floor."""
    palette = np.tile(np.eye(4, dtype=np.float32), (JOINTS, 1, 1))
    owner = PaletteOwner(palette, Topology(tuple(map(str, range(JOINTS))), palette), cells=2)
    source, target, lock = owner.source(palette), np.empty_like(palette), threading.Lock()

    def numpy_way() -> None:
        if np.isfinite(palette).all():
            with lock:
                np.copyto(target, palette)

    def acquire() -> None:
        owner.acquire().close()

    works: dict[str, Callable[[], object]] = {
        "NumPy: isfinite, lock, copy": numpy_way,
        "source.publish(revision)": lambda: source.publish(0),
        "owner.publish(revision, palette)": lambda: owner.publish(0, palette),
        "acquire and close": acquire,
    }
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in random.sample(list(works.items()), len(works)):
            start = time.thread_time_ns()
            for _ in range(CALLS):
                work()
            times[name].append((time.thread_time_ns() - start) / CALLS)
    ns = {name: sorted(values)[len(values) // 5] for name, values in times.items()}
    ratio = ns["NumPy: isfinite, lock, copy"] / ns["source.publish(revision)"]
    floor = 12 if "avx512f" in Path("/proc/cpuinfo").read_text() else 10
    for name, value in ns.items():
        print(f"{name:34} {value:7.0f} ns")
    print(f"source.publish is {ratio:.1f}x the NumPy way, floor {floor}x")
    return 0 if source.publish(0) and ratio >= floor else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
