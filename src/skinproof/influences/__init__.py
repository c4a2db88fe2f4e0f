"""The weight operations: pure, NumPy in and out, one file each. They know no files, no poses and no skins."""

from skinproof.influences.keep_largest import keep_largest
from skinproof.influences.normalize import normalize
from skinproof.influences.pack import Packed, pack, unpack
from skinproof.influences.validate import find_problems, validate

__all__ = ["Packed", "find_problems", "keep_largest", "normalize", "pack", "unpack", "validate"]
