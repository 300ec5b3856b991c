from collections.abc import Callable
from typing import Generic, TypeVar

from ncleaner.reading._libdeflate import Gunzip
from ncleaner.reading.streams import Source

R = TypeVar("R")

class RegularReader(Generic[R]):
    position: int
    def __init__(
        self,
        source: Source,
        magic: bytes,
        inflate: Gunzip | Callable[[bytes, int], tuple[bytes, int]] | None,
        bound: int,
        pages: frozenset[str],
        record: type[R],
        *,
        end: int = -1,
        alone: bool = False,
    ) -> None: ...
    def __iter__(self) -> RegularReader[R]: ...
    def __next__(self) -> R: ...
