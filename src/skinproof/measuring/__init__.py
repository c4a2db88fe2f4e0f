"""Measuring: how far vertices move, whether decoded weights sum to one, whether mesh and skeleton fit."""

from skinproof.measuring.displacement import REFERENCES, measure
from skinproof.measuring.sums import decoded_sums
from skinproof.measuring.survey import survey

__all__ = ["REFERENCES", "decoded_sums", "measure", "survey"]
