"""Prints the figures of docs/decisions.md anew: `python bench/decisions.py`.

Installs the libraries that lost into a temporary virtual environment (about 300 MB from the package registry), so it
is run by hand and not by the tests.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import numpy as np

LOSERS = ["numba", "typer", "rich-click", "pygltflib", "gltflib", "trimesh"]
RUNS = 25

RICH_CLICK = (
    "import rich_click as click\n@click.command()\n@click.option('-k', type=int)\ndef f(k): pass\nf(['-k', '4'])"
)
TYPER = "import typer\napp = typer.Typer()\n@app.command()\ndef f(k: int = 4): pass\napp(['--k', '4'])"

# Each reads sys.argv[1] and writes sys.argv[2] as the library's documentation does it.
ROUND_TRIPS = {
    "pygltflib": "import sys, pygltflib\npygltflib.GLTF2().load(sys.argv[1]).save(sys.argv[2])",
    "gltflib": "import sys, gltflib\ngltflib.GLTF.load(sys.argv[1]).export(sys.argv[2])",
    "trimesh": "import sys, trimesh\ntrimesh.load(sys.argv[1]).export(sys.argv[2])",
    "skinproof": "import sys, skinproof\nskinproof.write(skinproof.read(sys.argv[1]), sys.argv[2])",
}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        losers = folder / "venv"
        venv.create(losers, with_pip=True)
        python = str(losers / "bin" / "python")
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *LOSERS], check=True)
        start_up(python)
        compiled(python, losers)
        round_trips(python, folder)


def start_up(python: str) -> None:
    bare = milliseconds(python, "pass")
    print("\n| command line | starts in, the interpreter's own start taken off |\n| --- | --- |")
    print(f"| rich-click | {milliseconds(python, RICH_CLICK) - bare:.0f} ms |")
    print(f"| typer | {milliseconds(python, TYPER) - bare:.0f} ms |")


def compiled(python: str, losers: Path) -> None:
    base = milliseconds(python, "import numpy")
    numba = milliseconds(python, "import numba") - base
    core = milliseconds(sys.executable, "import numpy, skinproof._native") - milliseconds(
        sys.executable, "import numpy"
    )
    packages = next((losers / "lib").glob("python3*/site-packages"))
    size = sum(folder_bytes(packages / part) for part in ("numba", "llvmlite", "llvmlite.libs"))
    library = next(
        Path(subprocess_output(sys.executable, "import skinproof._core as c; print(c.__file__)")).parent.glob("_core*")
    )
    print("\n| compiled code | installed size | import, NumPy's own taken off |\n| --- | --- | --- |")
    print(f"| C++ core | {library.stat().st_size / 1e3:.0f} kB | {core:.0f} ms |")
    print(f"| Numba with llvmlite | {size / 1e6:.0f} MB | {numba:.0f} ms |")


def round_trips(python: str, folder: Path) -> None:
    sound, broken = folder / "sound.glb", folder / "broken.glb"
    sound.write_bytes(triangle(count=3))
    broken.write_bytes(triangle(count=3_000_000))
    print("\n| library | same bytes | keeps asset.extras | keeps the skin | keeps JOINTS_1 | refuses a bad count |")
    print("| --- | --- | --- | --- | --- | --- |")
    for name, code in ROUND_TRIPS.items():
        interpreter = sys.executable if name == "skinproof" else python
        out = folder / f"{name}.glb"
        done = subprocess.run([interpreter, "-c", code, str(sound), str(out)], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"| {name} | fails: {done.stderr.strip().splitlines()[-1]} | | | | |")
            continue
        after = json_chunk(out.read_bytes())
        attributes = after["meshes"][0]["primitives"][0]["attributes"]
        refused = subprocess.run([interpreter, "-c", code, str(broken), str(folder / "b.glb")], capture_output=True)
        cells = [
            out.read_bytes() == sound.read_bytes(),
            "extras" in after["asset"],
            bool(after.get("skins")),
            "JOINTS_1" in attributes,
            refused.returncode != 0,
        ]
        print(f"| {name} | " + " | ".join("yes" if cell else "no" for cell in cells) + " |")


def triangle(*, count: int) -> bytes:
    """A GLB of one triangle with eight influences a vertex; `count` is what WEIGHTS_1 claims to have."""
    arrays = [
        (np.eye(3, dtype=np.float32), "VEC3", 5126),
        (np.tile(np.arange(4, dtype=np.uint8), (3, 1)), "VEC4", 5121),
        (np.full((3, 4), 0.125, dtype=np.float32), "VEC4", 5126),
        (np.tile(np.arange(4, 8, dtype=np.uint8), (3, 1)), "VEC4", 5121),
        (np.full((3, 4), 0.125, dtype=np.float32), "VEC4", 5126),
    ]
    binary, views, accessors = b"", [], []
    for array, kind, component in arrays:
        views.append({"buffer": 0, "byteOffset": len(binary), "byteLength": array.nbytes, "target": 34962})
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": 3, "type": kind})
        binary += array.tobytes()
    accessors[0].update(min=[0, 0, 0], max=[1, 1, 1])
    accessors[-1]["count"] = count
    names = ["POSITION", "JOINTS_0", "WEIGHTS_0", "JOINTS_1", "WEIGHTS_1"]
    document = {
        "asset": {"version": "2.0", "extras": {"author": "somebody"}},
        "scene": 0,
        "scenes": [{"nodes": [0, 1]}],
        "nodes": [{"mesh": 0, "skin": 0}, {"children": list(range(2, 9))}, *({} for _ in range(7))],
        "skins": [{"joints": list(range(1, 9))}],
        "meshes": [{"primitives": [{"attributes": {name: index for index, name in enumerate(names)}}]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(binary)}],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = len(text).to_bytes(4, "little") + b"JSON" + text + len(binary).to_bytes(4, "little") + b"BIN\0" + binary
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(chunks)).to_bytes(4, "little") + chunks


def json_chunk(glb: bytes) -> dict[str, object]:
    return json.loads(glb[20 : 20 + int.from_bytes(glb[12:16], "little")])


def milliseconds(python: str, code: str) -> float:
    """Shortest of several times that a fresh interpreter takes to run `code`: the rest is what else the machine did."""
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        subprocess.run([python, "-c", f"import sys\ntry:\n exec({code!r})\nexcept SystemExit: pass"], check=True)
        times.append((time.perf_counter() - begin) * 1e3)
    return min(times)


def subprocess_output(python: str, code: str) -> str:
    return subprocess.run([python, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def folder_bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
