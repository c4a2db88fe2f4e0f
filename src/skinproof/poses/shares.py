"""How much of the time each pose stands for, so that a mean over poses is a mean over time.

The trapezoidal rule: P. J. Davis, P. Rabinowitz, "Methods of Numerical Integration", 1984, section 2.1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from skinproof.poses.schedule import ClipSchedule

Array = NDArray[np.float64]


def time_shares(clip: ClipSchedule, /) -> Array:
    """Return the share of each pose of a clip in all of the schedule, float64 [P], summing to the clip's weight.

    A pose stands for the time from halfway to the pose before it to halfway to the pose after it, so that keys that
    lie close together count no more than they last. Made poses, and clips without duration, count equally.
    """
    count = clip.pose_count
    if clip.times is None or count < 2 or not clip.duration > 0.0:
        return np.full(count, clip.weight / max(count, 1))
    spans = np.diff(clip.times)
    halves = np.zeros(count)
    halves[:-1] += spans
    halves[1:] += spans
    shares: Array = halves * (clip.weight / halves.sum())
    return shares
