"""Tables of figures as plain text: of an evaluation, a search, a curve."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from textwrap import fill

from ncleaner.people.curve import Curve
from ncleaner.scoring.errors import Errors, StandardErrors
from ncleaner.scoring.evaluation import Evaluation
from ncleaner.scoring.measures import MacroAverages, MatchCounts
from ncleaner.text.counted import counted
from ncleaner.text.visible import visible
from ncleaner.training.conventions import ZoneUse
from ncleaner.training.ngrams import DEFAULT_Q
from ncleaner.training.trials import Trial, Tuning

__all__ = ["convention_table", "curve_table", "errors_sentence", "evaluation_table", "tuning_table"]

_WIDTH = 78
_TITLE = 30
_NAMES = ("Precision", "Recall", "F-score")
_NONE = (None, None, None)


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
        names = [visible(page.name) for page in result.pages]
        width = max(4, *map(len, names))
        bag = f"{result.unit}s"
        lines.append(f"{'Page':<{width}}{'Precision':>11}{'Recall':>9}{'F-score':>9}{'F marks':>9}{bag:>9}")
        for name, page in zip(names, result.pages, strict=True):
            words = page.words
            lines.append(
                f"{name:<{width}}{words.precision:11.2f}{words.recall:9.2f}{words.f_score:9.2f}"
                f"{page.marks.f_score:9.2f}{page.bag.f_score:9.2f}"
            )
        lines.append("")
    lines.append(f"{'':<{_TITLE}}" + "".join(f"{name:>9}{'':7}" for name in _NAMES).rstrip())
    errors = result.errors
    measures = [("Words in order, per cent", result.words, errors.words)]
    # Without marks on either side their figures are all 0, which reads like a failure.
    if result.marks.micro != MatchCounts():
        measures.append(("Segment marks p/h/l, per cent", result.marks, errors.marks))
        measures.append(
            ("Segment marks, kind ignored, per cent", result.marks_unlabelled, errors.marks_unlabelled)
        )
    for title, summary, error in measures:
        micro = summary.micro
        lines += [
            title,
            _figures_row(
                "all pages as one (micro)", [micro.precision, micro.recall, micro.f_score], error.micro
            ),
        ]
        lines += _spread_rows(summary.macro, error.macro)
    tokens = "Words" if result.unit == "word" else "Characters"
    lines += [f"{tokens} in any order, per cent", *_spread_rows(result.bag, errors.bag)]
    lines += ["", fill(errors_sentence(errors), _WIDTH)]
    for missing, what in (
        (result.missing_gold, "predicted but without gold text"),
        (result.missing_pred, "with gold text but not predicted"),
    ):
        if missing:
            lines += [
                "",
                f"NOT COMPARED, {what} ({len(missing)}):",
                *(f"  {visible(name)}" for name in missing),
            ]
    return "\n".join(lines) + "\n"


# The zones that a user decides about: their name and pronoun, and how to keep and leave them out.
_DECIDED = {
    "headline": ("the headline", "one", "with --headline (the default of hybrid and ngram)", "--no-headline"),
    "caption": ("captions", "them", "without --no-captions", "--no-captions"),
    "comment": ("readers' comments", "them", "without --no-comments", "--no-comments"),
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
            "beside the gold text, or --raw DIR, tells the sites."
        )
    said = f"± standard error over {counted(errors.clusters, 'site')}: pages of one site are not independent."
    if errors.unknown:
        said += f" {counted(errors.unknown, 'page')} of unknown site: each counts as a site of its own."
    return said


def _spread_rows(spread: MacroAverages, errors: Errors) -> list[str]:
    averages = [spread.precision, spread.recall, spread.f_score]
    return [
        _figures_row("mean of the pages (macro)", [average.mean for average in averages], errors),
        _figures_row("standard deviation", [average.sd for average in averages]),
    ]


def _figures_row(title: str, values: Iterable[float | None], errors: Iterable[float | None] = _NONE) -> str:
    cells = (
        f"{'-' if value is None else f'{value:.2f}':>9}{'' if error is None else f'±{error:.2f}':>7}"
        for value, error in zip(values, errors, strict=True)
    )
    return (f"  {title:<{_TITLE - 2}}" + "".join(cells)).rstrip()


def _grid(trials: dict[tuple[int, float], Trial], title: str, value: Callable[[Trial], float]) -> str:
    """Returns a table of n × q."""
    orders = dict.fromkeys(order for order, _ in trials)
    qs = list(dict.fromkeys(q for _, q in trials))
    lines = [title, "  n \\ q" + "".join(f"{q:>7g}" for q in qs)]
    lines += [f"  {n:>5}" + "".join(f"{value(trials[n, q]):>7.2f}" for q in qs) for n in orders]
    return "\n".join(lines)


def tuning_table(tuning: Tuning, rows: int = 10) -> str:
    """Returns the best combinations, tables of n × q for each alphabet and scheme, and the choice."""
    out = io.StringIO()

    def say(line: str = "") -> None:
        out.write(line + "\n")

    pages, sites = counted(tuning.pages, "page"), counted(tuning.sites, "site")
    say(f"{pages} of {sites}, {tuning.folds}-fold cross-validation by site, for the method {tuning.method}.")
    say("Words in per cent, mean of the pages, ± its standard error over sites; F of the n-grams alone;")
    say("cross-entropy (H) in bits per character.")
    say()
    say(_HEAD)
    for trial in tuning.ranking[:rows]:
        say(_row(trial))
    for (name, scheme), trials in tuning.groups().items():
        say()
        say(f"{name}, {scheme}")
        say(_grid(trials, f"F of words, {tuning.method}", lambda trial: 100 * trial.figures.f_score))
        say(_grid(trials, "cross-entropy of clean text", lambda trial: trial.clean_entropy))
        say(_grid(trials, "cross-entropy of dirty text", lambda trial: trial.dirty_entropy))
    say()
    say(fill(_choice(tuning), _WIDTH))
    say()
    say(_HEAD)
    say(_row(tuning.best))
    return out.getvalue()


def _choice(tuning: Tuning) -> str:
    """Returns why a combination is chosen."""
    best, level, trials = tuning.ranking[0].figures, len(tuning.level), len(tuning.trials)
    error = 100 * (best.f_score_error or 0.0)
    if trials == 1:
        return "There is one combination, and nothing to choose."
    if level == 1:
        return (
            "Chosen: the best combination. All others are worse by more than its standard error, "
            f"{error:.1f} points. Its F is the largest of {trials:,}, and rather too high for new sites."
        )
    within = f"within one standard error ({error:.1f} points) of the best F"
    if tuning.is_default(tuning.best):
        return (
            f"These pages cannot tell {level:,} of the {trials:,} combinations apart: they are {within}. "
            "What `train` takes by default is one of them, so it is chosen. More sites would tell more."
        )
    return (
        f"Chosen: of the {level:,} combinations (of {trials:,}) {within}, the one with the smallest n, "
        f"then with the q nearest to {DEFAULT_Q:g}. These pages cannot tell them apart; more sites would "
        "tell more."
    )


_HEAD = "alphabet    scheme         n     q  precision  recall      F     ±  ngram F  H clean  H dirty"


def _row(trial: Trial) -> str:
    found = trial.figures
    error = "-" if found.f_score_error is None else f"{100 * found.f_score_error:.2f}"
    return (
        f"{trial.alphabet:<12}{trial.scheme:<13}{trial.order:>3}{trial.q:>6g}{100 * found.precision:>11.2f}"
        f"{100 * found.recall:>8.2f}{100 * found.f_score:>7.2f}{error:>6}"
        f"{100 * trial.by_method['ngram'].f_score:>9.2f}{trial.clean_entropy:>9.3f}"
        f"{trial.dirty_entropy:>9.3f}"
    )
