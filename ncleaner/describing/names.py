"""Titles without the name of the site, and names of authors, as pages write them."""

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, filterfalse, islice

from ncleaner.describing._bylines import begins_like
from ncleaner.describing.dates import dates_in
from ncleaner.text.hosts import host_of
from ncleaner.text.wordlists import any_of, word_lists

_ALNUM = re.compile(r"[^\W_]+")
_NO_LETTERS = {code: None for code in range(128) if not chr(code).isalnum()}
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>")
# what sites put between title and name
_SIGNS = frozenset("|-–—·•:»«/~*：｜ㅣ┃│_")
_BEFORE_SITE = re.compile(r" [|\-–—·•:»«/~*]+ | ?[|：｜ㅣ┃│_] ?|(?<=[\u3000-\ud7ff])[-–—](?=[\u3000-\ud7ff])")

# a host in the place of a name
_HOST = re.compile(r"\s*[\w-]+(?:\.[\w-]+)*\.[a-z]{2,7}\s*")
# parts of a title that are looked at, from each end
_PARTS = 4
# a shorter name is a part of other words
_SHORT, _FEW_WORDS = 3, 3
# other titles of a page that are compared, and letters of a title that is no mere label
_OTHERS, _LEAST = 12, 8
# letters at the beginning of a word that two titles share
_STEM = 5


# a page has its title in several places
@lru_cache(64)
def plain_title(text: str) -> str:
    """Returns a text of one line: without tags, references to characters decoded, white space folded."""
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = _TAG.sub("", text)
    return " ".join((text if text.isprintable() else _CONTROLS.sub(" ", text)).split())


@lru_cache(256)
def _letters(text: str) -> str:
    if text.isascii():
        return text.casefold().translate(_NO_LETTERS)
    # hosts have no accents
    text = "".join(filterfalse(unicodedata.combining, unicodedata.normalize("NFKD", text)))
    return "".join(_ALNUM.findall(text.casefold()))


@lru_cache(16)
def _names(sites: tuple[str, ...], url: str) -> tuple[str, ...]:
    """Returns the letters of the names of a site; the longest part of its host is one."""
    host = max(host_of(url).split(".")[:-1] or [""], key=len) if url else ""
    return tuple(letters for name in (*sites, host) if (letters := _letters(name)))


def names_site(name: str, sites: Iterable[str], url: str = "") -> bool:
    """Tells whether a name is that of the site rather than of a person.

    >>> names_site("Harbour Gazette", ["The Harbour Gazette"]), names_site("Ann Lee", ["The Harbour Gazette"])
    (True, False)
    """
    letters = _letters(name)
    return any(_alike(letters, known) for known in _names(tuple(sites), url))


def without_site(text: str, sites: Iterable[str], url: str = "") -> str:
    """Returns a title without the name of the site before or after it, and without the sign of a link to it.

    >>> without_site("The ferry is back | Harbour Gazette", ["Harbour Gazette"])
    'The ferry is back'
    >>> without_site("Harbour Gazette - The ferry is back", [], "https://www.harbour-gazette.example/ferry")
    'The ferry is back'

    Args:
        text: as the page has it.
        sites: names of the site.
        url: address of the page, whose host often has the name.
    """
    plain = plain_title(text)
    # programs show links to the heading itself as a sign after it
    title = plain.rstrip(" ¶🔗") or plain
    if not may_be_longer(title):
        return title
    known = _names(tuple(sites), url)

    # "CBC News" for the site CBC
    short = {name.casefold() for name in sites if len(name) <= _SHORT}

    def is_site(part: str) -> bool:
        letters, words = _letters(part), part.casefold().split()
        return (
            not letters
            or bool(_HOST.fullmatch(part))
            or (len(words) <= _FEW_WORDS and not short.isdisjoint(words))
            or any(_alike(letters, name) for name in known)
        )

    # most sites put their name after the title, some with that of a section
    for _ in range(_PARTS):
        parts = [(match.start(), match.end()) for match in _BEFORE_SITE.finditer(title)]
        behind = [title[:start] for start, end in parts[-_PARTS:] if is_site(title[end:])]
        before = [title[end:] for start, end in parts[:_PARTS] if is_site(title[:start])]
        rest = next((rest for rest in (*reversed(behind), *before) if _letters(rest)), None)
        if rest is None:
            break
        title = rest
    return title


