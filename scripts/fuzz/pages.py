"""Hostile HTML by grammar: what parsers, the look before the parser, and the walk behind it can trip over.

A page is one of several kinds: a soup of tokens, a tree that resembles a page, a piece repeated until it
hurts, a page that shows nothing but has data, tags of many attributes, an article. It is then written in some
encoding, which it may declare rightly, wrongly or not at all, and often broken byte by byte.
"""

from __future__ import annotations

import json
from collections.abc import Callable

from fuzz.mutate import LARGEST, MARKUP, UTF8, mutated
from fuzz.source import CUES, ODD, Source

__all__ = ["CONTENT_TYPES", "page", "page_of_kind"]

_BLOCKS = (
    "div p ul ol li dl dt dd h1 h2 h3 h6 pre listing blockquote section article main aside header footer nav "
    "address figure figcaption details summary dialog form fieldset legend center body html head"
).split()
_TABLE = "table caption colgroup col thead tbody tfoot tr td th".split()
_INLINE = (
    "span a b i em strong u s font small big code tt nobr sub sup time label abbr ruby rb rt rtc rp mark q "
    "bdo button x-card my-element o:p st1:place"
).split()
_VOID = (
    "br hr img input wbr embed param source track area base meta link keygen bgsound frame image isindex"
).split()
_RAW = "script style title textarea xmp iframe noembed noframes noscript".split()
_ODD_TAGS = (
    "select option optgroup template object applet marquee frameset svg math g path desc foreignObject "
    "annotation-xml mi mo mtext mglyph malignmark plaintext search slot canvas video audio"
).split()
# of formulas: MathML, and what MathJax shows
_FORMULA = (
    "mrow mstyle mfrac msub msup msubsup munder mover munderover msqrt mroot mtable mtr mlabeledtr "
    "mtd mfenced semantics mi mo mn mtext none mjx-mrow mjx-mfrac mjx-frac mjx-num mjx-den mjx-msub "
    "mjx-msup mjx-msubsup mjx-script mjx-munder mjx-munderover mjx-base mjx-under mjx-over "
    "mjx-row mjx-msqrt mjx-sqrt mjx-box mjx-mroot mjx-root mjx-mtable mjx-mtr "
    "mjx-mtd mjx-mi mjx-mo mjx-mn mjx-c mjx-spacer script"
).split()
_SIGNS = "x y n 2 10 sin ( ) [ ] | + − = , ∑ ∫ ′ ¯ √ 𝑛 \u2061 \u2062 &nbsp; _ ^ /".split(" ")
_ALL = (*_BLOCKS, *_TABLE, *_INLINE, *_VOID, *_RAW, *_ODD_TAGS)
# tags behind which a page shows nothing until their end, or at all
_HIDING = (
    *_RAW,
    "plaintext",
    "frameset",
    "template",
    "select",
    "object",
    "svg",
    "math",
    "audio",
    "canvas",
    "video",
)
_NAMES = (
    "class id role style hidden alt lang title href src colspan rowspan span type charset content http-equiv "
    "name data-page data-state data-props props xmlns xlink:href onclick checked is encoding color "
    "aria-controls aria-haspopup popover open"
).split()
_STYLES = (
    "display:none",
    "DISPLAY : NONE",
    "visibility:hidden",
    "display:nonedisplay:none",
    "dddisplay:none",
    "d:v",
)
_ENTITIES = (
    "&amp; &lt; &gt; &nbsp; &quot; &copy; &#0; &#10; &#x0; &#xD800; &#x110000; &#99999999999; "
    "&#x1F600; &#128; &notit; &nGt; &ThickSpace; &AMP &lt &#65 &#x &# & &; &#; &#xZ; &fjlig; &bne; &#xFFFF; "
    "&#173; &#8203; &nosuch; &zwj; &nLt;"
).split()
_CHARSETS = (
    "utf-8 UTF8 utf-16 utf-16be iso-8859-1 windows-1252 koi8-r gb2312 gb18030 big5 shift_jis euc-jp euc-kr "
    "iso-2022-jp hz-gb-2312 iso-2022-kr x-user-defined macintosh ibm866 replacement utf-7 none"
).split()
# Python's codecs that pages are written in
_CODECS = (
    "utf-8 utf-8-sig utf-16 utf-16-le utf-16-be utf-32 latin-1 cp1252 cp1251 koi8_r gbk gb18030 big5hkscs "
    "cp932 euc_jp cp949 iso2022_jp iso2022_kr hz utf-7 mac_cyrillic cp866"
).split()
CONTENT_TYPES = (
    "", "text/html", "text/html; charset=utf-8", "text/html; charset=iso-8859-1",
    "text/html; charset=utf-16le", 'text/html; charset="shift_jis"', "text/html; charset=iso-2022-kr",
    "text/html;charset=hz-gb-2312", "text/html; charset=none;charset=koi8-r", "text/html; charset=\ufffd",
)  # fmt: skip


