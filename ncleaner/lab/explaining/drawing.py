"""A page and the verdicts about it side by side, as one HTML page that needs no other file and runs no
script.

To the left is the page: its structure, made of our own elements and the text of the segments. Where its
source is known, there is also the page as it is, which `explaining.view` writes anew without scripts, frames,
forms, pictures and addresses, in a frame without scripts and without network. To the right is a row for each
segment. A segment of the structure is a link to its row, and the row that the address names shows what led to
its verdict. The style sheet does that (`:target`), so the policy of the page forbids all scripts.
"""

import re
from collections.abc import Iterator
from functools import cache
from html import escape, unescape
from pathlib import Path

from ncleaner.document import Document, tags
from ncleaner.lab.explaining.against import Differences
from ncleaner.lab.explaining.verdicts import MARKS, Verdicts, Why, legend, listed, said_of_segment
from ncleaner.lab.explaining.view import marked_html
from ncleaner.lab.training.fragments import styled_parts
from ncleaner.text.visible import counted, html_text, visible_lines

# What a browser may do with the page: show the style sheet that it contains.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
# n-grams of a row
_GRAMS = 8
# bits that fill half of a bar
_FULL = 6.0


def page_of(explanation: Verdicts, source: bytes = b"") -> str:
    """Returns the drawing as an HTML page.

    Args:
        explanation: of the page.
        source: the page as served, to be shown beside its structure; empty for none.
    """
    title = explanation.document.title or explanation.source or "page"
    painted = _painted_page(explanation, source) if source else ""
    return "".join(
        (
            *_head(title),
            "<main>",
            *_filters(bool(explanation.gold), bool(painted)),
            "<header>",
            f"<h1 dir=auto>{html_text(title)}</h1>",
            *(f"<p>{html_text(line)}</p>" for line in explanation.summary()),
            f"<p><b>{html_text(explanation.verdicts())}</b></p>",
            *_legend(explanation),
            "</header><div class=panes>",
            "<section class=page aria-label='structure of the page'>",
            *outline_of(explanation),
            "</section>",
            f"<section class=painted aria-label='the page'>{painted}</section>" if painted else "",
            "<section class=rows aria-label='verdicts'>",
            *(_row(why) for why in explanation.segments),
            "" if explanation.segments else "<p>The page has no text.</p>",
            "</section></div></main></html>\n",
        )
    )


def framed(explanation: Verdicts) -> str:
    """Returns the drawing in a separate frame, for notebooks."""
    # links within a frame that has its text as an attribute would lead to the notebook
    page = page_of(explanation).replace("<head>", "<head><base href='about:srcdoc'>", 1)
    return (
        f"<iframe sandbox srcdoc='{escape(page)}' title='verdicts of ncleaner' "
        "style='width:100%;height:36rem;border:1px solid #888'></iframe>"
    )


def page_of_differences(found: Differences) -> str:
    """Returns the segments that two cleaners judge differently as an HTML page, above the whole of the
    second."""
    left, right = (html_text(name) for name in found.names)
    rows = []
    for one, other in found.pairs:
        agreed = found.right(one, other)
        rows.append(
            f"<article class='row shown'><div class=h><span class=n>{one.segment.index}</span>"
            f"{_sign(one)} {left} {_sign(other)} {right}"
            + (f" <span class=mark>gold: {html_text(agreed)}</span>" if agreed else "")
            + f"<span class=t dir=auto>{html_text(one.segment.text)}</span></div><div class=two>"
            + "".join(
                f"<div><h2>{name}</h2>{''.join(_why(why))}</div>"
                for name, why in ((left, one), (right, other))
            )
            + "</div></article>"
        )
    return "".join(
        (
            *_head(f"{found.names[0]} and {found.names[1]}"),
            f"<header><h1>{left} and {right}</h1>",
            *(f"<p>{html_text(line)}</p>" for line in found.first.summary()),
            f"<p><b>{html_text(found.summary())}</b></p></header>",
            "<main class='panes one'><section class=rows aria-label='segments with two verdicts'>",
            *rows,
            "</section></main></html>\n",
        )
    )


@cache
def _style() -> str:
    return Path(__file__).with_name("drawing.css").read_text("utf-8")


def _head(title: str) -> Iterator[str]:
    yield "<!doctype html>\n<html lang=en><head><meta charset=utf-8>"
    yield f'<meta http-equiv=Content-Security-Policy content="{POLICY}">'
    yield "<meta name=viewport content='width=device-width'><meta name=color-scheme content='light dark'>"
    yield f"<title>ncleaner: {html_text(title)}</title><style>{_style()}</style></head>"


def _filters(gold: bool, painted: bool) -> Iterator[str]:
    """Yields switches; the style sheet hides what they say."""
    choices = [("all", "all segments"), ("only-kept", "kept"), ("only-removed", "removed")]
    choices += [("only-wrong", "wrong")] * gold
    for number, (name, _) in enumerate(choices):
        yield f"<input type=radio name=show id={name}{' checked' * (number == 0)}>"
    yield "<input type=checkbox id=every>"
    if painted:
        yield "<input type=checkbox id=as-is>"
    yield "<div class=bar role=group aria-label='what is shown'>"
    for name, said in choices:
        yield f"<label for={name}>{said}</label>"
    yield "<label for=every>all reasons</label>"
    if painted:
        yield "<label for=as-is>page as it is</label>"
    yield "</div>"


