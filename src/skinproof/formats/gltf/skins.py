"""Skins. glTF 2.0, section 3.7.3.1 (skins) and 5.28 (skin)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from skinproof.findings import Finding
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.formats.gltf.values import Element
from skinproof.model import Nodes, Skin
from skinproof.tolerances import AFFINE_ROW

# A joint index is stored in 16 bits at most.
_MAX_JOINTS = 65536


def read_skins(
    root: Element, nodes: Nodes, accessors: AccessorReader, report: Callable[[Finding], None]
) -> tuple[Skin, ...]:
    """Read all skins, whether or not a node uses them.

    Joints need no common root, and need not all be below one another: several exporters write such skins.

    Raises:
        FormatError: a skin is broken.
        UnsupportedError: its inverse bind matrices are compressed.
    """
    skins = []
    for element in root.objects("skins"):
        joints = element.indices("joints", len(nodes), "node")
        if not 1 <= len(joints) <= _MAX_JOINTS:
            raise element.error(f"the skin has {len(joints)} joints; 1 to {_MAX_JOINTS} are possible", key="joints")
        element.index("skeleton", len(nodes), "node")
        skins.append(
            Skin(
                name=element.string("name") or "",
                joints=np.array(joints, dtype=np.int32),
                inverse_binds=_read_inverse_binds(element, len(joints), accessors, report),
                pointer=element.pointer,
            )
        )
    return tuple(skins)


def _read_inverse_binds(
    element: Element, count: int, accessors: AccessorReader, report: Callable[[Finding], None]
) -> NDArray[np.float64]:
    key = "inverseBindMatrices"
    index = accessors.get(element, key, kinds=("MAT4",), types=("float32",))
    if index is None:
        return np.tile(np.identity(4), (count, 1, 1))
    values = accessors.decoded(index, np.float64)
    if len(values) < count:
        raise element.error(f"there are {len(values)} inverse bind matrices for {count} joints", key=key)
    matrices = np.ascontiguousarray(values[:count].reshape(count, 4, 4).transpose(0, 2, 1))  # stored by columns
    broken = np.flatnonzero(~np.isfinite(matrices).all(axis=(1, 2)))
    if len(broken):
        raise element.error(f"the inverse bind matrix of joint {broken[0]} has a NaN or infinity", key=key)
    _mend_last_rows(matrices, element, key, report)
    return matrices


def _mend_last_rows(
    matrices: NDArray[np.float64], element: Element, key: str, report: Callable[[Finding], None]
) -> None:
    """Set the last row of matrices [J, 4, 4] to 0 0 0 1 where it is that but for rounding, and report it.

    Raises:
        FormatError: a last row is another one.
    """
    off = np.abs(matrices[:, 3] - (0, 0, 0, 1)).max(axis=1)
    worst = int(off.argmax())
    if off[worst] == 0:
        return
    if off[worst] > AFFINE_ROW:
        row = " ".join(f"{entry:.9g}" for entry in matrices[worst, 3])
        raise element.error(
            f"the inverse bind matrix of joint {worst} has the last row {row}, where 0 0 0 1 is needed",
            key=key,
            remedy="Export the skin again; matrices are stored by columns",
        )
    matrices[:, 3] = (0, 0, 0, 1)
    report(
        Finding(
            "INVERSE_BIND_NOT_AFFINE",
            f"inverse bind matrices of {np.count_nonzero(off)} of {len(off)} joints have a last row that is not "
            f"0 0 0 1, off by up to {off[worst]:.3g} (joint {worst}); 0 0 0 1 was used",
            element.at(key),
            measured=float(off[worst]),
            limit=0.0,
            unit="1",
            where={"joint": worst},
        )
    )
