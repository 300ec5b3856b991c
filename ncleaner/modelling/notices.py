"""The model of notices: pages whose text is not their own, such as error messages, walls and empty listings.

The structure of a page cannot tell an error message from a short text, so the model looks at the words: a
logistic regression over hashed terms (`_terms`). It judges only pages of which little text would be kept.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document, tags
from ncleaner.document.tables import PREFORMATTED, Table
from ncleaner.errors import ModelError
from ncleaner.fastclass import fastclass
from ncleaner.modelling._terms import BUCKETS, TERMS_VERSION, score_of
from ncleaner.modelling.container import Card, ModelFile, Parts, about_of, integers
from ncleaner.modelling.files import model_bytes
from ncleaner.text.visible import counted

_CODE = 1 << tags.CONTEXT.index("code")
# no notice has this many headings, each above a text of this many words
_SECTIONS, _WORDS = 3, 4
# Log-odds from which a text is surely no notice, beside a sentence about cookies.
_ORDINARY = 2.0
# Words for cookies, in the languages of the notices.
_COOKIES = re.compile("cookie|ciastecz|куки|クッキー|쿠키|ملفات تعريف", re.IGNORECASE)
_OWN = ("terms", "step", "offset")
# beyond these log-odds, in nats, the exponential function need not be asked
_CERTAIN = 30.0
# A long list of links below a short text is boilerplate if the text is a notice, but it may also be a listing
# with a phrase or two: then the text is a notice only from these log-odds on, in nats.
_SURELY = 1.0


@fastclass
class Notices(ModelFile):
    """A trained model of notices.

    Attributes:
        weights: shape (BUCKETS,), int8: the weight of each hash of a term, in steps of `step`.
        step: of the weights, in nats.
        offset: log-odds of a page without known terms, in nats.
        about: other entries of the header: training data.
    """

    KIND: ClassVar[str] = "notices"
    CALLED: ClassVar[str] = "a model of notices"

    weights: npt.NDArray[np.int8]
    step: float
    offset: float
    about: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.weights.shape != (BUCKETS,) or self.weights.dtype != np.int8:
            raise ValueError("the weights of terms are of another size")
        if not (math.isfinite(self.step) and math.isfinite(self.offset) and self.step > 0):
            raise ValueError("step and offset are finite, and the step is positive")

    def probability(self, document: Document, mask: npt.NDArray[np.bool_]) -> float:
        """Returns the probability that the text of an HTML page is a notice.

        Args:
            document: the page.
            mask: shape (segments,), bool: the segments that would be kept.

        Returns:
            0 to 1; above 0.5 for a notice. 0 if nothing would be kept, or too much for a notice: more than
            150 words, or 300 letters of a script that does not separate words, outside of links. A long link
            by itself counts as text. 0 also if the page would show lines of code, or sections: three headings
            or more, each above a sentence.
        """
        odds = self._odds(document, mask)
        if odds > 0:
            # a page may have a sentence about cookies beside a text of its own
            others = mask & ~_about_cookies(document, mask)
            if _sentences(document.segments[others]).any():
                rest = self._odds(document, others)
                if rest < -_ORDINARY:
                    odds = rest
        if math.isnan(odds) or odds < -_CERTAIN or (odds > 0 and _is_none(document, mask)):
            return 0.0
        return 1 / (1 + math.exp(-odds))

    def _odds(self, document: Document, mask: npt.NDArray[np.bool_]) -> float:
        """Returns the log-odds that a text is a notice; NaN for a text that is none."""
        parts = document.tables, mask, document.title.encode("utf-8", "replace"), self.weights
        odds = self.step * score_of(*parts) + self.offset
        return self.step * score_of(*parts, prose=True) + self.offset - _SURELY if math.isnan(odds) else odds

    def parts(self) -> Parts:
        """Returns the entries of the header, and the arrays."""
        return {"terms": TERMS_VERSION, "step": self.step, "offset": self.offset}, {"weights": self.weights}

    @classmethod
    def of_parts(cls, header: dict[str, Any], arrays: Mapping[str, npt.NDArray[Any]], name: str) -> "Notices":
        """Makes the model from an unpacked file.

        Raises:
            ModelError: this version computes other hashes of terms.
            ValueError: the weights are of another size, or a number is out of range.
        """
        if header["terms"] != TERMS_VERSION:
            raise ModelError(
                f"{name} was trained with version {header['terms']!r} of the hashes of terms, and this "
                f"ncleaner has version {TERMS_VERSION}: train it again"
            )
        steps = integers(arrays["weights"])
        weights = steps.astype(np.int8)
        if not np.array_equal(weights, steps):
            raise ValueError("a weight of a term is out of range")
        return cls(weights, float(header["step"]), float(header["offset"]), about_of(header, *_OWN))

    def summary(self) -> str:
        """Describes the model in a few words."""
        return f"{np.count_nonzero(self.weights):,} hashed terms"

    def card(self, number: int = 20) -> Card:
        """Describes the training and the weights; the terms themselves are not stored."""
        training = self.about.get("training") or {}
        positive, negative = int((self.weights > 0).sum()), int((self.weights < 0).sum())
        facts = [
            ("name", self.name),
            (
                "training",
                f"{counted(training.get('notices', 0), 'notice')}; "
                f"{counted(training.get('pages', 0), 'small text')} of "
                f"{counted(training.get('sites', 0), 'site')}",
            ),
            (
                "terms",
                f"{counted(positive, 'hash', 'hashes')} for a notice, {negative:,} against it, "
                f"of {BUCKETS:,}",
            ),
            ("sources", str(self.about.get("sources", "-"))),
        ]
        return Card(facts, [])


def _is_none(document: Document, mask: npt.NDArray[np.bool_]) -> bool:
    """Whether what is kept has a form that no notice has: lines of code, or sections."""
    segments = document.segments[mask]
    code = segments[segments["flags"] & PREFORMATTED > 0]
    lines = len(code) + sum(
        document.data.count(b"\n", start, end) for start, end in code[["start", "end"]].tolist()
    )
    contexts = document.runs["context"]
    runs = code[["first_run", "last_run"]].tolist()
    if lines > 1 and any((contexts[first : last + 1] & _CODE).any() for first, last in runs):
        return True
    if not len(document.elements):
        return False
    headings = np.isin(document.elements["tag"][segments["element"]], tags.HEADINGS)
    sentences = ~headings & _sentences(segments)
    return int((headings[:-1] & sentences[1:]).sum()) >= _SECTIONS


def _about_cookies(document: Document, mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Returns the segments of a mask whose text has a word for cookies: shape (segments,), bool."""
    found = np.zeros(len(document), np.bool_)
    for row in np.flatnonzero(mask).tolist():
        found[row] = _COOKIES.search(document[row].text) is not None
    return found


def _sentences(segments: Table) -> npt.NDArray[np.bool_]:
    """Returns the rows of segments that are long enough for a sentence and not mostly links."""
    return (segments["words"] >= _WORDS) & (2 * segments["link_chars"] < segments["chars"])


@cache
def shipped_notices() -> Notices:
    """Returns the shipped model, which is loaded once. Raises ModelError: it cannot be read."""
    return Notices.from_bytes(model_bytes("notices"), "notices")
