"""Run stress.cpp: threads, threads under ThreadSanitizer, and processes that are killed; then with faults seeded.

Usage: python verify/stress.py [--long] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CORE = HERE.parent / "cpp"
SOURCES = ["backing", "bounds", "candidate", "copy_finite", "files", "fork_guard", "owner"]
PROTOCOL = "publish/protocol.hpp"
RECHECK = """if ((generation & SKINPROOF_WRITING) == 0 &&
            static_cast<std::uint32_t>(generation) == SKINPROOF_ACT_GENERATION(act))"""
EXCHANGE = """return atomic(segment.act())
        .compare_exchange_strong(act, pack(sequence, generation, slot), order::exchange, order::exchange_failed);"""
NO_RECHECK = (PROTOCOL, RECHECK, "")
PIN = "order pin = SKINPROOF_MEMORY_ORDER"
NO_STORE_LOAD = ("publish/orders.hpp", f"{PIN}(seq_cst)", f"{PIN}(release)")
CHECK_THEN_STORE = (
    PROTOCOL,
    EXCHANGE,
    "atomic(segment.act()).store(pack(sequence, generation, slot), order::exchange_failed == std::memory_order_acquire"
    " ? std::memory_order_seq_cst : std::memory_order_release);\n    return true;",
)
TSAN = ["clang++-19", "-std=c++20", "-O1", "-g", "-w", "-pthread", "-fsanitize=thread"]
PLAIN = ["g++", "-std=c++20", "-O2", "-w", "-pthread"]
SMALL = ["2", "2"]  # two joints and two slots: a slot comes round within the time of a draw
USUAL = ["64", "3"]
LEAST_READS, LEAST_KILLS = 10**9, 20_000
"""What the long form goes on until it has; its layers' seconds are only there to end a run that stalls."""
HOURS = 3 * 3600


def build(scratch: Path, compiler: list[str], edit: tuple[str, str, str] | None) -> Path:
    """Compile the stress program, with one edit of the core."""
    core = scratch / "core"
    shutil.rmtree(core, ignore_errors=True)
    shutil.copytree(CORE / "publish", core / "publish")
    if edit is not None:
        file, find, replace = edit
        text = (core / file).read_text()
        if text.count(find) != 1:
            sys.exit(f"{file}: the text to change occurs {text.count(find)} times, not once")
        (core / file).write_text(text.replace(find, replace))
    sources = [str(core / "publish" / f"{name}.cpp") for name in SOURCES]
    program = scratch / "stress"
    folders = [f"-I{core}", f"-I{CORE / 'tests' / 'publish'}"]
    command = [*compiler, *folders, str(HERE / "stress.cpp"), *sources, "-o", str(program)]
    subprocess.run(command, check=True, timeout=300)
    return program


def run(program: Path, mode: str, seconds: float, count: int, *sizes: str) -> tuple[bool, dict[str, float], str]:
    """Run it to `count` reads or kills (0: for `seconds`); whether it held, its figures, and all that it said."""
    command = [str(program), mode, str(seconds), str(count), *sizes]
    environment = {**os.environ, "TSAN_OPTIONS": "halt_on_error=1"}  # the first race ends the run
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 120, check=False, env=environment)
    words = done.stdout.split()
    figures = {name: float(value) for name, _, value in (word.partition("=") for word in words) if value}
    return done.returncode == 0, figures, done.stdout + done.stderr


def main() -> int:
    """Run every layer and every fault."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    long = options.long
    layers = {
        "threads": (PLAIN, "threads", 120 if long else 4, 0, USUAL),
        "threads, two slots": (PLAIN, "threads", HOURS if long else 4, LEAST_READS if long else 0, SMALL),
        "ThreadSanitizer": (TSAN, "threads", 120 if long else 5, 0, USUAL),
        "kill": (PLAIN, "kill", HOURS if long else 6, LEAST_KILLS if long else 0, []),
    }
    # How long to look at most: each is found within seconds, and its run ends there. A loaded machine takes longer.
    patience = 600 if long else 120
    faults = {
        "no StoreLoad after the pin": (PLAIN, NO_STORE_LOAD, "threads", patience, SMALL),
        "no second look at the generation": (PLAIN, NO_RECHECK, "threads", patience, SMALL),
        "compare, then store": (PLAIN, CHECK_THEN_STORE, "threads", patience, SMALL),
        # To the end: the checksums find it at once, but it is the sanitizer that has to. It takes seconds, and
        # up to half a minute on a loaded machine.
        "no second look, ThreadSanitizer": (TSAN, NO_RECHECK, "races", patience, SMALL),
        "no second look, killed processes": (PLAIN, NO_RECHECK, "kill", patience, []),
    }
    results: dict[str, dict[str, float]] = {}
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        built: list[str] | None = None
        for name, (compiler, mode, seconds, count, sizes) in layers.items():
            if compiler is not built:
                program, built = build(scratch, compiler, None), compiler
            held, figures, output = run(program, mode, seconds, count, *sizes)
            results[name] = figures
            print(f"{'held   ' if held else 'FAILED '} {name}: {output.strip()[-2000:]}", flush=True)
            failed += [] if held else [name]
        for name, (compiler, edit, mode, seconds, sizes) in faults.items():
            program = build(scratch, compiler, edit)
            held, _, output = run(program, mode, seconds, 0, *sizes)
            if compiler is TSAN:
                held = "ThreadSanitizer: data race" not in output
            shown = "data race reported" if "ThreadSanitizer: data race" in output else output.strip()[-300:]
            print(f"{'SURVIVED' if held else 'killed  '} {name}: {shown}", flush=True)
            failed += [name] if held else []
    if options.json:
        options.json.write_text(json.dumps({"layers": results, "faults": len(faults), "failed": failed}))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
