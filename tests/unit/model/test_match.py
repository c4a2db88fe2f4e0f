import pytest

from skinproof.model.match import Match, MatchedSide, VertexList


def side(vertices, lone):
    return MatchedSide(vertices, (VertexList("/meshes/0/primitives/0", "body", lone, (0,)),) if lone else (), ())


def test_the_smaller_share_counts():
    match = Match("other vertices", side(10, 1), side(4, 1), 1e-6, 1.0)
    assert (match.original.matched, match.original.share) == (9, 0.9)
    assert match.share == match.result.share == 0.75


@pytest.mark.parametrize("sides", [(side(0, 0), side(4, 0)), (side(4, 0), side(0, 0))])
def test_of_no_vertices_nothing_is_matched(sides):
    assert Match("", *sides, 0.0, None).share == 0.0
