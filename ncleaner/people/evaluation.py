"""An evaluation as tables of plain text and as an HTML page, and the curve of precision against recall."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill

from ncleaner.people.evaluating import Curve
from ncleaner.people.parts import html_head, html_table, text_table
from ncleaner.people.plots import Panel, Series
from ncleaner.scoring.evaluation import Evaluation, PageScores
from ncleaner.scoring.measures import (
    Errors,
    MacroAverages,
    MatchCounts,
    StandardErrors,
    diff_words,
    split_words,
)
from ncleaner.text.visible import counted, html_text, visible
from ncleaner.training.conventions import ZoneUse

_WIDTH = 78
_TITLE = 30
_NAMES = ("Precision", "Recall", "F-score")
# of a table: its title, precision, recall and F, and their standard errors
_Row = tuple[str, Sequence[float | None], Sequence[float | None]]

# words that are shown at either side of a difference, and of one difference
_AROUND, _LONGEST = 6, 80
_STYLE = """
.diff { max-width: 60rem }
summary { cursor: pointer }
.fp { background: #fbe3e0; color: #6b0f0f; text-decoration: line-through }
.fn { background: #fff1cc; color: #5c3a00 }
.same { color: #666 } nav a { margin-right: 1rem }
@media (prefers-color-scheme: dark) {
  .fp { background: #4a1c19; color: #ffb3ab } .fn { background: #4a380b; color: #ffd98a }
  .same { color: #aaa } }
"""


# As text


def curve_table(curve: Curve) -> str:
    """Returns a curve as a table."""
    lines = [
        f"{counted(curve.pages, 'page')}, {curve.method}, model {visible(curve.model)}; words in per cent",
        "",
        "threshold  precision  recall       F    kept",
    ]
    for point in curve.points:
        threshold = "by page" if point.threshold is None else f"{point.threshold:+.2f}"
        lines.append(
            f"{threshold:>9}  {100 * point.precision:>9.2f}  {100 * point.recall:>6.2f}  "
            f"{100 * point.f_score:>6.2f}  {100 * point.kept:>6.2f}"
            + (f"  {point.preset}" if point.preset else "")
        )
    return "\n".join(lines)


def evaluation_table(result: Evaluation, *, per_page: bool = False) -> str:
    """Returns the figures as a table of 78 columns, or wider if a page name is longer."""
    n = len(result.pages)
    lines = [f"{counted(n, 'page')} compared with gold text{'s' if n != 1 else ''}.", ""]
    if per_page:
        head = ("Page", "Precision", "Recall", "F-score", "F marks", f"{result.unit}s")
        lines += [*text_table([head, *([page.name, *_page_figures(page)] for page in result.pages)]), ""]
    lines.append(f"{'':<{_TITLE}}" + "".join(f"{name:>9}{'':7}" for name in _NAMES).rstrip())
    for title, rows in _measures(result):
        lines += [f"{title}, per cent", *(_figures_row(*row) for row in rows)]
    lines += ["", fill(errors_sentence(result.errors), _WIDTH)]
    for missing, what in _not_compared(result):
        lines += ["", f"NOT COMPARED, {what} ({len(missing)}):", *(f"  {visible(name)}" for name in missing)]
    return "\n".join(lines) + "\n"


# The zones that a user decides about: their name and pronoun, and how to keep and leave them out.
_DECIDED = {
    "headline": ("the headline", "one", "with --headline (the default of hybrid and ngram)", "--no-headline"),
    "caption": ("captions", "them", "without --no-captions", "--no-captions"),
    "comment": (
        "readers' comments",
        "them",
        "with --comments",
        "--no-comments (the default of hybrid and ngram)",
    ),
}


def convention_table(found: Mapping[str, ZoneUse]) -> str:
    """Returns the convention of a gold standard as a table, and advice on the zones that a user decides
    about."""
    lines = [f"{'Convention of the gold text':<34}{'pages':>8}{'in gold':>12}"]
    for use in found.values():
        share = "-" if use.share is None else f"{100 * use.share:.0f} %"
        lines.append(f"  {use.zone:<32}{use.pages:>8}{share:>12}      {use.convention}")
    for zone, (name, it, keep, leave_out) in _DECIDED.items():
        use = found[zone]
        if use.share is None or use.convention == "unknown":
            continue
        often = round(100 * use.share)
        does = (
            f"leaves out {name} on {100 - often}"
            if use.convention == "left out"
            else f"contains {name} on {often}"
        )
        advice = {
            "kept": f"clean {keep} to be measured by its convention",
            "left out": f"clean with {leave_out} to be measured by its convention",
            "mixed": "no option fits all of its pages",
        }[use.convention]
        lines += ["", fill(f"This gold text {does} % of the pages that have {it}: {advice}.", _WIDTH)]
    return "\n".join(lines)


def errors_sentence(errors: StandardErrors) -> str:
    """Says what the standard errors are taken over."""
    if errors.clusters < 2:
        return "All pages are of one site, so there are no standard errors."
    if errors.by == "page":
        return (
            "± standard error over pages, as if they were independent: no site is known. A manifest.jsonl "
            "beside the gold text, or --raw DIR, gives the sites."
        )
    said = f"± standard error over {counted(errors.clusters, 'site')}: pages of one site are not independent."
    if errors.unknown:
        said += f" {counted(errors.unknown, 'page')} of unknown site: each counts as a separate site."
    return said


def _measures(result: Evaluation) -> Iterator[tuple[str, list[_Row]]]:
    """Yields the title of each measure, and its rows."""
    errors = result.errors
    measures = [("Words in order (as in CleanEval)", result.words, errors.words)]
    # without marks on either side their figures are all 0, which reads like a failure
    if result.marks.micro != MatchCounts():
        measures.append(("Segment marks p/h/l", result.marks, errors.marks))
        measures.append(("Segment marks, kind ignored", result.marks_unlabelled, errors.marks_unlabelled))
    for title, summary, error in measures:
        micro = summary.micro
        whole = (micro.precision, micro.recall, micro.f_score)
        yield title, [("all pages as one (micro)", whole, error.micro), *_spread(summary.macro, error.macro)]
    tokens = "Words" if result.unit == "word" else "Characters"
    yield f"{tokens} in any order (bag)", _spread(result.bag, errors.bag)


def _spread(spread: MacroAverages, errors: Errors) -> list[_Row]:
    averages = [spread.precision, spread.recall, spread.f_score]
    return [
        ("mean of the pages (macro)", [average.mean for average in averages], errors),
        ("standard deviation", [average.sd for average in averages], (None, None, None)),
    ]


def _page_figures(page: PageScores) -> list[str]:
    words = page.words
    figures = (words.precision, words.recall, words.f_score, page.marks.f_score, page.bag.f_score)
    return [f"{figure:.2f}" for figure in figures]


def _not_compared(result: Evaluation) -> Iterator[tuple[Sequence[str], str]]:
    if result.missing_gold:
        yield result.missing_gold, "predicted but without gold text"
    if result.missing_pred:
        yield result.missing_pred, "with gold text but not predicted"


def _figures_row(title: str, values: Sequence[float | None], errors: Sequence[float | None]) -> str:
    cells = (
        f"{'-' if value is None else f'{value:.2f}':>9}{'' if error is None else f'±{error:.2f}':>7}"
        for value, error in zip(values, errors, strict=True)
    )
    return (f"  {title:<{_TITLE - 2}}" + "".join(cells)).rstrip()


# As a plot


def curve_panel(curve: Curve) -> Panel:
    """Returns precision against recall, with the model's presets."""
    line = [(100 * p.recall, 100 * p.precision) for p in curve.points if p.threshold is not None]
    presets = [point for point in curve.points if point.preset]
    names = [
        (
            100 * point.recall,
            100 * point.precision,
            point.preset if point.threshold is None else f"{point.preset} {point.threshold:g}",
        )
        for point in presets
    ]
    return Panel(
        f"{counted(curve.pages, 'page')}, {curve.method}, model {curve.model}",
        "recall of words, per cent",
        "precision of words, per cent",
        [
            Series("", line, "#2f6db5", mark="", is_line=True),
            Series("", [(x, y) for x, y, _ in names], "currentColor"),
        ],
        names,
    )


# As a page


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
            _figures(result),
            f"<p>{html_text(errors_sentence(result.errors))}</p>",
            *(f"<p>{html_text(line)}</p>" for line in convention.splitlines() if line),
            f"<h2>Precision against recall</h2>{curve}" if curve else "",
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


def _figures(result: Evaluation) -> str:
    rows = [
        [
            "" if number else title,
            name,
            *(
                ("-" if value is None else f"{value:.2f}") + ("" if error is None else f" ± {error:.2f}")
                for value, error in zip(values, errors, strict=True)
            ),
        ]
        for title, figures in _measures(result)
        for number, (name, values, errors) in enumerate(figures)
    ]
    return html_table(["per cent", "", "precision", "recall", "F"], rows)


def _pages(result: Evaluation, links: Mapping[str, str]) -> str:
    rows = []
    for page in worst_pages(result, len(result.pages)):
        cells = [*_page_figures(page), f"{page.words.fp:,}", f"{page.words.fn:,}"]
        figures = "".join(f"<td class=n>{cell}</td>" for cell in cells)
        rows.append(f"<tr><td>{_linked(page.name, links.get(page.name, ''))}</td>{figures}</tr>")
    names = ("precision", "recall", "F", "F marks", "F any order", "wrongly kept", "wrongly removed")
    head = "".join(f"<th class=n>{name}</th>" for name in names)
    return f"<table><tr><th>page</th>{head}</tr>{''.join(rows)}</table>"


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
    for names, what in _not_compared(result):
        shown = ", ".join(map(html_text, names[:100]))
        more = f" and {len(names) - 100:,} more" if len(names) > 100 else ""
        yield f"<h2>Not compared, {what} ({len(names):,})</h2><p>{shown}{more}</p>"
