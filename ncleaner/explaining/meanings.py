"""The features of the structure model in plain words, with their values on a page."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from ncleaner.explaining.shapley import Player
from ncleaner.modelling.features import FEATURES, OUTSIDE

__all__ = ["feature_name", "said_of"]

# {name of a feature: what it says}. `{n}` is a number, `{p}` a share in per cent, `{b}` log-odds with a sign;
# a flag
# has two forms, for set and not set.
_SAID = dict(
    line.strip().split(" | ", 1)
    for line in """
    words | {n} words
    chars | {n} characters
    word-length | {n} characters a word
    link-density | {p} of it in links
    lower | {p} small letters
    upper | {p} capitals
    digits | {p} digits
    punctuation | {p} punctuation
    without-case | {p} letters of a script without capitals
    capitalised | {p} of its words begin with a capital
    sentences | {n} ends of sentences
    commas | {n} commas
    questions | {n} question or exclamation marks
    separators | {n} separators such as | / ·
    money | {n} signs of money or %
    signs | {n} of the signs # @ + = ©
    quotes | {n} quotation marks
    ends-sentence | ends as a sentence does / does not end as a sentence does
    ends-colon | ends with a colon / does not end with a colon
    begins-upper | begins with a capital / does not begin with a capital
    begins-lower | begins with a small letter / does not begin with a small letter
    begins-digit | begins with a digit / does not begin with a digit
    bullet | begins with a bullet or a number / does not begin with a bullet
    heading | is a heading / is no heading
    item | is a list item / is no list item
    breaks | {n} line breaks inside
    preformatted | preformatted text / not preformatted
    hidden | hidden when the page opens / shown when the page opens
    runs | cut into {n} pieces by tags
    bold | {p} bold
    italic | {p} italic
    small | {p} small print
    code | {p} code
    time | {p} marked as a time
    label | {p} marked as a label
    span | {p} inside <span>
    font | {p} inside <font>
    opened | {n} blocks open before it
    closed | {n} blocks close before it
    duplicates | this text is {n} times on the page
    seen-before | this text is {n} times before it on the page
    of-title | {p} of its words are in the page's title
    title-covered | it has {p} of the title's words
    odds | its n-grams: {b} bits
    odds-per-char | its n-grams: {b} bits a character
    posterior | its n-grams, with those around it: {b} bits
    position | {p} of the segments are before it
    char-position | {p} of the characters are before it
    from-start | {n} segments before it
    from-end | {n} segments to the end of the page
    from-headline | {n} segments behind the headline
    headline-above | {n} levels up to a block with the headline
    headline-below | the headline is {n} levels below their common block
    has-h1 | the page has an <h1> / the page has no <h1>
    from-heading | {n} segments since the last heading
    heading-level | the last heading is of level {n}
    depth | nested {n} blocks deep
    links-before | {p} links in the segment before it
    links-after | {p} links in the segment after it
    heading-links | {p} links in the last heading
    in-byline | in the byline / not in the byline
    in-standfirst | in the standfirst / not in the standfirst
    in-caption | in a caption / not in a caption
    in-comment | in the readers' comments / not in the readers' comments
    in-related | among links to related pages / not among links to related pages
    names-own | the class names of its block: {b}
    names-least | worst class name here or above: {b}
    names-most | best class name here or above: {b}
    names-sum | class names of all blocks above: {b}
    names-near | class names of the near blocks: {b}
    first | {p} likely at first sight
    mass-position | {p} of the main text is before it
    repeated | in a block that is one of {n} alike
    repeated-above | {n} levels up to the block that is repeated
    repeated-chars | the block that is repeated has {n} characters
    core-above | {n} levels up to the block with half of the main text
    core-branch | {p} of the main text in its branch of the main block
    core-depth | the block with half of the main text is {n} deep
    page-words | the page has {n} words
    page-segments | the page has {n} segments
    page-links | {p} of the page is links
    page-mass | {n} characters of main text on the page
    page-mass-share | {p} of the page is main text at first sight
    page-positive | {p} of the page would be kept at first sight
    page-elements | the page has {n} blocks
    """.strip().splitlines()
)
for _of, _alike in (("style", "of its style"), ("path", "under the same tags")):
    _SAID |= {
        f"{_of}-times": f"{{n}} segments {_alike}",
        f"{_of}-share": f"{{p}} of the page is {_alike}",
        f"{_of}-words": f"{{n}} words a segment {_alike}",
        f"{_of}-links": f"{{p}} links in segments {_alike}",
        f"{_of}-odds": f"segments {_alike} at first sight: {{b}}",
    }
for _level in range(6):
    _up = "in its block" if not _level else f"in the block {_level} level{'s' * (_level > 1)} up"
    _SAID |= {
        f"up{_level}-chars": f"{{n}} characters {_up}",
        f"up{_level}-links": f"{{p}} links {_up}",
        f"up{_level}-mass": f"{{p}} of the main text {_up}",
        f"up{_level}-siblings": f"{_up.removeprefix('in ')} is one of {{n}} alike",
        f"up{_level}-odds": f"segments {_up} at first sight: {{b}}",
        f"up{_level}-density": f"{{n}} characters a tag {_up}",
        f"up{_level}-order": f"{{p}} of the siblings alike are before it, {_up}",
    }
# {name of a feature: what it says with this value}
_ALONE: dict[str, tuple[str, float]] = {
    "style-times": ("the only segment of its style", 1),
    "path-times": ("the only segment under the same tags", 1),
    "repeated": ("neither its block nor one above is repeated", 1),
    "duplicates": ("this text is once on the page", 1),
    "seen-before": ("this text is not before it on the page", 0),
    "first": ("not likely at all at first sight", 0),
    **{
        f"up{level}-siblings": (f"{_SAID[f'up{level}-siblings'].partition(' is one')[0]} is not repeated", 1)
        for level in range(6)
    },
}
# "1 words"
_ONE = re.compile(r"(?<![\w,.+-])1 (\w+)s\b")
_SIDES = {-1: "before", 0: "not outside", 1: "behind"}


@cache
def feature_name(player: Player) -> str:
    """Returns the name of a feature; that of a neighbour has its distance: `words+1`."""
    column, row = player
    return FEATURES[column].name + (f"{row:+d}" if row else "")


@lru_cache(1 << 16)
def said_of(player: Player, value: float) -> str:
    """Returns what a feature says with a value.

    >>> from ncleaner.modelling.features import FEATURES
    >>> columns = {feature.name: column for column, feature in enumerate(FEATURES)}
    >>> said_of((columns["link-density"], 0), 0.8), said_of((columns["words"], 1), 12)
    ('80 % of it in links', 'next segment: 12 words')
    """
    column, row = player
    said = "outside of the page" if value <= OUTSIDE else _said(FEATURES[column].name, value)
    if not row:
        return said
    near = "next segment" if row > 0 else "segment before"
    away = near if abs(row) == 1 else f"{abs(row)} segments {'on' if row > 0 else 'back'}"
    return f"{away}: {said}"


def _said(name: str, value: float) -> str:
    kind, _, rest = name.partition("-")
    if kind == "in" and name not in _SAID:
        return f"{'inside' if value else 'not inside'} <{_tag(name)}>"
    if kind == "tag":
        return f"its block is {'' if value else 'not '}<{_tag(name)}>"
    if kind == "cue":
        where = {1: "a block above says", 2: "its block says"}.get(int(value), "no block above says")
        return f"{where} “{rest}” in its class, id or role"
    if kind == "kind":
        return f"kind of page: {rest} {_share(value)}"
    if kind.startswith("holder"):
        share = kind.removeprefix("holder")
        block = f"the block with {share} % of the main text"
        if rest == "inside":
            return f"{'inside' if value else 'outside'} {block}"
        if rest == "above":
            return f"outside {block}" if value < 0 else _ONE.sub(r"1 \1", f"{value:g} levels up to {block}")
        return f"{_SIDES[int(value)]} {block}"
    if name == "from-headline" and value < 0:
        return f"{-value:g} segments before the headline"
    if name == "headline-above" and value < 0:
        return "the page has no headline"
    said = _SAID[name]
    if " / " in said and "{" not in said:
        return said.split(" / ")[0 if value else 1]
    if value == _ALONE.get(name, ("", None))[1]:
        return _ALONE[name][0]
    found = said.format(n=_number(value), p=_share(value), b=f"{value:+.1f}")
    return _ONE.sub(r"1 \1", found)


@cache
def _tag(name: str) -> str:
    about = next(feature.about for feature in FEATURES if feature.name == name)
    names = about.rpartition(": ")[2].split()
    return "> or <".join("custom element" if tag == "-" else tag for tag in names)


def _share(value: float) -> str:
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 1 or percent == 0 else "under 1 %"


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) or abs(value) >= 100 else f"{value:.1f}"
