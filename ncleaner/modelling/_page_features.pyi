import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

LEVELS: int
SHARES: tuple[float, ...]
COLUMNS: int

def fill(
    tables: Tables, p: npt.NDArray[np.float64], matrix: npt.NDArray[np.float32], first: int, least: float
) -> npt.NDArray[np.float32]: ...