def attribute(source: Source) -> str:
    """One attribute, mostly of those that are read; at times a broken one."""
    name = source.choice(_NAMES)
    if name == "style":
        value = source.choice(_STYLES)
    elif name in ("colspan", "rowspan", "span"):
        value = source.number()
    elif name in ("data-page", "data-state", "data-props", "props"):
        value = data(source).replace('"', "&quot;")
    elif name in ("href", "id", "aria-controls") and source.odds(0.5):
        # references to notes and folded blocks, and their places
        value = ("#" if name == "href" else "") + source.choice(("fn1", "fn2", "x", "cite_note-3"))
    elif name in ("class", "id", "role"):
        value = " ".join(source.choices(CUES, k=source.size(40)))
    elif name in ("charset", "content"):
        value = source.choice(("", "text/html; charset=")) + source.choice(_CHARSETS)
    else:
        value = source.word()
    return source.choice(
        (f'{name}="{value}"', f"{name}='{value}'", f"{name}={value.split()[0] if value.split() else ''}",
         name, f'{name} = "{value}"', f'{name}="{value}', f"{name}='", f"={name}", f"{name}={value}>",
         f"'{name}", f"/{name}/", f'{name}=""',
         f"{name}{source.choice(ODD)}={source.choice(ODD)}") if source.odds(0.015) else (f'{name}="{value}"')
    )  # fmt: skip


def start_tag(source: Source, name: str) -> str:
    """A start tag with a few attributes, which may be unfinished."""
    attributes = "".join(" " + attribute(source) for _ in range(source.choice((0, 0, 0, 1, 1, 2, 5))))
    end = source.choice(("/>", " >", "", "<", "\n>", "//>", "\0>")) if source.odds(0.02) else ">"
    if source.odds(0.02):
        name = name.upper() if source.odds(0.5) else name + source.choice(ODD)
    return f"<{name}{attributes}{end}"


def comment(source: Source) -> str:
    """A comment, a doctype, a section of CDATA or an instruction, whole or not."""
    inside = source.choice(("", "-", "--", "--!", ">", "<!--", "]]>", "<p>", "$?", "/$", source.text(4)))
    if source.odds(0.05):
        # what follows is inside of it, too
        return source.choice(
            (f"<!--{inside}", f"<![CDATA[{inside}", f'<!doctype {inside} "{inside}', f"<?{inside}")
        )
    return source.choice(
        (f"<!--{inside}-->", f"<!--{inside}-->", f"<!--{inside}--!>", f"<!{inside}>", f"<?{inside}?>",
         "<!-->", "<!--->", f"<![CDATA[{inside}]]>", f"</ {inside}>", "<!DOCTYPE html>",
         f"<?php echo '{inside}'; ?>")
    )  # fmt: skip


def data(source: Source, depth: int = 3) -> str:
    """Data as scripts hold it: JSON-LD, state, strings within strings; whole, or broken at any place."""

    def value(depth: int) -> object:
        roll = source.random()
        if roll < 0.45 or depth == 0:
            return source.any_of(
                source.prose, source.text, source.word, lambda: f"<p>{source.prose()}</p><b>"
            )
        if roll < 0.6:
            return json.dumps(value(depth - 1))
        if roll < 0.7:
            return [value(depth - 1) for _ in range(source.size(5))]
        keys = (
            "articleBody",
            "text",
            "title",
            "name",
            "question",
            "body",
            "error",
            "a.b",
            "@type",
            source.word(),
        )
        return {source.choice(keys): value(depth - 1) for _ in range(source.size(8))}

    text = json.dumps(value(depth), ensure_ascii=source.odds(0.5))
    roll = source.random()
    if roll < 0.1:
        text = text.replace('"', "\\u0022")
    elif roll < 0.2:
        text = text.replace('"', "&quot;")
    elif roll < 0.3:
        text = "".join(f"%{ord(c):02X}" if c in '{}[]":, ' else c for c in text)
    elif roll < 0.6:
        # cut, or with something in it that does not belong there
        at = source.randrange(len(text) + 1)
        text = text[:at] + source.choice(
            ("", "", '"', "\\", "\\u12", "{", "]", "\n", "</script>", "<!--<script>", *ODD)
        )
        text += source.choice(("", text[at:]))
    return text


