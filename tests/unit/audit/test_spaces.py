from __future__ import annotations

import numpy as np

from characters import make_skin
from skinproof.audit.spaces import undone


def test_each_mistake_is_undone():
    rng = np.random.default_rng(5)
    binds, worlds = np.tile(np.eye(4), (2, 3, 1, 1))
    binds[:, :3] += 0.3 * rng.normal(size=(3, 3, 4))
    worlds[:, :3] += rng.normal(size=(3, 3, 4))
    right = worlds @ binds
    skin = make_skin([0, 1, 2], binds)
    for name, wrong in (
        ("transposed", right.swapaxes(1, 2)),
        ("inverse bind missing", worlds),
        ("inverse bind applied twice", right @ binds),
    ):
        np.testing.assert_allclose(dict(undone(skin, wrong[np.newaxis]))[name][0], right, atol=1e-9)


def test_a_bind_without_inverse_is_not_divided_by():
    skin = make_skin([0], np.diag([1.0, 0, 1, 1])[np.newaxis])
    assert "inverse bind applied twice" not in dict(undone(skin, np.eye(4)[np.newaxis, np.newaxis]))
