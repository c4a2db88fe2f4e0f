"""A character played through the publisher, by threads that race as those of an engine do."""

from skinproof.player.played import Played
from skinproof.player.run import Faults, play

__all__ = ["Faults", "Played", "play"]
