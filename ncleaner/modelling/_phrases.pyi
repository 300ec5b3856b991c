import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

def phrase_hashes(tables: Tables) -> npt.NDArray[np.uint32]: ...
def phrase_losses(
    tables: Tables, phrases: npt.NDArray[np.uint32], losses: npt.NDArray[np.float32]
) -> npt.NDArray[np.float64]: ...
