import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

def removed_forms(tables: Tables) -> npt.NDArray[np.bool_]: ...
