"""The hybrid: n-grams and the structure of the page, decided for the page as a whole."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document._kept import sums_of
from ncleaner.document.kept import FRAGMENT, KINDS, NOTICE, Kept, Remarks
from ncleaner.document.tables import PREFORMATTED
from ncleaner.methods import _rules
from ncleaner.methods._forms import removed_forms
from ncleaner.methods._rules import Judged
from ncleaner.methods.base import Trace
from ncleaner.methods.ngram import NGram
from ncleaner.modelling._judge import Steps
from ncleaner.modelling.hybrid import HybridModel, Judgement
from ncleaner.modelling.notices import Notices, shipped_notices

# A page of which fewer characters are left may be only a menu, a copyright line or a few links.
_LITTLE = 120
# From this number of kept words on, a page is a notice only at this probability.
_MANY, _CERTAIN = 150, 0.7
# A fragment of at most this many words, at this probability, is kept whole if it has no links.
_FEW, _SURE = 40, 0.9


class Hybrid:
    """Keeps the segments that the structure model, with the scores of the n-grams, judges to be main text.

    It also judges whether the text of a page with little text is a notice, such as an error message; the user
    decides whether notices are kept (`ZoneOptions`). Plain text has a structure model of its own; a model
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
        judgement = self.model.judge(document, None if trace is None else trace.steps)
        mask, found = finished(document, judgement, self._notices, trace)
        remarks = Remarks(unfamiliar=self._ngram.is_unfamiliar(document, mask))
        structure = self.model.part(document.is_text).structure
        estimate = None if structure.quality is None else structure.estimate
        return Kept(mask, judgement.scores, remarks, found, estimate=estimate)


class Rule(NamedTuple):
    """A rule that follows the judgement of a page.

    Attributes:
        name: what explanations call it; rules with one name are one step there.
        apply: changes the mask of the page.
    """

    name: str
    apply: Callable[[Judged], None]


def finished(
    document: Document,
    judgement: Judgement,
    notices: Notices,
    trace: Trace | None = None,
    rules: Sequence[Rule] = (),
) -> tuple[npt.NDArray[np.bool_], dict[str, float]]:
    """Applies the rules that follow the judgement of a page.

    Args:
        document: the page.
        judgement: the model's; its mask is overwritten.
        notices: the model of notices.
        trace: records the effect of each rule, for explanations.
        rules: by default `RULES`.

    Returns:
        The mask, and the probabilities of the kinds of pages.
    """
    mask, scores, kinds = judgement
    shares = kinds.tolist()
    found = dict(zip(KINDS, shares, strict=True)) if any(shares) else {}
    fragment = found.get(FRAGMENT, 0.0)
    page = Judged(document, mask, scores, fragment, found.get("article", 0.0) + fragment)
    if trace is not None:
        trace.copied = page.copied
        trace.note("score", mask)
    for name, apply in rules or RULES:
        apply(page)
        if trace is not None:
            trace.note(name, mask)
    if document.is_text:
        mask &= document.readable
    # a line that a user pipes is not the message of a server
    notice = 0.0 if document.is_text and len(document) == 1 else notices.probability(document, mask)
    if notice:
        # nor is hidden text, or a page of links such as a shop's
        shown = mask & document.readable
        notice = notices.probability(document, shown)
        if notice < _CERTAIN and document.segments["words"][shown].sum() >= _MANY:
            notice = 0.0
    if notice:
        found = {kind: share * (1 - notice) for kind, share in found.items()}
    found[NOTICE] = notice
    return mask, found


def _keep_fragment(page: Judged) -> None:
    """Keeps a short fragment whole: single words say little of what they are, and there is nothing that they
    could be the menu of."""
    segments = page.document.segments
    if page.fragment > _SURE and segments["words"].sum() <= _FEW and not segments["link_chars"].any():
        np.logical_or(page.mask, page.document.readable, out=page.mask)


def _drop_menus(page: Judged) -> None:
    """Removes what has the form of a menu or a copyright line from a page of little text or all text,
    and all of a page of little text that is nearly all links. Code has any form."""
    document, mask = page.document, page.mask
    chars, links = sums_of(document.tables, mask)
    if chars < _LITTLE or page.fragment > 0.5:
        mask &= ~removed_forms(document.tables) | (document.segments["flags"] & PREFORMATTED > 0)
        mask &= chars >= _LITTLE or 5 * links <= 4 * chars


# In the order in which they are applied. Behind each rule is what it is worth: the points of F of words that
# wcxb-dev (1,497 pages) loses without it, and the standard error, judged by models that have not seen the
# site, the mean of three seeds. docs/hybrid.md has the other sets.
RULES: tuple[Rule, ...] = (
    Rule("fragment", _keep_fragment),  # 0
    Rule("list", _rules.complete_lists),  # +.03 ± .02
    # the words of its heads are few
    Rule("table", _rules.complete_tables),  # 0
    Rule("copy", _rules.drop_copies),  # +.21 ± .05
    # what is after a text
    Rule("run", _rules.drop_link_runs),  # 0 ± .04
    # the gold sets have no such pages
    Rule("other", _rules.drop_others),
    Rule("end", _rules.drop_last_lines),  # 0
    Rule("crumb", _rules.drop_references),  # +.01
    Rule("section", _rules.complete_heads),  # 0
    Rule("hidden", _rules.drop_hidden),  # +.01 ± .01
    Rule("form", _drop_menus),  # +.02 ± .02
)
