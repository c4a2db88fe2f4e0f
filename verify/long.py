"""Run the long form of every proof and write its figures, with date and machine, into docs/verification.md."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from stress import LEAST_KILLS, LEAST_READS

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "docs" / "verification.md"


def processor() -> str:
    """The processor's name as the kernel gives it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def commit() -> str:
    """The commit that is verified, and whether there is more in the tree than it has."""
    git = ["git", "-C", str(HERE.parent)]
    name = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False).stdout
    changed = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=False).stdout
    return (name.strip() or "unknown") + (" with changes" if changed else "")


def verdict(reads: int, kills: int) -> str:
    """Say whether the run was as long as it has to be."""
    asked = f"Asked for are at least {LEAST_READS:,} verified reads and {LEAST_KILLS:,} kills: "
    return asked + ("met." if reads >= LEAST_READS and kills >= LEAST_KILLS else "**not met by this run**.")


def run(name: str, scratch: Path) -> dict:
    """Run one long proof; its figures."""
    figures = scratch / f"{name}.json"
    subprocess.run([sys.executable, HERE / f"{name}.py", "--long", "--json", figures], check=True)
    return json.loads(figures.read_text())


def main() -> int:
    """Run all, write the report, fail below the least numbers."""
    verified = commit()
    # Side by side: the models are one thread each, and a busy machine is no harm to the stress.
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        spin, relacy, stress = pool.map(lambda name: run(name, Path(folder)), ("spin", "relacy", "stress"))
    layers = stress["layers"]
    reads = int(sum(layer["reads"] for layer in layers.values()))
    kills = int(layers["kill"]["kills"])
    torn = int(sum(layer["torn"] + layer["backwards"] + layer["stale"] for layer in layers.values()))
    rows = [
        ("interleavings and crashes", "spin", f"{spin['states']:,} states, {spin['errors']} errors", spin["faults"]),
        ("C++ memory model", "Relacy", f"{relacy['executions']:,} executions, 0 errors", relacy["faults"]),
        ("data races", "ThreadSanitizer", f"{int(layers['ThreadSanitizer']['reads']):,} reads, 0 reports", 1),
        ("threads", "stress threads", " + ".join(f"{int(layers[n]['reads']):,}" for n in layers if "threads" in n), 3),
        ("killed processes", "stress kill", f"{kills:,} kills, {int(layers['kill']['reads']):,} reads", 1),
    ]
    kill = layers["kill"]
    text = [
        "# What the publisher was verified with",
        "",
        f"Written by `make verify-long` on {datetime.now(UTC):%Y-%m-%d}, {processor()}, {os.cpu_count()} processors, "
        f"Linux {platform.release()}, on commit {verified}. How each layer works is in [publishing.md](publishing.md).",
        "",
        "| what | tool | done | faults planted, all found |",
        "| --- | --- | --- | --- |",
        *(f"| {what} | {tool} | {done} | {faults} |" for what, tool, done, faults in rows),
        "",
        f"In all {reads:,} verified reads: {torn} torn, stale or going back. "
        f"{kills:,} processes killed with SIGKILL: {int(kill['stalls'])} stalls, {int(kill['rows_reaped'])} dead rows "
        f"reaped with {int(kill['pins_cleared'])} pins that they had leaked, {int(kill['slots_recovered'])} slots "
        "recovered that were half written.",
        "",
        verdict(reads, kills),
        "",
    ]
    REPORT.write_text("\n".join(text))
    print(f"wrote {REPORT}")
    return 0 if reads >= LEAST_READS and kills >= LEAST_KILLS and torn == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
