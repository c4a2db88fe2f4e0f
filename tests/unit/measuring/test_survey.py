from dataclasses import replace

import numpy as np

from arms import make_arm, weights_of, with_weights
from characters import make_influences, make_primitive, make_skin
from skinproof.measuring import survey
from skinproof.model import Influences, Instance, WeightFormat


def test_counts_and_formats():
    weights = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5], [0.3, 0.4, 0.3]])
    found = survey(make_arm(weights))
    (primitive,) = found.primitives
    assert primitive.histogram == (0, 1, 1, 2)
    assert (primitive.max_influences, primitive.most_vertex) == (3, 2)
    assert (primitive.vertices, primitive.slots, primitive.set_formats) == (4, 4, (WeightFormat.FLOAT32,))
    assert (primitive.skins, primitive.joint_count, primitive.breaches) == ((0,), 3, ())
    assert [check.method for check in primitive.sums] == ["float64", "validator"]
    assert (found.name, found.vertices, found.max_influences, found.histogram) == ("arm.glb", 4, 3, (0, 1, 1, 2))
    assert found.max_sum_error < 1e-7


def test_primitives_are_summed_up():
    arm = make_arm(vertices=5)
    other = make_primitive(make_influences([[0, 1], [1, 0]], [[0.5, 0.4], [0, 0]]), mesh=1)
    found = survey(replace(arm, primitives=(*arm.primitives, other)))
    assert found.histogram == (1, 0, 1, 5)
    assert found.vertices == 7
    assert abs(found.max_sum_error - 0.1) < 1e-7
    assert found.primitives[1].skins == ()
    assert found.primitives[1].joint_count is None


def test_every_broken_rule_is_counted_with_its_first_vertex():
    arm = make_arm(np.tile([0.5, 0.3, 0.2], (7, 1)))
    weights = weights_of(arm)
    joints = np.tile(np.arange(3), (7, 1))
    weights[1, 1], weights[2, 2] = np.nan, np.inf
    weights[3, 0] = -0.25
    weights[4] = 0
    joints[5, 2] = 3
    joints[6, 2] = 0
    joints[0, 1] = 0
    breaches = {
        breach.rule: breach for breach in survey(with_weights(arm, weights, joints=joints)).primitives[0].breaches
    }
    assert {rule: (breach.vertices, breach.vertex) for rule, breach in breaches.items()} == {
        "joint_out_of_range": (1, 5),
        "duplicate_joint": (2, 0),
        "nonfinite_weight": (2, 1),
        "negative_weight": (1, 3),
        "zero_sum": (1, 4),
    }
    assert (breaches["joint_out_of_range"].joint, breaches["negative_weight"].value) == (3, -0.25)


def test_a_mesh_under_several_skins_must_fit_the_smallest():
    arm = make_arm(vertices=5)
    small = make_skin([0, 1])
    both = replace(arm, skins=(*arm.skins, small), instances=(*arm.instances, Instance(1, 0, 1)))
    (primitive,) = survey(both).primitives
    assert (primitive.skins, primitive.joint_count) == ((0, 1), 2)
    assert [(breach.rule, breach.vertices) for breach in primitive.breaches] == [("joint_out_of_range", 5)]


def test_joints_of_empty_slots_are_counted():
    joints = np.array([[0, 1, 0, 0], [0, 1, 2, 0], [0, 1, 0, 2]], np.uint16)
    weights = np.array([[0.5, 0.5, 0, 0], [0.5, 0.5, 0, 0], [0.5, 0.5, 0, -0.0]], np.float32)
    arm = make_arm(np.tile([0.5, 0.5, 0], (3, 1)))
    (primitive,) = survey(arm.with_influences([Influences(joints, weights, (WeightFormat.FLOAT32,))])).primitives
    assert (primitive.unused_joints, primitive.unused_vertex) == (2, 1)
    assert primitive.histogram == (0, 0, 3)


def test_skins_and_clips():
    arm = make_arm(np.tile([0.5, 0, 0.5], (4, 1)))
    found = survey(arm)
    (skin,) = found.skins
    assert (skin.pointer, skin.name, skin.joints, skin.weighted_joints, skin.vertices) == ("/skins/0", "arm", 3, 2, 4)
    assert skin.bind_mismatch is None
    assert [(clip.name, clip.duration, clip.channels) for clip in found.clips] == [("bend", 2, 2), ("travel", 1, 1)]


def test_a_primitive_without_vertices():
    empty = make_arm(np.zeros((0, 3)))
    (primitive,) = survey(empty).primitives
    assert (primitive.vertices, primitive.max_influences, primitive.most_vertex) == (0, 0, -1)
    assert survey(empty).histogram in ((), (0,))


def test_nothing_to_survey():
    found = survey(replace(make_arm(), primitives=(), instances=()))
    assert (found.vertices, found.max_influences, found.histogram, found.max_sum_error) == (0, 0, (0,), 0)
