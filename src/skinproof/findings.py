"""The registry of findings: every flaw skinproof can report, with its code, severity and remedy.

docs/findings.md is generated from `REGISTRY`; a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is. Errors fail a gate; warnings and notes never do."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of finding: its fixed severity, and what its catalogue entry says."""

    name: str
    severity: Severity
    title: str
    explanation: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One flaw of one asset.

    Attributes:
        code: a key of `REGISTRY`.
        message: one sentence for people, with the numbers.
        pointer: JSON pointer of the place in the file, "" for the file as a whole.
        measured: the number found, in `unit`.
        limit: the number it is held against.
        unit: "m", "1" (a ratio), "influences", "vertices", ...
        where: what is needed to find it: primitive, vertex, joint, clip, time, ...
    """

    code: str
    message: str
    pointer: str = ""
    measured: float | None = None
    limit: float | None = None
    unit: str | None = None
    where: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.code not in REGISTRY:
            raise KeyError(f"{self.code} is not in the registry of findings")

    @property
    def severity(self) -> Severity:
        """The severity that the registry gives to the code."""
        return REGISTRY[self.code].severity


def _registry(*codes: Code) -> dict[str, Code]:
    return {code.name: code for code in codes}


REGISTRY: dict[str, Code] = _registry(
    Code(
        "TOO_MANY_INFLUENCES",
        Severity.ERROR,
        "More influences than allowed",
        "A vertex has more non-zero weights than the limit given with -k.",
        "Run `skinproof limit -k K` on the file.",
    ),
    Code(
        "WEIGHT_SUM",
        Severity.ERROR,
        "Decoded weights do not sum to one",
        "The weights of a vertex, as a consumer decodes them, do not sum to one, so the vertex does not follow a "
        "common move of its joints in full: with a sum of 0.7 it follows 70 % of the way.",
        "Run `skinproof limit`, which normalizes and packs with exact sums, or normalize at the producer.",
    ),
    Code(
        "VERTICES_UNMATCHED",
        Severity.ERROR,
        "Too few vertices have a partner in the other file",
        "The two files do not have the same vertices in the same order, and fewer of them than --min-match asks for "
        "lie at the same place at bind time in both. What has no partner is in no figure.",
        "Compare a file with the one it was made from; if a part was left out on purpose, give a smaller --min-match.",
    ),
    Code(
        "DISPLACEMENT",
        Severity.ERROR,
        "A vertex moves further than the tolerance",
        "Over the poses measured, a vertex of the file lies further from where the original puts it than "
        "--tolerance allows.",
        "Allow more influences, a wider --tolerance, or look at the named vertex: its dropped joints move it.",
    ),
    Code(
        "TORN_POSE",
        Severity.ERROR,
        "A draw shows joints of several poses",
        "Every joint of the draw stands in some pose of the clips, but no one pose has them all: the draw read the "
        "palette while it was being written.",
        "Publish the palette as one (docs/publishing.md), and take it once per draw.",
    ),
    Code(
        "IDENTITY_FILLED",
        Severity.ERROR,
        "Joints of a draw hold the identity",
        "Joints hold the identity matrix where no pose of the clips has it: a hole was filled instead of refused.",
        "Refuse the palette as a whole while joints are missing; the last whole one can be drawn again.",
    ),
    Code(
        "WRONG_SPACE",
        Severity.ERROR,
        "A palette is in a wrong space",
        "The palette shows a pose of the clips once it is transposed, multiplied by the inverse binds, or freed from "
        "one of two of them.",
        "Write world · inverse bind, row-major, column vectors.",
    ),
    Code(
        "PALETTE_NOT_FINITE",
        Severity.ERROR,
        "A palette holds NaN or infinity",
        "A matrix of the draw is not finite. It reaches bounding boxes and culling, not only its own vertices.",
        "Check palettes before they are published (docs/publishing.md).",
    ),
    Code(
        "WRONG_JOINT_COUNT",
        Severity.ERROR,
        "Palettes have another number of joints than the skin",
        "The capture's palettes do not have one matrix for each joint of the skin.",
        "Capture the skin that the file has, all joints of it, or name another with --skin.",
    ),
    Code(
        "STALE_POSE",
        Severity.WARNING,
        "A draw shows a whole pose, but not the one meant",
        "The draw shows a pose of another time than the capture's times say, or than the last draw of its revision.",
        "Compare the revision after the palette is built, at the moment of publishing.",
    ),
    Code(
        "UNEXPLAINED_POSE",
        Severity.WARNING,
        "A draw shows no pose of any clip",
        "Joints of the draw stand in no pose of any clip: a blend, inverse kinematics, physics, or another file.",
        "Nothing, if poses are blended; otherwise check that the capture is of this file, in its mesh's space.",
    ),
    Code(
        "DUPLICATE_JOINT",
        Severity.ERROR,
        "The same joint twice on one vertex",
        "A vertex names one joint in two non-empty slots. glTF forbids it, and one joint takes two of the K places.",
        "Run `skinproof limit`: it merges duplicates and reports them.",
    ),
    Code(
        "INVALID_WEIGHT",
        Severity.ERROR,
        "A weight is negative, NaN or infinite",
        "A weight of a vertex is not a finite number ≥ 0; what a consumer makes of it is undefined.",
        "Repair it at the producer, or name a policy: `skinproof limit --repair negative=...,nonfinite=...`.",
    ),
    Code(
        "ZERO_SUM",
        Severity.ERROR,
        "All weights of a vertex are zero",
        "The vertex is bound to nothing and collapses to the origin when skinned.",
        "Bind it at the producer, or name a policy: `skinproof limit --repair zero=...`.",
    ),
    Code(
        "JOINT_OUT_OF_RANGE",
        Severity.ERROR,
        "A joint index is not in the skin",
        "A non-empty slot names a joint that the skin does not have.",
        "Export the mesh again with its own skin.",
    ),
    Code(
        "UNUSED_SLOT_JOINT",
        Severity.INFO,
        "A zero weight names a joint other than 0",
        "Slots of weight zero are empty; a joint index left there costs cache and makes validators warn.",
        "Run `skinproof limit`: it writes joint 0 there.",
    ),
    Code(
        "SOURCE_WEIGHT_SUM",
        Severity.WARNING,
        "The source's weights do not sum to one",
        "The weights of the source do not sum to one. The output is normalized; the displacement against the "
        "source as stored contains that difference (cause: normalizing).",
        "Compare with --reference normalized to leave it out, or mend the source.",
    ),
    Code(
        "MERGED_DUPLICATES",
        Severity.WARNING,
        "Duplicate joints were merged",
        "The source named one joint twice on a vertex; the two weights were added before ranking.",
        "Nothing to do for the output; mend the exporter that wrote the source.",
    ),
    Code(
        "REPAIRED_WEIGHTS",
        Severity.WARNING,
        "Broken weights were repaired",
        "Weights that break the contract were repaired under the policy that the command line named.",
        "Check the vertices named.",
    ),
    Code(
        "MIXED_WEIGHT_FORMATS",
        Severity.INFO,
        "Weight sets of different types",
        "The sets WEIGHTS_0, WEIGHTS_1, ... of a primitive are stored in different types.",
        "None needed: they are decoded each by its own rule; float32 is written unless --pack says otherwise.",
    ),
    Code(
        "BIND_MISMATCH",
        Severity.WARNING,
        "Mesh and skeleton do not fit",
        "The bind pivots of the joints lie far from the vertices they move (median over joints of the distance, as "
        "a share of the bounding diagonal): mesh and skeleton are in different places or units. Every displacement "
        "is then about a character nobody meant.",
        "Export mesh and skeleton in the same space and unit.",
    ),
    Code(
        "JOINT_NEVER_MOVES",
        Severity.INFO,
        "No measured pose moves a joint",
        "A joint with weights keeps its place relative to its parent in every measured pose, so the measurement "
        "cannot tell the two apart, and says nothing of clips that do move it.",
        "Measure with clips that move it, if the character will have such.",
    ),
    Code(
        "MATCH_AMBIGUOUS",
        Severity.WARNING,
        "Vertices told apart by their weights alone",
        "The two files do not have the same vertices in the same order, so they were matched. Of these vertices "
        "several candidates have the same bind position, normal and texture coordinates, but other weights. Each was "
        "compared with the one whose weights are nearest, so weights that two of them exchanged would not show.",
        "Compare before vertices are reordered or welded, where that is possible.",
    ),
    Code(
        "VERTICES_MATCHED",
        Severity.INFO,
        "The files were compared by bind position",
        "The two files do not have the same vertices, skins or keys, so vertices were matched by bind position, normal "
        "and texture coordinates, and both files were posed by their own skeletons and clips.",
        "None needed; the displacement says what the differences amount to.",
    ),
    Code(
        "NO_CLIPS",
        Severity.INFO,
        "No clip moves a joint: a made range of motion was measured",
        "The file has no animation, or none that touches a joint of a skin. The bind pose and a seeded range of "
        "motion (each joint turned about its axes) were measured instead.",
        "Measure with the clips that the character will play, if there are any.",
    ),
    Code(
        "NOT_GATED",
        Severity.INFO,
        "Displacement was measured but not gated",
        "No --tolerance was given, so the displacement does not enter the verdict.",
        "Give --tolerance, for example 2mm or 0.1%.",
    ),
    Code(
        "DISPLACEMENT_UNKNOWN",
        Severity.ERROR,
        "Displacement is gated but cannot be measured",
        "--tolerance was given, but the position of some vertices in the original, or in the file, is not defined: "
        "weights that are not finite or sum to nothing, or joints that the skin does not have. Or no measured pose "
        "moves any joint, or the tolerance is a share of a diagonal that is not finite. A gate that has not seen a "
        "vertex move cannot pass it.",
        "Repair the vertices named, in the original too; measure with clips that move the joints; or give the "
        "tolerance as a length.",
    ),
    Code(
        "NOTHING_TO_CHECK",
        Severity.ERROR,
        "A check had nothing to look at",
        "The file has no vertex that the check applies to: no mesh with JOINTS_n and WEIGHTS_n, say. A check that "
        "looked at nothing has shown nothing.",
        "Give it a skinned character; or leave the file out of the check.",
    ),
    Code(
        "NOT_MEASURED",
        Severity.WARNING,
        "Some vertices were not measured",
        "The position of some vertices is not defined in the original, or in the file: weights that are not finite "
        "or sum to nothing, or joints that the skin does not have. All displacement figures leave them out.",
        "Repair the vertices named, in the original too; those that --repair changed can only be looked at.",
    ),
    Code(
        "UNSKINNED_INFLUENCES",
        Severity.INFO,
        "A mesh has influences but no skin shows it",
        "No node shows the mesh through a skin, so it was limited but cannot be posed or measured.",
        "Assign a skin to the node, or remove JOINTS_n and WEIGHTS_n.",
    ),
    Code(
        "SKIN_WITHOUT_INFLUENCES",
        Severity.WARNING,
        "A skinned mesh has a part without influences",
        "A node shows a mesh through a skin, but a primitive of that mesh has no joints and weights, so the skin does "
        "not move it.",
        "Bind that part of the mesh, or give it a mesh and node of its own.",
    ),
    Code(
        "DUPLICATE_CHANNEL",
        Severity.WARNING,
        "A clip animates the same thing twice",
        "Two channels of one clip have the same node and path, which glTF forbids. The last one is used; another "
        "program may use the first.",
        "Export the clip again, each property once.",
    ),
    Code(
        "DRACO_DECODED",
        Severity.INFO,
        "Primitives are compressed by Draco",
        "Draco rounds positions and weights and puts vertices into an order of its own. What is judged is what the "
        "file decodes to; what is written is not compressed by Draco again, which would lose more.",
        "Nothing, or `--encoding meshopt`, which loses nothing.",
    ),
    Code(
        "DRACO_COUNT",
        Severity.WARNING,
        "An accessor has another count than what Draco decodes to",
        "The specification has both the same. The decoded count is used.",
        "Export the file again with a current encoder.",
    ),
    Code(
        "DRACO_ROUNDED",
        Severity.WARNING,
        "Draco has rounded what must be integers",
        "An encoder took joint indices for fractions. The nearest integers were taken; readers that cut fractions off "
        "bind these vertices to other joints.",
        "Export the file again with an encoder that stores joints as integers.",
    ),
    Code(
        "STRIDE_NOT_ALLOWED",
        Severity.INFO,
        "byteStride where only vertices may have it",
        "Inverse bind matrices, indices or animation data lie in a buffer view with a byteStride, which glTF allows "
        "for vertex attributes alone. They were read by that stride.",
        "None needed here; stricter readers may refuse the file.",
    ),
    Code(
        "INVERSE_BIND_NOT_AFFINE",
        Severity.WARNING,
        "An inverse bind matrix is not quite affine",
        "The last row of an inverse bind matrix differs from 0 0 0 1 by no more than rounding. 0 0 0 1 was used; the "
        "file keeps the matrix as it is, and other programs may use that row.",
        "Export the skin again.",
    ),
    Code(
        "NODE_MATRIX_NOT_AFFINE",
        Severity.WARNING,
        "A node's matrix is not quite affine",
        "The last row of a node's matrix differs from 0 0 0 1 by no more than rounding. 0 0 0 1 was used; the file "
        "keeps the matrix as it is, and other programs may use that row.",
        "Export the node again.",
    ),
    Code(
        "ROTATION_NOT_UNIT",
        Severity.WARNING,
        "A rest rotation is no unit quaternion",
        "The rotation of a node does not have length one. It was normalized; a program that does not would scale the "
        "node by it.",
        "Export the node again.",
    ),
    Code(
        "INVALID_NORMALS",
        Severity.WARNING,
        "Normals are NaN or infinite",
        "Some vertices have a normal that is no direction. Positions and weights are not affected.",
        "Recompute the normals at the producer.",
    ),
)
"""Code name → `Code`."""