def _legend(explanation: Verdicts) -> Iterator[str]:
    yield (
        "<details><summary>What this shows</summary><p>Left: the structure of the page, "
        "<span class='seg kept'>kept</span> and <span class='seg removed'>removed</span>. A click on a "
        "segment shows what led to its verdict. Bars to the right speak for main text, bars to the left "
        "against it.</p><dl>"
    )
    for name, said in legend(explanation):
        yield f"<dt>{html_text(name)}</dt><dd>{html_text(said)}</dd>"
    yield "</dl></details>"


def _sign(why: Why) -> str:
    return f"<span class='sign {_classes_of(why)}'>{'+' if why.kept else '−'}</span>"


def _row(why: Why) -> str:
    segment = why.segment
    score = "" if why.score is None else f"{why.score:+.2f}"
    mark = f"<span class=mark>{MARKS[why.against]}</span>" if why.is_wrong else ""
    zone = f"<span class=zone>{html_text(segment.zone)}</span>" if segment.zone else ""
    return (
        f"<article class='row {_classes_of(why)}' id=s{segment.index}>"
        f"<a class=h href='#s{segment.index}'>{_sign(why)}<span class=n>{segment.index}</span>"
        f"<span class=score>{score}</span>{mark}<span class=kind>{html_text(why.sign)}</span>{zone}"
        f"<span class=t dir=auto>{html_text(segment.text)}</span></a>"
        f"<div class=why>{''.join(_why(why))}</div></article>"
    )


def _why(why: Why) -> Iterator[str]:
    segment = why.segment
    density = f"{segment.link_density:.0%} in links"
    words = counted(segment.words, "word")
    yield f"<p class=facts>{words}, {density}; {html_text(segment.path) or 'plain text'}"
    if why.matched is not None:
        yield f"; {why.matched:.0%} of its words in the gold text ({why.against})"
    yield f"; <a href='#p{segment.index}'>show on the page</a></p>"
    said = said_of_segment(why)
    if said.ruled:
        yield f"<p class=ruled>{html_text(said.ruled)}</p>"
    if why.base is not None:
        yield "<table><tbody>"
        yield _line("before anything is known of it", why.base, "base")
        for reason in (*listed(why.features), *why.steps):
            yield _line(*reason)
        total = "" if why.bar is None else f"score; the bar is {why.bar:+.2f}"
        yield _line(total or "score", why.score or 0.0, "total")
        yield "</tbody></table>"
    if why.first:
        yield "<details><summary>at first sight</summary><table><tbody>"
        for reason in listed(why.first):
            yield _line(*reason)
        yield "</tbody></table></details>"
    if why.ngrams is not None and why.ngrams.pieces:
        yield f"<p class=words dir=auto>{' '.join(map(_piece, why.ngrams.pieces))}</p>"
        grams = ", ".join(f"{html_text(gram.text)} {gram.bits:+.1f}" for gram in why.ngrams.grams[:_GRAMS])
        yield f"<p class=grams>n-grams {why.ngrams.bits:+.1f} bits: {grams}</p>"


def _line(said: str, bits: float, name: str) -> str:
    width = min(abs(bits) / _FULL, 1) * 50
    side = "left:50%" if bits >= 0 else f"left:{50 - width:.1f}%"
    kind = "good" if bits >= 0 else "bad"
    return (
        f"<tr class={'total' if name == 'total' else 'part'}><td class=bits>{bits:+.2f}</td>"
        f"<td class=bars><i class={kind} style='{side};width:{width:.1f}%'></i></td>"
        f"<td title='{html_text(name)}'>{html_text(said)}</td></tr>"
    )


def _piece(piece: tuple[str, float]) -> str:
    text, bits = piece
    strength = min(int(abs(bits) / 1.5 + 0.5), 3)
    side = ("good" if bits > 0 else "bad") if strength else ""
    return f"<span class='{side} l{strength}' title='{bits:+.1f} bits'>{html_text(text)}</span>"


# --------------------------------------------------------------------------------------------------
# The structure of the page, of our own elements. Only the text of the page gets into it, escaped.

# blocks that are drawn as boxes with their name; all others only separate segments
_BOXES = frozenset(
    "nav header footer aside main article section form table ul ol menu dl figure blockquote details dialog "
    "search noscript tr".split()
)
# boxes inside each other that are drawn
_DEPTH = 10
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
# inline elements that a reader sees
_INLINE = {"link": "u", "bold": "b", "italic": "i", "code": "code"}


def _classes_of(why: Why) -> str:
    """Returns the classes of a segment for the style sheet."""
    side = "kept" if why.kept else "removed"
    return f"{side} wrong" if why.is_wrong else side


