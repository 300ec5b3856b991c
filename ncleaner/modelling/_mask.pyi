import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

def drop_copies(
    tables: Tables, mask: npt.NDArray[np.bool_], firsts: npt.NDArray[np.int32] | None = None
) -> None: ...
def complete_tables(tables: Tables, mask: npt.NDArray[np.bool_]) -> None: ...
