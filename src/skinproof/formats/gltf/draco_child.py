"""The child process that decodes Draco: payloads from standard input, an .npz of their arrays to standard output.

The codec believes the counts in its input. So this process has as much memory as sound data could need and no more, and
whoever started it bounds its time; whatever happens to it happens to nobody else.
"""

from __future__ import annotations

import io
import resource
import sys
from typing import Any

from skinproof.tolerances import DECODER_BYTES, DECODER_BYTES_PER_BYTE


def main() -> int:
    """Decode what standard input holds: of each payload its length, eight bytes little-endian, and its bytes."""
    data = sys.stdin.buffer.read()
    limit = DECODER_BYTES + DECODER_BYTES_PER_BYTE * len(data)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        import DracoPy
    except ImportError:
        sys.stderr.write("the package DracoPy is not installed")
        return 1
    import numpy as np

    arrays: dict[str, Any] = {}
    start = number = 0
    while start < len(data):
        length = int.from_bytes(data[start : start + 8], "little")
        try:
            mesh = DracoPy.decode(data[start + 8 : start + 8 + length])
            for attribute in mesh.attributes:
                rows = np.asarray(attribute["data"])
                arrays[f"{number}/{attribute['unique_id']}"] = rows.reshape(len(rows), -1)
            if hasattr(mesh, "faces"):
                arrays[f"{number}/faces"] = np.asarray(mesh.faces)
        except Exception as error:  # noqa: BLE001, whatever it is, it goes to whoever reads the message
            sys.stdout.buffer.write(number.to_bytes(8, "little"))
            sys.stderr.write(f"{type(error).__name__}: {error}")
            return 1
        start += 8 + length
        number += 1
    out = io.BytesIO()
    np.savez(out, **arrays)
    sys.stdout.buffer.write(out.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
