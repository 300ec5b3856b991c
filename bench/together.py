"""Cross-validated accuracy of the hybrid on all gold sets together, each measured by its convention.

    python -m bench.together GOLD_ROOT [--seeds 1,2,3] [--sets l3s-dev,…] [--text] [--save FILE]
        [--against FILE]

GOLD_ROOT holds the gold directories of scripts/goldsets.py. Five folds by registered domain over all sets
together: n-grams of each language and the structure model learn from the pages of the other folds, as
scripts/train_models.py trains the shipped ones, and the method cleans those of this fold. Rows:

    method      the method alone, without what the user decides
    defaults    as `ncleaner clean` does without options
    convention  with the options that fit the gold set (scripts/goldsets.py), where they are others
    advised     with the options that `ncleaner evaluate` advises for the gold set, where they are others
    n-grams     with --text, the method `ngram`

--text cleans text dumps of the pages, which have no zones, by models that learn from such dumps.
Prints for each set the mean bag F1 (of words; of characters for Chinese) with the standard error over the
pages, and the mean of each seed; for sets with kinds of pages that of each kind, and how well the method
judges the kinds; for the sets of --official CleanEval's word F and labelled segmentation. A page's F1 is
the mean over the seeds. --save writes it for each page and row; --against compares with such a file, page by
page.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import typer

from bench.crossval import scores

sys.path.append(str(Path(__file__).parent.parent / "scripts"))
from goldsets import DEFAULTS, SETS, GoldPair, Place, folds_of, read_sets, rendered

from ncleaner.document.kept import KINDS
from ncleaner.errors import TrainingWarning
from ncleaner.lab.training.conventions import conventions_of, wishes_of
from ncleaner.methods.ngram import NGram
from ncleaner.methods.zoning import ZoneOptions
from ncleaner.modelling.decision import Preset

ROWS = ("method", "defaults", "convention", "advised", "n-grams")


class Result(NamedTuple):
    """What became of the pages with one seed.

    Attributes:
        texts: {row: {page: text}}, in CleanEval's format.
        kinds: {page: probability of each kind of page}.
    """

    texts: dict[str, dict[Place, bytes]]
    kinds: dict[Place, npt.NDArray[np.float64]]


def advised(pairs: Sequence[GoldPair]) -> ZoneOptions:
    """What a user wants who follows the advice of `ncleaner evaluate`."""
    return DEFAULTS._replace(**wishes_of(conventions_of(pairs)))


def rows_of(name: str, pairs: Sequence[GoldPair]) -> dict[str, ZoneOptions]:
    """The rows of a set: each other way to want its zones."""
    rows: dict[str, ZoneOptions] = {}
    for row, wanted in zip(
        ROWS[:-1], (ZoneOptions(), DEFAULTS, SETS[name].wanted, advised(pairs)), strict=True
    ):
        if wanted not in rows.values():
            rows[row] = wanted
    return rows


def run(
    sets: Mapping[str, Sequence[GoldPair]], seeds: Sequence[int], preset: Preset, threads: int
) -> dict[int, Result]:
    """Cleans each page by models that have seen no page of its site, one for each seed."""
    rows = {name: rows_of(name, pairs) for name, pairs in sets.items()}
    as_texts = any(pair.document.is_text for pairs in sets.values() for pair in pairs)
    results = {seed: Result(defaultdict(dict), {}) for seed in seeds}
    for seed, tested, methods in folds_of(sets, seeds, preset, threads):
        for place in tested:
            pair = sets[place.set][place.number]
            kept = methods[pair.model].keep(pair.document)
            results[seed].kinds[place] = np.array([kept.kind_probability(kind) for kind in KINDS])
            for row, wanted in rows[place.set].items():
                results[seed].texts[row][place] = rendered(pair, wanted.applied(pair.document, kept))
            if as_texts:
                alone = NGram(methods[pair.model].model.ngrams).keep(pair.document)
                results[seed].texts["n-grams"][place] = rendered(pair, alone)
    return results


def auc(values: npt.NDArray[np.float64], right: npt.NDArray[np.bool_]) -> float:
    """The area under the ROC curve: how often a right one has a larger value than a wrong one."""
    order = np.sort(values[~right])
    below = np.searchsorted(order, values[right], "left") + np.searchsorted(order, values[right], "right")
    return float(below.mean() / (2 * len(order)))


def mean_and_error(values: Sequence[float]) -> tuple[float, float]:
    """The mean, and its standard error (NaN for one value)."""
    error = np.std(values, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
    return float(np.mean(values)), float(error)


Figures = dict[tuple[str, str], dict[str, list[float]]]
"""{(set, row): {page: F1 with each seed}}."""


def figures_of(sets: Mapping[str, Sequence[GoldPair]], results: Mapping[int, Result]) -> Figures:
    """The bag F1 of each page, 0 to 1, by set and row."""
    found: Figures = {}
    for result in results.values():
        for row, texts in result.texts.items():
            for place, text in texts.items():
                pair = sets[place.set][place.number]
                found.setdefault((place.set, row), {}).setdefault(pair.name, []).append(pair.f1(text))
    return {key: found[key] for key in ((name, row) for name in sets for row in ROWS) if key in found}


def kinds_line(pairs: Sequence[GoldPair], values: Mapping[str, float]) -> str:
    """The mean F1 of each kind of page; empty where fewer than two are known."""
    by_kind = defaultdict(list)
    for pair in pairs:
        by_kind[pair.kind].append(values[pair.name])
    if len(by_kind) < 2:
        return ""
    return "  ".join(f"{kind or 'unknown'} {np.mean(found):.3f}" for kind, found in sorted(by_kind.items()))


def judged_line(name: str, pairs: Sequence[GoldPair], results: Mapping[int, Result]) -> str:
    """How well the kinds of pages are judged: AUC of articles, and share of pages with the right kind."""
    known = [number for number, pair in enumerate(pairs) if pair.kind]
    right = np.array([KINDS.index(pairs[number].kind) for number in known])
    areas, shares = [], []
    for result in results.values():
        found = np.array([result.kinds[Place(name, number)] for number in known])
        if not found.any():
            return ""
        article = KINDS.index("article")
        areas.append(auc(found[:, article], right == article))
        shares.append((found.argmax(axis=1) == right).mean())
    return f"kinds: AUC of articles {np.mean(areas):.4f}, right kind {100 * np.mean(shares):.1f} %"


def official_line(
    name: str, row: str, pairs: Sequence[GoldPair], results: Mapping[int, Result], gold: Path
) -> str:
    """CleanEval's word F and labelled segmentation, the means over the seeds."""
    found = []
    for result in results.values():
        texts = {
            pairs[place.number].name: text for place, text in result.texts[row].items() if place.set == name
        }
        scored = scores(texts, gold / name / "clean", jobs=1)
        found.append((scored.words.micro.f_score, scored.marks.micro.f_score))
    words, marks = np.mean(found, axis=0)
    # without marks in the gold text there is nothing to find
    return f"words in order: F {words:.2f}" + (f", labelled segmentation {marks:.2f}" if marks else "")