def may_be_longer(title: str) -> bool:
    """Tells whether a title has a dash or a bar, behind which there may be more than the title."""
    return not _SIGNS.isdisjoint(title) and _BEFORE_SITE.search(title) is not None


def bare_title(title: str, others: Iterable[str], sites: Iterable[str] = ()) -> str:
    """Returns a title without what it has beyond another title of the page: a section, a date, a name of the
    site that nothing else tells.

    >>> bare_title("The ferry is back – Islands – 13.06.2023", ["The ferry is back"])
    'The ferry is back'

    Args:
        title: as `without_site` returns it.
        others: what else the page has as its title.
        sites: names of the site, which are no titles.
    """
    cuts = [match.start() for match in _BEFORE_SITE.finditer(title)]
    if not cuts:
        return title
    beginnings = {_letters(title[:cut]): cut for cut in cuts}
    for other in islice(others, _OTHERS):
        letters = _letters(plain_title(other))
        if len(letters) >= _LEAST and letters in beginnings and not names_site(letters, sites):
            return title[: beginnings[letters]]
    return title


def is_same_title(headline: str, title: str) -> bool:
    """Tells whether a headline says the same as a title that is made for search engines.

    A title of one word is a section, so any headline is better. A label, and what is behind a
    colon, is only a part of the title.

    >>> is_same_title("Ten gardens in spring", "10 best spring gardens")
    True
    >>> is_same_title("Join us", "Gardens to see")
    False
    """
    if " " not in title:
        return True
    letters, whole = _letters(headline), _letters(title)
    if 3 * len(letters) < len(whole) or (
        letters != whole and letters in map(_letters, title.split(": ")[1:])
    ):
        return False
    ours, theirs = ({_letters(word)[:_STEM] for word in text.split()} for text in (headline, title))
    return 2 * len(ours & theirs) >= min(len(ours), len(theirs))


def _alike(letters: str, name: str) -> bool:
    """Tells whether letters name a site: its name, or this with little around it, or a part of it."""
    if len(name) <= _SHORT:
        return bool(name) and letters == name
    return len(letters) < 2 * len(name) + 8 and (
        name in letters or (len(letters) > _SHORT and letters in name)
    )


# Authors

# names of a page, and the length and words of one
_MOST, _LONGEST, _WORDS = 10, 60, 6
# A byline may name several people; a text that is longer is about them. "By" takes few characters of it.
_LONGEST_BYLINE, _LONGEST_BY = 200, 40
# More different names than this, each in an element of its own, are the writers of posts or comments.
_FEW = 4

