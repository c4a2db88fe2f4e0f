from __future__ import annotations

import io

from rich.console import Console

from captures import drawn, make_walker
from skinproof.audit import audit, judge_capture, sentence
from skinproof.model import Capture
from skinproof.report import show_audit


def shown(palettes, **options):
    found = audit(Capture(palettes), make_walker())
    console = Console(file=io.StringIO(), width=120)
    verdict = judge_capture(found, joint_count=4)
    show_audit("run.npz", "hero.glb", found, verdict, sentence, console, **options)
    return console.file.getvalue()


def test_a_torn_draw_stands_in_the_timeline_and_is_told():
    palettes = drawn(make_walker(), 0, [0.2, 0.5, 0.8])
    palettes[1, 2:] = palettes[2, 2:]
    text = shown(palettes)
    assert "FAIL  run.npz  against hero.glb" in text
    assert "       0  .T.\n" in text
    assert "draw      1  T  torn: joints 2–3 of swing at 0.800 s; joints 0–1 of swing at 0.500 s, 9 poses apart" in text
    assert "TORN_POSE" in text
    assert ".T." not in shown(palettes, quiet=True)


def test_a_clean_capture_passes():
    text = shown(drawn(make_walker(), 0, [0.2, 0.5]))
    assert "PASS" in text
    assert "2 draws: 2 whole" in text


def test_many_draws_share_marks_and_the_worst_is_shown():
    palettes = drawn(make_walker(), 0, [0.2] * 1100)
    palettes[777, 2:] = drawn(make_walker(), 0, [0.5])[0, 2:]
    text = shown(palettes)
    assert "each mark 3 draws" in text
    assert text.count("T") - text.count("T  torn") >= 1
    assert "     768  T" not in text
    assert text.count("draw    777  T  torn") == 1
