"""Runs a clip through the whole path: sampling, jobs out of order, candidate, commit, readers that skin.

The naive way beside it writes joints straight into the palette that readers read, as faulty engines do.
"""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from skinproof._arrays import require_count
from skinproof.errors import OptionError
from skinproof.model import Capture, Character, Clip
from skinproof.player.played import Played
from skinproof.poses import clip_worlds, palettes, rest_worlds
from skinproof.publish import Candidate, CommitStatus, PaletteOwner, Topology, publish_jobs
from skinproof.publish.jobs import Job
from skinproof.skinning import SkinningPlan

Array = NDArray[np.float32]

FRAMES_PER_SECOND = 60.0
MAX_FRAMES = 1_000_000
MAX_RECORDED = 100_000
"""Draws that are kept, of all readers together."""

_SWITCH_SECONDS = 1e-5  # how long a thread keeps the interpreter's lock: engines have none


@dataclass(frozen=True, slots=True)
class Faults:
    """What goes wrong on the animation side, each in one pose of ten.

    Attributes:
        late: jobs finish after the next pose was asked for.
        drop_joint: this joint is never written; None: all are.
        nan: a joint's matrix holds NaN.
    """

    late: bool = False
    drop_joint: int | None = None
    nan: bool = False


def play(
    character: Character,
    /,
    *,
    clip: str | None = None,
    skin: int = 0,
    frames: int = 600,
    jobs: int = 4,
    readers: int = 2,
    naive: bool = False,
    faults: Faults | None = None,
    record: int = 0,
    seed: int = 0,
) -> Played:
    """Play a clip: one thread asks for poses, jobs fill them out of order, readers draw what is published.

    Every draw is held against the poses that were made, bit for bit.

    Args:
        character: has at least one clip and one skinned primitive.
        clip: its name; None: the first.
        skin: index of the skin.
        frames: poses to play, 60 per second of the clip, from its start again at its end.
        jobs: parts of the palette, each written by a job of its own.
        readers: threads that draw.
        naive: jobs write into the palette that is read.
        faults: what goes wrong in one pose of ten; not with `naive`.
        record: how many draws to keep.
        seed: of the order in which jobs finish.

    Raises:
        OptionError: a count makes no sense, or there is no such clip or skin.
    """
    frames = require_count(frames, "frames", least=2, most=MAX_FRAMES)
    jobs, readers = require_count(jobs, "jobs", least=1), require_count(readers, "readers", least=1)
    record = require_count(record, "record", least=0, most=MAX_RECORDED)
    number, chosen = _clip(character, clip)
    skin = require_count(skin, "skin", least=0, most=len(character.skins) - 1)
    faults = faults or Faults()
    if naive and faults != Faults():
        raise OptionError("naive: has nothing that could refuse faults; play them without it")
    if faults.drop_joint is not None:
        require_count(faults.drop_joint, "drop_joint", least=0, most=len(character.skins[skin]) - 1)
    run = _Run(character, skin, number, chosen, frames, min(jobs, len(character.skins[skin])), record, seed)
    with _eager_switching():
        return run.naively(readers) if naive else run.published(readers, faults)


@dataclass(slots=True)
class _Log:
    """What one reader saw."""

    torn: int = 0
    acquire_ns: list[int] = field(default_factory=list)
    draw_ns: list[int] = field(default_factory=list)
    kept: list[tuple[int, Array]] = field(default_factory=list)


