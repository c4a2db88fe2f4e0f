"""Files ⇄ model: the only part of skinproof that knows files."""

from skinproof.formats.gltf.read import read

__all__ = ["read"]
