"""Dates as pages write them."""

from __future__ import annotations

import datetime
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.describing import dates
from ncleaner.describing.dates import (
    date_in_text,
    date_in_url,
    dates_in,
    is_local_day,
    is_month_first,
    iso_date,
)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("2024-05-01", "2024-05-01"),
        (" 2024-05-01T10:00:00Z ", "2024-05-01T10:00:00+00:00"),
        ("2024-05-01T10:00:00+0200", "2024-05-01T10:00:00+02:00"),
        ("2024-05-01 10:00", "2024-05-01T10:00:00"),
        ("2024-05-01T10:00:00.123456Z", "2024-05-01T10:00:00+00:00"),
        ("20240501", "2024-05-01"),
        ("2024/05/01", "2024-05-01"),
        ("Wed, 01 May 2024 10:00:00 GMT", "2024-05-01"),
        ("Wed May 01 10:00:00 CEST 2024", "2024-05-01"),
        ("Wed May 01 10:00:00 +0200 2024", "2024-05-01"),
        ("May 1st, 2024", "2024-05-01"),
        ("1 May 2024", "2024-05-01"),
        ("1. März 2024", "2024-03-01"),
        ("1er mai 2024", "2024-05-01"),
        ("3 de agosto de 2024", "2024-08-03"),
        ("7 października 2024", "2024-10-07"),
        ("Mayor 5, 2020", ""),
        ("Settings 3, 2024", ""),
        ("12 Decisions 2024", ""),
        ("Sept. 3, 2024", "2024-09-03"),
        ("3 Ιουνίου 2024", "2024-06-03"),
        ("3 ноября 2024", "2024-11-03"),
        ("9 мая 2024", "2024-05-09"),
        ("12 Ιουλίου 2024", "2024-07-12"),
        ("2024年5月1日", "2024-05-01"),
        ("2024년 5월 1일", "2024-05-01"),
        ("31.12.2024", "2024-12-31"),
        ("31-12-2024", "2024-12-31"),
        ("12/31/2024", "2024-12-31"),
        ("3/5/2024", "2024-05-03"),
        # seconds and milliseconds since 1970
        ("1710234900", "2024-03-12T09:15:00+00:00"),
        ("1710234900123", "2024-03-12T09:15:00+00:00"),
        # none
        ("", ""),
        ("2024", ""),
        ("30000-01-01", ""),
        ("0001-01-01", ""),
        ("2024-02-30", ""),
        ("32 May 2024", ""),
        ("Mon, 99 May 2024 10:00:00 GMT", ""),
        ("yesterday", ""),
        ("171628298", ""),
        ("9999999999", ""),
        ("The council met on 1 May 2024, and spoke for six hours about the ferry and its timetable.", ""),
    ],
)
def test_one_date(given: str, wanted: str) -> None:
    assert iso_date(given) == wanted


@given(st.dates(datetime.date(1990, 1, 1), datetime.date(2099, 12, 31)))
def test_any_day_in_many_forms(day: datetime.date) -> None:
    for form in ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d %B %Y", "%B %d, %Y", "%b %d, %Y", "%Y年%m月%d日"):
        assert iso_date(day.strftime(form)) == day.isoformat()


