from __future__ import annotations

import pytest

from ncleaner.document.html import dump_html
from ncleaner.document.plain import dump_text
from ncleaner.methods.comments import comment_segments

ARTICLE = "<article><h1>Late again</h1><p>The ferry was late, and nobody on the pier knew why.</p></article>"


@pytest.mark.parametrize(
    ("html", "comments"),
    [
        (ARTICLE, ""),
        (f"{ARTICLE}<div id=comments><p>So it was.</p><ul><li>Yes</ul></div>Imprint", "So it was. Yes"),
        (f"{ARTICLE}<section class='post-replies'>Yes</section>", "Yes"),
        (f"{ARTICLE}<div id=disqus_thread>Yes</div>", "Yes"),
        (f"{ARTICLE}<div role=comment>Yes</div>", "Yes"),
        (f"{ARTICLE}<div class=commentary>Yes</div>", ""),
        (f"{ARTICLE}<div hidden class=comments>Yes</div>", "Yes"),
        # the words are about the page
        ("<body class=comments-open><h1>a</h1><p>b", ""),
        ("<main class=has-comments><p>b</p></main>c", ""),
        (f"<article class=comments>{ARTICLE}</article>", ""),
        # a block that holds the headline is the page
        (f"<div class=comments>{ARTICLE}<p>More</p></div><p>{'Other text. ' * 30}", ""),
        # but not its sections
        (f"<div class=comments>{ARTICLE}<div class=replies>Yes</div></div>", "Yes"),
        # nearly all of the text is no section of it either
        ("<p>One.</p><div class=comments><p>Thread without a headline, all of it answers to one line.</div>", ""),
        ("<p>One line here.</p><div class=comments><p>Two lines there.</div>", "Two lines there."),
        ("<div class=comments><p>a</p></div>", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_comments(html: str, comments: str) -> None:
    document = dump_html(html)
    mask = comment_segments(document)
    assert mask.shape == (len(document),)
    assert mask.dtype == bool
    assert " ".join(s.text for s, found in zip(document, mask, strict=True) if found) == comments


def test_plain_text_has_no_sections() -> None:
    assert comment_segments(dump_text("Comments\n\nNone.")).tolist() == [False, False]
