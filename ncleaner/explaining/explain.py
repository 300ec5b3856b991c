"""Explains a page: from bytes to a Document to its verdicts, with the causes of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ncleaner.arguments import check_is
from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.document.tables import Segments
from ncleaner.explaining.causes import Causes, causes_of_hybrid, causes_of_ngrams, rulings_of_user
from ncleaner.explaining.explanation import Explanation
from ncleaner.explaining.gold import with_gold
from ncleaner.explaining.grams import Reader
from ncleaner.explaining.verdicts import Why
from ncleaner.methods.by_language import PerLanguage
from ncleaner.methods.table import METHODS
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import PART
from ncleaner.page import Page
from ncleaner.text.counted import counted

__all__ = ["explain"]


def explain(
    page: bytes | str | Page | Document,
    cleaner: Cleaner | None = None,
    *,
    url: str = "",
    kept: Kept | None = None,
    gold: str | None = None,
) -> Explanation:
    """Says why each segment of a page is kept or removed.

    The result prints as lines of text, is drawn by notebooks, and `to_dict` gives all of it. The scores of
    `hybrid` and `ngram` are taken apart: what each feature and each n-gram adds, and which rules decided
    after that. Of other methods it shows the scores, the verdicts, and what the wishes of the user changed.

    >>> import ncleaner
    >>> from pathlib import Path
    >>> html = Path("examples/pages/harbour-gazette-ferry.html").read_bytes()
    >>> found = ncleaner.explain(html, ncleaner.Cleaner(comments=False))
    >>> first = found.segments[0]
    >>> first.kept, first.features[0].bits < 0
    (False, True)

    Args:
        page: an HTML page, as `clean` takes it; a Page of an archive; or a Document.
        cleaner: what cleans the page; by default that of `clean`.
        url: the address of the page, for a cleaner with a survey of sites.
        kept: a decision about a Document, to show it as it is: nothing is taken apart.
        gold: the gold text of the page: each verdict is compared with it.

    Raises:
        TypeError: an argument has another type.
        ValueError: `kept` is given without its Document, or is not of it.
        InputError: as in `Cleaner.clean`.
    """
    if cleaner is not None:
        check_is("cleaner", cleaner, Cleaner, "a Cleaner")
    if gold is not None:
        check_is("gold", gold, str, "a text")
    if kept is not None:
        check_is("kept", kept, Kept, "a Kept, such as `Cleaner.keep` returns")
        if not isinstance(page, Document) or len(kept.mask) != len(page):
            raise ValueError("`kept` is a decision about a Document: give both")
        found = Explanation(page, kept, segments=tuple(_whys(page, kept)), source=url)
        return found if gold is None else with_gold(found, gold)
    own = Cleaner() if cleaner is None else cleaner
    if isinstance(page, Document):
        document, decided = page, own.keep(page)
    elif isinstance(page, Page):
        document, decided = own.page(page)
        url = url or page.url
    else:
        document = own.document(page, url)
        decided = own.keep(document)
    explained = _explained(document, own, decided, url)
    return explained if gold is None else with_gold(explained, gold)


def _explained(document: Document, cleaner: Cleaner, kept: Kept, source: str) -> Explanation:
    method: Any = cleaner.method
    name, about = method.name, METHODS[method.name].about
    if isinstance(method, PerLanguage):
        method, _, _ = method.method_of(document)
    decided = method.keep(document)
    model = getattr(method, "model", None)
    causes: Causes | None = None
    notes: list[str] = []
    if name == "hybrid" and document.tables.n_elements and isinstance(model, HybridModel):
        causes = causes_of_hybrid(document, model, decided)
        if causes is None:
            size = counted(PART, "segment")
            notes.append(f"the page has more than {size} and is judged in parts: scores are not taken apart")
    elif name in ("hybrid", "ngram") and model is not None:
        causes = causes_of_ngrams(document, NGramModel.of_model(model))
        if name == "hybrid":
            notes.append("the text has no structure, so the n-grams alone decide")
    else:
        notes.append(f"{name} keeps {about}; only hybrid and ngram are explained step by step")
    wishes, changed = rulings_of_user(document, decided, kept)
    if causes is not None:
        notes += causes.notes
    ngrams = model if isinstance(model, NGramModel) else getattr(model, "ngrams", None)
    reader = Reader(document, ngrams) if isinstance(ngrams, NGramModel) else None
    segments = tuple(_whys(document, kept, causes, wishes, reader))
    told = tuple(notes + changed)
    return Explanation(document, kept, name, about, segments, told, causes is not None, source)


def _whys(
    document: Document,
    kept: Kept,
    causes: Causes | None = None,
    wishes: Sequence[Sequence[Any]] = (),
    reader: Reader | None = None,
) -> Iterator[Why]:
    marks = kept.marks_of(document)
    for row, segment in enumerate(Segments(document)):
        score = None if kept.scores is None else float(kept.scores[row])
        rulings = (*(causes.rulings[row] if causes else ()), *(wishes[row] if wishes else ()))
        yield Why(
            segment,
            bool(kept.mask[row]),
            score,
            causes.bar if causes else None,
            float(causes.base[row]) if causes else None,
            causes.features[row] if causes else (),
            causes.steps[row] if causes else (),
            rulings,
            reader[row] if reader else None,
            causes.first[row] if causes else (),
            sign=chr(marks[row]),
        )
