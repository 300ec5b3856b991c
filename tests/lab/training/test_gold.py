from __future__ import annotations

import pytest

from ncleaner.lab.training.alignment import address, gold_document, gold_pieces, gold_text, is_marked


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("URL: http://x.example/\n\n<p>One\n<h>Two\n  <L>Three", "\n\n\nOne\n\nTwo\n\nThree"),
        ("One\nURL: stays\n", "One\nURL: stays\n"),
        ("a <p> b", "a <p> b"),
        ("\ufeff<p>One", "\nOne"),
    ],
)
def test_gold_text(text: str, plain: str) -> None:
    assert gold_text(text) == plain


def test_gold_text_is_cut_at_its_marks_or_by_its_form() -> None:
    marked = "\ufeffURL: http://x.example/\n\n<h>A title\n<p>Two lines\nof text\n\nand a third\n<L>An item"
    found = [(segment.kind, segment.text) for segment in gold_document(marked)]
    assert found == [("h", "A title"), ("p", "Two lines of text and a third"), ("l", "An item")]
    plain = [str(segment) for segment in gold_document("First paragraph here.\n\nSecond paragraph here.")]
    assert plain == ["First paragraph here.", "Second paragraph here."]
    assert len(gold_document("")) == 0


def test_the_address_is_that_of_the_first_line() -> None:
    assert address("\ufeffURL: http://x.example/a  (seen in May)\n<p>One") == "http://x.example/a"
    assert address("URL:\nhttp://x.example/") == address("One\nURL: http://x.example/") == ""


def test_pieces_are_those_of_the_marks() -> None:
    assert gold_pieces("URL: x\nOne <p>\n<H> Two") == [("p", "\nOne <p>\n"), ("h", "Two")]
    assert gold_pieces("One") == [("p", "One")]
    # closed as in HTML; a text about marks keeps them
    closed = gold_pieces("<h>One</h>\n<p>Two <b></P>  \n<l>The end tag </p> of it")
    assert closed[1:] == [("h", "One\n"), ("p", "Two <b>  \n"), ("l", "The end tag </p> of it")]
    assert is_marked("One\n  <l>Two") and not is_marked("One <l>Two")
