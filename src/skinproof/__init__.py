"""skinproof: what happens to a character's skin between the artist and the screen.

The names below are loaded on first use, so that ``import skinproof`` and ``skinproof --help`` stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skinproof.formats import read, write
    from skinproof.influences import keep_largest, merge_duplicates, normalize, pack, repair, unpack, validate
    from skinproof.limiting.limit import limit
    from skinproof.measuring import measure
    from skinproof.model import Character, Influences, WeightFormat
    from skinproof.skinning import skin_normals, skin_positions

_HOMES = {
    "formats": ["read", "write"],
    "influences": ["keep_largest", "merge_duplicates", "normalize", "pack", "repair", "unpack", "validate"],
    "limiting": ["limit"],
    "measuring": ["measure"],
    "model": ["Character", "Influences", "WeightFormat"],
    "skinning": ["skin_normals", "skin_positions"],
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Character",
    "Influences",
    "WeightFormat",
    "keep_largest",
    "limit",
    "measure",
    "merge_duplicates",
    "normalize",
    "pack",
    "read",
    "repair",
    "skin_normals",
    "skin_positions",
    "unpack",
    "validate",
    "write",
]


def __getattr__(name: str) -> object:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'skinproof' has no attribute {name!r}")
    value: object = getattr(import_module(f"skinproof.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
