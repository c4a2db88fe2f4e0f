"""Which glTF extensions a file may require without keeping skinproof from reading its skins right.

glTF 2.0, section 3.12 (specifying extensions): a reader must refuse a file that requires what it does not know.
"""

from __future__ import annotations

from skinproof.errors import UnsupportedError
from skinproof.formats.gltf.values import Element

DRACO = "KHR_draco_mesh_compression"
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
QUANTIZATION = "KHR_mesh_quantization"

# They change how a surface looks, or hold data about the character;
# none changes positions, influences, joints or clips.
_HARMLESS_PREFIXES = (
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "EXT_lights_",
    "KHR_xmp",
    "ADOBE_materials_",
    "MSFT_texture_",
    "VRMC_",
)
_HARMLESS = frozenset({"KHR_lights_punctual", "VRM"})


def is_harmless(extension: str) -> bool:
    """Whether `extension` changes neither positions, influences, joints nor clips, and holds no accessor or view."""
    return extension in _HARMLESS or extension.startswith(_HARMLESS_PREFIXES)


def refuse_required(root: Element) -> None:
    """Refuse a file that requires an extension that is not read.

    Quantization is let pass here: it is refused where a skinned primitive uses it.

    Raises:
        UnsupportedError: names the extension.
        FormatError: the lists of extensions are no lists of strings.
    """
    root.strings("extensionsUsed")
    for position, extension in enumerate(root.strings("extensionsRequired")):
        if extension != QUANTIZATION and not is_harmless(extension):
            raise unsupported(root, extension, pointer=f"/extensionsRequired/{position}", verb="requires")


def unsupported(
    element: Element, extension: str, *, pointer: str | None = None, verb: str = "uses"
) -> UnsupportedError:
    """Return the error that says that `extension`, found in `element`, is not supported."""
    subject = "the file" if not element.pointer else "this"
    compressed = extension in (DRACO, QUANTIZATION, *MESHOPT)
    remedy = "Export it without compression" if compressed else f"Export it without {extension}"
    return UnsupportedError(
        f"{subject} {verb} {extension}, which is not supported",
        feature=extension,
        path=element.path,
        pointer=element.pointer if pointer is None else pointer,
        remedy=remedy,
    )
