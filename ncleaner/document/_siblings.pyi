from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

LINKED: int
BLOCK: np.dtype[np.void]

class Blocks:
    def __init__(self, tables: Tables) -> None: ...
    def array(self) -> npt.NDArray[Any]: ...
