"""Dates as pages write them, to ISO 8601."""

from __future__ import annotations

import re
from datetime import date, datetime
from email.utils import parsedate_to_datetime

__all__ = ["date_in_text", "date_in_url", "first_date", "iso_date"]

# nothing on the Web is older, and a page of a later year is a mistake
_YEARS = range(1990, 2100)
# A date is short: anything longer is running text.
_LONGEST = 60

_DAY_FIRST = re.compile(r"(?<![\d-])(\d{1,2})[./-](\d{1,2})[./-](\d{4})(?![\d-])")
_YEAR_FIRST = re.compile(r"(?<!\d)(\d{4})(?:[./-]|年\s?|년\s?)(\d{1,2})(?:[./-]|月\s?|월\s?)(\d{1,2})(?!\d)")
_IN_URL = re.compile(r"[/_-]((?:19|20)\d\d)[/_-]([01]?\d)[/_-]([0-3]?\d)(?=[/_.-]|$)")
_COMPACT_IN_URL = re.compile(r"/((?:19|20)\d\d)([01]\d)([0-3]\d)(?=[/_-])")

# The names of months and their abbreviations: English, German, French, Spanish, Portuguese, Italian, Dutch,
# Polish, Russian, Greek. A word that only begins like one ("Mayor", "Settings") is not a month.
_MONTHS = (
    "jan january januar jänner janvier enero ene janeiro gennaio gen januari sty stycz stycznia styczeń "
    "янв января январь ιαν ιανουαρίου ιανουάριος",
    "feb february februar fév févr février febrero fevereiro fev febbraio februari lut lutego luty "
    "фев февр февраля февраль φεβ φεβρουαρίου φεβρουάριος",
    "mar march mär märz mars marzo março maa maart mrz marca marzec мар марта март μαρ μαρτίου μάρτιος",
    "apr april avr avril abril abr aprile kwi kwietnia kwiecień апр апреля апрель απρ απριλίου απρίλιος",
    "may mai maio mayo mag maggio mei maj maja мая май μαϊ μαΐ μαΐου μάιος μάιου",
    "jun june juni juin junio junho giu giugno cze czerwca czerwiec июн июня июнь ιουν ιουνίου ιούνιος",
    "jul july juli juil juillet julio julho lug luglio lip lipca lipiec июл июля июль ιουλ ιουλίου ιούλιος",
    "aug august août aout agosto ago augustus sie sierpnia sierpień авг августа август "
    "αυγ αυγούστου αύγουστος",
    "sep sept september septembre septiembre setiembre setembro set sett settembre wrz września wrzesień "
    "сен сент сентября сентябрь σεπ σεπτεμβρίου σεπτέμβριος",
    "oct october oktober okt octobre octubre outubro out ottobre ott paź października październik "
    "окт октября октябрь οκτ οκτωβρίου οκτώβριος",
    "nov november novembre noviembre novembro lis listopada listopad ноя нояб ноября ноябрь "
    "νοε νοεμβρίου νοέμβριος",
    "dec december dez dezember déc décembre dic diciembre dezembro dicembre gru grudnia grudzień "
    "дек декабря декабрь δεκ δεκεμβρίου δεκέμβριος",
)
_MONTH_OF = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_NAMES = "|".join(sorted(map(re.escape, _MONTH_OF), key=len, reverse=True))
_NAME = rf"(?<!\w)({_NAMES})(?![^\W\d_])\.?"
_YEAR = re.compile(r"(?:19|20)\d\d")
_CHANGED = re.compile(
    r"updat|modif|edited|revised|review|aktualisiert|geändert|mis à jour|обновл|актуализ|更新|ενημερ|zaktual",
    re.IGNORECASE,
)
_DAY_MONTH = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|º|°|\.)?(?: de| of)? {_NAME},?(?: de| of)? (\d{{4}})(?!\d)",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(rf"{_NAME} (\d{{1,2}})(?:st|nd|rd|th)?,? (\d{{4}})(?!\d)", re.IGNORECASE)


def iso_date(value: str) -> str:
    """Returns a date or a time as ISO 8601, as precise as it is given; empty if it is not a date.

    >>> iso_date("2024-05-01T10:00:00+0200"), iso_date("Wed, 01 May 2024 10:00:00 GMT")
    ('2024-05-01T10:00:00+02:00', '2024-05-01T10:00:00+00:00')
    >>> iso_date("May 1, 2024"), iso_date("1. Mai 2024"), iso_date("30000-01-01")
    ('2024-05-01', '2024-05-01', '')
    """
    text = " ".join(value.split())
    if not text or len(text) > _LONGEST:
        return ""
    try:
        found = datetime.fromisoformat(text.replace("/", "-") if text[:4].isdigit() else text)
    except ValueError:
        pass
    else:
        if len(text) == 4 or found.year not in _YEARS:
            return ""
        return found.date().isoformat() if len(text) <= 10 else found.isoformat(timespec="seconds")
    if "," in text[:5]:
        try:
            found = parsedate_to_datetime(text)
        except (ValueError, OverflowError):
            pass
        else:
            return found.isoformat(timespec="seconds") if found.year in _YEARS else ""
    return date_in_text(text)


def first_date(text: str) -> str:
    """Returns the first date in a byline that is not the date of a change; empty if there is none."""
    if not _YEAR.search(text):
        return ""
    changed = _CHANGED.search(text)
    if changed is None:
        return date_in_text(text)
    return date_in_text(text[: changed.start()])


def date_in_text(text: str) -> str:
    """Returns the first date in a text as ISO 8601, a day; empty if there is none.

    Numbers as in 3.5.2024 and 3/5/2024 are day and month; the other order is taken where this one is not a
    date.
    """
    if not _YEAR.search(text):
        return ""
    found = [
        *((at, _day(int(year), int(month), int(day))) for at, (year, month, day) in _all(_YEAR_FIRST, text)),
        *(
            (at, _day(int(year), _MONTH_OF[name.lower()], int(day)))
            for at, (day, name, year) in _all(_DAY_MONTH, text)
        ),
        *(
            (at, _day(int(year), _MONTH_OF[name.lower()], int(day)))
            for at, (name, day, year) in _all(_MONTH_DAY, text)
        ),
        *(
            (at, _day(int(year), int(second), int(first)) or _day(int(year), int(first), int(second)))
            for at, (first, second, year) in _all(_DAY_FIRST, text)
        ),
    ]
    return min(((at, day) for at, day in found if day), default=(0, ""))[1]


def _all(pattern: re.Pattern[str], text: str) -> list[tuple[int, tuple[str, ...]]]:
    return [(match.start(), match.groups()) for match in pattern.finditer(text)]


def date_in_url(url: str) -> str:
    """Returns the date in the path of an address, as in /2024/05/01/; empty if there is none."""
    found = _IN_URL.search(url) or _COMPACT_IN_URL.search(url)
    return _day(*map(int, found.groups())) if found else ""


def _day(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat() if year in _YEARS else ""
    except ValueError:
        return ""
