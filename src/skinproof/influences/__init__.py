"""The weight operations: pure, NumPy in and out, one file each. They know no files, no poses and no skins."""

from skinproof.influences.keep_largest import keep_largest
from skinproof.influences.merge_duplicates import Merged, merge_duplicates
from skinproof.influences.normalize import normalize
from skinproof.influences.pack import Packed, pack, unpack
from skinproof.influences.repair import REPAIR_POLICIES, Repaired, repair
from skinproof.influences.validate import find_problems, validate

__all__ = [
    "REPAIR_POLICIES",
    "Merged",
    "Packed",
    "Repaired",
    "find_problems",
    "keep_largest",
    "merge_duplicates",
    "normalize",
    "pack",
    "repair",
    "unpack",
    "validate",
]
