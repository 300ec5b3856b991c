"""The features of the hybrid method: the name, the meaning, the words, the source and the group of each.

The features of a page form a matrix with one row per segment. Its columns have three parts: the features of
each segment before any judgement (`_segment_features.pyx`), the features that need a first judgement of all
segments (`_page_features.pyx`), and the kind of the page, which follows from means of all these features over
the page. This module has the only list of them, in the order of the columns, which is compared with the
columns of the compiled code at import. A new feature is one entry here, and its name and its value in one of
the two.

Sources: Victor (Marek, Pecina and Spousta 2007, section 3; Spousta, Marek and Pecina 2008), NCleaner (Evert
2008), boilerpipe (Kohlschütter, Fankhauser and Nejdl 2010, section 3), CETR (Weninger, Hsu and Han 2010),
jusText (Pomikálek 2011, chapter 3), Dragnet (Peters and Lecocq 2013), Web2Text (Vogels, Ganea and Eickhoff
2018, section 3). A feature without a source is new in ncleaner.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document, tags
from ncleaner.document.kept import KINDS
from ncleaner.modelling import _page_features, _segment_features
from ncleaner.text.visible import counted

SEGMENT_COLUMNS: int = _segment_features.COLUMNS
WEIGHTS: int = _segment_features.WEIGHTS

Matrix = npt.NDArray[np.float32]
# The value of rows outside the page. No feature has this value.
OUTSIDE = -1000.0


class Feature(NamedTuple):
    """One column of the matrix.

    Attributes:
        name: the name, unique.
        group: the group; a group can be switched off as a whole.
        about: the meaning of the value.
        phrase: the value in words, for explanations. `{n}` is a number, `{p}` a share in per cent, `{b}`
            log-odds with a sign. A flag has two forms, `set / not set`. Values with words of their own follow
            after semicolons: `1 = the only one`, `below 0 = …`.
        source: the system that described the feature first, as far as known.
    """

    name: str
    group: str
    about: str
    phrase: str
    source: str = ""


def _table(group: str, text: str, **parts: str) -> list[Feature]:
    """Returns the features of pairs of lines: `name | description | source`, and the phrase; a name of
    `parts` in square brackets stands for the part."""
    for name, part in parts.items():
        text = text.replace(f"[{name}]", part)
    lines = text.strip().splitlines()
    found = []
    for line, phrase in zip(lines[::2], lines[1::2], strict=True):
        name, about, *source = (part.strip() for part in line.split("|"))
        found.append(Feature(name, group, about, phrase.strip(), *source))
    return found


def _tag_features(kind: str, about: str, phrase: str, groups: Iterable[str]) -> list[Feature]:
    """Returns a flag for each group of tags; `{tags}` in its phrase are the tags of the group."""
    return [
        Feature(
            f"{kind}-{names.split()[0]}",
            "tags",
            f"{about}: {names}",
            phrase.format(tags=f"<{'> or <'.join(names.split())}>".replace("<->", "<custom element>")),
            "Victor",
        )
        for names in groups
    ]


_TEXT = _table(
    "text",
    """
    words | words, separated by white space | Victor
        {n} words
    chars | characters, white space apart | Victor
        {n} characters
    word-length | characters per word | Web2Text
        {n} characters a word
    link-density | share of the characters inside links | boilerpipe
        {p} of it in links
    lower | share of small letters | Victor
        {p} small letters
    upper | share of capitals | Victor
        {p} capitals
    digits | share of digits | Victor
        {p} digits
    punctuation | share of all else but white space | Victor
        {p} punctuation
    without-case | share of letters of scripts without case
        {p} letters of a script without capitals
    capitalised | share of the words that begin with a capital | Web2Text
        {p} of its words begin with a capital
    sentences | ends of sentences | Victor
        {n} ends of sentences
    commas | commas | jusText
        {n} commas
    questions | question and exclamation marks | Web2Text
        {n} question or exclamation marks
    separators | bars, slashes, dots and arrows between items | NCleaner
        {n} separators between items
    money | signs of currency and per cent
        {n} signs of money or %
    signs | # @ + = ©
        {n} of the signs # @ + = ©
    quotes | quotation marks
        {n} quotation marks
    ends-sentence | 1 when the end of a sentence is the last mark | Victor
        ends as a sentence does / does not end as a sentence does
    ends-colon | 1 when a colon is
        ends with a colon / does not end with a colon
    begins-upper | 1 when the first character is a capital | Victor
        begins with a capital / does not begin with a capital
    begins-lower | 1 when it is a small letter
        begins with a small letter / does not begin with a small letter
    begins-digit | 1 when it is a digit
        begins with a digit / does not begin with a digit
    bullet | 1 when a bullet or an enumeration comes first | Victor
        begins with a bullet or a number / does not begin with a bullet
    """,
)
_MARKUP = _table(
    "markup",
    """
    heading | 1 for a heading | Victor
        is a heading / is not a heading
    item | 1 for a list item | Victor
        is a list item / is not a list item
    breaks | line breaks inside | Victor
        {n} line breaks inside
    preformatted | 1 inside <pre>
        preformatted text / not preformatted
    hidden | 1 in a block that is not shown at first
        hidden when the page opens / shown when the page opens
    runs | pieces that tags cut it into | Victor
        cut into {n} pieces by tags
    bold | share of the text inside <b>, <strong> | Victor
        {p} bold
    italic | share of the text inside <i>, <em> | Victor
        {p} italic
    small | share of the text inside <small>
        {p} small print
    code | share of the text inside <code>
        {p} code
    time | share of the text inside <time> | Victor
        {p} marked as a time
    label | share of the text inside <label> | Victor
        {p} marked as a label
    span | share of the text inside <span>
        {p} inside <span>
    font | share of the text inside <font>
        {p} inside <font>
    opened | block tags opened since the segment before | Victor
        {n} blocks open before it
    closed | block tags closed since the segment before | Victor
        {n} blocks close before it
    """,
)
_COPIES = _table(
    "copies",
    """
    duplicates | segments of the page with this text, shown or hidden as it is | Victor
        this text is {n} times on the page; 1 = this text is once on the page
    seen-before | segments before this one with this text | Victor
        this text is {n} times before it on the page; 0 = this text is not before it on the page
    of-title | share of its words that occur in the page's title
        {p} of its words are in the page's title
    title-covered | share of the title's words that occur in it
        it has {p} of the title's words
    """,
)
_NGRAMS = _table(
    "n-grams",
    """
    odds | log-odds of clean against dirty text, bits | NCleaner
        its n-grams: {b} bits
    odds-per-char | the same per character: the difference of two cross-entropies | NCleaner
        its n-grams: {b} bits a character
    posterior | log-odds given all segments of the page, bits
        its n-grams, with those around it: {b} bits
    """,
)
_PLACE = _table(
    "place",
    """
    position | share of the segments before it | Victor
        {p} of the segments are before it
    char-position | share of the characters before it
        {p} of the characters are before it
    from-start | segments before it
        {n} segments before it
    from-end | segments from this one to the end of the page
        {n} segments to the end of the page
    from-headline | segments since the page's headline, negative before it
        {n} segments after the headline; below 0 = {n} segments before the headline
    headline-above | levels up to the first block that holds the headline too, -1 without a headline
        {n} levels up to a block with the headline; -1 = the page has no headline
    headline-below | levels down from that block to the headline
        the headline is {n} levels below their common block
    has-h1 | 1 when the page has one
        the page has an <h1> / the page has no <h1>
    from-heading | segments since the last heading tag
        {n} segments since the last heading
    heading-level | its level, 0 before the first
        the last heading is of level {n}
    depth | nesting of its block | Web2Text
        nested {n} blocks deep
    links-before | share of the characters of the segment before it inside links
        {p} links in the segment before it
    links-after | the same of the segment after it
        {p} links in the segment after it
    heading-links | the same of the last heading before it
        {p} links in the last heading
    in-byline | 1 in the byline: author, date
        in the byline / not in the byline
    in-standfirst | 1 in the summary below the headline
        in the standfirst / not in the standfirst
    in-caption | 1 in a caption
        in a caption / not in a caption
    in-comment | 1 in the readers' comments
        in the readers' comments / not in the readers' comments
    in-related | 1 in links to related pages
        among links to related pages / not among links to related pages
    """,
)
_NAMES = _table(
    "names",
    """
    names-own | learned weights of the words in its block's class, id and role, summed | Dragnet
        the class names of its block: {b}
    names-least | smallest weight of such a word here or above
        worst class name here or above: {b}
    names-most | largest weight of such a word here or above
        best class name here or above: {b}
    names-sum | sum over all blocks above
        class names of all blocks above: {b}
    names-near | the same, halved with every level
        class names of the near blocks: {b}
    """,
)
_TAGS = [
    *_tag_features(
        "tag",
        "1 when its block is one of",
        "its block is {tags} / its block is not {tags}",
        _segment_features.OWN_TAGS,
    ),
    *_tag_features(
        "in",
        "1 when a block above is one of",
        "inside {tags} / not inside {tags}",
        _segment_features.TAGS_ABOVE,
    ),
]
_CUES = [
    feature
    for cue in tags.CUES
    for feature in _table(
        "cues",
        """
    cue-[cue] | 2 when class, id or role of a near block say “[cue]”, 1 of a farther one
        no block above says [said]; 1 = a block above says [said]; 2 = its block says [said]
    """,
        said="“[cue]” in its class, id or role",
        cue=cue,
    )
]
_FIRST = _table(
    "context",
    """
    first | first judgement, 0 to 1
        {p} likely at first sight; 0 = not likely at all at first sight
    mass-position | share of the page's mass before it
        {p} of the main text is before it
    """,
)
_STYLES = [
    feature
    for of, tags_of, alike in (
        ("style", "the same tags and classes", "of its style"),
        ("path", "the same tags", "under the same tags"),
    )
    for feature in _table(
        "styles",
        """
    [of]-times | segments under [tags] from the root down
        {n} segments [alike]; 1 = the only segment [alike]
    [of]-share | their share of the page's characters
        {p} of the page is [alike]
    [of]-words | their mean length in words
        {n} words a segment [alike]
    [of]-links | share of their characters inside links
        {p} links in segments [alike]
    [of]-odds | mean log-odds of their first judgement
        segments [alike] at first sight: {b}
    """,
        of=of,
        tags=tags_of,
        alike=alike,
    )
]
_REPETITION = _table(
    "styles",
    """
    repeated | largest number of similar siblings of its block or of a block above
        in a block that is one of {n} alike; 1 = neither its block nor one above is repeated
    repeated-above | levels up to that block
        {n} levels up to the block that is repeated
    repeated-chars | characters of that block
        the block that is repeated has {n} characters
    """,
)
_CORE = _table(
    "containers",
    """
    core-above | levels up to the first block that holds half of the page's mass
        {n} levels up to the block with half of the main text
    core-branch | mass of the branch of that block that contains it
        {p} of the main text in its branch of the main block
    core-depth | nesting of that block
        the block with half of the main text is {n} deep
    """,
)
_PAGE = _table(
    "page",
    """
    page-words | words | Victor
        the page has {n} words
    page-segments | segments | Victor
        the page has {n} segments
    page-links | share of the characters inside links
        {p} of the page is links
    page-mass | mass
        {n} characters of main text on the page
    page-mass-share | mass per character
        {p} of the page is main text at first sight
    page-positive | share of the characters that the first judgement would keep
        {p} of the page would be kept at first sight
    page-elements | block elements
        the page has {n} blocks
    """,
)
_LEVELS = [
    feature
    for level in range(_page_features.LEVELS)
    for feature in _table(
        "containers",
        """
    up[level]-chars | characters of the block, [level] levels up
        {n} characters in [block]
    up[level]-links | share of them inside links, [level] levels up
        {p} links in [block]
    up[level]-mass | share of the page's mass, [level] levels up
        {p} of the main text in [block]
    up[level]-siblings | siblings alike, [level] levels up
        [block] is one of {n} alike; 1 = [block] is not repeated
    up[level]-odds | mean log-odds of the first judgement below it, [level] levels up
        segments in [block] at first sight: {b}
    up[level]-density | characters per tag, [level] levels up | CETR
        {n} characters a tag in [block]
    up[level]-order | its place among the siblings alike, 0 to 1, [level] levels up
        {p} of the siblings alike are before it, in [block]
    """,
        level=str(level),
        block=f"the block {counted(level, 'level')} up" if level else "its block",
    )
]
_HOLDERS = [
    feature
    for share in _page_features.SHARES
    for feature in _table(
        "containers",
        """
    holder[percent]-inside | 1 inside the innermost block that holds [percent]% of the mass
        inside [block] / outside [block]
    holder[percent]-above | levels up to it, -1 outside
        {n} levels up to [block]; -1 = outside [block]
    holder[percent]-side | -1 before it, 1 after it
        not outside [block]; -1 = before [block]; 1 = behind [block]
    """,
        block="the block with [percent] % of the main text",
        percent=f"{100 * share:.0f}",
    )
]
_KINDS = [
    Feature(
        f"kind-{kind}",
        "kind",
        f"probability that the page is of the kind {kind}",
        f"kind of page: {kind} {{p}}",
    )
    for kind in KINDS
]

FEATURES: tuple[Feature, ...] = (
    *_TEXT, *_MARKUP, *_COPIES, *_NGRAMS, *_PLACE, *_NAMES, *_TAGS, *_CUES, *_FIRST, *_STYLES, *_REPETITION,
    *_CORE, *_PAGE, *_LEVELS, *_HOLDERS, *_KINDS,
)  # fmt: skip


def _check_columns() -> None:
    """Compares the table with the columns of the compiled code. Raises ImportError."""
    for first, module, features in (
        (0, _segment_features, (*_TEXT, *_MARKUP, *_COPIES, *_NGRAMS, *_PLACE, *_NAMES)),
        (SEGMENT_COLUMNS, _page_features, (*_FIRST, *_STYLES, *_REPETITION, *_CORE, *_PAGE)),
    ):
        for feature in features:
            column = getattr(module, feature.name.upper().replace("-", "_"), None)
            if column is None or FEATURES[first + column] is not feature:
                raise ImportError(f"the feature {feature.name!r} has another column in {module.__name__}")
    size = SEGMENT_COLUMNS + _page_features.COLUMNS + len(KINDS)
    if len(FEATURES) != size:
        raise ImportError(f"{len(FEATURES)} features, but {size} columns in compiled code")


_check_columns()
# The first column of the kinds. All columns before it are known when the kind of the page is judged.
KIND_COLUMN = len(FEATURES) - len(KINDS)
# A segment whose first judgement is smaller is plainly boilerplate, and is not judged again.
PLAIN = 0.1
# The features of a page: means of these columns over its segments that are not plain, weighted by mass. Means
# by characters besides tell kinds no better.
PAGE_FEATURES: tuple[str, ...] = tuple(f"{feature.name} by mass" for feature in FEATURES[:KIND_COLUMN])
GROUPS: tuple[str, ...] = tuple(dict.fromkeys(feature.group for feature in FEATURES))


def columns_of(without: Iterable[str] = ()) -> list[int]:
    """Returns the columns that are left without these groups or features.

    Raises:
        ValueError: a name in `without` is neither a group nor a feature.
    """
    left_out = set(without)
    known = {*GROUPS, *(feature.name for feature in FEATURES)}
    if left_out - known:
        raise ValueError(
            f"no feature or group {', '.join(map(repr, sorted(left_out - known)))}: the groups are "
            f"{', '.join(GROUPS)}"
        )
    return [
        column
        for column, feature in enumerate(FEATURES)
        if feature.name not in left_out and feature.group not in left_out
    ]


def first_features(
    document: Document,
    odds: npt.NDArray[np.float64],
    posterior: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float32],
) -> Matrix:
    """Returns a page's matrix with the columns that need no first judgement; the other columns are 0.

    Args:
        document: the page.
        odds, posterior: shape (segments,), float64: log-odds of the n-gram models, in bits.
        weights: shape (WEIGHTS,), float32: weights of the hashed words in class, id and role.

    Returns:
        Shape (segments, features), float32.
    """
    matrix = np.empty((len(document), len(FEATURES)), np.float32)
    _segment_features.fill(document.tables, document.title.encode(), odds, posterior, weights, matrix)
    return matrix


def second_features(
    document: Document, matrix: Matrix, probabilities: npt.NDArray[np.float64]
) -> npt.NDArray[np.float32]:
    """Fills the columns that need a first judgement, except the kinds.

    Args:
        document: the page.
        matrix: shape (segments, features), from `first_features`.
        probabilities: shape (segments,), float64: the first judgement, 0 to 1.

    Returns:
        The features of the page as a whole, `PAGE_FEATURES`: shape (page features,), float32.
    """
    return _page_features.fill(document.tables, probabilities, matrix, SEGMENT_COLUMNS, PLAIN)
