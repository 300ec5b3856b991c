import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

SATURATION: float

class Statistics:
    def __init__(self, kind: str, numbers: dict[str, float]) -> None: ...
    def of(
        self, sums: npt.NDArray[np.float64], counts: npt.NDArray[np.uint32]
    ) -> npt.NDArray[np.float64]: ...

LEAST: float

def decide(
    probabilities: npt.NDArray[np.float64], words: npt.NDArray[np.float64], beta: float = 1.0
) -> npt.NDArray[np.bool_]: ...
def probabilities_of(odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
def figures_of_decision(
    tables: Tables, mask: npt.NDArray[np.bool_], scores: npt.NDArray[np.float64], out: npt.NDArray[np.float32]
) -> None: ...
