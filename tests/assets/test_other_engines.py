"""The same poses of real characters, posed and skinned by engines that are not ours."""

from __future__ import annotations

import base64
import json
import subprocess

import igl
import numpy as np
import pytest
from pxr import Gf, Usd, UsdGeom, UsdSkel, Vt

import skinproof as sp
import validator
from blends import Blend, rounding_bound
from cli.command import expect, skinproof
from plain_gltf import PlainGltf
from skinproof.poses import PoseSchedule, clip_worlds, palettes, rest_worlds
from skinproof.skinning import skin_positions
from tolerances import THREE_POSE

pytestmark = pytest.mark.assets

SKINNED = [
    "derived-collada/CesiumMan-dense/CesiumMan-dense.glb",
    "derived-blender/Simple_SI_Rigging/Simple_SI_Rigging.glb",
    "derived-makehuman/mpfb-cmu_mb/mpfb-cmu_mb-cubic.glb",
    "khronos/Fox/glTF-Binary/Fox.glb",
    "khronos/CesiumMan/glTF-Binary/CesiumMan.glb",  # weights that do not sum to one
]
"""Up to eight influences, several clips, all three interpolations; for engines that take palettes."""


def blends(character, samples=3):
    """Every shown primitive over a few poses of every clip, in float64."""
    worlds = np.concatenate([block.worlds for block in PoseSchedule.from_clips(character, samples=samples).blocks()])
    found = [
        Blend(
            primitive.positions.astype(np.float64),
            primitive.influences.joints,
            primitive.influences.weights.astype(np.float64),
            palettes(character.skins[instance.skin], worlds),
        )
        for instance in character.instances
        for primitive in character.primitives
        if primitive.mesh == instance.mesh
    ]
    assert found, "no primitive is shown through a skin"
    return found


@pytest.mark.parametrize("name", SKINNED)
def test_libigl_in_float64(assets, name):
    for blend in blends(sp.read(assets / name)):
        poses, joints = blend.palettes.shape[:2]
        dense = np.zeros((len(blend.positions), joints))
        np.add.at(dense, (np.arange(len(dense))[:, np.newaxis], blend.joints), blend.weights)
        expected = np.empty((poses, len(blend.positions), 3))
        stretched = igl.lbs_matrix(blend.positions, dense)
        for pose in range(poses):
            expected[pose] = stretched @ blend.palettes[pose, :, :3].transpose(0, 2, 1).reshape(joints * 4, 3)
        # libigl sums over all joints of the skeleton, most of them with weight zero: those add no error.
        assert (np.abs(skin_positions(*blend) - expected) <= 2 * rounding_bound(blend, np.float64)).all()


@pytest.mark.parametrize("name", SKINNED)
def test_usd_skel_in_float32(assets, name):
    for blend in blends(sp.read(assets / name)):
        single = blend.cast(np.float32)
        expected = usd_skinned(single)
        found = skin_positions(*single)
        assert found.dtype == expected.dtype == np.float32
        assert (np.abs(found - expected) <= 2 * rounding_bound(blend, np.float32)).all()


def usd_skinned(blend):
    """What UsdSkel's skinning query makes of a mesh bound to a skeleton, float32 [P, V, 3]."""
    joints = [f"joint{index}" for index in range(blend.palettes.shape[1])]
    stage = Usd.Stage.CreateInMemory()
    UsdSkel.Root.Define(stage, "/Character")
    skeleton = UsdSkel.Skeleton.Define(stage, "/Character/skeleton")
    still = Vt.Matrix4dArray([Gf.Matrix4d(1)] * len(joints))
    skeleton.CreateJointsAttr(joints)
    skeleton.CreateBindTransformsAttr(still)
    skeleton.CreateRestTransformsAttr(still)
    mesh = UsdGeom.Mesh.Define(stage, "/Character/mesh")
    points = Vt.Vec3fArray.FromNumpy(blend.positions)
    mesh.CreatePointsAttr(points)
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    binding.CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    slots = blend.joints.shape[1]
    used = np.where(blend.weights == 0, 0, blend.joints).astype(np.int32)
    binding.CreateJointIndicesPrimvar(False, slots).Set(Vt.IntArray.FromNumpy(used.ravel()))
    binding.CreateJointWeightsPrimvar(False, slots).Set(Vt.FloatArray.FromNumpy(blend.weights.ravel()))
    cache = UsdSkel.Cache()
    cache.Populate(UsdSkel.Root(stage.GetPrimAtPath("/Character")), Usd.PrimDefaultPredicate)
    query = cache.GetSkinningQuery(mesh.GetPrim())
    assert query, "USD does not take the mesh as bound"
    expected = np.empty((len(blend.palettes), len(blend.positions), 3), np.float32)
    for pose, palette in enumerate(blend.palettes.astype(np.float64)):
        # USD's matrices are for row vectors: the transpose.
        transforms = Vt.Matrix4dArray.FromNumpy(np.ascontiguousarray(palette.swapaxes(1, 2)))
        moved = Vt.Vec3fArray(points)
        assert query.ComputeSkinnedPoints(transforms, moved, Usd.TimeCode.Default())
        expected[pose] = np.array(moved)
    return expected


