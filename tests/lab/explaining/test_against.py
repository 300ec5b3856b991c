from __future__ import annotations

import json

import pytest

from ncleaner import Cleaner
from ncleaner.errors import InputError
from ncleaner.lab.explaining.against import Differences
from ncleaner.lab.explaining.drawing import page_of_differences
from ncleaner.lab.explaining.explain import explain

from ...structures import page_html, paragraphs

GOLD = "\n".join(["Ferry 4", *paragraphs(4)])


def test_two_methods() -> None:
    page = page_html(4)
    both = [explain(page, Cleaner(method), gold=GOLD) for method in ("everything", "hybrid")]
    found = Differences(("everything", "hybrid"), both[0], both[1])
    assert found.pairs and all(one.kept and not other.kept for one, other in found.pairs)
    assert {found.right(one, other) for one, other in found.pairs} == {"hybrid"}
    said = "\n".join(found.lines(reasons=True))
    assert "hybrid alone keeps 0" in said and "gold: hybrid" in said and "against it" in said
    assert len(list(found.lines(reasons=False))) == len(found.pairs) + 4
    told = json.loads(json.dumps(found.to_dict(2)))
    assert told["names"] == ["everything", "hybrid"]
    assert told["differ"] == [one.segment.index for one, _ in found.pairs]
    html = page_of_differences(found)
    assert html.count("<article") == len(found.pairs) and "<script" not in html


def test_two_equal_methods() -> None:
    one, other = (explain(page_html(4)) for _ in range(2))
    found = Differences(("hybrid", "hybrid"), one, other)
    assert found.pairs == [] and found.summary() == "hybrid and hybrid keep the same segments"
    assert "<article" not in page_of_differences(found)


def test_without_gold_nobody_is_right() -> None:
    both = [explain(page_html(4), Cleaner(method)) for method in ("everything", "hybrid")]
    found = Differences(("a", "b"), both[0], both[1])
    assert {found.right(one, other) for one, other in found.pairs} == {""}
    assert "gold" not in found.summary()


def test_of_two_pages() -> None:
    with pytest.raises(InputError, match="different pages"):
        Differences(("a", "b"), explain(page_html(4)), explain(page_html(5)))
