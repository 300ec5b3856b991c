from typing import Any

import numpy as np
import numpy.typing as npt

NUMBER: int

def features(
    data: bytes,
    runs: npt.NDArray[np.void],
    segments: npt.NDArray[np.void],
    elements: npt.NDArray[np.void],
    rows: npt.NDArray[Any],
) -> npt.NDArray[np.uint8]: ...
