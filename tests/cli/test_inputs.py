"""What FILE may be: a path, standard input, a folder, a pattern; one that is not there is named."""

from __future__ import annotations

import json
import subprocess

import jsonschema
import pytest

from cli.command import SECONDS, SKINPROOF, environment, expect, run, skinproof
from gltf_builder import strip
from skinproof.report import schema


@pytest.fixture
def art(tmp_path):
    """A folder of characters in folders, with a file of another kind and one whose name shouts."""
    for place in ("art/hero.glb", "art/crowd/extra.gltf", "art/crowd/b/walker.VRM", "art/[x].glb"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        builder = strip(vertices=40)
        if place.endswith("VRM"):
            builder.save(tmp_path / "walker.glb").rename(tmp_path / place)
        else:
            builder.save(tmp_path / place)
    (tmp_path / "art/notes.txt").write_text("no character")
    return tmp_path


def judged(folder, *arguments, code=0, command="inspect"):
    """The files of the list, in order."""
    found = json.loads(expect(skinproof(command, *arguments, "--json", cwd=folder), code).stdout)
    return [file["file"] for file in found["files"]]


def piped(data, *arguments, cwd, code=0):
    process = subprocess.run(
        [SKINPROOF, *arguments],
        input=data,
        cwd=cwd,
        env=environment(),
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    text = subprocess.CompletedProcess(
        process.args, process.returncode, process.stdout.decode(), process.stderr.decode()
    )
    return expect(text, code)


class TestFolders:
    def test_all_characters_in_it_and_below_by_name(self, art):
        folder_first = ["art/[x].glb", "art/hero.glb", "art/crowd/extra.gltf", "art/crowd/b/walker.VRM"]
        assert judged(art, "art") == judged(art, "art/") == folder_first
        assert judged(art, ".") == folder_first

    def test_one_without_characters_is_wrong_usage(self, art):
        (art / "empty").mkdir()
        result = expect(skinproof("inspect", "empty", cwd=art), 2)
        assert "empty: there is no file whose name ends in .glb, .gltf or .vrm" in result.stderr

    def test_one_that_cannot_be_listed(self, art):
        """Whoever may do everything, as in many containers, is told so by the system here."""
        fault = """
import os
honest = os.scandir
def scandir(path):
    if os.fspath(path).endswith("crowd"):
        raise PermissionError(13, "Permission denied", os.fspath(path))
    return honest(path)
os.scandir = scandir
"""
        result = expect(run(fault, "inspect", "art", folder=art), 3)
        assert "art/crowd: cannot be listed: Permission denied" in result.stderr
        assert result.stdout == ""

    def test_links_that_lead_round_are_not_followed(self, art):
        (art / "art/crowd/round").symlink_to(art / "art")
        assert len(judged(art, "art")) == 4


class TestPatterns:
    @pytest.mark.parametrize(
        ("pattern", "found"),
        [
            ("art/*.glb", ["art/[x].glb", "art/hero.glb"]),
            ("art/**/*", ["art/[x].glb", "art/crowd/b/walker.VRM", "art/crowd/extra.gltf", "art/hero.glb"]),
            ("art/*/e?tra.gltf", ["art/crowd/extra.gltf"]),
            ("art/[!x]*.glb", ["art/[x].glb", "art/hero.glb"]),
        ],
    )
    def test_what_they_match(self, art, pattern, found):
        assert judged(art, pattern) == found

    def test_a_file_of_that_very_name_is_no_pattern(self, art):
        report = json.loads(expect(skinproof("inspect", "art/[x].glb", "--json", cwd=art), 0).stdout)
        assert report["file"] == "art/[x].glb"

    @pytest.mark.parametrize("pattern", ["art/*.fbx", "art/*.txt", "nowhere/**/*.glb"])
    def test_one_that_matches_no_character_is_wrong_usage(self, art, pattern):
        result = expect(skinproof("inspect", pattern, cwd=art), 2)
        assert f"{pattern}: there is no file whose name ends in" in result.stderr
        assert result.stdout == ""


class TestStandardInput:
    def test_a_character_is_judged_as_its_file_is(self, art):
        data = (art / "art/hero.glb").read_bytes()
        report = json.loads(piped(data, "inspect", "-", "--json", cwd=art).stdout)
        jsonschema.validate(report, schema())
        named = json.loads(expect(skinproof("inspect", "art/hero.glb", "--json", cwd=art), 0).stdout)
        assert report == named | {"file": "-"}

    def test_against_a_file_and_the_other_way_round(self, art):
        data = (art / "art/hero.glb").read_bytes()
        for arguments in (["-", "--against", "art/hero.glb"], ["art/hero.glb", "--against", "-"]):
            piped(data, "check", *arguments, "--tolerance", "0mm", cwd=art)

    def test_a_gltf_with_its_buffer_within(self, art):
        piped((art / "art/crowd/extra.gltf").read_bytes(), "inspect", "-", cwd=art)

    def test_a_gltf_with_a_buffer_beside_it_is_refused(self, art):
        strip().save(art / "hero.gltf", uri="hero.bin")
        result = piped((art / "hero.gltf").read_bytes(), "inspect", "-", cwd=art, code=3)
        expected = (
            "error: standard input /buffers/0/uri: the buffer is a file of its own, 'hero.bin', and what is piped "
        )
        assert result.stderr.startswith(expected)
        assert "Name the .gltf by its path, or pipe a .glb" in result.stderr

    @pytest.mark.parametrize("data", [b"", b"nonsense", b"glTF\2\0\0\0"])
    def test_what_is_no_character_is_refused_by_that_name(self, art, data):
        assert "error: standard input: " in piped(data, "inspect", "-", cwd=art, code=3).stderr

    def test_it_is_read_once(self, art):
        for arguments in (["-", "-"], ["-", "--against", "-"]):
            result = expect(skinproof("check", *arguments, cwd=art), 2)
            assert "can be read once only" in result.stderr

    def test_a_file_of_that_name_is_written_with_its_folder(self, art):
        (art / "art/hero.glb").rename(art / "-")
        report = json.loads(expect(skinproof("inspect", "./-", "--json", cwd=art), 0).stdout)
        assert report["decoded_sum"]["checks"]


def test_a_file_named_twice_is_judged_once(art):
    assert judged(art, "art/hero.glb", "art/*.glb", "art/hero.glb") == ["art/hero.glb", "art/[x].glb"]


class TestOriginals:
    @pytest.fixture
    def built(self, art):
        """Limited twins of hero and extra in a folder of the same shape, extra in the other container."""
        (art / "built/crowd").mkdir(parents=True)
        for source, place in (("hero.glb", "hero.glb"), ("crowd/extra.gltf", "crowd/extra.glb")):
            expect(skinproof("limit", f"art/{source}", "-k", 1, "-o", f"built/{place}", cwd=art), 0)
        return art

    def against(self, folder, *arguments, code=0):
        text = expect(skinproof("check", *arguments, "--against", "art", "--json", cwd=folder), code).stdout
        return json.loads(text)

    @pytest.mark.parametrize("files", [["built"], ["built/**/*.glb"], ["built/hero.glb", "built/crowd/extra.glb"]])
    def test_they_lie_at_the_same_places(self, built, files):
        found = self.against(built, *files)
        pairs = {file["file"]: file["report"]["original"] for file in found["files"]}
        assert pairs == {"built/hero.glb": "art/hero.glb", "built/crowd/extra.glb": "art/crowd/extra.gltf"}
        assert all(file["report"]["displacement"]["max"]["metres"] > 0.1 for file in found["files"])

    def test_one_file_has_its_original_in_a_folder_too(self, built):
        assert self.against(built, "built/hero.glb")["original"] == "art/hero.glb"

    def test_one_that_is_missing_is_named_and_the_others_judged(self, built):
        (built / "art/hero.glb").unlink()
        found = self.against(built, "built", code=3)
        codes = {file["file"]: file["exit_code"] for file in found["files"]}
        assert codes == {"built/hero.glb": 3, "built/crowd/extra.glb": 0}
        assert "art/hero.glb: there is no such original" in found["files"][0]["error"]

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["built", "--against", "art/hero.glb"], "several files need a folder with their originals"),
            (["-", "--against", "art"], "name the original of standard input by itself"),
        ],
    )
    def test_what_makes_no_pairs_is_wrong_usage(self, built, arguments, said):
        assert said in expect(skinproof("check", *arguments, cwd=built), 2).stderr
