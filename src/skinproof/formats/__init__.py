"""Files ⇄ model: the only part of skinproof that knows files."""

from skinproof.formats.capture import capture_bytes, read_capture
from skinproof.formats.gltf.read import read
from skinproof.formats.gltf.write import stage, write

__all__ = ["capture_bytes", "read", "read_capture", "stage", "write"]
