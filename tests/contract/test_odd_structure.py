"""Files of odd structure: each is limited, written, checked, and measured as a second reader and poser measures it."""

import json

import numpy as np
import pytest

import skinproof as sp
from cli.command import expect, skinproof
from gltf_builder import GltfBuilder
from plain_gltf import PlainGltf, displacements
from skinproof.errors import ArrayError, FormatError
from skinproof.limiting import limit
from tolerances import FLOAT32_DISPLACEMENT

SAMPLES = 7
JOINTS = np.tile(np.uint8([0, 1, 2, 3]), (6, 1))
WEIGHTS = np.random.default_rng(3).dirichlet([1, 1, 1, 1], 6).astype(np.float32)
POSITIONS = np.random.default_rng(4).uniform(-1, 1, (6, 3))
HALF = np.sqrt(0.5)


def turn(node, axis, *, times=(0, 1), interpolation="LINEAR"):
    """A channel that turns a node by 90 degrees about an axis."""
    end = [0.0, 0.0, 0.0, HALF]
    end[axis] = HALF
    return node, "rotation", list(times), [[0, 0, 0, 1], end], interpolation


class Odd:
    """A builder of four joints in a row and a mesh of six vertices that hang on all of them, and one clip."""

    def __init__(self, parents=(None, 0, 1, 2), sets=((JOINTS, WEIGHTS),), clip=True, **mesh):
        self.builder = GltfBuilder()
        for joint, parent in enumerate(parents):
            self.builder.node(parent=parent, name=f"j{joint}", translation=[0.3, 0.5, 0.1])
        self.mesh = self.builder.mesh(POSITIONS, sets, **mesh)
        self.joints = list(range(len(parents)))
        self.binds = np.tile(np.eye(4), (len(parents), 1, 1))
        self.binds[:, :3, 3] = np.random.default_rng(5).uniform(-1, 1, (len(parents), 3))
        self.skin = self.builder.skin(self.joints, self.binds)
        self.body = self.builder.node(mesh=self.mesh, skin=self.skin, translation=[7, 7, 7])
        if clip:
            self.builder.clip([turn(0, 2), turn(1, 0), turn(2, 1), turn(3, 0)])

    @property
    def primitive(self):
        return self.builder.json["meshes"][0]["primitives"][0]

    def save(self, folder):
        nodes = self.builder.json["nodes"]
        below = {child for node in nodes for child in node.get("children", ())}
        self.builder.json["scenes"] = [{"nodes": [node for node in range(len(nodes)) if node not in below]}]
        return self.builder.save(folder / "odd.glb")


def held(odd, folder, validate_gltf, *, most=2, expected=()):
    """Limit the file and hold the result against the second reader; return the finding codes of the source."""
    path, out = odd.save(folder), folder / "out.glb"
    source = sp.read(path)
    sp.write(limit(source, max_influences=most), out)
    written = PlainGltf(out)
    for _, part in written.primitives():
        weights = written.influences(part)[1]
        assert (np.count_nonzero(weights, axis=1) <= most).all()
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=4e-7)
    found = sp.measure(source, sp.read(out), samples=SAMPLES)
    times = [np.linspace(clip.start, clip.end, SAMPLES) for clip in source.clips]
    for primitive, distances in zip(found.primitives, displacements(path, out, times), strict=True):
        np.testing.assert_allclose(primitive.max_error, distances, **FLOAT32_DISPLACEMENT)
    assert found.summary.max > 0.02, "nothing to measure"
    before, after = validate_gltf(path, out)
    assert set(after.errors) <= set(before.errors)
    assert after.warning_kinds <= before.warning_kinds
    codes = [finding.code for finding in source.findings]
    assert codes == list(expected)
    return source


@pytest.fixture
def hold(tmp_path, validate_gltf):
    return lambda odd, **options: held(odd, tmp_path, validate_gltf, **options)


pytestmark = pytest.mark.node


