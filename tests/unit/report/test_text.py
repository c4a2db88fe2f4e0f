import re
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import altered
from arms import make_arm, weights_of, with_weights
from limbs import limb
from reports import compared, inspected, limited
from skinproof.gate import Policy
from skinproof.report import show
from skinproof.report.text import printable


def shown(report, *, width=80, terminal=False, quiet=False):
    out = StringIO()
    console = Console(file=out, width=width, force_terminal=terminal, color_system="truecolor" if terminal else None)
    show(report, console, quiet=quiet)
    return out.getvalue()


@pytest.fixture(scope="module")
def failing():
    return limited(1, gated="2mm")


def line_of(text, start):
    (found,) = [line for line in text.splitlines() if line.strip().startswith(start)]
    return found.split()


class TestVerdict:
    def test_it_comes_first(self, failing):
        assert shown(failing).split()[:4] == ["FAIL", "out.glb", "against", "arm.glb"]
        assert shown(limited(2)).split()[:2] == ["PASS", "out.glb"]

    def test_it_says_what_was_gated_and_how_much_was_found(self, failing):
        text = " ".join(shown(failing).split())
        assert "at most 1 influence per vertex, displacement at most 2mm, weight contract" in text
        assert "1 error · 0 warnings · 0 notes · 8 checks" in text
        assert "written: out.glb" in text

    def test_an_error_brings_its_remedy(self, failing):
        text = " ".join(shown(failing).split())
        assert "error DISPLACEMENT vertex" in text
        assert "→ Allow more influences" in text

    def test_the_remedy_of_many_is_said_once(self):
        arm = make_arm(vertices=6)
        part = replace(arm.primitives[0], name="part")
        text = " ".join(shown(limited(1, arm=replace(arm, primitives=(*arm.primitives, part)), gated="2mm")).split())
        assert text.count("error DISPLACEMENT") == 2
        assert text.count("→ Allow more influences") == 1

    def test_paths_are_never_wrapped(self):
        path = "some/folder/" * 12 + "out.glb"
        text = shown(replace(limited(), file=path, original_file=path, written=(path,)))
        assert text.count(path) == 3


class TestFigures:
    def test_displacement_with_its_tolerance(self, failing):
        text = shown(failing)
        summary = failing.measurement.summary
        assert line_of(text, "maximum")[1:3] == [f"{summary.max * 1000:.0f}", "mm"]
        assert line_of(text, "tolerance")[1:3] == ["2.00", "mm"]

    def test_the_worst_vertex_before_and_after(self, failing):
        text, worst = shown(failing), failing.measurement.worst
        assert f"Worst vertex: {worst.vertex} of arm, {worst.clip} at {worst.time:.3f} s" in text
        kept, dropped = worst.joints_before[0], worst.joints_before[-1]
        assert line_of(text, kept)[1:] == [f"{worst.weights_before[0]:.4f}", "1.0000"]
        assert line_of(text, dropped)[1:] == [f"{worst.weights_before[-1]:.4f}", "–"]
        assert line_of(text, "sum")[1:] == ["1.0000", "1.0000"]

    def test_causes_and_clips(self, failing):
        text, measurement = shown(failing), failing.measurement
        limiting = measurement.causes[1]
        assert line_of(text, "limiting")[1:3] == [f"{limiting.max * 1e3:,.3f}", f"{limiting.rms * 1e3:.3f}"]
        for clip in measurement.clips:
            assert line_of(text, clip.name)[1:5] == [
                f"{clip.duration:.3f}",
                "s",
                str(clip.poses),
                f"{clip.max * 1e3:.3f}",
            ]

    def test_without_the_weights_before_packing_sums_are_among_its_part(self, failing):
        arm = make_arm(vertices=8)
        text = shown(compared(arm, with_weights(arm, weights_of(arm) / 2)))
        assert line_of(text, "sums, packing")
        assert line_of(shown(failing), "packing")[0] == "packing"

    def test_percentiles_of_each_primitive(self, failing):
        (primitive,) = failing.measurement.primitives
        cells = line_of(shown(failing), "arm")
        assert cells[1] == "30"
        assert cells[2] == f"{primitive.summary.percentiles[50.0] * 1e3:.3f}"
        assert cells[-2:] == [f"{primitive.summary.max * 1e3:.3f}", f"{primitive.summary.rms * 1e3:.3f}"]

    def test_influences_before_and_after(self, failing):
        rows = re.findall(r"^\s+([0-3])\s+(\S+)\s+(\S+)\s*(#*)\s*$", shown(failing), flags=re.MULTILINE)
        assert [row[:3] for row in rows] == [("1", "–", "30"), ("3", "30", "–")]
        assert len(rows[0][3]) > len(rows[1][3]) == 0

    def test_every_check_with_its_subjects(self, failing):
        text = shown(failing)
        for check in failing.verdict.checks:
            word = "pass" if check.passed else "FAIL"
            assert re.search(rf"^\s+{word}\s+{check.name.replace('_', ' ')}\s+30 vertices", text, flags=re.MULTILINE)

    def test_made_poses_are_called_by_their_number(self):
        report = limited(arm=make_arm(clips=()))
        text = shown(report)
        pose = report.measurement.worst.pose
        assert f"Worst vertex: {report.measurement.worst.vertex} of arm, pose {pose} of the range of motion" in text
        assert f" pose {pose} " in " ".join(line_of(text, "range of motion"))
        assert " s " not in "".join(line for line in text.splitlines() if line.strip().startswith("range of motion"))

    def test_lengths_of_giants_are_in_metres(self):
        arm = make_arm(vertices=8)
        giant = replace(arm, primitives=(replace(arm.primitives[0], positions=arm.primitives[0].positions * 1000),))
        assert "max m " in shown(limited(arm=giant))

    def test_places_beyond_all_measure_take_one_line(self, failing):
        worst = replace(failing.measurement.worst, position_before=(1.5e307, np.nan, 2.0), position_after=(0, 0, 0.5))
        primitive = replace(failing.measurement.primitives[0], worst=worst)
        far = replace(failing, measurement=replace(failing.measurement, primitives=(primitive,)))
        assert "from 1.5e+307 nan 2.0000 to 0.0000 0.0000 0.5000 m" in shown(far, width=200)

    def test_infinite_displacement_is_no_crash(self, failing):
        worst = replace(failing.measurement.worst, metres=np.inf)
        summary = replace(failing.measurement.summary, max=np.inf, rms=np.inf)
        primitive = replace(failing.measurement.primitives[0], worst=worst, summary=summary)
        endless = replace(failing.measurement, primitives=(primitive,), summary=summary)
        assert "∞" in shown(replace(failing, measurement=endless))


