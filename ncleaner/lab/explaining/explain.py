"""Explains a page: its verdicts with the causes of each, from the record of the decision
(`methods.base.Trace`), in bits and in words."""

import math
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.arguments import check_is
from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.document.kept import FRAGMENT, Kept
from ncleaner.document.tables import HEADER, HIDDEN
from ncleaner.lab.explaining.against import with_gold
from ncleaner.lab.explaining.drawing import framed
from ncleaner.lab.explaining.verdicts import (
    Gram,
    NGrams,
    Reason,
    Ruling,
    ScoredWord,
    Verdicts,
    Why,
    feature_name,
    lines_of,
    said_of,
)
from ncleaner.lab.training.calibration import saturated
from ncleaner.methods.base import Trace
from ncleaner.methods.choice import PerLanguage
from ncleaner.methods.hybrid import Hybrid
from ncleaner.methods.ngram import NGram
from ncleaner.methods.registry import METHODS
from ncleaner.modelling._judge import Steps
from ncleaner.modelling.alphabet import composed
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.structure import EARLY, PART, PART_OF_TEXT, Structure
from ncleaner.page import Page
from ncleaner.text.visible import counted
from ncleaner.text.words import UNSPACED

_BIT = math.log(2)
# smaller contributions are rounding errors
_NOTHING = 1e-9
# of a page of more segments only the strongest features are listed, and the sum of the others
_MANY, _STRONGEST = 2000, 20
# number of segments whose contributions are in memory together
_ROWS = 500
# a word of a text, with its punctuation; a character of scripts that do not separate words
_PIECE = re.compile(f"[{UNSPACED}]|[^\\s{UNSPACED}]+")
_SPACE, _EDGE = "␣", "¶"


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

    The result prints as lines of text, is drawn by notebooks, and `to_dict` returns all of it. Of `hybrid`
    and `ngram` it says what each feature and each n-gram adds to a score, and which rules decided after that.
    For other methods it has the scores, the verdicts, and what the wishes of the user changed.

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
        found = Explanation(page, kept, segments=_whys(page, kept), source=url)
    else:
        cleaner = Cleaner() if cleaner is None else cleaner
        if isinstance(page, Page):
            document, kept = cleaner.page(page)
            url = url or page.url
        else:
            document = page if isinstance(page, Document) else cleaner.document(page, url)
            kept = cleaner.keep(document)
        found = _explained(document, cleaner, kept, url)
    return found if gold is None else with_gold(found, gold)


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
    bar, causes, notes = _causes(document, method, trace, name)
    rulings, changed = _rulings_of(document, trace)
    model = getattr(method, "model", None)
    ngrams = model and model.own_ngrams
    grams = _ngrams(document, ngrams) if ngrams is not None else repeat(None)
    segments = _whys(document, kept, bar, causes or repeat(_NO_CAUSES), rulings, grams)
    return Explanation(
        document, kept, name, about, segments, (*notes, *changed), causes is not None, source
    )  # fmt: skip


# what a segment is expected to score, and what features, later steps, and features at first sight add
_Causes = tuple[float | None, tuple[Reason, ...], tuple[Reason, ...], tuple[Reason, ...]]
_NO_CAUSES: _Causes = (None, (), (), ())


def _causes(
    document: Document, method: Any, trace: Trace, name: str
) -> tuple[float | None, list[_Causes] | None, list[str]]:
    """Takes the scores of `hybrid` and `ngram` apart.

    Returns the score that a segment must reach, in bits (None if the page has no main text); the causes of
    each score, or None; and sentences about the page.
    """
    if isinstance(method, Hybrid) and trace.steps is not None:
        if not trace.steps.filled:
            size = counted(PART_OF_TEXT if document.is_text else PART, "segment")
            said = f"the page has more than {size} and is judged in parts: scores are not taken apart"
            return None, None, [said]
        bar, causes = _causes_of_hybrid(method.model, trace.steps, document.is_text)
        lost = "nothing is kept, because no part of the page is likely enough to be main text"
        if not len(document):
            lost = "the file has no text: scripts may load it later"
        return bar, causes, [lost] if bar is None else []
    if isinstance(method, (Hybrid, NGram)):
        notes = ["the model judges plain text by its n-grams alone"] if name == "hybrid" else []
        return *_causes_of_ngrams(document, NGramModel.of_model(method.model)), notes
    about = METHODS[name].about
    return None, None, [f"{name} keeps {about}; only hybrid and ngram are explained step by step"]


