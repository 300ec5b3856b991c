"""Training of the model of notices: from notices and ordinary short texts that we wrote, and from small parts
of gold pages.

A file of texts has a block of lines for each text, with an empty line between blocks. The first line of a
block is `language | kind | title`, and the title may be empty. A line with `> ` is a button or link.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.errors import TrainingError
from ncleaner.lab.training.fragments import fragment_of
from ncleaner.lab.training.pairs import Pair
from ncleaner.modelling._terms import BUCKETS, terms_of
from ncleaner.modelling.notices import Notices

__all__ = ["Small", "Text", "read_texts", "small_parts", "terms_of_texts", "train_notices"]

Terms = npt.NDArray[np.uint16]

# Strength of the regularisation (λ/2 of the squared weights) where all notices together weigh as much as all
# other texts; more or less of it finds fewer notices at the same share of small texts lost (docs/zones.md).
_LAMBDA = 0.03
# A text counts as a notice from these log-odds on, in nats: it is worse to lose a text than to keep a notice.
_DOUBT = 0.85
# steps of the descent: twice as many change no decision
_STEPS = 400
# The largest weight of a model, in its steps.
_LARGEST = 127
# A page gives parts of its gold text if so much of the gold text is on the page; its segments belong to the
# gold text to this share.
_WHOLE, _SURELY = 0.5, 0.9
# parts of each gold page
_PARTS = 2


@dataclass(frozen=True, slots=True)
class Text:
    """A notice, or an ordinary short text.

    Attributes:
        language: ISO 639-1.
        kind: of notice, such as `error` or `consent`; `text` for an ordinary text.
        title: may be empty.
        lines: its paragraphs.
        buttons: texts of links or buttons below.
    """

    language: str
    kind: str
    title: str
    lines: tuple[str, ...]
    buttons: tuple[str, ...]

    def pages(self) -> list[str]:
        """Returns it as HTML in three ways: with title and headline, only with a title, only with a
        headline."""
        lines = [f"<p>{escape(line)}</p>" for line in self.lines]
        links = [f"<p><a href=/>{escape(button)}</a></p>" for button in self.buttons]
        body, title = "".join(lines + links), escape(self.title)
        return [
            f"<title>{title}</title><h1>{title}</h1>{body}",
            f"<title>{title}</title>{body}",
            f"<h1>{title}</h1>{''.join(lines)}",
        ]


class Small(NamedTuple):
    """A part of a gold page that is small enough to be judged.

    Attributes:
        site: registered domain of the page.
        terms: its terms.
    """

    site: str
    terms: Terms


def read_texts(path: Path) -> list[Text]:
    """Reads a file of texts.

    Raises:
        TrainingError: the file cannot be read, or a block has another form.
    """
    try:
        blocks = path.read_text("utf-8").split("\n\n")
    except (OSError, ValueError) as error:
        raise TrainingError(f"cannot read the texts {path}: {error}") from error
    found = []
    for block in blocks:
        head, *lines = [line.strip() for line in block.strip().splitlines()] or [""]
        if not head:
            continue
        language, *rest = (part.strip() for part in head.split("|", 2))
        if len(rest) != 2:
            raise TrainingError(f"{path}: a text begins with {head!r}, not with `language | kind | title`")
        buttons = tuple(line[2:] for line in lines if line.startswith("> "))
        paragraphs = tuple(line for line in lines if not line.startswith("> "))
        found.append(Text(language, rest[0], rest[1], paragraphs, buttons))
    return found


def _terms(document: Document, mask: npt.NDArray[np.bool_] | None = None) -> Terms | None:
    chosen = np.ones(len(document), bool) if mask is None else mask
    return terms_of(document.tables, chosen, document.title.encode("utf-8", "replace"))


def terms_of_texts(texts: Iterable[Text]) -> list[Terms]:
    """Returns the terms of each text in each of its forms, except where it is too long to be judged."""
    found = (_terms(dump_html(html)) for text in texts for html in text.pages())
    return [terms for terms in found if terms is not None]


def small_parts(pair: Pair) -> list[Small]:
    """Returns what a gold page has that must never be taken for a notice: fragments of its clean text, and
    all of it, if they are small."""
    site = pair.site or pair.name
    if pair.alignment.found < _WHOLE:
        return []
    clean = pair.alignment.shares >= _SURELY
    fragments = [fragment_of(pair.document, clean, f"{pair.name}{part or ''}") for part in range(_PARTS)]
    parts = [_terms(fragment.document) for fragment in fragments if fragment is not None]
    parts.append(_terms(pair.document, clean))
    return [Small(site, terms) for terms in parts if terms is not None]


def train_notices(
    notices: Sequence[Terms], others: Sequence[Terms], about: dict[str, Any] | None = None
) -> Notices:
    """Trains a model of notices.

    The two classes weigh the same, and the probability of a notice is 0.5 where the log-odds are `_DOUBT`.
    The same input gives the same model.

    Args:
        notices, others: terms of notices, and of all other texts.
        about: entries of the model's header.

    Raises:
        TrainingError: one of the two classes is empty.
    """
    if not notices or not others:
        raise TrainingError("a model of notices needs notices and other texts")
    weights = _fitted([*notices, *others], len(notices))
    step = float(np.abs(weights[:-1]).max()) / _LARGEST or 1.0
    stored = np.rint(weights[:-1] / step).astype(np.int8)
    return Notices(stored, step, float(weights[-1]) - _DOUBT, dict(about or {}))


def _fitted(rows: Sequence[Terms], positive: int) -> npt.NDArray[np.float64]:
    """Returns the weights of a logistic regression, and its offset, by Nesterov's accelerated gradient
    descent.

    A row's features are 1/√(number of its terms) for each of its terms. The first `positive` rows are the
    positive ones.
    """
    lengths = np.array([len(row) for row in rows])
    terms = np.concatenate(rows).astype(np.int64)
    begins = np.concatenate(([0], np.cumsum(lengths)[:-1]))
    scales = 1 / np.sqrt(lengths)
    labels = np.arange(len(rows)) < positive
    # a text has three forms: they count as one
    masses = np.where(labels, (len(rows) - positive) / positive, 1.0) / 3

    def forward(at: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        found: npt.NDArray[np.float64] = np.add.reduceat(at[terms], begins) * scales + at[-1]
        return found

    def backward(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        sums = np.bincount(terms, np.repeat(values * scales, lengths), BUCKETS)
        return np.append(sums, values.sum())

    # the largest curvature, by power iteration; a logistic function bends by a quarter at most
    direction = np.ones(BUCKETS + 1)
    for _ in range(20):
        direction = backward(masses * forward(direction))
        curvature = float(np.sqrt((direction * direction).sum()))
        direction /= curvature
    rate = 1 / (curvature / 4 + _LAMBDA)
    best = ahead = np.zeros(BUCKETS + 1)
    momentum = 1.0
    for _ in range(_STEPS):
        probabilities = 1 / (1 + np.exp(-forward(ahead)))
        slope = backward(masses * (probabilities - labels))
        slope[:-1] += _LAMBDA * ahead[:-1]
        moved = ahead - rate * slope
        faster = (1 + (1 + 4 * momentum * momentum) ** 0.5) / 2
        ahead = moved + (momentum - 1) / faster * (moved - best)
        best, momentum = moved, faster
    return best
