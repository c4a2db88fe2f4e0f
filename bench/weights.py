"""Cutting to the largest influences and packing them: the kernels against plain C++, and against NumPy."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from harness import Contender, Row
from native import Native
from scenes import make_scene

from skinproof.influences._rows import try_keep_largest, try_pack
from skinproof.influences.keep_largest import written_out as keep_written_out
from skinproof.influences.pack import written_out as pack_written_out
from skinproof.model import WeightFormat

PLAIN, NUMPY = "plain C++, a vertex at a time", "NumPy, as the operations are defined"

RATIOS = {PLAIN: {"x86-64-v4": 4.0, "x86-64-v3": 2.0}, NUMPY: {"x86-64-v4": 60.0, "x86-64-v3": 30.0}}
KEPT = 4
SOME = 2_000
"""Vertices that NumPy is given."""

Result = tuple[np.ndarray, np.ndarray]


def rows(native: Native, instruction_set: str, *, full: bool) -> Iterator[Row]:
    """The rows of the table."""
    for vertices in (20_000, 1_000_000) if full else (20_000,):
        yield _row(native, instruction_set, vertices, np.dtype(np.float32))
    yield _row(native, instruction_set, 20_000, np.dtype(np.float64))


def _row(native: Native, instruction_set: str, vertices: int, dtype: np.dtype) -> Row:
    scene = make_scene("random", vertices, 8, poses=1)
    generator = np.random.default_rng(1)
    mixed = generator.permuted(np.arange(8)[None].repeat(vertices, axis=0), axis=1)
    joints = np.take_along_axis(scene.joints, mixed, axis=1)
    single = np.take_along_axis(scene.weights, mixed, axis=1)
    weights = single.astype(dtype)
    out = np.empty((vertices, KEPT), np.uint16), np.empty((vertices, KEPT), np.uint8)

    def ours() -> Result:
        kept = try_keep_largest(joints, weights, KEPT, None, 64, instruction_set)
        assert kept is not None
        packed = try_pack(*kept, np.dtype(np.uint8), None, 64, instruction_set)
        assert packed is not None
        return packed

    def written_out() -> Result:
        kept = keep_written_out(joints[:SOME], weights[:SOME], KEPT, joint_count=64, offsets=None)
        return pack_written_out(*kept, WeightFormat.UNORM8, joint_count=64, offsets=None)[:2]

    exact = written_out()
    plain = native.cut(joints, single, KEPT, out)

    def check(name: str, found: object) -> None:
        assert isinstance(found, tuple)
        for one, expected, other in zip(found, exact, plain, strict=True):
            np.testing.assert_array_equal(one[:SOME], expected, err_msg=name)
            if dtype == np.float32:
                np.testing.assert_array_equal(one, other[: len(one)], err_msg=name)

    peers = [Contender(NUMPY, written_out, SOME)]
    if dtype == np.float32:
        peers.insert(0, Contender(PLAIN, lambda: native.cut(joints, single, KEPT, out), vertices))
    # What is read of each vertex, what is written between the two steps and read again, and the result.
    moved = 8 * (2 + dtype.itemsize) + 2 * KEPT * (2 + dtype.itemsize) + KEPT * 3
    return Row(
        title=f"keep the largest {KEPT} of 8 {dtype.name} weights, pack to unorm8, {vertices:,} vertices",
        unit="vertex",
        ours=Contender("kernels", ours, vertices),
        peers=peers,
        check=check,
        bound=("bytes copied", moved),
        floors=RATIOS if dtype == np.float32 else {},
    )
