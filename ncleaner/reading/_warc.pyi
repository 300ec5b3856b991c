from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

R = TypeVar("R")

MAX_HEAD: int
AVAILABLE: bool

class Head:
    status: int
    content_type: str
    content_encoding: str
    transfer_encoding: str
    rights: str
    end: int
    def __init__(
        self,
        status: int,
        content_type: str,
        content_encoding: str,
        transfer_encoding: str,
        end: int,
        rights: str = "",
    ) -> None: ...

def split_head(block: bytes) -> Head | None: ...

class Gunzip: ...

class _Source(Protocol):
    def read(self, size: int = ...) -> bytes: ...
    def tell(self) -> int: ...
    def mark(self, offset: int) -> None: ...

class RegularReader(Generic[R]):
    position: int
    def __init__(
        self,
        source: _Source,
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
