"""Pages whose scripts and style sheets end early, late or never, and the tree of each beside the whole one.

The content of most scripts is not given to the tokenizer (`ncleaner.parsing._guard`). Nothing else of the
tree may change, and the content must be known all the same. The whole tree, which the tokenizer makes of
all of the page, says what is right.
"""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from fuzz.invariants import BrokenRuleError, same
from fuzz.source import Source
from ncleaner.document import Document
from ncleaner.dumping._builder import Builder
from ncleaner.dumping._walk import walk
from ncleaner.dumping.embedded import content_of
from ncleaner.parsing._lexbor import SCRIPTS, Parsed, parsed_within_bounds

__all__ = ["PIECES", "check_raw", "raw_page"]

# What begins and ends raw text, in each state of the tokenizer, what hides it, and what is no raw text.
PIECES = (
    "<script>", "</script>", "<SCRIPT\ttype=module>", "</ScRiPt\n>", "</script/>", "</script\f",
    "</script x='>'>", "<script type=math/tex>", "<script type='application/ld+json'>", "<script/>",
    "<scripts>", "</scripts>", "</script\0>", "<script", "</script", "</scrip", "<style>", "</style>",
    "</STYLE\r>", "<style media=all>", "</style", "<!--", "-->", "--!>", "<!-->", "<!--->", "<!-", "-", "--",
    ">", "<!", "<", "</", "/", "<?", "<![CDATA[", "]]>", "MathJax", "['$'", '["$"', "\r\n", "\r", "\0",
    "&lt;", "ü", "a = 1 < 2;", "b", "1", " ", "<p>", "</p>", "<b title='<script>'>",
    "<i title=\"</script>\">", "<svg>", "</svg>", "<foreignObject>", "<g/>", "<math>", "<mtext>", "</math>",
    "<title>", "</title>", "<textarea>", "</textarea>", "<noscript>", "</noscript>", "<iframe>", "</iframe>",
    "<noembed>", "</noembed>", "<noframes>", "</noframes>", "<xmp>", "</xmp>", "<plaintext>", "<table>",
    "<td class=lineno>", "</table>", "<select>", "<option>", "</select>", "<ruby>", "<rt>", "</ruby>",
    "<template>", "</template>", "<frameset>", "<head>", "</head>", "<body>", "</body>", "</html>", "<pre>",
    "<a href=b>",
)  # fmt: skip
# The tokenizer gets so many bytes at a time.
_PIECE = 262_144


def raw_page(source: Source) -> bytes:
    """A page of such pieces; a few have them around the end of what the tokenizer gets at a time."""
    # few kinds of pieces in a page meet each other more often
    pieces = source.sample(PIECES, source.randint(2, 12))
    page = "".join(source.choices((*pieces, *PIECES[:2]), k=source.randint(1, 40)))
    if source.odds(0.002):
        page = f"{source.choice(PIECES)}{'b' * (_PIECE - source.randint(0, 60))}{page}"
    return page.encode()


def nodes(parser: LexborHTMLParser) -> Iterator[tuple[object, ...]]:
    """The tree, without the content of scripts and style sheets outside of svg."""
    if parser.root is None:
        return
    waiting: list[tuple[LexborNode, int, bool]] = [(parser.root, 0, False)]
    while waiting:
        node, depth, foreign = waiting.pop()
        within = node.parent
        if node.tag == "-text":
            if foreign or within is None or within.tag not in ("script", "style"):
                yield depth, node.text_content
        else:
            yield depth, node.tag, tuple(node.attributes.items())
        # below these three, svg has HTML inside
        foreign = node.tag == "svg" or (
            foreign and str(node.tag).lower() not in ("foreignobject", "desc", "title")
        )
        waiting += [(child, depth + 1, foreign) for child in reversed(list(node.iter(include_text=True)))]


def _contents(tree: Parsed) -> list[str]:
    passed_over = tree.passed_over()
    return [content_of(node, passed_over) for node in tree.parser.css("script")]


def _dumped(tree: Parsed, marking: bool) -> tuple[Document, bytes]:
    builder = Builder(marking=marking)
    walk(tree.parser, builder)
    document = Document(builder.tables(), encoding="utf-8")
    return document, document.marks.tobytes()


def check_raw(page: bytes) -> None:
    """Checks that the tree of a page is the whole one but for scripts, and their content known."""
    whole = parsed_within_bounds(page)
    expected, contents = list(nodes(whole.parser)), _contents(whole)
    documents = [_dumped(whole, marking) for marking in (False, True)]
    for which, number in SCRIPTS.items():
        tree = parsed_within_bounds(page, scripts=number)
        if list(nodes(tree.parser)) != expected:
            raise BrokenRuleError(f"with {which} in the tree, the rest of it is the same")
        if _contents(tree) != contents:
            raise BrokenRuleError(f"with {which} in the tree, the content of all scripts is known")
        marking = number >= SCRIPTS["typesetters"]  # marks say which script typesets formulas
        document, marks = _dumped(tree, marking)
        if not same(document, documents[marking][0]) or marks != documents[marking][1]:
            raise BrokenRuleError(f"with {which} in the tree, the Document is the same")
        tree.release()
    whole.release()
