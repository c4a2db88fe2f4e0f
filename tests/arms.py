"""An arm of three joints that bends and travels, and what brute force says of its displacement."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from characters import about, make_channel, make_character, make_clip, make_influences, make_nodes, make_primitive
from skinproof.model import Instance, Skin
from skinproof.poses import PoseSchedule, palettes
from skinproof.skinning import reference

JOINTS = 3


def make_arm(weights=None, *, vertices=9, clips=("bend", "travel"), format="float32", pointer=None):  # noqa: A002
    """A character: joints one metre apart along y, each bound where it stands, vertices beside them.

    Args:
        weights: [V, 3], of joint 0, 1, 2; None: every vertex has all three.
        vertices: how many, if `weights` does not say.
        clips: "bend" (2 s, turns two joints), "travel" (1 s, moves all), both or none.
        format: of the weights.
        pointer: of the primitive.
    """
    nodes = make_nodes([-1, 0, 1], translations=[[0, 0, 0], [0, 1, 0], [0, 1, 0]])
    nodes = replace(nodes, names=("shoulder", "elbow", "wrist"))
    binds = np.tile(np.eye(4), (JOINTS, 1, 1))
    binds[:, 1, 3] = [0, -1, -2]
    skin = Skin("arm", np.arange(JOINTS, dtype=np.int32), binds, pointer="/skins/0")
    if weights is None:
        weights = np.random.default_rng(5).dirichlet([1, 1, 1], vertices)
    weights = np.array(weights, np.float64)
    influences = make_influences(np.tile(np.arange(JOINTS), (len(weights), 1)), weights, format=format)
    height = np.linspace(0, 3, len(weights))
    positions = np.column_stack([np.where(np.arange(len(weights)) % 2, 0.2, -0.2), height, 0 * height])
    primitive = make_primitive(influences, positions=positions)
    primitive = replace(primitive, name="arm", pointer=pointer or primitive.pointer)
    made = {
        "bend": make_clip(
            make_channel(1, "rotation", [0, 1, 2], [about([0, 0, 1], degrees) for degrees in (0, 80, 10)]),
            make_channel(2, "rotation", [0, 2], [about([1, 0, 0], degrees) for degrees in (0, 50)]),
            name="bend",
        ),
        "travel": make_clip(make_channel(0, "translation", [0, 1], [[0, 0, 0], [30, 0, 4]]), name="travel"),
    }
    character = make_character(
        nodes,
        skins=[skin],
        clips=[made[name] for name in clips],
        primitives=[primitive],
        instances=[Instance(0, 0, 0)],
    )
    return replace(character, name="arm.glb")


def with_weights(character, weights, *, joints=None, format="float32"):  # noqa: A002
    """The character with other weights [V, N] on its first primitive; joints default to 0, 1, 2, ..."""
    weights = np.array(weights, np.float64)
    joints = np.tile(np.arange(weights.shape[1]), (len(weights), 1)) if joints is None else joints
    return character.with_influences([make_influences(joints, weights, format=format), *rest(character)])


def rest(character):
    return [primitive.influences for primitive in character.primitives[1:]]


def weights_of(character, index=0):
    """Decoded weights of joints 0, 1, 2, float64 [V, 3]."""
    influences = character.primitives[index].influences
    dense = np.zeros((len(influences.joints), JOINTS))
    for slot in range(influences.joints.shape[1]):
        used = influences.weights[:, slot] != 0
        dense[np.flatnonzero(used), influences.joints[used, slot]] += influences.weights[used, slot]
    return dense


def brute_force(character, before, after, *, samples=None, fps=30.0, primitive=0, skin=0):
    """Per clip the displacements from dense weights `before` to `after` [V, J], float64 [P, V, 3], by the oracle."""
    schedule = PoseSchedule.from_clips(character, samples=samples, fps=fps)
    positions = character.primitives[primitive].positions
    joints = np.tile(np.arange(before.shape[1]), (len(before), 1))
    errors = []
    for index, clip in enumerate(schedule.clips):
        matrices = palettes(character.skins[skin], schedule.worlds(index, np.arange(clip.pose_count)))
        here = reference.skin_positions(positions, joints, after, matrices)
        errors.append(here - reference.skin_positions(positions, joints, before, matrices))
    return errors


def pooled_rms(errors, durations):
    """Root mean square over vertices and poses, clips weighted by duration."""
    means = np.array([np.mean(np.sum(clip**2, axis=2)) for clip in errors])
    return float(np.sqrt(np.average(means, weights=durations)))
