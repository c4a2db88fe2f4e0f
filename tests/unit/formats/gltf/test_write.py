import itertools
import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

from gltf_builder import glb
from skinproof.errors import ArrayError, OutputError
from skinproof.formats import read, stage, write
from skinproof.formats.gltf.container import split
from skinproof.model import WeightFormat
from strips import assert_same_influences, cut_down, strip_of_sets

KILLS = 12


def _files(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


SOURCES = ["a.glb", "a.gltf", "a.gltf with data.bin"]


def _save(builder, folder, source):
    name, _, uri = source.partition(" with ")
    folder.mkdir(exist_ok=True)
    return builder.save(folder / name, uri=uri or None)


@pytest.mark.parametrize("source", SOURCES)
def test_what_did_not_change_is_written_byte_for_byte(tmp_path, source):
    path = _save(strip_of_sets(), tmp_path / "in", source)
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / path.name
    written = write(read(path), target)
    assert _files(tmp_path / "out") == _files(tmp_path / "in")
    assert written[0] == target
    assert set(written) == {tmp_path / "out" / name for name in _files(tmp_path / "in")}


@pytest.mark.parametrize("source", SOURCES)
def test_a_copy_in_the_same_folder_shares_the_buffers(tmp_path, source):
    path = _save(strip_of_sets(), tmp_path, source)
    before = _files(tmp_path)
    target = path.with_stem("copy")
    assert write(read(path), target) == (target,)
    assert _files(tmp_path) == before | {target.name: path.read_bytes()}


@pytest.mark.node
@pytest.mark.parametrize("interleave", [False, True])
def test_every_container_to_every_container(tmp_path, validate_gltf, interleave):
    targets = []
    for number, (source, suffix, weight_format) in enumerate(
        itertools.product(SOURCES, [".glb", ".gltf", ".vrm"], WeightFormat)
    ):
        path = _save(strip_of_sets(interleave=interleave), tmp_path / f"in{number}", source)
        character = read(path)
        for count in (8, 4, 3):
            limited = cut_down(character, count, weight_format)
            target = tmp_path / f"out{number}_{count}{suffix}"
            written = write(limited, target)
            has_file = suffix == ".gltf" and source != "a.gltf"
            assert written == ((target, target.with_suffix(".bin")) if has_file else (target,))
            again = read(target)
            assert_same_influences(limited, again)
            assert again.source.container == ("gltf" if suffix == ".gltf" else "glb")
            assert np.array_equal(again.primitives[0].positions, character.primitives[0].positions)
            assert np.array_equal(again.clips[0].channels[0].values, character.clips[0].channels[0].values)
            if suffix != ".vrm":  # the validator knows no such name, but it goes by the content
                targets.append(target)
    reports = validate_gltf(*targets)
    assert len(reports) == 3 * 2 * 3 * 3
    assert [report.errors for report in reports if report.errors] == []
    assert {kind for report in reports for kind in report.warning_kinds} <= {"NODE_SKINNED_MESH_LOCAL_TRANSFORMS"}


def test_everything_else_in_the_file_stays(tmp_path):
    builder = strip_of_sets()
    builder.json |= {
        "extensionsUsed": ["X_unknown"],
        "extensions": {"X_unknown": {"z": 1.0, "a": [1, 2.5e-7, "é", None, True]}},
        "extras": {"deep": [{"x": 12345678901234567890}]},
    }
    builder.json["nodes"][0]["extras"] = {"tag": "hip"}
    character = read(builder.save(tmp_path / "a.glb"))
    write(cut_down(character, 4), tmp_path / "b.glb")
    before, after = character.source.json, read(tmp_path / "b.glb").source.json
    changed = {"accessors", "bufferViews", "buffers", "meshes"}
    assert list(after) == list(before)
    for key in set(before) - changed:
        assert json.dumps(after[key]) == json.dumps(before[key])


def test_chunks_that_only_others_understand_stay(tmp_path):
    builder = strip_of_sets()
    builder.save(tmp_path / "a.glb")
    extra = b"\x04\0\0\0ABCDdata"
    path = tmp_path / "b.glb"
    path.write_bytes(glb(json.dumps(builder.document()).encode(), bytes(builder.data), extra=extra))
    write(cut_down(read(path), 4), tmp_path / "c.glb")
    assert (tmp_path / "c.glb").read_bytes().endswith(extra)
    split((tmp_path / "c.glb").read_bytes(), path="")


def test_the_same_character_gives_the_same_bytes(tmp_path):
    path = strip_of_sets().save(tmp_path / "a.glb")
    outputs = []
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        write(cut_down(read(path), 4, "unorm8"), tmp_path / name / "b.gltf")
        outputs.append(_files(tmp_path / name))
    assert outputs[0] == outputs[1]


def test_what_was_written_reads_as_unchanged(tmp_path):
    path = strip_of_sets().save(tmp_path / "a.glb")
    write(cut_down(read(path), 3, "unorm16"), tmp_path / "b.glb")
    write(read(tmp_path / "b.glb"), tmp_path / "c.glb")
    assert (tmp_path / "c.glb").read_bytes() == (tmp_path / "b.glb").read_bytes()


def test_cutting_step_by_step_never_grows_the_file(tmp_path):
    path = strip_of_sets(4, interleave=True).save(tmp_path / "16.glb")
    sizes = [path.stat().st_size]
    for count in (12, 8, 4):
        write(cut_down(read(path), count), tmp_path / f"{count}.glb")
        path = tmp_path / f"{count}.glb"
        sizes.append(path.stat().st_size)
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] - sizes[-1] >= 3 * 6 * 20