class _Run:
    def __init__(
        self,
        character: Character,
        skin: int,
        clip_number: int,
        clip: Clip,
        frames: int,
        jobs: int,
        record: int,
        seed: int,
    ) -> None:
        self._skin, self._clip, self._clip_number = character.skins[skin], clip, clip_number
        self._frames, self._record, self._seed = frames, record, seed
        own = max(1, round(clip.duration * FRAMES_PER_SECOND))  # poses until the clip starts again
        self.times = clip.start + np.arange(min(own, frames)) / FRAMES_PER_SECOND
        poses = [
            palettes(self._skin, clip_worlds(character.nodes, clip, self.times[start : start + 64]))
            for start in range(0, len(self.times), 64)
        ]
        self.poses: Array = np.concatenate(poses).astype(np.float32)
        self._bind = palettes(self._skin, rest_worlds(character.nodes)).astype(np.float32)
        joints = len(self._skin)
        bounds = np.linspace(0, joints, jobs + 1).astype(int)
        self._parts = [range(int(a), int(b)) for a, b in pairwise(bounds)]
        self._names = tuple(
            character.nodes.names[node] or f"joint {joint}" for joint, node in enumerate(self._skin.joints.tolist())
        )
        self._mesh = next(
            (part for part in character.primitives if skin in character.skins_of(part)), character.primitives[0]
        )
        self._done = threading.Event()
        self._failures: list[BaseException] = []

    def published(self, readers: int, faults: Faults) -> Played:
        """Every pose through a candidate and a commit."""
        inverse_binds = self._skin.inverse_binds.astype(np.float32)
        results: Counter[str] = Counter()
        publish_ns: list[int] = []
        generator = np.random.default_rng(self._seed)
        with (
            PaletteOwner(self._bind, Topology(self._names, inverse_binds)) as owner,
            ThreadPoolExecutor(len(self._parts)) as pool,
        ):

            def draw(log: _Log, plan: SkinningPlan, out: Array) -> None:
                start = time.perf_counter_ns()
                with owner.acquire() as snapshot:
                    acquired = time.perf_counter_ns()
                    plan.skin(snapshot.palette[np.newaxis], out=out)
                    # Tick 0 is what the owner began with, the pose at rest.
                    tick = snapshot.revision.tick
                    wanted = self._bind if tick == 0 else self.poses[(tick - 1) % len(self.poses)]
                    self._log(log, start, acquired, tick - 1, snapshot.palette, wanted)

            with self._reading(readers, draw) as logs:
                began = time.perf_counter()
                for frame in range(self._frames):
                    start = time.perf_counter_ns()
                    status = self._publish(owner, pool, frame, faults, generator)
                    publish_ns.append(time.perf_counter_ns() - start)
                    results[status.name] += 1
                seconds = time.perf_counter() - began
        return self._played(logs, seconds, results, publish_ns)

    def _publish(
        self,
        owner: PaletteOwner,
        pool: ThreadPoolExecutor,
        frame: int,
        faults: Faults,
        generator: np.random.Generator,
    ) -> CommitStatus:
        revision, pose = (frame + 1, 0), self.poses[frame % len(self.poses)]
        late, dropped, spoilt = (frame % 10 == turn for turn in (3, 6, 9))
        waits = generator.integers(0, 4, len(self._parts)).tolist()

        def write(part: range, turns: int) -> Job:
            def fill(matrices: Array) -> None:
                for _ in range(turns):
                    time.sleep(0)
                matrices[...] = pose[part.start : part.stop]
                if spoilt and faults.nan and part.start == 0:
                    matrices[0, 0, 3] = np.nan

            return part, fill

        owner.request(revision)
        if late and faults.late:
            candidate = owner.begin(revision)
            _write(candidate, pose)
            owner.request((frame + 1, 1))  # somebody wants another graph by now
            status: CommitStatus = candidate.commit().status
            return status
        if dropped and faults.drop_joint is not None:
            candidate = owner.begin(revision)
            for joint, matrix in enumerate(pose):
                if joint != faults.drop_joint:
                    candidate.write(joint, matrix)
            found: CommitStatus = candidate.commit().status
            return found
        order = generator.permutation(len(self._parts)).tolist()
        while True:
            result = publish_jobs(
                owner, revision, [write(self._parts[index], waits[index]) for index in order], executor=pool
            )
            if result.status is not CommitStatus.NO_FREE_SLOT:
                committed: CommitStatus = result.status
                return committed

    def naively(self, readers: int) -> Played:
        """Joint by joint into the one palette that is read."""
        board = self._bind.copy()
        known = _Known(self.poses, self._bind)
        publish_ns: list[int] = []
        generator = np.random.default_rng(self._seed)

        def draw(log: _Log, plan: SkinningPlan, out: Array) -> None:
            start = time.perf_counter_ns()
            used = board.copy()
            acquired = time.perf_counter_ns()
            plan.skin(used[np.newaxis], out=out)
            self._log(log, start, acquired, -1, used, None if known.is_whole(used) else board[:0])

        def fill(part: range, pose: Array, turns: int) -> None:
            for joint in part:
                for _ in range(turns):
                    time.sleep(0)
                board[joint] = pose[joint]

        with ThreadPoolExecutor(len(self._parts)) as pool, self._reading(readers, draw) as logs:
            began = time.perf_counter()
            for frame in range(self._frames):
                start = time.perf_counter_ns()
                pose = self.poses[frame % len(self.poses)]
                order = generator.permutation(len(self._parts)).tolist()
                futures = [
                    pool.submit(fill, self._parts[index], pose, int(generator.integers(0, 3))) for index in order
                ]
                for future in futures:
                    future.result()
                publish_ns.append(time.perf_counter_ns() - start)
            seconds = time.perf_counter() - began
        return self._played(logs, seconds, Counter(WRITTEN=self._frames), publish_ns, known=known)

    def _log(self, log: _Log, start: int, acquired: int, frame: int, used: Array, wanted: Array | None) -> None:
        """Note a draw; torn if what it used is not what was wanted (None: it is known to be)."""
        log.acquire_ns.append(acquired - start)
        log.draw_ns.append(time.perf_counter_ns() - start)
        log.torn += wanted is not None and used.tobytes() != wanted.tobytes()
        if len(log.kept) < self._record:
            log.kept.append((frame, np.array(used)))

    @contextmanager
    def _reading(self, readers: int, draw: object) -> Iterator[Sequence[_Log]]:
        """Readers that draw until the block ends, each at least once."""
        assert callable(draw)
        mesh, influences = self._mesh, self._mesh.influences
        logs = [_Log() for _ in range(readers)]

        def read(log: _Log) -> None:
            plan = SkinningPlan(mesh.positions, influences.joints, influences.weights, threads=1)
            out = np.empty((1, len(mesh.positions), 3), np.float32)
            try:
                while True:
                    draw(log, plan, out)
                    if self._done.is_set():
                        return
            except BaseException as error:  # noqa: BLE001, raised again where the readers are waited for
                self._failures.append(error)

        threads = [threading.Thread(target=read, args=(log,)) for log in logs]
        for thread in threads:
            thread.start()
        try:
            yield logs
        finally:
            self._done.set()
            for thread in threads:
                thread.join()
        if self._failures:
            raise self._failures[0]

    def _played(
        self,
        logs: Sequence[_Log],
        seconds: float,
        results: Counter[str],
        publish_ns: Sequence[int],
        *,
        known: _Known | None = None,
    ) -> Played:
        kept = [one for log in logs for one in log.kept][: self._record]
        capture, truth = None, None
        if kept:
            used = np.stack([palette for _, palette in kept])
            frames = np.array([frame for frame, _ in kept])
            whole = known is None
            place = np.maximum(frames, 0) % len(self.times)
            capture = Capture(
                used,
                times=self.times[place] if whole and (frames >= 0).all() else None,
                clips=np.full(len(kept), self._clip_number, np.int32) if whole else None,
                joint_names=self._names,
            )
            truth = (known or _Known(self.poses, self._bind)).frames_of_joints(used)
        return Played(
            clip=self._clip.name,
            joints=len(self._skin),
            vertices=len(self._mesh.positions),
            frames=self._frames,
            seconds=seconds,
            results=dict(results),
            draws=sum(len(log.draw_ns) for log in logs),
            torn=sum(log.torn for log in logs),
            publish_ns=np.array(publish_ns, np.int64),
            acquire_ns=np.array([ns for log in logs for ns in log.acquire_ns], np.int64),
            draw_ns=np.array([ns for log in logs for ns in log.draw_ns], np.int64),
            capture=capture,
            frames_of_joints=truth,
        )


