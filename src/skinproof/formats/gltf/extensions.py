"""Which glTF extensions a file may require without keeping skinproof from reading its skins right.

glTF 2.0, section 3.12 (specifying extensions): a reader must refuse a file that requires what it does not know.
"""

from __future__ import annotations

from skinproof.errors import UnsupportedError
from skinproof.formats.gltf.values import Element

DRACO = "KHR_draco_mesh_compression"
MESHOPT = ("EXT_meshopt_compression", "KHR_meshopt_compression")
QUANTIZATION = "KHR_mesh_quantization"

READ = frozenset({DRACO, QUANTIZATION, *MESHOPT})
"""Those that change how positions, influences or clips are stored, and are read."""

HARMLESS = frozenset(
    {
        "ADOBE_materials_clearcoat_specular",
        "ADOBE_materials_clearcoat_tint",
        "ADOBE_materials_thin_transparency",
        "EXT_lights_image_based",
        "EXT_texture_avif",
        "EXT_texture_webp",
        "KHR_lights_punctual",
        "KHR_materials_anisotropy",
        "KHR_materials_clearcoat",
        "KHR_materials_diffuse_transmission",
        "KHR_materials_dispersion",
        "KHR_materials_emissive_strength",
        "KHR_materials_ior",
        "KHR_materials_iridescence",
        "KHR_materials_pbrSpecularGlossiness",
        "KHR_materials_sheen",
        "KHR_materials_specular",
        "KHR_materials_transmission",
        "KHR_materials_unlit",
        "KHR_materials_variants",
        "KHR_materials_volume",
        "KHR_texture_basisu",
        "KHR_texture_transform",
        "KHR_xmp_json_ld",
        "MSFT_texture_dds",
        "VRM",
        "VRMC_materials_hdr_emissiveMultiplier",
        "VRMC_materials_mtoon",
        "VRMC_node_constraint",
        "VRMC_springBone",
        "VRMC_springBone_extended_collider",
        "VRMC_vrm",
        "VRMC_vrm_animation",
    }
)
"""They change how a surface looks, or hold data about the character; none changes positions, influences, joints or
clips, and none names an accessor or a buffer view.

By name, never by prefix: EXT_lights_ies holds buffer views though EXT_lights_image_based does not, and what the next
extension of a family holds nobody knows yet."""


def is_harmless(extension: str) -> bool:
    """Whether `extension` changes neither positions, influences, joints nor clips, and holds no accessor or view."""
    return extension in HARMLESS


def refuse_required(root: Element) -> None:
    """Refuse a file that requires an extension that is not read.

    Raises:
        UnsupportedError: names the extension.
        FormatError: the lists of extensions are no lists of strings.
    """
    root.strings("extensionsUsed")
    for position, extension in enumerate(root.strings("extensionsRequired")):
        if extension not in READ and not is_harmless(extension):
            raise unsupported(root, extension, pointer=f"/extensionsRequired/{position}", verb="requires")


def unsupported(
    element: Element, extension: str, *, pointer: str | None = None, verb: str = "uses"
) -> UnsupportedError:
    """Return the error that says that `extension`, found in `element`, is not supported."""
    subject = "the file" if not element.pointer else "this"
    return UnsupportedError(
        f"{subject} {verb} {extension}, which is not supported",
        feature=extension,
        path=element.path,
        pointer=element.pointer if pointer is None else pointer,
        remedy=f"Export it without {extension}",
    )
