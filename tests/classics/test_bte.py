from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.classics.bte import BodyText, best_span
from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

PIECES = st.sampled_from(
    ["<div>", "</div>", "<p>", "<a href=/>", "</a>", "<br>", "<b>", "</b>", "<img src=x>", "<ul><li>", "</ul>",
     "<script>var x;</script>", "<select><option>one<option>two</select>", "word ", "two words ", "one, two, three. "]
)  # fmt: skip


def tokens(document: Document) -> list[int]:
    """The page as the paper has it: 1 for a tag, 0 for a word."""
    sequence: list[int] = []
    for tags, words in document.runs[["tags", "words"]].tolist():
        sequence += [1] * tags + [0] * words
    return sequence + [1] * document.tags_behind


def objective(sequence: list[int], i: int, j: int) -> int:
    """T(i, j) of the paper, term by term."""
    return sum(sequence[:i]) + sum(1 - b for b in sequence[i : j + 1]) + sum(sequence[j + 1 :])


@given(st.lists(PIECES, max_size=12).map("".join))
def test_no_span_is_better(html: str) -> None:
    document = dump_html(html)
    if not len(document.runs):
        assert BodyText().keep(document).mask.shape == (0,)
        return
    sequence = tokens(document)
    spans = [(i, j) for i in range(len(sequence)) for j in range(i, len(sequence))]
    first, last = best_span(document)
    # the place of the first word of the first run, and of the last word of the last
    sizes = document.runs["tags"].astype(int) + document.runs["words"]
    i = int(sizes[:first].sum() + document.runs["tags"][first])
    j = int(sizes[: last + 1].sum()) - 1
    assert objective(sequence, i, j) == max(objective(sequence, *span) for span in spans)


def test_menus_around_a_text_go() -> None:
    menu = "<ul>" + "".join(f"<li><a href=/{n}>Item {n}</a></li>" for n in range(6)) + "</ul>"
    text = "<p>The ferry will sail until the end of May, the <b>harbour board</b> decided on Monday.</p>"
    document = dump_html(f"{menu}<div>{text}{text}</div><script>x</script>{menu}")
    assert [str(document[row]) for row in np.flatnonzero(BodyText().keep(document).mask).tolist()] == [
        "The ferry will sail until the end of May, the harbour board decided on Monday."
    ] * 2


def test_plain_text_is_kept_whole() -> None:
    assert BodyText().keep(dump_text("One paragraph.\n\nAnd another.")).mask.tolist() == [True, True]
