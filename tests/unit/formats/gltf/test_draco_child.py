import io
import subprocess
import sys

import DracoPy
import numpy as np

MODULE = "skinproof.formats.gltf.draco_child"
POINTS = np.random.default_rng(1).normal(size=(30, 3)).astype(np.float32)
FACES = np.arange(30, dtype=np.uint32).reshape(10, 3)


def framed(*payloads):
    return b"".join(len(payload).to_bytes(8, "little") + payload for payload in payloads)


def run(data, *, code=None):
    command = ["-m", MODULE] if code is None else ["-c", code]
    return subprocess.run([sys.executable, *command], input=data, capture_output=True, timeout=60, check=False)


def test_the_arrays_of_each_payload():
    payload, other = DracoPy.encode(POINTS, FACES), DracoPy.encode(POINTS[:3], FACES[:1])
    done = run(framed(payload, other))
    assert done.returncode == 0
    with np.load(io.BytesIO(done.stdout), allow_pickle=False) as archive:
        assert sorted(archive.files) == ["0/0", "0/faces", "1/0", "1/faces"]
        assert archive["0/0"].tolist() == DracoPy.decode(payload).points.tolist()
        assert archive["1/faces"].shape == (1, 3)


def test_the_payload_that_fails_is_told():
    done = run(framed(DracoPy.encode(POINTS, FACES), b"no such thing"))
    assert done.returncode == 1
    assert int.from_bytes(done.stdout, "little") == 1
    assert b"Error" in done.stderr or b"Exception" in done.stderr


def test_memory_is_bounded():
    code = f"""
import resource, sys
from {MODULE} import main
resource.setrlimit(resource.RLIMIT_AS, (1 << 34, 1 << 34))
code = main()
assert resource.getrlimit(resource.RLIMIT_AS)[0] < 1 << 31, "the limit was not lowered"
sys.exit(code)
"""
    payload = framed(DracoPy.encode(POINTS, FACES))
    assert run(payload, code=code).returncode == 0
    starved = f"""
import sys
import {MODULE} as child
child.DECODER_BYTES = child.DECODER_BYTES_PER_BYTE = 1
sys.exit(child.main())
"""
    assert run(payload, code=starved).returncode != 0
