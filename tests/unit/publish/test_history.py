from __future__ import annotations

import pytest

from palettes import owner, palette, topology, xs
from skinproof.publish import LastDrawn


def test_what_a_view_drew_last():
    character = owner(0, max_joints=2)
    view, other = LastDrawn(character), LastDrawn(character)
    with view.draw() as (now, last):
        assert (xs(now), last) == ([0], None)
    for tick in range(1, 5):
        character.request(tick)
        assert character.publish(tick, palette(tick))
        if tick == 2:
            with other.draw() as (now, last):
                assert (xs(now), last) == ([2], None)
            continue  # this view skips a frame
        with view.draw() as (now, last):
            assert xs(now) == [tick]
            assert xs(last) == [tick - 1 if tick != 3 else 1]
    character.request(5)
    assert character.publish(5, palette(5))
    with pytest.raises(KeyError), view.draw() as (now, last):
        raise KeyError
    with view.draw() as (now, last):
        assert (xs(now), xs(last)) == ([5], [4])  # what was not drawn does not count
    character.request(9, topology(2))
    assert character.publish(9, palette(7, 8))
    with view.draw() as (now, last):
        assert (xs(now), last) == ([7, 8], None)
    with view.draw() as (now, last):
        assert (xs(now), xs(last)) == ([7, 8], [7, 8])
    view.close()
    other.close()
    assert character.counters()["cells_in_use"] == 0
