"""Writes `describing/calendars.txt`, and the names of months that `describing/dates.txt` lacks.

    pip install babel convertdate hijridate nepali-datetime
    python scripts/calendars.py

The names of months are those of the Common Locale Data Repository (CLDR), as Babel has them. A name counts in
all languages, but for a short one, for several words in Latin letters, and for another month elsewhere: these
count only in pages of their language. The lengths of months are those of convertdate (Persian, Hebrew,
Coptic), hijridate (Umm al-Qura, the calendar of Saudi Arabia) and nepali-datetime (Bikram Sambat).
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import nepali_datetime
from babel import Locale, UnknownLocaleError, localedata
from convertdate import coptic, hebrew, persian
from hijridate import Hijri

DESCRIBING = Path(__file__).parent.parent / "ncleaner" / "describing"
MONTHS = ("january february march april may june july august september october november december").split()
# Years that begin from 1990 to 2099, or as far as they are known. Ethiopian years are Coptic ones.
CALENDARS: dict[str, tuple[range, Callable[[int, int], date]]] = {
    "persian": (range(1369, 1479), lambda year, month: date(*persian.to_gregorian(year, month, 1))),
    "islamic": (range(1410, 1500), lambda year, month: Hijri(year, month, 1).to_gregorian()),
    "hebrew": (range(5751, 5860), lambda year, month: date(*hebrew.to_gregorian(year, month, 1))),
    "ethiopian": (range(1983, 2092), lambda year, month: date(*coptic.to_gregorian(year - 276, month, 1))),
    "nepali": (
        range(2047, 2100),
        lambda year, month: nepali_datetime.date(year, month, 1).to_datetime_date(),
    ),
}
# Tishri, which begins the year, to the first Adar, then the Adar of all years and the rest
HEBREW_MONTHS = (7, 8, 9, 10, 11, 12, 13, 1, 2, 3, 4, 5, 6)
HEAD = """\
# Years of other calendars than the Gregorian: the day on which a year begins, and the lengths of its months.
# The first Adar of the Hebrew calendar has no days in years with one Adar. Read by describing/dates.py.
#
# To add years, change `CALENDARS` in scripts/calendars.py and run it: it writes this file.
"""


def months_of(name: str, year: int) -> list[int]:
    """Returns the numbers of the months of a year, in their order; 0 for one that the year does not have."""
    if name == "hebrew":
        return [
            month if month < 12 else 12 + (month == 13) if hebrew.leap(year) else 0 if month == 12 else 12
            for month in HEBREW_MONTHS
        ]
    return [*range(1, 14 if name == "ethiopian" else 13)]


def years_of(name: str) -> Iterator[str]:
    """Yields the lines of a calendar."""
    years, first_of = CALENDARS[name]
    for year in years:
        firsts = [first_of(year, month) if month else None for month in months_of(name, year)]
        after = first_of(year + 1, months_of(name, year + 1)[0])
        lengths = []
        for first in reversed(firsts):
            lengths.append((after - first).days if first else 0)
            after = first or after
        yield f"{year}: {firsts[0]} {' '.join(map(str, reversed(lengths)))}"


def names_of_months() -> dict[str, dict[str, set[int]]]:
    """Returns {name: {language: numbers}} of all languages."""
    found: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for code in sorted(localedata.locale_identifiers()):
        try:
            locale = Locale.parse(code)
        except (UnknownLocaleError, ValueError):
            continue
        # "martxoaren" in Basque: what its pattern puts behind a name
        ends = {"", *re.findall(r"M{3,}'([^\W\d]+)'", "".join(map(str, locale.date_formats.values())))}
        for kind, width in ((kind, width) for kind in locale.months for width in ("wide", "abbreviated")):
            for number, name in locale.months[kind].get(width, {}).items():
                plain = unicodedata.normalize("NFC", name).lower().replace("’", "'").replace("-", " ")
                # patterns of dates know the prepositions
                plain = re.sub(r"^(?:de |d')", "", " ".join(plain.split())).strip(".:\u200c")
                if (
                    len(plain) > 1
                    and not re.search(r"[\d,#\"|()/:]", plain)
                    and (" " not in plain or not plain.isascii())
                ):
                    for end in ends:
                        found[plain + end][locale.language].add(number)
    return found


def with_months(text: str) -> str:
    """Returns `dates.txt` with the names that it lacks."""
    parts = re.split(r"(?m)^\[(.+)\]\n", text)
    at = {section: 2 * i + 2 for i, section in enumerate(parts[1::2])}
    known: dict[str, int] = {}
    for number, month in enumerate(MONTHS, 1):
        for name in re.split(r",\s+|\n", parts[at[month]].strip()):
            known.setdefault(name, number)
            bare = "".join(filter(str.isalpha, unicodedata.normalize("NFD", name)))
            known.setdefault(bare, number)
    for calendar in CALENDARS:
        known |= dict.fromkeys(re.split(r",\s+|\n|\|", parts[at[calendar]].partition("\n\n")[0]), 0)
    own = dict.fromkeys(re.split(r",\s+|\n", parts[at["of languages"]].partition("\n\n")[0].strip()))
    new: dict[str, list[str]] = defaultdict(list)
    for name, languages in sorted(names_of_months().items()):
        numbers = set().union(*languages.values())
        is_sure = len(name) > 4 and " " not in name if name[0] < "\u0400" else len(name) > 2
        if len(numbers) == 1 and name not in known and is_sure:
            new[MONTHS[min(numbers) - 1]].append(name)
            continue
        for language, said in languages.items():
            if len(said) == 1 and known.get(name) != min(said):
                own.setdefault(f"{language} {name}: {min(said)}")
    for section, names in new.items():
        head, gap, rest = parts[at[section]].partition("\n\n")
        parts[at[section]] = f"{head.rstrip()}\n{wrapped(names)}" + (gap or "\n") + rest
    _, gap, rest = parts[at["of languages"]].partition("\n\n")
    parts[at["of languages"]] = wrapped(sorted(own)) + gap + rest
    return "".join(f"[{part}]\n" if i % 2 else part for i, part in enumerate(parts))


def wrapped(words: list[str]) -> str:
    """Returns words on lines, none of which is cut in two."""
    lines, line = [], ""
    for word in words:
        if line and len(line) + len(word) > 116:
            lines.append(line)
            line = ""
        line = f"{line}, {word}" if line else word
    return "\n".join((*lines, line))


def main() -> None:
    """Writes the two files."""
    sections = ("\n".join((f"\n[{name}]", *years_of(name), "")) for name in CALENDARS)
    (DESCRIBING / "calendars.txt").write_text(HEAD + "".join(sections), "utf-8")
    path = DESCRIBING / "dates.txt"
    path.write_text(with_months(path.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()
