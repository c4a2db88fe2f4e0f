"""What `limit` writes does not depend on the machine: not on vector units, the BLAS, hash seeds or threads.

That goes for what is fitted to poses, too: clips and made poses are sampled, and vertices fitted, in one order of every
sum. What 64-bit ARM makes of it is held by the core's own tests.

NumPy and OpenBLAS choose their code by the processor they find; their own switches make children find other ones.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

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
WAYS = {
    "float32": ["--pack", "float32", "--samples", "1"],
    "unorm8": ["--pack", "unorm8", "--samples", "1"],
    "unorm16": ["--pack", "unorm16", "--samples", "1"],
    "exact": ["--pack", "float32", "--method", "exact", "--samples", "12"],
}
VECTOR_UNITS = " ".join(np.show_config(mode="dicts")["SIMD Extensions"].get("found", []))
SETTINGS = {
    "no vector units in NumPy": {"NPY_DISABLE_CPU_FEATURES": VECTOR_UNITS},
    "OpenBLAS of 2008, one thread": {"OPENBLAS_CORETYPE": "Nehalem", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "1"},
    "all of it, many threads": {
        "NPY_DISABLE_CPU_FEATURES": VECTOR_UNITS,
        "OPENBLAS_CORETYPE": "Haswell",
        "OMP_NUM_THREADS": "7",
        "PYTHONHASHSEED": "4294967295",
        "SKINPROOF_ISA": "scalar",
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
    folder = tmp_path_factory.mktemp("demo")
    demo, still = folder / "demo.glb", folder / "still.glb"
    write(make_character(), demo)
    write(replace(make_character(), clips=()), still)
    return [demo, still, *(assets / name for name in FILES)]


def limited(sources, folder, setting):
    """Limit every source in every way, in one child process; return the bytes of each output, and what it said."""
    folder.mkdir()
    runs = {
        f"{source.stem}, {way}": [str(source), "-o", str(folder / f"{source.stem}-{way}.glb"), *options]
        for source in sources
        for way, options in WAYS.items()
    }
    commands = [["limit", *arguments, "-k", "4", "--quiet"] for arguments in runs.values()]
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
    assert len(outputs) == len(set(outputs.values())) == (len(FILES) + 2) * len(WAYS)
    return outputs


@pytest.mark.parametrize("name", SETTINGS)
def test_every_output_has_the_same_bytes(name, sources, plain, tmp_path):
    outputs, vector_units = limited(sources, tmp_path / "out", SETTINGS[name])
    disabled = "NPY_DISABLE_CPU_FEATURES" in SETTINGS[name]
    assert vector_units == ("" if disabled else VECTOR_UNITS), "the switch did not reach NumPy"
    assert outputs.keys() == plain.keys()
    assert [file for file in outputs if outputs[file] != plain[file]] == []
