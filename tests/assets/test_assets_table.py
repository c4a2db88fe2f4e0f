"""docs/assets.md tells of the files that are there; `make assets-table` writes it anew."""

import re
from pathlib import Path

import pytest

from skinproof.errors import FormatError
from skinproof.formats import read

pytestmark = pytest.mark.assets

TABLE = (Path(__file__).parents[2] / "docs" / "assets.md").read_text(encoding="utf-8")
NO_POLICY_MENDS = "gltf-validator/mesh_data-joints_weights_complex/joints_weights_complex.gltf"


def refusal(path):
    try:
        read(path)
    except FormatError as error:
        return f"{error.reason}. {error.remedy}"
    return ""


def test_every_file_is_in_it_where_it_belongs(assets):
    limited, refused = (re.findall(r"^\| (\S+/\S+) \|", part, re.MULTILINE) for part in TABLE.split("## Refused"))
    found = {
        path.relative_to(assets).as_posix() for path in assets.rglob("*") if path.suffix in (".glb", ".gltf", ".vrm")
    }
    assert len(limited) == len(set(limited)) >= 50
    assert set(limited) | set(refused) == found
    assert not set(limited) & set(refused)
    messages = {name: message for name in sorted(found) if (message := refusal(assets / name))}
    assert [name for name, message in messages.items() if message.replace("|", "\\|") not in TABLE] == []
    assert set(messages) | {NO_POLICY_MENDS} == set(refused)


def test_no_output_has_an_error_or_a_new_warning():
    assert "found 0 errors and 0 kinds of warnings in the outputs that are not in their sources" in TABLE
