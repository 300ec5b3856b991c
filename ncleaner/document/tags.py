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

from ncleaner.text.wordlists import pairs_of, word_lists

# Roles: what the dumper does at a tag.
INLINE = 0  # text continues across the tag; the tag may set a context bit
BLOCK = 1  # the tag separates segments, and the element gets a row in the element table
LEFT_OUT = 2  # the element and everything inside it are left out
BREAK = 3  # <br>
IMAGE = 4  # <img>: its alternative text becomes text if the user asks for it
RULE = 5  # the tag separates segments, and the element has no content

# Forms of blocks: the kind of segment that begins in a block.
PLAIN, HEADING, ITEM, PREFORMATTED = range(4)

# `tags.txt` says what these are.
_LISTS = word_lists(
    "document/tags", "inline", "block", "left out", "format", "void", "objects", "contexts",
)  # fmt: skip
_INLINE, _BLOCK, _LEFT_OUT = pairs_of(_LISTS["inline"]), _LISTS["block"], _LISTS["left out"]

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

VOID: frozenset[str] = frozenset(_LISTS["void"])

# Sides of a joint: what is at either side of a place where two pieces of text touch (`_spaces.pyx`).
TEXT = 0  # the text itself
FORMAT = 1  # an element that only formats text: a word may continue across it
SHIFTED = 2  # above or below the line
LINK = 3
OTHER = 4
SIDE: dict[str, int] = {
    **dict.fromkeys(TAGS, OTHER),
    **dict.fromkeys(_LISTS["format"], FORMAT),
    "sup": SHIFTED,
    "sub": SHIFTED,
    "a": LINK,
}
OBJECTS: frozenset[str] = frozenset(_LISTS["objects"])

CONTEXT: tuple[str, ...] = _LISTS["contexts"]
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
