import numpy as np
import pytest

from skinproof.errors import ArrayError
from skinproof.formats.gltf.sets import encode_sets
from skinproof.model import Influences, WeightFormat

FLOAT32, UNORM8, UNORM16 = WeightFormat.FLOAT32, WeightFormat.UNORM8, WeightFormat.UNORM16


def _influences(joints, weights, *formats, stored=None):
    """Influences whose sets all have the one format given, or each its own."""
    joints = np.array(joints, np.uint16)
    formats = formats if len(formats) > 1 else formats * -(-joints.shape[1] // 4)
    return Influences(joints, np.array(weights, np.float32), formats, stored)


@pytest.mark.parametrize(("width", "sets"), [(1, 1), (3, 1), (4, 1), (5, 2), (12, 3)])
def test_any_width_is_padded_to_whole_sets(width, sets):
    joints = np.arange(1, width + 1)[None]
    encoded = encode_sets(_influences(joints, np.full((1, width), 1 / 2), FLOAT32))
    assert len(encoded) == sets
    assert np.concatenate([one.joints for one in encoded], axis=1).tolist() == [
        [*range(1, width + 1), *[0] * (4 * sets - width)]
    ]
    assert np.concatenate([one.weights for one in encoded], axis=1).sum() == width / 2
    assert all(one.weights.dtype == np.float32 and one.weights.shape == (1, 4) for one in encoded)


def test_joints_take_the_smallest_type_that_fits_or_keep_the_one_they_had():
    small = _influences([[255, 0]], [[1, 0]], FLOAT32)
    large = _influences([[256, 0]], [[1, 0]], FLOAT32)
    byte, short = np.dtype("u1"), np.dtype("<u2")
    assert [encode_sets(one)[0].joints.dtype for one in (small, large)] == [byte, short]
    assert encode_sets(small, joint_types=[short])[0].joints.dtype == short
    assert encode_sets(large, joint_types=[byte])[0].joints.dtype == short


def test_a_joint_that_does_not_fit_widens_its_own_set_alone():
    wide = _influences([[1, 1, 1, 1, 256]], np.ones((1, 5)), FLOAT32)
    assert [one.joints.dtype.itemsize for one in encode_sets(wide)] == [1, 2]


def test_further_sets_take_the_last_type_given():
    wide = _influences(np.ones((1, 12)), np.ones((1, 12)), FLOAT32)
    types = [one.joints.dtype.itemsize for one in encode_sets(wide, joint_types=[np.dtype("u1"), np.dtype("<u2")])]
    assert types == [1, 2, 2]


def test_empty_slots_get_joint_0_only_when_tidied():
    influences = _influences([[3, 9, 8, 7]], [[1, -0.0, 0, 0]], FLOAT32)
    assert encode_sets(influences)[0].joints.tolist() == [[3, 0, 0, 0]]
    assert encode_sets(influences, tidy=False)[0].joints.tolist() == [[3, 9, 8, 7]]


def test_a_joint_of_an_empty_slot_does_not_widen_the_type():
    assert encode_sets(_influences([[3, 900]], [[1, 0]], FLOAT32))[0].joints.dtype == np.uint8


@pytest.mark.parametrize(("weight_format", "scale"), [(UNORM8, 255), (UNORM16, 65535)])
def test_every_integer_weight_survives_with_and_without_the_stored_ones(weight_format, scale):
    stored = np.arange(scale + 1).astype(weight_format.dtype)[:, None]
    weights = stored.astype(np.float32) / np.float32(scale)
    joints = np.zeros(stored.shape)
    for given in (stored, None):
        (one,) = encode_sets(_influences(joints, weights, weight_format, stored=given))
        assert one.weights.dtype.itemsize == (1 if scale == 255 else 2)
        assert np.array_equal(one.weights[:, :1], stored)


def test_floats_keep_every_bit():
    weights = np.array([[np.nan, -0.0, 3e38, 1e-45]], np.float32)
    (one,) = encode_sets(_influences([[0, 1, 2, 3]], weights, FLOAT32))
    assert one.weights.tobytes() == weights.tobytes()


def test_sets_may_be_stored_differently():
    weights = np.full((1, 8), 0.2)
    weights[0, 4:] = 51 / 255
    encoded = encode_sets(_influences(np.zeros((1, 8)), weights, FLOAT32, UNORM8))
    assert [one.weights.dtype.name for one in encoded] == ["float32", "uint8"]
    assert encoded[1].weights.tolist() == [[51] * 4]


@pytest.mark.parametrize("weight", [0.3001, np.nan, np.inf, -0.1, 1.5])
def test_weights_that_are_no_integers_are_not_rounded_silently(weight):
    with pytest.raises(ArrayError, match=r"vertex 1 has .*no multiple of 1/255.*Pack"):
        encode_sets(_influences([[0], [0]], [[1], [weight]], UNORM8))
