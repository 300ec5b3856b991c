import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

def drop_copies(tables: Tables, mask: npt.NDArray[np.bool_]) -> None: ...
