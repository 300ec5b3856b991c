from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ncleaner._ngram import Encoder, Grams
from ncleaner.document._tables import Tables
from ncleaner.modelling._decision import Statistics
from ncleaner.modelling._forest import Forest

class NGramJudge:
    def __init__(self, grams: Grams, encoder: Encoder, statistics: Statistics) -> None: ...
    def of(self, tables: Tables) -> npt.NDArray[np.float64] | None: ...

class Steps:
    filled: bool
    spare: int
    matrix: npt.NDArray[np.float32]
    first: npt.NDArray[np.float64]
    judged: npt.NDArray[np.float64]
    evened: npt.NDArray[np.float64]
    favoured: npt.NDArray[np.float64]
    stock: npt.NDArray[np.float64]
    ngrams: npt.NDArray[np.float64]
    site: npt.NDArray[np.float64]
    bar: float
    articles: float
    again: npt.NDArray[np.bool_]
    def by_all(self, forest: str) -> npt.NDArray[np.bool_]: ...

class StructureJudge:
    def __init__(
        self,
        first: Forest,
        second: Forest,
        kinds: Forest | None,
        articles: Forest | None,
        weights: npt.NDArray[np.float32],
        phrases: npt.NDArray[np.uint32],
        losses: npt.NDArray[np.float32],
        suspect: Sequence[int],
        rules: dict[str, float],
    ) -> None: ...
    def read(
        self,
        tables: Tables,
        title: bytes,
        odds: npt.NDArray[np.float64],
        posterior: npt.NDArray[np.float64],
        news: bool = False,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]: ...

class HybridJudge:
    def __init__(
        self,
        ngrams: NGramJudge,
        structure: StructureJudge,
        slope: float,
        offset: float,
        share: float,
        repeated: float,
        shared: float,
        threshold: float | None,
        beta: float,
        news: bool,
    ) -> None: ...
    def judge(
        self,
        tables: Tables,
        title: bytes,
        scored: tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]] | None = None,
        on_site: npt.NDArray[np.uint8] | None = None,
        steps: Steps | None = None,
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64], npt.NDArray[np.float64]] | None: ...
