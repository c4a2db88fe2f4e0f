"""Check publish.pml exhaustively with spin, then plant each of its faults and see it found.

Usage: python verify/spin.py [--long] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODEL = Path(__file__).resolve().parent / "publish.pml"
FAULTS = {
    "NO_RECHECK": "a reader does not look at the generation again after its pin",
    "WRITING_MASKED": "a reader compares the generation without the WRITING bit",
    "SCAN_FIRST": "the owner looks for pins before it marks the slot",
    "TWO_OWNERS": "two owners write at once",
    "REAP_THE_LIVING": "the row of a living reader is cleared",
    "TRUST_WRITING": "a new owner takes a half-written slot for a whole one",
    "CHECK_THEN_STORE": "the revision is compared first and published by a plain store after",
}
SHORT = {"COMMITS": 2, "REQUESTS": 1, "ACQUIRES": 2}
LONG = {"COMMITS": 3, "REQUESTS": 2, "ACQUIRES": 2}
MEGABYTES = {False: 3000, True: 6000}
SECONDS = {False: 150, True: 7200}


def check(sizes: dict[str, int], fault: str | None, *, long: bool) -> tuple[int, int]:
    """Return the number of errors found and of states stored."""
    with tempfile.TemporaryDirectory() as scratch:
        defines = [f"-D{name}={value}" for name, value in sizes.items()] + ([f"-DFAULT_{fault}"] if fault else [])
        subprocess.run(["spin", *defines, "-a", str(MODEL)], cwd=scratch, check=True, capture_output=True)
        flags = ["-O2", "-w", "-DSAFETY", "-DCOLLAPSE", f"-DMEMLIM={MEGABYTES[long]}"]
        subprocess.run(["gcc", *flags, "-o", "pan", "pan.c"], cwd=scratch, check=True)
        limit = SECONDS[long]
        done = subprocess.run(
            ["./pan", "-m1000000"], cwd=scratch, check=True, capture_output=True, text=True, timeout=limit
        )
    errors = re.search(r"errors: (\d+)", done.stdout)
    states = re.search(r"(\d+) states, stored", done.stdout)
    if (
        errors is None
        or states is None
        or "out of memory" in done.stdout
        or "max search depth too small" in done.stdout
    ):
        sys.exit(f"spin did not finish:\n{done.stdout}{done.stderr}")
    return int(errors[1]), int(states[1])


def main() -> int:
    """Check the model and every fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    sizes = LONG if options.long else SHORT
    started = time.monotonic()
    errors, states = check(sizes, None, long=options.long)
    seconds = time.monotonic() - started
    print(f"spin: {states:,} states, {errors} errors, {seconds:.0f} s with {sizes}", flush=True)
    survived = []
    for fault, words in FAULTS.items():
        found, faulty_states = check(SHORT, fault, long=options.long)
        print(f"{'killed  ' if found else 'SURVIVED'} {fault} after {faulty_states:,} states: {words}", flush=True)
        survived += [] if found else [fault]
    if options.json:
        figures = {"states": states, "errors": errors, "sizes": sizes, "faults": len(FAULTS), "survived": survived}
        options.json.write_text(json.dumps(figures))
    return 1 if errors or survived or not states else 0


if __name__ == "__main__":
    sys.exit(main())
