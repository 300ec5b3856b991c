"""What `evaluate` does: it cleans pages if need be, compares them with gold texts, and shows the figures as
text and as an HTML page with views of the worst pages."""

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import fill

import numpy as np

from ncleaner.cleaner import Cleaner
from ncleaner.cli.parameters import Run
from ncleaner.cli.parts import html_head, html_table, text_table, wide, write_page
from ncleaner.cli.printing import show, show_json, tell_error
from ncleaner.document.kept import Kept
from ncleaner.errors import EvaluationError, NcleanerError, TrainingError, TrainingWarning, cannot_write
from ncleaner.lab.commands.asked import Measuring
from ncleaner.lab.commands.curves import curve_drawing, curve_of, curve_table, write_curve
from ncleaner.lab.commands.steps import CountDisplay
from ncleaner.lab.comparing.gold import unit_of
from ncleaner.lab.explaining.against import with_gold
from ncleaner.lab.explaining.drawing import page_of
from ncleaner.lab.explaining.explain import explain
from ncleaner.lab.scoring.evaluation import Evaluation, PageScores, evaluate, read_pair, stem_of, texts_in
from ncleaner.lab.scoring.measures import (
    BagUnit,
    Errors,
    MacroAverages,
    MatchCounts,
    StandardErrors,
    diff_words,
    split_words,
)
from ncleaner.lab.training.alignment import address, align, is_marked
from ncleaner.lab.training.conventions import ZoneUse, conventions_of
from ncleaner.lab.training.pairs import (
    Pair,
    find_manifest,
    how_to_convert,
    read_bytes,
    read_pairs,
    read_text,
    sites_of_names,
)
from ncleaner.methods.registry import AUTO, METHODS, SHIPPED
from ncleaner.modelling.container import header_of
from ncleaner.modelling.files import is_path, model_bytes, own_models
from ncleaner.page import Damage, Page
from ncleaner.reading.archive import read
from ncleaner.recipe import Recipe
from ncleaner.running.tally import note_of
from ncleaner.sinks.formats import Output
from ncleaner.text.charset import decode
from ncleaner.text.hosts import registered_domain
from ncleaner.text.visible import counted, html_text, visible

_WIDTH = 78
_TITLE = 30
_NAMES = ("Precision", "Recall", "F-score")
# of a table: its title, precision, recall and F, and their standard errors
_Row = tuple[str, Sequence[float | None], Sequence[float | None]]

# words that are shown at either side of a difference, and of one difference
_AROUND, _LONGEST = 6, 80


# --------------------------------------------------------------------------------------------------
# The figures as text.


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
    "headline": ("the headline", "one", "with --headline (the default)", "--no-headline"),
    "caption": ("captions", "them", "without --no-captions", "--no-captions"),
    "comment": ("readers' comments", "them", "with --comments", "--no-comments (the default)"),
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
        does, often = "contains", round(100 * use.share)
        if use.convention == "left out":
            does, often = "leaves out", 100 - often
        advice = {
            "kept": f"clean {keep} to be measured by its convention",
            "left out": f"clean with {leave_out} to be measured by its convention",
            "mixed": "no option fits all of its pages",
        }[use.convention]
        told = f"This gold text {does} {name} on {often} % of the pages that have {it}: {advice}."
        lines += ["", fill(told, _WIDTH)]
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


# --------------------------------------------------------------------------------------------------
# The figures as an HTML page.


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
            html_head(title, "\n" + Path(__file__).with_suffix(".css").read_text("utf-8")),
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
            _all_pages(result, links),
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
    return wide("Figures", html_table(["per cent", "", "precision", "recall", "F"], rows))


def _all_pages(result: Evaluation, links: Mapping[str, str]) -> str:
    rows = []
    for page in worst_pages(result, len(result.pages)):
        cells = [*_page_figures(page), f"{page.words.fp:,}", f"{page.words.fn:,}"]
        figures = "".join(f"<td class=n>{cell}</td>" for cell in cells)
        rows.append(f"<tr><td>{_linked(page.name, links.get(page.name, ''))}</td>{figures}</tr>")
    names = ("precision", "recall", "F", "F marks", "F any order", "wrongly kept", "wrongly removed")
    head = "".join(f"<th class=n>{name}</th>" for name in names)
    return wide("All pages, the worst first", f"<table><tr><th>page</th>{head}</tr>{''.join(rows)}</table>")


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


