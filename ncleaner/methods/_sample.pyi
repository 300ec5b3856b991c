from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

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
    def take(self, tables: Tables) -> tuple[int, bytes, int, int, int, int, int]: ...
    def foreign(self, tables: Tables, script: int, least: int) -> npt.NDArray[np.uint8]: ...
