import numpy as np
import numpy.typing as npt

LEAST: float

def decide(
    probabilities: npt.NDArray[np.float64], words: npt.NDArray[np.float64], beta: float = 1.0
) -> npt.NDArray[np.bool_]: ...
def bar_of(
    probabilities: npt.NDArray[np.float64], words: npt.NDArray[np.float64], beta: float = 1.0
) -> float: ...
def probabilities_of(odds: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]: ...
