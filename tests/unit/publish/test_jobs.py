from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from palettes import owner, palette, seen
from skinproof.errors import OptionError
from skinproof.publish import CommitStatus, publish_jobs


def test_jobs_of_an_executor():
    character = owner(*[0] * 100)
    character.request(5)

    def job(first):
        def write(matrices):
            matrices[...] = palette(*range(first, first + len(matrices)))

        return range(first, min(first + 7, 100)), write

    with ThreadPoolExecutor(4) as pool:
        assert publish_jobs(character, 5, [job(first) for first in range(0, 100, 7)], executor=pool)
        assert seen(character) == (5, list(range(100)))

        def fail(matrices):
            raise ValueError("no such clip")

        character.request(6)
        with pytest.raises(ExceptionGroup, match="1 of 2 jobs failed; nothing was committed"):
            publish_jobs(character, 6, [(range(50), np.copy), (range(50, 100), fail)], executor=pool)
    assert seen(character) == (5, list(range(100)))


@pytest.mark.parametrize(
    ("job", "message"),
    [
        ((range(0, 4, 2), np.copy), r"jobs\[1\]: range\(0, 4, 2\) is no range of joints in 0 … 3 with step 1"),
        ((range(2, 5), np.copy), "is no range of joints in 0 … 3"),
        ((range(-1, 2), np.copy), "is no range of joints in 0 … 3"),
        ((range(2, 2), np.copy), "is no range of joints in 0 … 3"),
        ((range(2), None), r"jobs\[1\]: expected \(range, function\)"),
        ((2, np.copy), r"jobs\[1\]: expected \(range, function\)"),
        (3, r"jobs\[1\]: expected \(range, function\), got 3"),
    ],
)
def test_a_wrong_job_is_told_before_any_is_started(job, message):
    character, started = owner(0, 0, 0, 0), []
    character.request(5)
    with ThreadPoolExecutor(1) as pool, pytest.raises(OptionError, match=message):
        publish_jobs(character, 5, [(range(4), started.append), job], executor=pool)
    assert not started
    assert seen(character) == (0, [0, 0, 0, 0])


def test_jobs_of_a_pose_that_is_no_longer_wanted():
    character = owner(0, 0)
    character.request(6)
    jobs = [(range(2), lambda matrices: np.copyto(matrices, palette(1, 1)))]
    with ThreadPoolExecutor(1) as pool:
        result = publish_jobs(character, 5, jobs, executor=pool)
        assert (result.status, result.revision, result.requested) == (CommitStatus.STALE_REVISION, (5, 0), (6, 0))
    assert seen(character) == (0, [0, 0])


def test_a_request_that_comes_while_the_jobs_run():
    character = owner(0, 0)
    character.request(5)

    def overtaken(matrices):
        np.copyto(matrices, palette(1, 1))
        character.request(6)

    with ThreadPoolExecutor(1) as pool:
        result = publish_jobs(character, 5, [(range(2), overtaken)], executor=pool)
    assert (result.status, result.revision, result.requested) == (CommitStatus.STALE_REVISION, (5, 0), (6, 0))
    assert seen(character) == (0, [0, 0])
