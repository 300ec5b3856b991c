from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Offsets = npt.NDArray[np.uint32]

def compose_segments(
    data: bytes, starts: Offsets, ends: Offsets, compose: Callable[[bytes], bytes]
) -> tuple[bytes, Offsets] | None: ...
