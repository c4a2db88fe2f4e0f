"""The same on plain arrays: no file, no character, only joints, weights, positions and palettes in NumPy.

    python examples/arrays.py

A row of vertices along x; eight joints beside each other, each turned a little further than the one before.
"""

from __future__ import annotations

import numpy as np

import skinproof as sp

VERTICES, JOINTS, K = 500, 8, 4


def main() -> None:
    x = np.linspace(0.0, 1.0, VERTICES)
    positions = np.stack([x, np.zeros(VERTICES), np.zeros(VERTICES)], axis=1)

    # Every vertex hangs on all eight joints, the nearest most.
    joints = np.tile(np.arange(JOINTS, dtype=np.uint16), (VERTICES, 1))
    weights = np.exp(-30.0 * (x[:, None] - np.linspace(0.0, 1.0, JOINTS)) ** 2)
    weights = sp.normalize(joints, weights)

    # world_from_mesh of each joint in 20 poses: it turns about z, the later the further.
    angles = np.linspace(0.0, 0.5, 20)[:, None] * np.arange(JOINTS)
    palettes = np.tile(np.eye(4), (*angles.shape, 1, 1))
    palettes[..., 0, 0] = palettes[..., 1, 1] = np.cos(angles)
    palettes[..., 1, 0] = np.sin(angles)
    palettes[..., 0, 1] = -palettes[..., 1, 0]

    # Cut to four, pack to bytes, and decode as an engine does.
    kept_joints, kept_weights = sp.keep_largest(joints, weights, K)
    packed = sp.pack(kept_joints, kept_weights, format="unorm8")
    decoded = sp.unpack(packed.stored, format="unorm8").astype(np.float64)
    sums = packed.stored.astype(np.int64).sum(axis=1)

    before = sp.skin_positions(positions, joints, weights, palettes)
    after = sp.skin_positions(positions, packed.joints, decoded, palettes)
    displacement = np.linalg.norm(after - before, axis=-1)
    pose, vertex = np.unravel_index(displacement.argmax(), displacement.shape)

    print(f"stored sums: {sums.min()} to {sums.max()}")
    print(f"maximum {displacement.max() * 1000:.2f} mm, at vertex {vertex} in pose {pose}")
    print(f"RMS     {np.sqrt(np.mean(displacement**2)) * 1000:.2f} mm")


if __name__ == "__main__":
    main()
