import pytest

from skinproof.errors import OptionError
from skinproof.gate import Policy


@pytest.mark.parametrize("count", [0, -4])
def test_a_limit_below_one_makes_no_sense(count):
    with pytest.raises(OptionError, match=f"1 or more, got {count}"):
        Policy(max_influences=count)


def test_nothing_needs_to_be_gated():
    assert (Policy().max_influences, Policy().tolerance) == (None, None)
    assert Policy(max_influences=1).max_influences == 1
