"""An evaluation as an HTML page: figures, curve, all pages, and what is wrong on the worst of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ncleaner.people.htmlpage import html_head, html_table, html_text
from ncleaner.people.tables import errors_sentence
from ncleaner.scoring.errors import Errors
from ncleaner.scoring.evaluation import Evaluation, PageScores
from ncleaner.scoring.measures import MacroAverages, MatchCounts, diff_words, split_words
from ncleaner.text.counted import counted

__all__ = ["evaluation_page", "worst_pages"]

# words that are shown at either side of a difference, and of one difference
_AROUND, _LONGEST = 6, 80
_STYLE = """
.diff { max-width: 60rem } .plots svg { max-width: 34rem }
summary { cursor: pointer }
.fp { background: #fbe3e0; color: #6b0f0f; text-decoration: line-through }
.fn { background: #fff1cc; color: #5c3a00 }
.same { color: #666 } nav a { margin-right: 1rem }
@media (prefers-color-scheme: dark) {
  .fp { background: #4a1c19; color: #ffb3ab } .fn { background: #4a380b; color: #ffd98a }
  .same { color: #aaa }
  .plots svg { background: #fff } }
"""


def worst_pages(result: Evaluation, number: int) -> list[PageScores]:
    """Returns the pages with the smallest F of words, the worst first."""
    return sorted(result.pages, key=lambda page: (page.words.f_score, page.name))[:number]


def evaluation_page(
    result: Evaluation,
    title: str,
    *,
    worst: Sequence[PageScores],
    texts: Mapping[str, tuple[bytes, bytes]],
    links: Mapping[str, str],
    curve: str = "",
    convention: str = "",
) -> str:
    """Returns a page that loads no other file; it links to the views of the worst pages.

    Args:
        result: the figures.
        title: what was evaluated.
        worst: the pages whose differences are shown.
        texts: {name: (cleaned text, gold text)} of these.
        links: {name: address of a page with its verdicts}.
        curve: the precision-recall curve as SVG.
        convention: sentences about the convention of the gold texts.
    """
    return "".join(
        (
            html_head(title, _STYLE),
            f"<p>{counted(len(result.pages), 'page')} compared with gold texts.</p>",
            *_figures(result),
            f"<p>{html_text(errors_sentence(result.errors))}</p>",
            *(f"<p>{html_text(line)}</p>" for line in convention.splitlines() if line),
            f"<h2>Precision against recall</h2><div class=plots><div>{curve}</div></div>" if curve else "",
            "<h2>Worst pages</h2>",
            "<p><span class=fp>wrongly kept</span> and <span class=fn>wrongly removed</span> words.</p>",
            *(
                _differences(page, *texts[page.name], links.get(page.name, ""))
                for page in worst
                if page.name in texts
            ),
            "<h2>All pages, the worst first</h2>",
            _pages(result, links),
            *_missing(result),
            "</main></html>\n",
        )
    )


def _figures(result: Evaluation) -> Iterator[str]:
    errors = result.errors
    measures = [("Words in order", result.words, errors.words)]
    if result.marks.micro != MatchCounts():
        measures.append(("Segment marks p/h/l", result.marks, errors.marks))
        measures.append(("Segment marks, kind ignored", result.marks_unlabelled, errors.marks_unlabelled))
    rows = []
    for title, summary, error in measures:
        micro = summary.micro
        rows.append(
            [title, "all pages as one", *_row((micro.precision, micro.recall, micro.f_score), error.micro)]
        )
        rows.append(["", "mean of the pages", *_row(_means(summary.macro), error.macro)])
    unit = "Words" if result.unit == "word" else "Characters"
    rows.append([f"{unit} in any order", "mean of the pages", *_row(_means(result.bag), errors.bag)])
    yield html_table(["per cent", "", "precision", "recall", "F"], rows)


def _means(averages: MacroAverages) -> tuple[float, float, float]:
    return averages.precision.mean, averages.recall.mean, averages.f_score.mean


def _row(values: Sequence[float], errors: Errors) -> list[str]:
    return [
        f"{value:.2f}" + ("" if error is None else f" ± {error:.2f}")
        for value, error in zip(values, errors, strict=True)
    ]


def _pages(result: Evaluation, links: Mapping[str, str]) -> str:
    rows = []
    for page in worst_pages(result, len(result.pages)):
        words = page.words
        rows.append(
            "<tr><td>"
            + _linked(page.name, links.get(page.name, ""))
            + "</td>"
            + "".join(
                f"<td class=n>{cell}</td>"
                for cell in (
                    f"{words.precision:.2f}", f"{words.recall:.2f}", f"{words.f_score:.2f}",
                    f"{page.marks.f_score:.2f}", f"{page.bag.f_score:.2f}", f"{words.fp:,}", f"{words.fn:,}",
                )
            )
            + "</tr>"
        )  # fmt: skip
    names = ("page", "precision", "recall", "F", "F marks", "F any order", "wrongly kept", "wrongly removed")
    head = "".join(f"<th>{name}</th>" for name in names)
    return f"<table><tr>{head}</tr>{''.join(rows)}</table>"


def _linked(name: str, link: str) -> str:
    return f"<a href='{html_text(link)}'>{html_text(name)}</a>" if link else html_text(name)


def _differences(page: PageScores, predicted: bytes, gold: bytes, link: str) -> str:
    words = page.words
    view = f" <a href='{html_text(link)}'>the page, segment by segment</a>" if link else ""
    return (
        f"<details class=diff><summary>{html_text(page.name)}: F {words.f_score:.2f}, "
        f"{counted(words.fp, 'word')} wrongly kept, {words.fn:,} wrongly removed</summary>"
        f"<p>{view}</p><p dir=auto>{' '.join(_runs(predicted, gold)) or 'no difference'}</p></details>"
    )


def _runs(predicted: bytes, gold: bytes) -> Iterator[str]:
    """Yields the differences of two texts with some words around each."""
    steps = diff_words(split_words(predicted), split_words(gold))
    for number, (operation, ours, theirs) in enumerate(steps):
        run = ours or theirs
        if operation != "equal":
            kind, tag = ("fp", "del") if operation == "delete" else ("fn", "ins")
            yield f"<{tag} class={kind}>{_shown(run, _LONGEST)}</{tag}>"
            continue
        first, last = number == 0, number + 1 == len(steps)
        if first and last:
            return
        head, tail = ([] if first else run[:_AROUND]), ([] if last else run[-_AROUND:])
        if len(head) + len(tail) >= len(run):
            yield f"<span class=same>{_shown(run, len(run))}</span>"
        else:
            yield f"<span class=same>{_shown(head, _AROUND)} … {_shown(tail, _AROUND)}</span>"


def _shown(words: Sequence[bytes], most: int) -> str:
    text = b" ".join(words[:most]).decode("utf-8", "replace")
    return html_text(text) + (f" … ({len(words) - most:,} more)" if len(words) > most else "")


def _missing(result: Evaluation) -> Iterator[str]:
    for names, what in (
        (result.missing_gold, "predicted but without gold text"),
        (result.missing_pred, "with gold text but not predicted"),
    ):
        if names:
            shown = ", ".join(map(html_text, names[:100]))
            more = f" and {len(names) - 100:,} more" if len(names) > 100 else ""
            yield f"<h2>Not compared, {what} ({len(names):,})</h2><p>{shown}{more}</p>"
