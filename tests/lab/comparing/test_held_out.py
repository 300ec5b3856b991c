from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ncleaner.errors import TrainingError
from ncleaner.lab.comparing import comparison
from ncleaner.lab.comparing.comparison import compare, train_folds
from ncleaner.lab.comparing.gold import GoldSet, read_gold
from ncleaner.lab.training.hybrid import train
from ncleaner.lab.training.pairs import Pair
from ncleaner.methods.choice import load_model

from ...structures import grow_small_forests, page_html, paragraphs
from .gold_dirs import run_here, write


@pytest.fixture
def gold(tmp_path: Path) -> GoldSet:
    numbers = range(12)
    entries = [{"id": f"{number:02}", "url": f"http://s{number % 6}.example/"} for number in numbers]
    pages = {f"{number:02}": page_html(number) for number in numbers}
    texts = {f"{number:02}": "\n".join(paragraphs(number)) for number in numbers}
    return read_gold(write(tmp_path / "gold", entries, pages, texts), limit=5, pairs=True)


def test_no_site_is_on_both_sides(gold: GoldSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trained: list[set[str]] = []
    steps: list[tuple[int, int]] = []

    def seen(pairs: Sequence[Pair], **options: Any) -> Any:
        trained.append({pair.site for pair in pairs})
        return train(pairs, **options)

    monkeypatch.setattr(comparison, "train", seen)
    names = ["bte", "ngram", "trafilatura", "density"]
    found = train_folds(
        names, gold.pairs, 3, tmp_path, progress=lambda done, total: steps.append((done, total))
    )
    assert list(found) == ["ngram", "density"] and steps == [(1, 3), (2, 3), (3, 3)]
    folds = found["ngram"]
    # which is trained once for both
    assert found["density"] is folds
    assert not isinstance(folds, TrainingError)
    sites = {pair.name: pair.site for pair in gold.pairs}
    assert sorted(name for fold in folds for name in fold.pages) == sorted(sites)
    for fold, others in zip(folds, trained, strict=True):
        assert others and others.isdisjoint(sites[name] for name in fold.pages)
        assert load_model(fold.model).KIND == "ngram"


def test_one_site(gold: GoldSet, tmp_path: Path) -> None:
    found = train_folds(["ngram"], [gold.pairs[0], gold.pairs[6]], 5, tmp_path)
    assert "all pages are of one site" in str(found["ngram"])


def test_a_comparison_with_folds(gold: GoldSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncleaner.lab.comparing.comparison.run", run_here)
    names = ["ngram", "everything"]
    result = compare(gold, names, held_out=train_folds(names, gold.pairs, 3, tmp_path))
    ngram, everything = result.tools
    assert (ngram.held_out, ngram.sources, everything.held_out) == (3, (), 0)
    assert [page.name for page in ngram.pages] == [page.name for page in gold.pages]
    assert result.bag(ngram).mean > result.bag(everything).mean

    def cannot(pairs: object, **options: object) -> None:
        raise TrainingError("needs a package")

    monkeypatch.setattr(comparison, "train", cannot)
    result = compare(gold, names, held_out=train_folds(names, gold.pairs, 3, tmp_path))
    assert [(tool.tool.name, tool.reason) for tool in result.not_run] == [("ngram", "needs a package")]


def test_a_page_that_is_in_no_fold(gold: GoldSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncleaner.lab.comparing.comparison.run", run_here)
    # as a page is that is too large to be dumped
    models = train_folds(["ngram"], [pair for pair in gold.pairs if pair.name != "00"], 3, tmp_path)
    [ngram] = compare(gold, ["ngram"], held_out=models).tools
    assert ngram.pages[0].name == "00" and len(ngram.pages) == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "package"),
    [("hybrid", "lightgbm"), ("victor", "pycrfsuite"), ("fiasco", "sklearn"), ("lines", "sklearn")],
)
def test_all_kinds_of_model(
    method: str, package: str, gold: GoldSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip(package, reason=f"{package} is not installed")
    grow_small_forests(monkeypatch)
    folds = train_folds([method], gold.pairs, 2, tmp_path)[method]
    assert not isinstance(folds, TrainingError) and len(folds) == 2
    for fold in folds:
        assert method == load_model(fold.model).KIND
