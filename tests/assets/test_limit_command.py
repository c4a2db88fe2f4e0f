"""The main job on real characters, by the command: every output is sound for the Khronos validator and our own gate."""

from __future__ import annotations

import json

import jsonschema
import pytest

from cli.command import expect, skinproof
from skinproof import WeightFormat, read
from skinproof.report import schema

FILES = [
    "khronos/CesiumMan/glTF-Binary/CesiumMan.glb",
    "derived-collada/CesiumMan-dense/CesiumMan-dense.glb",
    "derived-collada/RiggedFigure-dense/RiggedFigure-dense.glb",
    "khronos/Fox/glTF-Binary/Fox.glb",
    "khronos/Fox/glTF/Fox.gltf",  # with errors of its own: a byteStride on animation accessors
    "kaykit-adventurers/Knight/Knight.glb",
    "raylib/robot/robot.glb",
    "derived-makehuman/mpfb-game_engine/mpfb-game_engine.glb",
    "derived-blender/Simple_SI_Rigging/Simple_SI_Rigging.glb",
    "derived-blender/dembones-Decomposition_20/Decomposition_20.glb",
]
RUNS = [(4, None), (2, "unorm8"), (1, "unorm16")]

pytestmark = [pytest.mark.assets, pytest.mark.node]


@pytest.mark.parametrize("name", FILES)
def test_outputs_are_valid_and_judged_sound(name, assets, tmp_path, validate_gltf):
    source = assets / name
    outputs = []
    for k, weights in RUNS:
        output = tmp_path / f"k{k}" / source.name
        output.parent.mkdir()
        options = ["-k", k, "--samples", 3, "--json"] + (["--pack", weights] if weights else [])
        report = json.loads(expect(skinproof("limit", source, "-o", output, *options), 0).stdout)
        jsonschema.validate(report, schema())
        assert report["influences"]["max_after"] <= k
        assert all(check["failing"] == 0 for check in report["decoded_sum"]["checks"].values())
        _require_limited(source, output, k, weights)
        outputs.append(output)
    before, *after = validate_gltf(source, *outputs)
    for report in after:
        assert set(report.errors) <= set(before.errors)
        assert report.errors == [] or source.suffix == ".gltf"
        assert set(report.warnings) <= set(before.warnings)


def _require_limited(source, output, k, weights):
    """Read both files: the limit holds on every vertex, and nothing but influences has changed."""
    before, after = read(source), read(output)
    assert len(after.primitives) == len(before.primitives) > 0
    assert len(after.clips) == len(before.clips)
    for old, new in zip(before.primitives, after.primitives, strict=True):
        assert new.influences.counts.min() >= 1
        assert new.influences.counts.max() <= k
        assert new.influences.format == (WeightFormat(weights) if weights else old.influences.format)
        assert new.positions.tobytes() == old.positions.tobytes()
        assert (new.indices is None) == (old.indices is None)
        assert new.indices is None or new.indices.tobytes() == old.indices.tobytes()
