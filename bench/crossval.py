"""Cross-validated accuracy on gold data, no registered domain on both sides.

    python bench/crossval.py GOLD_DIR [--method ngram] [--alphabet learned] [--order 3] [--q 0.5] …

GOLD_DIR holds manifest.jsonl, raw/ID.html and clean/ID.txt. Prints CleanEval's word and segmentation scores
and the multiset word F1 over all pages, each cleaned by a model that has seen no page of its domain.
"""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer

from ncleaner.decision import Statistic
from ncleaner.evaluation import Evaluation, evaluate
from ncleaner.methods import Kept, make_method
from ncleaner.page import Page
from ncleaner.pairs import Pair, read_pairs
from ncleaner.sinks import make_sink
from ncleaner.sites import folds
from ncleaner.training import Scheme, TrainingWarning
from ncleaner.training import train as train_model


def load_gold(folder: Path, raw: str = "raw") -> list[Pair]:
    """The pages of a gold directory, by name; `raw` is the directory with the pages or dumps."""
    return read_pairs(folder / raw, folder / "clean", manifest=folder / "manifest.jsonl")


def oracle(pair: Pair) -> Kept:
    """The best that can be had with whole segments."""
    return Kept(np.nan_to_num(pair.alignment.matched, nan=0.0) >= 0.5)


def scores(pages: dict[str, bytes], gold: Path, unit: Any = "word", jobs: int = 2) -> Evaluation:
    """Rendered pages (CleanEval format) by name, against the gold directory."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in pages.items():
            (Path(folder) / f"{name}.txt").write_bytes(text)
        return evaluate(folder, gold, unit=unit, jobs=jobs)


def line(result: Evaluation) -> str:
    """The figures in one line."""
    micro, macro = result.words.micro, result.words.macro
    return (
        f"P {micro.precision:.2f} R {micro.recall:.2f} F {micro.f_score:.2f}"
        f" | macro P {macro.precision.mean:.2f} R {macro.recall.mean:.2f} F {macro.f_score.mean:.2f}"
        f" | segmentation {result.marks.micro.f_score:.2f} | bag F1 {result.bag.f_score.mean:.3f}"
    )


def main(
    gold: Annotated[list[Path], typer.Argument(help="gold directories; pages of the first are tested")],
    method: str = "ngram",
    scheme: str = "aligned",
    statistic: str = "page",
    order: int | None = None,
    q: float | None = None,
    alphabet: str = "learned",
    size: int = 60,
    cased: bool = False,
    threshold: Annotated[
        list[str], typer.Option(help="bits or presets, instead of what training finds")
    ] = [],  # noqa: B006
    k: int = 5,
    raw: Annotated[str, typer.Option(help="directory with the pages: raw, or one of text dumps")] = "raw",
    unit: str = "word",
    jobs: int = 2,
) -> None:
    """Prints one line of scores for each threshold. Pages of further directories are trained on, too."""
    warnings.simplefilter("ignore", TrainingWarning)
    pairs = load_gold(gold[0], raw)
    more = [pair for folder in gold[1:] for pair in load_gold(folder)]
    wanted = threshold or ["found"]
    results: dict[str, dict[str, bytes]] = {value: {} for value in wanted}
    sink = make_sink("cleaneval")
    for fold in folds([pair.site for pair in pairs], k):
        tested = set(fold)
        sites = {pairs[page].site for page in fold}
        train = [pair for page, pair in enumerate(pairs) if page not in tested]
        train += [pair for pair in more if pair.site not in sites]
        model = None
        if method == "ngram":
            model = train_model(
                train, order=order, q=q, alphabet=alphabet, size=size, cased=cased,
                scheme=cast(Scheme, scheme), statistic=cast(Statistic, statistic),
            )  # fmt: skip
        for value in results:
            chosen = model
            if model and value != "found":
                chosen = model.with_parameters(
                    threshold=cast(Any, value) if value.isalpha() else float(value)
                )
            cleaner = None if method == "oracle" else make_method(method, chosen)
            for page in fold:
                pair = pairs[page]
                kept = oracle(pair) if cleaner is None else cleaner.keep(pair.document)
                results[value][pair.name] = sink.render(Page(b""), pair.document, kept, True)
    for value, pages in results.items():
        print(f"threshold {value:>5}  {line(scores(pages, gold[0] / 'clean', unit, jobs))}", flush=True)


if __name__ == "__main__":
    typer.run(main)
