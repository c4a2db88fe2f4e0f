"""Hold a capture against the clips of a character, draw by draw.

This project's own; docs/audit.md has the rules.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_positive
from skinproof.audit.paths import Paths
from skinproof.audit.reach import Reach
from skinproof.audit.spaces import undone
from skinproof.audit.torn import Parts, parts
from skinproof.audit.whole import Nearest, nearest
from skinproof.errors import ComparisonError, OptionError
from skinproof.model import Capture, Character
from skinproof.model.audit import CaptureAudit, DrawAudit, DrawKind, PoseMatch
from skinproof.poses import clip_worlds, palettes
from skinproof.skinning import skin_positions
from skinproof.tolerances import AFFINE_ROW, AUDIT_BLOCK_BYTES, AUDIT_TOLERANCE

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


def audit(
    capture: Capture,
    character: Character,
    /,
    *,
    skin: int | None = None,
    tolerance: float | None = None,
    fps: float = 30.0,
) -> CaptureAudit:
    """Say of every draw what it showed.

    Args:
        capture: the draws.
        character: whose clips they are held against.
        skin: index of the skin that was captured; None: the first that has as many joints as the capture.
        tolerance: metres that a joint's vertices may be off; None: `AUDIT_TOLERANCE` of the skin's diagonal.
        fps: poses per second, in which distances in time are told.

    Raises:
        OptionError: `skin`, `tolerance` or `fps` makes no sense.
        ComparisonError: there is no skin or no clip that moves joints, or the joint names or clips of the capture are
            not the file's.
    """
    fps = require_positive(fps, "fps")
    skin = _skin(capture, character, skin)
    names = tuple(character.joint_name(character.skins[skin], joint) for joint in range(len(character.skins[skin])))
    reach = Reach.of(character, skin)
    limit = reach.diagonal * AUDIT_TOLERANCE if tolerance is None else require_positive(tolerance, "tolerance")
    clip_names = tuple(clip.name for clip in character.clips)
    if capture.joint_count != len(names):
        wrong = DrawKind.WRONG_JOINT_COUNT
        return CaptureAudit(tuple(DrawAudit(n, wrong) for n in range(len(capture))), clip_names, names, limit, fps)
    if capture.joint_names is not None:
        _require_names(capture.joint_names, names)
    if (
        capture.clips is not None
        and len(capture)
        and not (capture.clips.min() >= 0 and capture.clips.max() < len(clip_names))
    ):
        raise ComparisonError(f"clips: the capture names a clip that the file does not have; it has {len(clip_names)}")
    held = _Auditor(capture, character, skin, reach, Paths.of(character, skin, reach, tolerance=limit, fps=fps), limit)
    size = max(1, AUDIT_BLOCK_BYTES // (8 * 48 * 8 * len(names) + 64 * len(names) * len(held.paths.clips)))
    draws: list[DrawAudit] = []
    for first in range(0, len(capture), size):
        draws += held.block(first, min(first + size, len(capture)))
    return CaptureAudit(tuple(held.revised(draws)), clip_names, names, limit, fps)


def _skin(capture: Capture, character: Character, skin: int | None) -> int:
    if not character.skins:
        raise ComparisonError("the file has no skin")
    if skin is None:
        counts = [len(one) for one in character.skins]
        return counts.index(capture.joint_count) if capture.joint_count in counts else 0
    if not 0 <= skin < len(character.skins):
        raise OptionError(f"skin: expected one of 0 to {len(character.skins) - 1}, got {skin}")
    return skin


def _require_names(captured: tuple[str, ...], names: tuple[str, ...]) -> None:
    for joint, (mine, its) in enumerate(zip(captured, names, strict=True)):
        if mine != its:
            raise ComparisonError(f"joint_names: joint {joint} is {mine!r} in the capture and {its!r} in the skin")


class _Auditor:
    """What stays the same for all draws of a capture."""

    def __init__(
        self, capture: Capture, character: Character, skin: int, reach: Reach, paths: Paths, limit: float
    ) -> None:
        self.capture, self.character, self.reach, self.paths, self.limit = capture, character, reach, paths, limit
        self.skin = character.skins[skin]
        self.primitives = [
            (one.positions.astype(np.float64), one.influences.joints, one.influences.weights.astype(np.float64))
            for one in character.primitives
            if skin in character.skins_of(one)
        ]

    def block(self, first: int, last: int) -> list[DrawAudit]:
        """Audit draws first … last − 1."""
        captured = self.capture.palettes[first:last].astype(np.float64)
        finite = np.isfinite(captured).reshape(*captured.shape[:2], 16).min(axis=-1)
        draws = [DrawAudit(first + n, DrawKind.NOT_FINITE, joints=_joints(~finite[n])) for n in range(last - first)]
        sound = np.flatnonzero(finite.all(axis=1))
        if len(sound) == 0:
            return draws
        found = self._nearest(captured[sound])
        for n, draw in enumerate(sound):
            match = self._match(found.pieces[n], found.shares[n])
            draws[draw] = DrawAudit(first + int(draw), DrawKind.WHOLE, nearest=match)
        broken = np.flatnonzero(~found.whole)
        if len(broken):
            self._take_apart(captured[sound[broken]], [int(n) for n in sound[broken]], draws)
        return self._held_to_times(draws, captured)

    def _points(self, captured: Array) -> tuple[Array, Array]:
        """Return coordinates and tolerances; what is no affine matrix is put where no clip goes."""
        coordinates = self.reach.coordinates(captured)
        affine = (np.abs(captured[..., 3, :] - (0, 0, 0, 1)) <= AFFINE_ROW).all(axis=-1)
        far = 1e3 * (self.reach.diagonal + np.abs(self.paths.pieces[:, :, 0]).max())
        coordinates[~affine] = far
        tolerances = self.limit + self.reach.rounding(captured)
        return coordinates, np.where(affine, tolerances, self.limit)

    def _nearest(self, captured: Array) -> Nearest:
        return nearest(self.paths, *self._points(captured))

    def _match(self, piece: int, share: float, joints: tuple[int, ...] = ()) -> PoseMatch:
        time = self.paths.times(np.array([piece]), np.array([share]))[0]
        return PoseMatch(int(self.paths.clips[piece]), float(time), joints)

    def _take_apart(self, captured: Array, places: list[int], draws: list[DrawAudit]) -> None:
        """Replace the draws at `places`, which show no pose as a whole."""
        torn, unexplained = [], []
        for n, (place, found) in enumerate(zip(places, parts(self.paths, *self._points(captured)), strict=True)):
            if len(found.whole):
                match = self._match(found.pieces[found.whole[0]], found.shares[found.whole[0]])
                draws[place] = replace(draws[place], nearest=match)
            elif (filled := _filled(captured[n], found)).any():
                draws[place] = replace(draws[place], kind=DrawKind.IDENTITY_FILLED, joints=_joints(filled))
            elif found.explained:
                draws[place] = self._torn(draws[place], found)
                torn.append(n)
            else:
                unexplained.append(n)
                lost = _joints(found.taken < 0)
                draws[place] = replace(draws[place], kind=DrawKind.UNEXPLAINED, joints=lost)
        moved = self._displacements(captured[torn], [draws[places[n]] for n in torn])
        for n, metres in zip(torn, moved, strict=True):
            draws[places[n]] = replace(draws[places[n]], displacement=float(metres))
        left = np.array([n for n in unexplained if draws[places[n]].kind is DrawKind.UNEXPLAINED], np.intp)
        for name, palette in undone(self.skin, captured[left]):
            if len(left) == 0:
                break
            whole = np.zeros(len(left), np.bool_)
            usable = np.isfinite(palette).all(axis=(1, 2, 3))
            if usable.any():
                found_again = self._nearest(palette[usable])
                whole[usable] = found_again.whole
            for n in left[whole]:
                draws[places[n]] = replace(draws[places[n]], kind=DrawKind.WRONG_SPACE, detail=name, joints=())

    def _torn(self, draw: DrawAudit, found: Parts) -> DrawAudit:
        matches = tuple(
            self._match(found.pieces[group], found.shares[group], _joints(found.taken == group))
            for group in range(len(found.pieces))
        )
        ambiguous = _joints(found.stands.sum(axis=0) > 1)
        return replace(draw, kind=DrawKind.TORN, parts=matches, ambiguous=ambiguous)

    def _displacements(self, captured: Array, draws: list[DrawAudit]) -> Array:
        """Return how far the worst vertex of each draw lies from where its nearest pose puts it, metres."""
        worst = np.zeros(len(draws))
        matches = [draw.nearest for draw in draws]
        clips = np.array([match.clip for match in matches if match], np.intp)
        times = np.array([match.time for match in matches if match])
        for clip in np.unique(clips):
            own = np.flatnonzero(clips == clip)
            for first in range(0, len(own), 16):
                some = own[first : first + 16]
                worlds = clip_worlds(self.character.nodes, self.character.clips[clip], times[some])
                both = np.concatenate([captured[some], palettes(self.skin, worlds)])
                for positions, joints, weights in self.primitives:
                    posed = skin_positions(positions, joints, weights, both)
                    away = np.linalg.norm(posed[: len(some)] - posed[len(some) :], axis=-1)
                    worst[some] = np.maximum(worst[some], away.max(axis=1, initial=0.0))
        return worst

    def _held_to_times(self, draws: list[DrawAudit], captured: Array) -> list[DrawAudit]:
        """Turn whole draws that do not stand at the time they were meant to show into stale ones."""
        times, clips = self.capture.times, self.capture.clips
        whole = [n for n, draw in enumerate(draws) if draw.kind is DrawKind.WHOLE]
        if times is None or not whole:
            return draws
        number = np.array([draws[n].draw for n in whole])
        shown = [draws[n].nearest for n in whole]
        meant = np.array([match.clip for match in shown if match]) if clips is None else clips[number].astype(np.intp)
        pieces, shares = self.paths.located(meant, times[number])
        coordinates, tolerances = self._points(captured[whole])
        off = np.linalg.norm(self.paths.at(pieces, shares) - coordinates, axis=-1)
        right = (off <= tolerances + self.paths.errors[pieces]).all(axis=1)
        for k, n in enumerate(whole):
            match = shown[k]
            assert match is not None
            if not right[k]:
                lag = float(times[number[k]]) - match.time if match.clip == meant[k] else None
                draws[n] = replace(draws[n], kind=DrawKind.STALE, lag=lag)
            else:
                draws[n] = replace(draws[n], nearest=self._match(pieces[k], float(shares[k])))
        return draws

    def revised(self, draws: list[DrawAudit]) -> list[DrawAudit]:
        """Turn whole draws that show another pose than the last whole draw of their revision into stale ones."""
        revisions = self.capture.revisions
        if revisions is None:
            return draws
        last: dict[int, int] = {}
        for draw in draws:
            if draw.kind is DrawKind.WHOLE:
                last[int(revisions[draw.draw])] = draw.draw
        made = []
        for draw in draws:
            final = last.get(int(revisions[draw.draw]), draw.draw)
            if draw.kind is DrawKind.WHOLE and final != draw.draw and not self._alike(draw.draw, final):
                now, then = draws[final].nearest, draw.nearest
                assert now is not None
                assert then is not None
                lag = now.time - then.time if now.clip == then.clip else None
                draw = replace(draw, kind=DrawKind.STALE, lag=lag)
            made.append(draw)
        return made

    def _alike(self, one: int, other: int) -> bool:
        both = self.capture.palettes[[one, other]].astype(np.float64)
        coordinates, tolerances = self._points(both)
        return bool((np.linalg.norm(coordinates[0] - coordinates[1], axis=-1) <= 2 * tolerances[0]).all())


def _filled(captured: Array, found: Parts) -> Mask:
    """Joints that are exactly the identity, where no pose has it or the pose that has it shows nothing else.

    Clips may well begin in the bind pose: a hole filled with the identity then looks like a joint from there.
    """
    identity: Mask = (captured == np.eye(4)).all(axis=(1, 2))
    filled = identity & (found.taken < 0)
    for group in range(len(found.pieces)):
        own = found.taken == group
        if group and identity[own].all():
            filled |= own
    return filled


def _joints(mask: Mask) -> tuple[int, ...]:
    return tuple(np.flatnonzero(mask).tolist())
