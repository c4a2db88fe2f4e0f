"""Meshes and the nodes that show them. glTF 2.0, sections 3.7.2 (meshes) and 3.7.3 (skinned mesh attributes)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from skinproof.findings import Finding
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.formats.gltf.layout import TRIANGLES
from skinproof.formats.gltf.uvs import read_uvs
from skinproof.formats.gltf.values import Element
from skinproof.model import Influences, Instance, Primitive, Skin, WeightFormat

Report = Callable[[Finding], None]

_SET = re.compile(r"(JOINTS|WEIGHTS)_(.*)", re.DOTALL)
_MAX_MODE = 6

# KHR_mesh_quantization, "extending mesh attributes" and "extending morph target attributes". Its scale and offset are
# transforms of the file's own, for skinned meshes in the inverse bind matrices: nothing is left to do here.
_NORMAL_TYPES = ("float32", "snorm8", "snorm16")
_TARGET_TYPES = ("float32", "int8", "snorm8", "int16", "snorm16")
_POSITION_TYPES = (*_TARGET_TYPES, "uint8", "unorm8", "uint16", "unorm16")


def read_instances(root: Element, skins: Sequence[Skin]) -> tuple[Instance, ...]:
    """Read which nodes show which mesh through which skin.

    Raises:
        FormatError: a node names a mesh or skin that is not there, or the morph weights are not one per target.
    """
    meshes = root.objects("meshes")
    instances = []
    for node, element in enumerate(root.objects("nodes")):
        mesh = element.index("mesh", len(meshes), "mesh")
        skin = element.index("skin", len(skins), "skin")
        if mesh is not None and skin is not None:
            instances.append(Instance(node, mesh, skin, _read_morph_weights(element, meshes[mesh])))
    return tuple(instances)


def target_count(mesh: Element) -> int:
    """Return how many morph targets a mesh has: those of the primitive that has most.

    Raises:
        FormatError: they are no list of objects.
    """
    return max((len(part.objects("targets")) for part in mesh.objects("primitives")), default=0)


def _read_morph_weights(node: Element, mesh: Element) -> tuple[float, ...]:
    """Return the weights of the mesh's morph targets at rest: the node's own, else the mesh's, else zeros."""
    count = target_count(mesh)
    if not count:
        return ()
    for holder in (node, mesh):
        weights = holder.numbers("weights")
        if weights is not None and len(weights) != count:
            raise holder.error(f"there are {len(weights)} weights for {count} morph targets", key="weights")
        if weights is not None:
            return tuple(map(float, weights))
    return (0.0,) * count


def read_primitives(
    root: Element, instances: Sequence[Instance], accessors: AccessorReader, report: Report
) -> tuple[Primitive, ...]:
    """Read every primitive that has influences; those that no node shows through a skin are reported.

    Raises:
        FormatError: such a primitive is broken, or there is none.
    """
    skinned = {instance.mesh for instance in instances}
    reader = _PrimitiveReader(accessors, root.objects("materials"), report)
    primitives = []
    for mesh, element in enumerate(root.objects("meshes")):
        parts = element.objects("primitives")
        for index, part in enumerate(parts):
            attributes = part.object("attributes")
            sets = [] if attributes is None else [key for key in attributes.value if _SET.fullmatch(key)]
            if attributes is None or not sets:
                if mesh in skinned:
                    report(_rigid(part))
            else:
                if mesh not in skinned:
                    report(_unskinned(part))
                name = element.string("name") or f"mesh {mesh}"
                name = name if len(parts) == 1 else f"{name} #{index}"
                primitives.append(reader.read(part, attributes, mesh=mesh, index=index, name=name))
    if not primitives:
        raise root.error(
            "the file has no influences: no mesh has JOINTS_0 and WEIGHTS_0",
            remedy="Export the character with its skin",
        )
    return tuple(primitives)