# --------------------------------------------------------------------------------------------------
# The pages, what they are cleaned and compared by, and the report.

#: Where the header of a model has the digests of its training pages.
SEEN = "seen"


def _digest(pair: Pair) -> str:
    return hashlib.blake2b(pair.document.data, digest_size=4).hexdigest()


def digests_of(pairs: Iterable[Pair]) -> str:
    """Returns what identifies the pages a model is trained on, with spaces between them."""
    return " ".join(sorted({*map(_digest, pairs)}))


def warn_if_trained_on(recipe: Recipe, pairs: Sequence[Pair]) -> None:
    """Says so if a model has been trained on the pages that it is measured on. Raises ModelError."""
    if not isinstance(recipe.model, str) or not METHODS[recipe.method].kinds:
        return
    digests = [*map(_digest, pairs)]
    for name in own_models() if recipe.model == AUTO else [recipe.model]:
        if name == SHIPPED or (is_path(name) and Path(name).is_dir()):
            continue
        seen = {*str(header_of(model_bytes(name), name).get(SEEN, "")).split()}
        if number := sum(digest in seen for digest in digests):
            tell_error(
                f"the model {name} was trained on {number:,} of these {counted(len(digests), 'page')}: the "
                "figures say how well it knows them, not how it cleans others. Measure it on other pages, or "
                "by the cross-validation that `ncleaner train` prints"
            )
            return


def pairs_of(pages: Path, gold: Path, text: str, quiet: bool) -> list[Pair]:
    """Reads pages with their gold texts. Raises TrainingError as `read_pairs` does."""
    # the table of figures names the texts without a page
    with CountDisplay("page read", "pages read", quiet=quiet) as display, warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".* without a page of the same name", TrainingWarning)
        return read_pairs(pages, gold, text=text, progress=display.advance)


def known_pairs(
    pages: Path | None, gold: Path, text: str, quiet: bool, *, asked: bool
) -> tuple[list[Pair], str]:
    """Returns the pages of gold texts, by default those in the directory `raw` beside them; or none, and why
    the convention of the texts is not known. TrainingError: the user has `asked` for these pages."""
    beside = pages or gold.parent / "raw"
    unknown = "The convention of this gold text (zones such as headlines) is not known"
    if gold.is_file() or not (pages or beside.is_dir()):
        return [], f"{unknown}: --raw DIR names its pages."
    try:
        return pairs_of(beside, gold, text, quiet), ""
    except TrainingError as error:
        if asked:
            raise
        return [], f"{unknown}; --raw DIR names its pages. {error}."


@contextmanager
def cleaned(pages: Path, gold: Path, cleaner: Cleaner | None, quiet: bool) -> Iterator[Path]:
    """Cleans pages and gives a directory of their text, in CleanEval's format, for as long as it is needed.
    Without a cleaner, the pages are texts, and given as they are.

    A page that is given up, or cannot be read, has no text, and a message says so.

    Raises:
        EvaluationError: there is no such page or directory, or none of the pages has a gold text.
    """
    if cleaner is None:
        yield pages
        return
    files = _pages(pages, gold)
    # marks count as words: beside a gold text without marks, they would be wrong ones
    marked, plain = Output(format="cleaneval").sink(), Output(format="text").sink()
    with (
        TemporaryDirectory(prefix="ncleaner-") as made,
        CountDisplay("page cleaned", "pages cleaned", quiet=quiet) as display,
    ):
        folder = Path(made)
        for done, (name, (path, text_of)) in enumerate(sorted(files.items()), 1):
            has_marks = not text_of.is_file() or is_marked(read_bytes(text_of).decode("utf-8", "replace"))
            sink = marked if has_marks else plain
            target = folder / f"{name}.txt"
            target.parent.mkdir(parents=True, exist_ok=True)
            text = b""
            try:
                for item in read(str(path)):
                    if isinstance(item, Page):
                        text = sink.render(item, *cleaner.page(item), True)
                        break
                    if isinstance(item, Damage) or item.lost:
                        tell_error(str(note_of(item)))
            except NcleanerError as error:
                tell_error(f"{path}: {error}")
            target.write_bytes(text)
            display.advance(done, len(files))
        yield folder / f"{next(iter(files))}.txt" if pages.is_file() else folder


