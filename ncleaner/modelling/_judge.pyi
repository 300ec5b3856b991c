from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ncleaner._ngram import Encoder, Grams
from ncleaner.document._tables import Tables
from ncleaner.modelling._chain import Statistics
from ncleaner.modelling._forest import Forest

class NGramJudge:
    def __init__(self, grams: Grams, encoder: Encoder, statistics: Statistics) -> None: ...
    def of(self, tables: Tables) -> npt.NDArray[np.float64] | None: ...

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
        width: int,
        segment_columns: int,
        kind_column: int,
        n_kinds: int,
        article: int,
        fragment: int,
        suspect: Sequence[int],
        links: int,
        outside: float,
        plain: float,
        early: int,
        clear: float,
        no_article: float,
        is_article: float,
        favour: float,
        no_fragment: float,
        many_links: float,
        most: int,
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
        repeated: float,
        threshold: float | None,
        beta: float,
        news: bool,
    ) -> None: ...
    def judge(
        self,
        tables: Tables,
        title: bytes,
        scored: tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]] | None = None,
        on_site: npt.NDArray[np.bool_] | None = None,
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64], npt.NDArray[np.float64]] | None: ...