# `names.txt` says what these are, and how to add one.
_LISTS = word_lists(
    "describing/names", "before names", "unsure", "not of names", "signed", "signed up to", "and", "titles",
    "companies", "end", "staff", "pictures", "particles", "no names", "occupations", "newsrooms", "licences",
)  # fmt: skip
_ANY = {section: any_of(words) for section, words in _LISTS.items()}
_BY_WORDS = _ANY["before names"]
_BY = re.compile(rf"^\W*(?:{_BY_WORDS})(?![^\W\d_]|-)[\s:：|・=＝/／]*")
# How these begin: two characters, or one beyond ASCII. To look at them takes a tenth of the time of the
# pattern.
BYLINE_STARTS = frozenset(re.findall(r"(?:^|\||\(\?:|\)\?)([\w ]{1,2})", _BY_WORDS))
# in small letters: Dan and Per are names
_AND = rf"(?<!\w)(?-i:{_ANY['and']})(?!\w)"
_BETWEEN = re.compile(
    rf"\s*(?:[;|•·»\n\t、]|\s/\s|,(?!\s*(?:{_ANY['titles']})\b)"
    rf"|&(?!\s*(?:{_ANY['companies']})\b)|＆|{_AND})\s*",
    re.IGNORECASE,
)
_JOINS = re.compile(rf"\s*(?:[,&]|{_AND})\s*$", re.IGNORECASE)
# A number ends a name unless nothing follows, as in "DJ 3000"; digits of a word belong to it: "annlee77".
_AFTER = re.compile(
    rf"\s*(?:[|•●·—–(@©]|(?<=\s)\d(?!\d{{0,3}}\Z)|(?<=\w{{5}})\.\s|\b(?:{_ANY['end']})\b"
    rf"|(?<=\s)(?:{_ANY['staff']}) (?=(?:\w+ )*(?:writer|reporter|correspondent)s?\b)"
    rf"|\b(?:{_ANY['pictures']})(?=:|\s(?:by|von|de|di|av)\b)).*$",
    re.IGNORECASE | re.DOTALL,
)
# what follows the names of a byline: "By Ann Lee, in Islands, Trade"
_SECTION = re.compile(r"(?:,?\s(?:in|on|for|at)\s|\s(?:[|•·]\s|\[)).*$", re.IGNORECASE | re.DOTALL)
_EMAIL = re.compile(r"\s*[<(\[]?\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+[>)\]]?")
_ADDRESS = re.compile(r"https?:|www\.|@\w+\.|\.(?:com|org|net)\b", re.IGNORECASE)
# "May 1, 2024": a month, which May, June and Jan also are as names
_DATED = re.compile(r"\W*[^\W\d_]{3,9}\.? \d\d?(?!\d)")
# no names of people
_NO_NAME = re.compile(
    rf"^(?:{_ANY['no names']}|(?:.*\s)?(?:{_ANY['occupations']})s?"
    rf"|(?:unserer |la |die )?(?:{_ANY['newsrooms']}))$"
)
_LICENCE = re.compile(_ANY["licences"])
_ACCOUNT = re.compile(r"[a-z0-9]+(?:[._][a-z0-9]+)+|[a-z]+\d+")
_NOT_OF_NAMES, _PARTICLES = frozenset(_LISTS["not of names"]), frozenset(_LISTS["particles"])
_BARE = re.compile(rf"\W*(?:{_ANY['unsure']})\b(?!\s*[:：])")
# What is before a date in a byline, after a sign: a weekday, or nothing.
BEFORE_DATE = re.compile(r"\s*[»|•·,;–—-]\s*(?:(?![A-Z]{2})[^\W\d_]{2,12}[.,]{0,2}\s+)?\Z")
# one or more names in Chinese characters or Hangul, up to where they end
_EASTERN = r"[々\u4e00-\u9fff가-힣]{2,4}"
_UP_TO = _ANY["signed up to"]
_EASTERN_NAMES = (
    rf"((?!本[报報刊]|{_UP_TO})(?:{_EASTERN}?(?={_UP_TO})"
    rf"|{_EASTERN}(?:[\s、,，&]\s?(?!{_UP_TO}){_EASTERN}){{0,9}}(?![^\W\d_])))"
)


# compiled when a page has such letters: it takes longer than most pages
@lru_cache(1)
def _signed() -> list[re.Pattern[str]]:
    return [re.compile(any_of([words]).replace("…", _EASTERN_NAMES)) for words in _LISTS["signed"]]


def names_signed(lines: Iterable[str]) -> tuple[str, ...]:
    """Returns the names in the first line of East Asia that names the writer, a reporter or the editor.

    >>> names_signed(["来源：海湾日报 作者：李小舟 编辑：王大江"])
    ('李小舟',)
    """
    known = [line for line in lines if max(line, default="") > "\u3000"]
    patterns = _signed() if known else ()
    signed = (found for pattern in patterns for line in known if (found := pattern.search(line)))
    return next((tuple(re.split(r"[\s、,，&]+", found[1])) for found in signed), ())


def is_licence(text: str) -> bool:
    """Tells whether a text names a licence or has its address; a mere line of copyright does not."""
    return _LICENCE.search(text.lower()) is not None


def is_account(name: str) -> bool:
    """Tells whether a name is that of an account, such as "a.lee" or "annlee7", rather than of a person."""
    return bool(_ACCOUNT.fullmatch(name))


def names_in(values: Iterable[str]) -> tuple[str, ...]:
    """Returns the names of people or groups in statements of authors, each once, in order, at most ten.

    >>> names_in(["By Ann Lee and Ben Moss", "https://example.com/ann", "admin"])
    ('Ann Lee', 'Ben Moss')

    Args:
        values: what meta tags or JSON-LD name as authors.
    """
    return _distinct(name for value in values for name in _people(value))


def turned(name: str) -> str:
    """Returns a name as it is said.

    >>> turned("Lee, Ann"), turned("Ann Lee, Ben Moss")
    ('Ann Lee', 'Ann Lee, Ben Moss')
    """
    last, comma, first = (part.strip() for part in name.partition(","))
    is_one = comma and first and "," not in first and not _BETWEEN.search(first) and " " not in last
    return f"{first} {last}" if is_one else name