def _whys(
    document: Document,
    kept: Kept,
    bar: float | None = None,
    causes: Iterable[_Causes] = repeat(_NO_CAUSES),
    rulings: Iterable[Sequence[Ruling]] = repeat(()),
    ngrams: Iterable[NGrams | None] = repeat(None),
) -> tuple[Why, ...]:
    scores = repeat(None) if kept.scores is None else map(float, kept.scores)
    columns = zip(
        document, kept.mask.tolist(), scores, causes, rulings, ngrams, kept.marks_of(document), strict=False
    )
    return tuple(
        Why(segment, keeps, score, bar, base, features, steps, tuple(ruled), said, first, sign=chr(mark))
        for segment, keeps, score, (base, features, steps, first), ruled, said, mark in columns
    )


# --------------------------------------------------------------------------------------------------
# The parts of a score.


def _causes_of_ngrams(document: Document, model: NGramModel) -> tuple[float, list[_Causes]]:
    """Takes the scores of n-grams apart: evidence and neighbours."""
    table, decision = document.segments, model.decision
    sums, counts = model.log_odds(document.data, table["start"], table["end"])
    scores = decision.statistics(sums, counts)
    if decision.statistic != "page":
        per = "a character" if decision.statistic == "character" else "for the whole segment"
        said = f"its n-grams, {per}"
        return decision.threshold, [
            (0.0, (), (Reason(said, score, "n-grams"),), ()) for score in scores.tolist()
        ]
    alone = decision.scale * (decision.slope * saturated(sums) + decision.offset)
    near = scores - decision.shift - alone
    steps = (
        (
            Reason(f"its n-grams: {total:+.1f} bits, which saturate and are calibrated", own, "n-grams"),
            Reason("the segments around it, and its place on the page", around, "neighbours"),
        )
        for total, own, around in zip(sums.tolist(), alone.tolist(), near.tolist(), strict=True)
    )
    return decision.threshold, [(decision.shift, (), added, ()) for added in steps]


def _causes_of_hybrid(model: HybridModel, steps: Steps, is_text: bool) -> tuple[float | None, list[_Causes]]:
    """Takes the scores of a hybrid apart: features, and the steps after the last judgement."""
    structure, calibration, _ = model.part(is_text)
    slope, offset = calibration.slope / _BIT, calibration.offset / _BIT
    found: list[_Causes] = []
    later = _later_steps(steps, slope)
    most = len(steps.first) if len(steps.first) <= _MANY else _STRONGEST
    for begin in range(0, len(steps.first), _ROWS):
        rows = np.arange(begin, min(begin + _ROWS, len(steps.first)), dtype=np.int32)
        roots, values = _contributions(structure, steps, rows)
        features = _reasons(steps, rows, slope * values, most)
        seen = _reasons(steps, rows, slope * _contributions(structure, steps, rows, only_first=True)[1], most)
        base, again = (slope * roots + offset).tolist(), steps.again[rows].tolist()
        found += [
            (expected, reasons, later[row], first if twice else ())
            for row, expected, reasons, first, twice in zip(
                rows.tolist(), base, features, seen, again, strict=True
            )
        ]
    return _bar(model, steps), found


