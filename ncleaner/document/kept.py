"""What a method says of a Document: which segments it keeps, and remarks for the run."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Kept", "Remarks"]


class Remarks(NamedTuple):
    """What a method says of its decision besides the mask; outputs and summaries report it.

    Attributes:
        model: name of the model chosen for this page; empty where there is no choice.
        language: language of the page, ISO 639-1, where somebody asked for it; empty where nobody did, or
            where nothing tells.
        fallback: name of the method that decides in place of the one asked for; empty where that one decides.
        unfamiliar: the method keeps all or nothing of a page whose letters the model hardly knows.
    """

    model: str = ""
    language: str = ""
    fallback: str = ""
    unfamiliar: bool = False


class Kept(NamedTuple):
    """What a method says of a Document's segments.

    >>> import ncleaner
    >>> cleaner = ncleaner.Cleaner(model="auto")
    >>> kept = cleaner.keep(cleaner.document("<html lang=en><p>The ferry will sail until the end of May."))
    >>> kept.mask.tolist(), kept.remarks.language, kept.remarks.model
    ([True], 'en', 'en')

    Attributes:
        mask: shape (segments,), bool; True for those to keep.
        scores: shape (segments,), float64; larger is cleaner. None for a method without scores.
        remarks: what else the method says of its decision.
    """

    mask: npt.NDArray[np.bool_]
    scores: npt.NDArray[np.float64] | None = None
    remarks: Remarks = Remarks()

    def remarked(
        self,
        *,
        model: str | None = None,
        language: str | None = None,
        fallback: str | None = None,
        unfamiliar: bool | None = None,
    ) -> Kept:
        """The same decision with some of its remarks replaced."""
        said = self.remarks
        remarks = Remarks(
            said.model if model is None else model,
            said.language if language is None else language,
            said.fallback if fallback is None else fallback,
            said.unfamiliar if unfamiliar is None else unfamiliar,
        )
        return self._replace(remarks=remarks)
