"""Texture coordinates, by which vertices at one place are told apart.

glTF 2.0, section 3.7.2.1 (mesh attributes), and the extension KHR_texture_transform, with which encoders undo what they
did to coordinates that they store as integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.errors import UnsupportedError
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.formats.gltf.values import Element

_KEY = "TEXCOORD_0"
_TYPES = ("float32", "unorm8", "unorm16", "snorm8", "snorm16", "uint8", "uint16", "int8", "int16")


def read_uvs(
    part: Element, attributes: Element, accessors: AccessorReader, materials: Sequence[Element]
) -> NDArray[np.float32] | None:
    """Return the first texture coordinates of a primitive, float32 [V, 2], as its base colour texture sees them.

    None where it has none, or none that can be compared: coordinates are not needed for anything else, so nothing
    about them is refused that was not checked as an accessor.
    """
    index = attributes.index(_KEY, len(accessors.accessors), "accessor")
    if index is None:
        return None
    accessor = accessors.accessors[index]
    if accessor.kind != "VEC2" or accessor.type not in _TYPES:
        return None
    try:
        accessors.get(attributes, _KEY, kinds=("VEC2",), types=_TYPES)
    except UnsupportedError:
        return None
    stored = accessors.decoded(index, np.float32)
    transform = _transform(part, materials)
    scale, offset = _pair(transform, "scale", 1.0), _pair(transform, "offset", 0.0)
    if scale is None or offset is None or transform.get("rotation") or transform.get("texCoord"):
        return None
    if scale == (1.0, 1.0) and offset == (0.0, 0.0):
        return stored
    with np.errstate(over="ignore", invalid="ignore"):
        seen: NDArray[np.float32] = (stored * np.array(scale) + np.array(offset)).astype(np.float32)
    return seen


def _transform(part: Element, materials: Sequence[Element]) -> dict[str, Any]:
    """Return the KHR_texture_transform of the primitive's base colour texture, empty where there is none."""
    material = part.value.get("material")
    if type(material) is not int or not 0 <= material < len(materials):
        return {}
    found: Any = materials[material].value
    for key in ("pbrMetallicRoughness", "baseColorTexture", "extensions", "KHR_texture_transform"):
        found = found.get(key) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _pair(transform: dict[str, Any], key: str, default: float) -> tuple[float, float] | None:
    """Return two numbers, or None where something else stands there."""
    value = transform.get(key, [default, default])
    if not isinstance(value, list) or len(value) != 2 or not all(type(one) in (int, float) for one in value):
        return None
    try:
        return float(value[0]), float(value[1])
    except OverflowError:  # an integer beyond the doubles
        return None
