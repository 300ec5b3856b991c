"""Dates as pages write them, to ISO 8601."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from ncleaner.describing._bylines import may_have_date
from ncleaner.text.wordlists import any_of, pairs_of, word_lists

# nothing on the Web is older, and a page of a later year is a mistake
_YEARS = range(1990, 2100)
# A date is short: anything longer is running text.
_LONGEST = 60
# Years of two digits are read only in a text of at most this many characters: in a longer one they are mostly
# something else.
_SHORT = 80
# characters before and after a date that may say what it is, and those of the name of a month with a space
_LABEL, _LONGEST_WORD = 50, 27

_MONTHS = ("january february march april may june july august september october november december").split()
_CALENDARS = ("persian", "islamic", "hebrew", "ethiopian", "nepali")
# `dates.txt` says what these are, and how to add one.
_WORDS = word_lists(
    "describing/dates", *_MONTHS, "of languages", *_CALENDARS, "eras", "around", "changed",
    "published", "other", "other words", "letters of eras",
)  # fmt: skip
# the calendars of years in mere numbers that are not Gregorian ones; elsewhere, they are Persian
_NUMBERED = {"ar": "islamic", "ne": "nepali"}
_BUDDHIST_ERA = 543
# A year beyond this one is of another century if it has two digits, of another calendar where that is usual.
_FUTURE = 2035

_WORD = r"([^\W\d_][^\s\d,/()\[\]|:;–—-]{1,24})"
_ORDINAL = r"(?:st|nd|rd|th|er|mh|-a|[ºª°.eêηی]|ης|-?го)?"
_OF = r"(?:(?:de|of|the|den|del|di|da|dal|do|di u|dl|dhen|lia|mis)[ -]|ta['’] |d['’])?"
_ZONE = r"(?:[a-z]{1,5} |(?:gmt|utc)?[+-]\d\d?:?(?:\d\d)? )?"
_CLOCK = rf"(?:\d{{1,2}}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?,? {_ZONE})?"
_SHORT_YEAR = r"\d\d(?= ?(?:[)\]|·•,–—]|- |$))"
_YEAR = rf"(\d{{4}}|['’]?{_SHORT_YEAR})"
# All of them look at few characters from a number on, which has one of these numbers of digits. They read
# small letters, which is faster than to ignore the case.
_DAY_DIGITS = (1, 2)
_PATTERNS = [(kind, lengths, re.compile(pattern)) for kind, lengths, pattern in (
    # 2024-05-01, 2024/5/1, 2024. 5. 1., 113/5/1
    ("ymd", (3, 4), r"(?<!\d)(\d{3,4})\s?[-./]\s?(\d{1,2})\s?[-./]\s?(\d{1,2})(?![\d])"),
    # 1.5.2024, 01/05/24, 5-1-2024
    ("numbers", _DAY_DIGITS,
     r"(?<![\d.,/+-])(?<!\d:)(\d{1,2}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d{4}|\d\d)(?![\d/-]|\.\d)"),
    # 1 May 2024, 1. Mai 2024, 1 de mayo de 2024, 1er mai 2024, 1 May '24
    ("dMy", _DAY_DIGITS,
     rf"(?<![\d.,/])(?<!\d:)(\d{{1,2}}){_ORDINAL}[ ,-]{{0,9}}{_OF}{_WORD},?[ -]{{0,9}}{_OF}{_YEAR}(?!\d)"),
    # May 1, 2024; Jan 04 09:34 2021; May 12024: what is after the name of the month
    ("Mdy", range(1, 7), rf"(?<![\d.,/:])(\d{{1,2}})(?:st|nd|rd|th)?,? {{0,9}}{_CLOCK}(\d{{4}})(?!\d)"),
    # 2024. május 1., 2024 m. gegužės 1 d., 2024ko maiatzaren 1a
    ("yMd", (4,),
     rf"(?<!\d)(\d{{4}})(?:[(]?e?[)]?ko|\.)?,? {{1,9}}(?:m\. )?{_WORD},? {{1,9}}(\d{{1,2}})(?![\d:])"),
    # 2024. gada 1. maijs, 2024 ж. 1 мамыр
    ("ydM", (4,), rf"(?<!\d)(\d{{4}})(?:-ж)?[.,]{{0,2}} {{1,9}}(?:gada )?(\d{{1,2}})[.-]? ?{_WORD}"),
    # 1 tháng 5, 2024
    ("vietnamese", _DAY_DIGITS, r"(?<!\d)(\d{1,2})[ ,]+tháng (\d{1,2})[ ,]+(?:năm )?(\d{4})(?!\d)"),
)]  # fmt: skip
# those with a name
_NAMED = _PATTERNS[2:]
# the word of the last pattern
_VIETNAMESE = "tháng"
_WORD_BEFORE = re.compile(rf"(?<!\w){_WORD}[ -]{{0,9}}\Z")
_IS_NUMBERS = re.compile(r"\d\s?[-./]\s?\d")
# 2024年5月1日, 二〇二四年五月一日, 令和6年5月1日, 113年5月1日, 2024년 5월 1일
_ERAS, _LETTERS = pairs_of(_WORDS["eras"]), pairs_of(_WORDS["letters of eras"])
_HAN = re.compile(
    rf"({any_of(_ERAS)})?\s?([\d〇○零一二三四五六七八九十百元]{{1,7}})\s?[年년]\s?"
    r"([\d一二三四五六七八九十]{1,3})\s?[月월]\s?([\d一二三四五六七八九十]{1,3})"
)
# 令和6.5.1, R6.5.1
_ERA_IN_DOTS = re.compile(
    rf"(?<![a-z])({any_of(_ERAS)}|[{''.join(_LETTERS)}])\s?(\d{{1,2}})[./](\d{{1,2}})[./](\d{{1,2}})(?!\d)"
)
_HAN_DIGITS = str.maketrans("〇○零一二三四五六七八九元", "0001234567891")
# ב' באדר ב' תשפ"ד: a day and a year in letters
_HEBREW = re.compile(
    r"(?<!\w)([א-ל][\"'׳״]?[א-ט]?['׳]?) (ב?[א-ת]+(?: [אב]['׳]?(?!\w))?),? (?:ה['׳])?(תש[א-ת\"״]{1,4})"
)
_HEBREW_NUMBERS = dict(
    zip("אבגדהוזחטיכלמנסעפצקרשת", (*range(1, 10), *range(10, 100, 10), 100, 200, 300, 400), strict=True)
)
# All patterns begin with a number: trying them at each takes half the time of searching for each pattern.
_NUMBER = re.compile(r"\d+")

_CHANGED = re.compile(any_of(_WORDS["changed"]))
_PUBLISHED = re.compile(any_of(_WORDS["published"]))
_OTHER = re.compile(rf"{any_of(_WORDS['other'])}|\b(?:{any_of(_WORDS['other words'])})\b")
_YEAR_IN_URL = re.compile(r"(?:19|20)\d\d")
_NUMBERED_URL = re.compile(r"[/_=-]((?:19|20)\d\d)[/_-]([01]?\d)[/_-]([0-3]?\d)(?=[/_.?&-]|$)")
_NAMED_URL = re.compile(r"[/_-]((?:19|20)\d\d)[/_-]([a-z]{3,9})[/_-]([0-3]?\d)(?=[/_.-]|$)")
_REVERSED_URL = re.compile(r"[/_-]([0-3]?\d)-([01]?\d)-((?:19|20)\d\d)(?=[/_.?-]|$)")
_COMPACT_URL = re.compile(r"[/_-]((?:19|20)\d\d)([01]\d)([0-3]\d)(?=[/_.-]|$)")


class FoundDate(NamedTuple):
    """A date in a text.

    Attributes:
        day: ISO 8601.
        start, end: where it stands, in characters.
        changed: a word before it says that it is the date of a change.
        stated: a word before it says that it is the date of publication.
    """

    day: str
    start: int
    end: int
    changed: bool
    stated: bool


@lru_cache(1)
def _months() -> dict[str, tuple[int, str]]:
    """Returns {name: (number, calendar)}; a name that counts in one language only has its code before it."""
    found: dict[str, tuple[int, str]] = {}
    for number, month in enumerate(_MONTHS, 1):
        for name in _WORDS[month]:
            found.setdefault(name.replace(" ", "_"), (number, ""))
            bare = unicodedata.normalize("NFD", name)
            # Latin and Greek letters are often written without their accents; elsewhere such marks are vowels
            if name[0] < "\u0400":
                found.setdefault(
                    "".join(char for char in bare if not unicodedata.combining(char)), (number, "")
                )
    for calendar in _CALENDARS:
        for number, names in enumerate(_WORDS[calendar], 1):
            found.update(dict.fromkeys(names.replace(" ", "_").split("|"), (number, calendar)))
    for each, place in pairs_of(_WORDS["of languages"]).items():
        code, _, name = each.partition(" ")
        found[f"{code} {name.replace(' ', '_')}"] = int(place), ""
    return found


def _month(word: str, lang: str) -> tuple[int, str]:
    """Returns the number of a month's name in small letters, and its calendar; 0 for another word."""
    name, months = unicodedata.normalize("NFC", word).rstrip(".").replace("’", "'"), _months()
    return months.get(f"{lang} {name}") or months.get(name) or months.get(name.removeprefix("ב"), (0, ""))


