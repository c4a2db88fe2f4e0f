"""Primitives compressed by Draco are decoded in a child process, refused where they are broken, written without it."""

import json

import numpy as np
import pytest

import skinproof as sp
from dracos import EXTENSION, draco
from gltf_builder import glb, strip
from packed import eight, parts
from skinproof.cli import main
from skinproof.errors import FormatError
from skinproof.formats.gltf import draco as room
from skinproof.limiting import limit

PART = "/meshes/0/primitives/0"
POSITION_STEP = 2 / (2**14 - 1)
"""The strip is two metres high, and Draco keeps 14 bits."""


def test_the_same_character(tmp_path):
    path, rows = draco(eight(), tmp_path / "a.glb")
    found = sp.read(path)
    (primitive,) = found.primitives
    assert np.abs(primitive.positions - rows["POSITION"]).max() <= POSITION_STEP
    joints = np.concatenate([rows["JOINTS_0"], rows["JOINTS_1"]], axis=1)
    assert primitive.influences.joints.tolist() == joints.tolist()
    weights = np.concatenate([rows["WEIGHTS_0"], rows["WEIGHTS_1"]], axis=1)
    assert np.abs(primitive.influences.weights - weights).max() <= 2**-13
    assert primitive.indices.tolist() == sp.read(eight().save(tmp_path / "b.glb")).primitives[0].indices.tolist()
    assert [finding.code for finding in found.findings] == ["DRACO_DECODED"]
    assert primitive.position_step == pytest.approx(POSITION_STEP)


def test_what_is_plain_beside_it_is_read(tmp_path):
    path, rows = draco(eight(), tmp_path / "a.glb", beside=True)
    found = sp.read(path)
    assert found.primitives[0].positions.tolist() == rows["POSITION"].tolist()
    assert found.findings == ()
    sp.write(limit(found, max_influences=4), tmp_path / "out.glb")
    document, _ = parts(tmp_path / "out.glb")
    assert EXTENSION not in json.dumps(document), "the compressed form would be that of the old weights"


@pytest.mark.parametrize(("offset", "sound"), [(0.0, True), (0.01, True), (-0.01, True), (0.4, False)])
def test_joints_that_were_rounded_as_fractions(tmp_path, offset, sound):
    """The nearest integers, not those below: -0.01 of joint 1 is no joint 0."""
    path, rows = draco(eight(), tmp_path / "a.glb", floats=True, joint_offset=offset)
    if not sound:
        with pytest.raises(FormatError, match="does not fit into the uint8") as caught:
            sp.read(path)
        assert caught.value.pointer == f"{PART}/attributes/JOINTS_0"
        return
    found = sp.read(path)
    expected = np.rint(np.concatenate([rows["JOINTS_0"], rows["JOINTS_1"]], axis=1)).astype(int)
    assert found.primitives[0].influences.joints.tolist() == expected.tolist()
    if offset:
        assert [finding.code for finding in found.findings] == ["DRACO_DECODED", "DRACO_ROUNDED", "DRACO_ROUNDED"]


