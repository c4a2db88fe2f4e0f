import math

import pytest

from skinproof.gate import words


@pytest.mark.parametrize(
    ("metres", "text"),
    [
        (0.0, "0"),
        (1.2, "1.20 m"),
        (0.016098, "16.1 mm"),
        (0.9996, "1,000 mm"),
        (0.002, "2.00 mm"),
        (0.000999, "999 µm"),
        (3.1e-7, "0.310 µm"),
        (1e-10, "< 1 nm"),
        (140194.7, "140,195 m"),
        (math.inf, "∞"),
    ],
)
def test_lengths(metres, text):
    assert words.length(metres) == text


@pytest.mark.parametrize(
    ("relative", "text"),
    [(0.0, "0 %"), (0.00836, "0.836 %"), (0.4626, "46.3 %"), (1.0, "100 %"), (1e-9, "< 0.0001 %"), (math.inf, "∞")],
)
def test_shares(relative, text):
    assert words.share(relative) == text


def test_counts():
    assert [words.vertices(number) for number in (0, 1, 3273)] == ["0 vertices", "1 vertex", "3,273 vertices"]
    assert [words.count(number, "joint") for number in (1, 2)] == ["1 joint", "2 joints"]


def test_times():
    assert words.seconds(0.84211) == "0.842 s"
    assert words.moment("walk", 0.84211, 25) == "walk at 0.842 s"
    assert words.moment("range of motion", None, 12) == "pose 12 of the range of motion"