@lru_cache(64)
def _beside(code: str) -> re.Pattern[str]:
    """Returns the pattern of what is rewritten in a language: words around dates, months with spaces."""
    names = [name.partition(" ") for name in _months() if "_" in name]
    spaced = [name for own, _, name in names if own == code] + [own for own, _, name in names if not name]
    return re.compile(
        "|".join((any_of(_WORDS["around"]), *sorted(spaced, key=len, reverse=True))).replace("_", " ")
    )


def _rewritten(small: str, lang: str) -> str:
    """Returns a text with dates as the patterns know them; what is before the first one keeps its place."""
    if "תש" in small:
        small = _HEBREW.sub(_of_hebrew, small)
    if lang == "ja":
        small = _ERA_IN_DOTS.sub(_of_han, small)
    small = _beside(lang).sub(
        lambda found: found[0].replace(" ", "_") if " " in found[0] else " " * len(found[0]), small
    )
    return _HAN.sub(_of_han, small) if "年" in small or "년" in small else small


def _of_han(found: re.Match[str]) -> str:
    era, *parts = found.groups()
    year, month, day = (_number(part.translate(_HAN_DIGITS)) for part in parts)
    if era and not year:
        return " " * len(found[0])
    # years of three digits are those of the Republic of China
    year += int(_ERAS.get(era) or _LETTERS[era]) if era else 1911 if 100 <= year < 200 else 0
    return f"{year:04}-{month}-{day}"


