import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

OWN_TAGS: tuple[str, ...]
TAGS_ABOVE: tuple[str, ...]
COLUMNS: int
WEIGHTS: int

def fill(
    tables: Tables,
    title: bytes,
    odds: npt.NDArray[np.float64],
    posterior: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float32],
    out: npt.NDArray[np.float32],
) -> None: ...
