import json
import os

import pytest

from skinproof.errors import OutputError
from skinproof.formats.gltf.companions import buffer_files, image_files
from skinproof.formats.gltf.document import open_document


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    (folder / "textures").mkdir(parents=True)
    (folder / "skin.png").write_bytes(b"skin")
    (folder / "textures" / "eye 1.png").write_bytes(b"eye")
    (folder / "data.bin").write_bytes(b"12345678")
    return folder


def _document(folder, *uris, buffers=("data.bin",)):
    images = [{"uri": uri} for uri in uris]
    buffers = [{"uri": uri, "byteLength": 8} for uri in buffers]
    path = folder / "a.gltf"
    path.write_text(json.dumps({"asset": {"version": "2.0"}, "images": images, "buffers": buffers}))
    return open_document(path)


def _found(outputs):
    return {str(output.path): (bytes(output.data), output.make_folder) for output in outputs}


def test_images_go_along_to_the_same_places(source, tmp_path):
    document = _document(source, "skin.png", "textures/eye%201.png", "./skin.png", "data:image/png;base64,AAAA")
    assert _found(image_files(document, tmp_path / "out")) == {
        str(tmp_path / "out" / "skin.png"): (b"skin", True),
        str(tmp_path / "out" / "textures" / "eye 1.png"): (b"eye", True),
    }


def test_buffers_go_along_to_the_same_places(source, tmp_path):
    document = _document(source, buffers=("data.bin", "data:;base64,AAAAAAAAAAA="))
    assert _found(buffer_files(document, tmp_path)) == {str(tmp_path / "data.bin"): (b"12345678", True)}


@pytest.mark.parametrize("lengths", [(8, 4), (4, 8)])
def test_two_buffers_on_one_file_make_one_copy_with_all_of_it(source, tmp_path, lengths):
    path = source / "a.gltf"
    buffers = [{"uri": "data.bin", "byteLength": length} for length in lengths]
    path.write_text(json.dumps({"asset": {"version": "2.0"}, "buffers": buffers}))
    assert _found(buffer_files(open_document(path), tmp_path)) == {str(tmp_path / "data.bin"): (b"12345678", True)}


def test_nothing_goes_along_within_the_folder_however_it_is_called(source, tmp_path):
    document = _document(source, "skin.png", "../elsewhere.png")
    (tmp_path / "link").symlink_to(source)
    for folder in (source, source / "textures" / "..", tmp_path / "link"):
        assert image_files(document, folder) == []
        assert buffer_files(document, folder) == []


def test_absolute_uris_and_missing_images_stay_as_they_are(source, tmp_path):
    document = _document(source, "https://example.org/a.png", "file:///a.png", "missing.png")
    assert image_files(document, tmp_path) == []


@pytest.mark.parametrize("uri", ["../a.png", "textures/../../a.png", "/a.png", "%2e%2e/a.png", "a\\b.png"])
def test_an_image_outside_of_the_folder_cannot_go_along(source, tmp_path, uri):
    with pytest.raises(OutputError, match=r"a\.gltf /images/1/uri: .*Write into the source's folder"):
        image_files(_document(source, "skin.png", uri), tmp_path)


def test_an_image_that_cannot_be_read_is_named(source, tmp_path, monkeypatch):
    document = _document(source, "skin.png")

    def refuse(self):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(source), "read_bytes", refuse)
    with pytest.raises(OutputError, match=r"skin\.png: cannot be copied: Permission denied"):
        image_files(document, tmp_path)


def test_the_source_may_have_gone(source, tmp_path):
    document = _document(source, "skin.png")
    os.rename(source, tmp_path / "moved")
    assert image_files(document, tmp_path) == []
    assert len(buffer_files(document, tmp_path)) == 1  # the document holds them
