"""Reading takes at most three times what the file has and what it decodes to, and 200 MB: checked in a child."""

import json
import subprocess
import sys

import numpy as np
import pytest

from gltf_builder import strip
from packed import pack

ALLOWANCE = 200 << 20
"""Python, NumPy and this package themselves."""

CHILD = """
import json, re, sys
from skinproof.formats import read
(part,) = read(sys.argv[1]).primitives
arrays = [part.positions, part.influences.joints, part.influences.weights, *part.targets]
with open("/proc/self/status") as status:  # ru_maxrss would count what the parent had when it started this process
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1]) * 1024
print(json.dumps({"peak": peak, "decoded": sum(array.nbytes for array in arrays)}))
"""


def large(vertices):
    """Eight influences each, and two morph targets."""
    generator = np.random.default_rng(1)
    weights = generator.dirichlet(np.ones(8), vertices).astype(np.float32)
    joints = np.tile(np.uint8([0, 1]), (vertices, 4))
    builder = strip(
        [(joints[:, :4], weights[:, :4]), (joints[:, 4:], weights[:, 4:])], vertices=vertices, indices=False
    )
    moved = builder.accessor(generator.normal(size=(vertices, 3)).astype(np.float32))
    builder.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": moved}, {"POSITION": moved}]
    return builder


@pytest.mark.parametrize("form", ["plain", "compressed"])
def test_it_is_bounded_by_the_file_and_what_it_holds(tmp_path, form):
    builder, path = large(1_000_000), tmp_path / "large.glb"
    builder.save(path) if form == "plain" else pack(builder, path)
    done = subprocess.run(
        [sys.executable, "-c", CHILD, str(path)], capture_output=True, text=True, timeout=120, check=True
    )
    found = json.loads(done.stdout)
    bound = 3 * (path.stat().st_size + found["decoded"]) + ALLOWANCE
    assert found["decoded"] > 60_000_000
    assert found["peak"] <= bound, f"{found['peak'] / bound:.2f} of what is allowed"
