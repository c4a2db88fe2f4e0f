import re
import subprocess

from skinproof.publish import include_dir


def test_the_header_is_that_of_the_core_and_compiles_as_c(tmp_path):
    header = include_dir() / "skinproof_segment.h"
    assert re.search(r"#define SKINPROOF_\w*VERSION \d+|VERSION = \d+", header.read_text())
    source = tmp_path / "reader.c"
    source.write_text("#include <skinproof_segment.h>\nint main(void) { return 0; }\n")
    flags = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-I", str(include_dir())]
    subprocess.run(["gcc", *flags, str(source), "-o", str(tmp_path / "reader")], check=True, timeout=60)
    assert subprocess.run([tmp_path / "reader"], check=False, timeout=10).returncode == 0