class TestInfluences:
    def test_sets_of_different_types_together(self, hold):
        third = np.rint(WEIGHTS * 255 / 3).astype(np.uint8), np.rint(WEIGHTS * 65535 / 3).astype(np.uint16)
        sets = [
            (JOINTS, third[0]),
            (JOINTS.astype(np.uint16)[:, ::-1].copy(), third[1]),
            (JOINTS, (WEIGHTS / 3).astype(np.float32)),
        ]
        source = hold(Odd(sets=sets), expected=["MIXED_WEIGHT_FORMATS"])
        assert [str(one) for one in source.primitives[0].influences.set_formats] == ["unorm8", "unorm16", "float32"]

    def test_a_set_without_data_is_zeros(self, hold):
        odd = Odd(sets=[(JOINTS, WEIGHTS), (JOINTS, WEIGHTS)])
        for name in ("JOINTS_1", "WEIGHTS_1"):
            del odd.builder.json["accessors"][odd.primitive["attributes"][name]]["bufferView"]
        source = hold(odd)
        assert not source.primitives[0].influences.weights[:, 4:].any()

    def test_positions_without_data_are_the_origin(self, hold):
        odd = Odd()
        holder = odd.builder.json["accessors"][odd.primitive["attributes"]["POSITION"]]
        del holder["bufferView"]
        holder["min"] = holder["max"] = [0, 0, 0]
        assert not hold(odd).primitives[0].positions.any()

    @pytest.mark.parametrize("mode", [0, 1, 2, 3, 4, 5, 6])
    @pytest.mark.parametrize("indexed", [False, True])
    def test_points_lines_and_triangles_with_and_without_indices(self, hold, mode, indexed):
        odd = Odd(indices=np.uint16([5, 4, 3, 2, 1, 0]) if indexed else None)
        odd.primitive["mode"] = mode
        source = hold(odd)
        assert source.primitives[0].mode == mode


class TestSkeletons:
    def test_joints_under_several_roots(self, hold):
        hold(Odd(parents=(None, None, 1, None)))

    def test_joints_through_nodes_that_are_none(self, hold):
        odd = Odd(parents=(None, None, None, None))
        nodes = odd.builder.json["nodes"]
        for child, parent in ((1, 0), (2, 1), (3, 2)):
            between = odd.builder.node(parent=parent, rotation=[0, HALF, 0, HALF], scale=[1, 2, 1])
            last = odd.builder.node(parent=between, matrix=np.diag([2.0, 1, 1, 1]).ravel().tolist())
            nodes[last]["children"] = [child]
        odd.builder.json["animations"][0]["channels"] = []
        odd.builder.json["animations"].pop()
        odd.builder.clip([turn(between, 0), turn(0, 2)])
        hold(odd)

    def test_the_node_of_the_mesh_is_its_own_joint(self, hold):
        odd = Odd()
        nodes = odd.builder.json["nodes"]
        nodes[2] |= {"mesh": odd.mesh, "skin": odd.skin}
        nodes.pop()
        hold(odd)

    def test_a_skeleton_that_is_no_common_root_changes_nothing(self, hold):
        odd = Odd()
        odd.builder.json["skins"][0]["skeleton"] = 3
        hold(odd)

    @pytest.mark.parametrize("count", [2, 84])
    def test_one_mesh_under_many_skins(self, hold, count):
        """The limit holds for all of them, and the figures are those of the worst."""
        odd = Odd()
        for number in range(1, count):
            binds = odd.binds.copy()
            binds[:, :3, 3] *= 1 + 3 * number / count
            order = [0, 1, 2, 3] if number % 2 else [3, 1, 0, 2]
            odd.builder.node(mesh=odd.mesh, skin=odd.builder.skin(order, binds))
        source = hold(odd)
        assert source.skins_of(source.primitives[0]) == tuple(range(count))

    def test_a_gate_fails_by_the_skin_that_moves_most(self, tmp_path):
        odd = Odd()
        alone = sp.read(odd.save(tmp_path))
        least = sp.measure(alone, limit(alone, max_influences=2)).summary.max
        arguments = ("limit", "-k", "2", "--tolerance", f"{least * 1.5} m", "--json", "-o", tmp_path / "out.glb")
        expect(skinproof(*arguments, tmp_path / "odd.glb"), 0)
        binds = odd.binds.copy()
        binds[:, :3, 3] *= 20
        odd.builder.node(mesh=odd.mesh, skin=odd.builder.skin([0, 1, 2, 3], binds))
        result = expect(skinproof(*arguments, "--force", odd.save(tmp_path)), 1)
        worst = json.loads(result.stdout)["displacement"]["max"]
        assert worst["skin"] == "/skins/1"
        assert worst["metres"] > 1.5 * least

    def test_a_joint_that_the_smallest_skin_does_not_have_is_refused_for_all(self, tmp_path):
        odd = Odd()
        odd.builder.node(mesh=odd.mesh, skin=odd.builder.skin([0, 1, 2], odd.binds[:3]))
        source = sp.read(odd.save(tmp_path))
        assert source.joint_count_of(source.primitives[0]) == 3
        with pytest.raises(sp.errors.InfluenceError, match="joint 3"):
            limit(source, max_influences=2)


