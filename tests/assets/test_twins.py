"""Characters that were encoded otherwise, with all their influences: the same displacement within the encoding's error.

The error is derived. A position is off by half a step of its grid in each coordinate, and the pose stretches that; a
weight of b bits is off by half a unit, and moves the vertex by that share of the distance of its joints' images.
"""

import numpy as np
import pytest

from skinproof.formats import read
from skinproof.limiting import limit
from skinproof.measuring import measure
from skinproof.poses import PoseSchedule, palettes
from tolerances import TWIN_ROUNDING

pytestmark = pytest.mark.assets

CESIUM = "derived-collada/CesiumMan-dense/CesiumMan-dense.glb"
FIGURE = "derived-collada/RiggedFigure-dense/RiggedFigure-dense.glb"
ENCODED = "derived-encoded/CesiumMan-dense"
TWINS = {
    f"{ENCODED}/separate/CesiumMan-dense.gltf": (CESIUM, 0),
    f"{ENCODED}/CesiumMan-dense-meshopt.glb": (CESIUM, 1 / 255),
    # Draco rounds weights to at least 8 bits.
    f"{ENCODED}/CesiumMan-dense-draco.glb": (CESIUM, 1 / 255),
    "derived-encoded/RiggedFigure-dense/RiggedFigure-dense-quantized.glb": (FIGURE, 1 / 255),
    "derived-encoded/RiggedFigure-dense/RiggedFigure-dense-quantized-w16.glb": (FIGURE, 1 / 65535),
}
"""Twin → its original, and one unit of its weights."""


def allowed(character, unit):
    """The furthest that the encoding moves a vertex in any pose, metres."""
    (primitive,), (skin,) = character.primitives, character.skins
    matrices = np.concatenate([palettes(skin, block.worlds) for block in PoseSchedule.from_clips(character).blocks()])
    stretch = np.linalg.norm(matrices[:, :, :3, :3], axis=(2, 3), ord=2).max()
    homogeneous = np.append(primitive.positions, np.ones((len(primitive.positions), 1)), axis=1)
    spread = furthest = 0.0
    for vertex, joints in enumerate(primitive.influences.joints):
        used = joints[primitive.influences.weights[vertex] > 0]
        images = matrices[::8][:, used, :3] @ homogeneous[vertex]
        spread = max(spread, np.linalg.norm(images - images[:, :1], axis=2).max())
        furthest = max(furthest, np.linalg.norm(images, axis=2).max())
    influences = np.count_nonzero(primitive.influences.weights, axis=1).max()
    sums = np.abs(primitive.influences.weights.sum(axis=1, dtype=np.float64) - 1).max() * furthest
    return np.sqrt(3) / 2 * primitive.position_step * stretch + influences * unit / 2 * spread + sums + TWIN_ROUNDING


@pytest.mark.parametrize("twin", TWINS)
def test_a_twin_moves_as_its_original(assets, twin):
    original, unit = TWINS[twin]
    one, other = read(assets / original), read(assets / twin)
    error = allowed(other, unit)
    assert error < 0.01, "too much to show anything"
    twins = measure(one, other)
    assert twins.summary.max <= error
    if twins.match is not None:
        assert twins.match.share == 1
    cut = [measure(each, limit(each, max_influences=4), reference="normalized") for each in (one, other)]
    assert cut[0].summary.max > 0.005, "nothing to compare"
    # Both ends of the displacement are off, and what is cut comes back to the rest.
    assert abs(cut[0].summary.max - cut[1].summary.max) <= 2 * error
    assert abs(cut[0].summary.rms - cut[1].summary.rms) <= 2 * error
