"""Cross-validated accuracy on gold data, no registered domain on both sides.

    python bench/crossval.py GOLD_DIR [--method ngram] [--scheme aligned] [--order 3] [--q 0.5] …

GOLD_DIR holds manifest.jsonl, raw/ID.html and clean/ID.txt. Prints CleanEval's word and segmentation scores
and the multiset word F1 over all pages, each cleaned by a model that has seen no page of its domain.
"""

from __future__ import annotations

import json
import random
import tempfile
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import tldextract
import typer

from ncleaner.align import align
from ncleaner.dump import dump_html
from ncleaner.evaluate import evaluate
from ncleaner.methods import Kept, make_method
from ncleaner.page import Page
from ncleaner.sinks import make_sink
from ncleaner.textdump import dump_text
from ncleaner.train import Pair, Scheme
from ncleaner.train import train as train_model

_domains = tldextract.TLDExtract(suffix_list_urls=())


def registered_domain(url: str) -> str:
    """The registered domain of a URL, by the public suffix list; the host itself where it has none."""
    parts = _domains(url)
    return parts.top_domain_under_public_suffix or parts.fqdn or url


def load_gold(folder: Path, raw: str = "raw") -> list[tuple[str, Pair]]:
    """(registered domain, pair) of every page of a gold directory, in manifest order."""
    pairs = []
    for line in (folder / "manifest.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        gold = (folder / "clean" / f"{entry['id']}.txt").read_text("utf-8", "replace")
        text = folder / raw / f"{entry['id']}.txt"
        if text.exists():
            document = dump_text(text.read_bytes())
        else:
            document = dump_html((folder / raw / f"{entry['id']}.html").read_bytes())
        pairs.append((registered_domain(entry["url"] or entry["id"]), Pair(entry["id"], document, gold)))
    return pairs


def folds(domains: list[str], k: int, seed: int = 0) -> list[list[int]]:
    """k lists of page numbers; a domain stands in one of them only."""
    names = sorted(set(domains))
    random.Random(seed).shuffle(names)
    home = {name: position % k for position, name in enumerate(names)}
    return [[page for page, domain in enumerate(domains) if home[domain] == fold] for fold in range(k)]


def main(
    gold: Annotated[list[Path], typer.Argument(help="gold directories; pages of the first are tested")],
    method: str = "ngram",
    scheme: str = "aligned",
    order: int = 3,
    q: float = 0.5,
    alphabet: str = "ascii",
    threshold: Annotated[list[float], typer.Option(help="instead of the one that training finds")] = [],  # noqa: B006
    k: int = 5,
    raw: Annotated[str, typer.Option(help="directory with the pages: raw, or one of text dumps")] = "raw",
    unit: str = "word",
    jobs: int = 2,
    everything_of_others: Annotated[bool, typer.Option(help="train on the further directories whole")] = True,
) -> None:
    """Prints one line of scores for each threshold."""
    loaded = load_gold(gold[0], raw)
    more = [entry for folder in gold[1:] for entry in load_gold(folder, raw)]
    pairs = [pair for _, pair in loaded]
    alignments = (
        {id(pair): align(pair.document, pair.gold) for _, pair in loaded + more} if scheme == "oracle" else {}
    )
    wanted: list[float | None] = [*threshold] if threshold else [None]
    results: dict[float | None, dict[str, bytes]] = {value: {} for value in wanted}
    sink = make_sink("cleaneval")
    for fold in folds([domain for domain, _ in loaded], k):
        tested = set(fold)
        hosts = {loaded[page][0] for page in fold}
        train = [pair for page, pair in enumerate(pairs) if page not in tested]
        train += [pair for domain, pair in more if domain not in hosts]
        model = None
        if method == "ngram":
            model = train_model(train, order=order, q=q, alphabet=alphabet, scheme=_scheme(scheme))
        for value in results:
            cleaner = make_method(method, model.with_parameters(threshold=value) if model else None)
            for page in fold:
                pair = pairs[page]
                kept = (
                    Kept(np.nan_to_num(alignments[id(pair)].matched, nan=0.0) >= 0.5)
                    if scheme == "oracle"
                    else cleaner.keep(pair.document)
                )
                results[value][pair.name] = sink.render(Page(b""), pair.document, kept, True)
    for value in results:
        scores = _scores(results[value], gold[0] / "clean", unit, jobs)
        print(f"threshold {'auto ' if value is None else f'{value:+.2f}'}  {scores}", flush=True)


def _scheme(name: str) -> Scheme:
    return "differential" if name == "differential" else "aligned"


def _scores(pages: dict[str, bytes], gold: Path, unit: Any, jobs: int) -> str:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in pages.items():
            (Path(folder) / f"{name}.txt").write_bytes(text)
        result = evaluate(folder, gold, unit=unit, jobs=jobs)
    micro, macro = result.words.micro, result.words.macro
    marks = result.marks.micro
    return (
        f"P {micro.precision:.2f} R {micro.recall:.2f} F {micro.f_score:.2f}"
        f" | macro P {macro.precision.mean:.2f} R {macro.recall.mean:.2f} F {macro.f_score.mean:.2f}"
        f" | segmentation {marks.f_score:.2f} | bag F1 {result.bag.f_score.mean:.3f}"
    )


if __name__ == "__main__":
    typer.run(main)
