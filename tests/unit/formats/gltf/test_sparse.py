"""Sparse accessors from a file to a file (glTF 2.0, section 3.6.2.3)."""

import numpy as np
import pytest

from skinproof.formats import read, write
from strips import assert_same_influences, cut_down, strip_of_sets


@pytest.mark.parametrize("base", [True, False])
def test_sparse_accessors_are_read_kept_and_replaced_whole(tmp_path, validate_gltf, base):
    dense = strip_of_sets(vertices=12)
    sparse = strip_of_sets(vertices=12)
    attributes = sparse.json["meshes"][0]["primitives"][0]["attributes"]
    animated = [sampler["output"] for sampler in sparse.json["animations"][0]["samplers"]]
    for accessor in [*attributes.values(), *animated]:
        count = sparse.json["accessors"][accessor]["count"]
        sparse.sparsify(accessor, range(0 if not base else count // 2, count), base=base)
    one, other = read(dense.save(tmp_path / "dense.glb")), read(sparse.save(tmp_path / "sparse.glb"))
    assert_same_influences(one, other)
    assert np.array_equal(one.primitives[0].positions, other.primitives[0].positions)
    assert np.array_equal(one.clips[0].channels[0].values, other.clips[0].channels[0].values)

    write(other, tmp_path / "kept.glb")
    assert (tmp_path / "kept.glb").read_bytes() == (tmp_path / "sparse.glb").read_bytes()

    limited = cut_down(other, 4, "unorm8")
    write(limited, tmp_path / "limited.glb")
    assert_same_influences(limited, read(tmp_path / "limited.glb"))
    document = read(tmp_path / "limited.glb").source.json
    attributes = document["meshes"][0]["primitives"][0]["attributes"]
    assert ["sparse" in document["accessors"][index] for index in attributes.values()] == [True, False, False]
    assert (tmp_path / "limited.glb").stat().st_size < (tmp_path / "sparse.glb").stat().st_size
    reports = validate_gltf(tmp_path / "sparse.glb", tmp_path / "limited.glb")
    assert [report.errors for report in reports] == [[], []]


def test_replaced_elements_that_others_share_stay(tmp_path):
    sparse = strip_of_sets(vertices=12)
    attributes = sparse.json["meshes"][0]["primitives"][0]["attributes"]
    for name in ("POSITION", "WEIGHTS_0"):
        sparse.sparsify(attributes[name], range(6))
    parts = [sparse.json["accessors"][attributes[name]]["sparse"] for name in ("POSITION", "WEIGHTS_0")]
    parts[1]["indices"] = parts[0]["indices"]
    source = read(sparse.save(tmp_path / "sparse.glb"))
    limited = cut_down(source, 2)
    write(limited, tmp_path / "limited.glb")
    written = read(tmp_path / "limited.glb")
    assert_same_influences(limited, written)
    assert np.array_equal(source.primitives[0].positions, written.primitives[0].positions)
