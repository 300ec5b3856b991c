from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ncleaner.page import Page
from ncleaner.sinks.rows import page_id
from ncleaner.sinks.sink import capture_time, replace_surrogates

from ..outputs import page


@pytest.mark.parametrize(
    ("date", "hour"),
    [
        ("2024-05-01T10:00:00Z", 10),
        ("2024-05-01T10:00:00.9876543Z", 10),
        ("2024-05-01T10:00:00+02:00", 8),
        ("2024-05-01T10:00:00", 10),
        ("2024-05-01", 0),
    ],
)
def test_dates(date: str, hour: int) -> None:
    assert capture_time(date) == datetime(2024, 5, 1, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    "date",
    ["", "x", "2024", "2024-13-01T10:00:00Z", "0001-01-01T00:00:00+10:00", "\ud800", "Wed, 01 May 2024"],
)
def test_no_dates(date: str) -> None:
    assert capture_time(date) is None


def test_ids() -> None:
    assert page_id(page(1)) == page_id(page(1, url="http://elsewhere.example"))
    assert page_id(page(1)) == page(1).record_id != page_id(page(2))
    # where a page stands does not matter: it may be in an archive and in a table
    ids = {
        page_id(Page(body, *where, offset=offset))
        for where in (("a", "b"), ("", "b"), ("\ud800", "b"))
        for offset in (-1, 7)
        for body in (b"x", b"y")
    }
    assert len(ids) == 6 and all(each.startswith("urn:uuid:") for each in ids)


def test_strings_without_utf8() -> None:
    assert replace_surrogates("a\udc80ü") == "a?ü"