def _pages(pages: Path, gold: Path) -> dict[str, tuple[Path, Path]]:
    """Returns {relative name without suffix: (path, that of the gold text)} of the pages with a gold text."""
    if not pages.exists():
        raise EvaluationError(f"there is no directory {pages}")
    if pages.is_file():
        return {pages.stem: (pages, gold)}
    texts = {stem_of(name): path for name, path in sorted(texts_in(gold).items())}
    found: dict[str, tuple[Path, Path]] = {}
    for name, path in sorted(texts_in(pages).items()):
        if (text := texts.get(stem_of(name))) is not None:
            found.setdefault(stem_of(name), (path, text))
    if not found:
        raise EvaluationError(
            f"no page in {pages} has a gold text in {gold}: they match by name without the suffix, page.html "
            "with page.txt"
        )
    return found


def sites_of(pairs: Sequence[Pair], gold: Path, site_from: str | None) -> dict[str, str]:
    """Returns {name without suffix: registered domain, empty if unknown} of gold texts: of their pages if
    they are known, else from a manifest beside the texts, or from their first line `URL: …`; none for a
    single file. A regular expression `site_from` goes before."""
    sites = {pair.name: pair.site for pair in pairs}
    if not pairs and gold.is_dir():
        told = find_manifest(gold)
        for name, path in sorted(texts_in(gold).items()):
            url = told.get(path.stem, {}).get("url", "")
            # the comparison is of bytes, and needs no UTF-8
            with suppress(NcleanerError):
                url = url or address(read_text(path))
            sites[stem_of(name)] = registered_domain(url) if url else ""
    if site_from is not None:
        named = zip(sites, sites_of_names([*sites], site_from), strict=True)
        sites |= {name: site for name, site in named if site}
    return sites


def unit_in(gold: Path) -> BagUnit:
    """Returns what the multiset F counts of a gold text, or of all in a directory."""
    files = [path for path in (gold, *gold.rglob("*")) if path.is_file()]
    return unit_of(read_bytes(path).decode("utf-8", "replace") for path in files)


def warn_of_doubts(result: Evaluation, texts: Path, gold: Path, *, are_given: bool) -> None:
    """Says so if the first of the given texts is a page that is not cleaned yet, and if the gold text of the
    worst page is not UTF-8, and the cleaned text is."""
    name = result.pages[0].name
    head = read_pair(name, texts, gold)[0][:4096].lower() if are_given else b""
    if any(tag in head for tag in (b"<!doctype html", b"<html", b"<head", b"<body")):
        tell_error(
            f"{name} is an HTML page, and is compared as it is, with all tags: to clean the pages of {texts} "
            "first, give --method hybrid"
        )
    for page in worst_pages(result, 1):
        (_, ours), (text, theirs) = (decode(text, html=False) for text in read_pair(page.name, texts, gold))
        if ours == "utf-8" != theirs and text:
            tell_error(
                f"the gold text of {page.name} is not UTF-8, as the cleaned text is, and words with other "
                f"letters cannot be equal: {how_to_convert(theirs)}"
            )


def write_report(
    html: Path,
    result: Evaluation,
    title: str,
    texts: Path,
    gold: Path,
    pairs: Sequence[Pair],
    cleaner: Cleaner | None,
    *,
    worst: int,
    curve: str,
    convention: str,
) -> str:
    """Writes an evaluation as an HTML page, and views of the worst pages to a directory beside it; returns
    what to say of it. The cleaner is what has cleaned them, None if it is not known; other arguments as for
    `evaluation_page`. Raises OutputError."""
    shown = worst_pages(result, worst)
    compared = {page.name: read_pair(page.name, texts, gold) for page in shown}
    folder = html.with_name(f"{html.stem}_pages")
    known = {pair.name: pair for pair in pairs}
    pages = [known.get(name) or known.get(Path(name).stem) for name in compared]
    if any(pages):
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise cannot_write(folder, error) from error
    links: dict[str, str] = {}
    for number, (pair, (name, (text, _))) in enumerate(zip(pages, compared.items(), strict=True), 1):
        if pair is None:
            continue
        if cleaner is not None:
            view = explain(pair.document, cleaner)
        else:
            # a segment is taken for kept if the cleaned text has at least half of its words
            mask = align(pair.document, text.decode("utf-8", "replace")).clean
            view = explain(pair.document, kept=Kept(np.asarray(mask, bool)))
        write_page(folder / f"{number}.html", page_of(with_gold(view, pair.gold, pair.name)))
        links[name] = f"{folder.name}/{number}.html"
    page = evaluation_page(
        result, title, worst=shown, texts=compared, links=links, curve=curve, convention=convention
    )
    write_page(html, page)
    return f"written: {html}" + (f", and {len(links)} views in {folder}" if links else "")


