"""The hybrid: n-grams and the structure of the page, decided for the page as a whole."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document._kept import sums_of
from ncleaner.document._tables import Tables
from ncleaner.document.kept import FRAGMENT, KINDS, NOTICE, Kept, Remarks
from ncleaner.document.tables import PREFORMATTED
from ncleaner.methods import _rules
from ncleaner.methods._forms import removed_forms
from ncleaner.methods.base import Trace
from ncleaner.methods.ngram import NGram
from ncleaner.modelling._judge import Steps
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.notices import Notices, shipped_notices

# A page of which fewer characters are left may be only a menu, a copyright line or a few links.
_LITTLE = 120
# A fragment of at most this many words, at this probability, is kept whole if it has no links.
_FEW, _SURE = 40, 0.9
# Groups of fewer words behind the text go if they stand apart, in styles of their own; of a product, all do.
_STRAY, _ANY = 80, 2**63


class Hybrid:
    """Keeps the segments that the structure model, with the scores of the n-grams, judges to be main text.

    It also judges whether the text of a page with little text is a notice, such as an error message; the user
    decides whether notices are kept (`zones.Wanted`). Plain text has a structure model of its own; a model
    that was trained on plain text may leave it to the n-grams.

    Args:
        model: n-grams and structure.
        notices: the model of notices; the shipped one by default.

    Raises:
        ModelError: the shipped model of notices cannot be read.
    """

    name = "hybrid"

    def __init__(self, model: HybridModel, notices: Notices | None = None) -> None:
        self.model = model
        self._notices = notices or shipped_notices()
        self._ngram = NGram(model.ngrams)

    def keep(self, document: Document, trace: Trace | None = None) -> Kept:
        """Decides with scores that are log-odds in bits, given the whole page; `trace` records how.

        The kinds of segments stay those of the document: forests trained on kinds did worse (docs/hybrid.md).
        """
        if document.is_text and self.model.text_by_ngrams:
            return self._ngram.keep(document, trace)
        if trace is not None:
            trace.steps = Steps()
        mask, scores, kinds = self.model.judge(document, None if trace is None else trace.steps)
        mask, found = finished(document, mask, kinds, self._notices, trace)
        remarks = Remarks(unfamiliar=self._ngram.is_unfamiliar(document, mask))
        structure = self.model.part(document.is_text).structure
        estimate = None if structure.quality is None else structure.estimate
        return Kept(mask, scores, remarks, found, estimate=estimate)


def finished(
    document: Document,
    mask: npt.NDArray[np.bool_],
    kinds: npt.NDArray[np.float64],
    notices: Notices,
    trace: Trace | None = None,
) -> tuple[npt.NDArray[np.bool_], dict[str, float]]:
    """Applies the rules that follow the judgement of a page.

    They remove copies of segments, and what is beside a text: forms, rows of links, summaries of other
    pages, groups of segments that are apart from it, and last lines about the site. They keep tables whole
    of which most is kept or that are in the middle of the text, code of which a quarter is or which is in
    kept text, of a listing's items, the parts of one style of which half is, and headings between kept
    segments. They remove headings at the end without text, menus and other such lines of a page with little
    text or without other boilerplate, and a page of a few links.

    Args:
        document: the page.
        mask, kinds: see `modelling.hybrid.Judgement`; the mask is overwritten.
        notices: the model of notices.
        trace: records the effect of each rule, for explanations.

    Returns:
        The mask, and the probabilities of the kinds of pages.
    """
    shares = kinds.tolist()
    found = dict(zip(KINDS, shares, strict=True)) if any(shares) else {}

    def note(rule: str) -> None:
        if trace is not None:
            trace.note(rule, mask)

    _rules.keep_notes(document.tables, mask)
    note("score")
    if _is_short_fragment(document, found):
        # single words say little of what they are, and there is nothing that they could be the menu of
        mask |= document.readable
        note("fragment")
    if trace is not None:
        trace.copied = np.zeros(len(mask), np.int32)
    _rules.drop_copies(document.tables, mask, None if trace is None else trace.copied)
    note("copy")
    kind = KINDS[int(kinds.argmax())]
    # a fragment with prose is an article without the rest of its page
    article = found.get("article", 0.0) + found.get(FRAGMENT, 0.0)
    _drop_surroundings(document.tables, mask, article, kind, note)
    _complete(document.tables, mask, kind, note)
    _check_form(document, mask, found.get(FRAGMENT, 0.0) > 0.5, note)
    # a line that a user pipes is not the message of a server
    is_line = document.is_text and len(document) == 1
    notice = 0.0 if is_line else notices.probability(document, mask)
    if notice:
        found = {kind: share * (1 - notice) for kind, share in found.items()}
    found[NOTICE] = notice
    return mask, found


def _is_short_fragment(document: Document, kinds: Mapping[str, float]) -> bool:
    segments = document.segments
    return bool(
        kinds.get(FRAGMENT, 0.0) > _SURE
        and segments["words"].sum() <= _FEW
        and not segments["link_chars"].any()
    )


def _drop_surroundings(
    tables: Tables, mask: npt.NDArray[np.bool_], article: float, kind: str, note: Callable[[str], None]
) -> None:
    """Removes what stands around a text: forms, teasers, rows of links, strays, last lines, breadcrumbs."""
    _rules.drop_forms(tables, mask)
    note("field")
    if article > 0.5:
        _rules.drop_teasers(tables, mask)
    _rules.drop_link_runs(tables, mask, article)
    note("run")
    if article > 0.5:
        _rules.drop_last_links(tables, mask)
        _rules.drop_strays(tables, mask, _STRAY)
    elif kind == "product":
        # reviews, other products, and what the shop says about itself
        _rules.drop_strays(tables, mask, _ANY)
    _rules.drop_last_lines(tables, mask)
    note("end")
    _rules.drop_breadcrumbs(tables, mask)
    note("crumb")


def _complete(tables: Tables, mask: npt.NDArray[np.bool_], kind: str, note: Callable[[str], None]) -> None:
    """Keeps whole what belongs together: tables, code, items, sections; removes headings of nothing."""
    _rules.complete_tables(tables, mask)
    note("table")
    _rules.complete_code(tables, mask)
    note("code")
    if kind == "listing":
        _rules.complete_items(tables, mask)
        note("item")
    _rules.complete_headings(tables, mask)
    note("section")
    _rules.drop_last_headings(tables, mask)
    note("heading")


def _check_form(
    document: Document, mask: npt.NDArray[np.bool_], is_fragment: bool, note: Callable[[str], None]
) -> None:
    """Removes menus and the like from a plain text and from a page of little text or without other
    boilerplate, and all of a page of a few links."""
    chars, _links = sums_of(document.tables, mask)
    little = chars < _LITTLE
    if little or is_fragment or document.is_text:
        # nothing looks like boilerplate except what has the form of a menu or a copyright line; code has any
        mask &= ~removed_forms(document.tables) | (document.segments["flags"] & PREFORMATTED > 0)
        note("form")
    if little:
        chars, links = sums_of(document.tables, mask)
        if 5 * links > 4 * chars:
            mask[:] = False
            note("links")
