"""Writes docs/fidelity.md: every way to K influences, on poses it was fitted to, on others, and on random ones.

`python bench/fidelity.py [ASSETS]`, or `make fidelity`; ASSETS is the folder of real characters, without it only the
rigs made in code are measured. Takes some minutes.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rigs import REAL, rigs

import skinproof as sp
from skinproof import influences as operations
from skinproof.limiting import FitOptions, solve_sparse
from skinproof.limiting._batch import Field, Mesh, Mixture, batches_of
from skinproof.limiting._poses import Poses
from skinproof.measuring.figures import measure_figures
from skinproof.model import Character, Influences, Outcome, WeightFormat
from skinproof.poses import PoseSchedule
from skinproof.poses.fresh import fresh_poses
from skinproof.poses.halves import halves

OUT = Path(__file__).resolve().parents[1] / "docs" / "fidelity.md"
LEVELS = (4, 2, 1)
LOSS = 0.995
"""Ratios from here up print as 1.00 or more."""

NOISE = 1e-9
"""Metres below which both sides count as equal: then their ratio says nothing."""

Way = Callable[[Character, int, PoseSchedule], Character]


def first(character: Character, most: int, schedule: PoseSchedule) -> Character:
    """The first K slots as stored, normalized: what a reader does that looks at one set only."""
    cut = []
    for primitive in character.primitives:
        given = primitive.influences
        weights = given.weights[:, :most].astype(np.float64)
        empty = weights.sum(axis=1) == 0
        weights[empty, 0] = 1.0
        weights = (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)
        cut.append(Influences(np.ascontiguousarray(given.joints[:, :most]), weights, (WeightFormat.FLOAT32,)))
    return character.with_influences(cut)


def largest(character: Character, most: int, schedule: PoseSchedule) -> Character:
    return sp.limit(character, max_influences=most)


def solved_again(character: Character, most: int, schedule: PoseSchedule) -> Character:
    """The joints of keep-the-largest, with the weights that fit the poses best."""
    angles = FitOptions().angles_of(character.nodes, character.skins)
    results = []
    for index, primitive in enumerate(character.primitives):
        given = operations.merge_duplicates(
            primitive.influences.joints, primitive.influences.weights.astype(np.float64)
        )
        kept = operations.keep_largest(given.joints, given.weights, most)
        target = primitive.influences.format
        mesh = Mesh(primitive, given.joints, given.weights, *kept, target)
        joints, weights = kept
        for batch in batches_of(character, index, mesh, schedule):
            field = Field(character, batch.skins, [batch], angles)
            for block, shares in Poses(schedule):
                field.add(character, block.worlds, shares)
                batch.add(character, block, shares)
            costs, sizes = batch.costs(field, Mixture(1.0, 0.0), np.arange(len(batch)))
            found = solve_sparse(np.ascontiguousarray(costs[:, :most, :most]), most, sizes=sizes).weights
            again = operations.keep_largest(np.ascontiguousarray(batch.joints[:, :most]), found, most)
            joints[batch.vertices], weights[batch.vertices] = again[0][batch.classes], again[1][batch.classes]
        packed = operations.pack(joints, weights, format=target)
        decoded = operations.unpack(packed.stored, format=target)
        results.append(Influences(packed.joints, decoded, (target,)))
    return character.with_influences(results)


def exact(**options: object) -> Way:
    fit = FitOptions(**options)  # type: ignore[arg-type]

    def way(character: Character, most: int, schedule: PoseSchedule) -> Character:
        return sp.limit(character, max_influences=most, method="exact", schedule=schedule, fit=fit)

    return way


WAYS: dict[str, Way] = {
    "first K": first,
    "largest": largest,
    "largest, weights solved again": solved_again,
    "exact, no prior, no guard": exact(prior=0.0, guard=False),
    "exact, prior 0.1, no guard": exact(prior=0.1, guard=False),
    "exact, prior 0.3, no guard": exact(guard=False),
    "exact, prior 1, no guard": exact(prior=1.0, guard=False),
    "exact, prior 0.3, guard of the maximum alone": exact(prior_slack=1e6),
    "exact, prior 0.3, guard without slack": exact(prior_slack=1.0),
    "**exact** (the defaults: prior 0.3, guard, slack 1.25)": exact(),
    "exact, prior 1, guard": exact(prior=1.0),
}
DEFAULT = next(name for name in WAYS if name.startswith("**"))
SETS = ("training", "held out", "fresh")


def figures(character: Character, result: Character, schedule: PoseSchedule) -> tuple[float, float]:
    (found,) = measure_figures(character, [result], schedule=schedule)
    return found.rms, found.max


def worse(character: Character, ours: Character, theirs: Character, schedule: PoseSchedule) -> int:
    """Vertices that ours moves further at most than theirs."""
    pair = [sp.measure(character, one, reference="normalized", schedule=schedule).primitives for one in (ours, theirs)]
    return sum(int((a.max_error > b.max_error).sum()) for a, b in zip(*pair, strict=True))


def why(character: Character, fitting: PoseSchedule, judging: PoseSchedule) -> str:
    """What sets the poses judged apart from those fitted to."""
    nodes, joints = character.nodes, set(character.skins[0].joints.tolist())
    reasons = []
    if all(nodes.parents[joint] not in joints for joint in joints):
        reasons.append("no tree: all joints are roots, so the prior says nothing")
    still, later = (
        {joint.name for joint in sp.measure(character, character, schedule=one).still_joints}
        for one in (fitting, judging)
    )
    if still - later:
        reasons.append(f"{len(still - later)} joints with weights stand still in the poses fitted to and move here")
    return "; ".join(reasons) or "every joint moves in both, but otherwise"


class Table:
    def __init__(self) -> None:
        self.found: dict[tuple[str, int, str, str], tuple[float, float]] = {}
        self.notes: dict[tuple[str, int], tuple[int, list[int], int]] = {}
        self.names: list[str] = []
        self.reasons: dict[tuple[str, str], str] = {}

    def run(self, name: str, character: Character) -> None:
        self.names.append(name)
        schedule = PoseSchedule.from_clips(character)
        parts = halves(schedule)
        assert parts is not None
        fitting, judging = parts
        random = fresh_poses(character)
        self.reasons[name, "held out"] = why(character, fitting, judging)
        self.reasons[name, "fresh"] = why(character, schedule, random)
        for most in LEVELS:
            if max(int(one.influences.counts.max()) for one in character.primitives) <= most:
                continue
            for way_name, way in WAYS.items():
                whole, half = way(character, most, schedule), way(character, most, fitting)
                self.found[name, most, way_name, "training"] = figures(character, whole, schedule)
                self.found[name, most, way_name, "held out"] = figures(character, half, judging)
                self.found[name, most, way_name, "fresh"] = figures(character, whole, random)
                if way_name == DEFAULT:
                    self.note(name, most, character, whole, schedule)
            print(name, most, flush=True)

    def note(self, name: str, most: int, character: Character, result: Character, schedule: PoseSchedule) -> None:
        fits = [change.fit for change in result.changes if change.fit is not None]
        counts = [sum(fit.count(outcome) for fit in fits) for outcome in Outcome]
        further = worse(character, result, largest(character, most, schedule), schedule)
        self.notes[name, most] = (sum(fit.fitted for fit in fits), counts, further)

    def ratio(self, name: str, most: int, way: str, poses: str, figure: int) -> float | None:
        ours, theirs = (self.found[name, most, one, poses][figure] for one in (way, "largest"))
        return None if max(ours, theirs) < NOISE else theirs / max(ours, NOISE)

    def mean(self, most: int, way: str, poses: str, figure: int, names: list[str]) -> float:
        ratios = [self.ratio(name, most, way, poses, figure) for name in names if (name, most) in self.notes]
        logs = [math.log(ratio) for ratio in ratios if ratio is not None]
        return math.exp(sum(logs) / len(logs)) if logs else math.nan

    def text(self) -> str:
        real = [name for name in self.names if f"{name}.glb" in REAL]
        rest = [name for name in self.names if name not in real]
        lines = [*HEAD.splitlines(), ""]
        for most in LEVELS:
            lines += [f"## K = {most}", ""]
            for title, names in (("Real characters", real), ("Rigs made in code", rest)):
                if names:
                    lines += [f"{title}, geometric mean of {sum((n, most) in self.notes for n in names)}:", ""]
                    lines += self.means(most, names)
            lines += ["Each character, the default way:", "", *self.each(most)]
        return "\n".join([*lines, *self.losses()]).rstrip() + "\n"

    def losses(self) -> list[str]:
        """Every figure of the default way below keep-the-largest's, and what is known of the reason."""
        lines = ["## Losses", "", LOSSES, "", "| character | K | figure | ratio | why |", "| --- " * 5 + "|"]
        for name, most in self.notes:
            for poses in SETS[1:]:
                for figure, said in enumerate(("RMS", "maximum")):
                    ratio = self.ratio(name, most, DEFAULT, poses, figure)
                    if ratio is not None and ratio < LOSS:
                        lines.append(
                            f"| {name} | {most} | {poses} {said} | {ratio:.2f} | {self.reasons[name, poses]} |"
                        )
        return [*lines, ""]

    def means(self, most: int, names: list[str]) -> list[str]:
        lines = [f"| way | {' | '.join(f'{one} RMS | {one} maximum' for one in SETS)} |", "| --- " * 7 + "|"]
        for way in WAYS:
            cells = [f"{self.mean(most, way, poses, figure, names):.2f}" for poses in SETS for figure in (0, 1)]
            lines.append(f"| {way} | {' | '.join(cells)} |")
        return [*lines, ""]

    def each(self, most: int) -> list[str]:
        columns = ["character", *(f"{one} {what}" for one in SETS for what in ("RMS", "maximum"))]
        columns += [
            "choices",
            "optimum",
            "next best",
            "largest kept: maximum",
            "prior",
            "nothing to decide by",
            "worse",
        ]
        lines = ["| " + " | ".join(columns) + " |", "| --- " * len(columns) + "|"]
        for name in self.names:
            if (name, most) not in self.notes:
                continue
            fitted, counts, further = self.notes[name, most]
            ratios = [self.ratio(name, most, DEFAULT, poses, figure) for poses in SETS for figure in (0, 1)]
            cells = ["–" if ratio is None else f"{ratio:.2f}" for ratio in ratios]
            numbers = [fitted, *counts[Outcome.BEST : Outcome.UNSHOWN], further]
            lines.append(f"| {name} | {' | '.join([*cells, *map(str, numbers)])} |")
        return [*lines, ""]


HEAD = """# Fidelity

<!-- Generated by `make fidelity`; do not edit. -->

How far the vertices move when they are cut to K influences: keep-the-largest's figure divided by that of each way, so
that above 1 is better than keep-the-largest. Displacement is measured against the source with its weights normalized,
decoded as stored, in world space.

- **training**: fitted to all clips, measured on all clips.
- **held out**: fitted to every other clip and measured on the others; of a single clip, fitted to its first half and
  measured on its second. Neighbouring frames are near copies of each other, so whole clips or halves are held out.
- **fresh**: fitted to all clips, measured in 60 poses that nobody animated: every joint turned at random, 20° root
  mean square.

The last table of each K counts the vertices that have more than K influences, what they were given, and those whose
largest displacement in the training poses exceeds keep-the-largest's (*worse*; the guard's promise is none)."""


LOSSES = """What the default way loses to keep-the-largest on poses that it was not fitted to. A joint that stands still
in all poses fitted to is known by the tree alone."""


def main() -> None:
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("SKINPROOF_ASSETS")
    table = Table()
    for name, character in rigs(Path(given) if given else None):
        table.run(name, character)
    OUT.write_text(table.text(), encoding="utf-8")
    print(f"written: {OUT}")


if __name__ == "__main__":
    main()
