"""Dates as pages write them."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.describing.dates import date_in_text, date_in_url, first_date, iso_date


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
        ("Wed, 01 May 2024 10:00:00 GMT", "2024-05-01T10:00:00+00:00"),
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
        # none
        ("", ""),
        ("2024", ""),
        ("30000-01-01", ""),
        ("0001-01-01", ""),
        ("2024-02-30", ""),
        ("32 May 2024", ""),
        ("Mon, 99 May 2024 10:00:00 GMT", ""),
        ("yesterday", ""),
        ("1716282983", ""),
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
    for found in (iso_date(text), date_in_text(text), first_date(text), date_in_url(text)):
        assert not found or datetime.datetime.fromisoformat(found)


def test_the_first_date_that_is_no_change() -> None:
    assert first_date("By Ann Lee | 1 May 2024 | Updated 3 May 2024") == "2024-05-01"
    assert first_date("Last updated: 3 May 2024") == ""
    assert date_in_text("Between 4 May 2024 and 2.5.2024") == "2024-05-04"


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://a.example/2024/05/01/ferry", "2024-05-01"),
        ("https://a.example/news/2024-5-1-ferry.html", "2024-05-01"),
        ("https://a.example/20240501/ferry", "2024-05-01"),
        ("https://a.example/2024/05/ferry", ""),
        ("https://a.example/2024/13/41/", ""),
        ("https://a.example/id/120240501999", ""),
        ("", ""),
    ],
)
def test_addresses(url: str, wanted: str) -> None:
    assert date_in_url(url) == wanted
