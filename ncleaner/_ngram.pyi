from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

class Encoder:
    def __init__(self, index: npt.NDArray[np.uint16], pages: npt.NDArray[np.uint8]) -> None: ...
    def encode(
        self, data: bytes, starts: npt.NDArray[Any], ends: npt.NDArray[Any], order: int
    ) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]: ...
    def count(self, data: bytes, kinds: npt.NDArray[np.uint8]) -> tuple[int, int]: ...

class Grams:
    def __init__(
        self,
        levels: Sequence[tuple[npt.NDArray[np.uint64], npt.NDArray[np.float64]]],
        bits: int,
        dense: bool = False,
    ) -> None: ...
    def score(
        self, encoder: Encoder, data: bytes, starts: npt.NDArray[Any], ends: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]]: ...
    def values(self, encoder: Encoder, data: bytes) -> npt.NDArray[np.float64]: ...
