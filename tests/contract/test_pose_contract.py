"""The pose contract, through the public interface: its fixed numbers, then rule by rule.

The same rules are tested on the core without Python in cpp/tests/publish, where verify/faults.toml seeds a fault for
each of them.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from palettes import owner, palette, seen, topology, xs
from skinproof.errors import ArrayError, OptionError, PublishError
from skinproof.publish import CommitStatus, PaletteOwner, Revision, publish_jobs


def filled(candidate, *values):
    for joint, x in enumerate(values):
        candidate.write(joint, palette(x)[0])
    return candidate


def test_the_fixed_numbers():
    character = owner(0, 0, 0, 0)
    assert seen(character) == (0, [0, 0, 0, 0])
    assert character.request(1)

    result = filled(character.begin(1), 1, 2, 3).commit()
    assert (result.status, result.missing) == (CommitStatus.INCOMPLETE, (3,))
    assert seen(character) == (0, [0, 0, 0, 0])

    candidate = filled(character.begin(1), 1, 2, 3)
    candidate.write(1, palette(4)[0])  # four writings, joint 1 twice, joint 3 never
    result = candidate.commit()
    assert (result.status, result.missing, result.written_twice) == (CommitStatus.INCOMPLETE, (3,), (1,))
    assert seen(character) == (0, [0, 0, 0, 0])

    result = filled(character.begin(1), 1, 2, math.nan, 4).commit()
    assert (result.status, result.not_finite) == (CommitStatus.INVALID_MATRIX, (2,))
    assert seen(character) == (0, [0, 0, 0, 0])

    candidate = filled(character.begin(1), 1, 2, 3, 4)
    assert character.request(2)
    result = candidate.commit()
    assert (result.status, result.revision, result.requested) == (CommitStatus.STALE_REVISION, (1, 0), (2, 0))
    assert seen(character) == (0, [0, 0, 0, 0])

    candidate = character.begin(2)
    with candidate.range(0, 4) as matrices:
        matrices[...] = palette(11, 22, 33, 44)
    assert candidate.commit().status is CommitStatus.COMMITTED
    assert seen(character) == (2, [11, 22, 33, 44])
    with character.acquire() as snapshot:
        assert (snapshot.palette[3] @ [0, 0, 0, 1]).tolist() == [44, 0, 0, 1]

        matrices[0, 0, 3] = 999  # the committed candidate's own memory
        assert xs(snapshot) == [11, 22, 33, 44]
    assert seen(character) == (2, [11, 22, 33, 44])


def test_the_gates_come_in_order():
    character = owner(0, 0)
    character.request(1)
    every_fault = filled(character.begin(1), math.inf)
    two_faults = filled(character.begin(1), math.inf, 1)
    character.request(2)
    assert every_fault.commit().status is CommitStatus.INCOMPLETE
    assert two_faults.commit().status is CommitStatus.INVALID_MATRIX
    assert seen(character) == (0, [0, 0])


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("entry", range(16))
def test_one_bad_entry_anywhere_kills_the_candidate(value, entry):
    character = owner(0, 0, 0)
    character.request(1)
    matrices = palette(1, 2, 3)
    matrices[1].reshape(16)[entry] = value
    result = character.publish(1, matrices)
    assert (result.status, result.not_finite) == (CommitStatus.INVALID_MATRIX, (1,))
    assert seen(character) == (0, [0, 0, 0])


def test_a_dead_candidate_cannot_be_mended():
    character = owner(0, 0)
    character.request(1)
    candidate = filled(character.begin(1), 1, math.nan)
    assert not candidate.commit()
    assert candidate.is_over
    for use in (lambda: candidate.write(1, palette(2)[0]), lambda: candidate.range(0, 1), candidate.commit):
        with pytest.raises(PublishError, match="the candidate is over"):
            use()


def test_a_range_that_ends_after_the_commit_is_too_late():
    character = owner(0, 0)
    character.request(1)
    candidate = character.begin(1)
    with pytest.raises(PublishError, match="the candidate is over"), candidate.range(0, 1):
        assert filled(candidate, 1, 2).commit()
    assert seen(character) == (1, [1, 2])


def test_an_incomplete_candidate_stays_open():
    character = owner(0, 0)
    character.request(1)
    candidate = filled(character.begin(1), 1)
    assert candidate.commit().missing == (1,) == candidate.missing
    candidate.write(1, palette(2)[0])
    assert candidate.commit()
    assert seen(character) == (1, [1, 2])


def test_a_job_that_raises_leaves_its_joints_missing():
    character = owner(0, 0)
    character.request(1)
    candidate = character.begin(1)
    with pytest.raises(ZeroDivisionError), candidate.range(0, 2) as matrices:
        matrices[...] = 1 // 0
    assert candidate.commit().missing == (0, 1)


def test_twice_is_committed_and_reported():
    character = owner(0, 0)
    character.request(1)
    candidate = filled(character.begin(1), 1, 2)
    candidate.write_range(1, palette(5))
    result = candidate.commit()
    assert result
    assert result.written_twice == (1,)
    assert seen(character) == (1, [1, 5])


def test_a_candidate_belongs_to_the_request_it_was_begun_under():
    character = owner(0, 0)
    character.request(1)
    first = filled(character.begin(1), 1, 1)
    character.request(2)
    character.request(1)
    assert first.commit().status is CommitStatus.STALE_REVISION
    second = filled(character.begin(1), 2, 2)
    assert not character.request(1)  # the current one: nothing changes
    assert second.commit()
    assert character.request((1, 1)), "the graph version is half of the identity"
    early = filled(character.begin(7), 3, 3)
    character.request(7)
    assert early.commit().status is CommitStatus.STALE_REVISION
    assert character.requested == Revision(7, 0)


def test_what_is_given_is_copied():
    first = palette(1, 2)
    character = PaletteOwner(first, topology(2))
    first[...] = 7
    assert seen(character) == (0, [1, 2])
    work = palette(3, 4)
    character.request(1)
    source = character.source(work)
    assert source.publish(1)
    work[...] = 7
    assert seen(character) == (1, [3, 4])


def test_a_snapshot_holds_for_the_whole_draw():
    character = owner(0, 0)
    with character.acquire() as snapshot:
        for tick in range(1, 30):
            character.request(tick)
            assert character.publish(tick, palette(tick, tick))
            assert xs(snapshot) == [0, 0]
            assert seen(character) == (tick, [tick, tick])


def test_no_free_slot_waits_for_nobody_and_ranks_last():
    character = owner(0, 0, slots=2, cells=2)
    character.request(1)
    with character.acquire():
        assert character.publish(1, palette(1, 1))
        character.request(2)
        waiting = filled(character.begin(2), 2, 2)
        assert waiting.commit().status is CommitStatus.NO_FREE_SLOT
        assert character.publish(2, palette(2, math.nan)).status is CommitStatus.INVALID_MATRIX
        assert character.publish(1, palette(2, 2)).status is CommitStatus.STALE_REVISION
        assert seen(character) == (1, [1, 1])
    assert waiting.commit()
    assert seen(character) == (2, [2, 2])


def test_a_topology_change_is_one_publication():
    character = owner(0, 0, max_joints=3)
    stale = filled(character.begin(0), 1, 1)
    with character.acquire() as old:
        assert character.request(0, topology(3, "clothed"))  # a new request, though the revision is the same
        assert stale.commit().status is CommitStatus.STALE_REVISION
        with character.acquire() as still:
            assert (still.joint_names, still.topology_version) == (("joint0", "joint1"), 1)
        assert character.publish(0, palette(1, 2, 3))
        assert (old.joint_names, old.joint_count, xs(old)) == (("joint0", "joint1"), 2, [0, 0])
        assert old.inverse_binds[:, 0, 3].tolist() == [0, 1]
        with character.acquire() as new:
            assert (new.joint_names, new.topology_version) == (("clothed0", "clothed1", "clothed2"), 2)
            assert new.inverse_binds[:, 0, 3].tolist() == [0, 1, 2]


def test_another_joint_count_is_never_accepted():
    character = owner(0, 0, max_joints=3)
    with pytest.raises(OptionError, match="the requested topology has 2 joints, not 3"):
        character.begin(0, joint_count=3)
    for matrices in (palette(1), palette(1, 2, 3)):
        with pytest.raises(ArrayError, match="palette: the requested topology has 2 joints"):
            character.publish(0, matrices)
    with pytest.raises(OptionError, match="4 joints, the owner was made for at most 3"):
        character.request(1, topology(4))
    assert character.requested == (0, 0)


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
        with pytest.raises(ExceptionGroup) as caught:
            publish_jobs(character, 6, [(range(0, 100, 2), np.copy)], executor=pool)
        assert isinstance(caught.value.exceptions[0], OptionError)
    assert seen(character) == (5, list(range(100)))