class _PrimitiveReader:
    """Reads primitives; those that share accessors share arrays."""

    def __init__(self, accessors: AccessorReader, materials: Sequence[Element], report: Report) -> None:
        self._accessors = accessors
        self._materials = materials
        self._report = report
        self._influences: dict[tuple[tuple[int, int], ...], Influences] = {}
        self._indices: dict[int, tuple[NDArray[np.uint32], int]] = {}
        self._nonfinite: dict[int, int] = {}
        self._zeros: dict[int, NDArray[np.float32]] = {}

    def read(self, part: Element, attributes: Element, *, mesh: int, index: int, name: str) -> Primitive:
        count = self._vertex_count(part, attributes)
        influences = self._read_influences(attributes)
        mode = part.integer("mode", high=_MAX_MODE)
        return Primitive(
            mesh=mesh,
            index=index,
            name=name,
            positions=self._read_positions(attributes, _POSITION_TYPES),
            normals=self._read_normals(attributes),
            indices=self._read_indices(part, count),
            mode=TRIANGLES if mode is None else mode,
            influences=influences,
            pointer=part.pointer,
            targets=tuple(self._read_target(target, count) for target in part.objects("targets")),
            uvs=read_uvs(part, attributes, self._accessors, self._materials),
            position_step=self._accessors.step(attributes.value["POSITION"]),
        )

    def _vertex_count(self, part: Element, attributes: Element) -> int:
        """Return V, after a check that every attribute and morph target has V elements."""
        if "POSITION" not in attributes.value:
            raise attributes.error("a primitive with influences has no POSITION")
        counts = {}
        for holder in (attributes, *part.objects("targets")):
            for key in holder.value:
                accessor = holder.required_index(key, len(self._accessors.accessors), "accessor")
                counts[holder.at(key)] = self._accessors.accessors[accessor].count
        expected = counts[attributes.at("POSITION")]
        for pointer, count in counts.items():
            if count != expected:
                raise part.error(
                    f"{pointer.removeprefix(part.pointer + '/')} has {count} elements, POSITION has {expected}"
                )
        return expected

    def _count_nonfinite(self, index: int) -> int:
        if index not in self._nonfinite:
            values = self._accessors.decoded(index, np.float32)
            self._nonfinite[index] = int(np.count_nonzero(~np.isfinite(values).all(axis=1)))
        return self._nonfinite[index]

    def _read_target(self, target: Element, vertex_count: int) -> NDArray[np.float32]:
        """Return by how much a morph target moves the positions; one that has none of them moves nothing."""
        if "POSITION" in target.value:
            return self._read_positions(target, _TARGET_TYPES)
        if vertex_count not in self._zeros:
            self._zeros[vertex_count] = np.zeros((vertex_count, 3), np.float32)
            self._zeros[vertex_count].flags.writeable = False
        return self._zeros[vertex_count]

    def _read_positions(self, attributes: Element, types: tuple[str, ...]) -> NDArray[np.float32]:
        index = self._accessors.get(attributes, "POSITION", kinds=("VEC3",), types=types)
        assert index is not None
        if self._count_nonfinite(index):
            raise attributes.error(
                f"{self._count_nonfinite(index)} vertices have a NaN or infinite position", key="POSITION"
            )
        return self._accessors.decoded(index, np.float32)

    def _read_normals(self, attributes: Element) -> NDArray[np.float32] | None:
        index = self._accessors.get(attributes, "NORMAL", kinds=("VEC3",), types=_NORMAL_TYPES)
        if index is None:
            return None
        broken = self._count_nonfinite(index)
        if broken:
            self._report(
                Finding(
                    "INVALID_NORMALS",
                    f"{broken} vertices have a NaN or infinite normal",
                    attributes.at("NORMAL"),
                    measured=float(broken),
                    limit=0.0,
                    unit="vertices",
                )
            )
        return self._accessors.decoded(index, np.float32)

    def _read_indices(self, part: Element, vertex_count: int) -> NDArray[np.uint32] | None:
        index = self._accessors.get(part, "indices", kinds=("SCALAR",), types=("uint8", "uint16", "uint32"))
        if index is None:
            return None
        if index not in self._indices:
            values = np.array(self._accessors.stored(index)[:, 0], dtype=np.uint32)
            values.flags.writeable = False
            self._indices[index] = values, int(values.max())
        values, largest = self._indices[index]
        if largest >= vertex_count:
            raise part.error(f"vertex index {largest} is not below the {vertex_count} vertices", key="indices")
        return values

    def _read_influences(self, attributes: Element) -> Influences:
        joints = self._read_sets(attributes, "JOINTS", ("uint8", "uint16"))
        weights = self._read_sets(attributes, "WEIGHTS", ("float32", "unorm8", "unorm16"))
        if len(joints) != len(weights):
            raise attributes.error(f"there are {len(joints)} sets JOINTS_n, but {len(weights)} sets WEIGHTS_n")
        key = tuple(zip(joints, weights, strict=True))
        if key not in self._influences:
            self._influences[key] = self._join_sets(joints, weights)
        influences = self._influences[key]
        if len(set(influences.set_formats)) > 1:
            formats = ", ".join(influences.set_formats)
            self._report(
                Finding("MIXED_WEIGHT_FORMATS", f"the weight sets are stored as {formats}", attributes.pointer)
            )
        return influences

    def _read_sets(self, attributes: Element, semantic: str, types: tuple[str, ...]) -> list[int]:
        """Return the accessors of the sets `semantic`_0, _1, … in order, which must have no gaps."""
        keys = [key for key in attributes.value if key.startswith(f"{semantic}_")]
        accessors = []
        for number in range(len(keys)):
            key = f"{semantic}_{number}"
            if key not in attributes.value:
                raise attributes.error(f"the sets of {semantic} are {', '.join(sorted(keys))[:200]}: {key} is missing")
            accessor = self._accessors.get(attributes, key, kinds=("VEC4",), types=types)
            assert accessor is not None
            accessors.append(accessor)
        return accessors

    def _join_sets(self, joints: list[int], weights: list[int]) -> Influences:
        formats = tuple(WeightFormat(self._accessors.accessors[index].type) for index in weights)
        stored: NDArray[Any] | None = None
        if len(set(formats)) == 1 and formats[0].scale is not None:
            stored = _side_by_side([self._accessors.stored(index) for index in weights], formats[0].dtype)
        return Influences(
            joints=_side_by_side([self._accessors.stored(index) for index in joints], np.uint16),
            weights=_side_by_side([self._accessors.decoded(index, np.float32) for index in weights], np.float32),
            set_formats=formats,
            stored=stored,
        )


def _side_by_side(arrays: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    result = np.concatenate(arrays, axis=1, dtype=dtype)
    result.flags.writeable = False
    return result


def _rigid(part: Element) -> Finding:
    return Finding(
        "SKIN_WITHOUT_INFLUENCES",
        "a node shows this primitive through a skin, but it has no JOINTS_n and WEIGHTS_n; it is left as it is",
        part.pointer,
    )


def _unskinned(part: Element) -> Finding:
    return Finding(
        "UNSKINNED_INFLUENCES",
        "the primitive has JOINTS_n and WEIGHTS_n, but no node shows it through a skin",
        part.pointer,
    )
