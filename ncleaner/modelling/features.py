"""The features of the hybrid method: the name, the meaning, the source and the group of each.

The features of a page form a matrix with one row per segment. Its columns have three parts: the features of
each segment before any judgement (`_segment_features.pyx`), the features that need a first judgement of all
segments (`_page_features.pyx`), and the kind of the page, which follows from means of all these features over
the page. This module holds the only list of their names, in the order of the columns.

Sources: Victor (Marek, Pecina and Spousta 2007, section 3; Spousta, Marek and Pecina 2008), NCleaner (Evert
2008), boilerpipe (Kohlschütter, Fankhauser and Nejdl 2010, section 3), CETR (Weninger, Hsu and Han 2010),
jusText (Pomikálek 2011, chapter 3), Dragnet (Peters and Lecocq 2013), Web2Text (Vogels, Ganea and Eickhoff
2018, section 3). A feature without a source is new in ncleaner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document, tags
from ncleaner.document.kept import KINDS
from ncleaner.modelling import _page_features, _segment_features

__all__ = [
    "FEATURES",
    "GROUPS",
    "KIND_COLUMN",
    "OUTSIDE",
    "PAGE_FEATURES",
    "PLAIN",
    "SEGMENT_COLUMNS",
    "WEIGHTS",
    "Feature",
    "Matrix",
    "columns_of",
    "first_features",
    "page_features",
    "second_features",
]

SEGMENT_COLUMNS: int = _segment_features.COLUMNS
WEIGHTS: int = _segment_features.WEIGHTS

Matrix = npt.NDArray[np.float32]
# The value of rows outside the page. No feature has this value.
OUTSIDE = -1000.0


@dataclass(frozen=True, slots=True)
class Feature:
    """One column of the matrix.

    Attributes:
        name: the name, unique.
        group: the group; a group can be switched off as a whole.
        about: the meaning of the value.
        source: the system that described the feature first, as far as known.
    """

    name: str
    group: str
    about: str
    source: str = ""


def _table(group: str, text: str) -> list[Feature]:
    """Returns the features of lines of the form `name | description | source`."""
    found = []
    for line in text.strip().splitlines():
        name, about, *source = (part.strip() for part in line.split("|"))
        found.append(Feature(name, group, about, source[0] if source else ""))
    return found


_TEXT = _table(
    "text",
    """
    words | words, separated by white space | Victor
    chars | characters, white space apart | Victor
    word-length | characters per word | Web2Text
    link-density | share of the characters inside links | boilerpipe
    lower | share of small letters | Victor
    upper | share of capitals | Victor
    digits | share of digits | Victor
    punctuation | share of all else but white space | Victor
    without-case | share of letters of scripts without case
    capitalised | share of the words that begin with a capital | Web2Text
    sentences | ends of sentences | Victor
    commas | commas | jusText
    questions | question and exclamation marks | Web2Text
    separators | bars, slashes, dots and arrows between items | NCleaner
    money | signs of currency and per cent
    signs | # @ + = ©
    quotes | quotation marks
    ends-sentence | 1 when the end of a sentence is the last mark | Victor
    ends-colon | 1 when a colon is
    begins-upper | 1 when the first character is a capital | Victor
    begins-lower | 1 when it is a small letter
    begins-digit | 1 when it is a digit
    bullet | 1 when a bullet or an enumeration comes first | Victor
    """,
)
_MARKUP = _table(
    "markup",
    """
    heading | 1 for a heading | Victor
    item | 1 for a list item | Victor
    breaks | line breaks inside | Victor
    preformatted | 1 inside <pre>
    hidden | 1 in a block that is not shown at first
    runs | pieces that tags cut it into | Victor
    bold | share of the text inside <b>, <strong> | Victor
    italic | share of the text inside <i>, <em> | Victor
    small | share of the text inside <small>
    code | share of the text inside <code>
    time | share of the text inside <time> | Victor
    label | share of the text inside <label> | Victor
    span | share of the text inside <span>
    font | share of the text inside <font>
    opened | block tags opened since the segment before | Victor
    closed | block tags closed since the segment before | Victor
    """,
)
_COPIES = _table(
    "copies",
    """
    duplicates | segments of the page with this text, shown or hidden as it is | Victor
    seen-before | segments before this one with this text | Victor
    of-title | share of its words that occur in the page's title
    title-covered | share of the title's words that occur in it
    """,
)
_NGRAMS = _table(
    "n-grams",
    """
    odds | log-odds of clean against dirty text, bits | NCleaner
    odds-per-char | the same per character: the difference of two cross-entropies | NCleaner
    posterior | log-odds given all segments of the page, bits
    """,
)
_PLACE = _table(
    "place",
    """
    position | share of the segments before it | Victor
    char-position | share of the characters before it
    from-start | segments before it
    from-end | segments from this one to the end of the page
    from-headline | segments since the page's headline, negative before it
    headline-above | levels up to the first block that holds the headline too, -1 without a headline
    headline-below | levels down from that block to the headline
    has-h1 | 1 when the page has one
    from-heading | segments since the last heading tag
    heading-level | its level, 0 before the first
    depth | nesting of its block | Web2Text
    links-before | share of the characters of the segment before it inside links
    links-after | the same of the segment behind it
    heading-links | the same of the last heading before it
    in-byline | 1 in the byline: author, date
    in-standfirst | 1 in the summary below the headline
    in-caption | 1 in a caption
    in-comment | 1 in the readers' comments
    in-related | 1 in links to related pages
    """,
)
_NAMES = _table(
    "names",
    """
    names-own | learned weights of the words in its block's class, id and role, summed | Dragnet
    names-least | smallest weight of such a word here or above
    names-most | largest weight of such a word here or above
    names-sum | sum over all blocks above
    names-near | the same, halved with every level
    """,
)
_TAGS = [
    *(
        Feature(f"tag-{names.split()[0]}", "tags", f"1 when its block is one of: {names}", "Victor")
        for names in _segment_features.OWN_TAGS
    ),
    *(
        Feature(f"in-{names.split()[0]}", "tags", f"1 when a block above is one of: {names}", "Victor")
        for names in _segment_features.TAGS_ABOVE
    ),
]
_CUES = [
    Feature(
        f"cue-{name}", "cues", f"2 when class, id or role of a near block say “{name}”, 1 of a farther one"
    )
    for name in tags.CUES
]
_FIRST = _table(
    "context",
    """
    first | first judgement, 0 to 1
    mass-position | share of the page's mass before it
    """,
)
_STYLES = [
    Feature(f"{of}-{name}", "styles", about.format(alike=alike))
    for of, alike in (("style", "the same tags and classes"), ("path", "the same tags"))
    for name, about in (
        ("times", "segments under {alike} from the root down"),
        ("share", "their share of the page's characters"),
        ("words", "their mean length in words"),
        ("links", "share of their characters inside links"),
        ("odds", "mean log-odds of their first judgement"),
    )
]
_REPETITION = _table(
    "styles",
    """
    repeated | largest number of similar siblings of its block or of a block above
    repeated-above | levels up to that block
    repeated-chars | characters of that block
    """,
)
_CORE = _table(
    "containers",
    """
    core-above | levels up to the first block that holds half of the page's mass
    core-branch | mass of the branch of that block that contains it
    core-depth | nesting of that block
    """,
)
_PAGE = _table(
    "page",
    """
    page-words | words | Victor
    page-segments | segments | Victor
    page-links | share of the characters inside links
    page-mass | mass
    page-mass-share | mass per character
    page-positive | share of the characters that the first judgement would keep
    page-elements | block elements
    """,
)
_LEVELS = [
    Feature(f"up{level}-{name}", "containers", f"{about}, {level} levels up", source)
    for level in range(_page_features.LEVELS)
    for name, about, source in (
        ("chars", "characters of the block", ""),
        ("links", "share of them inside links", ""),
        ("mass", "share of the page's mass", ""),
        ("siblings", "siblings alike", ""),
        ("odds", "mean log-odds of the first judgement below it", ""),
        ("density", "characters per tag", "CETR"),
        ("order", "its place among the siblings alike, 0 to 1", ""),
    )
]
_HOLDERS = [
    Feature(f"holder{100 * share:.0f}-{name}", "containers", about.format(share=f"{share:.0%}"))
    for share in _page_features.SHARES
    for name, about in (
        ("inside", "1 inside the innermost block that holds {share} of the mass"),
        ("above", "levels up to it, -1 outside"),
        ("side", "-1 before it, 1 behind it"),
    )
]

_KINDS = [
    Feature(f"kind-{kind}", "kind", f"probability that the page is of the kind {kind}") for kind in KINDS
]

FEATURES: tuple[Feature, ...] = (
    *_TEXT, *_MARKUP, *_COPIES, *_NGRAMS, *_PLACE, *_NAMES, *_TAGS, *_CUES, *_FIRST, *_STYLES, *_REPETITION,
    *_CORE, *_PAGE, *_LEVELS, *_HOLDERS, *_KINDS,
)  # fmt: skip
# The first column of the kinds. All columns before it are known when the kind of the page is judged.
KIND_COLUMN = len(FEATURES) - len(KINDS)
# A segment whose first judgement is smaller is plainly boilerplate: nobody looks at it again.
PLAIN = 0.1
# The features of a page: means of these columns over its segments that are not plain, weighted by mass. Means
# by characters besides tell kinds no better.
PAGE_FEATURES: tuple[str, ...] = tuple(f"{feature.name} by mass" for feature in FEATURES[:KIND_COLUMN])
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(feature.group for feature in FEATURES))


def columns_of(without: Iterable[str] = (), features: Sequence[Feature] = FEATURES) -> list[int]:
    """Returns the columns that are left without these groups or features.

    Raises:
        ValueError: a name in `without` is neither a group nor a feature.
    """
    left_out = set(without)
    known = {*GROUPS, *(feature.name for feature in features)}
    if left_out - known:
        raise ValueError(
            f"no feature or group {', '.join(map(repr, sorted(left_out - known)))}: the groups are "
            f"{', '.join(GROUPS)}"
        )
    return [
        column
        for column, feature in enumerate(features)
        if feature.name not in left_out and feature.group not in left_out
    ]


def first_features(
    document: Document,
    odds: npt.NDArray[np.float64],
    posterior: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float32],
    spare: int = 0,
) -> Matrix:
    """Returns a page's matrix with the columns that need no first judgement; the other columns are 0.

    Args:
        document: the page.
        odds, posterior: shape (segments,), float64: log-odds of the n-gram models, in bits.
        weights: shape (WEIGHTS,), float32: weights of the hashed words in class, id and role.
        spare: number of rows of `OUTSIDE` at either end.

    Returns:
        Shape (segments + 2 · spare, features), float32.
    """
    size = len(document)
    matrix = np.empty((size + 2 * spare, len(FEATURES)), np.float32)
    inner = matrix[spare : spare + size]
    _segment_features.fill(document.tables, document.title.encode(), odds, posterior, weights, inner)
    matrix[:spare] = matrix[spare + size :] = OUTSIDE
    return matrix


def second_features(
    document: Document,
    matrix: Matrix,
    probabilities: npt.NDArray[np.float64],
    spare: int = 0,
    least: float = 0,
) -> None:
    """Fills the columns that need a first judgement.

    Args:
        document: the page.
        matrix: shape (segments + 2 · spare, features), from `first_features`.
        probabilities: shape (segments,), float64: the first judgement, 0 to 1.
        spare: number of rows of `OUTSIDE` at either end.
        least: nobody looks at segments of smaller probability; their columns stay 0 unless they are at most
            `spare` rows from one that somebody looks at.
    """
    inner = matrix[spare : spare + len(document), SEGMENT_COLUMNS:KIND_COLUMN]
    _page_features.fill(document.tables, probabilities, inner, least, spare)


def page_features(
    document: Document, matrix: Matrix, probabilities: npt.NDArray[np.float64], spare: int = 0
) -> Matrix:
    """Returns the features of the page as a whole, `PAGE_FEATURES`: shape (1, page features), float32.

    Args:
        document: the page.
        matrix: shape (segments + 2 · spare, features), from `second_features`.
        probabilities: shape (segments,), float64: the first judgement, 0 to 1.
        spare: number of rows of `OUTSIDE` at either end.
    """
    row = np.zeros((1, len(PAGE_FEATURES)), np.float32)
    size = len(document)
    inner = matrix[spare : spare + size, :KIND_COLUMN]
    _page_features.average(document.tables, probabilities, inner, row[0], PLAIN)
    return row
