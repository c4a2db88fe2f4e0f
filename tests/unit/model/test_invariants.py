from dataclasses import replace

import numpy as np
import pytest

from arms import make_arm
from skinproof.model.invariants import broken_invariants

ARM = make_arm()


def faulty(holder, **arrays):
    """A copy in which arrays were changed behind the back of its checks."""
    copy = replace(holder)
    for name, value in arrays.items():
        object.__setattr__(copy, name, value)
    return copy


def with_nodes(**arrays):
    return replace(ARM, nodes=faulty(ARM.nodes, **arrays))


def with_skin(**arrays):
    return replace(ARM, skins=(faulty(ARM.skins[0], **arrays), *ARM.skins[1:]))


def with_part(**arrays):
    return with_primitive_of(faulty(ARM.primitives[0], **arrays))


def with_primitive_of(primitive):
    return replace(ARM, primitives=(primitive, *ARM.primitives[1:]))


def with_channel(**arrays):
    clip = ARM.clips[0]
    return replace(ARM, clips=(replace(clip, channels=(faulty(clip.channels[0], **arrays), *clip.channels[1:])),))


def changed(array, place, value):
    copy = np.array(array)
    copy[place] = value
    return copy


PART, CHANNEL = ARM.primitives[0], ARM.clips[0].channels[0]
FAULTS = {
    "a node's parent is no node": lambda: with_nodes(parents=changed(ARM.nodes.parents, -1, 99)),
    "the order does not hold every node once": lambda: with_nodes(
        order=changed(ARM.nodes.order, 0, ARM.nodes.order[1])
    ),
    "a node comes before its parent in the order": lambda: with_nodes(order=ARM.nodes.order[::-1].copy()),
    "the translations of the nodes are not finite": lambda: with_nodes(
        translations=changed(ARM.nodes.translations, 0, np.nan)
    ),
    "skin 0: a joint is no node": lambda: with_skin(joints=changed(ARM.skins[0].joints, 0, -1)),
    "skin 0: a joint stands twice": lambda: with_skin(joints=changed(ARM.skins[0].joints, 0, ARM.skins[0].joints[1])),
    "skin 0: an inverse bind matrix is not finite": lambda: with_skin(
        inverse_binds=changed(ARM.skins[0].inverse_binds, (0, 0, 0), np.inf)
    ),
    "instance 0: there is no such node or skin": lambda: replace(
        ARM, instances=(replace(ARM.instances[0], skin=9), *ARM.instances[1:])
    ),
    "instance 0: there is no such mesh": lambda: replace(
        ARM, instances=(replace(ARM.instances[0], mesh=-1), *ARM.instances[1:])
    ),
    "instance 0: a morph weight is not finite": lambda: replace(
        ARM, instances=(replace(ARM.instances[0], morph_weights=(np.nan,)), *ARM.instances[1:])
    ),
    "a position is not finite": lambda: with_part(positions=changed(PART.positions, (0, 0), np.nan)),
    "a morph target is not finite": lambda: with_part(targets=(np.full_like(PART.positions, np.inf),)),
    "a morph target has another number of vertices": lambda: with_part(targets=(PART.positions[1:],)),
    "an index is no vertex": lambda: with_part(indices=np.uint32([0, 1, len(PART.positions)])),
    "there is no mode 7": lambda: with_part(mode=7),
    "there are not as many influences as vertices": lambda: with_part(positions=PART.positions[1:]),
    "there are not as many stored weights as weights": lambda: with_part(
        influences=faulty(PART.influences, stored=np.zeros((1, 4), np.uint8))
    ),
    "clip 0: two channels have one target": lambda: replace(
        ARM, clips=(replace(ARM.clips[0], channels=ARM.clips[0].channels * 2),)
    ),
    "clip 0: a channel's node is no node": lambda: with_channel(node=99),
    "clip 0: a channel has no key": lambda: with_channel(times=CHANNEL.times[:0], values=CHANNEL.values[:0]),
    "clip 0: key times do not ascend": lambda: with_channel(times=CHANNEL.times[::-1].copy()),
    "clip 0: a key's value is not finite": lambda: with_channel(values=changed(CHANNEL.values, 0, np.nan)),
    "clip 0: the values are no keys": lambda: with_channel(values=CHANNEL.values[:, :2]),
}


def test_a_sound_character_has_none():
    assert broken_invariants(ARM) == ()


@pytest.mark.parametrize("said", FAULTS)
def test_each_is_named_when_it_is_broken(said):
    found = broken_invariants(FAULTS[said]())
    assert any(said in line for line in found), found
    assert len(found) <= 2
