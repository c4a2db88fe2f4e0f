"""Where the time of a whole command goes: `python bench/whole.py FILE …`, or without files a large made character.

Runs `skinproof limit -k 4` with measuring by both methods, in this process under Python's profiler, and prints the
processor time of each part; then each once more in a process of its own for its time and its largest memory. Fails if
that is 1 GB or more, or if the exact method takes more than three times as long as keep-the-largest on a named file.
docs/performance.md has the tables of one machine.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

import skinproof as sp
from skinproof.cli import main as command
from skinproof.demo import make_character
from skinproof.model import Character, Influences

VERTICES, POSES = 100_000, 1_000
MOST_MEMORY = 1 << 30
MOST_TIMES = 3.0
RUNS = 3

PARTS = {
    "reading, of the source and of the result": "formats/gltf/read.py:read",
    "limiting and packing": "limiting/limit.py:limit",
    "… of it accumulating poses": "limiting/gram.py:add_poses",
    "… of it costs, solving and packing": "limiting/_batch.py:solve",
    "… of it the guard": "limiting/exact.py:_guard",
    "trials on parts of the clips": "limiting/check_fit.py:check_fit",
    "writing": "formats/gltf/write.py:stage",
    "measuring": "measuring/displacement.py:measure",
    "… of it posing the joints": "poses/world.py:clip_worlds",
    "… of it palettes": "poses/palettes.py:palettes",
    "… of it planning": "skinning/displacement_plan.py:__init__",
    "… of it displacement and bound": "skinning/displacement_plan.py:add",
    "sums and extents": "measuring/survey.py:survey",
    "printing": "cli/_output.py:delivered",
}
"""What is printed, and the function whose time it is."""

METHODS = ("largest", "exact")
START = "import sys; from skinproof.cli import main; sys.exit(main(sys.argv[1:]))"


def main(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(name) for name in arguments] or [_large(Path(folder))]
        failed = False
        for path in files:
            out = Path(folder) / "out.glb"
            for method in METHODS:
                _profile(path, out, method)
            failed |= not _fits(path, out, compare=bool(arguments))
    return int(failed)


def _large(folder: Path) -> Path:
    """The demo character with every vertex some ten times over, 8 influences each, in clips of some 1,000 poses."""
    character = make_character()
    primitive = character.primitives[0]
    times = -(-VERTICES // len(primitive.positions))
    generator = np.random.default_rng(718)
    joints = np.tile(primitive.influences.joints, (times, 1))[:VERTICES]
    others = np.argsort(generator.random((VERTICES, 28)), axis=1)[:, :8].astype(np.uint16)
    weights = generator.random((VERTICES, 8)).astype(np.float32) * 0.05
    used = np.tile(primitive.influences.weights, (times, 1))[:VERTICES]
    joints = np.where(used > 0, joints, others)
    for vertex_slot in range(1, 8):  # a joint that is there already gives its place up
        again = (joints[:, :vertex_slot] == joints[:, vertex_slot, None]).any(axis=1)
        weights[again & (used[:, vertex_slot] == 0), vertex_slot] = 0
    weights = np.where(used > 0, used, weights)
    weights /= weights.sum(axis=1, keepdims=True)
    positions = np.tile(primitive.positions, (times, 1))[:VERTICES]
    positions += generator.normal(scale=1e-3, size=positions.shape).astype(np.float32)
    large = replace(
        primitive,
        positions=positions,
        normals=None if primitive.normals is None else np.tile(primitive.normals, (times, 1))[:VERTICES].copy(),
        influences=Influences(np.ascontiguousarray(joints), weights, primitive.influences.set_formats),
    )
    clips = tuple(
        replace(clip, channels=tuple(replace(channel, times=channel.times * stretch) for channel in clip.channels))
        for clip, stretch in zip(character.clips, _stretches(character), strict=True)
    )
    path = folder / "large.glb"
    sp.write(replace(character, primitives=(large,), clips=clips), path)
    return path


def _stretches(character: Character) -> list[float]:
    """How much slower each clip goes so that all have some 1,000 poses at 30 per second together."""
    lengths = [clip.duration for clip in character.clips]
    return [POSES / 30 / sum(lengths)] * len(lengths)


def _fits(path: Path, out: Path, *, compare: bool) -> bool:
    """Whether each method stays within its memory, and, if they are compared, the exact one within its time."""
    seconds, memory = {}, {}
    for method in METHODS:
        command = [sys.executable, "-c", START, *_arguments(path, out, method)]
        runs = [_child(command) for _ in range(RUNS if compare else 1)]
        seconds[method], memory[method] = min(run[0] for run in runs), max(run[1] for run in runs)
        print(f"{method}: processor {seconds[method]:.2f} s, largest memory {memory[method] / (1 << 20):.0f} MB")
    times = seconds["exact"] / seconds["largest"]
    print(f"exact takes {times:.2f} times as long as largest")
    return max(memory.values()) < MOST_MEMORY and (not compare or times <= MOST_TIMES)


def _child(command: list[str]) -> tuple[float, int]:
    """Run a command: its processor time in seconds, and its largest memory in bytes."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise SystemExit(f"skinproof limit ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def _arguments(path: Path, out: Path, method: str) -> list[str]:
    return ["limit", str(path), "-o", str(out), "-k", "4", "--force", "--quiet", "--method", method]


def _profile(path: Path, out: Path, method: str) -> None:
    vertices = sum(len(one.positions) for one in sp.read(path).primitives)
    profile = cProfile.Profile(time.process_time)  # others may be at work here, too
    start, processor = time.perf_counter(), time.process_time()
    profile.enable()
    code = command(_arguments(path, out, method))
    profile.disable()
    wall, processor = time.perf_counter() - start, time.process_time() - processor
    if code != 0:
        raise SystemExit(f"skinproof limit ended with {code}")
    print(f"\n{path.name}, {method}: {vertices:,} vertices, wall {wall:.2f} s, processor {processor:.2f} s\n")
    seconds = {
        f"{Path(file).parent.as_posix().rpartition('skinproof/')[2]}/{Path(file).name}:{name}": row[3]
        for (file, _, name), row in pstats.Stats(profile).stats.items()
    }
    print("| part | ms |\n| --- | --- |")
    for part, function in PARTS.items():
        if function in seconds:
            print(f"| {part} | {seconds[function] * 1e3:.0f} |")
    print()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
