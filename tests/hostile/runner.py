"""A child process: runs `skinproof limit` over files with little memory, and prints a JSON line for each."""

from __future__ import annotations

import io
import json
import resource
import sys
import time
import traceback
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

ADDRESS_SPACE = 2 << 30


def main(output: str, *paths: str) -> int:
    from skinproof.cli import main as skinproof

    for path in paths:
        out, error = io.BytesIO(), io.BytesIO()
        start, failure, code = time.process_time(), "", -1
        try:
            with (
                redirect_stdout(io.TextIOWrapper(out, "utf-8")) as one,
                redirect_stderr(io.TextIOWrapper(error, "utf-8")) as two,
            ):
                code = skinproof(["limit", path, "-k", "1", "-o", f"{output}/{Path(path).stem}.glb"])
                one.flush()
                two.flush()
                said = (out.getvalue() + error.getvalue()).decode()
        except BaseException:  # noqa: BLE001, whatever leaves the program is a failure to be shown
            failure, said = traceback.format_exc(), ""
        line = {"code": code, "said": said, "seconds": time.process_time() - start, "failure": failure}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    sys.exit(main(*sys.argv[1:]))