def _number(han: str) -> int:
    """Returns a number in digits, between which may be the signs for tens and hundreds."""
    number = digits = 0
    for sign in han:
        if sign in "十百":
            number, digits = number + (digits or 1) * (10 if sign == "十" else 100), 0
        else:
            digits = 10 * digits + int(sign)
    return number + digits


def _of_hebrew(found: re.Match[str]) -> str:
    day, year = (sum(_HEBREW_NUMBERS.get(letter, 0) for letter in found[group]) for group in (1, 3))
    return f"{day} {found[2].replace(' ', '_')} {5000 + year}"


def is_month_first(lang: str, host: str = "") -> bool:
    """Tells whether 5/1/2024 is a day in May: in American English.

    A page in English whose host is in a country's domain is taken for one of that country.

    >>> is_month_first("en-US"), is_month_first("en"), is_month_first("en", "a.example.co.uk")
    (True, True, False)
    """
    code, _, region = lang.lower().replace("_", "-").partition("-")
    if code != "en":
        return False
    top = host.rpartition(".")[2]
    return region == "us" or (not region and (len(top) != 2 or top == "us"))


def iso_date(value: str, month_first: bool = False) -> str:
    """Returns a date or a time as ISO 8601, as precise as it is given; empty if it is not a date.

    >>> iso_date("2024-05-01T10:00:00+0200"), iso_date("Wed, 01 May 2024 10:00:00 GMT")
    ('2024-05-01T10:00:00+02:00', '2024-05-01')
    >>> iso_date("May 1, 2024"), iso_date("1. Mai 2024"), iso_date("30000-01-01")
    ('2024-05-01', '2024-05-01', '')
    """
    text = " ".join(value.split())
    # seconds or milliseconds since 1970
    if text.isdecimal() and len(text) in (10, 13):
        text = datetime.fromtimestamp(int(text[:10]), UTC).isoformat()
    return _iso(text, month_first) if 0 < len(text) <= _LONGEST else ""


