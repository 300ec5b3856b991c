import numpy as np
import numpy.typing as npt

from ncleaner.document.tables import Document

LEVELS: int
SHARES: tuple[float, ...]
COLUMNS: int

def fill(
    document: Document,
    probabilities: npt.NDArray[np.float64],
    out: npt.NDArray[np.float32],
    least: float = 0,
    reach: int = 0,
) -> None: ...
def average(
    document: Document,
    probabilities: npt.NDArray[np.float64],
    matrix: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
    least: float = 0,
) -> None: ...
def even_out(document: Document, odds: npt.NDArray[np.float64]) -> None: ...
