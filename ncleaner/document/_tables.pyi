from typing import Any

import numpy as np
import numpy.typing as npt

TEXT: int
RUNS: int
SEGMENTS: int
ELEMENTS: int
NAMES: int
MARKS: int
VALUES: int

RUN: np.dtype[np.void]
SEGMENT: np.dtype[np.void]
ELEMENT: np.dtype[np.void]
MARK: np.dtype[np.void]

class Tables:
    def __init__(
        self,
        text: bytes,
        runs: npt.NDArray[Any] | bytes,
        segments: npt.NDArray[Any] | bytes,
        elements: npt.NDArray[Any] | bytes,
        names: npt.NDArray[Any] | bytes,
        tags_behind: int = 0,
        marks: npt.NDArray[Any] | bytes = b"",
        values: npt.NDArray[Any] | bytes = b"",
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def text(self) -> bytes: ...
    @property
    def tags_behind(self) -> int: ...
    @property
    def n_runs(self) -> int: ...
    @property
    def n_elements(self) -> int: ...
    def array(self, which: int) -> npt.NDArray[Any]: ...
