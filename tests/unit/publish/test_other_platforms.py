"""Where there is no Linux the shared form says so when it is imported; all else works."""

from __future__ import annotations

import subprocess
import sys

import pytest

from segments import ROOT

PRELUDE = f"""
import sys
sys.path.insert(0, {str(ROOT / "tests")!r})
import numpy  # has a say of its own about platforms
sys.platform = "darwin"
"""


def run(code):
    command = [sys.executable, "-c", PRELUDE + code]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    "shared",
    [
        "from skinproof.publish import PaletteReader",
        "from skinproof.publish import remove_segment",
        "from skinproof.publish import segment_statistics",
        "import skinproof.publish; skinproof.publish.PaletteReader",
        "import skinproof.publish.reader",
    ],
)
def test_the_shared_form_is_an_import_error(shared):
    done = run(shared)
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert last.startswith("skinproof.errors.PlatformError: named segments need Linux (open-file-description locks)")
    assert "this is darwin" in last
    assert "a PaletteOwner without name=" in last


def test_it_can_be_caught_as_any_other_import_error():
    done = run("""
try:
    from skinproof.publish import PaletteReader
except ImportError as error:
    print(error)
""")
    assert done.stdout.startswith("named segments need Linux")


def test_the_command_refuses():
    done = run("from skinproof.cli import main; sys.exit(main(['publish', 'stat', 'hero']))")
    assert (done.returncode, done.stdout) == (3, "")
    assert "named segments need Linux" in done.stderr
    assert "Traceback" not in done.stderr


def test_owners_in_memory_work():
    done = run("""
from skinproof.publish import *
from palettes import owner, palette, seen
character = owner(1, 2)
character.request(1)
assert character.publish(1, palette(3, 4))
import skinproof.publish
print(seen(character), hasattr(skinproof.publish, "no_such_name"), "PaletteReader" in skinproof.publish.__all__)
""")
    assert (done.stdout, done.stderr) == ("(1, [3.0, 4.0]) False False\n", "")


def test_the_core_says_the_same_and_holds_its_rules_without_linux(tmp_path):
    """Compiled as for another POSIX system: the parts that are Linux's alone are left out."""
    sources = ["backing", "bounds", "candidate", "copy_finite", "files", "fork_guard", "owner"]
    program = tmp_path / "other.cpp"
    program.write_text(
        "".join(f'#include "publish/{name}.cpp"\n' for name in sources)
        + """
#define main rules
#include "tests/publish/contract.cpp"
#undef main
int main() {
    try {
        skinproof::publish::attach_segment("hero");
    } catch (const skinproof::publish::SegmentFailure& failure) {
        std::printf("%s\\n", failure.what());
        return rules();
    }
    return 9;
}
"""
    )
    core = ROOT / "cpp"
    flags = ["-std=c++20", "-w", "-pthread", "-U__linux__", f"-I{core}", f"-I{core / 'tests' / 'publish'}"]
    subprocess.run(["g++", *flags, program, "-o", tmp_path / "other"], check=True, timeout=120)
    done = subprocess.run([tmp_path / "other"], capture_output=True, text=True, timeout=60, check=False)
    first, *rest = done.stdout.splitlines()
    assert first.startswith("named segments need Linux (open-file-description locks)")
    assert (done.returncode, len(rest)) == (0, 1), done.stdout


def test_here_the_shared_form_is_public():
    import skinproof.publish

    assert {"PaletteReader", "remove_segment", "segment_statistics"} <= set(skinproof.publish.__all__)
