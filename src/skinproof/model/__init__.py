"""The model: frozen dataclasses that own read-only arrays. No I/O, no mathematics.

Conventions: column vectors, ``M @ v``; metres, radians, seconds; quaternions x, y, z, w;
matrices row-major in memory (``M[row, column]``), bottom row 0 0 0 1.
"""

from skinproof.model.capture import Capture
from skinproof.model.character import Character, InfluenceChange, Instance
from skinproof.model.clip import Channel, Clip, Interpolation, Path
from skinproof.model.fit import InfluenceFit, Outcome
from skinproof.model.influences import Influences, WeightFormat
from skinproof.model.nodes import Nodes
from skinproof.model.primitive import Primitive
from skinproof.model.skin import Skin

__all__ = [
    "Capture",
    "Channel",
    "Character",
    "Clip",
    "InfluenceChange",
    "InfluenceFit",
    "Influences",
    "Instance",
    "Interpolation",
    "Nodes",
    "Outcome",
    "Path",
    "Primitive",
    "Skin",
    "WeightFormat",
]