def script(source: Source) -> str:
    """A script with data, closed or not."""
    kind = source.choice(
        (' type="application/ld+json"', ' type="application/json" id="__NEXT_DATA__"', "", " type=module",
         ' type="text/template"', ' id="i18n-messages"')
    )  # fmt: skip
    before = source.choice(("", "", "window.__STATE__=", "self.__next_f.push([1,", "<!--", "var a = '"))
    after = source.choice(("", "", ";", "])", "-->")) + ("</script>" if source.odds(0.95) else "")
    return f"<script{kind}>{before}{data(source)}{after}"


def token(source: Source) -> str:
    """Any piece of markup or text."""
    roll = source.random()
    name = source.choice(_ALL) if source.odds(0.5) else source.choice((*_BLOCKS, *_INLINE, *_TABLE))
    if name in _HIDING and source.odds(0.9):
        name = "p"
    if roll < 0.3:
        return start_tag(source, name)
    if roll < 0.5:
        return f"</{name}{source.choice(('>', '>', '>', '>', ' x=1>', '/>', ''))}"
    if roll < 0.85:
        return source.text(8)
    if roll < 0.9:
        return source.choice(_ENTITIES)
    return source.any_of(lambda: comment(source), lambda: comment(source), lambda: script(source))


def element(source: Source, depth: int) -> str:
    """An element with what is in it, mostly as it should be."""
    roll = source.random()
    if depth == 0 or roll < 0.3:
        return source.text(12)
    inside = source.several(lambda: element(source, depth - 1), 6)
    if roll < 0.4:
        return f"<table>{_rows(source, depth - 1)}</table>"
    if roll < 0.45:
        return f"<svg><foreignObject>{inside}</foreignObject><title>{inside}</title><desc>{inside}</svg>"
    if roll < 0.5:
        return source.choice(
            (f"<template>{inside}</template>", f"<select><option>{inside}</select>",
             f"<math><mi>{inside}</math>", f"<p>{_formula(source)} {inside}",
             f"<noscript>{inside}</noscript>",
             f"<noscript>{inside}{token(source)}</noscript>",
             f"<noscript>{inside}{start_tag(source, 'div')}</noscript>",
             f"<pre>\n{inside}\n\n{inside}</pre>", f"<button>{inside}</button>",
             f"<ruby>{inside}<rt>{inside}</ruby>", f"<details><summary>{inside}</summary>{inside}</details>")
        )  # fmt: skip
    if roll < 0.6:
        return token(source)
    name = source.choice(_BLOCKS if source.odds(0.6) else _INLINE)
    end = f"</{name}>" if source.odds(0.9) else source.choice(("", "</p>", f"</{source.choice(_ALL)}>"))
    return start_tag(source, name) + inside + end


def _formula(source: Source) -> str:
    shown = source.odds(0.3)
    inside = source.several(lambda: _part(source, source.randint(1, 7)), 4)
    return f"<mjx-container class=MathJax><mjx-math>{inside}" if shown else f"<math>{inside}</math>"


def _part(source: Source, depth: int) -> str:
    """An element of a formula, with parts that may be missing, empty or too many."""
    name = source.choice(_FORMULA)
    if depth == 0 or name in ("mi", "mo", "mn", "mjx-c"):
        return f"<{name}>{source.choice(_SIGNS)}</{name}>"
    stated = " open='[' close=''" if name == "mfenced" and source.odds(0.5) else ""
    inside = source.several(lambda: _part(source, depth - 1), 4)
    return f"<{name}{stated}>{inside}" + f"</{name}>" * source.odds(0.95)


def _rows(source: Source, depth: int) -> str:
    cell = source.choice(("<td>", "<th>", "<td colspan=", "<caption>", "<col>", "<tr>", "", "<td><table>"))
    if cell.endswith("="):
        cell += f"'{source.number()}'>"
    return source.several(lambda: "<tr>" * source.odds(0.7) + cell + element(source, depth), 6)


def _tree(source: Source) -> str:
    head = source.choice(("", "<title>", f"<title>{source.text(5)}</title>", "<title>\0</title>"))
    lang = source.choice(("", " lang=en", ' lang="zh-Hant"', f" lang='{source.word()}'"))
    body = source.several(lambda: element(source, source.randint(1, 5)), 12)
    return f"<!doctype html><html{lang}><head>{head}</head><body>{body}" + "</body></html>" * source.odds(0.7)


