"""The Khronos glTF validator as an oracle: a Node.js child process, one for many files."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "node"
SECONDS_PER_FILE = 5
"""Ten times the slowest honest file on a busy machine; only stops a hang."""

SECONDS_TO_START = 60
"""For Node.js itself, a fraction of a second when the machine is idle."""

_ERROR, _WARNING = 0, 1


@dataclass(frozen=True)
class Report:
    """What the validator says of one file."""

    path: Path
    raw: dict[str, Any]

    def messages(self, severity: int) -> list[str]:
        return [
            f"{message['code']} at {message.get('pointer', message.get('offset', ''))}: {message['message']}"
            for message in self.raw["issues"]["messages"]
            if message["severity"] == severity
        ]

    def kinds(self, severity: int) -> set[str]:
        return {message["code"] for message in self.raw["issues"]["messages"] if message["severity"] == severity}

    @property
    def errors(self) -> list[str]:
        return self.messages(_ERROR)

    @property
    def error_kinds(self) -> set[str]:
        return self.kinds(_ERROR)

    @property
    def warnings(self) -> list[str]:
        return self.messages(_WARNING)

    @property
    def warning_kinds(self) -> set[str]:
        return self.kinds(_WARNING)


Validate = Callable[..., list[Report]]


def missing(package: str = "gltf-validator") -> str:
    """Why an npm package of tests/node cannot run here, or "" if it can."""
    if shutil.which("node") is None:
        return "Node.js is missing (apt-get install nodejs npm)"
    if not (FOLDER / "node_modules" / package).is_dir():
        return f"{package} is not installed (npm ci --prefix {FOLDER})"
    return ""


def validate(*paths: Path) -> list[Report]:
    """Return one report per file, in order."""
    command = ["node", "--stack-size=4000", str(FOLDER / "validate.mjs"), *map(str, paths)]
    seconds = SECONDS_TO_START + SECONDS_PER_FILE * len(paths)
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the validator failed on {[str(path) for path in paths]}:\n{done.stderr}")
    reports = json.loads(done.stdout)
    assert len(reports) == len(paths)
    return [Report(path, raw) for path, raw in zip(paths, reports, strict=True)]
