from typing import Any

import numpy as np
import numpy.typing as npt

SEPARATED: int
COPYRIGHT: int
WORDLESS: int

def suspects(data: bytes, starts: npt.NDArray[Any], ends: npt.NDArray[Any]) -> npt.NDArray[np.uint8]: ...
