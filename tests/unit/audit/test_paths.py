from __future__ import annotations

import numpy as np
import pytest

from captures import drawn, make_walker
from characters import make_channel, make_character, make_clip, make_nodes, make_skin
from skinproof.audit.paths import Paths
from skinproof.audit.reach import Reach
from skinproof.errors import ComparisonError


def test_the_pieces_meet_the_clip_at_any_time():
    character = make_walker()
    reach = Reach.of(character, 0)
    paths = Paths.of(character, 0, reach, tolerance=1e-4, fps=5.0)
    times = np.linspace(0, 2, 173)
    for clip in (0, 1):
        pieces, shares = paths.located(np.full(len(times), clip), times)
        truth = reach.coordinates(drawn(character, clip, times).astype(np.float64))
        assert np.linalg.norm(paths.at(pieces, shares) - truth, axis=-1).max() < 2e-5
        np.testing.assert_allclose(paths.times(pieces, shares), times, atol=1e-9)


def test_a_bulge_is_never_below_what_a_piece_leaves_its_chord_by():
    character = make_walker()
    paths = Paths.of(character, 0, Reach.of(character, 0), tolerance=1.0, fps=2.0)
    pieces = np.arange(len(paths.pieces))
    for share in np.linspace(0, 1, 21):
        chord = paths.pieces[:, :, 0] + share * paths.pieces[:, :, 1:].sum(axis=2)
        off = np.linalg.norm(paths.at(pieces, np.full(len(pieces), share)) - chord, axis=-1)
        assert (off <= paths.bulges + 1e-12).all()


def test_both_sides_of_a_step_are_poses():
    nodes = make_nodes([-1])
    clip = make_clip(make_channel(0, "translation", [0, 1, 2], [[0, 0, 0], [1, 0, 0], [5, 0, 0]], interpolation="STEP"))
    character = make_character(nodes, skins=[make_skin([0])], clips=[clip])
    paths = Paths.of(character, 0, Reach.of(character, 0), tolerance=1e-4, fps=4.0)
    pieces, shares = paths.located(np.zeros(4, np.intp), np.array([0.9, 1.0, 1.99, 2.0]))
    np.testing.assert_allclose(paths.at(pieces, shares)[:, 0, 0], [0, 1, 1, 5], atol=1e-12)


def test_a_file_without_motion_is_refused():
    nodes = make_nodes([-1])
    character = make_character(nodes, skins=[make_skin([0])])
    with pytest.raises(ComparisonError, match="no clip"):
        Paths.of(character, 0, Reach.of(character, 0), tolerance=1e-4, fps=30.0)
