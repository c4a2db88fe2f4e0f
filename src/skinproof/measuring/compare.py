"""Whether two characters can be compared vertex by vertex: the same primitives, positions, skins and poses.

What must agree is this project's own choice: docs/measuring.md, "What must agree".
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import ComparisonError
from skinproof.measuring.extent import bounding_corners, diagonal_of
from skinproof.model import Character, Primitive
from skinproof.poses import PoseBlock, PoseSchedule, moves_joints, palettes, rest_worlds
from skinproof.tolerances import SAME_CLOCK, SAME_POSE, SAME_POSITION

Difference = tuple[str, str]
"""What differs, and the remedy."""

_POSES_COMPARED = 5
_SAME_VERTICES = "Compare files with the same vertices in the same order; tools that weld or reorder change them"
_SAME_SKELETON = "Compare files with the same skins, and joints in the same order"
_SAME_POSES = "Compare files with the same skeleton, inverse bind matrices and clips; tools that resample change them"


def require_comparable(original: Character, result: Character, /) -> None:
    """Raise unless the two differ in their influences alone, as far as anybody can see them.

    Displacement is measured in the poses of `original`. If those of `result` were others, the figures would be about
    a character that nobody plays; so its skinning matrices must agree too, at rest and at some times of every clip.
    Names may differ, and nodes that move no skin.

    Raises:
        ComparisonError: the first difference found, where, and what to do about it.
    """
    difference = first_difference(original, result)
    if difference is not None:
        raise refusal(original, result, difference)


def first_difference(original: Character, result: Character, /) -> Difference | None:
    """Return the first difference between two characters beside their influences, or None."""
    # Matrices that overflowed are compared as they are: alike in both, or not.
    with np.errstate(over="ignore", invalid="ignore"):
        return next(_differences(original, result), None)


def refusal(original: Character, result: Character, difference: Difference, /) -> ComparisonError:
    """Return the error that says why two characters cannot be compared."""
    what, remedy = difference
    return ComparisonError(f"{original.name} and {result.name} cannot be compared: {what}. {remedy}.")


def _differences(original: Character, result: Character) -> Iterator[Difference]:
    if len(original.primitives) != len(result.primitives):
        counts = f"{len(original.primitives)} and {len(result.primitives)} primitives with influences"
        yield counts, "Compare files with the same meshes"
    for before, after in zip(original.primitives, result.primitives, strict=True):
        yield from _vertex_differences(before, after)
        if original.skins_of(before) != result.skins_of(after):
            yield f"{before.name} is shown through other skins", _SAME_SKELETON
    made_in_memory = (
        original.nodes is result.nodes and original.skins is result.skins and original.clips is result.clips
    )
    if not made_in_memory:
        yield from _skin_differences(original, result)
        yield from _clip_differences(original, result)
        yield from _pose_differences(original, result)


def _vertex_differences(before: Primitive, after: Primitive) -> Iterator[Difference]:
    if before.vertex_count != after.vertex_count:
        yield f"{before.name} has {before.vertex_count} and {after.vertex_count} vertices", _SAME_VERTICES
    positions = before.positions.astype(np.float64)
    moved = np.linalg.norm(positions - after.positions, axis=1)
    beyond = ~(moved <= SAME_POSITION * diagonal_of(positions))  # what is not a number is not the same either
    if beyond.any():
        count, first = np.count_nonzero(beyond), beyond.argmax()
        yield f"{count} vertices of {before.name} have other positions, the first is vertex {first}", _SAME_VERTICES
    if len(before.targets) != len(after.targets):
        counts = f"{before.name} has {len(before.targets)} and {len(after.targets)} morph targets"
        yield counts, _SAME_VERTICES
    for index, (target, other) in enumerate(zip(before.targets, after.targets, strict=True)):
        if not (np.linalg.norm(target - other, axis=1) <= SAME_POSITION * diagonal_of(positions)).all():
            yield f"morph target {index} of {before.name} moves vertices to other places", _SAME_VERTICES


def _skin_differences(original: Character, result: Character) -> Iterator[Difference]:
    if len(original.skins) != len(result.skins):
        yield f"{len(original.skins)} and {len(result.skins)} skins", _SAME_SKELETON
    for index, (before, after) in enumerate(zip(original.skins, result.skins, strict=True)):
        place = f"skin {before.name or index}"
        if len(before) != len(after):
            yield f"{place} has {len(before)} and {len(after)} joints", _SAME_SKELETON
        names = [original.nodes.names[node] for node in before.joints]
        others = [result.nodes.names[node] for node in after.joints]
        if names != others and all(names) and sorted(names) == sorted(others):
            joint = next(joint for joint, name in enumerate(names) if name != others[joint])
            yield (
                f"{place}: joint {joint} is {names[joint]!r} in one and {others[joint]!r} in the other",
                _SAME_SKELETON,
            )


def _clip_differences(original: Character, result: Character) -> Iterator[Difference]:
    if len(original.clips) != len(result.clips):
        yield f"{len(original.clips)} and {len(result.clips)} clips", _SAME_POSES
    if moves_joints(original) != moves_joints(result):
        yield "the clips of only one of them move joints", _SAME_POSES
    for before, after in zip(original.clips, result.clips, strict=True):
        if abs(before.start - after.start) > SAME_CLOCK or abs(before.end - after.end) > SAME_CLOCK:
            times = f"{before.start:g} … {before.end:g} s and {after.start:g} … {after.end:g} s"
            yield f"clip {before.name} has keys at {times}", _SAME_POSES


def _pose_differences(original: Character, result: Character) -> Iterator[Difference]:
    at_rest = rest_worlds(original.nodes)[np.newaxis], rest_worlds(result.nodes)[np.newaxis]
    yield from _palette_differences(original, result, *at_rest, when="at rest")
    if original.clips or any(primitive.targets for primitive in original.primitives):
        schedules = (PoseSchedule.from_clips(character, samples=_POSES_COMPARED) for character in (original, result))
        for here, there in zip(*(schedule.blocks() for schedule in schedules), strict=True):
            yield from _palette_differences(original, result, here.worlds, there.worlds, when=f"in {here.clip_name}")
            yield from _shape_differences(original, result, here, there)


def _shape_differences(
    original: Character, result: Character, here: PoseBlock, there: PoseBlock
) -> Iterator[Difference]:
    """Yield the primitives that are morphed to other shapes in the same poses."""
    for before, after in zip(original.primitives, result.primitives, strict=True):
        showings = original.showings_of(before), result.showings_of(after)
        if len(showings[0]) != len(showings[1]):
            yield f"{before.name} is shown {len(showings[0])} and {len(showings[1])} times", _SAME_SKELETON
        reaches = [np.linalg.norm(target, axis=1).max(initial=0.0) for target in before.targets]
        allowed = SAME_POSE * diagonal_of(before.positions)
        for one, other in zip(*showings, strict=True):
            weights, others = here.morph_weights[one], there.morph_weights[other]
            if before.targets and not (np.abs(weights - others)[:, : len(reaches)] @ reaches <= allowed).all():
                yield f"{before.name} has other morph weights in {here.clip_name}", _SAME_POSES


def _palette_differences(
    original: Character,
    result: Character,
    worlds: NDArray[np.float64],
    other_worlds: NDArray[np.float64],
    *,
    when: str,
) -> Iterator[Difference]:
    """Yield the joint that differs most in where it puts the corners of the bounding box of what its skin shows.

    Both worlds are float64 [P, N, 4, 4], world_from_node in the same poses; N may differ.
    """
    for index, (before, after) in enumerate(zip(original.skins, result.skins, strict=True)):
        corners = bounding_corners([one for one in original.primitives if index in original.skins_of(one)])
        here = (palettes(before, worlds) @ corners)[:, :, :3]
        there = (palettes(after, other_worlds) @ corners)[:, :, :3]
        if np.array_equal(here, there, equal_nan=True):  # also where matrices overflowed, alike in both
            continue
        apart = np.linalg.norm(here - there, axis=2).max(axis=(0, 2), initial=0.0)
        allowed = SAME_POSE * diagonal_of(np.moveaxis(here, 2, 3).reshape(-1, 3))
        if not (apart <= allowed).all():
            joint = int(np.argmax(apart))
            name = original.joint_name(before, joint)
            where = f"skin {before.name or index}: {name} lies up to {apart[joint]:.3g} m elsewhere {when}"
            yield where, _SAME_POSES
