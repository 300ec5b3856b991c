"""NCleaner: two character n-gram models, one of clean and one of dirty text (Evert 2008)."""

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document._kept import number_kept
from ncleaner.document.kept import Kept, Remarks
from ncleaner.methods._forms import removed_forms
from ncleaner.methods.base import Trace
from ncleaner.modelling.ngrams import NGramModel

# pages with fewer segments are often completely clean or dirty
_MANY = 5
# a page with a larger share of unfamiliar letters is unfamiliar to a model
_UNFAMILIAR = 0.5
# number of bytes from the middle of a page that show its letters
_SAMPLE = 1000


class NGram:
    """Keeps the segments that are likelier under the clean model than under the dirty model.

    Args:
        model: the pair of models, with its decision.
    """

    name = "ngram"

    def __init__(self, model: NGramModel) -> None:
        self.model = model
        _ = self.model.ratio  # builds the table now, not on the first page

    def keep(self, document: Document, trace: Trace | None = None) -> Kept:
        """Decides with scores that are log-odds in bits: per character, per segment, or given the whole page,
        according to the model's decision. `trace` records how."""
        scores = self.model.judge(document)
        kept, removed = scores >= self.model.decision.threshold, removed_forms(document.tables)
        # kept and not removed
        mask = kept > removed
        if trace is not None:
            # a segment of such a form is removed whatever its score
            trace.note("score", kept | removed)
            trace.note("form", mask)
        return Kept(mask, scores, Remarks(unfamiliar=self.is_unfamiliar(document, mask)))

    def is_unfamiliar(self, document: Document, mask: npt.NDArray[np.bool_]) -> bool:
        """Tells whether the mask keeps all or nothing of a page whose letters are rare in the training
        pages."""
        # counting letters takes time: only pages kept or removed completely are checked
        return bool(
            len(mask) >= _MANY
            and number_kept(document.tables, mask) in (0, len(mask))
            and self.model.unfamiliarity(document.data) > _UNFAMILIAR
        )


def has_other_letters(model: NGramModel, document: Document) -> bool:
    """Tells whether the letters in the middle of a page are rare in the training pages, so that the scores of
    its n-grams mean little. Pages with few segments may say it by chance, and do not count."""
    begin = max(0, len(document.data) - _SAMPLE) // 2
    # of whole characters
    sample = document.data[begin : begin + _SAMPLE].decode("utf-8", "ignore").encode()
    return len(document) >= _MANY and model.unfamiliarity(sample) > _UNFAMILIAR
