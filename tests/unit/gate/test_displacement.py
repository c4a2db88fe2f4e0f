from dataclasses import replace

import numpy as np
import pytest

from arms import make_arm, weights_of, with_weights
from characters import make_influences, make_primitive
from skinproof.gate import displacement, tolerance
from skinproof.limiting import limit
from skinproof.measuring import measure, survey
from skinproof.model import Instance


@pytest.fixture(scope="module")
def two():
    arm = make_arm(vertices=10)
    wide = make_primitive(make_influences([[0, 2]] * 3, [[0.6, 0.4]] * 3), mesh=1)
    return replace(arm, primitives=(*arm.primitives, wide), instances=(*arm.instances, Instance(0, 1, 0)))


def test_a_finding_for_each_primitive_beyond(two):
    measurement = measure(two, limit(two, max_influences=1))
    found = list(displacement.beyond(tolerance.parse("1mm"), measurement, survey(two)))
    worst_first = sorted(measurement.primitives, key=lambda primitive: -primitive.summary.max)
    assert [finding.pointer for finding in found] == [primitive.pointer for primitive in worst_first]
    assert found[0].measured > found[1].measured
    for finding, primitive in zip(found, worst_first, strict=True):
        assert finding.measured == primitive.summary.max
        assert finding.where["vertex"] == primitive.worst.vertex
        assert finding.where["count"] == np.count_nonzero(primitive.max_error > 0.001)
    between = np.mean([primitive.summary.max for primitive in measurement.primitives])
    (furthest,) = displacement.beyond(tolerance.Tolerance("between", metres=float(between)), measurement, survey(two))
    assert furthest.measured == measurement.summary.max


def test_vertices_that_could_not_be_measured(two):
    weights = weights_of(two)
    weights[[1, 4], 0] = np.nan
    measurement = measure(with_weights(two, weights), limit(two, max_influences=1))
    (warning,) = displacement.not_measured(measurement, gated=False)
    assert (warning.code, warning.measured, warning.unit) == ("NOT_MEASURED", 2, "vertices")
    assert warning.where == {"primitive": "/meshes/0/primitives/0", "name": "arm", "vertex": 1, "count": 2}
    assert "in the original a weight is NaN or infinite" in warning.message
    codes = [finding.code for finding in displacement.beyond(tolerance.parse("100m"), measurement, survey(two))]
    assert codes == ["DISPLACEMENT_UNKNOWN"]
    assert list(displacement.not_measured(measurement, gated=True)) == []


def test_repaired_vertices_are_a_warning_even_where_displacement_is_gated(two):
    weights = weights_of(two)
    weights[1] = 0
    source = with_weights(two, weights)
    measurement = measure(source, limit(source, max_influences=1, repair={"zero": "joint=0"}))
    assert [one.code for one in displacement.not_measured(measurement, gated=True)] == ["NOT_MEASURED"]
    assert "DISPLACEMENT_UNKNOWN" not in {
        one.code for one in displacement.beyond(tolerance.parse("9m"), measurement, survey(two))
    }


def test_a_primitive_that_no_skin_shows_is_no_gap(two):
    alone = replace(two, instances=two.instances[:1])
    measurement = measure(alone, alone)
    assert len(measurement.unmeasured) == 1
    assert list(displacement.not_measured(measurement, gated=False)) == []
    assert list(displacement.beyond(tolerance.parse("1mm"), measurement, survey(two))) == []


def test_a_share_of_an_endless_diagonal_passes_nothing(two):
    measurement = replace(measure(two, limit(two, max_influences=1)), diagonal=np.inf)
    (finding,) = displacement.beyond(tolerance.parse("50%"), measurement, survey(two))
    assert finding.code == "DISPLACEMENT_UNKNOWN"
    assert "DISPLACEMENT" in [one.code for one in displacement.beyond(tolerance.parse("1mm"), measurement, survey(two))]


def test_poses_that_move_no_joint_pass_nothing(two):
    clip = two.clips[0]
    still = [replace(one, values=np.repeat(one.values[:1], len(one.times), axis=0)) for one in clip.channels]
    frozen = replace(two, clips=(replace(clip, channels=tuple(still)),))
    measurement = measure(frozen, limit(frozen, max_influences=1))
    (finding,) = displacement.beyond(tolerance.parse("1m"), measurement, survey(frozen))
    assert finding.code == "DISPLACEMENT_UNKNOWN"
    assert list(displacement.beyond(tolerance.parse("1000m"), measure(two, two), survey(two))) == []
