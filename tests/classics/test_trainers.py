"""The models of FIASCO and of lines, trained on made-up pages."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from ncleaner.classics.fiasco import Fiasco
from ncleaner.classics.line_tree import Lines, line_features
from ncleaner.classics.trainers import model_of_tree, train_fiasco, train_lines
from ncleaner.dumping.html import dump_html
from ncleaner.errors import TrainingError
from ncleaner.lab.training.pairs import Pair
from ncleaner.modelling.container import ModelFile

pytest.importorskip("sklearn")

PROSE = "The harbour board of town {0} has decided that ferry {0} will sail until the end of May, in all weathers."
TRAINERS: list[Callable[[Sequence[Pair]], ModelFile]] = [train_fiasco, train_lines]


def pair(number: int, gold: str | None = None) -> Pair:
    menu = "".join(f"<li><a href=/{n}>Home {n}</a>" for n in range(8))
    prose = PROSE.format(number)
    page = f"<ul>{menu}</ul><div><h2>Ferry {number}</h2><p>{prose}</p><p>{prose}</p></div>"
    return Pair(
        str(number),
        dump_html(page),
        gold or f"<h>Ferry {number}\n<p>{prose}\n<p>{prose}\n",
        f"{number}.example",
    )


PAIRS = [pair(number) for number in range(30)]


def test_fiasco_learns_the_menu() -> None:
    model = train_fiasco(PAIRS)
    document = pair(99).document
    assert np.flatnonzero(Fiasco(model).keep(document).mask).tolist() == [8, 9, 10]
    assert model.keywords[0] == "home"
    assert model.about["training"] == {"pages": 30, "sites": 30, "nodes": 330, "c": 1.0}


def test_lines_learn_kinds() -> None:
    model = train_lines(PAIRS, leaf=5)
    found = Lines(model).keep(pair(99).document)
    assert found.marks is not None and bytes(found.marks[found.mask]) == b"hpp"


def test_the_tree_is_the_trainers() -> None:
    """Judging gives what scikit-learn predicts, also where a value is at a test's boundary."""
    from sklearn.tree import DecisionTreeClassifier

    generator = np.random.default_rng(1)
    rows = np.concatenate([line_features(each.document) for each in PAIRS])
    rows[:, 0] = generator.integers(0, 40, len(rows)) / 3
    labels = (rows[:, 0] * 3 % 7).astype(int) % 4
    tree = DecisionTreeClassifier(random_state=0).fit(rows, labels)
    assert model_of_tree(tree, {}).judge(rows).tolist() == tree.predict(rows).tolist()


@pytest.mark.parametrize("train", TRAINERS)
def test_the_same_pages_give_the_same_bytes(train: Callable[[Sequence[Pair]], ModelFile]) -> None:
    assert train(PAIRS).to_bytes() == train(PAIRS).to_bytes()


@pytest.mark.parametrize("train", TRAINERS)
def test_nothing_to_learn(train: Callable[[Sequence[Pair]], ModelFile]) -> None:
    with pytest.raises(TrainingError, match="no pages"):
        train([])
    with warnings.catch_warnings(), pytest.raises(TrainingError, match="nothing to learn"):
        warnings.simplefilter("ignore")
        # all text is clean, and of one kind
        train([Pair(str(n), dump_html(f"<p>{PROSE.format(n)}"), PROSE.format(n)) for n in range(12)])


@pytest.mark.parametrize("train", TRAINERS)
def test_without_the_trainer(
    train: Callable[[Sequence[Pair]], ModelFile], monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(TrainingError, match=r"needs scikit-learn: pip install 'ncleaner\[train\]'"):
        train(PAIRS)
