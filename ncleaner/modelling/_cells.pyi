import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

def complete_tables(tables: Tables, mask: npt.NDArray[np.bool_]) -> None: ...
