"""A strip with morph targets that bends and morphs, as a file, and what plain NumPy says of its displacement.

The oracle knows neither the reader nor the poses: the strip's joints, its clip (the upper joint turns by 90° about x in
a second, a third one by −60° about z) and the interpolation of weights are written out here anew, in float64.
"""

from __future__ import annotations

import numpy as np

from gltf_builder import strip

TARGETS = 2
BEND = np.pi / 2
PIVOT = [0.4, 0.5, 0.0]


class MorphedStrip:
    """The strip's builder, its positions and targets, and the weights that a clip gives them.

    Args:
        times: keys of the weights.
        values: [T, TARGETS], or [T, 3, TARGETS] for cubic splines.
        interpolation: of the weights; None: no clip morphs anything.
        bend: whether the clip turns the upper joint.
        vertices: of the strip.
        third: whether there is a third joint, and every vertex hangs on all three.
    """

    def __init__(
        self, times=(0, 1), values=((0, 0), (1, 1)), interpolation="LINEAR", *, bend=True, vertices=12, third=False
    ):
        self.builder = strip(vertices=vertices)
        self.times, self.values = np.float32(times), np.float32(values)
        self.interpolation = interpolation
        self.bend = bend
        height = np.repeat(np.linspace(0, 2, vertices // 2), 2)
        self.positions = np.stack([np.tile([-0.5, 0.5], vertices // 2), height, 0 * height], axis=1)
        self.before = np.stack([1 - height / 2, height / 2], axis=1).astype(np.float32).astype(np.float64)
        if third:
            self._add_third(np.random.default_rng(8).dirichlet([2, 2, 2], vertices))
        self.after = np.zeros_like(self.before)  # a tie goes to the lower joint
        self.after[np.arange(vertices), self.before.argmax(axis=1)] = 1.0
        self.targets = np.random.default_rng(3).uniform(-1, 1, (TARGETS, vertices, 3)).astype(np.float32)
        self.accessors = [self.builder.accessor(target) for target in self.targets]
        self.primitive["targets"] = [{"POSITION": accessor} for accessor in self.accessors]
        if not bend:
            self.builder.json["animations"].clear()
        if interpolation is not None:
            keyed = [(2, "weights", self.times, self.values.ravel(), interpolation)]
            self.builder.clip(keyed, name="morph")
            animations = self.builder.json["animations"]
            if bend:  # both in one clip
                morph = animations.pop()
                animations[0]["samplers"] += morph["samplers"]
                last = len(animations[0]["samplers"]) - 1
                animations[0]["channels"].append({"sampler": last, "target": {"node": 2, "path": "weights"}})

    def _add_third(self, weights):
        node = self.builder.node(parent=0, translation=PIVOT)
        binds = np.tile(np.eye(4), (3, 1, 1))
        binds[1, 1, 3] = -1
        binds[2, :3, 3] = -np.array(PIVOT)
        skin = self.builder.skin([0, 1, node], binds)
        self.builder.json["nodes"][2]["skin"] = skin
        turn = [0, 0, -np.sin(np.pi / 6), np.cos(np.pi / 6)]
        self.builder.clip([(node, "rotation", [0, 1], [[0, 0, 0, 1], turn], "LINEAR")])
        other = self.builder.json["animations"].pop()
        self.builder.json["animations"][0]["samplers"] += other["samplers"]
        other["channels"][0]["sampler"] = 1
        self.builder.json["animations"][0]["channels"] += other["channels"]
        self.before = np.float32(weights).astype(np.float64)
        self.before /= self.before.sum(axis=1, keepdims=True)
        sets = np.tile(np.uint8([0, 1, 2, 0]), (len(weights), 1)), np.pad(np.float32(weights), ((0, 0), (0, 1)))
        for name, array in zip(("JOINTS_0", "WEIGHTS_0"), sets, strict=True):
            self.primitive["attributes"][name] = self.builder.accessor(array)

    @property
    def mesh(self):
        return self.builder.json["meshes"][0]

    @property
    def primitive(self):
        return self.mesh["primitives"][0]

    def weights_at(self, time):
        """Morph weights at a time, written out per interpolation."""
        times, values = self.times.astype(np.float64), self.values.astype(np.float64)
        time = min(max(time, times[0]), times[-1])
        key = int(np.flatnonzero(times <= time)[-1])
        if key == len(times) - 1:
            return values[key] if values.ndim == 2 else values[key, 1]
        span = times[key + 1] - times[key]
        t = (time - times[key]) / span
        if self.interpolation == "STEP":
            return values[key]
        if self.interpolation == "LINEAR":
            return values[key] + t * (values[key + 1] - values[key])
        # The cubic through both values with both slopes (a Hermite spline), solved for its coefficients.
        start, out, into, end = values[key, 1], span * values[key, 2], span * values[key + 1, 0], values[key + 1, 1]
        system = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 1, 1], [0, 1, 2, 3]], np.float64)
        coefficients = np.linalg.solve(system, np.stack([start, out, end, into]))
        return (t ** np.arange(4)) @ coefficients

    def matrices(self, angle):
        """Skinning matrices of the joints, the upper one turned by `angle` about x through (0, 1, 0)."""
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[1, 0, 0, 0], [0, c, -s, 1 - c], [0, s, c, -s], [0, 0, 0, 1]])
        c, s = np.cos(-2 / 3 * angle), np.sin(-2 / 3 * angle)
        x, y, _ = PIVOT
        third = [[c, -s, 0, x - c * x + s * y], [s, c, 0, y - s * x - c * y], [0, 0, 1, 0], [0, 0, 0, 1]]
        return np.stack([np.eye(4), turn, np.array(third)])[: self.before.shape[1]]

    def shape(self, weights):
        return self.positions + np.tensordot(weights, self.targets.astype(np.float64), axes=1)

    def placed(self, joint_weights, shape, angle):
        points = np.concatenate([shape, np.ones((len(shape), 1))], axis=1)
        return np.einsum("vj,jab,vb->va", joint_weights, self.matrices(angle), points)[:, :3]

    def displacements(self, times, *, weights=None):
        """Of each vertex at each time, from all influences to the largest one, float64 [P, V, 3].

        `weights` [TARGETS] stand in for those of the clip.
        """
        found = []
        for time in times:
            shape = self.shape(self.weights_at(time) if weights is None else weights)
            angle = BEND * min(max(time, 0), 1) if self.bend else 0.0
            found.append(self.placed(self.after, shape, angle) - self.placed(self.before, shape, angle))
        return np.array(found)
