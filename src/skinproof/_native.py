"""The only importer of the compiled modules; everything else takes the core from here."""

import skinproof._core as _core
import skinproof._publish as _publish

__all__ = ["_core", "_publish"]
