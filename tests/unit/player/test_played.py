import numpy as np
import pytest

from skinproof.player.played import percentiles


def test_percentiles_in_microseconds():
    assert percentiles(np.arange(1001) * 1000) == pytest.approx((500.0, 990.0, 999.0))
    assert percentiles(np.zeros(0, np.int64)) == (0.0, 0.0, 0.0)
