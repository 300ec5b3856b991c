from __future__ import annotations

import numpy as np
import pytest

from ncleaner.document.html import dump_html
from ncleaner.document.plain import dump_text
from ncleaner.modelling._decision import drop_copies

TEXT = "The ferry was late again, and nobody knew why."
CHINESE = "今天早上两岛之间的渡船又晚点了，谁也不知道为什么。"


def kept(html: str, mask: list[bool] | None = None) -> list[bool]:
    document = dump_html(html)
    found = np.ones(len(document), bool) if mask is None else np.array(mask)
    drop_copies(document.tables, found)
    return [bool(value) for value in found]


@pytest.mark.parametrize("text", [TEXT, CHINESE])
def test_a_copy_of_another_style_goes(text: str) -> None:
    assert kept(f"<p class=wide>{text}</p><p class=narrow>{text}</p><p>x</p>") == [True, False, True]
    assert kept(f"<div class=tab><p>{text}</p></div><div><p>{text.upper()} *</p></div>") == [True, False]


def test_a_teaser_that_breaks_off_is_no_copy() -> None:
    long = f"{TEXT} Those who had come early stood on the pier for an hour."
    assert kept(f"<p class=teaser>{long[:70]}…</p><p>{long}</p>") == [True, True]


def test_copies_of_one_style_stay() -> None:
    assert kept(f"<p>{TEXT}</p><p>x</p><p>{TEXT}</p>") == [True, True, True]


def test_short_segments_and_code_may_stand_twice() -> None:
    assert kept("<p class=a>Ferry to the islands</p><p>Ferry to the islands</p>") == [True, True]
    assert kept(f"<pre class=a>{TEXT}</pre><pre>{TEXT}</pre>") == [True, True]


def test_only_what_is_kept_counts() -> None:
    assert kept(f"<p class=a>{TEXT}</p><p>{TEXT}</p>", [False, True]) == [False, True]
    assert kept(f"<p class=a>{TEXT}</p><p>{TEXT}</p>", [True, False]) == [True, False]


def test_empty_pages_plain_text_and_a_mask_of_another_page() -> None:
    assert kept("") == []
    document = dump_text(f"{TEXT}\n\n{TEXT}\n")
    mask = np.ones(len(document), bool)
    drop_copies(document.tables, mask)
    assert mask.all()
    with pytest.raises(ValueError, match="does not fit"):
        drop_copies(document.tables, np.ones(7, bool))