POSED = [
    ("khronos/Fox/glTF-Binary/Fox.glb", 1),
    ("cesium/Cesium_Man/Cesium_Man.glb", 0),
    ("kaykit-adventurers/Knight/Knight.glb", 30),
    ("raylib/robot/robot.glb", 3),
    ("babylon/emoji_heart/emoji_heart.glb", 1),  # animated scales, some zero
    ("mesh2motion/fox-animations/fox-animations.glb", 2),  # STEP
    ("derived-makehuman/mpfb-cmu_mb/mpfb-cmu_mb-cubic.glb", 0),  # CUBICSPLINE
    ("derived-makehuman/mpfb-game_engine/mpfb-game_engine.glb", 0),  # STEP and LINEAR
]
"""File and clip, for an engine that reads, samples, poses and skins by itself."""


WRITTEN = [
    ("derived-collada/CesiumMan-dense/CesiumMan-dense.glb", ("-k", 4, "--pack", "unorm8")),
    ("derived-blender/Simple_SI_Rigging/Simple_SI_Rigging.glb", ("-k", 3, "--method", "exact")),
    ("derived-encoded/RiggedFigure-dense/RiggedFigure-dense-quantized-w16.glb", ("-k", 4)),
    ("derived-encoded/CesiumMan-dense/CesiumMan-dense-draco.glb", ("-k", 2)),
]
"""File and options of `limit`: packed, fitted, with quantized positions, and what Draco was."""


class TestThree:
    @pytest.fixture(autouse=True)
    def _needs_three(self):
        if reason := validator.missing(package="three"):
            pytest.skip(reason)

    @pytest.mark.node
    @pytest.mark.parametrize(("name", "clip"), POSED)
    def test_nodes_and_vertices(self, assets, name, clip):
        compared = posed_alike(assets / name, clip)
        assert compared > 0 or sp.read(assets / name).primitives[0].influences.joints.shape[1] > 4

    @pytest.mark.node
    @pytest.mark.parametrize(("name", "options"), WRITTEN)
    def test_what_was_written(self, assets, tmp_path, name, options):
        """Outputs of at most four influences, which three.js skins as they are."""
        output = tmp_path / "out.glb"
        expect(skinproof("limit", assets / name, "-o", output, "--samples", 5, "--quiet", *options), 0)
        assert posed_alike(output, 0) > 0
        character, plain = sp.read(output), PlainGltf(output)
        (primitive, *_), (instance, *_) = character.primitives, character.instances
        times = np.linspace(character.clips[0].start, character.clips[0].end, 3)
        matrices = palettes(character.skins[instance.skin], clip_worlds(character.nodes, character.clips[0], times))
        found = skin_positions(
            primitive.positions.astype(np.float64),
            primitive.influences.joints,
            primitive.influences.weights.astype(np.float64),
            matrices,
        )
        _, part = plain.primitives()[0]
        for pose, time in enumerate(times):
            expected = plain.posed(part, plain.influences(part), instance.skin, plain.worlds(0, time))
            assert np.abs(found[pose] - expected).max() <= THREE_POSE * diagonal(character)


def posed_alike(path, clip):
    """Hold nodes and vertices over a clip against three.js; return how many numbers of vertices were compared."""
    character = sp.read(path)
    motion = character.clips[clip]
    times = np.linspace(motion.start, motion.end, 7)
    theirs = run_three(path, clip, times)
    worlds = clip_worlds(character.nodes, motion, times)
    tolerance = THREE_POSE * diagonal(character)

    assert set(theirs["nodes"]) <= set(range(len(character.nodes)))
    joints = {joint for skin in character.skins for joint in skin.joints.tolist()}
    assert joints <= set(theirs["nodes"]), "three.js left out a joint"
    for node, matrices in theirs["nodes"].items():
        place = np.abs(worlds[:, node, :3, 3] - matrices[:, :3, 3]).max()
        assert place <= tolerance, f"node {node} lies {place / tolerance:.2f} tolerances off"

    compared = 0
    for instance in character.instances:
        palette = palettes(character.skins[instance.skin], worlds)
        for primitive in character.primitives:
            influences = primitive.influences
            if primitive.mesh != instance.mesh or influences.joints.shape[1] > 4:
                continue  # three.js ignores a second set
            found = skin_positions(
                primitive.positions.astype(np.float64),
                influences.joints,
                influences.weights.astype(np.float64),
                palette,
            )
            expected = theirs["meshes"][instance.node, primitive.index]
            assert np.abs(found - expected).max() <= tolerance
            compared += found.size
    return compared


def run_three(path, clip, times):
    """Node matrices {node: [P, 4, 4]} and positions {(node, primitive): [P, V, 3]}, in world space."""
    command = ["node", str(validator.FOLDER / "pose.mjs"), str(path), str(clip), *(repr(float(time)) for time in times)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=validator.SECONDS_TO_START + validator.SECONDS_PER_FILE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    return {
        "nodes": {
            int(node): decoded(data).reshape(len(times), 4, 4).swapaxes(1, 2) for node, data in answer["nodes"].items()
        },
        "meshes": {
            (mesh["node"], mesh["primitive"]): decoded(mesh["positions"]).reshape(len(times), -1, 3)
            for mesh in answer["meshes"]
        },
    }


def decoded(text):
    return np.frombuffer(base64.b64decode(text), np.float64)


def diagonal(character):
    """The bounding diagonal at rest, over all shown vertices."""
    worlds = rest_worlds(character.nodes)
    corners = []
    for instance in character.instances:
        for primitive in character.primitives:
            if primitive.mesh == instance.mesh:
                palette = palettes(character.skins[instance.skin], worlds)
                weights = primitive.influences.weights.astype(np.float64)
                corners.append(
                    skin_positions(
                        primitive.positions.astype(np.float64), primitive.influences.joints, weights, palette
                    )
                )
    return np.linalg.norm(np.ptp(np.concatenate(corners), axis=0))
