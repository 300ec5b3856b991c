import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

HASHES_VERSION: int
SEQUENCES_VERSION: int

def text_hashes(tables: Tables) -> npt.NDArray[np.uint32]: ...
def layout_hash(tables: Tables) -> int: ...
def sequences_of(
    tables: Tables, mask: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int32]]: ...