def _soup(source: Source) -> str:
    return source.several(lambda: token(source), 150)


def _repeated(source: Source) -> str:
    """A piece again and again: what is linear in one round may not be so in all."""
    piece = source.several(lambda: token(source) if source.odds(0.5) else element(source, 2), 4)
    most = 20_000 if source.odds(0.1) else 600
    times = max(1, min(source.size(most), 1_000_000 // (len(piece) + 1)))
    if source.odds(0.5):
        # each one different
        return "".join(f"{piece}<b c={number}>w{number} " for number in range(min(times, 5000)))
    return source.text(3) + piece * times + source.text(3)


def _thin(source: Source) -> str:
    """A page that shows hardly anything, so that its data is looked through."""
    parts = [
        source.any_of(lambda: script(source), lambda: start_tag(source, "div")) for _ in range(source.size(8))
    ]
    return (
        f"<title>{source.word()}</title><body>"
        + "".join(parts)
        + source.several(lambda: element(source, 2), 3)
    )


def _attributes(source: Source) -> str:
    """Tags of very many or very large attributes."""
    count = source.size(3000)
    many = "".join(f" {source.choice(('a', 'class', 'data-x', source.word()))}{i}={i}" for i in range(count))
    words = " ".join(source.choices(CUES, k=source.size(3000)))
    large = f"<p class='{words}' id='{source.word() * source.size(500)}'>"
    return source.choice(
        (f"<p{many}>", large, f"<div{many}>{large}" * 3, f"<td colspan={source.number()}>" * 50)
    ) + (source.text())


def _streamed(source: Source) -> str:
    """A page whose parts come at its end, perhaps inside of each other, twice or never."""
    number = source.size(12)

    def holes() -> str:
        return "".join(
            f"<!--$?--><template id='{source.choice('BPS')}:{source.randrange(number)}'></template>"
            f"{source.text(3)}{source.choice(('<!--/$-->', '', '</div>', '<!--$-->'))}"
            for _ in range(source.size(3))
        )

    parts = "".join(
        f"<div hidden id=S:{source.size(12)}>{source.text(4)}{holes()}{source.choice(('', '</div>'))}"
        for _ in range(number)
    )
    return f"<main>{source.prose(2)}{holes()}</main>{holes()}{parts}{_tree(source)}"


def _articles(source: Source) -> str:
    """Ordinary text with links around it: what the models are for."""
    menu = "".join(f"<li><a href=/{i}>{source.word()}</a>" for i in range(source.size(30)))
    text = "".join(
        f"<{name}>{source.any_of(source.prose, source.text)}</{name}>"
        for name in source.choices(("p", "h2", "div", "li", "td", "blockquote"), k=source.size(40))
    )
    article = f"<div class=article><h1>{source.prose(1)}</h1>{text}</div>"
    return f"<ul class=nav>{menu}</ul>{article}<div id=footer>© {menu}"


_KINDS: dict[str, tuple[int, Callable[[Source], str]]] = {
    "tree": (8, _tree),
    "soup": (6, _soup),
    "repeated": (4, _repeated),
    "thin": (4, _thin),
    "articles": (5, _articles),
    "streamed": (1, _streamed),
    "attributes": (1, _attributes),
}


def _encoded(source: Source, text: str) -> bytes:
    """The text in some encoding, which it may declare, rightly or wrongly."""
    roll = source.random()
    if roll < 0.7:
        return text.encode("utf-8", "surrogatepass")
    codec = source.choice(_CODECS)
    declared = source.choice((codec.replace("_", "-"), source.choice(_CHARSETS)))
    if roll < 0.9:
        text = source.choice(
            (f"<meta charset={declared}>",
             f'<meta http-equiv=content-type content="text/html; charset={declared}">',
             f'<?xml version="1.0" encoding="{declared}"?>', f"<!-- <meta charset={declared}> -->")
        ) + text  # fmt: skip
    body = text.encode(codec, source.choice(("replace", "ignore", "xmlcharrefreplace")))
    if source.odds(0.1):
        body = source.choice((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\0")) + body
    return body


def page_of_kind(source: Source, kind: str) -> bytes:
    """A page of one of the kinds, whole but for what its kind breaks."""
    return _encoded(source, _KINDS[kind][1](source))


def page(source: Source) -> bytes:
    """A hostile page."""
    found = page_of_kind(source, source.pick({name: weight for name, (weight, _) in _KINDS.items()}))[
        :LARGEST
    ]
    if source.odds(0.4):
        found = mutated(source, found, (*MARKUP, *UTF8), most=8)
    return found
