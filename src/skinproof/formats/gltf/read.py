"""glTF 2.0 files → `Character`."""

from __future__ import annotations

import os

from skinproof.findings import Finding
from skinproof.formats.atomic import Staged
from skinproof.formats.gltf import animations, meshes, nodes, skins
from skinproof.formats.gltf.accessors import AccessorReader
from skinproof.formats.gltf.document import open_document
from skinproof.formats.gltf.values import Element
from skinproof.model import Character


def read(path: str | os.PathLike[str], /, *, staged: Staged | None = None, data: bytes | None = None) -> Character:
    """Read a character from a .gltf, .glb or .vrm file.

    Counts, lengths, offsets and indices are checked before memory is allocated for them. Weights are read as they are,
    whether or not they keep the weight contract. What the reader noticed is in `Character.findings`.

    Args:
        path: the file; buffers in files of their own are looked for beside it.
        staged: files on their way to their places, which are read as if they were there.
        data: the file's bytes, if it has no place; `path` then only names them. Its buffers must be within.

    Returns:
        The character. Its `source` is the `Document`.

    Raises:
        FormatError: the file cannot be read or is broken, or has no influences.
        UnsupportedError: it needs something that is not read, which `feature` names.
    """
    name = os.fsdecode(path)
    document = open_document(name, staged=staged, data=data)
    root = document.root
    findings: list[Finding] = [*document.findings]
    accessors = AccessorReader(document)
    tree = nodes.read_nodes(root, findings.append)
    all_skins = skins.read_skins(root, tree, accessors, findings.append)
    instances = meshes.read_instances(root, all_skins)
    primitives = meshes.read_primitives(root, instances, accessors, findings.append)
    clips = animations.read_clips(root, tree, accessors, findings.append)
    findings += _find_strides(root, accessors)
    return Character(
        name=os.path.basename(name),
        nodes=tree,
        skins=all_skins,
        primitives=primitives,
        instances=instances,
        clips=clips,
        findings=tuple(findings),
        source=document,
    )


def _find_strides(root: Element, accessors: AccessorReader) -> list[Finding]:
    """Report inverse bind matrices, indices and animation data that lie in a strided buffer view."""
    if all(view.stride is None for view in accessors.views):
        return []
    users = [(skin, "inverseBindMatrices") for skin in root.objects("skins")]
    for mesh in root.objects("meshes"):
        users += [(part, "indices") for part in mesh.objects("primitives")]
    for animation in root.objects("animations"):
        users += [(sampler, key) for sampler in animation.objects("samplers") for key in ("input", "output")]
    strided = [user.at(key) for user, key in users if accessors.is_strided(user, key)]
    if not strided:
        return []
    message = f"{len(strided)} arrays that are no vertex attributes lie in a buffer view with a byteStride"
    return [Finding("STRIDE_NOT_ALLOWED", message, strided[0], measured=float(len(strided)), limit=0.0, unit="arrays")]