def show(
    sets: Mapping[str, Sequence[GoldPair]],
    results: Mapping[int, Result],
    figures: Figures,
    gold: Path,
    official: Sequence[str],
) -> None:
    """Prints the tables."""
    print(f"{'':<17}{'':<12}{'pages':>6}  bag F1            seeds {', '.join(map(str, results))}")
    for name, pairs in sets.items():
        for row in (row for own, row in figures if own == name):
            pages = figures[name, row]
            mean, error = mean_and_error([float(np.mean(values)) for values in pages.values()])
            seeds = " ".join(f"{value:.4f}" for value in np.mean(list(pages.values()), axis=0))
            print(f"{name:<17}{row:<12}{len(pages):>6}  {mean:.4f} ± {error:.4f}   {seeds}")
            means = {page: float(np.mean(values)) for page, values in pages.items()}
            lines = [kinds_line(pairs, means)]
            if name in official:
                lines.append(official_line(name, row, pairs, results, gold))
            print("".join(f"    {line}\n" for line in lines if line), end="")
        if len({pair.kind for pair in pairs} - {""}) > 1 and (line := judged_line(name, pairs, results)):
            print(f"    {line}")
    sys.stdout.flush()


def save(path: Path, sets: Mapping[str, Sequence[GoldPair]], figures: Figures) -> None:
    """Writes a line of JSON for each page and row."""
    with path.open("w", encoding="utf-8") as out:
        for (name, row), pages in figures.items():
            kinds = {pair.name: pair.kind for pair in sets[name]}
            for page, values in pages.items():
                entry = {"set": name, "row": row, "page": page, "kind": kinds[page], "f1": values}
                out.write(json.dumps(entry) + "\n")


