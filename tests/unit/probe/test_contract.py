"""The contract's numbers come from the operations: break one, and they no longer hold."""

import numpy as np
import pytest

from skinproof.probe import contract


def test_every_fixed_number_holds():
    numbers = contract.fixed_numbers()
    assert len({number.what for number in numbers}) == len(numbers) == 14
    assert [number.what for number in numbers if not number.holds] == []


def test_the_scan_holds():
    found = contract.scan()
    assert found.holds
    assert found.vertices == 10_000
    assert 0 < found.max_error < 200


def test_the_scan_is_the_same_every_time():
    assert contract.scan() == contract.scan()


def first_instead_of_largest(joints, weights, count, /):
    kept = weights[:, :count]
    return joints[:, :count].copy(), kept / kept.sum(axis=1, keepdims=True)


def largest_without_normalizing(joints, weights, count, /):
    order = np.argsort(-weights, axis=1)[:, :count]
    return np.take_along_axis(joints, order, axis=1), np.take_along_axis(weights, order, axis=1)


def test_numbers_and_scan_notice_a_cut_that_does_not_normalize(monkeypatch):
    monkeypatch.setattr(contract, "keep_largest", largest_without_normalizing)
    assert not all(number.holds for number in contract.fixed_numbers())
    found = contract.scan()
    assert not found.holds
    assert found.max_sum_error > 0.1
    assert found.max_translation_error > 10


def test_the_bound_notices_a_cut_that_keeps_the_first(monkeypatch):
    monkeypatch.setattr(contract, "keep_largest", first_instead_of_largest)
    found = contract.scan()
    assert found.max_sum_error < 1e-10, "it does normalize"
    assert found.max_bound_excess > 1
    assert not found.holds


@pytest.mark.parametrize("field", ["max_sum_error", "max_translation_error", "max_bound_excess"])
def test_each_of_the_three_decides(field):
    sound = {"max_sum_error": 0.0, "max_translation_error": 0.0, "max_bound_excess": -1.0}
    assert contract.ContractScan(vertices=1, max_error=5.0, **sound).holds
    for wrong in (1e-9, float("nan")):
        assert not contract.ContractScan(vertices=1, max_error=5.0, **{**sound, field: wrong}).holds


def test_a_scan_of_nothing_does_not_hold():
    assert not contract.ContractScan(0, 0.0, 0.0, 0.0, 0.0).holds


def test_a_number_that_is_off_does_not_hold():
    assert contract.ContractNumber("x", 22, 22.000000000000004).holds
    assert not contract.ContractNumber("x", 22, 22.00000001).holds
    assert not contract.ContractNumber("x", 22, float("nan")).holds