def test_the_source_itself_is_replaced_only_with_force(tmp_path):
    path = _save(strip_of_sets(), tmp_path, "a.gltf with a.bin")
    limited = cut_down(read(path), 4)
    before = _files(tmp_path)
    with pytest.raises(OutputError, match=r"exists\. Use --force"):
        write(limited, path)
    assert _files(tmp_path) == before
    write(limited, path, force=True)
    assert set(_files(tmp_path)) == {"a.gltf", "a.bin"}
    assert_same_influences(limited, read(path))


def test_the_buffer_of_another_file_is_not_overwritten(tmp_path):
    path = strip_of_sets().save(tmp_path / "a.glb")
    (tmp_path / "b.bin").write_bytes(b"somebody else's")
    with pytest.raises(OutputError, match=r"b\.bin: exists"):
        write(read(path), tmp_path / "b.gltf")
    assert set(_files(tmp_path)) == {"a.glb", "b.bin"}


def _with_images(folder):
    builder = strip_of_sets()
    builder.json["images"] = [{"uri": "skin.png"}, {"uri": "textures/eye.png"}]
    path = _save(builder, folder, "a.gltf with a.bin")
    (folder / "textures").mkdir()
    (folder / "skin.png").write_bytes(b"skin")
    (folder / "textures" / "eye.png").write_bytes(b"eye")
    return path


@pytest.mark.parametrize("changed", [False, True])
def test_images_go_along_into_another_folder(tmp_path, changed):
    character = read(_with_images(tmp_path / "in"))
    (tmp_path / "out").mkdir()
    written = write(cut_down(character, 4) if changed else character, tmp_path / "out" / "a.gltf")
    assert set(_files(tmp_path / "out")) == {"a.gltf", "a.bin", "skin.png", "textures/eye.png"}
    assert {path.relative_to(tmp_path / "out").as_posix() for path in written} == set(_files(tmp_path / "out"))
    assert written[0].name == "a.gltf"


def test_images_that_are_there_already_are_shared(tmp_path):
    character = read(_with_images(tmp_path / "in"))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "skin.png").write_bytes(b"skin")
    write(character, tmp_path / "out" / "a.gltf")
    written = write(character, tmp_path / "out" / "b.glb")
    assert [path.name for path in written] == ["b.glb"]


def test_another_image_of_that_name_is_not_overwritten(tmp_path):
    character = read(_with_images(tmp_path / "in"))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "skin.png").write_bytes(b"another")
    with pytest.raises(OutputError, match=r"skin\.png: exists"):
        write(character, tmp_path / "out" / "a.gltf")
    assert _files(tmp_path / "out") == {"skin.png": b"another"}
    write(character, tmp_path / "out" / "a.gltf", force=True)
    assert (tmp_path / "out" / "skin.png").read_bytes() == b"skin"


def test_a_missing_folder_is_not_made_for_the_images(tmp_path):
    character = read(_with_images(tmp_path / "in"))
    with pytest.raises(OutputError, match="out does not exist"):
        write(character, tmp_path / "out" / "a.gltf")
    assert not (tmp_path / "out").exists()


def test_an_image_named_like_the_buffer_is_not_lost(tmp_path):
    builder = strip_of_sets()
    builder.json["images"] = [{"uri": "b.bin"}]
    path = _save(builder, tmp_path / "in", "a.glb")
    (tmp_path / "in" / "b.bin").write_bytes(b"an image")
    with pytest.raises(OutputError, match=r"b\.bin: two different files would get this name"):
        write(read(path), tmp_path / "b.gltf", force=True)
    with pytest.raises(OutputError, match=r"b\.bin: a\.glb needs this file"):
        write(read(path), tmp_path / "in" / "b.gltf")


