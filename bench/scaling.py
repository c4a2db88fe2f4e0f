"""Draws docs/performance.svg: time against the number of vertices and of poses, kernels and reference kernels.

`python bench/scaling.py` takes about a minute; needs the library of bench/native (`make bench` builds it).
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from harness import Contender, Row, contest
from native import Native
from scenes import make_scene

from skinproof._native import INSTRUCTION_SET
from skinproof.skinning import DisplacementPlan, SkinningPlan, delta_influences

TARGET = Path(__file__).parents[1] / "docs" / "performance.svg"
VERTICES = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000)
POSES = (8, 16, 32, 64, 128, 256, 512, 1_024)
OURS, REFERENCE = "plan", "reference kernel"
COLOURS = {OURS: "#1f6feb", REFERENCE: "#bc4c00"}
WIDTH, HEIGHT, LEFT, TOP, GAP = 360, 240, 60, 46, 90

Series = Mapping[str, Sequence[float]]


def main() -> int:
    native = Native(INSTRUCTION_SET)
    skinning = _series([_skin(native, count) for count in VERTICES])
    displacement = _series([_displace(native, count) for count in POSES])
    TARGET.write_text(_picture(skinning, displacement))
    print(f"written: {TARGET}")
    return 0


def _series(found: Sequence[tuple[float, float]]) -> Series:
    return dict(zip((OURS, REFERENCE), zip(*found, strict=True), strict=True))


def _contest(units: float, ours: Callable[[], object], reference: Callable[[], object]) -> tuple[float, float]:
    row = Row("", "", Contender(OURS, ours, units), [Contender(REFERENCE, reference, units)], lambda *_: None, None)
    ns = contest(row, {}, rounds=9).ns
    return ns[OURS], ns[REFERENCE]


def _skin(native: Native, vertices: int) -> tuple[float, float]:
    scene = make_scene("coherent", vertices, 4, poses=8)
    palettes = scene.palettes.astype(np.float32)
    columns = np.ascontiguousarray(palettes.swapaxes(2, 3))
    plan = SkinningPlan(*scene[:3], threads=1)
    out = np.empty((8, vertices, 3), np.float32)
    other = np.empty_like(out)
    found = _contest(
        vertices * 8,
        lambda: plan.skin(palettes, out=out),
        lambda: native.skin(*scene[:3], columns, other),
    )
    np.testing.assert_allclose(out, other, rtol=0, atol=1e-5)
    return found


def _displace(native: Native, poses: int) -> tuple[float, float]:
    scene = make_scene("coherent", 3_000, 8, poses=poses)
    before, after = (scene.joints, scene.weights), scene.cut(4)
    deltas = delta_influences(after[0], after[1].astype(np.float64), before[0], before[1].astype(np.float64))
    plan = DisplacementPlan(scene.positions.astype(np.float64), *deltas, threads=1)
    columns = np.ascontiguousarray(scene.palettes.astype(np.float32).swapaxes(2, 3))

    def planned() -> np.ndarray:
        plan.add(scene.palettes, first_pose=0)
        return plan.take().max_squared

    exact, single = planned(), native.displacement(scene.positions, before, after, columns)[0]
    np.testing.assert_allclose(single, exact, rtol=1e-2, atol=1e-5 * exact.max())
    return _contest(3_000 * poses, planned, lambda: native.displacement(scene.positions, before, after, columns))


def _picture(skinning: Series, displacement: Series) -> str:
    whole = LEFT + 2 * WIDTH + GAP + 30, TOP + HEIGHT + 60
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole[0]} {whole[1]}" font-family="sans-serif" '
            'font-size="12">',
            f'<rect width="{whole[0]}" height="{whole[1]}" fill="white"/>',
            *_chart(LEFT, "Skinning, K = 4, 8 poses", "vertices", VERTICES, skinning),
            *_chart(LEFT + WIDTH + GAP, "Displacement, 8 to 4, 3,000 vertices", "poses", POSES, displacement),
            "</svg>\n",
        ]
    )


def _chart(left: int, title: str, axis: str, counts: Sequence[int], series: Series) -> list[str]:
    top = max(max(values) for values in series.values()) * 1.15
    first, last = math.log(counts[0]), math.log(counts[-1])

    def at(count: float, value: float) -> str:
        x = left + (math.log(count) - first) / (last - first) * WIDTH
        return f"{x:.1f},{TOP + HEIGHT * (1 - value / top):.1f}"

    bottom = TOP + HEIGHT
    out = [
        f'<text x="{left + WIDTH / 2}" y="20" text-anchor="middle" font-weight="bold">{title}</text>',
        f'<path d="M{left},{TOP} V{bottom} H{left + WIDTH}" fill="none" stroke="#57606a"/>',
        f'<text x="{left + WIDTH / 2}" y="{bottom + 38}" text-anchor="middle">{axis}</text>',
        f'<text x="{left - 44}" y="{TOP - 10}">ns per vertex and pose</text>',
    ]
    for count in counts[::2] if len(counts) > 6 else counts:
        x, y = at(count, 0).split(",")
        out.append(f'<text x="{x}" y="{float(y) + 18:.1f}" text-anchor="middle">{count:,}</text>')
    step = 10 ** math.floor(math.log10(top)) / (1 if top / 10 ** math.floor(math.log10(top)) > 4 else 2)
    for tick in range(int(top / step) + 1):
        x, y = at(counts[0], tick * step).split(",")
        out.append(f'<text x="{float(x) - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{tick * step:g}</text>')
        out.append(f'<path d="M{x},{y} h{WIDTH}" stroke="#d0d7de" stroke-width="0.5"/>')
    for name, values in series.items():
        points = [at(count, value) for count, value in zip(counts, values, strict=True)]
        out.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{COLOURS[name]}" stroke-width="2"/>')
        for point in points:
            x, y = point.split(",")
            out.append(f'<circle cx="{x}" cy="{y}" r="3" fill="{COLOURS[name]}"/>')
        x, y = points[len(points) // 2].split(",")
        out.append(f'<text x="{x}" y="{float(y) - 12:.1f}" fill="{COLOURS[name]}">{name}</text>')
    return out


if __name__ == "__main__":
    sys.exit(main())
