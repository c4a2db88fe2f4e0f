"""Files with a flaw, through the command line: set right and reported, or refused with file, place and remedy."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from cli.command import expect, skinproof
from gltf_builder import strip


def with_last_row(path, row):
    """The strip; the inverse bind matrix of its second joint has that last row."""
    builder = strip(vertices=40)
    accessor = builder.json["accessors"][builder.json["skins"][0]["inverseBindMatrices"]]
    start = builder.json["bufferViews"][accessor["bufferView"]]["byteOffset"]
    binds = np.ndarray((2, 4, 4), np.float32, buffer=builder.data, offset=start)  # stored by columns
    binds[1, :, 3] = row
    del binds  # the builder's data can grow again
    return builder.save(path)


def with_node_matrix(path, corner):
    """The strip under a node with a matrix whose last number is `corner`."""
    builder = strip(vertices=40)
    builder.node(matrix=[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 2, 0, corner], children=[0])
    builder.json["scenes"] = [{"nodes": [2, 3]}]
    return builder.save(path)


def run(file, command):
    """The command on the file; `check` measures it against itself."""
    options = {"limit": ["-k", 1, "-o", "out.glb"], "check": ["--against", file.name]}[command]
    return skinproof(command, file.name, *options, "--json", cwd=file.parent)


@pytest.mark.parametrize("command", ["limit", "check"])
class TestLastRows:
    @pytest.mark.parametrize(
        ("make", "value", "code"),
        [
            (with_last_row, (0, 0, 0, 0.99999994), "INVERSE_BIND_NOT_AFFINE"),
            (with_node_matrix, 0.99999994, "NODE_MATRIX_NOT_AFFINE"),
        ],
    )
    def test_rounding_is_set_right_and_reported(self, tmp_path, command, make, value, code):
        report = json.loads(expect(run(make(tmp_path / "hero.glb", value), command), 0).stdout)
        folder = tmp_path / "sound"
        folder.mkdir()
        sound = json.loads(expect(run(strip(vertices=40).save(folder / "hero.glb"), command), 0).stdout)
        found = [finding for finding in report["findings"] if finding["code"] == code]
        assert len(found) >= 1
        assert all(finding["severity"] == "warning" for finding in found)
        assert all(finding["message"].endswith("; 0 0 0 1 was used") for finding in found)
        assert report["displacement"]["max"]["metres"] == pytest.approx(sound["displacement"]["max"]["metres"])

    @pytest.mark.parametrize(
        ("make", "value", "place"),
        [
            (with_last_row, (0, -1, 0, 1), "/skins/0/inverseBindMatrices"),
            (with_node_matrix, 0.5, "/nodes/3/matrix"),
        ],
    )
    def test_others_are_refused(self, tmp_path, command, make, value, place):
        result = expect(run(make(tmp_path / "hero.glb", value), command), 3)
        assert re.fullmatch(rf"error: hero\.glb {place}: .*last row .*\. Export .*\n", result.stderr)
        assert [path.name for path in tmp_path.iterdir()] == ["hero.glb"]


def test_a_key_without_a_direction_is_refused(tmp_path):
    builder = strip(vertices=40)
    builder.clip([(1, "rotation", [0, 1], [[0, 0, 0, 1], [0, 0, 0, 0]], "LINEAR")])
    result = expect(run(builder.save(tmp_path / "hero.glb"), "limit"), 3)
    assert re.fullmatch(r"error: hero\.glb /animations/1/samplers/0/output: .*key 1 .*\. Export .*\n", result.stderr)


def test_broken_weights_are_refused_with_the_file(tmp_path):
    joints = np.tile(np.array([0, 1, 0, 0], dtype=np.uint8), (40, 1))
    weights = np.tile(np.array([0.75, 0.25, 0, 0]), (40, 1))
    weights[7] = 0
    file = strip([(joints, weights)], vertices=40).save(tmp_path / "hero.glb")
    said = expect(run(file, "limit"), 3).stderr
    assert said.startswith("error: hero.glb: 1 vertex breaks the weight contract: /meshes/0/primitives/0 vertex 7: ")
