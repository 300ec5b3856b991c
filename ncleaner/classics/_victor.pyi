from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

NUMBER: int

def features(tables: Tables, rows: npt.NDArray[Any]) -> npt.NDArray[np.uint8]: ...
def state_scores(
    values: npt.NDArray[np.uint8], slots: npt.NDArray[np.int32], weights: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]: ...
def marginals(scores: npt.NDArray[Any], transitions: npt.NDArray[Any]) -> npt.NDArray[np.float64]: ...
