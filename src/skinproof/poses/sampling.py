"""A channel at any time: LINEAR, STEP and CUBICSPLINE (glTF 2.0, section 3.11 and appendix C)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_array
from skinproof._native import _core
from skinproof.errors import ArrayError
from skinproof.model import Channel, Interpolation, Path

Array = NDArray[np.float64]
Parts = tuple[int, int, int, Array, Array]
"""A channel as the core takes it: node, path, interpolation, times [T], values [T, C], of splines [T, 3 · C]."""

# The core's numbers: enumerations of cpp/posing.hpp.
_INTERPOLATIONS: Mapping[Interpolation, int] = {
    Interpolation.LINEAR: 0,
    Interpolation.STEP: 1,
    Interpolation.CUBICSPLINE: 2,
}
_PATHS: Mapping[Path, int] = {Path.TRANSLATION: 0, Path.ROTATION: 1, Path.SCALE: 2, Path.WEIGHTS: 3}
_WIDTHS: Mapping[Path, int] = {Path.TRANSLATION: 3, Path.ROTATION: 4, Path.SCALE: 3}


def sample_channel(channel: Channel, times: Array, /) -> Array:
    """Return the channel's values at `times`, float64 [P, C]; rotations at unit length. The same bits everywhere.

    Before the first key the first value holds, after the last key the last; a single key holds at all times.
    At a key's own time the value is that key's, exactly (rotations: normalized), in all three interpolations.

    Args:
        channel: T ≥ 1 keys.
        times: float64 [P], seconds, in any order.

    Raises:
        ArrayError: a rotation has no direction (a stored quaternion of length zero, or a spline through zero), or the
            values have not as many entries as the path has.
    """
    times = require_array(times, "times", dtypes=[np.float64], shape=("P",))
    out = np.empty((len(times), channel.values.shape[-1]))
    if not _core.sample_channel(core_channel(channel), times, out):
        raise without_direction(channel)
    return out


def core_channel(channel: Channel, /) -> Parts:
    """Return a channel as the core takes it.

    Raises:
        ArrayError: there is no key, or the values have not as many entries as the path has.
    """
    width = _WIDTHS.get(channel.path, channel.values.shape[-1])
    if len(channel.times) == 0 or channel.values.shape[-1] != width:
        raise ArrayError(f"{_name(channel)}: expected keys of {width} numbers, got values {channel.values.shape}")
    values = channel.values.reshape(len(channel.values), -1)
    return channel.node, _PATHS[channel.path], _INTERPOLATIONS[channel.interpolation], channel.times, values


def without_direction(channel: Channel, /) -> ArrayError:
    """Return the error that names a channel of whose rotations one has no direction."""
    return ArrayError(f"{_name(channel)}: a rotation has length zero or is not finite")


def _name(channel: Channel) -> str:
    return channel.pointer or f"{channel.path} of node {channel.node}"
