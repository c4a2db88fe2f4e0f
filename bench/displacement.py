"""Displacement over many poses: the plan against skinning twice, and against what NumPy and SciPy do best."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np
from harness import Contender, Row
from native import Native
from scenes import Scene, make_scene
from scipy.sparse import csr_array

from skinproof.skinning import DisplacementPlan, DisplacementTotals, accumulate_displacement, delta_influences

PLAIN, TWICE = "plain float64 kernel", "two reference skins, float32"
JOINT_SETS, SPARSE, NAIVE = "NumPy, a product per joint set, float32", "SciPy, sparse product", "NumPy, einsum twice"

RATIOS = {
    "coherent": {
        TWICE: {"x86-64-v4": 2.6, "x86-64-v3": 1.5},
        PLAIN: {"x86-64-v4": 6.0, "x86-64-v3": 3.5},
        NAIVE: {"x86-64-v4": 40.0, "x86-64-v3": 25.0},
    },
    "random": {PLAIN: {"x86-64-v4": 3.0, "x86-64-v3": 2.3}},
}
SHARES = {"x86-64-v4": 0.45, "x86-64-v3": 0.45}

Result = tuple[np.ndarray, np.ndarray, np.ndarray]


def rows(native: Native, instruction_set: str, *, full: bool) -> Iterator[Row]:
    """The rows of the table."""
    sizes = ((6_000, 128), (50_000, 256)) if full else ((6_000, 128),)
    for vertices, poses in sizes:
        for kind in ("coherent", "messy", "random"):
            yield _row(native, instruction_set, kind, make_scene(kind, vertices, 8, poses=poses))
    yield _row(native, instruction_set, "mixed counts", make_scene("coherent", 6_000, 8, poses=128, mixed=True))
    if full:
        yield _threads(instruction_set, make_scene("coherent", 50_000, 8, poses=256))


def _threads(instruction_set: str, scene: Scene) -> Row:
    """Two threads beside one, in wall time: on a busy machine they gain less."""
    units = len(scene.palettes) * len(scene.positions)
    positions = scene.positions.astype(np.float64)
    after, weights = scene.cut(4)
    deltas = delta_influences(after, weights.astype(np.float64), scene.joints, scene.weights.astype(np.float64))

    def contender(name: str, threads: int) -> Contender:
        plan = DisplacementPlan(positions, *deltas, threads=threads, instruction_set=instruction_set)

        def run() -> np.ndarray:
            plan.add(scene.palettes, first_pose=0)
            return plan.take().sum_squared

        return Contender(name, run, units, time.perf_counter_ns)

    two, one = contender("two threads", 2), contender("one thread", 1)
    exact = one.run()

    def check(name: str, found: object) -> None:
        np.testing.assert_array_equal(found, exact, err_msg=name)

    return Row("displacement, two threads, wall time", "vertex and pose", two, [one], check, None)


def _row(native: Native, instruction_set: str, kind: str, scene: Scene) -> Row:
    poses, vertices = len(scene.palettes), len(scene.positions)
    units = vertices * poses
    positions = scene.positions.astype(np.float64)
    before, after = (scene.joints, scene.weights), scene.cut(4)
    deltas = delta_influences(after[0], after[1].astype(np.float64), before[0], before[1].astype(np.float64))
    plan = DisplacementPlan(positions, *deltas, threads=1, instruction_set=instruction_set)
    columns = np.ascontiguousarray(scene.palettes.astype(np.float32).swapaxes(2, 3))

    def planned() -> Result:
        plan.add(scene.palettes, first_pose=0)
        totals = plan.take()
        return totals.max_squared, totals.sum_squared, totals.max_pose

    def plain() -> Result:
        totals = DisplacementTotals.zeros(vertices)
        accumulate_displacement(positions, *deltas, scene.palettes, out=totals)
        return totals.max_squared, totals.sum_squared, totals.max_pose

    exact = plain()

    def check(name: str, found: object) -> None:
        assert isinstance(found, tuple)
        single = "float32" in name
        for value, expected in zip(found[:2], exact[:2], strict=True):
            # float32 loses what the two positions have in common: 1e-7 of a few metres, against millimetres.
            scale = expected.max()
            allowed = {"rtol": 1e-2, "atol": 1e-5 * scale} if single else {"rtol": 1e-9, "atol": 1e-15 * scale}
            np.testing.assert_allclose(value, expected, err_msg=name, **allowed)
        if not single:
            moved = exact[0] > 0
            np.testing.assert_array_equal(found[2][moved], exact[2][moved], err_msg=name)

    used = np.count_nonzero(deltas[1])
    return Row(
        title=f"displacement, 8 to 4, {kind}, {vertices:,} vertices × {poses} poses",
        unit="vertex and pose",
        ours=Contender("plan", planned, units),
        peers=[
            Contender(PLAIN, plain, units),
            Contender(TWICE, lambda: native.displacement(scene.positions, before, after, columns), units),
            *_numpy(scene, positions, deltas, before, after),
        ],
        check=check,
        bound=("float64 multiply-adds", 12 * used / vertices + 3),
        floors=RATIOS.get(kind, {}),
        share_floors=SHARES if kind == "coherent" else {},
    )


def _numpy(
    scene: Scene,
    positions: np.ndarray,
    deltas: tuple[np.ndarray, np.ndarray],
    before: tuple[np.ndarray, np.ndarray],
    after: tuple[np.ndarray, np.ndarray],
) -> list[Contender]:
    joints, weights = deltas
    poses, vertices = len(scene.palettes), len(positions)
    units = vertices * poses
    homogeneous = np.append(positions, np.ones((vertices, 1)), axis=1)
    weighed = weights[:, :, None] * homogeneous[:, None]  # [V, D, 4]
    # [J, 4, 3 P]: what a joint does to each column of a position
    stacked = np.ascontiguousarray(scene.palettes[:, :, :3].transpose(1, 3, 2, 0).reshape(-1, 4, 3 * poses))
    single = stacked.astype(np.float32)
    sets, member = np.unique(joints, axis=0, return_inverse=True)
    members = np.split(np.argsort(member.reshape(-1), kind="stable"), np.cumsum(np.bincount(member.reshape(-1)))[:-1])
    grouped = [np.ascontiguousarray(weighed[one].reshape(len(one), -1), dtype=np.float32) for one in members]
    rows = np.repeat(np.arange(vertices + 1) * joints.shape[1] * 4, 1)
    places = (joints[:, :, None] * 4 + np.arange(4)).reshape(-1)
    sparse = csr_array((weighed.reshape(-1), places, rows), shape=(vertices, len(stacked) * 4))

    def summarized(moved: np.ndarray) -> Result:
        squared = np.square(moved.reshape(len(moved), 3, poses)).sum(axis=1)
        return squared.max(axis=1), squared.sum(axis=1, dtype=np.float64), squared.argmax(axis=1)

    def per_joint_set() -> Result:
        out = np.empty(vertices), np.empty(vertices), np.empty(vertices, np.int64)
        for one, which, left in zip(members, sets, grouped, strict=True):
            found = summarized(left @ single[which].reshape(-1, 3 * poses))
            for target, part in zip(out, found, strict=True):
                target[one] = part
        return out

    def sparse_product() -> Result:
        return summarized(sparse @ stacked.reshape(-1, 3 * poses))

    some = slice(0, min(vertices, 200))

    def twice() -> Result:
        placed = []
        for slots, values in (before, after):
            matrices = scene.palettes[:, slots[some], :3]
            blended = np.einsum("vk,pvkij->pvij", values[some].astype(np.float64), matrices)
            placed.append(np.einsum("pvij,vj->pvi", blended, homogeneous[some]))
        moved = (placed[0] - placed[1]).transpose(1, 2, 0)
        found = summarized(np.ascontiguousarray(moved))
        return tuple(np.append(part, whole[some.stop :]) for part, whole in zip(found, rest, strict=True))

    rest = sparse_product()
    return [
        Contender(JOINT_SETS, per_joint_set, units),
        Contender(SPARSE, sparse_product, units),
        Contender(NAIVE, twice, (some.stop) * poses),
    ]
