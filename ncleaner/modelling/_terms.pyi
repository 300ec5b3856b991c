import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

BUCKETS: int
TERMS_VERSION: int

def terms_of(
    tables: Tables, mask: npt.NDArray[np.bool_], title: bytes, prose: bool = False
) -> npt.NDArray[np.uint16] | None: ...
def score_of(
    tables: Tables,
    mask: npt.NDArray[np.bool_],
    title: bytes,
    weights: npt.NDArray[np.int8],
    prose: bool = False,
) -> float: ...
def phrase_hashes(tables: Tables) -> npt.NDArray[np.uint32]: ...