# a page states the same date in several places
@lru_cache(64)
def _iso(text: str, month_first: bool) -> str:
    try:
        found = datetime.fromisoformat(text.replace("/", "-") if text[:4].isdigit() else text)
    except ValueError:
        pass
    else:
        if len(text) == 4 or found.year not in _YEARS:
            return ""
        return found.date().isoformat() if len(text) <= 10 else found.isoformat(timespec="seconds")
    return date_in_text(text, month_first)


def dates_in(text: str, month_first: bool = False, lang: str = "") -> list[FoundDate]:
    """Returns the dates in a text, in order.

    Args:
        text: of one line.
        month_first: 3/5/2024 is a day in March. The other order is taken where this one is not a date.
        lang: of the page, as it declares it; empty if it is unknown.
    """
    if not may_have_date(text):
        return []
    small, is_short = text.lower(), len(text) <= _SHORT
    lang = lang.lower().replace("_", "-").partition("-")[0]
    if not small.isascii() or lang == "ja":
        small = _rewritten(small, lang)
    found: dict[int, tuple[int, str]] = {}
    numbers = [(start, end - start) for start, end in map(re.Match.span, _NUMBER.finditer(small))]
    patterns = _PATTERNS if _IS_NUMBERS.search(small) else _NAMED
    for kind, lengths, pattern in patterns if _VIETNAMESE in small else patterns[:-1]:
        behind = 0
        for place, length in numbers:
            if length not in lengths or place < behind or (match := pattern.match(small, place)) is None:
                continue
            behind, start, parts = match.end(), place, match.groups()
            if kind == "Mdy":
                before = _WORD_BEFORE.search(small, max(0, start - _LONGEST_WORD), start)
                if before is None:
                    continue
                start, parts = before.start(), (parts[0], before[1], parts[1])
            day = _read(kind, parts, month_first, lang, is_short)
            if day and start not in found:
                found[start] = match.end(), day
    return list(_labelled(small, found))


def _labelled(small: str, found: dict[int, tuple[int, str]]) -> Iterator[FoundDate]:
    last, places = 0, sorted(found)
    for start in places:
        end, day = found[start]
        if start < last:
            continue  # a part of the date before it
        label = small[max(last, start - _LABEL) : start]
        last = end
        if label and _OTHER.search(label):
            continue
        changed = [match.end() for match in _CHANGED.finditer(label)] if label else []
        published = [match.end() for match in _PUBLISHED.finditer(label)] if label else []
        is_changed = bool(changed) and (not published or published[-1] < changed[-1])
        yield FoundDate(day, start, end, is_changed, bool(published) and not is_changed)


def tells_change(text: str) -> bool:
    """Tells whether a text has a word about a change, which is faster than to read its dates."""
    return _CHANGED.search(text.lower()) is not None


