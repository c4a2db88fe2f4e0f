"""The made character: a rig, a body, smooth weights and two clips, all in code."""

from skinproof.demo.character import make_character

__all__ = ["make_character"]
