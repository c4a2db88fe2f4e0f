"""Run relacy.cpp with the memory orders of the core, then with each order weakened, which must be found.

Usage: python verify/relacy.py [--long] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ORDERS = HERE.parent / "cpp" / "publish" / "orders.hpp"
# Faults: orders to weaken, or a step to leave out. Not here, because nothing can catch them alone: `look`, `seal` and
# `exchange` carry the same order of the payload to a reader, so any one of them may be weak if the others are not. They
# are kept so that each step says what it needs; "relaxed commit" weakens them together.
FAULTS: dict[str, dict[str, str] | str] = {
    "pin stored with release": {"pin": "release"},
    "generation checked again with acquire": {"recheck": "acquire"},
    "slot marked with release": {"mark": "release"},
    "pins scanned with acquire": {"scan": "acquire"},
    "pins scanned relaxed": {"scan": "relaxed"},
    "relaxed unpin": {"unpin": "relaxed"},
    "relaxed commit": {"seal": "relaxed", "exchange": "relaxed"},
    "no second look at the generation": "NO_RECHECK",
    "a pin moves to another cell": "PIN_MOVES",
}
SHORT, LONG, FAULT = 100_000, 5_000_000, 1_000_000
# Two slots and no requests: weak orders show within a hundred executions, with three slots after millions. The sound
# model is run both ways.
SMALL = ["-DSLOTS=2", "-DWITHOUT_REQUESTS"]


def run(orders: dict[str, str], defines: list[str], count: int, seconds: float) -> tuple[bool, int]:
    """Build with orders weakened or a step left out; return whether the model held, and the executions."""
    with tempfile.TemporaryDirectory() as scratch:
        text = ORDERS.read_text()
        for name, order in orders.items():
            text, changed = re.subn(rf"(order {name} = SKINPROOF_MEMORY_ORDER)\(\w+\)", rf"\1({order})", text)
            if changed != 1:
                sys.exit(f"orders.hpp has {changed} orders called {name}")
        folder = Path(scratch) / "publish"
        folder.mkdir()
        (folder / "orders.hpp").write_text(text)
        program = Path(scratch) / "relacy"
        flags = ["-std=c++98", "-O2", "-w", f"-I{scratch}", *defines]
        subprocess.run(["g++", *flags, str(HERE / "relacy.cpp"), "-o", str(program)], check=True)
        command = [str(program), str(count)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    executions = re.search(r"^iterations?: (\d+)", done.stdout, re.MULTILINE)
    if executions is None:
        sys.exit(f"relacy did not finish:\n{done.stdout}{done.stderr}")
    return done.returncode == 0, int(executions[1])


def main() -> int:
    """Check the model and every fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    count = LONG if options.long else SHORT
    seconds = 7200 if options.long else 120  # only there to end a run that stalls
    results = [run({}, defines, count, seconds) for defines in ([], SMALL)]
    held, executions = all(result[0] for result in results), sum(result[1] for result in results)
    print(f"relacy: {executions:,} executions, {'0 errors' if held else 'ERRORS'}", flush=True)
    survived = []
    for name, fault in FAULTS.items():
        orders, step = ({}, [f"-DFAULT_{fault}"]) if isinstance(fault, str) else (fault, [])
        fault_held, at = run(orders, [*SMALL, *step], FAULT, seconds)
        print(f"{'SURVIVED' if fault_held else 'killed  '} {name} (execution {at:,})", flush=True)
        survived += [name] if fault_held else []
    if options.json:
        figures = {"executions": executions, "held": held, "faults": len(FAULTS), "survived": survived}
        options.json.write_text(json.dumps(figures))
    return 0 if held and executions == 2 * count and not survived else 1


if __name__ == "__main__":
    sys.exit(main())
