"""Every glTF, GLB and VRM file of the asset folder, against what an independent scanner found in it (catalog.md)."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from skinproof import formats
from skinproof.errors import FormatError
from tolerances import CATALOG_SUM

pytestmark = pytest.mark.assets

BROKEN = {
    "gltf-validator/mesh_data-joints_no_weights/joints_no_weights.gltf": ("/bufferViews/0", "lie outside of buffer 0"),
    "gltf-validator/node-node_skin_without_skinned_mesh/node_skin_without_skinned_mesh.gltf": ("", "no influences"),
    "gltf-validator/skin-ibm_invalid_count/ibm_invalid_count.gltf": (
        "/skins/0/inverseBindMatrices",
        "last row 0 0 0 0",
    ),
    "gltf-validator/skin-ibm_invalid_format/ibm_invalid_format.gltf": ("/skins/0/inverseBindMatrices", "MAT3"),
    "gltf-validator/skin-no_common_root/no_common_root.gltf": ("", "no influences"),
    "gltf-validator/skin-unresolved_joint/unresolved_joint.gltf": ("/skins/0/joints/0", "there is no node 0"),
    "tinygltf/unassigned-skeleton/unassigned-skeleton.gltf": (
        "/skins/0/inverseBindMatrices",
        "joint 0 has the last row",
    ),
}
"""File → where it is broken, and what the error says."""

FINDINGS = {
    "derived-encoded/CesiumMan-dense/CesiumMan-dense-draco.glb": {"DRACO_DECODED"},
    "khronos/CesiumMan/glTF-Draco/CesiumMan.gltf": {"DRACO_DECODED", "DRACO_COUNT", "DRACO_ROUNDED"},
    "khronos/Fox/glTF/Fox.gltf": {"STRIDE_NOT_ALLOWED"},
    "khronos/RiggedSimple/glTF-Draco/RiggedSimple.gltf": {"DRACO_DECODED"},
}
"""File → the codes of what the reader notices; every other file is clean."""

WEIGHT_TYPES = {"float32": "f32", "unorm8": "u8n", "unorm16": "u16n"}
BROKEN_WEIGHTS = "gltf-validator/mesh_data-joints_weights_complex/joints_weights_complex.gltf"
FILES, READ = 64, 57


@dataclass(frozen=True)
class Row:
    """One row of the catalogue."""

    path: str
    skins: int
    joints: list[int]
    most: int
    histogram: dict[int, int]
    weight_type: str
    sums: tuple[float, float]
    zero_sums: int
    clips: int


def catalog(assets: Path) -> dict[str, Row]:
    rows = {}
    for line in (assets / "catalog.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) != 17 or not re.match(r"\S+\.(glb|gltf|vrm)\b", cells[0]):
            continue
        path = cells[0].split(" (")[0]
        skins, _, joints = cells[6].partition(":")
        pairs = [pair.split(":") for pair in cells[8].split()]
        low, _, high = cells[11].partition("..")
        rows[path] = Row(
            path,
            int(skins),
            [int(count) for count in joints.split(",") if count.strip().isdigit()],
            int(cells[7]),
            {int(count): int(vertices) for count, vertices in pairs},
            cells[9],
            (float(low or "nan"), float(high or "nan")),
            int(cells[13]),
            _count_clips(cells[14]),
        )
    return rows


def _count_clips(cell: str) -> int:
    """Count entries like "Walk (0.71s, 18k, LINEAR); … +72 more (…)"."""
    if cell == "none":
        return 0
    more = re.search(r"\+(\d+) more", cell)
    return len(re.findall(r"\(\d[\d.]*s, \d+k, [A-Z/]+\)", cell)) + (int(more[1]) if more else 0)


def files(assets: Path) -> list[str]:
    return sorted(
        path.relative_to(assets).as_posix() for path in assets.rglob("*") if path.suffix in {".glb", ".gltf", ".vrm"}
    )


def test_every_file_is_in_the_catalogue_and_read_or_broken(assets):
    found = files(assets)
    assert len(found) == FILES
    assert set(found) == set(catalog(assets))
    read = set()
    for path in found:
        try:
            character = formats.read(assets / path)
        except FormatError:
            continue
        read.add(path)
        assert {finding.code for finding in character.findings} == FINDINGS.get(path, set()), path
    assert len(read) == READ
    assert read == set(found) - set(BROKEN)


@pytest.mark.parametrize("path", sorted(BROKEN))
def test_broken_files_say_where(assets, path):
    pointer, reason = BROKEN[path]
    with pytest.raises(FormatError) as caught:
        formats.read(assets / path)
    assert caught.value.pointer == pointer
    assert reason in caught.value.reason
    assert caught.value.remedy


def test_influences_skins_and_clips_agree_with_the_catalogue(assets):
    rows = [row for path, row in catalog(assets).items() if path not in BROKEN]
    compared = 0
    for row in rows:
        character = formats.read(assets / row.path)
        # The scanner counted influences that several primitives share once; they share one object.
        influences = list({id(part.influences): part.influences for part in character.primitives}.values())
        counts = np.concatenate([part.counts for part in influences])
        histogram = dict(zip(*(array.tolist() for array in np.unique(counts, return_counts=True)), strict=True))
        sums = np.concatenate([part.weights.sum(axis=1, dtype=np.float64) for part in influences])
        assert histogram == row.histogram, row.path
        assert counts.max() == row.most, row.path
        assert np.count_nonzero(sums == 0) == row.zero_sums, row.path
        np.testing.assert_allclose((sums.min(), sums.max()), row.sums, rtol=0, atol=CATALOG_SUM, err_msg=row.path)
        assert {WEIGHT_TYPES[kind] for part in influences for kind in part.set_formats} == {row.weight_type}, row.path
        assert len(character.skins) == row.skins, row.path
        assert [len(skin) for skin in character.skins][: len(row.joints)] == row.joints, row.path
        assert len(character.clips) == row.clips, row.path
        compared += 1
    assert compared == READ


def test_one_character_in_four_containers_is_one(assets):
    dense = assets / "derived-collada/CesiumMan-dense/CesiumMan-dense.glb"
    separate = assets / "derived-encoded/CesiumMan-dense/separate/CesiumMan-dense.gltf"
    one, other = (formats.read(path).primitives[0] for path in (dense, separate))
    assert np.array_equal(one.positions, other.positions)
    assert np.array_equal(one.influences.weights, other.influences.weights)
    assert np.array_equal(one.influences.joints, other.influences.joints)
    figures = [
        formats.read(assets / f"khronos/RiggedFigure/{kind}/RiggedFigure.gltf") for kind in ("glTF", "glTF-Embedded")
    ]
    for one_skin, other_skin in zip(figures[0].skins, figures[1].skins, strict=True):
        assert np.array_equal(one_skin.inverse_binds, other_skin.inverse_binds)
    assert len(figures[0].clips[0].channels) == len(figures[1].clips[0].channels) > 0


def test_weights_that_break_the_contract_are_read_as_they_are(assets):
    weights = np.concatenate([part.influences.weights for part in formats.read(assets / BROKEN_WEIGHTS).primitives])
    assert np.count_nonzero((weights < 0).any(axis=1)) == 1
