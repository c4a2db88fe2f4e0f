"""What the command line says of the library without importing it is what the library says."""

from __future__ import annotations

from skinproof.cli import _options as options
from skinproof.formats.gltf.write import _KINDS
from skinproof.influences import REPAIR_POLICIES
from skinproof.measuring.displacement import REFERENCES
from skinproof.model import WeightFormat


def test_the_choices_are_those_of_the_library():
    assert set(options.REPAIR_KINDS) == set(REPAIR_POLICIES)
    assert set(options.WEIGHT_FORMATS) == {weight_format.value for weight_format in WeightFormat}
    assert options.REFERENCES == REFERENCES
    assert set(options.SUFFIXES) == set(_KINDS)
