from skinproof.model.influences import WeightFormat
from skinproof.model.survey import PrimitiveSurvey, SumCheck, Survey


def sums(method, max_error):
    return SumCheck(method, 5, 0, 2, 1.0, max_error, 1e-6, max_error, "1")


def primitive(histogram, *checks):
    return PrimitiveSurvey(
        "/p", "part", sum(histogram), 4, (WeightFormat.FLOAT32,), (0,), 3, histogram, 0, (), checks, 0, -1
    )  # fmt: skip


def test_a_character_is_the_sum_of_its_primitives():
    found = Survey("hero", (primitive((0, 2, 3)), primitive((1, 0, 0, 4))), (), ())
    assert (found.vertices, found.max_influences, found.histogram) == (10, 3, (1, 2, 3, 4))


def test_the_largest_number_is_one_that_a_vertex_has():
    assert primitive((0, 2, 0, 0)).max_influences == 1
    assert primitive(()).max_influences == 0


def test_the_largest_sum_error_is_that_of_the_exact_sums():
    parts = (
        primitive((0, 5), sums("float64", 2e-7), sums("validator", 9e-7)),
        primitive((0, 5), sums("float64", 3e-7)),
    )
    assert Survey("hero", parts, (), ()).max_sum_error == 3e-7
    assert Survey("hero", (), (), ()).max_sum_error == 0
