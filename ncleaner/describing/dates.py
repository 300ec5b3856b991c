"""Dates as pages write them, to ISO 8601."""

import re
import unicodedata
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from ncleaner.describing._bylines import may_have_date
from ncleaner.text.wordlists import any_of, word_lists

# nothing on the Web is older, and a page of a later year is a mistake
_YEARS = range(1990, 2100)
# A date is short: anything longer is running text.
_LONGEST = 60
# Years of two digits are read only in a text of at most this many characters: in a longer one they are mostly
# something else.
_SHORT = 80
# characters before and after a date that may say what it is, and those of the name of a month with a space
_LABEL, _LONGEST_WORD = 50, 27

# Wed May 01 10:00:00 CEST 2024: what programs print
_OF_UNIX = re.compile(
    r"\A([A-Z][a-z]{2}) ([A-Z][a-z]{2}) (\d{1,2}) (\d\d:\d\d:\d\d) ([A-Z]{1,5}|[+-]\d{4}) (\d{4})\Z"
)

_MONTHS = ("january february march april may june july august september october november december").split()
_CROATIAN_MONTHS = ("june", "july", "october")
# `dates.txt` says what these are, and how to add one.
_WORDS = word_lists(
    "describing/dates", *_MONTHS, *(f"croatian {month}" for month in _CROATIAN_MONTHS), "persian",
    "changed", "changed behind", "published", "other", "other words",
)  # fmt: skip
_CROATIAN = {
    name: _MONTHS.index(month) + 1 for month in _CROATIAN_MONTHS for name in _WORDS[f"croatian {month}"]
}
_BUDDHIST_ERA = 543

_WORD = r"([^\W\d_][^\s\d,/()\[\]|:;–—-]{1,24})"
_ORDINAL = r"(?:st|nd|rd|th|er|[ºª°.eη]|ης|-?го)?"
_OF = r"(?:(?:de|of|the|den|del|di|da)[ -]|d['’])?"
_ZONE = r"(?:[a-z]{1,5} |(?:gmt|utc)?[+-]\d\d?:?(?:\d\d)? )?"
_CLOCK = rf"(?:\d{{1,2}}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?,? {_ZONE})?"
_SHORT_YEAR = r"\d\d(?= ?(?:[)\]|·•,–—]|- |$))"
_YEAR = rf"(\d{{4}}|['’]?{_SHORT_YEAR})"
# All of them look at few characters from a number on, which has one of these numbers of digits. They read
# small letters, which is faster than to ignore the case.
_DAY_DIGITS, _YEAR_DIGITS = (1, 2), (4,)
_NUMBERS = (
    # 2024-05-01, 2024/5/1, 2024. 5. 1., 2024年5月1日, 2024년 5월 1일
    (
        "ymd",
        _YEAR_DIGITS,
        re.compile(r"(?<!\d)(\d{4})\s?[-./年년]\s?(\d{1,2})\s?[-./月월]\s?(\d{1,2})(?![\d])"),
    ),
    # 1.5.2024, 01/05/24, 5-1-2024
    (
        "numbers",
        _DAY_DIGITS,
        re.compile(r"(?<![\d.,/+-])(?<!\d:)(\d{1,2}) ?([./-]) ?(\d{1,2}) ?\2 ?(\d{4}|\d\d)(?![\d/-]|\.\d)"),
    ),
)
_NAMED = (
    # 1 May 2024, 1. Mai 2024, 1 de mayo de 2024, 1er mai 2024, 1 May '24
    (
        "dMy",
        _DAY_DIGITS,
        re.compile(
            rf"(?<![\d.,/])(?<!\d:)(\d{{1,2}}){_ORDINAL}[ ,-]{{0,2}}{_OF}{_WORD},?[ -]?{_OF}{_YEAR}(?!\d)"
        ),
    ),
    # May 1, 2024; Jan 04 09:34 2021; May 12024: what is after the name of the month
    (
        "Mdy",
        range(1, 7),
        re.compile(rf"(?<=[^\s\d][ -])(?<!\d)(\d{{1,2}})(?:st|nd|rd|th)?,? ?{_CLOCK}(\d{{4}})(?!\d)"),
    ),
    # 2024. május 1., 2024 m. gegužės 1 d.
    ("yMd", _YEAR_DIGITS, re.compile(rf"(?<!\d)(\d{{4}})\.?,? (?:m\. |gada )?{_WORD} (\d{{1,2}})(?![\d:])")),
    # 1 tháng 5, 2024
    (
        "vietnamese",
        _DAY_DIGITS,
        re.compile(r"(?<!\d)(\d{1,2})[ ,]+tháng (\d{1,2})[ ,]+(?:năm )?(\d{4})(?!\d)"),
    ),
)
_PATTERNS = (*_NUMBERS, *_NAMED)
# the word of the last pattern
_VIETNAMESE = "tháng"
_WORD_BEFORE = re.compile(rf"(?<!\w){_WORD}[ -]\Z")
_IS_NUMBERS = re.compile(r"\d\s?[-./年년]\s?\d")
# All patterns begin with a number: trying them at each takes half the time of searching for each pattern.
_NUMBER = re.compile(r"\d+")

