"""limiting.limit: whole characters, every primitive through the same steps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import skinproof as sp
from characters import make_character, make_influences, make_nodes, make_primitive, make_skin
from skinproof.errors import InfluenceError, OptionError
from skinproof.model import Instance, WeightFormat


def character_of(*influences, joint_count=12):
    """One skin of `joint_count` joints in a row, and a mesh for each of `influences`."""
    return make_character(
        make_nodes([-1, *range(joint_count - 1)]),
        skins=[make_skin(range(joint_count))],
        primitives=[make_primitive(one, mesh=mesh) for mesh, one in enumerate(influences)],
        instances=[Instance(node=0, mesh=mesh, skin=0) for mesh in range(len(influences))],
    )


def test_every_vertex_ends_with_at_most_k_influences_and_an_exact_sum():
    rng = np.random.default_rng(4)
    source = character_of(
        make_influences(rng.permuted(np.tile(np.arange(12), (50, 1)), axis=1)[:, :8], rng.random((50, 8)))
    )
    for format_ in WeightFormat:
        limited = sp.limit(source, max_influences=3, pack=format_).primitives[0].influences
        assert limited.counts.max() <= 3
        assert limited.set_formats == (format_,)
        if format_.scale:
            assert set(limited.stored.sum(axis=1, dtype=np.int64)) == {format_.scale}
        else:
            assert set(limited.weights.sum(axis=1, dtype=np.float64)) == {1.0}


def test_a_vertex_below_k_is_normalized_like_every_other():
    source = character_of(make_influences([[0, 1, 2, 3], [0, 1, 0, 0]], [[0.4, 0.3, 0.2, 0.1], [0.5, 0.25, 0, 0]]))
    limited = sp.limit(source, max_influences=2)
    assert limited.primitives[0].influences.weights[1, :2] == pytest.approx([2 / 3, 1 / 3], abs=2**-24)
    assert limited.changes[0].weights[1] == pytest.approx([2 / 3, 1 / 3], rel=1e-7)


def test_the_source_keeps_its_own_format_and_is_not_changed():
    source = character_of(make_influences([[3, 1]], [[0.25, 0.75]], format="unorm16"))
    before = source.primitives[0].influences.weights.copy()
    limited = sp.limit(source, max_influences=1)
    assert limited.primitives[0].influences.format is WeightFormat.UNORM16
    np.testing.assert_array_equal(source.primitives[0].influences.weights, before)
    assert source.changes == ()


def test_sets_of_different_types_are_written_as_float32():
    mixed = make_influences([[0, 1, 2, 3, 4, 5, 6, 7]], [[1 / 8] * 8])
    mixed = sp.Influences(mixed.joints, mixed.weights, (WeightFormat.FLOAT32, WeightFormat.UNORM8))
    limited = sp.limit(character_of(mixed), max_influences=8)
    assert limited.primitives[0].influences.set_formats == (WeightFormat.FLOAT32,) * 2


def test_surplus_sets_go_and_wide_limits_add_none():
    influences = make_influences([[0, 1, 2, 3, 4, 5, 6, 7]], [[1 / 8] * 8])
    assert sp.limit(character_of(influences), max_influences=5).primitives[0].influences.joints.shape == (1, 8)
    assert sp.limit(character_of(influences), max_influences=4).primitives[0].influences.joints.shape == (1, 4)
    assert sp.limit(character_of(influences), max_influences=64).primitives[0].influences.joints.shape == (1, 8)


def test_merged_and_repaired_vertices_are_all_reported():
    source = character_of(
        make_influences(
            [[5, 5, 2, 3], [0, 1, 0, 0], [1, 2, 0, 0]], [[0.2, 0.2, 0.3, 0.3], [1, np.nan, 0, 0], [0, 0, 0, 0]]
        )
    )
    limited = sp.limit(source, max_influences=2, repair={"nonfinite": "drop", "zero": "joint=4"})
    found = {(finding.code, finding.where.get("policy")): finding.where["vertices"] for finding in limited.findings}
    assert found == {
        ("MERGED_DUPLICATES", None): [0],
        ("REPAIRED_WEIGHTS", "nonfinite=drop"): [1],
        ("REPAIRED_WEIGHTS", "zero=joint=4"): [2],
    }
    np.testing.assert_array_equal(limited.primitives[0].influences.joints[:, 0], [5, 0, 4])


def test_broken_weights_are_refused_for_every_vertex_of_every_primitive():
    broken = make_influences([[0, 1], [0, 1], [0, 1]], [[np.inf, 1], [0.5, 0.5], [-1, 2]])
    also = make_influences([[0, 99]], [[0.5, 0.5]])
    with pytest.raises(InfluenceError) as caught:
        sp.limit(character_of(broken, also), max_influences=2)
    assert [(p.primitive, p.vertex, p.rule) for p in caught.value.problems] == [
        ("/meshes/0/primitives/0", 0, "nonfinite_weight"),
        ("/meshes/0/primitives/0", 2, "negative_weight"),
        ("/meshes/1/primitives/0", 0, "joint_out_of_range"),
    ]
    assert caught.value.file == "made"
    assert str(caught.value).startswith("made: 3 vertices break the weight contract: /meshes/0/primitives/0 vertex 0: ")


def test_one_mesh_under_several_skins_is_held_to_the_smallest():
    source = character_of(make_influences([[3, 1, 0]], [[0.5, 0.3, 0.2]]))
    two = replace(source, skins=(source.skins[0], make_skin([0, 1])), instances=(Instance(0, 0, 0), Instance(1, 0, 1)))
    with pytest.raises(InfluenceError, match="joint index not below the joint count, joint 3"):
        sp.limit(two, max_influences=2)
    fitting = replace(two, primitives=(make_primitive(make_influences([[1, 0]], [[0.6, 0.3]])),))
    assert sp.limit(fitting, max_influences=1).primitives[0].influences.weights[0, 0] == 1


@pytest.mark.parametrize(
    "options",
    [{"max_influences": 0}, {"method": "first"}, {"pack": "half"}, {"repair": {"missing": "drop"}},
     {"repair": {"zero": "root"}}, {"repair": "zero"}, {"repair": ["zero"]},
     {"repair": {"zero": "joint=" + "9" * 5000}}],
)  # fmt: skip
def test_options_that_make_no_sense_are_refused(options):
    source = character_of(make_influences([[0]], [[1.0]]))
    with pytest.raises(OptionError):
        sp.limit(source, **{"max_influences": 4, **options})