def compare(path: Path, figures: Figures) -> None:
    """Prints the differences from a saved run, with their standard errors over the pages of both."""
    before: dict[tuple[str, str], dict[str, tuple[str, float]]] = defaultdict(dict)
    with path.open(encoding="utf-8") as lines:
        for entry in map(json.loads, lines):
            before[entry["set"], entry["row"]][entry["page"]] = entry["kind"], float(np.mean(entry["f1"]))
    print(f"\nDifference from {path.name}, mean over the pages of both")
    for (name, row), pages in figures.items():
        then = before.get((name, row), {})
        changes: dict[str, list[float]] = defaultdict(list)
        for page, values in pages.items():
            if page in then:
                kind, value = then[page]
                for group in {"", kind}:
                    changes[group].append(float(np.mean(values)) - value)
        for group, found in sorted(changes.items()):
            if group and len(found) == len(changes[""]):
                continue
            mean, error = mean_and_error(found)
            changed = sum(value != 0 for value in found)
            title = f"    {group}" if group else f"{name:<17}{row}"
            print(f"{title:<29}{len(found):>6}  {mean:+.4f} ± {error:.4f}   {changed} pages changed")


def main(
    gold: Annotated[Path, typer.Argument(help="where the gold directories are")],
    seeds: Annotated[str, typer.Option(help="of the forests' samples, separated by commas")] = "1",
    names: Annotated[str, typer.Option("--sets", help="gold directories, separated by commas")] = ",".join(
        SETS
    ),
    text: Annotated[bool, typer.Option("--text", help="text dumps of the pages")] = False,
    preset: Annotated[str, typer.Option(help="balanced, precision or recall")] = "balanced",
    official: Annotated[
        str, typer.Option(help="sets to give CleanEval's scores for, which take a while, separated by commas")
    ] = "cleaneval-dev",
    save_to: Annotated[Path | None, typer.Option("--save", help="write the F1 of each page")] = None,
    against: Annotated[Path | None, typer.Option(help="compare with a file of --save")] = None,
    threads: Annotated[int, typer.Option(help="of LightGBM; more than cores are free take far longer")] = 1,
) -> None:
    """Prints the figures of each set."""
    warnings.simplefilter("ignore", TrainingWarning)
    chosen = [name for name in names.split(",") if name]
    if unknown := [name for name in chosen if name not in SETS]:
        raise typer.BadParameter(f"no such set: {', '.join(unknown)}", param_hint="--sets")
    sets: dict[str, Any] = read_sets(gold, chosen, text)
    results = run(sets, [int(seed) for seed in seeds.split(",")], cast(Preset, preset), threads)
    figures = figures_of(sets, results)
    show(sets, results, figures, gold, official.split(","))
    if save_to is not None:
        save(save_to, sets, figures)
    if against is not None:
        compare(against, figures)


if __name__ == "__main__":
    typer.run(main)
