"""The accuracy gate: no change may make the cleaning of the example pages worse than these floors.

Raising a floor is easy; lowering one must be said in the commit that does it. The pages are the project's
own, and no shipped model has seen them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ncleaner.cleaner import Cleaner
from ncleaner.dumping.html import dump_html
from ncleaner.lab.scoring.evaluation import evaluate
from ncleaner.lab.training.hybrid import train
from ncleaner.lab.training.pairs import Pair
from ncleaner.modelling import Scheme, Statistic
from ncleaner.page import Page
from ncleaner.reading.archive import read
from ncleaner.sinks.formats import Output
from ncleaner.text.hosts import registered_domain

EXAMPLES = Path(__file__).parent.parent / "examples"
FLOOR: dict[str, dict[str, float]] = json.loads((Path(__file__).parent / "accuracy_floor.json").read_text())
MANIFEST = [json.loads(line) for line in (EXAMPLES / "manifest.jsonl").read_text("utf-8").splitlines()]
PAGES = {item.url: item for item in read(EXAMPLES / "crawl.warc.gz") if isinstance(item, Page)}


def scores(cleaners: dict[str, Cleaner], folder: Path) -> dict[str, float]:
    """Of the pages cleaned by the cleaner under their id."""
    sink = Output(format="cleaneval").sink()
    for entry in MANIFEST:
        if entry["id"] in cleaners:
            document, kept = cleaners[entry["id"]].page(PAGES[entry["url"]])
            (folder / f"{entry['id']}.gold").write_bytes(sink.render(Page(b""), document, kept, True))
    result = evaluate(folder, EXAMPLES / "gold")
    return {
        "precision": result.words.micro.precision,
        "recall": result.words.micro.recall,
        "f": result.words.micro.f_score,
        "segmentation": result.marks.micro.f_score,
        "bag": result.bag.f_score.mean,
    }


def shipped(model: str, languages: set[str] | None = None, method: str = "ngram") -> dict[str, Cleaner]:
    cleaner = Cleaner(method, model)
    return {entry["id"]: cleaner for entry in MANIFEST if languages is None or entry["lang"] in languages}


def crossvalidated(scheme: Scheme, statistic: Statistic = "page") -> dict[str, Cleaner]:
    """Each page by a model trained on the others: they are all of different sites, in several languages."""
    documents = {
        entry["id"]: Pair(
            entry["id"],
            dump_html(PAGES[entry["url"]].body, content_type=entry["content_type"]),
            (EXAMPLES / "gold" / f"{entry['id']}.gold").read_text("utf-8"),
            registered_domain(entry["url"]),
        )
        for entry in MANIFEST
    }
    return {
        held_out: Cleaner(
            "ngram",
            train(
                [pair for name, pair in documents.items() if name != held_out],
                method="ngram",
                scheme=scheme,
                statistic=statistic,
                alphabet="nonlexical",
            ),
        )
        for held_out in documents
    }


SHIPPED: dict[str, Callable[[], dict[str, Cleaner]]] = {
    "everything": lambda: {entry["id"]: Cleaner("everything") for entry in MANIFEST},
    "heuristics-only": lambda: {entry["id"]: Cleaner("heuristics-only") for entry in MANIFEST},
    "en on English": lambda: shipped("en", {"en"}),
    "nonlexical on all": lambda: shipped("nonlexical"),
    "hybrid, en on English": lambda: shipped("en", {"en"}, "hybrid"),
    "hybrid, auto on all": lambda: shipped("auto", method="hybrid"),
    "victor on English": lambda: shipped("victor", {"en"}, "victor"),
}
TRAINED: dict[str, Callable[[], dict[str, Cleaner]]] = {
    "segment by segment": lambda: crossvalidated("aligned", statistic="segment"),
    "trained here, aligned": lambda: crossvalidated("aligned"),
    "trained here, differential": lambda: crossvalidated("differential"),
}


@pytest.mark.untraced
@pytest.mark.parametrize("case", SHIPPED)
def test_shipped_models_are_not_worse_than_the_floor(case: str, tmp_path: Path) -> None:
    check(case, SHIPPED[case](), tmp_path)


@pytest.mark.untraced
@pytest.mark.parametrize("case", TRAINED)
def test_training_is_not_worse_than_the_floor(case: str, tmp_path: Path) -> None:
    check(case, TRAINED[case](), tmp_path)


def check(case: str, cleaners: dict[str, Cleaner], folder: Path) -> None:
    found = scores(cleaners, folder)
    worse = {
        name: f"{found[name]:.2f} < {floor:.2f}"
        for name, floor in FLOOR.get(case, {}).items()
        if found[name] < floor
    }
    print(case, {name: round(value, 2) for name, value in found.items()})
    assert case in FLOOR
    assert not worse
