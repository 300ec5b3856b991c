"""Pages and texts that are made up, the same in every run: in five languages and of any size.

They are for measurements of speed only. Their sentences are random words of small lists, and their markup is
that of a newspaper, a forum and a shop.
"""

from __future__ import annotations

import random
from collections.abc import Callable

__all__ = ["KINDS", "LANGUAGES", "page", "paragraphs"]

_WORDS = {
    "en": "the ferry harbour and of in to a that it was with on for boat morning they which island "
    "weather market from were said would there people house council street price water light "
    "winter school road bridge year because after before again always never nobody something",
    "de": "die Fähre und der Hafen in den von zu mit das auf für ist ein eine Morgen Insel Wetter Markt "
    "sie wurde nicht auch nach über Straße Brücke Häuser Jahr Schule Wasser Licht größer wäre "
    "können früher später weil immer niemand etwas Gemeinde Preis",
    "ru": "паром и в на что с по он она было не они гавань остров погода рынок утро вода свет зима "
    "школа дорога мост год люди дом совет улица цена потому после снова всегда никогда никто "
    "который были если ещё только",
    "el": "το πλοίο και η του της στο με για από που δεν είναι ήταν λιμάνι νησί καιρός αγορά πρωί νερό "
    "φως χειμώνας σχολείο δρόμος γέφυρα χρόνος άνθρωποι σπίτι συμβούλιο τιμή επειδή μετά πριν "
    "πάντα ποτέ κανείς κάτι",
    "ja": "船 は 港 の 朝 に 島 を 出 て 天気 が よく な い 市場 で 人々 と "
    "話 し た 水 と 光 冬 学校 道 橋 年 家 会議 値段 から まで 後 前 いつも 誰 も",
}
LANGUAGES = tuple(_WORDS)
_LISTS = {language: words.split() for language, words in _WORDS.items()}
# A page of WCXB or fundus has 200 different class attributes, of 37 bytes in the mean.
_NAMES = (
    "story-card__body lg:px-4 text-gray-700 is-wide flex-column items-start entry--large mt-3 col-md-8 "
    "js-track rounded"
).split()
_CLASSES = tuple(
    f"c{n % 40} {_NAMES[n % 11]} {_NAMES[(3 * n + 1) % 11]} {_NAMES[(7 * n + 4) % 11]}-{n}"
    for n in range(200)
)
_STYLE = "<style>" + "".join(f".c{n}{{margin:{n}px 0;color:#{n:03x}}}" for n in range(40)) + "</style>"
_SCRIPT = "<script>var settings={" + ",".join(f'"k{n}":"v{n * 7}"' for n in range(60)) + "};</script>"


def _sentence(draw: random.Random, language: str, words: int) -> str:
    chosen = draw.choices(_LISTS[language], k=words)
    if language == "ja":
        return "".join(chosen) + "。"
    text = " ".join(chosen)
    return text[0].upper() + text[1:] + draw.choice((".", ".", ".", "?", ", 1987."))


def _paragraph(draw: random.Random, language: str) -> str:
    space = "" if language == "ja" else " "
    return space.join(_sentence(draw, language, draw.randint(5, 24)) for _ in range(draw.randint(2, 6)))


def paragraphs(size: int, language: str, seed: int = 1) -> list[str]:
    """Returns paragraphs of together at least `size` bytes in UTF-8, with a short line before every sixth."""
    draw = random.Random(f"{seed} {language}")
    found: list[str] = []
    while size > 0:
        text = _paragraph(draw, language) if len(found) % 6 else _sentence(draw, language, 4)
        found.append(text)
        size -= len(text.encode()) + 1
    return found


def _article(draw: random.Random, language: str) -> str:
    text = _paragraph(draw, language)
    middle = text.find(" ", len(text) // 2)
    target = f"/a/{draw.randrange(10**6)}.html"
    link = f'<a class="{draw.choice(_CLASSES)}" href="{target}">{_sentence(draw, language, 3)}</a>'
    parts = [f'<p class="{draw.choice(_CLASSES)}">{text[:middle]} {link} {text[middle:]}</p>']
    if draw.random() < 0.2:
        parts.append(f"<h2>{_sentence(draw, language, 4)}</h2>")
    if draw.random() < 0.1:
        cells = "".join(f"<td>{n}</td><td><b>{_sentence(draw, language, 2)}</b></td>" for n in range(3))
        parts.append(f"<table><tr>{cells}</tr><tr>{cells}</tr></table>")
    return "".join(parts)


def _comment(draw: random.Random, language: str) -> str:
    return (
        f'<div class="comment" id="c{draw.randrange(10**6)}"><div class="author"><img src="/i.png" alt="">'
        f'<a href="/u/{draw.randrange(999)}">user{draw.randrange(999)}</a> '
        '<span class="date">12:30</span></div><div class="comment-body">'
        f"<p>{_paragraph(draw, language)}<br><i>{_sentence(draw, language, 5)}</i></p></div>"
        '<ul class="actions"><li><a href="#">Reply</a></li><li><a href="#">Report</a></li></ul></div>'
    )


def _product(draw: random.Random, language: str) -> str:
    return (
        f'<li class="product {draw.choice(_CLASSES)}"><a href="/p/{draw.randrange(10**6)}">'
        f'<img src="/p.jpg" alt="x"><span class="name">{_sentence(draw, language, 3)}</span></a><div>'
        '<span class="price">'
        f"{draw.randrange(999)}.99</span><!-- stock -->"
        '<button type="button" data-id="1">+</button></div></li>'
    )


_PIECES: dict[str, Callable[[random.Random, str], str]] = {
    "newspaper": _article,
    "forum": _comment,
    "shop": _product,
}
#: The kinds of pages.
KINDS = tuple(_PIECES)


def page(size: int, language: str = "en", kind: str = "newspaper", seed: int = 1) -> bytes:
    """Returns a page of `size` bytes or little more; a page below 2 kB has no menu, no styles and no scripts.

    Args:
        size: in bytes.
        language: one of `LANGUAGES`.
        kind: one of `KINDS`.
        seed: pages with different seeds differ.
    """
    draw = random.Random(f"{seed} {language} {kind}")
    title = _sentence(draw, language, 5)
    head = f'<!DOCTYPE html>\n<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
    small = size < 2000
    # a tenth of the page, as far as a menu makes sense
    links = 0 if small else min(60, size // 700)
    menu = "".join(
        f'<li class="item"><a href="/m/{n}">{_sentence(draw, language, 2)}</a></li>\n' for n in range(links)
    )
    owner = _sentence(draw, language, 2)
    tail = f'</div><div id="footer"><p>© 2024 <a href="/">{owner}</a></p></div></body></html>\n'
    if not small:
        repeat = min(1 + size // 40_000, 8)
        head += _STYLE * repeat + _SCRIPT * repeat
    parts = [
        f'{head}</head>\n<body><div id="nav"><ul>{menu}</ul></div>\n'
        f'<div class="content {kind}"><h1>{title}</h1>\n'
    ]
    left = size - len(parts[0].encode()) - len(tail.encode())
    while left > 0:
        piece = _PIECES[kind](draw, language) + "\n"
        parts.append(piece)
        left -= len(piece.encode())
    return ("".join(parts) + tail).encode()
