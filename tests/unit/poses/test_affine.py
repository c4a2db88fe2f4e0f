import numpy as np

from characters import about, trs
from skinproof.poses.affine import inverses, products
from tolerances import ROUNDING

LEFT = np.array(
    [[trs((n, pose, 0), about([1, n, 0], 20 * pose), (1, 2, n + 1)) for n in range(4)] for pose in range(3)]
)
RIGHT = np.array([trs((0, 0, 5), about([0, 0, 1], 30), (2, 2, 2)), trs((1, 1, 1))])


def test_products_of_what_is_picked():
    places = np.array([3, 1], np.int32)
    found = products(LEFT, places, RIGHT)
    np.testing.assert_allclose(found, LEFT[:, places] @ RIGHT, rtol=0, atol=ROUNDING)
    assert (found[:, :, 3] == (0, 0, 0, 1)).all()
    assert products(LEFT[1], places, RIGHT).tobytes() == found[1].tobytes()


def test_inverses():
    generator = np.random.default_rng(1)
    matrices = np.tile(np.eye(4), (200, 1, 1))
    matrices[:, :3] = generator.normal(size=(200, 3, 4))
    matrices[0, :3, :3] = [[0, 0, 2], [4, 0, 0], [0, 8, 0]]  # needs rows changed
    found = inverses(matrices)
    expected = np.linalg.inv(matrices)
    conditions = np.linalg.cond(matrices)[:, np.newaxis, np.newaxis]
    scale = np.abs(expected).max(axis=(1, 2), keepdims=True)
    assert (np.abs(found - expected) <= ROUNDING * conditions * scale).all()
    assert found[0].tolist() == [
        [0, 0.25, 0, -matrices[0, 1, 3] / 4],
        [0, 0, 0.125, -matrices[0, 2, 3] / 8],
        [0.5, 0, 0, -matrices[0, 0, 3] / 2],
        [0, 0, 0, 1],
    ]


def test_a_matrix_without_an_inverse_gives_no_finite_one():
    flat = trs(scale=(1, 0, 1))
    assert not np.isfinite(inverses(flat[np.newaxis])).all()
