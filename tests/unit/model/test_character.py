import numpy as np
import pytest

from skinproof.model import InfluenceChange
from unit.model.made import character, influences


def test_a_mesh_may_be_shown_through_several_skins():
    made = character()
    assert [made.skins_of(primitive) for primitive in made.primitives] == [(0, 1), (0,)]


def test_a_mesh_may_be_shown_through_none():
    made = character(instances=())
    assert made.skins_of(made.primitives[0]) == ()


def test_new_influences_make_another_character():
    made = character()
    new = [influences(), influences()]
    change = InfluenceChange("", new[0].joints, new[0].weights.astype(np.float64), np.array([], dtype=np.intp))
    other = made.with_influences(new, [change])
    assert [primitive.influences for primitive in other.primitives] == new
    assert other.changes == (change,)
    assert (other.nodes, other.skins, other.clips) == (made.nodes, made.skins, made.clips)
    assert made.changes == ()
    assert made.primitives[0].influences is not new[0]


def test_influences_for_every_primitive_are_needed():
    with pytest.raises(ValueError, match="shorter"):
        character().with_influences([influences()])