@pytest.mark.node
@pytest.mark.parametrize("encoding", ["keep", "none", "meshopt"])
def test_written_without_it_and_said_so(tmp_path, capsys, validate_gltf, encoding):
    """The payload's room is given back."""
    path, _ = draco(eight(), tmp_path / "in.glb")
    out = tmp_path / "out.glb"
    assert main(["limit", str(path), "-k", "4", "--encoding", encoding, "-o", str(out)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "written without it" in said
    found = sp.read(out)
    assert np.abs(found.primitives[0].influences.weights.astype(np.float64).sum(axis=1) - 1).max() <= 2e-7
    document, binary = parts(out)
    assert EXTENSION not in json.dumps(document)
    assert b"DRACO" not in binary
    (report,) = validate_gltf(out)
    assert report.errors == []


def test_nothing_changed_nothing_is_written_anew(tmp_path):
    path, _ = draco(strip(), tmp_path / "in.glb")
    sp.write(sp.read(path), tmp_path / "out.glb")
    assert (tmp_path / "out.glb").read_bytes() == path.read_bytes()
    sp.write(sp.read(path), tmp_path / "plain.glb", encoding="none")
    assert EXTENSION not in json.dumps(parts(tmp_path / "plain.glb")[0])


def changed(tmp_path, change, *, mutate=None):
    path, _ = draco(eight(), tmp_path / "a.glb")
    document, binary = parts(path)
    (part,) = document["meshes"][0]["primitives"]
    change(document, part, part["extensions"][EXTENSION])
    path.write_bytes(glb(json.dumps(document).encode(), binary if mutate is None else mutate(bytearray(binary))))
    return path


class TestBroken:
    @pytest.mark.parametrize(
        ("change", "pointer", "reason"),
        [
            (lambda d, p, e: e.update(bufferView=99), f"/extensions/{EXTENSION}/bufferView", "no buffer view 99"),
            (lambda d, p, e: e.pop("bufferView"), f"/extensions/{EXTENSION}", "is missing"),
            (lambda d, p, e: e.pop("attributes"), f"/extensions/{EXTENSION}", "'attributes' is missing"),
            (
                lambda d, p, e: e["attributes"].update(JOINTS_0=77),
                f"/extensions/{EXTENSION}/attributes/JOINTS_0",
                "no attribute 77",
            ),
            (
                lambda d, p, e: e["attributes"].update(JOINTS_0=e["attributes"]["POSITION"]),
                "/attributes/JOINTS_0",
                "is VEC4, decoded were 3 numbers",
            ),
            (lambda d, p, e: p.update(mode=1), "/mode", "only triangles"),
        ],
    )
    def test_is_refused_where_it_is(self, tmp_path, change, pointer, reason):
        with pytest.raises(FormatError) as caught:
            sp.read(changed(tmp_path, change))
        assert caught.value.pointer == PART + pointer
        assert reason in caught.value.reason

    def test_counts_are_those_decoded(self, tmp_path):
        def change(document, part, _):
            document["accessors"][part["attributes"]["POSITION"]]["count"] = 2**53

        found = sp.read(changed(tmp_path, change))
        assert len(found.primitives[0].positions) == 40
        assert "DRACO_COUNT" in [finding.code for finding in found.findings]

    def test_payloads_at_random(self, tmp_path):
        """Whatever the bytes are, and whatever becomes of the child: a character, or a refusal that says where."""
        generator = np.random.default_rng(4)
        refused = 0
        for _ in range(12):

            def mutate(binary):
                start = binary.index(b"DRACO")
                for place in generator.integers(start, len(binary), 6):
                    binary[place] = generator.integers(0, 256)
                return bytes(binary)

            path = changed(tmp_path, lambda *_: None, mutate=mutate)
            try:
                sp.read(path)
            except FormatError as error:
                refused += 1
                where = error.pointer
            else:
                where = PART
            assert where.startswith(PART)
        assert refused > 0

    def test_a_decoder_without_end_is_ended(self, tmp_path, monkeypatch):
        monkeypatch.setattr(room, "DECODER_SECONDS", 0.001)
        path, _ = draco(strip(), tmp_path / "a.glb")
        with pytest.raises(FormatError, match="longer or more memory than such data can need") as caught:
            sp.read(path)
        assert caught.value.pointer == f"{PART}/extensions/{EXTENSION}"


class TestGridStep:
    @pytest.mark.parametrize("bits", [8, 11, 14])
    def test_of_positions_on_a_grid(self, bits):
        generator = np.random.default_rng(bits)
        step = 1.7 / (2**bits - 1)
        places = generator.integers(0, 2**bits, (200, 3))
        places[0], places[1] = 0, (2**bits - 1, 0, 0)
        positions = (places * step + np.array([-0.8, 3.0, 0.1])).astype(np.float32)
        assert room.grid_step(positions) == pytest.approx(step, rel=1e-5)

    def test_of_others(self):
        assert room.grid_step(np.random.default_rng(1).normal(size=(50, 3)).astype(np.float32)) == 0.0
        assert room.grid_step(np.zeros((4, 3), np.float32)) == 0.0
