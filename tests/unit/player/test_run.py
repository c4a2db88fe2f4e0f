"""The player: nothing torn through the publisher, whatever goes wrong; torn without it, and known which."""

import numpy as np
import pytest

from skinproof.audit import audit
from skinproof.demo import make_character
from skinproof.errors import OptionError
from skinproof.model.audit import DrawKind
from skinproof.player import Faults, play

HERO = make_character()


def test_through_the_publisher_every_draw_is_whole():
    played = play(HERO, frames=60, readers=2)
    assert played.results == {"COMMITTED": 60}
    assert played.torn == 0
    assert played.draws == len(played.draw_ns) == len(played.acquire_ns) >= 2
    assert len(played.publish_ns) == 60
    assert (played.draw_ns >= played.acquire_ns).all()
    assert (played.clip, played.joints) == (HERO.clips[0].name, len(HERO.skins[0]))


@pytest.mark.parametrize(
    ("faults", "status"),
    [(Faults(late=True), "STALE_REVISION"), (Faults(drop_joint=3), "INCOMPLETE"), (Faults(nan=True), "INVALID_MATRIX")],
)
def test_faults_are_refused_and_the_character_stays_whole(faults, status):
    played = play(HERO, frames=50, faults=faults)
    assert played.results == {"COMMITTED": 45, status: 5}
    assert played.torn == 0


def test_all_faults_at_once():
    played = play(HERO, frames=50, faults=Faults(late=True, drop_joint=0, nan=True))
    assert played.results == {"COMMITTED": 35, "STALE_REVISION": 5, "INCOMPLETE": 5, "INVALID_MATRIX": 5}
    assert played.torn == 0


def test_what_was_recorded_is_what_the_audit_finds():
    """Whole draws, by the clip's own poses; at the start perhaps the pose at rest, which no clip has."""
    played = play(HERO, frames=80, faults=Faults(late=True), record=300)
    found = audit(played.capture, HERO)
    kinds = {kind for kind, number in found.counts.items() if number}
    assert DrawKind.WHOLE in kinds
    assert kinds <= {DrawKind.WHOLE, DrawKind.UNEXPLAINED}
    rest = len(np.unique(played.frames_of_joints, axis=0))
    assert rest >= 2
    assert (played.frames_of_joints >= 0).all()


def test_the_naive_way_tears_and_the_audit_names_the_same_draws():
    played = play(HERO, frames=150, naive=True, readers=2, record=400)
    assert played.torn > 0
    frames = played.frames_of_joints
    whole = (frames == frames[:, :1]).all(axis=1) & (frames[:, 0] >= 0)
    assert 0 < np.count_nonzero(~whole) <= played.torn
    found = audit(played.capture, HERO)
    kinds = np.array([draw.kind for draw in found.draws])
    # Every draw that the audit calls torn is; what it misses lies closer than it can tell, or holds the pose at rest.
    assert not (whole & (kinds == DrawKind.TORN)).any()
    assert np.count_nonzero(kinds == DrawKind.TORN) >= np.count_nonzero(~whole) / 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"clip": "fly"}, "there is no 'fly'; the clips are"),
        ({"frames": 1}, "frames: expected an integer from 2"),
        ({"readers": 0}, "readers: expected an integer"),
        ({"skin": 7}, "skin: expected an integer"),
        ({"faults": Faults(drop_joint=999)}, "drop_joint: expected an integer"),
        ({"naive": True, "faults": Faults(nan=True)}, "naive: has nothing that could refuse faults"),
    ],
)
def test_what_makes_no_sense_is_refused(options, message):
    with pytest.raises(OptionError, match=message):
        play(HERO, **options)