@pytest.mark.parametrize("name", ["a.fbx", "a", ".glb", "a.glb.zip"])
def test_the_name_says_the_container(tmp_path, name):
    character = read(strip_of_sets().save(tmp_path / "source.glb"))
    with pytest.raises(OutputError, match=r"must end in \.glb, \.vrm or \.gltf"):
        write(character, tmp_path / name)


def test_a_name_with_a_null_character_is_refused(tmp_path):
    character = read(strip_of_sets().save(tmp_path / "source.glb"))
    with pytest.raises(OutputError, match="null character"):
        write(character, f"{tmp_path}/a\0.glb")
    assert [path.name for path in tmp_path.iterdir()] == ["source.glb"]


def test_a_name_that_is_no_text_is_refused(tmp_path):
    character = read(strip_of_sets().save(tmp_path / "source.glb"))
    with pytest.raises(OutputError, match="not UTF-8"):
        write(character, tmp_path / "\udcff.gltf")


def test_another_readers_character_is_refused(tmp_path):
    character = read(strip_of_sets().save(tmp_path / "a.glb"))
    with pytest.raises(OutputError, match=r"another reader \(object\)"):
        write(replace(character, source=object()), tmp_path / "b.glb")


def test_unpacked_weights_write_nothing(tmp_path):
    character = read(strip_of_sets().save(tmp_path / "a.glb"))
    influences = replace(character.primitives[0].influences, set_formats=(WeightFormat.UNORM8,) * 2)
    with pytest.raises(ArrayError, match="Pack the weights first"):
        write(character.with_influences([influences]), tmp_path / "b.glb")
    assert set(_files(tmp_path)) == {"a.glb"}


FULL = """
import resource, sys
from skinproof.errors import OutputError
from skinproof.formats import read, write
character = read(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write(character, sys.argv[2], force=True)
except OutputError as error:
    print(error)
"""


def test_a_full_disk_changes_nothing(tmp_path):
    path = strip_of_sets(vertices=100).save(tmp_path / "a.glb")
    (tmp_path / "b.gltf").write_bytes(b"old")
    command = [sys.executable, "-c", FULL, path, tmp_path / "b.gltf"]
    before = _files(tmp_path)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert "b.bin: cannot be written: File too large" in done.stdout
    assert _files(tmp_path) == before


WRITER = """
import sys
from skinproof.formats import read, write
characters = [read(path) for path in sys.argv[2:]]
print("ready", flush=True)
while True:
    for character in characters:
        write(character, sys.argv[1], force=True)
"""


def test_a_killed_writer_never_leaves_a_mismatched_pair(tmp_path):
    """A process that writes two characters by turns is killed at random moments: what is there reads as one of them."""
    sources = []
    for number, vertices in enumerate((60, 90)):
        sources.append(strip_of_sets(vertices=vertices).save(tmp_path / f"{number}.glb"))
    (tmp_path / "out").mkdir()
    target = tmp_path / "out" / "hero.gltf"
    expected = [read(path) for path in sources]
    moments = random.Random(3)
    seen = set()
    for _ in range(KILLS):
        command = [sys.executable, "-c", WRITER, target, *sources]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            time.sleep(moments.uniform(0.005, 0.1))
            writer.send_signal(signal.SIGKILL)
        if target.exists():
            found = read(target)
            matching = [one for one in expected if one.primitives[0].vertex_count == found.primitives[0].vertex_count]
            assert_same_influences(matching[0], found)
            assert np.array_equal(matching[0].primitives[0].positions, found.primitives[0].positions)
            seen.add(matching[0].name)
    assert seen


@pytest.mark.parametrize("source", SOURCES)
def test_what_is_staged_reads_as_if_it_were_in_place(tmp_path, source):
    """Though an older pair is still in place there."""
    old = _save(strip_of_sets(vertices=8), tmp_path / "out", source)
    character = read(_save(strip_of_sets(vertices=6), tmp_path / "in", source))
    limited = cut_down(character, 4)
    before = _files(tmp_path)
    with stage(limited, old, force=True) as files:
        found = read(old, staged=files)
        assert found.name == old.name
        assert found.source.path == old
        assert_same_influences(limited, found)
        assert read(old).primitives[0].vertex_count == 8
    assert _files(tmp_path) == before


def test_a_staged_copy_shares_the_buffers_that_are_there(tmp_path):
    character = read(_save(strip_of_sets(), tmp_path, "a.gltf with data.bin"))
    with stage(character, tmp_path / "copy.gltf") as files:
        assert files.paths == (tmp_path / "copy.gltf",)
        assert_same_influences(character, read(tmp_path / "copy.gltf", staged=files))
