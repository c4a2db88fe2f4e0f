"""The body of the made character: rounded limbs blended into one closed surface.

The blend is the soft minimum −k·log Σ exp(−dᵢ/k) of the limbs' distances (a "soft object" as in J. F. Blinn,
"A Generalization of Algebraic Surface Drawing", 1982).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.demo.rig import Rig
from skinproof.demo.surface import Surface, make_surface

_BLEND = 0.012
"""k of the soft minimum, metres: how far two limbs melt into each other. Wider, and the arms grow onto the chest."""

_STEP = 0.018
"""Cell size, metres: some 9,000 vertices, and two cells across a thumb."""

_Point = tuple[float, float, float]
_Limb = tuple[str, _Point, _Point, float, float, float, float]
"""Joint, first centre, last centre, first radius, last radius, width (x) and depth (z) as shares of the radius."""

_LIMBS: tuple[_Limb, ...] = (
    ("hips", (0.0, 0.920, -0.010), (0.0, 0.990, -0.005), 0.108, 0.104, 1.50, 1.00),
    ("spine", (0.0, 1.000, -0.005), (0.0, 1.110, 0.005), 0.104, 0.098, 1.45, 1.00),
    ("chest", (0.0, 1.120, 0.005), (0.0, 1.260, 0.005), 0.098, 0.104, 1.50, 1.05),
    ("upper_chest", (0.0, 1.270, 0.005), (0.0, 1.360, -0.005), 0.104, 0.092, 1.70, 1.05),
    ("neck", (0.0, 1.440, -0.010), (0.0, 1.560, 0.005), 0.064, 0.056, 1.00, 1.00),
    ("head", (0.0, 1.690, 0.005), (0.0, 1.710, 0.005), 0.132, 0.132, 0.95, 1.00),
    ("head", (0.0, 1.625, 0.030), (0.0, 1.625, 0.035), 0.090, 0.090, 1.10, 1.00),
    ("head", (0.0, 1.665, 0.135), (0.0, 1.655, 0.150), 0.022, 0.028, 1.00, 1.00),
)
_SIDE_LIMBS: tuple[_Limb, ...] = (
    ("head", (0.047, 1.712, 0.122), (0.048, 1.714, 0.124), 0.024, 0.024, 1.00, 1.00),
    ("head", (0.125, 1.680, -0.005), (0.148, 1.705, -0.015), 0.026, 0.032, 1.00, 0.80),
    ("clavicle", (0.050, 1.400, -0.005), (0.150, 1.400, -0.010), 0.070, 0.070, 1.00, 1.00),
    ("upper_arm", (0.175, 1.395, -0.010), (0.370, 1.246, -0.010), 0.068, 0.048, 1.00, 1.00),
    ("forearm", (0.382, 1.236, -0.010), (0.478, 1.156, -0.005), 0.049, 0.049, 1.00, 1.00),
    ("forearm_twist", (0.478, 1.156, -0.005), (0.570, 1.078, 0.000), 0.048, 0.036, 1.00, 1.00),
    ("hand", (0.595, 1.058, 0.002), (0.635, 1.024, 0.002), 0.040, 0.048, 1.00, 1.00),
    ("fingers", (0.645, 1.016, 0.002), (0.705, 0.962, 0.002), 0.042, 0.032, 1.00, 1.15),
    ("thumb", (0.600, 1.058, 0.032), (0.634, 1.022, 0.082), 0.028, 0.024, 1.00, 1.00),
    ("thigh", (0.098, 0.890, -0.005), (0.110, 0.520, 0.010), 0.096, 0.062, 1.00, 1.00),
    ("shin", (0.110, 0.490, 0.005), (0.117, 0.120, -0.018), 0.063, 0.045, 1.00, 1.00),
    ("shin", (0.114, 0.390, -0.028), (0.115, 0.290, -0.024), 0.050, 0.042, 1.00, 1.00),
    ("foot", (0.117, 0.060, -0.045), (0.126, 0.052, 0.090), 0.055, 0.054, 1.00, 1.00),
    ("toes", (0.128, 0.048, 0.100), (0.136, 0.044, 0.165), 0.052, 0.044, 1.10, 1.00),
)


class Body:
    """The limbs of the body, each belonging to one joint.

    Attributes:
        joint_of_limb: int64 [limbs], index into the rig.
    """

    def __init__(self, rig: Rig, /) -> None:
        limbs = list(_LIMBS)
        for name, start, end, first, last, width, depth in _SIDE_LIMBS:
            left, right = (name, name) if name in rig.names else (f"{name}_l", f"{name}_r")
            limbs.append((left, start, end, first, last, width, depth))
            limbs.append((right, _mirror(start), _mirror(end), first, last, width, depth))
        self.joint_of_limb = np.array([rig.index(name) for name, *_ in limbs], dtype=np.int64)
        self._limbs = [limb[1:] for limb in limbs]

    def distances(self, points: NDArray[np.float64], /) -> NDArray[np.float64]:
        """Distance of each of float64 [n, 3] points to the surface of each limb, float64 [n, limbs], metres."""
        columns = []
        for start, end, first_radius, last_radius, width, depth in self._limbs:
            squash = np.array([1.0 / width, 1.0, 1.0 / depth])
            along = (np.array(end) - start) * squash
            offset = (points - start) * squash
            share = np.clip(offset @ along / (along @ along), 0.0, 1.0)
            offset -= share[:, None] * along
            radius = first_radius + (last_radius - first_radius) * share
            columns.append(np.sqrt(np.einsum("ij,ij->i", offset, offset)) - radius)
        return np.stack(columns, axis=1)

    def field(self, points: NDArray[np.float64], /) -> NDArray[np.float64]:
        """The limbs blended into one: float64 [n], metres, negative inside."""
        distances = self.distances(points)
        nearest = distances.min(axis=1)
        total = np.exp((nearest[:, None] - distances) / _BLEND).sum(axis=1)
        blended: NDArray[np.float64] = nearest - _BLEND * np.log(total)
        return blended

    def surface(self) -> Surface:
        """The skin, closed, a vertex of every quad column on the plane x = 0 so that it can be cut there."""
        half = 43  # cells on each side of the middle column
        width = 2 * half + 1
        return make_surface(self.field, low=(-_STEP * width / 2.0, -0.041, -0.185), cells=(width, 107, 25), step=_STEP)


def _mirror(point: _Point) -> _Point:
    return (-point[0], point[1], point[2])
