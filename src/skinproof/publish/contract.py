"""The fixed numbers of the pose contract, computed by this installation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from skinproof._native import _publish
from skinproof.publish.owner import PaletteOwner
from skinproof.publish.topology import Topology


@dataclass(frozen=True, slots=True)
class PoseStep:
    """One step of the contract's table.

    Attributes:
        what: the step, in words.
        expected: result, active tick and x of the four joints, as the contract has them.
        computed: the same, as this installation has them.
    """

    what: str
    expected: tuple[str, int, tuple[float, ...]]
    computed: tuple[str, int, tuple[float, ...]]

    @property
    def holds(self) -> bool:
        """Whether both are equal; these are small integers, so exactly."""
        return self.expected == self.computed


def fixed_numbers() -> tuple[PoseStep, ...]:
    """Go through the contract's table, step by step, with one owner."""
    start, end = (0.0, 0.0, 0.0, 0.0), (11.0, 22.0, 33.0, 44.0)
    owner = PaletteOwner(_moved(start), Topology(("0", "1", "2", "3"), _moved(start)))
    steps = []

    def step(what: str, result: str, status: str, tick: int, xs: tuple[float, ...]) -> None:
        with owner.acquire() as snapshot:
            shown = snapshot.revision.tick, tuple(snapshot.palette[:, 0, 3].tolist())
        steps.append(PoseStep(what, (status, tick, xs), (result, *shown)))

    owner.request(1)
    three = owner.begin(1)
    three.write_range(0, _moved((1.0, 2.0, 3.0)))
    step("revision 1 requested, three joints completed", _status(three), "INCOMPLETE", 0, start)

    twice = owner.begin(1)
    for joint in (0, 1, 1, 2):
        twice.write(joint, _moved((1.0,))[0])
    result = twice.commit()
    words = f"{result.status.name}, missing: {', '.join(map(str, result.missing))}"
    step("joint 1 written twice, joint 3 never", words, "INCOMPLETE, missing: 3", 0, start)

    result = owner.publish(1, _moved((1.0, 2.0, math.nan, 4.0)))
    step("joint 2 holds NaN", result.status.name, "INVALID_MATRIX", 0, start)

    late = owner.begin(1)
    late.write_range(0, _moved((1.0, 2.0, 3.0, 4.0)))
    owner.request(2)
    step("revision 2 requested, then revision 1 committed whole", _status(late), "STALE_REVISION", 0, start)

    whole = owner.begin(2)
    with whole.range(0, 4) as matrices:
        matrices[...] = _moved(end)
    step("revision 2 committed whole with 11, 22, 33, 44", _status(whole), "COMMITTED", 2, end)

    with owner.acquire() as snapshot:
        vertex = snapshot.palette[3] @ np.array([0, 0, 0, 1], dtype=np.float32)
    step("a vertex at the origin bound to joint 3", f"x = {vertex[0]:g}", "x = 44", 2, end)

    matrices[0, 0, 3] = 999
    step("the committed candidate's joint 0 is then set to 999", "", "", 2, end)
    return tuple(steps)


def _status(candidate: _publish.Candidate) -> str:
    return candidate.commit().status.name


def _moved(xs: tuple[float, ...]) -> NDArray[np.float32]:
    """float32 [len(xs), 4, 4], translations along x."""
    matrices = np.tile(np.eye(4, dtype=np.float32), (len(xs), 1, 1))
    matrices[:, 0, 3] = xs
    return matrices