class TestStrides:
    @pytest.mark.parametrize("key", ["inverseBindMatrices", "input", "output"])
    def test_a_stride_where_none_is_allowed_is_read_and_reported(self, hold, key):
        odd = Odd()
        holder = odd.builder.json["skins"][0]
        if key != "inverseBindMatrices":
            holder = odd.builder.json["animations"][0]["samplers"][1]
        accessor = odd.builder.json["accessors"][holder[key]]
        view = odd.builder.json["bufferViews"][accessor["bufferView"]]
        size = view["byteLength"] // accessor["count"]
        rows = np.frombuffer(bytes(odd.builder.data), np.uint8)[view["byteOffset"] :][: view["byteLength"]]
        wide = np.full((accessor["count"], size + 8), 255, np.uint8)
        wide[:, :size] = rows.reshape(-1, size)
        accessor["bufferView"] = odd.builder.view(wide.tobytes(), byteStride=size + 8)
        hold(odd, expected=["STRIDE_NOT_ALLOWED"])


class TestClips:
    def test_a_clip_that_starts_late(self, hold):
        odd = Odd(clip=False)
        odd.builder.clip([turn(0, 2, times=(2.5, 3)), turn(1, 0, times=(2.75, 4))])
        source = hold(odd)
        assert (source.clips[0].start, source.clips[0].end) == (2.5, 4.0)

    @pytest.mark.parametrize("interpolation", ["LINEAR", "STEP", "CUBICSPLINE"])
    def test_single_keys(self, hold, interpolation):
        odd = Odd(clip=False)
        value = [[0.0, 0, HALF, HALF]]
        values = [[9.0, 9, 9, 9], *value, [9.0, 9, 9, 9]] if interpolation == "CUBICSPLINE" else value
        odd.builder.clip([(1, "rotation", [1.5], values, interpolation), (2, "translation", [0], [[0, 3, 0]], "STEP")])
        hold(odd)

    def test_of_two_channels_with_one_target_the_last_counts_and_it_is_reported(self, hold):
        odd = Odd(clip=False)
        odd.builder.clip([turn(1, 0), turn(2, 1), turn(1, 2)])
        source = hold(odd, expected=["DUPLICATE_CHANNEL"])
        assert source.findings[0].pointer == "/animations/0/channels/2"

    def test_negative_dots_take_the_shorter_arc(self, hold):
        odd = Odd(clip=False)
        start, end = np.float32([0, 0, 0, 1]), np.float32([0, 0, HALF, HALF])
        odd.builder.clip([(1, "rotation", [0, 1, 2], [start, -end, start], "LINEAR")])
        hold(odd)

    def test_unsorted_keys_are_refused_with_their_place(self, tmp_path):
        odd = Odd(clip=False)
        odd.builder.clip([turn(0, 2), turn(1, 0, times=(1, 0.5))])
        with pytest.raises(FormatError, match=r"key 0 is at 1 s, key 1 at 0\.5 s") as caught:
            sp.read(odd.save(tmp_path))
        assert caught.value.pointer == "/animations/0/samplers/1/input"

    def test_a_spline_through_zero_is_refused_with_channel_and_file(self, tmp_path):
        odd = Odd(clip=False)
        zero = [0.0] * 4
        values = [zero, [0, 0, 0, 1], zero, zero, [0, 0, 0, -1], zero]
        odd.builder.clip([turn(0, 2, times=(0, 2)), (1, "rotation", [0, 2], values, "CUBICSPLINE")])
        path = odd.save(tmp_path)
        source = sp.read(path)
        with pytest.raises(ArrayError, match=r"^odd\.glb: /animations/0/channels/1: "):
            sp.measure(source, limit(source, max_influences=2), samples=3)
        result = expect(skinproof("limit", path, "-k", "2", "--samples", "3", "-o", tmp_path / "out.glb"), 3)
        assert "odd.glb: /animations/0/channels/1: " in " ".join(result.stderr.split())
        assert not (tmp_path / "out.glb").exists()


def test_what_is_odd_all_at_once_goes_through_the_command(tmp_path, hold):
    odd = Odd(parents=(None, None, 1, None), sets=[(JOINTS, WEIGHTS / 2), (JOINTS, WEIGHTS / 2)])
    odd.builder.node(mesh=odd.mesh, skin=odd.builder.skin([3, 2, 1, 0], odd.binds * 1))
    odd.primitive["mode"] = 0
    odd.builder.clip([turn(1, 0, times=(3, 4)), turn(1, 2, times=(3, 4))])
    hold(odd, expected=["DUPLICATE_CHANNEL"])