def outline_of(explanation: Verdicts) -> Iterator[str]:
    """Yields the pieces of the drawing; each segment is a link to the row with its number (`#s12`)."""
    document = explanation.document
    boxes_of = _boxes(document)
    open_: list[int] = []
    for why in explanation.segments:
        row = document.segments[why.segment.index]
        boxes = boxes_of[int(row["element"])]
        shared = 0
        while shared < min(len(open_), len(boxes)) and open_[shared] == boxes[shared]:
            shared += 1
        yield "</div>" * (len(open_) - shared)
        for element in boxes[shared:]:
            tag = tags.TAGS[document.elements[element]["tag"]]
            yield f"<div class='box b-{tag}' data-tag='{tag}'>"
        open_ = boxes
        yield _segment(document, why)
    yield "</div>" * len(open_)


def _boxes(document: Document) -> list[list[int]]:
    """Returns the boxes around each element, from the outermost to the innermost, as far as they are drawn;
    at the end those around text without an element, none."""
    found: list[list[int]] = []
    elements = document.elements
    for number, (parent, tag) in enumerate(
        zip(elements["parent"].tolist(), elements["tag"].tolist(), strict=True)
    ):
        above = found[parent] if parent >= 0 else []
        is_box = tags.TAGS[tag] in _BOXES and len(above) < _DEPTH
        found.append([*above, number] if is_box else above)
    return [*found, []]


def _segment(document: Document, why: Why) -> str:
    segment = why.segment
    row = document.segments[segment.index]
    tag = tags.TAGS[document.elements[row["element"]]["tag"]] if row["element"] >= 0 else ""
    level = _HEADINGS.get(tag, 3 if segment.kind == "h" else 0)
    look = f" h{level}" if level else " item" if segment.kind == "l" else ""
    pre = " pre" if "\n" in segment.text else ""
    wrong = f", {why.against}" if why.is_wrong else ""
    said = f"segment {segment.index}, {'kept' if why.kept else 'removed'}{wrong}"
    return (
        f"<a class='seg {_classes_of(why)}{look}{pre}' id=p{segment.index} href='#s{segment.index}' dir=auto "
        f"title='{said}'>{''.join(_styled(document, segment.index))}</a>"
    )


def _styled(document: Document, row: int) -> Iterator[str]:
    """Yields the text of a segment with its links and inline styles."""
    for part, context in styled_parts(document, row):
        names = [_INLINE[name] for name in tags.bit_names(context, tags.CONTEXT) if name in _INLINE]
        yield "".join(f"<{name}>" for name in names)
        yield "\n".join(map(html_text, part.split("\n")))
        yield "".join(f"</{name}>" for name in reversed(names))


# --------------------------------------------------------------------------------------------------
# The page as it is.

_LOOK = (
    "x-img{display:inline-block}"
    ".nc-kept{background:#d9f2e0!important;color:#10391f!important;border-bottom:2px solid #0a6b33}"
    ".nc-removed{background:#fbe3e0!important;color:#5a1010!important;text-decoration:line-through #a01c1c99}"
    ".nc-wrong{outline:2px dashed #8a4b00}"
)
# larger pages would make the drawing slow
_LARGEST = 3_000_000
# share of the characters of the segments that the source must have
_ENOUGH = 0.9
_MARKED = re.compile(r'<x-seg data-seg="(\d+)">(.*?)</x-seg>', re.DOTALL)


def _painted_page(explanation: Verdicts, source: bytes) -> str:
    """Returns a frame with the painted page; empty if it is too large, or does not have the segments."""
    if len(source) > _LARGEST:
        return ""
    document = explanation.document
    marked = marked_html(source, document, encoding=document.encoding or None)
    found = dict.fromkeys(range(len(document)), "")
    for place in _MARKED.finditer(marked.body):
        found[int(place[1])] += "".join(unescape(place[2]).split())
    texts = ["".join(text.split()) for text in document.texts]
    same = sum(len(text) for row, text in enumerate(texts) if found[row] == text)
    if same < _ENOUGH * sum(map(len, texts)):
        return ""
    shown = visible_lines(marked.body.replace("\t", " ").replace("\r", ""))
    body = _MARKED.sub(lambda place: _painted(explanation.segments[int(place[1])], place[2]), shown)
    styles = "".join(f"<style media='{escape(media)}'>{_sheet(css)}</style>" for media, css in marked.styles)
    page = (
        f'<!doctype html><meta charset=utf-8><meta http-equiv=Content-Security-Policy content="{POLICY}">'
        f"{styles}<style>{_LOOK}</style><body>{body}"
    )
    return f"<iframe sandbox title='the page, painted' srcdoc='{escape(page)}'></iframe>"


def _sheet(css: str) -> str:
    # an end tag within a string would end the sheet; the policy forbids what the sheet would load
    return css.replace("<", "\\3c ")


def _painted(why: Why, markup: str) -> str:
    classes = " ".join(f"nc-{name}" for name in _classes_of(why).split())
    score = "" if why.score is None else f", score {why.score:+.2f}"
    said = f"segment {why.segment.index}: {'kept' if why.kept else 'removed'}{score}"
    return f"<span class='{classes}' title='{said}'>{markup}</span>"
