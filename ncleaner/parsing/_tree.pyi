from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser

_Rows: TypeAlias = npt.NDArray[np.int64]

NOWHERE: int

class Tree:
    size: int
    def __init__(self, parser: LexborHTMLParser, room: int) -> None: ...
    def rows(self, addresses: Sequence[int] | _Rows) -> _Rows: ...
    def elements(self, rows: Sequence[int] | _Rows) -> _Rows: ...
    def spread(self, where: _Rows) -> _Rows: ...
    def selector(self, first: int, last: int) -> str: ...
