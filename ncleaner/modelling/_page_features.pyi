import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

LEVELS: int
SHARES: tuple[float, ...]
COLUMNS: int

def fill(
    tables: Tables,
    probabilities: npt.NDArray[np.float64],
    out: npt.NDArray[np.float32],
    least: float = 0,
    reach: int = 0,
) -> None: ...
def average(
    tables: Tables,
    probabilities: npt.NDArray[np.float64],
    matrix: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
    least: float = 0,
) -> None: ...
def even_out(tables: Tables, odds: npt.NDArray[np.float64]) -> None: ...
