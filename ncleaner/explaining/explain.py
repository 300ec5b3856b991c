"""Explains a page: its verdicts, with the causes of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ncleaner.arguments import check_is
from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.explaining.against import with_gold
from ncleaner.explaining.causes import Causes, causes_of_hybrid, causes_of_ngrams, rulings_of
from ncleaner.explaining.drawing import framed
from ncleaner.explaining.grams import Reader
from ncleaner.explaining.verdicts import Ruling, Verdicts, Why
from ncleaner.explaining.words import lines_of
from ncleaner.methods.base import Trace
from ncleaner.methods.choice import PerLanguage
from ncleaner.methods.hybrid import Hybrid
from ncleaner.methods.ngram import NGram
from ncleaner.methods.table import METHODS
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import PART
from ncleaner.page import Page
from ncleaner.text.visible import counted

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Verdicts):
    """The verdicts about a page with their reasons. `print` shows a line or two for each segment, a notebook
    draws the page.

    >>> import ncleaner
    >>> found = ncleaner.explain("<ul><li><a href=/>Home</a></ul><p>The ferry will sail until May.</p>")
    >>> [why.kept for why in found.segments]
    [False, True]
    >>> why = found.segments[1]
    >>> total = why.base + sum(reason.bits for reason in (*why.features, *why.steps))
    >>> abs(total - why.score) < 1e-6
    True
    """

    def __str__(self) -> str:
        return "\n".join(lines_of(self, reasons=True))

    def __repr__(self) -> str:
        return f"<Explanation of {self.document!r}: {self.verdicts()}>"

    def _repr_html_(self) -> str:
        """Returns the drawing of the page in a frame of its own, for notebooks."""
        return framed(self)


def explain(
    page: bytes | str | Page | Document,
    cleaner: Cleaner | None = None,
    *,
    url: str = "",
    kept: Kept | None = None,
    gold: str | None = None,
) -> Explanation:
    """Says why each segment of a page is kept or removed.

    The result prints as lines of text, is drawn by notebooks, and `to_dict` returns all of it. The scores of
    `hybrid` and `ngram` are taken apart: what each feature and each n-gram adds, and which rules decided
    after that. For other methods it has the scores, the verdicts, and what the wishes of the user changed.

    >>> import ncleaner
    >>> from pathlib import Path
    >>> html = Path("examples/pages/harbour-gazette-ferry.html").read_bytes()
    >>> found = ncleaner.explain(html, ncleaner.Cleaner(comments=False))
    >>> first = found.segments[0]
    >>> first.kept, first.features[0].bits < 0
    (False, True)

    Args:
        page: an HTML page, as `clean` takes it; a Page of an archive; or a Document.
        cleaner: cleans the page; by default as `clean` does.
        url: the address of the page, for a cleaner with a survey of sites.
        kept: a decision about a Document, which is shown without causes.
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
    trace = Trace()
    if isinstance(method, (Hybrid, NGram)):
        decided = method.keep(document, trace)
    else:
        decided = method.keep(document)
        trace.note("score", decided.mask)
    cleaner.wanted.applied(document, decided, trace)
    causes, notes = _causes(document, method, trace, name)
    rulings, changed = rulings_of(document, trace)
    model = getattr(method, "model", None)
    ngrams = getattr(model, "ngrams", model)
    reader = Reader(document, ngrams) if isinstance(ngrams, NGramModel) else None
    segments = tuple(_whys(document, kept, causes, rulings, reader))
    return Explanation(
        document, kept, name, about, segments, (*notes, *changed), causes is not None, source
    )  # fmt: skip


def _causes(document: Document, method: Any, trace: Trace, name: str) -> tuple[Causes | None, list[str]]:
    """Takes the scores of `hybrid` and `ngram` apart; returns sentences about the page, too."""
    if isinstance(method, Hybrid) and trace.steps is not None:
        if not trace.steps.filled:
            size = counted(PART, "segment")
            return None, [f"the page has more than {size} and is judged in parts: scores are not taken apart"]
        causes = causes_of_hybrid(method.model, trace.steps)
        lost = "nothing is kept, because no part of the page is likely enough to be main text"
        if not len(document):
            lost = "the file has no text: scripts may load it later"
        return causes, [lost] if causes.bar is None else []
    if isinstance(method, (Hybrid, NGram)):
        notes = ["the text has no structure, so n-grams and stock phrases decide"] if name == "hybrid" else []
        return causes_of_ngrams(
            document, NGramModel.of_model(getattr(method.model, "ngrams", method.model))
        ), notes
    about = METHODS[name].about
    return None, [f"{name} keeps {about}; only hybrid and ngram are explained step by step"]


def _whys(
    document: Document,
    kept: Kept,
    causes: Causes | None = None,
    rulings: Sequence[Sequence[Ruling]] = (),
    reader: Reader | None = None,
) -> Iterator[Why]:
    marks = kept.marks_of(document)
    for row, segment in enumerate(document):
        yield Why(
            segment,
            bool(kept.mask[row]),
            None if kept.scores is None else float(kept.scores[row]),
            causes.bar if causes else None,
            float(causes.base[row]) if causes else None,
            causes.features[row] if causes else (),
            causes.steps[row] if causes else (),
            tuple(rulings[row]) if rulings else (),
            reader[row] if reader else None,
            causes.first[row] if causes else (),
            sign=chr(marks[row]),
        )
