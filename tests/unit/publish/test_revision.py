from __future__ import annotations

import pytest

from palettes import owner, palette
from skinproof.errors import OptionError


@pytest.mark.parametrize("revision", [-1, 2**64, (1,), (1, 2, 3), (1, -1), "1", 1.0, None, (1, 2.0)])
def test_revisions(revision):
    character = owner(0, 0)
    for use in (character.request, character.begin, lambda value: character.publish(value, palette(1, 1))):
        with pytest.raises(OptionError, match="revision: "):
            use(revision)
    assert character.requested == (0, 0)


def test_the_greatest_revision():
    character = owner(0, 0)
    greatest = (2**64 - 1, 2**64 - 1)
    character.request(greatest)
    assert character.publish(greatest, palette(1, 1))
    with character.acquire() as snapshot:
        assert snapshot.revision == greatest