def date_in_text(text: str, month_first: bool = False, lang: str = "") -> str:
    """Returns the first date in a text that is not that of a change, as ISO 8601; empty if there is none."""
    return next((each.day for each in dates_in(text, month_first, lang) if not each.changed), "")


def _read(kind: str, parts: tuple[str, ...], month_first: bool, lang: str, short: bool) -> str:
    if kind == "ymd":
        y, a, b = map(int, parts)
        return _day(y if y > 999 else y + 1911 if lang == "zh" else 0, a, b, lang=lang)
    if kind == "vietnamese":
        return _day(int(parts[2]), int(parts[1]), int(parts[0]))
    if kind == "numbers":
        first, separator, second, written = parts
        if len(written) == 2 and not short:
            return ""
        a, b, y = int(first), int(second), _full(written, lang)
        return (
            (month_first and separator != "." and _day(y, a, b)) or _day(y, b, a, lang=lang) or _day(y, a, b)
        )
    order = {"ydM": (0, 1, 2), "yMd": (0, 2, 1)}.get(kind, (2, 0, 1))
    written, day, name = (parts[place] for place in order)
    if len(written) < 4 and not short:
        return ""
    month, calendar = _month(name, lang)
    year = _full(written, "th" if "ก" <= name[0] <= "๛" else "")
    return _day(year, month, int(day), calendar=calendar) if month else ""


def _full(year: str, lang: str) -> int:
    """Returns a year of four digits for one of two or four, which in Thai is one of the Buddhist era."""
    number = int(year.lstrip("'’"))
    if number > 99:
        return number
    return number + (2500 if lang == "th" else 1900 if number > _FUTURE % 100 else 2000)


def date_in_url(url: str) -> str:
    """Returns the date in the path of an address, as in /2024/05/01/; empty if there is none."""
    if ("20" not in url and "19" not in url) or not _YEAR_IN_URL.search(url):
        return ""
    if found := _NUMBERED_URL.search(url) or _COMPACT_URL.search(url):
        return _day(*map(int, found.groups()))
    if found := _NAMED_URL.search(url.lower()):
        return _day(int(found[1]), _month(found[2], "")[0], int(found[3]))
    if found := _REVERSED_URL.search(url):
        return _day(int(found[3]), int(found[2]), int(found[1]))
    return ""


def is_local_day(day: str, moment: str) -> bool:
    """Tells whether a day is that of a moment in another time zone.

    >>> is_local_day("2024-05-01", "2024-05-02T03:00:00+00:00"), is_local_day("2024-05-01", "2024-05-02")
    (True, False)
    """
    # zones reach from UTC-12 to UTC+14
    return moment.endswith("+00:00") and day in {
        (datetime.fromisoformat(moment) + timedelta(hours=hours)).date().isoformat() for hours in (-12, 0, 14)
    }


@lru_cache(8)
def _calendar(name: str) -> dict[str, str]:
    """Returns {year: its first day and the lengths of its months}."""
    return pairs_of(word_lists("describing/calendars", *_CALENDARS)[name])


def _day(year: int, month: int, day: int, *, calendar: str = "", lang: str = "") -> str:
    """Returns a day as ISO 8601; empty if there is none. Without a calendar, the year tells which it is."""
    if not calendar:
        year -= _BUDDHIST_ERA if year - _BUDDHIST_ERA in _YEARS else 0
        if year not in _YEARS or (year > _FUTURE and lang in _NUMBERED):
            found = _day(year, month, day, calendar=_NUMBERED.get(lang, "persian"))
            return found if found[:4] <= str(_FUTURE) else ""
    try:
        if not calendar:
            return date(year, month, day).isoformat()
        first, *lengths = _calendar(calendar)[str(year)].split()
        before, is_day = sum(map(int, lengths[: month - 1])), month and 0 < day <= int(lengths[month - 1])
        return str(date.fromisoformat(first) + timedelta(before + day - 1)) if is_day else ""
    except (ValueError, LookupError):
        return ""
