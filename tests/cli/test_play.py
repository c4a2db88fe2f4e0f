"""`skinproof play` as users call it."""

import json

import numpy as np
import pytest

from cli.command import expect, skinproof
from skinproof.demo import make_character
from skinproof.formats import read_capture, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("play")
    write(make_character(), folder / "hero.glb")
    return folder


def play(folder, *arguments):
    return skinproof("play", "hero.glb", "--frames", 40, *arguments, cwd=folder)


def test_figures_for_people(folder):
    result = expect(play(folder), 0)
    assert "WHOLE" in result.stdout
    assert "0 of them torn" in result.stdout
    assert "40 COMMITTED" in result.stdout
    assert "99.9 %" in result.stdout


def test_figures_for_programs(folder):
    figures = json.loads(expect(play(folder, "--late", "--drop-joint", 2, "--nan", "--json"), 0).stdout)
    assert figures["schema"] == "skinproof-play-1"
    assert figures["torn"] == 0
    assert figures["results"] == {"COMMITTED": 28, "STALE_REVISION": 4, "INCOMPLETE": 4, "INVALID_MATRIX": 4}
    assert set(figures["microseconds"]) == {"publish", "acquire", "draw"}
    assert set(figures["microseconds"]["draw"]) == {"p50", "p99", "p99.9"}


def test_what_the_naive_way_draws_is_recorded_and_found(folder):
    result = expect(play(folder, "--naive", "--readers", 1, "--record", "naive.npz"), 1)
    assert "TORN" in result.stdout
    with np.load(folder / "naive-truth.npz", allow_pickle=False) as truth:
        frames = truth["frames_of_joints"]
    assert frames.shape == read_capture(folder / "naive.npz").palettes.shape[:2]
    assert expect(skinproof("audit", "naive.npz", "--against", "hero.glb", "--quiet", cwd=folder), 1).stdout
    assert "exists" in expect(play(folder, "--naive", "--record", "naive.npz"), 3).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--naive", "--nan"), "--naive has nothing that could refuse"),
        (("--clip", "fly"), "there is no 'fly'"),
        (("--drop-joint", 99), "--drop-joint: expected an integer"),
        (("--record", "hero.glb"), "name the same file"),
    ],
)
def test_wrong_usage(folder, arguments, message):
    result = expect(play(folder, *arguments), 2)
    assert message in " ".join(result.stderr.split())
