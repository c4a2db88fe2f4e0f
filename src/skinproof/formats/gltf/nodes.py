"""The node tree. glTF 2.0, section 3.5.2 (nodes and hierarchy) and 3.5.3 (transformations)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.findings import Finding
from skinproof.formats.gltf.values import Element
from skinproof.model import Nodes
from skinproof.poses.world import composed
from skinproof.tolerances import AFFINE_ROW, UNIT_QUATERNION


def read_nodes(root: Element, report: Callable[[Finding], None]) -> Nodes:
    """Read all nodes, whether or not a scene shows them.

    Raises:
        FormatError: a node is broken, has two parents, or is its own ancestor.
    """
    elements = root.objects("nodes")
    count = len(elements)
    parents = _read_parents(elements)
    translations = np.zeros((count, 3))
    rotations = np.tile([0.0, 0.0, 0.0, 1.0], (count, 1))
    scales = np.ones((count, 3))
    _fill(translations, [element.numbers("translation", 3) for element in elements])
    _fill(rotations, [_read_rotation(element, report) for element in elements])
    _fill(scales, [element.numbers("scale", 3) for element in elements])
    with np.errstate(over="ignore"):  # checked next
        matrices = composed(translations, rotations, scales)
    overflown = np.flatnonzero(~np.isfinite(matrices).all(axis=(1, 2)))
    if len(overflown):
        raise elements[overflown[0]].error("the scale is beyond the range of double precision", key="scale")
    given = [_read_matrix(element, report) for element in elements]
    _fill(matrices, given)
    return Nodes(
        names=tuple(element.string("name") or "" for element in elements),
        parents=np.array(parents, dtype=np.int32),
        translations=translations,
        rotations=rotations,
        scales=scales,
        matrices=matrices,
        has_matrix=np.array([matrix is not None for matrix in given], dtype=np.bool_),
        order=_order(elements, parents),
    )


def _read_parents(elements: list[Element]) -> list[int]:
    parents = [-1] * len(elements)
    for node, element in enumerate(elements):
        for child in element.indices("children", len(elements), "node"):
            if parents[child] >= 0:
                raise element.error(
                    f"node {child} is a child of node {parents[child]} and of node {node}", key="children"
                )
            parents[child] = node
    return parents


def _order(elements: list[Element], parents: list[int]) -> NDArray[np.int32]:
    """Return the nodes with every parent before its children: roots first, then level by level."""
    order = [node for node, parent in enumerate(parents) if parent < 0]
    for node in order:  # grows while it runs
        order.extend(elements[node].value.get("children", ()))
    if len(order) < len(elements):
        left = set(range(len(elements))).difference(order)
        node = min(left)
        seen: set[int] = set()
        while node not in seen:  # up the parents until one comes twice: that one is on the cycle itself
            seen.add(node)
            node = parents[node]
        raise elements[node].error("the node is its own ancestor", key="children")
    return np.array(order, dtype=np.int32)


def _read_rotation(element: Element, report: Callable[[Finding], None]) -> list[float] | None:
    rotation = element.numbers("rotation", 4)
    if rotation is None:
        return None
    length = math.hypot(*rotation)
    if length == 0 or math.isinf(length):
        raise element.error("the rotation is no quaternion that can be normalized", key="rotation")
    if abs(length - 1) > UNIT_QUATERNION:
        report(
            Finding(
                "ROTATION_NOT_UNIT",
                f"the rest rotation has length {length:.6g}; it was normalized",
                element.at("rotation"),
                measured=abs(length - 1),
                limit=UNIT_QUATERNION,
                unit="1",
            )
        )
    return [component / length for component in rotation]


def _read_matrix(element: Element, report: Callable[[Finding], None]) -> NDArray[np.float64] | None:
    values = element.numbers("matrix", 16)
    if values is None:
        return None
    if any(key in element.value for key in ("translation", "rotation", "scale")):
        raise element.error("the node has a matrix and a translation, rotation or scale; only one of them may be")
    matrix = np.array(values, dtype=np.float64).reshape(4, 4).T  # stored by columns
    off = float(np.abs(matrix[3] - (0, 0, 0, 1)).max())
    if off > AFFINE_ROW:
        row = " ".join(f"{entry:.9g}" for entry in matrix[3])
        raise element.error(
            f"the matrix has the last row {row}, where 0 0 0 1 is needed",
            key="matrix",
            remedy="Export the node again; matrices are stored by columns",
        )
    if off > 0:
        matrix[3] = (0, 0, 0, 1)
        message = f"the matrix has a last row that is not 0 0 0 1, off by up to {off:.3g}; 0 0 0 1 was used"
        place = element.at("matrix")
        report(Finding("NODE_MATRIX_NOT_AFFINE", message, place, measured=off, limit=0.0, unit="1"))
    return matrix


def _fill(target: NDArray[np.float64], rows: list[Any]) -> None:
    """Put each row that is not None into `target`."""
    given = [index for index, row in enumerate(rows) if row is not None]
    if given:
        target[given] = np.array([rows[index] for index in given], dtype=np.float64)