def _contributions(
    structure: Structure, steps: Steps, rows: npt.NDArray[np.int32], *, only_first: bool = False
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns the base of some segments, and what the features add to it, in nats: shape
    (rows, 2 · spare + 1, features). A segment that is plainly boilerplate has the features of the first
    forest. Segments are compared with all of the page that the same forest judges."""
    forests = structure.forests
    base = np.zeros(len(rows))
    values = np.zeros((len(rows), 2 * steps.spare + 1, steps.matrix.shape[1]))
    every = np.arange(len(steps.first), dtype=np.int32)
    twice = every[steps.again]

    def add(
        name: str, some: npt.NDArray[np.bool_], weight: float, begin: int = 0, end: int | None = None
    ) -> None:
        forest = forests[name]
        background = every if name == "first" else twice
        root, found = forest.contributions(steps.matrix, steps.spare, rows[some], background, begin, end)
        base[some] += weight * root
        values[some, steps.spare - forest.reach : steps.spare + forest.reach + 1] += weight * found

    again = steps.again[rows] & (not only_first)
    add("first", ~again, 1.0)
    for name, weight in (("second", 1 - steps.articles), ("articles", steps.articles)):
        if weight > 0:
            add(name, again, weight, 0, EARLY)
            add(name, again & steps.by_all(name)[rows], weight, EARLY)
    return base, values


def _reasons(
    steps: Steps, rows: npt.NDArray[np.int32], bits: npt.NDArray[np.float64], most: int
) -> Iterator[tuple[Reason, ...]]:
    """Yields what the features add to each of some segments, the strongest first; the weak ones as one."""
    width = bits.shape[2]
    for row, added in zip(rows.tolist(), bits.reshape(len(rows), -1), strict=True):
        strong = np.flatnonzero(np.abs(added) > _NOTHING)
        strong = strong[np.argsort(-np.abs(added[strong]), kind="stable")]
        reasons = []
        for player in strong[:most].tolist():
            away, column = player // width - steps.spare, player % width
            value = float(steps.matrix[row + steps.spare + away, column])
            reasons.append(
                Reason(said_of(column, away, value), float(added[player]), feature_name(column, away))
            )
        if len(rest := strong[most:]):
            reasons.append(Reason(f"{len(rest):,} other features", float(added[rest].sum()), "rest"))
        yield tuple(reasons)


def _later_steps(steps: Steps, slope: float) -> list[tuple[Reason, ...]]:
    """Returns what the steps after the last judgement add to each segment."""
    parts = (
        (slope * steps.evened, "others of its style are judged otherwise", "alike"),
        (slope * steps.favoured, "the page has no boilerplate", FRAGMENT),
        (slope * steps.stock, "a stock phrase, boilerplate on many sites", "phrase"),
        (steps.ngrams / _BIT, "its n-grams, with those around it, count for half", "n-grams"),
        (steps.site / _BIT, "its text is on many pages of the site", "site"),
    )
    return [
        tuple(Reason(said, float(bits[row]), name) for bits, said, name in parts if abs(bits[row]) > _NOTHING)
        for row in range(len(steps.first))
    ]


def _bar(model: HybridModel, steps: Steps) -> float | None:
    """Returns the score that a segment must reach, in bits; None if no segment of the page could."""
    if model.threshold is not None:
        return model.threshold
    return math.log2(steps.bar / (1 - steps.bar)) if 0 < steps.bar < 1 else None


def _rulings_of(document: Document, trace: Trace) -> tuple[list[list[Ruling]], list[str]]:
    """Returns the rules that changed the verdict about each segment, and sentences about the page."""
    rulings: list[list[Ruling]] = [[] for _ in range(len(document))]
    notes = []
    flags = document.segments["flags"].tolist()
    _, before = trace.rules[0]
    for name, mask in trace.rules[1:]:
        for row in np.flatnonzero(mask != before).tolist():
            keeps = bool(mask[row])
            if name == "copy" and trace.copied is not None:
                said = f"a copy of segment {trace.copied[row]}, which is kept"
            elif name == "form":
                on_page = trace.steps and not document.is_text
                said = _form(flags[row]) + (", on a page with little other text" if on_page else "")
            else:
                said = _SAID["keeps" if keeps else "removes"].get(name, f"by the rule {name}")
            rulings[row].append(Ruling(keeps, said, name))
        if name in _SAID["removes all"] and before.any() and not mask.any():
            notes.append(_SAID["removes all"][name])
        before = mask
    return rulings, notes


_SAID: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def _form(flags: int) -> str:
    """Returns the reason why the heuristics remove a segment."""
    if flags & HIDDEN:
        return "not shown when the page opens"
    if flags & HEADER:
        return "a field of the header of a message"
    return "it has the form of a menu, a copyright line, or has no letter"


# --------------------------------------------------------------------------------------------------
# Words and n-grams.


def _ngrams(document: Document, model: NGramModel) -> Iterator[NGrams]:
    """Yields the n-grams of each segment, by its model: another one where the page has other languages."""
    others = {int(row): other for rows, other in model.others for row in rows.tolist()}
    for row, own in enumerate(document.texts):
        used, text = others.get(row, model), composed(own)
        values = used.ratio.values(used.alphabet.encoder, text.encode("utf-8", "replace"))
        pieces, grams = tuple(_pieces(text, values)), tuple(_grams(text, values, used.order))
        yield NGrams(float(values.sum()), pieces, grams, used.name)


def _pieces(text: str, values: npt.NDArray[np.float64]) -> list[ScoredWord]:
    """Returns the words of a text; white space counts to the word before it, at the beginning to the first
    one."""
    sums = np.concatenate(([0.0], np.cumsum(values)))
    places = [found.span() for found in _PIECE.finditer(text)]
    found = []
    for number, (start, end) in enumerate(places):
        begin = 0 if number == 0 else start
        # the last word also has the n-gram at the end of the segment
        behind = len(values) if number + 1 == len(places) else places[number + 1][0]
        found.append(ScoredWord(text[start:end], float(sums[behind] - sums[begin])))
    return found


def _grams(text: str, values: npt.NDArray[np.float64], order: int) -> list[Gram]:
    shown = _EDGE * (order - 1) + "".join(_SPACE if char.isspace() else char for char in text) + _EDGE
    bits: dict[str, float] = defaultdict(float)
    times: dict[str, int] = defaultdict(int)
    for place, value in enumerate(values.tolist()):
        gram = shown[place : place + order]
        bits[gram] += value
        times[gram] += 1
    return sorted(
        (Gram(gram, times[gram], bits[gram]) for gram in bits), key=lambda gram: (-abs(gram.bits), gram.text)
    )
