# Written by `make stub` from the compiled core; `make lint` compares.
"""
The compiled core of skinproof. Import it through skinproof._native only.
"""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray

def sample_channel(
    channel: tuple[
        int,
        int,
        int,
        Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
        Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    ],
    times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
def clip_worlds(
    parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    translations: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    rotations: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    scales: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    matrices: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu", writable=False)
    ],
    channels: Sequence[
        tuple[
            int,
            int,
            int,
            Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
            Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        ]
    ],
    times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu")],
) -> int: ...
def multiply_down(
    parents: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    order: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    matrices: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu")],
) -> None: ...
def multiply_picked(
    left: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
    ],
    places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    right: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu", writable=False)],
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu")],
) -> None: ...
def invert(
    matrices: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu", writable=False)
    ],
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu")],
) -> None: ...
def slerp(
    start: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    end: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    fraction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
def sine_cosine(
    angles: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...
@overload
def are_affine(
    matrices: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu", writable=False)
    ],
) -> bool: ...
@overload
def are_affine(
    matrices: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu", writable=False)
    ],
) -> bool: ...
@overload
def skin_positions(
    positions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    palettes: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
    ],
    out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu")],
) -> None: ...
@overload
def skin_positions(
    positions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    palettes: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
    ],
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu")],
) -> None: ...
@overload
def skin_normals(
    normals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    palettes: Annotated[
        NDArray[numpy.float32], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
    ],
    out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu")],
) -> None: ...
@overload
def skin_normals(
    normals: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    palettes: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
    ],
    out: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu")],
) -> None: ...
@overload
def is_sound(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
) -> bool: ...
@overload
def is_sound(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
) -> bool: ...
@overload
def keep_largest(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
    out_joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
    out_weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
@overload
def keep_largest(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
    out_joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
    out_weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
@overload
def pack(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
    out_joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
    out_stored: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
@overload
def pack(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
    out_joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
    out_stored: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
@overload
def pack(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
    out_joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
    out_stored: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
@overload
def pack(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
    out_joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
    out_stored: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
@overload
def pack(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
    out_joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
    out_stored: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
@overload
def pack(
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joint_count: int,
    instruction_set: str,
    out_joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
    out_stored: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu")],
) -> bool: ...
def delta_influences(
    joints_before: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights_before: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)
    ],
    joints_after: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights_after: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu")],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...
def accumulate_displacement(
    positions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    palettes: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
    ],
    first_pose: int,
    max_squared: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    max_pose: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
    sum_squared: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
) -> None: ...
def accumulate_bound(
    positions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    palettes: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
    ],
    max_bound: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
) -> None: ...
def instruction_sets() -> list[str]: ...

class DisplacementPlan:
    def __init__(
        self,
        positions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        bounded: bool,
        threads: int,
        instruction_set: str,
        repeatable: bool,
    ) -> None: ...
    def set_positions(
        self,
        positions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def add(
        self,
        palettes: Annotated[
            NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
        ],
        first_pose: int,
    ) -> None: ...
    def take(
        self,
        max_squared: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
        max_pose: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu")],
        sum_squared: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    ) -> None: ...
    def write_bound(
        self, out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")]
    ) -> None: ...

class SkinningPlan:
    def __init__(
        self,
        positions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        weights: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
        threads: int,
        instruction_set: str,
    ) -> None: ...
    def set_positions(
        self,
        positions: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def set_normals(
        self,
        normals: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    ) -> None: ...
    def skin(
        self,
        palettes: Annotated[
            NDArray[numpy.float32], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
        ],
        out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu")],
    ) -> None: ...
    def skin_normals(
        self,
        palettes: Annotated[
            NDArray[numpy.float32], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
        ],
        out: Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order="C", device="cpu")],
    ) -> None: ...

def accumulate_gram(
    palettes: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
    ],
    shares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    starts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    partners: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
    centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    forms: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
) -> None: ...
def vertex_costs(
    positions: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    joints: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    starts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    partners: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order="C", device="cpu", writable=False)],
    forms: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu", writable=False)],
    centre: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu")],
    sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
) -> None: ...
def solve_sparse(
    costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu", writable=False)],
    sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    max_influences: int,
    max_faces: int,
    max_nodes: int,
    instruction_set: str,
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
    least: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    bounds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    endings: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order="C", device="cpu")],
) -> None: ...
def list_sparse(
    costs: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu", writable=False)],
    sizes: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    max_influences: int,
    max_faces: int,
    max_nodes: int,
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order="C", device="cpu")],
) -> None: ...
def solve_minimax(
    offsets: Annotated[
        NDArray[numpy.float64], dict(shape=(None, None, None, None), order="C", device="cpu", writable=False)
    ],
    max_influences: int,
    max_sets: int,
    max_solved: int,
    tolerance: float,
    weights: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order="C", device="cpu")],
    reached: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
    bounds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order="C", device="cpu")],
) -> None: ...
