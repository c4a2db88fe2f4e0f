"""The usual use in one call: jobs on an executor fill a candidate, then it is committed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Executor, wait
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from skinproof._native import _publish
from skinproof.errors import OptionError
from skinproof.publish.revision import RevisionLike

Job: TypeAlias = tuple[range, Callable[[NDArray[np.float32]], object]]
"""Joints first … last of one job, and what writes them: it is given their matrices, float32 [count, 4, 4], in place."""


def publish_jobs(
    owner: _publish.Owner, revision: RevisionLike, jobs: Iterable[Job], *, executor: Executor
) -> _publish.CommitResult:
    """Run every job on `executor`, in any order, each on its own joints; commit when all are done.

    The executor must run its jobs in this process (threads): candidates cannot be reached from another one.

    Raises:
        ExceptionGroup: jobs raised; nothing was committed.
        OptionError: a job is no pair of joints and function, or its joints are no range of step 1 inside the topology;
            no job was started.
    """
    candidate = owner.begin(revision)
    checked = [_checked(job, index, candidate.joint_count) for index, job in enumerate(jobs)]
    futures = [executor.submit(_fill, candidate, joints, write) for joints, write in checked]
    wait(futures)
    errors = [error for future in futures if (error := future.exception()) is not None]
    if errors:
        raise BaseExceptionGroup(f"{len(errors)} of {len(futures)} jobs failed; nothing was committed", errors)
    return candidate.commit()


def _checked(job: object, index: int, joint_count: int) -> Job:
    match job:
        case (range() as joints, write) if callable(write):
            if joints.step == 1 and 0 <= joints.start < joints.stop <= joint_count:
                return joints, write
            raise OptionError(f"jobs[{index}]: {joints} is no range of joints in 0 … {joint_count - 1} with step 1")
    raise OptionError(f"jobs[{index}]: expected (range, function), got {job!r}")


def _fill(candidate: _publish.Candidate, joints: range, write: Callable[[NDArray[np.float32]], object]) -> None:
    with candidate.range(joints.start, len(joints)) as matrices:
        write(matrices)
