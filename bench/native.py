"""The library of bench/native through ctypes: what the machine can do at best, and the reference kernels."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
from harness import Contender

LIBRARY = Path(__file__).parents[1] / "build" / "bench" / "libskinproof_bench.so"
_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_size_t
_SKIN = ctypes.CFUNCTYPE(None, *[_POINTER] * 3, _SIZE, _POINTER, *[_SIZE] * 3, _POINTER)


class _Table(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("multiply_adds_float", ctypes.CFUNCTYPE(ctypes.c_float, _SIZE, ctypes.POINTER(_SIZE))),
        ("multiply_adds_double", ctypes.CFUNCTYPE(ctypes.c_double, _SIZE, ctypes.POINTER(_SIZE))),
        ("reference_skin", _SKIN),
        (
            "reference_displacement",
            ctypes.CFUNCTYPE(
                None, *[_POINTER] * 3, _SIZE, _POINTER, _POINTER, _SIZE, _POINTER, *[_SIZE] * 3, *[_POINTER] * 4
            ),
        ),
        ("cut", ctypes.CFUNCTYPE(None, *[_POINTER] * 2, *[_SIZE] * 3, *[_POINTER] * 2)),
        ("eigen_skin", _SKIN),
    ]


class Native:
    """The table of one instruction set."""

    def __init__(self, instruction_set: str) -> None:
        library = ctypes.CDLL(str(LIBRARY))
        library.skinproof_bench.restype = ctypes.POINTER(_Table)
        library.skinproof_bench.argtypes = [ctypes.c_char_p]
        table = library.skinproof_bench(instruction_set.encode())
        if not table:
            raise SystemExit(f"bench: {LIBRARY.name} has no kernels for {instruction_set}")
        self._table = table.contents

    def machine(self) -> dict[str, Contender]:
        """What the machine can do at best, in multiply-adds and in bytes copied (each read once and written once)."""
        counted = _SIZE()
        rounds = 100_000
        source = np.ones(1 << 23)
        target = np.empty_like(source)
        peaks = {}
        for name, function in (
            ("float64 multiply-adds", self._table.multiply_adds_double),
            ("float32 multiply-adds", self._table.multiply_adds_float),
        ):
            function(1, ctypes.byref(counted))
            per_round = counted.value
            peaks[name] = Contender(
                name, lambda call=function: call(rounds, ctypes.byref(counted)), float(rounds * per_round)
            )
        copy = Contender("bytes copied", lambda: np.copyto(target, source), float(2 * source.nbytes))
        return {**peaks, copy.name: copy}

    def skin(
        self,
        positions: np.ndarray,
        joints: np.ndarray,
        weights: np.ndarray,
        columns: np.ndarray,
        out: np.ndarray,
        *,
        eigen: bool = False,
    ) -> np.ndarray:
        """Skin in every pose; `columns` float32 [P, J, 4, 4], column after column."""
        kernel = self._table.eigen_skin if eigen else self._table.reference_skin
        kernel(
            *_addresses(positions, joints, weights), joints.shape[1], *_addresses(columns), *columns.shape[:2],
            len(positions),
            *_addresses(out),
        )  # fmt: skip
        return out

    @property
    def has_eigen(self) -> bool:
        """Whether the library was built where Eigen is installed."""
        return bool(self._table.eigen_skin)

    def displacement(
        self,
        positions: np.ndarray,
        before: tuple[np.ndarray, np.ndarray],
        after: tuple[np.ndarray, np.ndarray],
        columns: np.ndarray,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Skin twice in every pose; return the largest |e|², the sum of |e|² and the worst pose of each vertex."""
        vertices = len(positions)
        work = np.empty((2, vertices, 3), np.float32)
        found = np.zeros(vertices, np.float32), np.zeros(vertices), np.zeros(vertices, np.int32)
        self._table.reference_displacement(
            *_addresses(positions, *before), before[0].shape[1], *_addresses(*after), after[0].shape[1],
            *_addresses(columns), len(columns), columns.shape[1], vertices, *_addresses(work, *found),
        )  # fmt: skip
        return found

    def cut(
        self, joints: np.ndarray, weights: np.ndarray, kept: int, out: tuple[np.ndarray, np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Keep the largest influences and pack them to unorm8: joints uint16, stored uint8 [V, kept]."""
        self._table.cut(*_addresses(joints, weights), *joints.shape, kept, *_addresses(*out))
        return out


def _addresses(*arrays: np.ndarray) -> list[int]:
    assert all(array.flags.c_contiguous for array in arrays)
    return [array.ctypes.data for array in arrays]
