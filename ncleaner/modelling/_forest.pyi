from typing import Any

import numpy as np
import numpy.typing as npt

MAX_DEPTH: int
MAX_TREES: int

class Forest:
    width: int
    reach: int
    def __init__(
        self,
        features: Any,
        rows: Any,
        thresholds: Any,
        left: Any,
        right: Any,
        leaves: Any,
        sizes: Any,
        width: int,
    ) -> None: ...
    def score(self, row: npt.NDArray[np.float32]) -> float: ...
    def predict(
        self, matrix: npt.NDArray[np.float32], spare: int, first: int = 0, last: int | None = None
    ) -> npt.NDArray[np.float64]: ...
    def contributions(
        self,
        matrix: npt.NDArray[np.float32],
        spare: int,
        chosen: npt.NDArray[np.int32],
        background: npt.NDArray[np.int32],
        first: int = 0,
        last: int | None = None,
    ) -> tuple[float, npt.NDArray[np.float64]]: ...
