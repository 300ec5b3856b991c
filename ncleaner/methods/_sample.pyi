from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

OF_LANGUAGE: int

def in_main_interpreter() -> bool: ...

class Sampler:
    def __init__(
        self,
        index: npt.NDArray[np.uint16],
        pages: npt.NDArray[np.uint8],
        first_letter: int,
        kana: int,
        words: Sequence[Sequence[bytes]] = (),
    ) -> None: ...
    def take(
        self, data: bytes, segments: npt.NDArray[Any], most_segments: int, most_bytes: int, read_bytes: int
    ) -> tuple[int, bytes, int, int, int, int, int]: ...
    def foreign(
        self, data: bytes, segments: npt.NDArray[Any], script: int, least: int, sparsest: int, chars: int
    ) -> npt.NDArray[np.uint8]: ...
