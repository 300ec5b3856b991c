"""What each HTML tag means to the dumper, and the names of the bits in the tables.

Plain data, read once at import by the compiled walk and by its Python fallback. Compiled code repeats some of
these numbers in `_tags.pxd`, and `_tags.check` compares the two at import.

Codes of tags and bits live as long as a Document and stand in no model file: features and the groups of tags
that they ask for go by name. What binds them: h1 … h6 have codes in a row, a code is below 256, a context bit
below 32, and the bits of cues leave room for the one that says that a block is not shown (`_document.pxd`).
The numbers may change; what the names mean may not without new models: another role of a tag changes the
segments of a page, and another word in `CUE_WORDS` changes a feature.
"""

from __future__ import annotations

__all__ = [
    "BLOCK",
    "BREAK",
    "CODE",
    "CONTEXT",
    "CONTEXT_BIT",
    "CUES",
    "CUE_WORDS",
    "FORM",
    "IMAGE",
    "INLINE",
    "LEFT_OUT",
    "ROLE",
    "RULE",
    "TAGS",
    "VOID",
    "bit_names",
]

# Roles: what happens at a tag.
INLINE = 0  # text runs on; may set a context bit
BLOCK = 1  # splits segments, gets a row in the element table
LEFT_OUT = 2  # neither the tag nor anything below it is text
BREAK = 3  # <br>
IMAGE = 4  # <img>: its alternative text, on demand
RULE = 5  # splits segments, has no content

# Forms of blocks: what kind of segment begins in them.
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

# Code of each tag: 0 for unknown inline tags, 1 for unknown block tags (custom elements), then in this order.
TAGS: tuple[str, ...] = (
    "",
    "-",
    *_BLOCK,
    *_INLINE,
    *_LEFT_OUT,
    "br",
    "img",
    "image",
    "hr",
    "colgroup",
    "col",
)
CODE: dict[str, int] = {name: code for code, name in enumerate(TAGS)}

ROLE: dict[str, int] = {
    **dict.fromkeys(_INLINE, INLINE),
    **dict.fromkeys(_BLOCK, BLOCK),
    **dict.fromkeys(_LEFT_OUT, LEFT_OUT),
    "": INLINE,
    "-": BLOCK,
    "br": BREAK,
    "img": IMAGE,
    "image": IMAGE,
    "hr": RULE,
    "colgroup": LEFT_OUT,
    "col": LEFT_OUT,
}

FORM: dict[str, int] = {
    **{f"h{level}": HEADING for level in range(1, 7)},
    "li": ITEM,
    "dt": ITEM,
    "dd": ITEM,
    "pre": PREFORMATTED,
    "listing": PREFORMATTED,
    "xmp": PREFORMATTED,
    "plaintext": PREFORMATTED,
}

# Elements of a single tag: the thirteen void elements of the HTML standard, and the five that it also writes
# without an end tag (basefont, bgsound, frame, keygen, param). They go by name, in <svg> and <math>, too.
VOID: frozenset[str] = frozenset(
    "area base br col embed hr img input link meta source track wbr "
    "basefont bgsound frame keygen param".split()
)  # fmt: skip

# Bits of `runs.context`: the inline elements a run stands in, and alternative text of an image.
CONTEXT: tuple[str, ...] = (
    "link", "bold", "italic", "underline", "strike", "code", "small", "big", "font", "sub", "sup", "quote",
    "abbr", "time", "label", "mark", "span", "alt",
)  # fmt: skip
CONTEXT_BIT: dict[str, int] = {tag: CONTEXT.index(name) for tag, name in _INLINE.items() if name}

# Bits of `elements.cues`: words in class, id and role that name the part a block plays in the page.
CUE_WORDS: dict[str, str] = {
    "content": "content contents maincontent pagecontent",
    "article": "article story entry post posts blogpost hentry articlebody postbody newsitem",
    "text": "body text copy richtext prose paragraph wysiwyg description desc detail details",
    "main": "main primary page",
    "title": "title headline heading subtitle lead intro standfirst",
    "header": "header hdr masthead banner topbar top",
    "footer": "footer foot bottom colophon legal copyright impressum imprint disclaimer",
    "navigation": "nav navigation navbar menu menubar submenu breadcrumb breadcrumbs crumb pager pagination "
    "toolbar tabs tab sitemap skip skiplink toc",
    "sidebar": "sidebar side aside rail column secondary complementary widget widgets panel",
    "related": "related recommended recommendations similar more popular trending latest recent teaser "
    "teasers promo promotion featured",
    "advert": "ad ads advert advertisement sponsor sponsored adsense doubleclick dfp outbrain taboola",
    "comment": "comment comments disqus reply replies respond discussion commentlist",
    "forum": "thread topic message messages forum quote signature answer answers question questions review "
    "reviews",
    "share": "share sharing social socials twitter facebook tweet linkedin pinterest whatsapp addthis",
    "consent": "cookie cookies consent gdpr ccpa privacy cmp",
    "overlay": "modal popup overlay dialog lightbox alert toast notice notification dropdown tooltip",
    "form": "form login signin signup register search searchbox newsletter subscribe subscription contact "
    "contactinfo input",
    "byline": "author byline date time published meta metadata timestamp tag tags category categories info",
    "product": "product price cart basket shop checkout sku variant shipping buy stock",
    "list": "list item items card cards grid tile tiles row feed results result listing",
    "media": "gallery image img figure caption photo video player slideshow carousel slider thumbnail",
    "code": "code highlight syntax example snippet",
    "hidden": "hidden hide invisible offscreen noprint sr screen",
}
CUES: tuple[str, ...] = tuple(CUE_WORDS)


def bit_names(bits: int, names: tuple[str, ...]) -> list[str]:
    """Names of the bits that are set, for people."""
    return [name for position, name in enumerate(names) if bits >> position & 1]
