"""Captures are read back as written, and nothing of a hostile one is trusted."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from skinproof.errors import FormatError
from skinproof.formats import capture_bytes, read_capture
from skinproof.model import Capture

PALETTES = np.arange(2 * 3 * 16, dtype=np.float32).reshape(2, 3, 4, 4)


def npy(array, **options):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, **options)
    return stream.getvalue()


def header(text):
    padded = text.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded


def written(tmp_path, **entries):
    path = tmp_path / "capture.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(f"{name}.npy", content)
    return path


def test_what_is_written_is_read(tmp_path):
    capture = Capture(
        PALETTES, np.array([0.0, 1.5]), np.array([0, 1], np.int32), np.array([7, 8]), ("hips", "spine", "Kopf ä")
    )
    path = tmp_path / "capture.npz"
    path.write_bytes(capture_bytes(capture))
    again = read_capture(path)
    for name in ("palettes", "times", "clips", "revisions"):
        np.testing.assert_array_equal(getattr(again, name), getattr(capture, name))
    assert again.joint_names == capture.joint_names


def test_compressed_captures_and_truth_are_read(tmp_path):
    path = tmp_path / "capture.npz"
    np.savez_compressed(path, palettes=PALETTES, truth_times=np.zeros((2, 3)))
    assert len(read_capture(path)) == 2


@pytest.mark.parametrize(
    ("entries", "reason"),
    [
        ({}, "no array 'palettes'"),
        ({"palettes": npy(PALETTES.astype(np.float64))}, "expected <f4, got <f8"),
        ({"palettes": npy(PALETTES.astype(">f4"))}, "expected <f4, got >f4"),
        ({"palettes": npy(np.asfortranarray(PALETTES))}, "row-major"),
        ({"palettes": npy(np.array([{}], object), allow_pickle=True)}, "got .O"),
        ({"palettes": npy(PALETTES[:, :, :3].copy())}, "palettes"),
        ({"palettes": npy(PALETTES[:0])}, "no draw"),
        ({"palettes": npy(PALETTES)[:-4]}, "promises more|bytes where"),
        ({"palettes": npy(PALETTES) + b"more"}, "bytes where"),
        ({"palettes": b"nonsense"}, "header"),
        ({"palettes": header("{'descr': '<f4', 'fortran_order': False, 'shape': (10**12, 60, 4, 4)}")}, "header"),
        ({"palettes": header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999, 4)}")}, "promises"),
        ({"palettes": header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 60, 4, 4)}")}, "promises"),
        ({"palettes": header("__import__('os').abort()")}, "header"),
        ({"palettes": npy(PALETTES), "weights": npy(PALETTES)}, "'weights'"),
        ({"palettes": npy(PALETTES), "times": npy(np.zeros(3))}, "times"),
        ({"palettes": npy(PALETTES), "times": npy(np.array([0, np.nan]))}, "finite"),
        ({"palettes": npy(PALETTES), "joint_names": npy(np.array(["a"]))}, "joint_names"),
        ({"palettes": npy(PALETTES), "joint_names": npy(np.array([["a", "b", "c"]]))}, "one dimension"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_capture_is_refused_with_the_reason(tmp_path, entries, reason):
    with pytest.raises(FormatError, match=reason):
        read_capture(written(tmp_path, **entries))


def test_too_many_bytes_are_refused_before_they_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr("skinproof.formats.capture.MAX_CAPTURE_BYTES", 400)
    with pytest.raises(FormatError, match="more than"):
        read_capture(written(tmp_path, palettes=npy(PALETTES)))


def test_one_array_twice_and_cut_archives_are_refused(tmp_path):
    path = tmp_path / "twice.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("palettes.npy", npy(PALETTES))
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("palettes.npy", npy(PALETTES))
    with pytest.raises(FormatError, match="twice"):
        read_capture(path)
    whole = capture_bytes(Capture(PALETTES))
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(FormatError):
            read_capture(path)


def test_flipped_bytes_are_refused_or_read_but_never_crash(tmp_path):
    whole, path = bytearray(capture_bytes(Capture(PALETTES, np.zeros(2)))), tmp_path / "flipped.npz"
    for place in range(0, len(whole), 3):
        flipped = whole.copy()
        flipped[place] ^= 0xFF
        path.write_bytes(flipped)
        with suppress(FormatError):
            read_capture(path)