_CHANGED = re.compile(any_of(_WORDS["changed"]))
_CHANGED_BEHIND = re.compile(any_of(_WORDS["changed behind"]))
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
def _months() -> dict[str, int]:
    found: dict[str, int] = {}
    for number, month in enumerate(_MONTHS, 1):
        for name in _WORDS[month]:
            found.setdefault(name, number)
            bare = unicodedata.normalize("NFD", name)
            # Latin and Greek letters are often written without their accents; elsewhere such marks are vowels
            if name[0] < "\u0400":
                found.setdefault("".join(char for char in bare if not unicodedata.combining(char)), number)
    return found


def _month(word: str, lang: str) -> int:
    """Returns the number of a month's name in small letters; 0 for another word."""
    name = unicodedata.normalize("NFC", word).rstrip(".").replace("’", "'")
    if lang[:2] in ("hr", "bs") and name in _CROATIAN:
        return _CROATIAN[name]
    return _months().get(name) or _months().get(name.removeprefix("ב"), 0)


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
    ('2024-05-01T10:00:00+02:00', '2024-05-01T10:00:00+00:00')
    >>> iso_date("May 1, 2024"), iso_date("1. Mai 2024"), iso_date("30000-01-01")
    ('2024-05-01', '2024-05-01', '')
    """
    text = " ".join(value.split())
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
    text = _OF_UNIX.sub(r"\1, \3 \2 \6 \4 \5", text)
    if "," in text[:5]:
        # few pages write a date like this, and the module takes long to load
        from email.utils import parsedate_to_datetime

        try:
            found = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            pass
        else:
            return found.isoformat(timespec="seconds") if found.year in _YEARS else ""
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
        if start == places[-1] and not published:
            is_changed = is_changed or bool(_CHANGED_BEHIND.search(small, end, end + _LABEL))
        yield FoundDate(day, start, end, is_changed, bool(published) and not is_changed)


def tells_change(text: str) -> bool:
    """Tells whether a text has a word about a change, which is faster than to read its dates."""
    return _CHANGED.search(text.lower()) is not None


def date_in_text(text: str, month_first: bool = False, lang: str = "") -> str:
    """Returns the first date in a text that is not that of a change, as ISO 8601; empty if there is none."""
    return next((each.day for each in dates_in(text, month_first, lang) if not each.changed), "")


def _read(kind: str, parts: tuple[str, ...], month_first: bool, lang: str, short: bool) -> str:
    if kind == "ymd":
        return _day(int(parts[0]), int(parts[1]), int(parts[2]))
    if kind == "vietnamese":
        return _day(int(parts[2]), int(parts[1]), int(parts[0]))
    if kind == "numbers":
        first, separator, second, year = parts
        if len(year) == 2 and not short:
            return ""
        a, b, y = int(first), int(second), _full(year)
        return (month_first and separator != "." and _day(y, a, b)) or _day(y, b, a) or _day(y, a, b)
    day, name, year = parts if kind != "yMd" else parts[::-1]
    if len(year) < 4 and not short:
        return ""
    y = _full(year)
    if (persian := name.replace("ي", "ی")) in _WORDS["persian"]:
        return _day(y, _WORDS["persian"].index(persian) + 1, int(day))
    month = _month(name, lang)
    return _day(y, month, int(day)) if month else ""


def _full(year: str) -> int:
    """Returns a year of four digits for one of two or four."""
    digits = year.lstrip("'’")
    number = int(digits)
    return number if len(digits) == 4 else number + (1900 if number >= _YEARS.start % 100 else 2000)


def date_in_url(url: str) -> str:
    """Returns the date in the path of an address, as in /2024/05/01/; empty if there is none."""
    if ("20" not in url and "19" not in url) or not _YEAR_IN_URL.search(url):
        return ""
    if found := _NUMBERED_URL.search(url) or _COMPACT_URL.search(url):
        return _day(*map(int, found.groups()))
    if found := _NAMED_URL.search(url.lower()):
        return _day(int(found[1]), _month(found[2], ""), int(found[3]))
    if found := _REVERSED_URL.search(url):
        return _day(int(found[3]), int(found[2]), int(found[1]))
    return ""


def is_local_day(day: str, moment: str) -> bool:
    """Tells whether a day is that of a moment in another time zone.

    >>> is_local_day("2024-05-01", "2024-05-02T03:00:00+00:00"), is_local_day("2024-05-01", "2024-05-02")
    (True, False)
    """
    if len(moment) <= 10 or not moment.endswith(("+00:00", "Z")):
        return False
    begin = datetime.fromisoformat(f"{day[:10]}T00:00:00+00:00")
    # zones reach from UTC-12 to UTC+14
    return begin - timedelta(hours=14) <= datetime.fromisoformat(moment) < begin + timedelta(hours=36)


def _day(year: int, month: int, day: int) -> str:
    try:
        if 1369 <= year <= 1450:
            return _of_persian(year, month, day)
        if year - _BUDDHIST_ERA in _YEARS:
            year -= _BUDDHIST_ERA
        return date(year, month, day).isoformat() if year in _YEARS else ""
    except ValueError:
        return ""


def _of_persian(year: int, month: int, day: int) -> str:
    """Returns the day of a date in the Persian calendar, which may be one too late or early in some years.

    Raises:
        ValueError: there is no such day.
    """
    if not (1 <= month <= 12 and 1 <= day <= 31):
        raise ValueError
    # 1 Farvardin 1399 was 20 March 2020; the calendar has eight leap years in 33 years, of which 1399 was one
    years = year - 1399
    days = 365 * years + (8 * years + 32) // 33 + 31 * (month - 1) - max(0, month - 7) + day - 1
    return (date(2020, 3, 20) + timedelta(days=days)).isoformat()
