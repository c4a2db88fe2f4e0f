"""Compressed views are decoded, refused where they are broken, and written as they were."""

import base64
import json
import subprocess

import meshopt
import numpy as np
import pytest

import skinproof as sp
import validator
from gltf_builder import glb, strip
from packed import EXT, KHR, arrays, eight, pack, parts
from skinproof.cli import main
from skinproof.errors import FormatError
from skinproof.formats.gltf.document import open_document
from skinproof.limiting import limit


@pytest.fixture(scope="module")
def decode_views():
    """The JavaScript build of the codec: from files to their decoded views."""
    reason = validator.missing("meshoptimizer")
    if reason:
        pytest.fail(reason)

    def decode(*paths):
        command = ["node", str(validator.FOLDER / "meshopt.mjs"), *map(str, paths)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        return [
            {int(number): base64.b64decode(data) for number, data in one.items()} for one in json.loads(done.stdout)
        ]

    return decode


class TestReading:
    @pytest.mark.parametrize("kept_fallback", [False, True])
    @pytest.mark.parametrize("extension", [EXT, KHR])
    def test_the_same_character(self, tmp_path, extension, kept_fallback):
        builder = eight()
        plain = sp.read(builder.save(tmp_path / "plain.glb"))
        packed = pack(builder, tmp_path / "packed.glb", extension=extension, kept_fallback=kept_fallback)
        assert "ATTRIBUTES" in packed.read_text("latin-1")
        assert "TRIANGLES" in packed.read_text("latin-1")
        # The codec may turn triangles; the indices are compared as such, each from its lowest.
        found = sp.read(packed)
        ours, theirs = (one.primitives[0].indices.reshape(-1, 3) for one in (found, plain))
        turned = [np.roll(row, -int(row.argmin())).tolist() for row in ours]
        assert turned == [np.roll(row, -int(row.argmin())).tolist() for row in theirs]
        parts_found, parts_expected = arrays(found), arrays(plain)
        assert parts_found[:1] + parts_found[2:] == parts_expected[:1] + parts_expected[2:]
        assert not found.findings

    @pytest.mark.parametrize(
        ("kind", "rows"),
        [
            ("OCTAHEDRAL", meshopt.encode_filter_oct),
            ("QUATERNION", meshopt.encode_filter_quat),
            ("COLOR", meshopt.encode_filter_color),
            ("EXPONENTIAL", None),
        ],
    )
    @pytest.mark.node
    def test_every_filter_as_another_build_of_the_codec(self, tmp_path, decode_views, kind, rows):
        generator = np.random.default_rng(2)
        values = generator.normal(size=(40, 4)).astype(np.float32)
        values /= np.linalg.norm(values, axis=1, keepdims=True)
        if kind == "EXPONENTIAL":
            stored = meshopt.encode_filter_exp(values, 15)
        else:
            stored = rows(np.abs(values) if kind == "COLOR" else values, 8, 12)
        builder = eight()
        words = np.ascontiguousarray(stored).view(np.uint8).reshape(40, -1)
        accessor = builder.accessor(words.view(np.float32 if kind == "EXPONENTIAL" else np.int16))
        view = builder.json["accessors"][accessor]["bufferView"]
        path = pack(builder, tmp_path / "a.glb", extension=KHR, filters={view: kind})
        document, _ = parts(path)
        assert document["bufferViews"][view]["extensions"][KHR]["filter"] == kind
        (theirs,) = decode_views(path)
        ours = open_document(path)
        assert {number: bytes(one.data) for number, one in ours.packed.views.items()} == theirs
        assert theirs[view] != stored.tobytes(), "the filter did nothing"

    def test_what_is_plain_beside_it_stays(self, tmp_path):
        document = open_document(pack(eight(), tmp_path / "a.glb", plain=(0, 3)))
        (image,) = document.json["images"]
        view = document.json["bufferViews"][image["bufferView"]]
        start = view["byteOffset"]
        assert bytes(document.buffers[view["buffer"]][start : start + view["byteLength"]]) == b"an image"
        assert "extensionsRequired" not in document.json
        assert len(document.buffers) == 1


def refusal(path):
    """The pointer of what a file is refused for, or None."""
    try:
        open_document(path)
    except FormatError as error:
        return error.pointer
    return None


def broken(tmp_path, change, *, view=0, extension=EXT):
    path = pack(eight(), tmp_path / "a.glb", extension=extension)
    document, binary = parts(path)
    change(document, document["bufferViews"][view]["extensions"][extension])
    path.write_bytes(glb(json.dumps(document).encode(), binary))
    with pytest.raises(FormatError) as caught:
        sp.read(path)
    return caught.value


class TestBroken:
    @pytest.mark.parametrize(
        ("members", "key", "reason"),
        [
            ({"buffer": 7}, "/buffer", "no buffer 7"),
            ({"buffer": 1}, "/buffer", "buffer 1 is a fallback without data"),
            ({"byteOffset": 2**53}, "", "lie outside of buffer 0"),
            ({"byteLength": 2**53}, "", "lie outside of buffer 0"),
            ({"byteLength": 0}, "/byteLength", "at least 1"),
            ({"byteStride": 13}, "/byteStride", "needs a multiple of 4"),
            ({"byteStride": 260}, "/byteStride", "1 to 256"),
            ({"count": 2**53}, "/count", "are not the 480 of the buffer view"),
            ({"count": 0}, "/count", "at least 1"),
            ({"count": "many"}, "/count", "expected an integer"),
            ({"mode": "BEST"}, "/mode", "must be one of ATTRIBUTES, TRIANGLES, INDICES"),
            ({"mode": "INDICES"}, "/byteStride", "needs 2 or 4"),
            ({"filter": "BLUR"}, "/filter", "must be one of NONE"),
            ({"filter": "QUATERNION"}, "/byteStride", "with filter QUATERNION needs 8"),
            ({"filter": "OCTAHEDRAL"}, "/byteStride", "needs 4 or 8"),
            ({"byteLength": 20}, "", "cannot be decoded"),
        ],
    )
    def test_is_refused_where_it_is(self, tmp_path, members, key, reason):
        error = broken(tmp_path, lambda _, part: part.update(members))
        assert error.pointer == f"/bufferViews/0/extensions/{EXT}{key}"
        assert reason in error.reason
        assert error.remedy

    def test_no_payload_decodes_to_more_than_it_can_hold(self, tmp_path):
        """Asked before memory is: the codec itself would take 4 GB here."""

        def change(document, part):
            part.update(count=2**26, byteStride=64, byteLength=60)
            document["bufferViews"][0]["byteLength"] = 2**32
            document["buffers"][1]["byteLength"] = 2**33

        assert "60 bytes cannot hold 67108864 elements of 64 bytes" in broken(tmp_path, change).reason

    def test_a_filter_of_indices(self, tmp_path):
        document, _ = parts(pack(eight(), tmp_path / "b.glb"))
        view = next(
            number
            for number, one in enumerate(document["bufferViews"])
            if one.get("extensions", {}).get(EXT, {}).get("mode") == "TRIANGLES"
        )
        change = {"filter": "EXPONENTIAL"}
        assert "allows no filter" in broken(tmp_path, lambda _, part: part.update(change), view=view).reason

    def test_payloads_at_random(self, tmp_path):
        """Whatever the bytes are: the same arrays' shapes, or a refusal; nothing is read beyond them."""
        path = pack(eight(), tmp_path / "a.glb")
        document, binary = parts(path)
        generator = np.random.default_rng(3)
        refused = 0
        for _ in range(300):
            mutated = bytearray(binary)
            for place in generator.integers(0, len(mutated), generator.integers(1, 20)):
                mutated[place] = generator.integers(0, 256)
            path.write_bytes(glb(json.dumps(document).encode(), bytes(mutated)))
            pointer = refusal(path)
            refused += pointer is not None
            assert pointer is None or pointer.startswith("/bufferViews/")
        assert 0 < refused < 300


class TestWriting:
    def test_what_did_not_change_keeps_its_payload(self, tmp_path):
        path = pack(eight(), tmp_path / "in.glb")
        character = sp.read(path)
        sp.write(limit(character, max_influences=4), tmp_path / "out.glb")
        before, after = (sp.read(one).source.packed.views for one in (path, tmp_path / "out.glb"))
        same = {number for number in before if number in after and before[number].payload == after[number].payload}
        changed = set(before) - same
        attributes = character.source.json["meshes"][0]["primitives"][0]["attributes"]
        accessors = character.source.json["accessors"]
        influences = {accessors[index]["bufferView"] for name, index in attributes.items() if name[-2] == "_"}
        assert changed <= influences
        assert {accessors[attributes["POSITION"]]["bufferView"]} <= same
        image = sp.read(tmp_path / "out.glb").source.json["images"][0]["bufferView"]
        document = open_document(tmp_path / "out.glb")
        view = document.json["bufferViews"][image]
        start = view["byteOffset"]
        assert bytes(document.buffers[view["buffer"]][start : start + 8]) == b"an image"

    def test_nothing_changed_nothing_is_written_anew(self, tmp_path):
        path = pack(eight(), tmp_path / "in.glb")
        sp.write(sp.read(path), tmp_path / "out.glb")
        assert (tmp_path / "out.glb").read_bytes() == path.read_bytes()

    @pytest.mark.node
    @pytest.mark.parametrize("encoding", ["keep", "meshopt"])
    def test_another_build_of_the_codec_reads_the_same(self, tmp_path, decode_views, encoding):
        path = pack(eight(), tmp_path / "in.glb", extension=KHR)
        limited = limit(sp.read(path), max_influences=4)
        sp.write(limited, tmp_path / "out.glb", encoding=encoding)
        (theirs,) = decode_views(tmp_path / "out.glb")
        found = sp.read(tmp_path / "out.glb")
        assert {number: bytes(view.data) for number, view in found.source.packed.views.items()} == theirs
        attributes = found.source.json["meshes"][0]["primitives"][0]["attributes"]
        view = found.source.json["accessors"][attributes["WEIGHTS_0"]]["bufferView"]
        assert np.frombuffer(theirs[view], np.float32).tobytes() == limited.primitives[0].influences.weights.tobytes()


class TestGate:
    """The contract is held by what the file decodes to: validators do not look inside compressed views."""

    def test_broken_weights_in_a_compressed_file_are_found(self, tmp_path, capsys):
        joints = np.tile(np.uint8([0, 1, 0, 0]), (12, 1))
        weights = np.tile(np.uint8([200, 55, 0, 0]), (12, 1))
        sound = pack(strip([(joints, weights)], vertices=12), tmp_path / "sound.glb")
        assert main(["check", str(sound), "--quiet"]) == 0
        weights[5, 0] = 199
        broken = pack(strip([(joints, weights)], vertices=12), tmp_path / "broken.glb")
        assert main(["check", str(broken), "--quiet"]) == 1
        assert "those of vertex 5 sum to 254" in " ".join(capsys.readouterr().out.split())

    def test_an_encoder_that_fails_is_found_out(self, tmp_path, monkeypatch, capsys):
        """What was written is decoded again before it is judged."""

        class Faulty:
            decode_gltf_buffer = staticmethod(meshopt.decode_gltf_buffer)

            @staticmethod
            def encode_gltf_buffer(rows, mode, version):
                rows = np.array(rows)
                rows[3, 0] ^= 1
                return meshopt.encode_gltf_buffer(rows, mode, version)

        path = pack(eight(), tmp_path / "in.glb")
        arguments = ["limit", str(path), "-k", "4", "--pack", "unorm8", "--quiet", "--force", "-o"]
        assert main([*arguments, str(tmp_path / "out.glb")]) == 0
        monkeypatch.setattr("skinproof.formats.gltf.meshopt._codec", lambda: Faulty)
        assert main([*arguments, str(tmp_path / "out.glb")]) == 1
        assert "those of vertex 3 sum to" in " ".join(capsys.readouterr().out.split())