def compared(
    predicted: Path,
    gold: Path,
    asked: Measuring,
    recipe: Recipe,
    are_pages: bool,
    site_from: str | None,
    run: Run,
) -> list[str]:
    """Compares texts, or pages after it cleans them, and shows all that is asked for; returns what was
    written."""

    told: list[str] = []
    cleaner = Cleaner(recipe) if are_pages else None
    with cleaned(predicted, gold, cleaner, run.quiet) as texts:
        pages = predicted if are_pages else asked.raw
        pairs, problem = known_pairs(pages, gold, recipe.text, run.quiet, asked=asked.raw is not None)
        if are_pages:
            warn_if_trained_on(recipe, pairs)
        with CountDisplay("page compared", "pages compared", quiet=run.quiet) as display:
            result = evaluate(
                texts, gold, unit=unit_in(gold) if asked.unit == "auto" else asked.unit,
                ascii_only=asked.ascii_only, jobs=run.processes, progress=display.advance,
                align_dir=asked.align, sites=sites_of(pairs, gold, site_from),
            )  # fmt: skip
        convention = conventions_of(pairs) if pairs else None
        said = convention_table(convention) if convention else problem
        warn_of_doubts(result, texts, gold, are_given=cleaner is None)
        if asked.html is not None:
            title, svg = f"{predicted.name} against {gold.name}", ""
            if are_pages:
                title += f", {recipe.method}, model {recipe.model}"
                if pairs:
                    svg, about = _curve(pairs, recipe, asked.curve, run.quiet)
                    told += about
            told.append(
                write_report(
                    asked.html, result, title, texts, gold, pairs, cleaner,
                    worst=asked.worst, curve=svg, convention=_advice(said),
                )
            )  # fmt: skip
    if asked.json:
        uses = None if convention is None else {name: use.to_dict() for name, use in convention.items()}
        show_json({**result.to_dict(), "convention": uses})
    else:
        show(evaluation_table(result, per_page=asked.per_page))
        show(said)
    return told


def _advice(convention: str) -> str:
    """Returns the sentences of a table of conventions, each on one line."""
    return "\n".join(" ".join(part.split()) for part in convention.split("\n\n")[1:])


def _curve(pairs: list[Pair], recipe: Recipe, prefix: Path | None, quiet: bool) -> tuple[str, list[str]]:
    """Returns the curve as SVG, and what to say of it; draws it to a file if a prefix is given."""
    try:
        # the curve of the method whose figures the report has
        curve = curve_of(pairs, recipe, True, quiet)
    except EvaluationError as error:
        # a method without thresholds has no curve; asked for, it is an error
        if prefix is not None:
            raise
        return "", [f"No curve was drawn: {error}"]
    svg = curve_drawing(curve)
    return svg, [] if prefix is None else [write_curve(svg, prefix)]


def drawn(
    predicted: Path, gold: Path, asked: Measuring, recipe: Recipe, by_cleaning: bool, quiet: bool
) -> list[str]:
    """Draws the curve of some pages, and shows its figures; returns what was written."""
    assert asked.curve is not None
    pairs = pairs_of(predicted, gold, recipe.text, quiet)
    warn_if_trained_on(recipe, pairs)
    curve = curve_of(pairs, recipe, by_cleaning, quiet)
    told = [write_curve(curve_drawing(curve), asked.curve)]
    if asked.json:
        show_json(curve.to_dict())
    else:
        show(curve_table(curve))
    return told
