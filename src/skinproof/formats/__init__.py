"""Files ⇄ model: the only part of skinproof that knows files."""

from skinproof.formats.gltf.read import read
from skinproof.formats.gltf.write import stage, write

__all__ = ["read", "stage", "write"]
