"""Poses: clips → node transforms in world space → palettes, in blocks of bounded memory. float64 throughout."""

from skinproof.poses.palettes import palettes
from skinproof.poses.schedule import ClipSchedule, PoseBlock, PoseSchedule, moves_joints
from skinproof.poses.world import clip_worlds, rest_worlds

__all__ = ["ClipSchedule", "PoseBlock", "PoseSchedule", "clip_worlds", "moves_joints", "palettes", "rest_worlds"]
