"""A channel at any time: LINEAR, STEP and CUBICSPLINE (glTF 2.0, section 3.11 and appendix C)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.model import Channel, Interpolation, Path
from skinproof.poses.quaternions import normalized, slerp

Array = NDArray[np.float64]


def sample_channel(channel: Channel, times: Array, /) -> Array:
    """Return the channel's values at `times`, float64 [P, C]; rotations at unit length.

    Before the first key the first value holds, after the last key the last; a single key holds at all times.
    At a key's own time the value is that key's, exactly (rotations: normalized), in all three interpolations.

    Args:
        channel: T ≥ 1 keys.
        times: float64 [P], seconds, in any order.

    Raises:
        ArrayError: a rotation has no direction (a stored quaternion of length zero, or a spline through zero).
    """
    clamped = np.clip(times, channel.times[0], channel.times[-1])
    keys = np.searchsorted(channel.times, clamped, side="right") - 1  # the last key at or before each time
    if channel.interpolation is Interpolation.STEP:
        return _unit(channel, channel.values[keys])
    following = np.minimum(keys + 1, len(channel.times) - 1)
    interval = channel.times[following] - channel.times[keys]
    # On the last key the interval is empty, and its start is the value wanted.
    fraction = np.where(interval > 0, (clamped - channel.times[keys]) / np.where(interval > 0, interval, 1.0), 0.0)
    if channel.interpolation is Interpolation.CUBICSPLINE:
        return _unit(channel, _cubic(channel.values[keys], channel.values[following], interval, fraction))
    if channel.path is Path.ROTATION:
        start, end = _unit(channel, channel.values[keys]), _unit(channel, channel.values[following])
        return np.where(fraction[:, np.newaxis] == 0, start, slerp(start, end, fraction))
    t = fraction[:, np.newaxis]
    linear: Array = (1 - t) * channel.values[keys] + t * channel.values[following]
    return linear


def _cubic(start: Array, end: Array, interval: Array, fraction: Array) -> Array:
    """Hermite splines between keys [P, 3, C]; tangents are per second, so the interval scales them."""
    t = fraction[:, np.newaxis]
    scale = interval[:, np.newaxis]
    t2, t3 = t * t, t * t * t
    spline: Array = (
        (2 * t3 - 3 * t2 + 1) * start[:, 1]
        + scale * (t3 - 2 * t2 + t) * start[:, 2]
        + (-2 * t3 + 3 * t2) * end[:, 1]
        + scale * (t3 - t2) * end[:, 0]
    )
    return spline


def _unit(channel: Channel, values: Array) -> Array:
    if channel.path is not Path.ROTATION:
        return values
    return normalized(values, name=channel.pointer or f"rotation of node {channel.node}")
