"""Reports as tables of plain text and as HTML pages: the history of an output directory, and a crawl."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from itertools import accumulate

from ncleaner.cli.parts import (
    bars,
    curve,
    distribution,
    html_head,
    html_table,
    style_of,
    text_table,
    tiles,
    wide,
)
from ncleaner.running.history import History, PageRow, ReportLine, Sample
from ncleaner.running.tally import LENGTHS, QUALITIES, SHARES, TIMES, Tally
from ncleaner.surveying.survey import Portrait
from ncleaner.text.visible import counted, html_text, joined, visible

_MOST = 20  # rows of each list on the page, and of pages in the text
_TITLES = 29  # width of the titles of sums
_LONGEST = 120  # longest reason or name of a count, in characters
_BARS = 11  # bars of sites; one more has all others
_NAME = 60  # widest name of an input in the text
_EACH = 40  # at most this number of inputs have a line each
_GROUP = 1000  # of more, this number of like ones share one
# counters that the page of a run draws
_DRAWN = ("Pages by outcome", "Encodings", "Languages", "Kinds of pages", "Estimated quality")
_COLUMNS = (
    "pages", "cleaned", "empty", "left out", "given up", "damage", "words kept", "MB", "seconds",
)  # fmt: skip


# A run as text


def run_text(history: History, *, everything: bool = False) -> str:
    """Returns the report as plain text: the sums, a row for each input, and lists of slow, quarantined and
    damaged pages. Of many inputs, a thousand like ones have one row, unless `everything` is wanted."""
    lines = [f"{name:<{_TITLES}}{value}" for name, value in _sums(history)]
    lines += [
        f"{title.lower():<{_TITLES}}" + ", ".join(f"{visible(name, _LONGEST)} {n:,}" for name, n in counter)
        for title, counter in _counters(history)
    ]
    groups = _groups(history, everything)
    longest = 0 if everything else _NAME
    inputs = [
        [visible(_name(group), longest), *_cells(group.tally, group.seconds), _unread(group)]
        for group in groups
    ]
    if len(history.lines) != 1:
        inputs.append(["all", *_cells(history.total, history.whole.seconds), ""])
    lines += ["", *text_table([("input", *_COLUMNS, ""), *inputs], (0, len(_COLUMNS) + 1))]
    if len(groups) < len(history.lines):
        lines.append("--all has a line for each input")
    for title, rows in _lists(history):
        lines += ["", title]
        lines += [
            f"  {visible(row.what)}  {visible(row.input)}"
            + (f" at byte {row.offset:,}" if row.offset >= 0 else "")
            + f"  {visible(row.url)}"
            for row in rows[:_MOST]
        ]
        if len(rows) > _MOST:
            lines.append(f"  and {len(rows) - _MOST:,} more (--json has all)")
    if history.foreign:
        foreign = counted(history.foreign, "line of the manifest is", "lines of the manifest are")
        lines.append(f"\n{foreign} not of this version of ncleaner")
    return "\n".join(line.rstrip() for line in lines)


def _groups(history: History, everything: bool) -> list[ReportLine]:
    """Returns the rows of a report: of few inputs each, of many a thousand like ones together."""
    each = everything or len(history.lines) <= _EACH
    return [ReportLine.of([line]) for line in history.lines] if each else list(history.groups(_GROUP))


def _name(group: ReportLine) -> str:
    return group.first if group.inputs == 1 else f"{counted(group.inputs, 'input')} from {group.first}"


def _unread(group: ReportLine) -> str:
    if not group.unread:
        return ""
    return "not read to its end" if group.inputs == 1 else f"{group.unread:,} not read to the end"


def _sums(history: History) -> list[tuple[str, str]]:
    inputs, unread, total = history.whole.inputs, history.whole.unread, history.total
    words = total.words_kept + total.words_removed
    share = f", {_per_cent(total.words_kept, words)} % of all" if words else ""
    return [
        ("inputs", f"{inputs:,}" + (f", {unread:,} of them not read to the end" if unread else "")),
        ("pages", f"{total.pages:,}"),
        *([("in letters new to the model", f"{total.unfamiliar:,}")] if total.unfamiliar else []),
        ("words kept", f"{total.words_kept:,}{share}"),
        ("words removed", f"{total.words_removed:,}"),
        ("megabytes of pages", f"{total.bytes / 1e6:,.1f}"),
        ("time of work, all inputs", str(timedelta(seconds=round(history.whole.seconds)))),
    ]


def _per_cent(kept: int, words: int) -> str:
    return f"{100 * kept / words:.1f}" if words else "-"


def _cells(tally: Tally, seconds: float) -> list[str]:
    """Returns the figures of `_COLUMNS`."""
    left_out = tally.left_out.total()
    counts = (
        tally.pages, tally.cleaned, tally.empty - left_out, left_out, tally.lost.total(), tally.damaged,
        tally.words_kept,
    )  # fmt: skip
    return [*(f"{count:,}" for count in counts), f"{tally.bytes / 1e6:,.1f}", f"{seconds:,.1f}"]


def _counters(history: History) -> Iterator[tuple[str, list[tuple[str, int]]]]:
    for title, counter in (
        ("Pages by outcome", history.outcomes),
        ("Records that are not pages", history.total.skipped),
        ("Encodings", history.total.encodings),
        ("Languages", history.total.languages),
        ("Kinds of pages", history.total.kinds),
        ("Estimated quality", Counter({f"0.{at[0]}…": n for at, n in history.total.qualities.items()})),
        ("Models", history.total.models),
        ("Plain text, cleaned by", history.total.fallbacks),
        ("Formats of the outputs", history.formats),
        ("Cleaned with", _settings(history)),
    ):
        if ranked := _ranked(counter):
            yield title, ranked


def _settings(history: History) -> Counter[str]:
    """Counts inputs by method, model and version."""
    found: Counter[str] = Counter()
    for line in history.lines:
        learned = " and what the run has learned" if line.settings["learn"] else ""
        said = "{method}, model {model}{learned}, ncleaner {version}"
        found[said.format(learned=learned, **line.settings)] += line.tally.inputs
    return found


def _lists(history: History) -> Iterator[tuple[str, Sequence[PageRow]]]:
    for title, rows in (
        ("Slowest pages", history.slowest(_MOST // 2)),
        ("Pages in quarantine", history.quarantined()),
        ("Damage", history.damage()),
    ):
        if rows:
            yield title, rows


# A run as a page


def run_page(history: History, texts: Sequence[Sample] = ()) -> str:
    """Returns an HTML page that loads no other file: figures, charts, samples of text, and the same lists.

    Args:
        history: of the output directory.
        texts: beginnings of clean pages.
    """
    return "".join(
        (
            html_head(history.folder, style_of("charts", "reports")),
            tiles(_large(history)),
            *_beside(_charts(history)),
            *_shown(texts),
            *_inputs(history),
            *(
                wide(title, html_table(["what", "input", "byte", "URL"], [*map(_place, rows[:500])]))
                for title, rows in _lists(history)
            ),
            "<h2>Figures</h2><div class=figures>",
            *(
                f"<div><h3>{html_text(title)}</h3>"
                + html_table(["", ""], [[visible(name, _LONGEST), f"{n:,}"] for name, n in rows])
                + "</div>"
                for title, rows in _counters(history)
                if title not in _DRAWN
            ),
            "</div></main></html>\n",
        )
    )


def _large(history: History) -> list[tuple[str, str]]:
    total = history.total
    words = total.words_kept + total.words_removed
    share = f"{_per_cent(total.words_kept, words)} %" if words else "-"
    lost = total.lost.total()
    unread = history.whole.unread
    return [
        ("input" if history.whole.inputs == 1 else "inputs", f"{history.whole.inputs:,}"),
        ("page" if total.pages == 1 else "pages", f"{total.pages:,}"),
        ("of all words kept", share),
        ("word kept" if total.words_kept == 1 else "words kept", f"{total.words_kept:,}"),
        ("megabytes of pages", f"{total.bytes / 1e6:,.1f}"),
        ("time of work", str(timedelta(seconds=round(history.whole.seconds)))),
        *([("page given up" if lost == 1 else "pages given up", f"{lost:,}")] if lost else []),
        *([("in letters new to the model", f"{total.unfamiliar:,}")] if total.unfamiliar else []),
        *([("not read to the end", f"{unread:,}")] if unread else []),
    ]


def _charts(history: History) -> Iterator[str]:
    total = history.total
    # without those that are 0
    yield bars("Pages by outcome", _ranked(+history.outcomes))
    doubling = "each bin is twice as wide"
    for title, counter, names, unit, sign in (
        ("Share of words kept", total.shares, SHARES, "per cent of the words of a page", "%"),
        ("Words kept of a page", total.lengths, LENGTHS, f"words; {doubling}", " words"),
        ("Estimated quality", total.qualities, QUALITIES, "per cent: the expected F1", "%"),
        ("Time for a page", total.times, TIMES, f"milliseconds; {doubling}", " ms"),
    ):
        yield _distribution(title, counter, names, unit, sign)
    yield bars("Pages by language", _ranked(total.languages))
    yield bars("Pages by kind", _ranked(total.kinds))
    yield bars("Pages by encoding", _ranked(total.encodings))
    points = history.over_time()
    if points:
        yield curve(
            "Pages over time", f"up to {points[-1][1]:,}",
            [(time.timestamp(), float(pages)) for time, pages in points],
            (f"{points[0][0]:%Y-%m-%d %H:%M}", f"{points[-1][0]:%Y-%m-%d %H:%M}"),
        )  # fmt: skip


def _beside(charts: Iterable[str]) -> Iterator[str]:
    """Yields charts side by side, then the sentences of those that have one value only."""
    drawn = list(charts)
    yield '<div class="charts">'
    yield from (chart for chart in drawn if chart.startswith("<figure"))
    yield "</div>\n"
    yield from (chart for chart in drawn if not chart.startswith("<figure"))


def _ranked(counter: Counter[str]) -> list[tuple[str, int]]:
    """Returns the counts, the largest first."""
    return sorted(counter.items(), key=lambda item: (-item[1], item[0]))


def _distribution(title: str, counter: Counter[str], names: Sequence[str], unit: str, sign: str) -> str:
    """Returns the drawing of a distribution, from its first bin with a page to its last, of shares all bins;
    nothing if there is none."""
    counts = [counter[name] for name in names]
    filled = [place for place, count in enumerate(counts) if count]
    if not filled:
        return ""
    first, last = (0, len(names) - 1) if sign == "%" else (filled[0], filled[-1])
    sums = list(accumulate(counts))
    median = names[bisect_right(sums, (sums[-1] - 1) // 2)]
    space = "\N{NO-BREAK SPACE}" if sign == "%" else ""
    about = f"{unit}; half of the pages: {median}{space}{sign} or more"
    return distribution(title, about, counts[first : last + 1], names[first : last + 1])


def _shown(texts: Sequence[Sample]) -> Iterator[str]:
    if texts:
        yield "<h2>How clean pages begin</h2>"
        for text in texts:
            where = " · ".join(filter(None, (text.url or text.input, text.language)))
            yield f"<blockquote dir=auto>{html_text(text.text)}<cite>{html_text(where)}</cite></blockquote>\n"
        yield (
            "<p>Outputs have the text that is kept. <code>ncleaner inspect INPUT --number N</code> shows "
            "what is removed of a page, and why.</p>"
        )


def _place(row: PageRow) -> list[str]:
    return [row.what, row.input, f"{row.offset:,}" if row.offset >= 0 else "", row.url]


def _inputs(history: History) -> Iterator[str]:
    if history.lines:
        rows = [
            [_name(group), *_cells(group.tally, group.seconds), _unread(group)]
            for group in _groups(history, everything=False)
        ]
        yield wide("Inputs", html_table(["input", *_COLUMNS, "remark"], rows))


# A crawl


_SITES = ("site", "pages", "words", "kept %", "languages", "kinds", "layouts", "duplicates", "sampled pages")
# Of the sums of a survey, those that its page draws large.
_FIRST = 5
# Of a survey that has not looked for duplicates.
_UNKNOWN = "- (--duplicates counts them)"


def _most(counter: Counter[str], number: int) -> str:
    return joined([f"{visible(name)} {n:,}" for name, n in _ranked(counter) if name], number)


def _survey_sums(portrait: Portrait) -> list[tuple[str, str]]:
    total = portrait.total
    return [
        ("site" if portrait.sites == 1 else "sites", f"{portrait.sites:,}"),
        ("sites with one page", f"{portrait.single:,}"),
        ("page" if total.pages == 1 else "pages", f"{total.pages:,}"),
        ("words", f"{total.words:,}"),
        ("words kept, per cent", _per_cent(total.kept, total.words)),
        ("languages", _most(total.languages, 20) or "-"),
        ("kinds of pages", _most(total.kinds, 20) or "-"),
        ("exact duplicates", f"{total.exact:,}" if portrait.duplicates else _UNKNOWN),
        ("near duplicates", f"{total.near:,}" if portrait.duplicates else _UNKNOWN),
        ("sampled pages", f"{total.sampled:,}"),
    ]


def _sites(portrait: Portrait) -> list[tuple[str, ...]]:
    """Returns the figures of `_SITES` for each of the largest sites."""
    return [
        (
            row.site,
            f"{row.pages:,}",
            f"{row.words:,}",
            _per_cent(row.kept, row.words),
            _most(row.languages, 3),
            _most(row.kinds, 3),
            f"{row.layouts:,}",
            f"{row.exact + row.near:,}" if portrait.duplicates else "-",
            f"{row.sampled:,}",
        )
        for row in portrait.largest
    ]


def survey_text(portrait: Portrait) -> str:
    """Returns the sums, and a line for each of the largest sites."""
    sums = [f"{name:<22}{value}" for name, value in _survey_sums(portrait)]
    shown = [_SITES.index(name) for name in ("site", "pages", "kept %", "layouts", "languages")]
    rows = [[row[column] for column in shown] for row in [_SITES, *_sites(portrait)[:_MOST]]]
    return "\n".join([*sums, "", *text_table(rows, (0, 4))])


def survey_page(portrait: Portrait, title: str) -> str:
    """Returns an HTML page that loads no other file."""
    total = portrait.total
    repeated = f"{total.exact + total.near:,}" if portrait.duplicates else "-"
    duplicates = "duplicates" if portrait.duplicates else "duplicates (see --duplicates)"
    return "".join(
        (
            html_head(title, style_of("charts")),
            tiles([*_survey_sums(portrait)[:_FIRST], (duplicates, repeated)]),
            *_beside(_crawl_charts(portrait)),
            wide("Largest sites", html_table(_SITES, _sites(portrait))),
            "</main></html>\n",
        )
    )


def _crawl_charts(portrait: Portrait) -> Iterator[str]:
    total = portrait.total
    sites = [(row.site, row.pages) for row in portrait.largest[:_BARS]]
    if rest := total.pages - sum(pages for _, pages in sites):
        sites.append((counted(portrait.sites - len(sites), "other site"), rest))
    yield bars("Pages by site", sites)
    for title, counter in (("Pages by language", total.languages), ("Pages by kind", total.kinds)):
        yield bars(title, _ranked(Counter({name or "unknown": n for name, n in counter.items()})))
    duplicates = Counter({"same text": total.exact, "nearly the same text": total.near})
    yield bars("Duplicates", _ranked(+duplicates))
