"""What a method says of a Document: which segments it keeps, and remarks for the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    pass

__all__ = ["Kept"]


class Kept(NamedTuple):
    """What a method says of a document's segments.

    Attributes:
        mask: shape (segments,), bool; True for those to keep.
        scores: shape (segments,), float64; larger is cleaner. None for a method without scores.
        model, language: the name of the model chosen for this page, and the language it was chosen for; empty
            where there was no choice.
        strange: all or nothing was kept, of a page in letters that the model hardly knows.
        instead: the name of the method that decided, where the one that was asked for could not; else empty.
    """

    mask: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64] | None = None
    model: str = ""
    language: str = ""
    strange: bool = False
    instead: str = ""
