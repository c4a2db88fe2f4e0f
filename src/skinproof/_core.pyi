import numpy as np
from numpy.typing import NDArray

def skin_positions(
    positions: NDArray[np.floating],
    joints: NDArray[np.uint16],
    weights: NDArray[np.floating],
    palettes: NDArray[np.floating],
    out: NDArray[np.floating],
) -> None: ...
