"""The only importer of the compiled module; everything else takes the core from here."""

import skinproof._core as _core

__all__ = ["_core"]
