"""skinproof: what happens to a character's skin between the artist and the screen.

The names below are loaded on first use, so that ``import skinproof`` and ``skinproof --help`` stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from skinproof import errors
    from skinproof.formats import read, write
    from skinproof.influences.keep_largest import keep_largest
    from skinproof.influences.merge_duplicates import merge_duplicates
    from skinproof.influences.normalize import normalize
    from skinproof.influences.pack import pack, unpack
    from skinproof.influences.repair import repair
    from skinproof.influences.validate import validate
    from skinproof.limiting.limit import limit
    from skinproof.measuring import measure
    from skinproof.model import Character, Influences, WeightFormat
    from skinproof.skinning import skin_normals, skin_positions

__version__: str

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
    "__version__",
    "errors",
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
    value: object
    if name == "__version__":
        value = import_module("importlib.metadata").version("skinproof")  # slow to load, seldom asked for
    elif name == "errors":
        value = import_module("skinproof.errors")
    elif name in _HOME_OF:
        value = getattr(import_module(f"skinproof.{_HOME_OF[name]}"), name)
    else:
        raise AttributeError(f"module 'skinproof' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
