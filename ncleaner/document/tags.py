"""The meaning of each HTML tag for the dumper, and the names of the bits in the tables.

This module contains only data, which compiled code reads once at import.
`_tags.pxd` repeats some of the numbers for compiled code, and `_tags.check` compares the two at import.

Codes of tags and numbers of bits are used only inside a Document, and no model file contains them: features,
and the groups of tags that they use, are identified by name. The numbers must satisfy these conditions: h1 …
h6 have consecutive codes, a code is below 256, a context bit is below 32, and one bit beside the cues is free
for the blocks that are not shown (`_tables.pxd`). The numbers may change. A change of the meaning of a name
needs new models: another role of a tag changes the segments of a page, and another word in `cues.txt`
changes a feature.
"""

from __future__ import annotations

from ncleaner.text.wordlists import word_lists

# Roles: what the dumper does at a tag.
INLINE = 0  # text continues across the tag; the tag may set a context bit
BLOCK = 1  # the tag separates segments, and the element gets a row in the element table
LEFT_OUT = 2  # the element and everything inside it are left out
BREAK = 3  # <br>
IMAGE = 4  # <img>: its alternative text becomes text if the user asks for it
RULE = 5  # the tag separates segments, and the element has no content

# Forms of blocks: the kind of segment that begins in a block.
PLAIN, HEADING, ITEM, PREFORMATTED = range(4)

_INLINE = {
    "a": "link", "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "cite": "italic",
    "dfn": "italic", "var": "italic", "u": "underline", "ins": "underline", "s": "strike", "strike": "strike",
    "del": "strike", "code": "code", "kbd": "code", "samp": "code", "tt": "code", "small": "small",
    "big": "big", "font": "font", "sub": "sub", "sup": "sup", "q": "quote", "abbr": "abbr",
    "acronym": "abbr", "time": "time", "label": "label", "mark": "mark", "span": "span", "nobr": None,
    "bdi": None, "bdo": None, "data": None, "output": None, "ruby": None, "rb": None, "rt": None, "rtc": None,
    "wbr": None, "blink": None, "picture": None, "slot": None, "math": None, "basefont": None, "map": None,
    "head": None,
}  # fmt: skip
_BLOCK = (
    "html body div p section article main aside header footer nav hgroup address blockquote center form "
    "fieldset legend details summary dialog figure figcaption table caption tbody thead tfoot tr td th ul ol "
    "menu dir li dl dt dd h1 h2 h3 h4 h5 h6 pre listing xmp plaintext search noscript marquee multicol"
).split()
_LEFT_OUT = (
    "title script style template svg canvas iframe object embed applet audio video noframes noembed "
    "select option optgroup datalist textarea button input meter progress area rp param source track frame "
    "frameset"
).split()

# The code of a tag is its index here: 0 for unknown inline tags, 1 for unknown block tags (custom elements),
# and then the known tags.
TAGS: tuple[str, ...] = (
    "", "-", *_BLOCK, *_INLINE, *_LEFT_OUT, "br", "img", "image", "hr", "colgroup", "col",
)  # fmt: skip
CODE: dict[str, int] = {name: code for code, name in enumerate(TAGS)}

#: The codes of h1 to h6.
HEADINGS: tuple[int, ...] = tuple(CODE[f"h{level}"] for level in range(1, 7))

ROLE: dict[str, int] = {
    **dict.fromkeys(("", *_INLINE), INLINE),
    **dict.fromkeys(("-", *_BLOCK), BLOCK),
    **dict.fromkeys((*_LEFT_OUT, "colgroup", "col"), LEFT_OUT),
    **dict.fromkeys(("img", "image"), IMAGE),
    "br": BREAK,
    "hr": RULE,
}

FORM: dict[str, int] = {
    **{f"h{level}": HEADING for level in range(1, 7)},
    **dict.fromkeys(("li", "dt", "dd"), ITEM),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), PREFORMATTED),
}

# Elements that have only one tag: the thirteen void elements of the HTML standard, and the five that the
# standard also serializes without an end tag (basefont, bgsound, frame, keygen, param). Only the name counts,
# also inside <svg> and <math>.
VOID: frozenset[str] = frozenset(
    "area base br col embed hr img input link meta source track wbr "
    "basefont bgsound frame keygen param".split()
)  # fmt: skip

# Sides of a joint: what is at either side of a place where two pieces of text touch (`_spaces.pyx`).
TEXT = 0  # the text itself
FORMAT = 1  # an element that only formats text: a word may continue across it
SHIFTED = 2  # above or below the line
LINK = 3
OTHER = 4
_FORMAT = (
    "b strong i em u s strike del ins font big small code kbd samp tt var mark abbr acronym q cite dfn nobr "
    "bdi bdo wbr ruby rb rt rtc blink basefont math"
).split()
SIDE: dict[str, int] = {
    **dict.fromkeys(TAGS, OTHER),
    **dict.fromkeys(_FORMAT, FORMAT),
    "sup": SHIFTED,
    "sub": SHIFTED,
    "a": LINK,
}
# Elements without text of the page that the page shows in the line: words before and after them are apart.
OBJECTS: frozenset[str] = frozenset(
    "img image svg canvas iframe object embed applet audio video select textarea button input meter "
    "progress".split()
)

# Bits of `runs.context`: the inline elements around a run, and the alternative text of an image.
CONTEXT: tuple[str, ...] = (
    "link", "bold", "italic", "underline", "strike", "code", "small", "big", "font", "sub", "sup", "quote",
    "abbr", "time", "label", "mark", "span", "alt",
)  # fmt: skip
CONTEXT_BIT: dict[str, int] = {tag: CONTEXT.index(name) for tag, name in _INLINE.items() if name}

# The version of the hashes of words in class, id and role. It covers the definition of a word, the use of
# its first eight letters, the function `mix`, and the choice of bits. Structure models have weights for
# these hashes and record the version. Any change to the hashes needs a new version, and new training of the
# structure model and of the hybrids that contain their own. The hashes of styles are not covered: they are
# compared only with each other on one page, and no model contains them.
HASHES_VERSION = 1

# Bits of `elements.cues`: what words in class, id and role, those of `cues.txt`, say a block is for.
CUES = tuple(
    "content article text main title header footer navigation sidebar related advert comment forum share "
    "consent overlay form byline product list media code hidden author standfirst caption".split()
)
# `cues.txt` says what these are, and how to add one.
CUE_WORDS = word_lists("document/cues", *CUES)


def bit_names(bits: int, names: tuple[str, ...]) -> list[str]:
    """Returns the names of the bits that are set in `bits`, for human readers."""
    return [name for position, name in enumerate(names) if bits >> position & 1]