@pytest.mark.untraced
@given(st.text(max_size=70))
def test_any_text(text: str) -> None:
    for found in (
        iso_date(text),
        date_in_text(text),
        date_in_url(text),
        *(each.day for each in dates_in(text)),
    ):
        assert not found or datetime.datetime.fromisoformat(found)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("By Ann Lee | 1 May 2024 | Updated 3 May 2024", "2024-05-01"),
        ("Last updated 3 May 2024, originally created 1 May 2024", "2024-05-01"),
        ("Last updated: 3 May 2024", ""),
        ("Diese Seite wurde zuletzt am 3. Mai 2024 geändert.", ""),
        ("© 2019 Harbour Gazette 3.5.2024", ""),
        ("Between 4 May 2024 and 2.5.2024", "2024-05-04"),
    ],
)
def test_the_first_date_that_is_no_change(text: str, wanted: str) -> None:
    assert date_in_text(text) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # bylines
        ("8.Dezember 2010 um 09:43 · 6 Kommentare", "2010-12-08"),
        ("Von: Anna Lehmann | 31.10.23", "2023-10-31"),
        ("Datum:26. Januar 2022", "2022-01-26"),
        ("Web Issue 2931 January 15 2008", "2008-01-15"),
        ("Jan 04 09:34 2021", "2021-01-04"),
        ("Tue Oct 14 09:22:11 CEST 2003", "2003-10-14"),
        ("Tue Oct 14 09:22:11 GMT+02:00 2003", "2003-10-14"),
        ("( Porto, 14 Gennaio 20 )", "2020-01-14"),
        ("Di., 25.01.2022 - 14:45", "2022-01-25"),
        # languages
        ("الأربعاء، 07 أكتوبر 2020 - 12:09 م", "2020-10-07"),
        ("১৬:২০, ১৬ ফেব্রুয়ারি ২০২০", "2020-02-16"),
        ("28 tháng 5, 2020", "2020-05-28"),
        ("2020. augusztus 18. 10:00", "2020-08-18"),
        ("2020 m. kovo 5 d.", "2020-03-05"),
        ("5 באוקטובר 2020", "2020-10-05"),
        ("1ης Ιουνίου 2020", "2020-06-01"),
        ("5 fevrier 2020", "2020-02-05"),
        ("18 tammikuuta 2021", "2021-01-18"),
        ("1 мая 2024 г.", "2024-05-01"),
        # other calendars: of Thailand, of Iran
        ("1 ม.ค. 2563", "2020-01-01"),
        ("2 تير 1399 - 12:09", "2020-06-22"),
        ("۱۳۹۹/۰۲/۲۱", "2020-05-10"),
        # none
        ("An iPhone 13. 3.84 Volts (V)", ""),
        ("Phone 030/12-34-56", ""),
        ("Decision 3, 2024", ""),
        ("0000-00-00", ""),
        ("31.12.9999", ""),
    ],
)
def test_dates_as_people_write_them(text: str, wanted: str) -> None:
    assert date_in_text(text) == wanted


@pytest.mark.parametrize(
    ("text", "lang", "wanted"),
    [
        ("令和6年3月12日", "", "2024-03-12"),
        ("令和元年5月1日 掲載", "", "2019-05-01"),
        ("113年3月12日", "", "2024-03-12"),
        ("中華民國一百一十三年三月十二日", "", "2024-03-12"),
        ("113/03/12", "zh-TW", "2024-03-12"),
        ("113/03/12", "en", ""),
        ("二〇二四年十二月三十一日", "", "2024-12-31"),
        ("12 มี.ค. 67", "", "2024-03-12"),
        ("12 มีนาคม พ.ศ. 2567", "", "2024-03-12"),
        ("12/03/67", "th", "2024-03-12"),
        ("ថ្ងៃទី១២ ខែមីនា ឆ្នាំ២០២៤", "", "2024-03-12"),
        ("ວັນທີ 12 ເດືອນ ມີນາ ປີ 2024", "", "2024-03-12"),
        ("२०८० फागुन २९ गते", "", "2024-03-12"),
        ("2080-11-29", "ne", "2024-03-12"),
        ("2080-11-29", "", "2080-11-29"),
        ("መጋቢት 3 ቀን 2016 ዓ.ም", "am", "2024-03-12"),
        ("2 אדר ב 5784", "", "2024-03-12"),
        ("ב' באדר ב' תשפ\"ד", "", "2024-03-12"),
        ("2 adar 5784", "", "2024-03-12"),
        ("۲۲ اسفند ماه ۱۴۰۲", "", "2024-03-12"),
        ("30 اسفند 1403", "", "2025-03-20"),
        ("2 رمضان 1445", "", "2024-03-12"),
        ("1445/09/02", "ar", "2024-03-12"),
        ("12 ربيع الأول 1445", "", "2023-09-27"),
        ("12 كانون الثاني 2024", "", "2024-01-12"),
        ("2024ko martxoaren 12a", "", "2024-03-12"),
        ("2024. gada 12. marts", "", "2024-03-12"),
        ("2024 ж. 12 наурыз", "", "2024-03-12"),
        ("12 Márta 2024", "", "2024-03-12"),
        ("12 Meán Fómhair 2024", "ga", "2024-09-12"),
        ("12 Meán Fómhair 2024", "", ""),
        ("March12,2024", "", "2024-03-12"),
        # none
        ("令和99年13月12日", "", ""),
        ("十百十年十十月百十日", "", ""),
        ("1445/00/02", "ar", ""),
        ("31 اسفند 1402", "", ""),
        ("12 रमज 2080", "", ""),
        ("12 אדר 2024", "", ""),
        ("2 אדר א 5783", "", ""),
    ],
)
def test_other_calendars_and_languages(text: str, lang: str, wanted: str) -> None:
    assert date_in_text(text, lang=lang) == wanted


