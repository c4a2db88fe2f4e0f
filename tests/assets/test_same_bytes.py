"""What `limit` writes does not depend on the machine: not on vector units, the BLAS, hash seeds or threads.

NumPy and OpenBLAS choose their code by the processor they find; their own switches make children find other ones.
"""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from cli.command import SECONDS, environment, expect
from skinproof import write
from skinproof.demo import make_character

FILES = [
    "derived-collada/CesiumMan-dense/CesiumMan-dense.glb",
    "derived-makehuman/mpfb-game_engine/mpfb-game_engine.glb",
    "derived-blender/dembones-Decomposition_20/Decomposition_20.glb",
]
FORMATS = ["float32", "unorm8", "unorm16"]
VECTOR_UNITS = " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
SETTINGS = {
    "no vector units in NumPy": {"NPY_DISABLE_CPU_FEATURES": VECTOR_UNITS},
    "OpenBLAS of 2008, one thread": {"OPENBLAS_CORETYPE": "Nehalem", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "1"},
    "all of it, many threads": {
        "NPY_DISABLE_CPU_FEATURES": VECTOR_UNITS,
        "OPENBLAS_CORETYPE": "Haswell",
        "OMP_NUM_THREADS": "7",
        "PYTHONHASHSEED": "4294967295",
    },
}

CHILD = """
import json, sys
import numpy as np
from skinproof.cli import main
for arguments in json.loads(sys.argv[1]):
    assert main(arguments) == 0, arguments
print(*np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
"""

pytestmark = pytest.mark.assets


@pytest.fixture(scope="module")
def sources(assets, tmp_path_factory):
    demo = tmp_path_factory.mktemp("demo") / "demo.glb"
    write(make_character(), demo)
    return [demo, *(assets / name for name in FILES)]


def limited(sources, folder, setting):
    """Limit every source in every format, in one child process; return the bytes of each output, and what it said."""
    folder.mkdir()
    runs = {
        f"{source.stem}, {pack}": [str(source), "-o", str(folder / f"{source.stem}-{pack}.glb"), "--pack", pack]
        for source in sources
        for pack in FORMATS
    }
    commands = [["limit", *arguments, "-k", "4", "--samples", "1", "--quiet"] for arguments in runs.values()]
    child = subprocess.run(
        [sys.executable, "-c", CHILD, json.dumps(commands)],
        env=environment(PYTHONHASHSEED="0") | setting,
        capture_output=True,
        text=True,
        timeout=2 * SECONDS,  # of several commands
        check=False,
    )
    said = expect(child, 0).stdout.splitlines()
    return {name: (folder / f"{name.replace(', ', '-')}.glb").read_bytes() for name in runs}, said[-1]


@pytest.fixture(scope="module")
def plain(sources, tmp_path_factory):
    outputs, _ = limited(sources, tmp_path_factory.mktemp("plain") / "out", {})
    assert len(outputs) == len(set(outputs.values())) == (len(FILES) + 1) * len(FORMATS)
    return outputs


@pytest.mark.parametrize("name", SETTINGS)
def test_every_output_has_the_same_bytes(name, sources, plain, tmp_path):
    outputs, vector_units = limited(sources, tmp_path / "out", SETTINGS[name])
    disabled = "NPY_DISABLE_CPU_FEATURES" in SETTINGS[name]
    assert vector_units == ("" if disabled else VECTOR_UNITS), "the switch did not reach NumPy"
    assert outputs.keys() == plain.keys()
    assert [file for file in outputs if outputs[file] != plain[file]] == []
