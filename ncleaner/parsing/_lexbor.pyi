import numpy as np
import numpy.typing as npt
from selectolax.lexbor import LexborHTMLParser

SCRIPTS: dict[str, int]
PARSES_AGAIN: bool

class Parsed:
    parser: LexborHTMLParser
    dropped: int
    def passed_over(self) -> dict[int, bytes]: ...
    def places(self) -> npt.NDArray[np.int64] | None: ...
    def release(self) -> None: ...

def release_memory() -> None: ...
def reuse_memory() -> None: ...
def parsed(html: bytes, again: bool = True) -> Parsed: ...
def parsed_within_bounds(
    html: bytes,
    nesting: int = 512,
    tags: int = 450_000,
    again: bool = True,
    bounding: bool = False,
    scripts: int = ...,
    places: bool = False,
) -> Parsed: ...
def costs(html: bytes, nesting: int = 512, tags: int = 450_000) -> dict[str, int]: ...
