from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ncleaner.document.html import dump_html
from ncleaner.errors import EvaluationError
from ncleaner.methods.choice import make_method, ngrams_by_page, read_ngrams
from ncleaner.people.evaluating import precision_recall
from ncleaner.people.evaluation import curve_table
from ncleaner.people.program import app
from ncleaner.training.pairs import Pair, read_pairs

EXAMPLES = Path(__file__).parents[2] / "examples"
PAIRS = read_pairs(EXAMPLES / "pages", EXAMPLES / "gold")


def test_a_curve_falls_from_recall_to_precision() -> None:
    curve = precision_recall(PAIRS, ngrams_by_page("nonlexical"))
    points = curve.points
    assert curve.pages == len(PAIRS)
    thresholds = [point.threshold for point in points if point.threshold is not None]
    assert thresholds == sorted(set(thresholds)) and len(thresholds) == len(points)
    assert all(a.recall >= b.recall and a.kept >= b.kept for a, b in pairwise(points))
    assert points[0].recall > 0.98 and points[0].kept > 0.9
    assert points[-1].precision > points[0].precision and points[-1].kept < 0.1
    assert {point.preset for point in points} == {"", "precision", "recall", "balanced"}


def test_a_point_is_what_the_method_keeps() -> None:
    model = read_ngrams("en")
    curve = precision_recall(PAIRS, lambda _: model)
    balanced = next(point for point in curve.points if point.preset == "balanced")
    method = make_method("ngram", model)
    kept = [(pair, method.keep(pair.document).mask) for pair in PAIRS]
    words = sum(int(pair.alignment.words[mask].sum()) for pair, mask in kept)
    # what is not shown at first is no text of the page here: n-grams never keep it
    shown = sum(int(pair.alignment.words[pair.document.visible].sum()) for pair in PAIRS)
    assert shown < sum(int(pair.alignment.words.sum()) for pair in PAIRS)
    assert balanced.kept == pytest.approx(words / shown)
    assert f"{balanced.threshold:>+9.2f}" in curve_table(curve)


def test_nothing_to_draw() -> None:
    with pytest.raises(EvaluationError, match="no words"):
        precision_recall([Pair("x", dump_html(""), "")], ngrams_by_page("auto"))


@pytest.mark.slow
def test_command_line(tmp_path: Path) -> None:
    arguments = ["evaluate", str(EXAMPLES / "pages"), str(EXAMPLES / "gold"), "--curve", str(tmp_path / "pr")]
    result = CliRunner().invoke(app, [*arguments, "--model", "nonlexical"])
    assert result.exit_code == 0
    assert "balanced" in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pr.svg"]
    found = json.loads(CliRunner().invoke(app, [*arguments, "--json", "--quiet"]).stdout)
    assert found["model"] == "de, el, en, nonlexical, pl, ru, zh" and len(found["points"]) > 20
