from typing import Final

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document

LAST_LINES: Final[dict[str, tuple[str, ...]]]

class Judged:
    document: Final[Document]
    mask: Final[npt.NDArray[np.bool_]]
    scores: Final[npt.NDArray[np.float64]]
    fragment: Final[float]
    copied: Final[npt.NDArray[np.int32]]
    def __init__(
        self,
        document: Document,
        mask: npt.NDArray[np.bool_],
        scores: npt.NDArray[np.float64],
        fragment: float = 0,
        article: float = 0,
    ) -> None: ...

def drop_copies(page: Judged) -> None: ...
def drop_link_runs(page: Judged) -> None: ...
def drop_others(page: Judged) -> None: ...
def drop_hidden(page: Judged) -> None: ...
def drop_last_lines(page: Judged) -> None: ...
def drop_references(page: Judged) -> None: ...
def complete_lists(page: Judged) -> None: ...
def complete_heads(page: Judged) -> None: ...