def names_in_line(line: str) -> tuple[str, ...]:
    """Returns the names in a line if it is a byline, although nothing marks it.

    >>> names_in_line("By car"), names_in_line("By Ann Lee"), names_in_line("by annlee » 3 May 2024")
    ((), ('Ann Lee',), ('annlee',))
    """
    if not is_byline(line):
        return ()
    # a date beside it makes a name of a word
    is_sure = not _BARE.match(_small(line[:_LONGEST_BY])) or bool(dates_in(line))
    return tuple(
        name
        for name in names_on_page([line])
        if _NOT_OF_NAMES.isdisjoint(name.lower().split())
        and (is_sure or (" " in name and _is_capital(name)) or any(map(str.isdecimal, name)))
    )


def names_on_page(values: Iterable[str]) -> tuple[str, ...]:
    """Returns the names in elements that are marked as authors.

    Such an element often has more than names: the first line with a name counts, and those that are joined
    to it by a comma or an "and". Many elements with different names are the writers of posts: the first
    counts.

    Args:
        values: the text of each element, a line for each element in it.
    """
    lines = [*islice(values, 4 * _FEW)]
    groups = [_distinct(filter(_is_proper, _first_names(value))) for value in lines]
    names = _distinct(chain.from_iterable(groups))
    if len(names) > 1 and all(map(str.islower, names)) and lines[0].strip()[:3].lower() == "by ":
        return ()  # "by land and sea"
    return names if len(names) <= _FEW else next(filter(None, groups))


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(name.casefold(), name)
    return tuple(found.values())[:_MOST]


def _first_names(value: str) -> Iterator[str]:
    joined = True
    for line in value.split("\n"):
        if not line.strip() or _JOINS.match(line):
            joined = joined or bool(line.strip())
            continue
        names = [*_people(line)] if joined else []
        yield from names
        joined = line.rstrip().endswith((",", "&", " and")) or (joined and not names)


def is_byline(text: str) -> bool:
    """Tells whether a text begins with "by" or the like, in many languages.

    >>> is_byline("Von: Ann Lee"), is_byline("Bye")
    (True, False)
    """
    return _behind_by(text) != text


def _small(text: str) -> str:
    """Returns a text in small letters, each in its place: that of the Turkish İ would be two characters."""
    return text.replace("İ", "i").lower()


def _behind_by(text: str) -> str:
    found = _BY.match(_small(text[:_LONGEST_BY])) if begins_like(text, BYLINE_STARTS) else None
    return text[found.end() :] if found else text


def _people(value: str) -> Iterator[str]:
    text = plain_title(value)
    if signed := names_signed([text]):
        yield from signed
        return
    if "@" in text:
        text = _EMAIL.sub("", text) or text
    if not text or len(text) > _LONGEST_BYLINE or ((":" in text or "." in text) and _ADDRESS.search(text)):
        return
    named = _behind_by(text)
    is_line = named != text
    named = _without_date(named)
    if is_line:
        named = _SECTION.sub("", named)
    first = ""
    for part in _BETWEEN.split(named):
        # "Ann Lee/Ben Moss" are two, "abc/xyz" is how an agency signs
        sides = part.split("/") if "/" in part else [part]
        for side in sides if len(sides) == 1 or all(" " in side.strip() for side in sides) else [part]:
            if not side.replace(" ", "").isalpha() and _DATED.match(side):
                continue
            name = _ended(side if side == text else _behind_by(side))
            if not name or len(name) > _LONGEST or name.count(" ") >= _WORDS or not _is_name(name):
                continue
            # "By Ann Lee, London"
            if is_line and " " in first and name.istitle() and " " not in name and f", {name}" in named:
                continue
            first = first or name
            yield name


def _without_date(text: str) -> str:
    """Returns a text up to the first date after a name; a weekday before the date is a part of it."""
    for found in dates_in(text):
        before = BEFORE_DATE.sub("", text[: found.start])
        if before.strip():
            return before
    return text


def _ended(text: str) -> str:
    """Returns a text up to where a name ends."""
    if text[:1].isdecimal():
        return ""
    return _AFTER.sub("", text).strip(" \"'“”‘’.,:;-–—)]）】©")


def _is_name(name: str) -> bool:
    return any(map(str.isalpha, name)) and not _NO_NAME.match(name.lower())


def _is_capital(name: str) -> bool:
    return not name[0].islower() or name.split()[0].lower() in _PARTICLES


def _is_proper(name: str) -> bool:
    """Tells whether each word of a name begins as names do: not with a small letter, particles apart."""
    words = name.split()
    return len(words) == 1 or not any(word[0].islower() and word.lower() not in _PARTICLES for word in words)
