"""Seed every fault of python_faults.toml into a copy of the installed package and see its tests fail.

Without a fault the copy must pass them. A fault at the border to the core edits its C++, which is compiled anew with
the commands of the package's own build, so `make build` comes first. A fault whose text is not found exactly once, or
that does not compile, is an error: it would prove nothing.
Usage: python verify/python_faults.py [NAME …]
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from faults import seed

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SECONDS = 120
# Runs in every interpreter that a test starts: the copy is found instead of the editable package.
START = (
    'import sys\nsys.meta_path[:] = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__]\n'
)


def copy_package(scratch: Path) -> None:
    """Copy the Python files and the sources at the border; the compiled cores are links."""
    shutil.copytree(ROOT / "src", scratch / "src")
    shutil.copytree(ROOT / "cpp" / "publish_module", scratch / "cpp" / "publish_module")
    (scratch / "src" / "sitecustomize.py").write_text(START)
    find = "import skinproof._core as c, skinproof._publish as p; print(c.__file__); print(p.__file__)"
    found = subprocess.run([sys.executable, "-c", find], check=True, capture_output=True, text=True, cwd=scratch).stdout
    for core in map(Path, found.split()):
        (scratch / "src" / "skinproof" / core.name).symlink_to(core)
    (scratch / "src" / "skinproof" / "include").symlink_to(core.parent / "include")


def rebuild(scratch: Path, sources: set[str]) -> None:
    """Compile the edited sources of the border and link the publisher with them."""
    core = next((scratch / "src" / "skinproof").glob("_publish.*so"))
    builds = [
        path.parent
        for path in ROOT.glob("build/*/build.ninja")
        if (path.parent / "cpp" / "publish_module" / core.name).exists()
    ]
    if len(builds) != 1:
        sys.exit(f"python_faults: {len(builds)} builds of {core.name} under build/; run `make build` first")
    target = f"cpp/publish_module/{core.name}"
    listed = ["ninja", "-t", "commands", target]
    commands = subprocess.run(listed, cwd=builds[0], check=True, capture_output=True, text=True).stdout.splitlines()
    link = shlex.split(commands[-1].removeprefix(": && ").removesuffix(" && :"))
    for source in sources:
        compile_ = next(shlex.split(line) for line in commands if line.endswith(str(ROOT / source)))
        place = compile_.index("-o") + 1
        made, compile_[place] = compile_[place], str(scratch / f"{Path(source).name}.o")
        compile_[-1] = str(scratch / source)
        kept = [
            word for index, word in enumerate(compile_) if word != "-MD" and compile_[index - 1] not in ("-MT", "-MF")
        ]
        subprocess.run([word for word in kept if word not in ("-MT", "-MF")], cwd=builds[0], check=True, timeout=300)
        link = [compile_[place] if word == made else word for word in link]
    core.unlink()
    link[link.index("-o") + 1] = str(core)
    subprocess.run(link, cwd=builds[0], check=True, timeout=300)


def passes(scratch: Path, tests: list[str]) -> bool:
    """Run test files with the package of `scratch`; a hang counts as failing, a run without tests is an error."""
    environment = {**os.environ, "PYTHONPATH": str(scratch / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("CI", None)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *tests]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    if done.returncode not in (0, 1):
        sys.exit(f"python_faults: pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def is_killed(fault: dict) -> bool:
    """Seed one fault and say whether its tests see it."""
    since = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        copy_package(scratch)
        seed(scratch, fault)
        border = {edit["file"] for edit in fault["edit"] if edit["file"].startswith("cpp/")}
        if border:
            rebuild(scratch, border)
        killed = not passes(scratch, [fault["test"]])
    verdict = "killed  " if killed else "SURVIVED"
    print(f"{verdict} {time.monotonic() - since:4.1f} s  {fault['name']}: {fault['rule']}", flush=True)
    return killed


def main(names: list[str]) -> int:
    """Seed the named faults, or all."""
    faults = tomllib.loads((HERE / "python_faults.toml").read_text())["fault"]
    if names:
        faults = [fault for fault in faults if fault["name"] in names]
    if not faults:
        sys.exit("no such fault")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        copy_package(Path(folder))
        if not passes(Path(folder), sorted({fault["test"] for fault in faults})):
            sys.exit("python_faults: the tests fail without any fault")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        killed = list(pool.map(is_killed, faults))
    print(f"{sum(killed)} of {len(faults)} faults killed in {time.monotonic() - started:.0f} s")
    return 0 if all(killed) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
