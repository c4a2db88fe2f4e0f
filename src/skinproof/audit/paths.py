"""The way of every joint through every clip, as cubic pieces: a pose at any time, between samples too.

This project's own. Clips are smooth between keys. Each piece is the cubic through four poses of its span; it is halved
until it meets the clip at three more times to a part of the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof.audit.reach import Reach
from skinproof.errors import ComparisonError
from skinproof.model import Character
from skinproof.poses import PoseSchedule, clip_worlds, palettes
from skinproof.tolerances import AUDIT_HALVINGS, AUDIT_PATH_SHARE, MAX_AUDIT_BYTES

Array = NDArray[np.float64]
Index = NDArray[np.intp]

_NODES = np.array([0, 1 / 3, 2 / 3, 1])
_FIT = np.linalg.inv(np.vander(_NODES, increasing=True))  # values at the nodes to coefficients of 1, u, u², u³
_LOOKS = np.array([1 / 6, 1 / 2, 5 / 6])
_POWERS = np.vander(_LOOKS, 4, increasing=True)
_BEFORE_END = 1e-7  # of a span: a STEP key at its end is the next piece's


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """S pieces of the ways of J joints, clip after clip, in order of time.

    Attributes:
        clips: intp [S], index of the clip.
        starts: float64 [S], seconds.
        spans: float64 [S], seconds; 0 for the last pose of a clip.
        pieces: float64 [S, J, 4, 12], coefficients of 1, u, u², u³, u = 0 … 1 over the span, in `Reach.coordinates`.
        errors: float64 [S, J], metres between piece and clip, as seen at three times, doubled.
        bulges: float64 [S, J], metres by which the piece leaves its chord, at most.
    """

    clips: Index
    starts: Array
    spans: Array
    pieces: Array
    errors: Array
    bulges: Array

    @classmethod
    def of(cls, character: Character, skin_index: int, reach: Reach, /, *, tolerance: float, fps: float) -> Paths:
        """Follow every clip of `character`.

        Args:
            character: with at least one clip.
            skin_index: whose joints.
            reach: of the same skin.
            tolerance: metres that a joint may be off.
            fps: the first pieces are 1/fps long at most.

        Raises:
            ComparisonError: there is no clip, or more motion than fits into `MAX_AUDIT_BYTES`.
        """
        schedule = PoseSchedule.from_clips(character, fps=fps)
        if schedule.pose_count == 0 or any(clip.times is None for clip in schedule.clips):
            raise ComparisonError("the file has no clip that moves a joint; there is nothing to hold draws against")
        found: list[tuple[Index, Array, Array, Array, Array]] = []
        room = MAX_AUDIT_BYTES // (len(reach.radii) * 48 * 8)
        for index, clip in enumerate(schedule.clips):
            assert clip.times is not None
            lows, highs = clip.times[:-1], clip.times[1:]
            for halving in range(AUDIT_HALVINGS + 1):
                if _count(found) + len(lows) > room:
                    raise ComparisonError("the clips need too much memory; use a file with fewer of them")
                pieces, errors = _fitted(character, skin_index, reach, index, lows, highs)
                rough = errors.max(axis=1) > tolerance * AUDIT_PATH_SHARE
                done = ~rough if halving < AUDIT_HALVINGS else np.ones(len(lows), np.bool_)
                found.append((np.full(done.sum(), index), lows[done], (highs - lows)[done], pieces[done], errors[done]))
                middles = (lows[~done] + highs[~done]) / 2
                lows, highs = np.append(lows[~done], middles), np.append(middles, highs[~done])
                if len(lows) == 0:
                    break
            last = clip.times[-1:]
            end = _fitted(character, skin_index, reach, index, last, last)
            found.append((np.array([index]), last, np.zeros(1), *end))
        clips, starts, spans, pieces, errors = (np.concatenate(column) for column in zip(*found, strict=True))
        order = np.lexsort((starts, clips))
        pieces = pieces[order]
        return cls(clips[order], starts[order], spans[order], pieces, errors[order], _bulges(pieces))

    def at(self, pieces: Index, shares: Array, /) -> Array:
        """Return the coordinates at `shares` (0 … 1) of some pieces, [...] each, float64 [..., J, 12]."""
        powers = shares[..., np.newaxis] ** np.arange(4)
        poses: Array = np.einsum("...p,...jpc->...jc", powers, self.pieces[pieces])
        return poses

    def times(self, pieces: Index, shares: Array, /) -> Array:
        """Return the clip times of `shares` of pieces, seconds."""
        times: Array = self.starts[pieces] + shares * self.spans[pieces]
        return times

    def located(self, clips: Index, times: Array, /) -> tuple[Index, Array]:
        """Return piece and share of times of clips; outside a clip its first or last pose."""
        pieces, shares = np.empty(len(times), np.intp), np.empty(len(times))
        for clip in np.unique(clips):
            chosen, own = clips == clip, np.flatnonzero(self.clips == clip)
            place = np.searchsorted(self.starts[own], times[chosen], side="right") - 1
            pieces[chosen] = own[np.clip(place, 0, len(own) - 1)]
        spans = self.spans[pieces]
        shares = np.where(spans > 0, (times - self.starts[pieces]) / np.where(spans > 0, spans, 1.0), 0.0)
        return pieces, np.clip(shares, 0, 1)


def _count(found: list[tuple[Index, Array, Array, Array, Array]]) -> int:
    return sum(len(starts) for _, starts, *_ in found)


def _fitted(
    character: Character, skin_index: int, reach: Reach, clip: int, lows: Array, highs: Array
) -> tuple[Array, Array]:
    """Return the pieces of some spans of a clip, and how far each joint is from the clip."""
    skin, joints = character.skins[skin_index], len(reach.radii)
    shares = np.concatenate([_NODES * (1 - _BEFORE_END), _LOOKS])
    pieces, errors = np.empty((len(lows), joints, 4, 12)), np.empty((len(lows), joints))
    for first in range(0, len(lows), 32):
        block = slice(first, first + 32)
        times = lows[block, np.newaxis] + (highs - lows)[block, np.newaxis] * shares
        worlds = clip_worlds(character.nodes, character.clips[clip], times.ravel())
        poses = reach.coordinates(palettes(skin, worlds)).reshape(*times.shape, joints, 12)
        pieces[block] = np.einsum("pn,snjc->sjpc", _FIT, poses[:, :4])
        met = np.einsum("lp,sjpc->sljc", _POWERS, pieces[block])
        errors[block] = 2 * np.linalg.norm(met - poses[:, 4:], axis=-1).max(axis=1)
    return pieces, errors


def _bulges(pieces: Array) -> Array:
    """Return how far pieces leave their chords, at most: |u² − u| and |u³ − u| are below 1/4 and 0.385."""
    bulges: Array = np.linalg.norm(pieces[:, :, 2], axis=-1) / 4 + np.linalg.norm(pieces[:, :, 3], axis=-1) * 0.385
    return bulges
