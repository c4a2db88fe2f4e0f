import numpy as np
import pytest

from characters import make_influences
from gltf_builder import strip
from skinproof.measuring import decoded_sums
from skinproof.model import Influences, WeightFormat


def floats(*rows):
    return make_influences(np.tile(np.arange(len(rows[0])), (len(rows), 1)), rows)


def by_method(influences):
    return {check.method: check for check in decoded_sums(influences)}


def as_the_validator_adds(weights):
    """Set by set within each component, one rounding to float32 after every addition."""
    total = np.float32(0)
    for component in range(4):
        for weight in weights[component::4]:
            total = np.float32(total + np.float32(weight))
    return float(total)


SMALL = 1.8e-7
ROUNDS_UP = [1.0, *[SMALL] * 7]
"""Each addition rounds up to 2.4e-7: off by 1.3e-6 in fact, by 1.7e-6 in float32; eight weights may be by 1.6e-6."""


@pytest.mark.parametrize("scale", [255, 65535])
class TestIntegers:
    def test_exact_sums_pass_every_way_of_adding(self, scale):
        checks = by_method(make_influences([[0, 1, 2]] * 2, np.array([[0.5, 0.3, 0.2]] * 2), format=name_of(scale)))
        stored = np.rint(np.array([0.5, 0.3, 0.2]) * scale)
        assert set(checks) == {"integer", "float64"}
        assert checks["integer"].vertices == 2
        assert checks["integer"].failing == (0 if stored.sum() == scale else 2)

    def test_one_step_too_few_is_found(self, scale):
        stored = np.array([[scale, 0, 0, 0], [scale - 5, 3, 1, 0]], np.min_scalar_type(scale))
        weights = (stored / scale).astype(np.float32)
        joints = np.tile(np.arange(4, dtype=np.uint16), (2, 1))
        checks = by_method(Influences(joints, weights, (WeightFormat(name_of(scale)),), stored))
        integer = checks["integer"]
        assert (integer.failing, integer.vertex, integer.sum, integer.error) == (1, 1, scale - 1, 1)
        assert (integer.limit, integer.unit) == (0, f"1/{scale}")
        assert integer.max_error == 1 / scale
        assert checks["float64"].failing == 1
        assert checks["float64"].sum == pytest.approx(1 - 1 / scale, abs=1e-6)


def name_of(scale):
    return {255: "unorm8", 65535: "unorm16"}[scale]


class TestFloats:
    def test_correctly_rounded_weights_pass(self):
        weights = np.random.default_rng(3).dirichlet(np.ones(12), 5000)
        checks = by_method(floats(*weights))
        assert set(checks) == {"float64", "validator"}
        assert [(check.vertices, check.failing) for check in checks.values()] == [(5000, 0), (5000, 0)]
        assert 0 < checks["float64"].max_error < 12 * 3e-8

    def test_a_sum_of_seven_tenths_is_found(self):
        check = by_method(floats([0.5, 0.5, 0], [0.4, 0.3, 0]))["float64"]
        assert (check.failing, check.vertex, check.unit) == (1, 1, "1")
        assert check.sum == pytest.approx(0.7, abs=1e-7)
        assert check.limit == 4e-7

    def test_the_limit_grows_with_the_number_of_weights(self):
        off = 2.5e-7
        assert by_method(floats([1 + 2 * off, 0, 0, 0]))["float64"].failing == 1
        assert by_method(floats([0.25, 0.25, 0.25, 0.25 + 2 * off]))["float64"].failing == 0

    def test_the_worst_is_one_that_fails_even_if_another_is_further_off(self):
        eight = [0.125 + 1.5e-7] * 8
        one = [1 + 4e-7, *[0] * 7]
        check = by_method(floats(eight, one))["float64"]
        assert (check.failing, check.vertex) == (1, 1)
        assert check.max_error > check.error

    def test_float32_sums_can_fail_where_exact_ones_pass(self):
        checks = by_method(floats(ROUNDS_UP))
        assert checks["float64"].failing == 0
        assert (checks["validator"].failing, checks["validator"].vertex) == (1, 0)
        assert checks["validator"].sum == as_the_validator_adds(ROUNDS_UP)

    def test_float32_sums_follow_the_order_of_the_validator(self):
        weights = np.random.default_rng(11).dirichlet(np.ones(16), 2000).astype(np.float32)
        differ = 0
        for row in weights:
            (check,) = [check for check in decoded_sums(floats(row)) if check.method == "validator"]
            assert check.sum == as_the_validator_adds(row)
            differ += check.sum != float(np.add.accumulate(row, dtype=np.float32)[-1])
        assert differ > 100

    def test_huge_weights_overflow_to_infinity_without_a_warning(self):
        check = by_method(floats([3e38, 3e38, 0, 0]))
        assert check["float64"].failing == 1
        assert check["validator"].sum == np.inf


def test_a_mixed_file_is_added_as_floats():
    joints = np.tile(np.arange(8, dtype=np.uint16), (1, 1))
    weights = np.array([[0.5, 0.25, 0, 0, 51 / 255, 0, 0, 0]], np.float32)
    checks = by_method(Influences(joints, weights, (WeightFormat.FLOAT32, WeightFormat.UNORM8)))
    assert {method: check.failing for method, check in checks.items()} == {"float64": 1, "validator": 1}


@pytest.mark.parametrize("broken", [[np.nan, 1, 0], [np.inf, 0, 0], [0, 0, 0], [-0.0, 0, 0]])
def test_vertices_without_a_sum_are_left_out(broken):
    checks = by_method(floats([1, 0, 0], broken))
    assert {(check.vertices, check.failing) for check in checks.values()} == {(1, 0)}
    nothing = by_method(floats(broken))["float64"]
    assert (nothing.vertices, nothing.vertex, nothing.max_error) == (0, -1, 0)


@pytest.mark.node
def test_the_khronos_validator_agrees(validate_gltf, tmp_path):
    generator = np.random.default_rng(2)
    exact = generator.dirichlet(np.ones(8), 298)
    rows = np.vstack([exact * (1 + generator.uniform(-3e-6, 3e-6, (298, 1))), ROUNDS_UP, ROUNDS_UP[::-1]])
    rows = rows.astype(np.float32)
    joints = np.tile(np.arange(4, dtype=np.uint8), (len(rows), 1))
    builder = strip([(joints, rows[:, :4]), (joints + 4, rows[:, 4:])], vertices=len(rows))
    extra = [builder.node(parent=0) for _ in range(6)]
    builder.json["skins"][0] = {"joints": [0, 1, *extra]}
    (report,) = validate_gltf(builder.save(tmp_path / "sums.glb"))
    said = {
        int(message["message"].split("indices ")[1].split("..")[0]) // 4
        for message in report.raw["issues"]["messages"]
        if message["code"] == "ACCESSOR_WEIGHTS_NON_NORMALIZED"
    }
    ours = {vertex for vertex, row in enumerate(rows) if by_method(floats(row))["validator"].failing}
    assert 50 < len(said) < 290
    assert ours == said
