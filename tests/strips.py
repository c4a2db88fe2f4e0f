"""Strips with many sets of influences, for tests of the writer; and their limited forms."""

import numpy as np

from gltf_builder import strip
from skinproof.influences import keep_largest, pack
from skinproof.model import Influences, WeightFormat


def sets_of(count, *, vertices):
    """Sets whose joints differ on every vertex and whose weights sum to one."""
    random = np.random.default_rng(count)
    slots = 4 * count
    weights = random.random((vertices, slots))
    weights /= weights.sum(axis=1, keepdims=True)
    indices = np.tile(np.arange(slots, dtype=np.uint8), (vertices, 1))
    return [(indices[:, at : at + 4], weights[:, at : at + 4]) for at in range(0, slots, 4)]


def strip_of_sets(count=2, *, vertices=6, **options):
    """A strip on as many joints as it has slots."""
    builder = strip(sets_of(count, vertices=vertices), vertices=vertices, **options)
    joints = builder.json["skins"][0]["joints"]
    joints += [builder.node(parent=0) for _ in range(4 * count - 2)]
    builder.json["skins"][0].pop("inverseBindMatrices", None)
    return builder


def cut_down(character, count, weight_format="float32"):
    """Return the character with the `count` largest influences of each vertex, packed."""
    weight_format = WeightFormat(weight_format)
    new = []
    for primitive in character.primitives:
        joints, weights = keep_largest(primitive.influences.joints, primitive.influences.weights, count)
        packed = pack(joints, weights, format=weight_format)
        scale = weight_format.scale
        stored = None if scale is None else packed.stored
        decoded = packed.stored if scale is None else packed.stored.astype(np.float32) / np.float32(scale)
        formats = (weight_format,) * -(-packed.joints.shape[1] // 4)
        new.append(Influences(packed.joints, decoded, formats, stored))
    return character.with_influences(new)


def assert_same_influences(one, other):
    for first, second in zip(one.primitives, other.primitives, strict=True):
        width = first.influences.joints.shape[1]
        assert np.array_equal(first.influences.weights, second.influences.weights[:, :width])
        assert not second.influences.weights[:, width:].any()
        used = first.influences.weights != 0
        assert np.array_equal(first.influences.joints[used], second.influences.joints[:, :width][used])
