import pytest

from skinproof.errors import OptionError
from skinproof.gate.tolerance import Tolerance, parse


@pytest.mark.parametrize(
    ("text", "metres"),
    [
        ("2mm", 0.002),
        ("0.002m", 0.002),
        ("0.2 cm", 0.002),
        ("2000um", 0.002),
        ("2000µm", 0.002),
        ("2000μm", 0.002),
        (" 2MM ", 0.002),
        (".5mm", 0.0005),
        ("2.mm", 0.002),
        ("1e-3m", 0.001),
        ("0mm", 0.0),
        ("1.1mm", 0.0011),
    ],
)
def test_lengths(text, metres):
    assert parse(text) == Tolerance(text.strip(), metres=metres)
    assert parse(text).limit(5.0) == metres


@pytest.mark.parametrize(("text", "relative"), [("0.1%", 0.001), ("5 %", 0.05), ("0%", 0.0), ("0.07%", 0.0007)])
def test_shares_of_the_diagonal(text, relative):
    assert parse(text) == Tolerance(text, relative=relative)
    assert parse(text).limit(2.0) == 2 * relative


@pytest.mark.parametrize("text", ["2", "0.1", " 3 "])
def test_a_bare_number_is_refused_with_what_to_write(text):
    with pytest.raises(OptionError, match=rf"the unit is missing; write {text.strip()}mm"):
        parse(text)


@pytest.mark.parametrize("text", ["2in", "2mmm", "3k", "2mm%"])
def test_unknown_units_are_refused_with_those_there_are(text):
    with pytest.raises(OptionError, match="m, cm, mm, um"):
        parse(text)


@pytest.mark.parametrize(
    "text", ["", "mm", "-1mm", "nanmm", "inf m", "1,5mm", "0x2mm", "1_0mm", "2mm 3mm", "٢mm", "1.2.3m"]
)
def test_what_is_no_number_is_refused(text):
    with pytest.raises(OptionError, match="for example 2mm"):
        parse(text)


def test_what_no_float_holds_is_refused():
    with pytest.raises(OptionError, match="too large"):
        parse("1e999m")
