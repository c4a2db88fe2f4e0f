"""Sound characters fit their skeletons, and the one that is known not to is found."""

import pytest

from skinproof.errors import FormatError
from skinproof.formats import read
from skinproof.gate import Policy, judge
from skinproof.measuring import survey

pytestmark = pytest.mark.assets

MISFIT = "derived-makehuman/mpfb-mixamo/mpfb-mixamo-raw.glb"
SOUND_AT_MOST = 0.085
JUDGED_AT_LEAST = 18


def test_only_the_misfit_is_reported(assets):
    shares = {}
    for path in sorted(assets.rglob("*.gl*")):
        try:
            found = survey(read(path))
        except FormatError:
            continue
        name = path.relative_to(assets).as_posix()
        judged = [skin.bind_mismatch for skin in found.skins if skin.bind_mismatch is not None]
        if judged:
            shares[name] = max(judged)
        codes = {finding.code for finding in judge(Policy(), found).findings}
        assert ("BIND_MISMATCH" in codes) == (name == MISFIT), name
    assert shares.pop(MISFIT) == pytest.approx(0.62, abs=0.005)
    assert len(shares) >= JUDGED_AT_LEAST
    assert max(shares.values()) <= SOUND_AT_MOST
