"""Linear blend skinning: the plan against the reference kernel, the plain one, and NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib.util import find_spec

import numpy as np
from harness import Contender, Row
from native import Native
from scenes import Scene, make_scene
from scipy.sparse import csr_array

from skinproof.skinning import SkinningPlan, skin_normals, skin_positions

REFERENCE, PLAIN = "reference kernel, 4-float columns", "plain float32 kernel"
EIGEN, EINSUM, SPARSE, NUMBA = "Eigen, a loop", "NumPy, einsum", "SciPy, sparse product", "Numba, a loop"

POSES = 8
"""Poses of each call: what a call costs in Python counts little."""

RATIOS = {
    "coherent 4": {
        REFERENCE: {"x86-64-v4": 3.0, "x86-64-v3": 1.75},
        EINSUM: {"x86-64-v4": 40.0, "x86-64-v3": 25.0},
    },
    "coherent 8": {REFERENCE: {"x86-64-v4": 3.3, "x86-64-v3": 1.9}},
    "random 4": {REFERENCE: {"x86-64-v4": 1.7, "x86-64-v3": 1.05}},
    "random 8": {REFERENCE: {"x86-64-v4": 1.9, "x86-64-v3": 1.2}},
}


def rows(native: Native, instruction_set: str, *, full: bool) -> Iterator[Row]:
    """The rows of the table."""
    for vertices in (10_000, 1_000_000) if full else (10_000,):
        for slots in (4, 8):
            for kind in ("coherent", "messy", "random"):
                yield _row(native, instruction_set, kind, make_scene(kind, vertices, slots, poses=POSES))
    yield _row(native, instruction_set, "mixed counts", make_scene("coherent", 10_000, 8, poses=POSES, mixed=True))
    yield _normals(instruction_set, make_scene("coherent", 10_000, 4, poses=POSES))


def _normals(instruction_set: str, scene: Scene) -> Row:
    vertices = len(scene.positions)
    palettes = scene.palettes.astype(np.float32)
    plan = SkinningPlan(*scene[:3], threads=1, instruction_set=instruction_set)
    plan.set_normals(scene.positions)
    out = np.empty((len(palettes), vertices, 3), np.float32)
    exact = skin_normals(
        *(array if array.dtype == np.uint16 else array.astype(np.float64) for array in scene[:3]), scene.palettes
    )

    def check(name: str, found: object) -> None:
        assert isinstance(found, np.ndarray)
        # Unit vectors; the blends of these poses are well conditioned.
        np.testing.assert_allclose(found, exact, rtol=0, atol=1e-4, err_msg=name)

    return Row(
        title=f"normals, K = 4, coherent, {vertices:,} vertices × {len(palettes)} poses",
        unit="vertex and pose",
        ours=Contender("plan", lambda: plan.skin_normals(palettes, out=out), out.size / 3),
        peers=[Contender(PLAIN, lambda: skin_normals(*scene[:3], palettes), out.size / 3)],
        check=check,
        bound=("float32 multiply-adds", 9 * 4 + 9 * 2 + 9 + 3 + 3),
        floors={PLAIN: {"x86-64-v4": 4.5, "x86-64-v3": 3.2}},
    )


def _row(native: Native, instruction_set: str, kind: str, scene: Scene) -> Row:
    vertices, slots = scene.joints.shape
    units = vertices * len(scene.palettes)
    palettes = scene.palettes.astype(np.float32)
    columns = np.ascontiguousarray(palettes.swapaxes(2, 3))
    plan = SkinningPlan(*scene[:3], threads=1, instruction_set=instruction_set)
    out = np.empty((len(palettes), vertices, 3), np.float32)
    other = np.empty_like(out)
    homogeneous = np.append(scene.positions, np.ones((vertices, 1), np.float32), axis=1)
    weighed = scene.weights[:, :, None] * homogeneous[:, None]
    places = (scene.joints[:, :, None].astype(np.int64) * 4 + np.arange(4)).reshape(-1)
    starts = np.arange(vertices + 1) * slots * 4
    sparse = csr_array((weighed.reshape(-1), places, starts), shape=(vertices, palettes.shape[1] * 4))
    stacked = np.ascontiguousarray(palettes[0, :, :3].swapaxes(1, 2).reshape(-1, 3))
    exact = skin_positions(
        *(array if array.dtype == np.uint16 else array.astype(np.float64) for array in scene[:3]), scene.palettes
    )

    def einsum() -> np.ndarray:
        blended = np.einsum("vk,vkij->vij", scene.weights, palettes[0][scene.joints, :3])
        return np.einsum("vij,vj->vi", blended, homogeneous)

    def check(name: str, found: object) -> None:
        assert isinstance(found, np.ndarray)
        # Two dozen roundings of 6e-8 each, within a few metres. Some peers take the first pose alone.
        np.testing.assert_allclose(found, exact if found.ndim == 3 else exact[0], rtol=0, atol=1e-5, err_msg=name)

    used = np.count_nonzero(scene.weights) / vertices
    # One vertex in one pose: what is written, and what has to be read of it once for all of them.
    moved = 12 + (4 * slots + 12) / len(palettes)
    return Row(
        title=f"skinning, K = {slots}, {kind}, {vertices:,} vertices × {len(palettes)} poses",
        unit="vertex and pose",
        ours=Contender("plan", lambda: plan.skin(palettes, out=out), units),
        peers=[
            Contender(
                REFERENCE, lambda: native.skin(scene.positions, scene.joints, scene.weights, columns, other), units
            ),
            Contender(PLAIN, lambda: skin_positions(scene.positions, scene.joints, scene.weights, palettes), units),
            Contender(EINSUM, einsum, vertices),
            Contender(SPARSE, lambda: sparse @ stacked, vertices),
            *_eigen(native, scene, columns, np.empty_like(out)),
            *_numba(scene, palettes, np.empty_like(out)),
        ],
        check=check,
        bound=("float32 multiply-adds", 12 * used + 9) if vertices < 100_000 else ("bytes copied", moved),
        floors=RATIOS.get(f"{kind} {slots}", {}),
    )


def _eigen(native: Native, scene: Scene, columns: np.ndarray, out: np.ndarray) -> list[Contender]:
    """The loop as one writes it with Eigen, if that (Debian: libeigen3-dev) was there when the library was built."""
    if not native.has_eigen:
        return []
    return [
        Contender(
            EIGEN,
            lambda: native.skin(scene.positions, scene.joints, scene.weights, columns, out, eigen=True),
            out.shape[0] * out.shape[1],
        )
    ]


def _numba(scene: Scene, palettes: np.ndarray, out: np.ndarray) -> list[Contender]:
    """The loop as one writes it for Numba, if that is installed (`pip install --group bench`)."""
    if find_spec("numba") is None:
        return []
    loop = _compiled_loop()
    positions, joints, weights = scene[:3]

    def run() -> np.ndarray:
        loop(positions, joints, weights, palettes, out)
        return out

    return [Contender(NUMBA, run, out.shape[0] * out.shape[1])]


@cache
def _compiled_loop() -> Callable[..., None]:
    import numba

    @numba.njit(fastmath=True)
    def loop(positions, joints, weights, palettes, out):
        for pose in range(len(palettes)):
            for vertex in range(len(positions)):
                blended = np.zeros((3, 4), np.float32)
                for slot in range(joints.shape[1]):
                    matrix = palettes[pose, joints[vertex, slot]]
                    for row in range(3):
                        for column in range(4):
                            blended[row, column] += weights[vertex, slot] * matrix[row, column]
                x, y, z = positions[vertex]
                for row in range(3):
                    out[pose, vertex, row] = (
                        blended[row, 0] * x + blended[row, 1] * y + blended[row, 2] * z + blended[row, 3]
                    )

    return loop