def test_matched_vertices_are_told_and_no_bound_is(failing):
    text = shown(compared(limb(), altered.shuffled(limb())))
    assert "VERTICES_MATCHED  compared by bind position" in text
    assert "1,000 of 1,000 vertices" in " ".join(text.split())
    assert [line.split()[0] for line in text.splitlines() if "of the diagonal" in line] == ["maximum"]
    assert "the maximum cannot exceed it" not in text
    assert "the maximum cannot exceed it" in shown(failing)


class TestForms:
    def test_plain_where_it_is_no_terminal(self, failing):
        assert "\x1b" not in shown(failing)
        assert "\x1b[" in shown(failing, terminal=True)

    @pytest.mark.parametrize("width", [60, 80, 200])
    def test_no_line_is_wider_than_the_terminal(self, failing, width):
        for line in shown(failing, width=width).splitlines():
            assert len(line) <= width

    def test_quiet_says_the_verdict_and_the_errors_alone(self, failing):
        text = shown(failing, quiet=True)
        assert "DISPLACEMENT" in text
        assert "Worst vertex" not in text
        assert "NOT_GATED" not in shown(limited(2), quiet=True)

    def test_many_findings_are_cut_with_a_word_where_the_rest_is(self):
        arm = make_arm(vertices=4)
        weights = weights_of(arm)
        weights[1, 0] = np.nan
        primitive = with_weights(arm, weights).primitives[0]
        many = replace(arm, primitives=tuple(replace(primitive, name=f"part {index}") for index in range(30)))
        assert "18 more findings in the JSON report" in " ".join(shown(inspected(many)).split())

    def test_many_clips_are_cut_too(self):
        arm = make_arm(vertices=4)
        report = limited(arm=replace(arm, clips=arm.clips * 15))
        assert "10 more clips in the JSON report" in shown(report)

    def test_a_character_that_cannot_be_measured(self):
        unskinned = replace(make_arm(), instances=())
        text = shown(compared(unskinned, unskinned, Policy(4)))
        assert "PASS" in text
        assert "Worst vertex" not in text


def test_inspect_lists_what_is_in_the_file():
    text = shown(inspected(make_arm(vertices=30)))
    assert line_of(text, "arm") == ["arm", "30", "3", "4", "float32", "0"]
    assert line_of(text, "0 arm") == ["0", "arm", "3", "3", "30", "–"]
    assert line_of(text, "travel") == ["travel", "1.000", "s", "1"]
    assert "Causes" not in text
    assert "Primitives" not in shown(limited())


def test_names_from_a_file_cannot_steer_the_terminal():
    assert printable("a\x1b[2Jb\nc\u202e手") == "a?[2Jb?c?手"
    arm = make_arm()
    nodes = replace(arm.nodes, names=("[red]shoulder[/red]", "el\x1b]0;bow", "wrist"))
    clips = tuple(replace(clip, name=f"{clip.name}\x1b[H") for clip in arm.clips)
    hostile = replace(arm, nodes=nodes, clips=clips, primitives=(replace(arm.primitives[0], name="[bold]\x1b[31m"),))
    for report in (limited(1, arm=hostile, gated="2mm"), inspected(hostile)):
        text = shown(report)
        assert "\x1b" not in text
        assert "[bold]?[31m" in text
    assert "[red]shoulder[/red]" in shown(limited(1, arm=hostile))


def test_a_fit_says_what_was_given_and_what_was_kept():
    text = " ".join(shown(limited(1, method="exact")).split())
    assert "Fit of 30 vertices" in text
    assert re.search(r"given the best influences there are \d+", text)
    assert "Fit of" not in shown(limited(1))
    for said in ("RMS cost of the optimum", "of keep-the-largest", "these poses", "held out", "fresh, random 60"):
        assert said in text
    still = " ".join(shown(limited(1, arm=make_arm(vertices=30, clips=("travel",)), method="exact")).split())
    assert "Joints that no pose moves, near so many of these vertices: elbow (30), wrist (30)" in still
