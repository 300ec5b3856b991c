from typing import Any

import numpy as np
import numpy.typing as npt

def suspects(data: bytes, starts: npt.NDArray[Any], ends: npt.NDArray[Any]) -> npt.NDArray[np.uint8]: ...
