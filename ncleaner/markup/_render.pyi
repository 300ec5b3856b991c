from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ncleaner.document._tables import Tables

def render(
    tables: Tables,
    mask: npt.NDArray[np.bool_],
    html: bool = False,
    addresses: dict[int, bytes] | None = None,
    # notes.Notes
    notes: tuple[
        list[tuple[int, int, int]],
        dict[int, int],
        dict[int, int],
        list[bytes],
        list[int],
        list[int],
        dict[int, int],
        npt.NDArray[np.bool_],
    ]
    | None = None,
    images: bool = False,
    repeats: bool = False,
    tags: bool = False,
    leads: Sequence[int] = (),
    headline: int = -1,
    posts: Sequence[tuple[int, int]] = (),
) -> bytes: ...
def kept_links(
    tables: Tables, mask: npt.NDArray[np.bool_], fragments: bool
) -> list[tuple[int, bytes, int, int]]: ...
def text_of_runs(tables: Tables, first: int, end: int) -> str: ...
def tags_around(tables: Tables, element: int) -> list[int]: ...
def element_at(tables: Tables, element: int) -> tuple[int, int, int, int]: ...
def segment_at(tables: Tables, segment: int) -> tuple[int, int, int]: ...
def segment_of(tables: Tables, run: int) -> int: ...
def images_of(
    tables: Tables, mask: npt.NDArray[np.bool_], names: tuple[bytes, ...] = ()
) -> list[tuple[int, bytes, bytes, int, list[bytes], int, int]]: ...
