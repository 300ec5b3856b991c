"""Pages that hold nothing but a notice, and small pages that hold something, through the whole cleaner."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ncleaner
from ncleaner.document.kept import KINDS, NOTICE, Kept
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.methods.zoning import ZoneOptions
from ncleaner.modelling.notices import shipped_notices

CLEANER = ncleaner.Cleaner()

NOTICES = {
    "404": "<title>404 Not Found</title><center><h1>404 Not Found</h1></center><hr><center>nginx</center>",
    "check": "<html lang=en><title>Just a moment...</title><h1>fernhill.example</h1><p>Verify you are human by "
    "completing the action below.</p><p>fernhill.example needs to review the security of your connection before "
    "proceeding.</p>",
    "cookies": "<html lang=en><title>Fernhill Post</title><div><h2>Before you read on</h2><p>We and our 640 "
    "partners store cookies on your device to show personalised advertising and to measure how it works. You can "
    "change your choice whenever you like.</p></div>",
    "search": "<html lang=en><title>Search - Fernhill</title><nav><a href=/>Home</a> <a href=/s>Shop</a></nav>"
    "<main><h1>Search results</h1><p>No results found for “teapot”.</p></main><footer>© Fernhill</footer>",
    "login": "<html lang=en><title>Log in</title><h1>Log in to your account</h1><form><label>Email</label><input>"
    "<label>Password</label><input type=password></form><p>Forgot your password?</p><p>New here? Create an account.",
    "links": "<html lang=en><title>Page not found - Meadow Post</title><div><h1>Page not found</h1><p>We could not "
    "find the page that you were looking for.</p><ul>"
    + "".join(f"<li><a href=/{n}>News about the privacy of people, part {n}</a></li>" for n in range(60))
    + "</ul></div>",
    "german": "<html lang=de><title>Seite nicht gefunden</title><h1>Seite nicht gefunden</h1><p>Die Seite gibt es "
    "nicht mehr.",
}
TEXTS = {
    "personal": "<title>Ida</title><h1>Ida Brekke</h1><p>I am a piano tuner in Bergen and play the organ on Sundays. "
    "My cat is called Allegro.</p>",
    "outage": "<html lang=en><title>Servers of tax office down</title><article><h1>Servers of tax office down</h1>"
    "<p>The website of the tax office has been unavailable since Monday morning. A spokesman said that two servers "
    "had failed and that the deadline would be moved to Friday.</p></article>",
    "help": "<html lang=en><title>What is HTTP 404?</title><article><h1>What is HTTP 404?</h1><p>A server sends the "
    "status code 404 when it cannot find what a browser asks for. It does not say whether the page ever existed; for "
    "pages that are gone for good there is 410.</p></article>",
    "mail": "<div dir=ltr>Hi Sam,<br><br>the boat is back in the water and the engine runs. Can you bring the ropes "
    "on Saturday? We leave at ten if the wind allows it.</div>",
    "long": "<html lang=en><title>404 Not Found</title><h1>404 Not Found</h1>"
    + "<p>The page that you asked for is not on this server, and here is a long story about how it went away.</p>"
    * 100,
}


@pytest.mark.parametrize("name", NOTICES)
def test_a_notice_gives_no_text(name: str) -> None:
    document = CLEANER.document(NOTICES[name])
    kept = CLEANER.keep(document)
    assert not kept.mask.any()
    assert kept.kind == NOTICE
    assert sum(kept.kinds.values()) == pytest.approx(1)
    # on demand it does, and is still called a notice
    with_notices = ncleaner.Cleaner(notices=True).keep(document)
    assert with_notices.mask.any()
    assert with_notices.kind == NOTICE


@pytest.mark.parametrize("name", TEXTS)
def test_small_texts_and_long_pages_stay(name: str) -> None:
    document = CLEANER.document(TEXTS[name])
    kept = CLEANER.keep(document)
    assert kept.mask.all()
    assert kept.kind in KINDS


def test_other_methods_know_no_notices() -> None:
    document = CLEANER.document(NOTICES["login"])
    for method in ("ngram", "everything"):
        assert ncleaner.Cleaner(method).keep(document).kind == ""


def test_plain_text_may_be_a_notice_but_a_line_is_none() -> None:
    lines = "Page not found\n\nWe could not find the page that you were looking for.\n"
    kept = CLEANER.keep(dump_text(lines))
    assert kept.kind == NOTICE and not kept.mask.any()
    assert CLEANER.keep(dump_text(lines.partition("\n\n")[2])).mask.all()


def test_the_user_decides() -> None:
    document = dump_html("<p>Not found")
    notice = Kept(np.array([True]), kinds={"article": 0.3, NOTICE: 0.7})
    assert not ZoneOptions().applied(document, notice).mask.any()
    assert not ZoneOptions(headline=True).applied(document, notice).mask.any()
    assert ZoneOptions(notices=True).applied(document, notice).mask.all()
    # a smaller probability is none
    assert ZoneOptions().applied(document, notice._replace(kinds={"article": 0.3, NOTICE: 0.4})).mask.all()


def test_the_kind_of_a_page() -> None:
    mask = np.array([True])
    assert Kept(mask).kind == ""
    assert Kept(mask, kinds={"article": 0.25, "forum": 0.35, NOTICE: 0.4}).kind == "forum"
    assert Kept(mask, kinds={"article": 0.45, NOTICE: 0.55}).kind == NOTICE
    assert Kept(mask, kinds={NOTICE: 0.1}).kind == ""


def test_inspect_says_why_nothing_is_kept() -> None:
    lines = ncleaner.explain(NOTICES["login"], CLEANER).summary()
    assert any(line.startswith("kind of page: notice") for line in lines)
    assert any("nothing but a notice" in line for line in lines)


def test_jsonl_names_it(tmp_path: Path) -> None:
    from ncleaner.page import Page
    from ncleaner.sinks.formats import Output

    page = Page(NOTICES["404"].encode())
    document, kept = CLEANER.page(page)
    record = json.loads(Output(format="jsonl", all_pages=True).sink().render(page, document, kept, True))
    assert (record["page_kind"], record["left_out"], record["text"]) == ("notice", "notice", "")
    assert record["page_kinds"]["notice"] > 0.5


def test_teasers_are_no_notice_and_menus_do_not_save_one() -> None:
    message = "<title>Page not found</title><p>We could not find the page that you were looking for.</p><ul>"

    def probability(link: str) -> float:
        document = CLEANER.document(message + f"<li><a href=/>{link}</a>" * 30)
        return shipped_notices().probability(document, np.ones(len(document), bool))

    long = "The ferry was late again this morning, and nobody on the pier knew why it had not left on time"
    assert probability(long) == 0
    assert probability("News about the privacy of people") > 0.5
