"""Cross-validated accuracy on gold data, no registered domain on both sides.

    python -m bench.crossval GOLD_DIR [--method ngram] [--alphabet learned] [--order 3] [--q 0.5] …
    python -m bench.crossval GOLD_DIR --method hybrid [--structure own] [--without names] …
    python -m bench.crossval GOLD_DIR --method victor [--c2 1] [--without position] …

GOLD_DIR holds manifest.jsonl, raw/ID.html and clean/ID.txt. Prints CleanEval's word and segmentation scores
and the multiset word F1 over all pages, each cleaned by a model that has seen no page of its domain; and that
F1 for each kind of page, where the manifest tells.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any, cast

import numpy as np
import typer

from ncleaner.classics.trainers import train_victor
from ncleaner.document.kept import Kept
from ncleaner.errors import TrainingWarning
from ncleaner.lab.scoring.evaluation import Evaluation, evaluate
from ncleaner.lab.scoring.measures import bag_overlap
from ncleaner.lab.training import NGramOptions
from ncleaner.lab.training.examples import folds
from ncleaner.lab.training.hybrid import train as train_model
from ncleaner.lab.training.hybrid import train_hybrid
from ncleaner.lab.training.pairs import Pair, read_pairs
from ncleaner.methods.registry import entry_of
from ncleaner.modelling import Scheme, Statistic
from ncleaner.modelling.container import ModelFile
from ncleaner.page import Page
from ncleaner.sinks.formats import Output


def load_gold(folder: Path, raw: str = "raw") -> list[Pair]:
    """The pages of a gold directory, by name; `raw` is the directory with the pages or dumps."""
    return read_pairs(folder / raw, folder / "clean", manifest=folder / "manifest.jsonl")


def page_types(manifest: Path) -> dict[str, str]:
    """{name: kind of page} where a manifest tells."""
    entries = map(json.loads, filter(str.strip, manifest.read_text("utf-8").splitlines()))
    return {entry["id"]: entry.get("page_type") or "" for entry in entries}


def by_kind(pages: dict[str, bytes], gold: Path, kinds: dict[str, str], unit: Any = "word") -> str:
    """The mean bag F1 of each kind of page, in one line."""
    found = defaultdict(list)
    for name, text in pages.items():
        found[kinds.get(name, "")].append(
            bag_overlap(text, (gold / f"{name}.txt").read_bytes(), unit).f_score / 100
        )
    return "  " + "  ".join(f"{kind} {np.mean(values):.3f}" for kind, values in sorted(found.items()))


def oracle(pair: Pair) -> Kept:
    """The best that can be had with whole segments."""
    return Kept(pair.alignment.clean)


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
        f" | segmentation {result.marks.micro.f_score:.2f} | bag F1 {result.bag.f_score.mean / 100:.3f}"
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
    structure: Annotated[
        str,
        typer.Option(
            help="hybrid: `own` trains a structure model on the training pages, `shipped` takes the package's"
        ),
    ] = "own",
    c1: float = 0.3,
    c2: float = 0.5,
    window: Annotated[int, typer.Option(help="victor: neighbours to either side")] = 3,
    without: Annotated[list[str], typer.Option(help="hybrid, victor: features to leave out")] = [],  # noqa: B006
    most: Annotated[int | None, typer.Option(help="train on so many pages at most, evenly spread")] = None,
    k: int = 5,
    raw: Annotated[str, typer.Option(help="directory with the pages: raw, or one of text dumps")] = "raw",
    unit: str = "word",
    jobs: int = 2,
) -> None:
    """Prints one line of scores for each threshold. Pages of further directories are trained on, too."""
    warnings.simplefilter("ignore", TrainingWarning)
    pairs = load_gold(gold[0], raw)
    more = [pair for folder in gold[1:] for pair in load_gold(folder)]
    kinds_of_page = page_types(gold[0] / "manifest.jsonl")
    wanted = threshold or ["found"]
    results: dict[str, dict[str, bytes]] = {value: {} for value in wanted}
    sink = Output(format="cleaneval").sink()
    for fold in folds([pair.site for pair in pairs], k):
        tested = set(fold)
        sites = {pairs[page].site for page in fold}
        train = [pair for page, pair in enumerate(pairs) if page not in tested]
        train += [pair for pair in more if pair.site not in sites]
        if most is not None:
            train = train[:: -(-len(train) // most)]
        model: ModelFile | None = None
        if method == "hybrid":
            model = train_hybrid(
                train,
                structure=cast(Any, structure),
                without=without,
                threads=jobs,
                ngrams=NGramOptions(order=order, q=q, alphabet=alphabet, size=size, cased=cased),
            )
        if method == "victor":
            model = train_victor(train, c1=c1, c2=c2, window=window, without=without)
        if method == "ngram":
            model = train_model(
                train, method="ngram", order=order, q=q, alphabet=alphabet, size=size, cased=cased,
                scheme=cast(Scheme, scheme), statistic=cast(Statistic, statistic),
            )  # fmt: skip
        for value in results:
            chosen = model
            if isinstance(model, ModelFile) and value != "found":
                chosen = model.with_threshold(cast(Any, value) if value.isalpha() else float(value))
            cleaner = None if method == "oracle" else entry_of(method).make(chosen)
            for page in fold:
                pair = pairs[page]
                kept = oracle(pair) if cleaner is None else cleaner.keep(pair.document)
                results[value][pair.name] = sink.render(Page(b""), pair.document, kept, True)
    for value, pages in results.items():
        print(f"threshold {value:>5}  {line(scores(pages, gold[0] / 'clean', unit, jobs))}", flush=True)
        if any(kinds_of_page.values()):
            print(by_kind(pages, gold[0] / "clean", kinds_of_page, unit), flush=True)


if __name__ == "__main__":
    typer.run(main)
