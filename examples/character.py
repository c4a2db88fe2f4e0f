"""Limit a character file, measure what that costs, and write the result.

    python examples/character.py hero.glb out.glb

Without arguments it uses the character that skinproof makes in code, and writes nothing.
"""

from __future__ import annotations

import sys

import skinproof as sp
from skinproof.demo import make_character


def main(source: str | None = None, target: str | None = None) -> None:
    character = sp.read(source) if source else make_character()
    limited = sp.limit(character, max_influences=4)
    measurement = sp.measure(character, limited)

    summary, worst = measurement.summary, measurement.worst
    print(f"{character.name}: {summary.vertices} vertices measured in {measurement.poses} poses")
    print(f"maximum {summary.max * 1000:.2f} mm, {measurement.relative(summary.max):.3%} of the diagonal")
    print(f"RMS     {summary.rms * 1000:.2f} mm")
    if worst is not None:
        at = f"pose {worst.pose}" if worst.time is None else f"{worst.time:.3f} s"
        print(f"worst   vertex {worst.vertex} of {worst.name}, in {worst.clip} at {at}")
    if target:
        print("written", *sp.write(limited, target))


if __name__ == "__main__":
    main(*sys.argv[1:])
