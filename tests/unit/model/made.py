"""Small sound model objects for the tests of the model."""

import numpy as np

from skinproof.model import Channel, Character, Clip, Influences, Instance, Interpolation, Nodes, Path, Primitive, Skin
from skinproof.model.influences import WeightFormat


def nodes(**changes):
    values = {
        "names": ("root", "tip"),
        "parents": np.array([-1, 0], dtype=np.int32),
        "translations": np.zeros((2, 3)),
        "rotations": np.tile([0.0, 0.0, 0.0, 1.0], (2, 1)),
        "scales": np.ones((2, 3)),
        "matrices": np.tile(np.eye(4), (2, 1, 1)),
        "has_matrix": np.zeros(2, dtype=np.bool_),
        "order": np.array([0, 1], dtype=np.int32),
    }
    return Nodes(**{**values, **changes})


def skin(**changes):
    values = {"name": "", "joints": np.array([0, 1], dtype=np.int32), "inverse_binds": np.tile(np.eye(4), (2, 1, 1))}
    return Skin(**{**values, **changes})


def influences(**changes):
    values = {
        "joints": np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]], dtype=np.uint16),
        "weights": np.array([[0.5, 0.5, 0, 0], [1, -0.0, 0, 0], [0, 0, 0, 0]], dtype=np.float32),
        "set_formats": (WeightFormat.FLOAT32,),
    }
    return Influences(**{**values, **changes})


def primitive(**changes):
    values = {
        "mesh": 0,
        "index": 0,
        "name": "body",
        "positions": np.zeros((3, 3), dtype=np.float32),
        "normals": np.zeros((3, 3), dtype=np.float32),
        "indices": np.array([0, 1, 2], dtype=np.uint32),
        "mode": 4,
        "influences": influences(),
    }
    return Primitive(**{**values, **changes})


def channel(**changes):
    values = {
        "node": 0,
        "path": Path.TRANSLATION,
        "interpolation": Interpolation.LINEAR,
        "times": np.array([0.5, 2.0]),
        "values": np.zeros((2, 3)),
    }
    return Channel(**{**values, **changes})


def character(**changes):
    values = {
        "name": "hero",
        "nodes": nodes(),
        "skins": (skin(), skin()),
        "primitives": (primitive(), primitive(mesh=1)),
        "instances": (Instance(0, 0, 1), Instance(1, 0, 0), Instance(1, 0, 1), Instance(1, 1, 0)),
        "clips": (Clip("walk", (channel(),)),),
    }
    return Character(**{**values, **changes})


def has_own_frozen_arrays(made, **given):
    """Whether each array `given` was taken over read-only, and changing it changes nothing in `made`."""
    for name, array in given.items():
        kept = getattr(made, name)
        if kept.flags.writeable or np.shares_memory(kept, array):
            return False
    return len(given) > 0
