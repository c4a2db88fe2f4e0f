"""Real characters through the writer: what need not change does not, and the Khronos validator finds nothing new."""

import numpy as np
import pytest

from skinproof.errors import FormatError, InfluenceError
from skinproof.formats import read, write
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.limiting.limit import limit

pytestmark = [pytest.mark.assets, pytest.mark.node]

READABLE = 49
"""Files of the asset folder that can be read; the others are broken on purpose or compressed."""

UNLIMITABLE = {"joints_weights_complex.gltf"}
"""Files that name a joint out of range, which no policy repairs."""

CUTS = [(4, None), (2, "unorm8"), (1, "unorm16"), (12, "float32")]
REPAIR = {"zero": "joint=0", "negative": "drop", "nonfinite": "drop"}


@pytest.fixture(scope="module")
def characters(assets):
    """Every character that can be read, by its path in the asset folder."""
    found = {}
    for path in sorted(assets.rglob("*")):
        if path.suffix in (".glb", ".gltf", ".vrm"):
            try:
                found[path.relative_to(assets).as_posix()] = read(path)
            except FormatError:
                continue
    assert len(found) >= READABLE
    return found


def test_what_did_not_change_is_written_byte_for_byte(characters, tmp_path):
    companions = 0
    for number, character in enumerate(characters.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        source = character.source.path
        for path in write(character, folder / source.name):
            assert path.read_bytes() == (source.parent / path.relative_to(folder)).read_bytes()
            companions += path.name != source.name
    assert companions >= 20


def test_new_influences_change_nothing_else(characters, tmp_path, validate_gltf):
    pairs, shrunk = [], 0
    for number, (name, character) in enumerate(characters.items()):
        for count, weight_format in CUTS:
            source = character.source.path
            try:
                limited = limit(character, max_influences=count, pack=weight_format, repair=REPAIR)
            except InfluenceError:
                assert source.name in UNLIMITABLE
                continue
            other = ".gltf" if source.suffix == ".glb" else ".glb"
            for suffix in (source.suffix, other) if weight_format is None else (source.suffix,):
                folder = tmp_path / f"{number}_{count}{suffix}"
                folder.mkdir()
                written = write(limited, folder / f"out{suffix}")
                _assert_written(character, limited, written[0])
                pairs.append((source, written[0]))
            shrunk += _assert_no_larger(name, character, limited, tmp_path / f"{number}_again{count}{source.suffix}")
    assert len({source for source, _ in pairs}) >= READABLE - len(UNLIMITABLE)
    assert shrunk >= 20
    _assert_nothing_new(pairs, validate_gltf)


def _assert_written(character, limited, path):
    """The file holds the new influences, and everything else as before, under the same indices."""
    again = read(path)
    touched = set()
    for before, new, found in zip(character.primitives, limited.primitives, again.primitives, strict=True):
        width = new.influences.joints.shape[1]
        assert np.array_equal(new.influences.weights, found.influences.weights[:, :width])
        used = new.influences.weights != 0
        assert np.array_equal(new.influences.joints[used], found.influences.joints[:, :width][used])
        attributes = character.source.json["meshes"][before.mesh]["primitives"][before.index]["attributes"]
        touched |= {index for key, index in attributes.items() if key.startswith(("JOINTS_", "WEIGHTS_"))}
    old_json, new_json = character.source.json, again.source.json
    for key in ("accessors", "bufferViews"):
        assert len(new_json.get(key, ())) >= len(old_json.get(key, ()))
    old, new = AccessorReader(character.source), AccessorReader(again.source)
    untouched = set(range(len(old.accessors))) - touched
    assert untouched
    for index in untouched:
        assert np.array_equal(old.stored(index), new.stored(index), equal_nan=old.accessors[index].type == "float32")
    for image, image_again in zip(old_json.get("images", ()), new_json.get("images", ()), strict=True):
        if "bufferView" in image:
            assert _view_bytes(old, character.source, image) == _view_bytes(new, again.source, image_again)
    changed = {"accessors", "bufferViews", "buffers", "meshes"}
    assert {key: value for key, value in new_json.items() if key not in changed} == {
        key: value for key, value in old_json.items() if key not in changed
    }


def _view_bytes(reader, document, image):
    view = reader.views[image["bufferView"]]
    return bytes(document.buffers[view.buffer][view.offset : view.offset + view.length])


def _assert_no_larger(name, character, limited, folder):
    """Buffers shrink by what was removed, and a second writing gives the same bytes; return whether any did."""
    source = character.source.path
    contents = []
    for again in ("one", "two"):
        target = folder / again / f"out{source.suffix}"
        target.parent.mkdir(parents=True)
        written = write(limited, target)
        contents.append([path.read_bytes() for path in written])
    assert contents[0] == contents[1]
    old = sum(map(len, character.source.buffers))
    new = sum(map(len, read(target).source.buffers))
    removed = sum(
        _bytes_of_sets(before.influences) > _bytes_of_sets(after.influences)
        for before, after in zip(character.primitives, limited.primitives, strict=True)
    )
    if old and removed == len(character.primitives):  # a file without data cannot shrink
        assert new < old, name
    return new < old


def _bytes_of_sets(influences):
    sizes = {"float32": 4, "unorm8": 1, "unorm16": 2}
    slots = -(-influences.joints.shape[1] // 4) * 4
    return slots * (1 + sizes[influences.format])


def _assert_nothing_new(pairs, validate_gltf):
    sources = sorted({source for source, _ in pairs})
    before = dict(zip(sources, validate_gltf(*sources), strict=True))
    after = validate_gltf(*(path for _, path in pairs))
    assert len(after) == len(pairs)
    clean = 0
    for (source, _), report in zip(pairs, after, strict=True):
        assert report.error_kinds <= before[source].error_kinds, (source, report.errors[:3])
        assert len(report.errors) <= len(before[source].errors), (source, report.errors[:3])
        assert report.warning_kinds <= before[source].warning_kinds, (source, report.warnings[:3])
        clean += not report.errors
    assert clean >= len(pairs) * 3 // 4
