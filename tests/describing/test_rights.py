"""What pages say about their use, in forty forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.describing.rights import Rights, rights_of
from ncleaner.dumping.html import dump_html

URL = "https://tide.example/news/1"
# header, markup, directives, reservation, policy, and whether the page stays out of a corpus
FORMS: list[tuple[str, str, str, bool | None, str, bool]] = [
    ("", "", "", None, "", False),
    # meta tags
    ("", "<meta name=robots content=noindex>", "noindex", None, "", True),
    ("", "<meta name=ROBOTS content='NOINDEX, NOFOLLOW'>", "nofollow noindex", None, "", True),
    ("", "<meta name=robots content='index, follow'>", "", None, "", False),
    ("", "<meta name=robots content=all>", "", None, "", False),
    ("", "<meta name=robots content=none>", "nofollow noindex", None, "", True),
    ("", "<meta name=robots content=nofollow>", "nofollow", None, "", False),
    ("", "<meta name=robots content=noarchive>", "noarchive", None, "", True),
    ("", "<meta name=robots content='noai,noimageai'>", "noai noimageai", None, "", True),
    ("", "<meta name=robots content='noai;noimageai'>", "noai noimageai", None, "", True),
    ("", "<meta name=robots content=noimageai>", "noimageai", None, "", False),
    ("", "<meta name=robots content=noimageindex>", "noimageindex", None, "", False),
    ("", "<meta name=robots content='nosnippet notranslate'>", "nosnippet notranslate", None, "", False),
    ("", "<meta name=robots content='max-snippet:-1, max-image-preview:large'>", "", None, "", False),
    ("", "<meta name=robots content='unavailable_after: 2030-01-01'>", "", None, "", False),
    ("", "<meta name=robots content='max-snippet: 20, noindex'>", "noindex", None, "", True),
    ("", "<meta property=robots content=noindex>", "noindex", None, "", True),
    ("", "<meta http-equiv=X-Robots-Tag content=noai>", "noai", None, "", True),
    ("", "<meta name=robots content=noindex><meta name=robots content=index>", "noindex", None, "", True),
    ("", "<meta name=robots content='no index'>", "", None, "", False),
    ("", "<meta name=robots content>", "", None, "", False),
    # as people and programs write them, too
    ("", "<meta name=robots content='index|noai'>", "noai", None, "", True),
    ("", """<meta name=robots content="'noai'">""", "noai", None, "", True),
    ("", "<meta name=robots content='&#x200b;noai'>", "noai", None, "", True),
    ("", "<meta name=robots content='x: y, noai'>", "noai", None, "", True),
    ("", "<meta name=robots content='googlebot: noindex'>", "noindex", None, "", True),
    ("", "<meta name='robots,googlebot' content=noai>", "noai", None, "", True),
    ("", "<meta name='&#x200b;robots' content=noai>", "noai", None, "", True),
    ("", "<meta name=robots content='max-image-preview: none, max-snippet:-1'>", "", None, "", False),
    ("", "<meta name=robots content='no-index, xnoai, noindexes'>", "", None, "", False),
    ("", f"<meta name=robots content='{'index, ' * 9000}noai'>", "noai", None, "", True),
    ("X-Robots-Tag: all: noai", "", "noai", None, "", True),
    ("X-Robots-Tag: noai: all", "", "noai", None, "", True),
    ("X-Robots-Tag: \0noai", "", "noai", None, "", True),
    ("X-Robots-Tag: unavailable_after: 25 Jun 2030 15:00:00 PST, noai", "", "noai", None, "", True),
    ("X-Robots-Tag: noai, googlebot: noindex", "", "noai", None, "", True),
    ("X-Robots-Tag: googlebot: nofollow, *: noindex, nosnippet", "", "noindex nosnippet", None, "", True),
    # said to one robot
    ("X-Robots-Tag: googlebot: nofollow, otherbot: noindex, noai", "", "", None, "", False),
    ("", "<meta name=googlebot content=noindex>", "", None, "", False),
    ("X-Robots-Tag: googlebot: noindex", "", "", None, "", False),
    ("X-Robots-Tag: *: noindex", "", "noindex", None, "", True),
    # headers
    ("X-Robots-Tag: noindex", "", "noindex", None, "", True),
    ("x-robots-tag: noai, noimageai", "", "noai noimageai", None, "", True),
    ("X-Robots-Tag : noai", "", "noai", None, "", True),
    ("X-Robots-Tag: otherbot: none\nX-Robots-Tag: noarchive", "", "noarchive", None, "", True),
    ("X-Robots-Tag: index", "<meta name=robots content=noindex>", "noindex", None, "", True),
    ("X-Robots-Tag: noindex", "<meta name=robots content=index>", "noindex", None, "", True),
    ("X-Robots-Tag:", "", "", None, "", False),
    # text and data mining
    ("TDM-Reservation: 1", "", "", True, "", True),
    ("tdm-reservation: 0", "", "", False, "", False),
    ("tdm-reservation: yes", "", "", None, "", False),
    ("tdm-reservation: 0, 1", "", "", True, "", True),
    ("tdm-reservation: 0, 0", "", "", False, "", False),
    ("tdm-reservation: 1; x=0", "", "", True, "", True),
    ("tdm-reservation: 0; x=1", "", "", False, "", False),
    ('tdm-reservation: "1"', "", "", True, "", True),
    ("tdm-reservation: 01", "", "", True, "", True),
    ("tdm-reservation: True", "", "", True, "", True),
    ("tdm-reservation: false", "", "", False, "", False),
    ("tdm-reservation: 10", "", "", None, "", False),
    ("tdm-reservation: 0.1", "", "", None, "", False),
    ("", "<meta name=tdm-reservation content='1;'>", "", True, "", True),
    ("tdm-reservation: 0", "<meta name=tdm-reservation content=1>", "", True, "", True),
    ("", "<meta name=tdm-reservation content=' 1 '>", "", True, "", True),
    ("", "<meta name=TDM-Reservation content=0>", "", False, "", False),
    ("TDM-Policy: https://tide.example/tdm.json", "", "", None, "https://tide.example/tdm.json", False),
    ("tdm-reservation: 1\ntdm-policy: /tdm.json", "", "", True, "https://tide.example/tdm.json", True),
    ("", "<meta name=tdm-policy content='javascript:alert(1)'>", "", None, "", False),
    ("", "<meta name=tdm-policy content='http://[::1'>", "", None, "", False),
    ("tdm-policy: /a", "<meta name=tdm-policy content=/b>", "", None, "https://tide.example/a", False),
]


@pytest.mark.parametrize(("header", "markup", "robots", "reservation", "policy", "reserved"), FORMS)
def test_forms(
    header: str, markup: str, robots: str, reservation: bool | None, policy: str, reserved: bool
) -> None:
    assert len(FORMS) >= 40
    found = rights_of(dump_html(f"{markup}<p>The ferry was late.", facts=True), header, URL)
    assert found == Rights(tuple(robots.split()), reservation, policy)
    assert found.reserved is reserved
    assert found.to_dict() == {"robots": robots.split(), "tdm_reservation": reservation, "tdm_policy": policy}


@pytest.mark.parametrize(
    "others",
    [
        "<time>1 May</time>",
        "<meta name=author content=x>",
        "<a rel=author href=/x>x</a>",
        "<meta name=robots content=index>",
    ],
)
def test_a_reservation_is_seen_behind_any_number_of_other_statements(others: str) -> None:
    said = "<meta name=robots content=noai><meta name=tdm-reservation content=1><meta name=tdm-policy content=/b>"
    page = dump_html(f"{others * 2000}{said}<p>The ferry was late.", facts=True)
    assert rights_of(page, "", URL) == Rights(("noai",), True, "https://tide.example/b")
    assert page.facts is not None and len(page.facts) <= 2003
    if "robots" not in others:
        assert len(page.facts) == 512 + 3


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize(
    "piece", ["max-", "max-snippet ", "max-snippet:", "a.", "a ", "bot:", "*", ",", " ", "1;", "\u200b"]
)
def test_long_statements_take_linear_time(piece: str) -> None:
    said = piece * 60_000
    page = dump_html(
        f"<meta name=robots content='{said} noai'><meta name=tdm-reservation content='{said},1'>", facts=True
    )
    found = rights_of(page, f"X-Robots-Tag: {said}\nTDM-Reservation: {said}", URL)
    assert found.robots == ("noai",) and found.tdm_reservation is True


@given(header=st.text(), content=st.text())
def test_nothing_in_a_header_or_a_page_is_an_error(header: str, content: str) -> None:
    quoted = content.replace('"', "")
    page = dump_html(
        f'<meta name="robots" content="{quoted}"><meta name="tdm-policy" content="{quoted}">', facts=True
    )
    found = rights_of(page, header, URL)
    assert found.tdm_policy == "" or found.tdm_policy.startswith(("http://", "https://", "HTTP", "Http"))
    # without facts, only the header speaks
    assert rights_of(dump_html("<meta name=robots content=noindex>"), "") == Rights()
