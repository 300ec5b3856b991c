import numpy as np
import numpy.typing as npt

HASHES_VERSION: int

def text_hashes(
    data: bytes, starts: npt.NDArray[np.uint32], ends: npt.NDArray[np.uint32]
) -> npt.NDArray[np.uint32]: ...
def layout_hash(elements: npt.NDArray[np.void]) -> int: ...