class _Known:
    """Which poses each joint's matrix belongs to, bit for bit."""

    def __init__(self, poses: Array, rest: Array) -> None:
        self._poses = np.concatenate([poses, rest[np.newaxis]])
        self._of: list[dict[bytes, set[int]]] = []
        for joint in range(rest.shape[0]):
            frames: dict[bytes, set[int]] = {}
            for frame, matrix in enumerate(self._poses[:, joint]):
                frames.setdefault(matrix.tobytes(), set()).add(frame)
            self._of.append(frames)

    def is_whole(self, palette: Array) -> bool:
        """Whether one pose has all of these matrices."""
        common: set[int] | None = None
        for joint, matrix in enumerate(palette):
            frames = self._of[joint].get(matrix.tobytes(), set())
            common = frames if common is None else common & frames
            if not common:
                return False
        return True

    def frames_of_joints(self, palettes: Array) -> NDArray[np.int32]:
        """Of each draw and joint the first pose that has the matrix, −1 where none; one that has all comes before."""
        found = np.full(palettes.shape[:2], -1, np.int32)
        for draw, palette in enumerate(palettes):
            sets = [self._of[joint].get(matrix.tobytes(), set()) for joint, matrix in enumerate(palette)]
            common = set.intersection(*sets)
            found[draw] = [min(common or frames, default=-1) for frames in sets]
        return found


def _write(candidate: Candidate, pose: Array) -> None:
    for joint, matrix in enumerate(pose):
        candidate.write(joint, matrix)


def _clip(character: Character, name: str | None) -> tuple[int, Clip]:
    if not character.clips:
        raise OptionError(f"{character.name}: has no clip to play")
    if name is None:
        return 0, character.clips[0]
    for number, clip in enumerate(character.clips):
        if clip.name == name:
            return number, clip
    names = ", ".join(repr(clip.name) for clip in character.clips[:20])
    raise OptionError(f"clip: there is no {name!r}; the clips are {names}")


@contextmanager
def _eager_switching() -> Iterator[None]:
    """Let threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