@pytest.mark.parametrize("calendar", ["persian", "islamic", "hebrew", "ethiopian", "nepali"])
def test_the_years_of_a_calendar_follow_each_other(calendar: str) -> None:
    years = dates._calendar(calendar)
    following = None
    for year, line in years.items():
        first, *lengths = line.split()
        assert following in (None, first), year
        assert 353 <= sum(map(int, lengths)) <= 385
        following = str(datetime.date.fromisoformat(first) + datetime.timedelta(sum(map(int, lengths))))


def test_a_year_of_two_digits_is_read_only_in_short_texts() -> None:
    assert date_in_text("Posted 09/01/08", month_first=True) == "2008-09-01"
    assert date_in_text("01.05.98") == "1998-05-01"
    assert date_in_text("The scores of the match were 3.5.08 at half time, and " + "more " * 20) == ""


def test_a_month_that_is_another_one_in_croatian() -> None:
    assert date_in_text("20 listopada 2020", lang="pl") == "2020-11-20"
    assert date_in_text("20 listopada 2020", lang="hr") == "2020-10-20"


@pytest.mark.parametrize(
    ("lang", "host", "wanted"),
    [
        ("en", "gazette.example", True),
        ("en", "gazette.example.co.uk", False),
        ("en_US", "", True),
        ("en-GB", "", False),
        ("", "", False),
        ("de", "", False),
    ],
)
def test_where_the_month_comes_first(lang: str, host: str, wanted: bool) -> None:
    assert is_month_first(lang, host) is wanted
    assert date_in_text("03/05/2024", is_month_first(lang, host)) == (
        "2024-03-05" if wanted else "2024-05-03"
    )
    assert date_in_text("03.05.2024", month_first=True) == "2024-05-03"


def test_days_of_a_moment_elsewhere() -> None:
    moment = "2024-05-02T03:00:00+00:00"
    assert is_local_day("2024-05-01", moment) and is_local_day("2024-05-02", moment)
    assert not is_local_day("2024-05-03", moment) and not is_local_day("2024-04-30", moment)
    assert not is_local_day("2024-05-01", "2024-05-02T03:00:00+02:00")


def test_ten_thousand_dates_take_no_time() -> None:
    assert len(dates_in("1.5.2024 " * 10_000)) == 10_000
    assert dates_in("1 " * 100_000) == [] and dates_in("jan " * 50_000 + "1") == []
    assert dates_in("一" * 100_000 + "年三月") == [] and dates_in("ב' באדר " * 20_000 + "תש") == []
    assert len(dates_in("令和6年3月12日 " * 10_000)) == 10_000


PIECES = (
    "1 2 03 15 24 '24 2024 1402 2567 1999 2101 ٢٠٢٤ ١ / . - , : ( ) | · – st th er -го de of May may mai tháng "
    "năm 年 月 日 m. gegužės März x updated © 31.12.99 5-1-24 12 10:30 am"
).split()


@given(st.lists(st.sampled_from([*PIECES, " ", ", "]), max_size=14))
def test_lines_that_are_passed_over_have_no_dates(pieces: list[str]) -> None:
    line = "".join(pieces)
    with patch.object(dates, "may_have_date", bool):
        wanted = dates_in(line)
    assert dates_in(line) == wanted


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://a.example/2024/05/01/ferry", "2024-05-01"),
        ("https://a.example/news/2024-5-1-ferry.html", "2024-05-01"),
        ("https://a.example/20240501/ferry", "2024-05-01"),
        ("https://a.example/2024/may/01/ferry", "2024-05-01"),
        ("https://a.example/news/29-10-2021", "2021-10-29"),
        ("https://a.example/2024/ten/01/ferry", ""),
        ("https://a.example/2024/05/ferry", ""),
        ("https://a.example/2024/13/41/", ""),
        ("https://a.example/id/120240501999", ""),
        ("", ""),
    ],
)
def test_addresses(url: str, wanted: str) -> None:
    assert date_in_url(url) == wanted
