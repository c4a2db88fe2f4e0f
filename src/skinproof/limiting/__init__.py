"""Limiting whole characters to K influences per vertex."""

from skinproof.limiting.limit import limit

__all__ = ["limit"]
