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
        OptionError: a job's joints are no range of step 1 inside the topology.
    """
    candidate = owner.begin(revision)
    futures = [executor.submit(_fill, candidate, joints, write) for joints, write in jobs]
    wait(futures)
    errors = [error for future in futures if (error := future.exception()) is not None]
    if errors:
        raise BaseExceptionGroup(f"{len(errors)} of {len(futures)} jobs failed; nothing was committed", errors)
    return candidate.commit()


def _fill(candidate: _publish.Candidate, joints: range, write: Callable[[NDArray[np.float32]], object]) -> None:
    if joints.step != 1 or joints.start < 0:
        raise OptionError(f"jobs: {joints} is no range of joints with step 1")
    with candidate.range(joints.start, len(joints)) as matrices:
        write(matrices)
