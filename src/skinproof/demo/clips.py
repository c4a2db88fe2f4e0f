"""The clips of the made character: a walk (linear keys) and a bend (cubic splines with flat tangents).

Angles are radians about the world's axes: +X turns a hanging limb backwards, a standing one forwards.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from skinproof.demo.rig import Rig
from skinproof.model import Channel, Clip, Interpolation, Path

_WALK_SECONDS = 1.2
_WALK_KEYS = 25
_ARM_DOWN = 0.62
"""How far an arm sinks from its rest pose to hang beside the body, radians."""

Rotation = tuple[float, float, float]
"""Angles about X, Y, Z; Z is applied first."""


def make_clips(rig: Rig, /) -> tuple[Clip, ...]:
    """Return the walk and the bend; channel nodes are the joints' indices in `rig`."""
    return (_walk(rig), _bend(rig))


def _walk(rig: Rig) -> Clip:
    """A walk on the spot: legs and arms swing against each other, the trunk twists and bobs."""
    times = np.linspace(0.0, _WALK_SECONDS, _WALK_KEYS)
    turns: dict[str, list[Rotation]] = {}
    hips = []
    for phase in np.linspace(0.0, 2.0 * math.pi, _WALK_KEYS):
        hips.append(rig.pivots[rig.index("hips")] + [0.012 * math.sin(phase), 0.018 * math.cos(2.0 * phase), 0.0])
        for name, turn in _walk_pose(float(phase)).items():
            turns.setdefault(name, []).append(turn)
    channels = [Channel(rig.index("hips"), Path.TRANSLATION, Interpolation.LINEAR, times, np.array(hips))]
    channels += [
        Channel(rig.index(name), Path.ROTATION, Interpolation.LINEAR, times, _quaternions(poses))
        for name, poses in turns.items()
    ]
    return Clip("walk", tuple(channels))


def _walk_pose(phase: float) -> dict[str, Rotation]:
    sway = math.sin(phase)
    pose: dict[str, Rotation] = {
        "hips": (0.03, 0.10 * sway, 0.05 * math.cos(phase)),
        "spine": (0.04, -0.06 * sway, -0.04 * math.cos(phase)),
        "chest": (0.03, -0.08 * sway, 0.0),
        "upper_chest": (0.0, -0.06 * sway, 0.0),
        "neck": (-0.03, 0.05 * sway, 0.0),
        "head": (-0.04 + 0.03 * math.cos(2.0 * phase), 0.05 * sway, 0.0),
    }
    for side, sign, own in (("_l", 1.0, phase), ("_r", -1.0, phase + math.pi)):
        lift = max(0.0, math.cos(own))
        pose |= {
            f"thigh{side}": (-0.08 - 0.48 * math.sin(own), 0.0, 0.0),
            f"shin{side}": (0.12 + 0.95 * lift**2, 0.0, 0.0),
            f"foot{side}": (0.05 - 0.25 * math.sin(own) + 0.30 * lift**2, 0.0, 0.0),
            f"toes{side}": (-0.35 * max(0.0, -math.sin(own)), 0.0, 0.0),
            f"clavicle{side}": (0.0, -0.08 * sign * math.sin(own), 0.05 * sign),
            f"upper_arm{side}": (0.55 * math.sin(own), 0.0, -sign * _ARM_DOWN),
            f"forearm{side}": (-0.40 + 0.25 * math.sin(own), 0.0, 0.0),
            f"forearm_twist{side}": (0.0, 0.30 * sign * math.sin(own), 0.0),
            f"hand{side}": (-0.10, 0.15 * sign * math.sin(own), 0.0),
            f"fingers{side}": (0.0, 0.0, -sign * (0.30 + 0.10 * math.sin(own))),
            f"thumb{side}": (0.10 + 0.08 * math.sin(own), 0.0, -sign * 0.15),
        }
    return pose


def _bend(rig: Rig) -> Clip:
    """Reach up, bow down into a crouch with a twist to one side, and come back."""
    reach = _mirrored(
        {"clavicle": (0.0, 0.0, 0.35), "upper_arm": (0.0, 0.0, 1.55), "forearm": (-0.15, 0.0, 0.20)},
        {"hips": (-0.04, 0.0, 0.0), "spine": (-0.14, 0.0, 0.0), "chest": (-0.16, 0.0, 0.0), "head": (-0.30, 0.0, 0.0)},
    )
    bow = _mirrored(
        {
            "thigh": (-1.25, 0.0, 0.10),
            "shin": (1.15, 0.0, 0.0),
            "foot": (-0.30, 0.0, 0.0),
            "clavicle": (-0.10, -0.15, -0.10),
            "upper_arm": (-1.10, 0.0, -0.55),
            "forearm": (-0.35, 0.0, 0.0),
            "forearm_twist": (0.0, 0.70, 0.0),
            "hand": (-0.30, 0.0, -0.20),
            "fingers": (0.0, 0.0, -0.90),
            "thumb": (0.30, 0.0, -0.50),
            "toes": (-0.20, 0.0, 0.0),
        },
        {
            "hips": (0.40, 0.0, 0.0),
            "spine": (0.40, 0.10, 0.0),
            "chest": (0.40, 0.20, 0.0),
            "upper_chest": (0.25, 0.20, 0.10),
            "neck": (-0.30, 0.15, 0.0),
            "head": (-0.35, 0.25, 0.10),
        },
    )
    times = np.array([0.0, 0.7, 1.6, 2.4])
    offsets = np.array([[0.0, 0.0, 0.0], [0.0, 0.01, 0.0], [0.0, -0.21, -0.10], [0.0, 0.0, 0.0]])
    hips = rig.pivots[rig.index("hips")] + offsets
    channels = [Channel(rig.index("hips"), Path.TRANSLATION, Interpolation.CUBICSPLINE, times, _eased(hips))]
    still = (0.0, 0.0, 0.0)
    for name in bow:
        keys = _quaternions([still, reach.get(name, still), bow[name], still])
        channels.append(Channel(rig.index(name), Path.ROTATION, Interpolation.CUBICSPLINE, times, _eased(keys)))
    return Clip("bend", tuple(channels))


def _mirrored(left: Mapping[str, Rotation], middle: Mapping[str, Rotation]) -> dict[str, Rotation]:
    """Turns of both sides' joints from those of the left side, and those of the middle as they are."""
    turns = dict(middle)
    for name, (x, y, z) in left.items():
        turns[f"{name}_l"], turns[f"{name}_r"] = (x, y, z), (x, -y, -z)
    return turns


def _quaternions(turns: Sequence[Rotation]) -> NDArray[np.float64]:
    """Unit quaternions x, y, z, w of Rx·Ry·Rz, float64 [n, 4]."""
    half = 0.5 * np.array(turns, dtype=np.float64)
    (sx, sy, sz), (cx, cy, cz) = np.sin(half).T, np.cos(half).T
    return np.stack(
        [
            sx * cy * cz + cx * sy * sz,
            cx * sy * cz - sx * cy * sz,
            cx * cy * sz + sx * sy * cz,
            cx * cy * cz - sx * sy * sz,
        ],
        axis=1,
    )


def _eased(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cubic spline keys float64 [T, 3, C] through `values` with flat tangents."""
    flat = np.zeros_like(values)
    return np.stack([flat, values, flat], axis=1)
