from __future__ import annotations

import json
import os
import random
import shlex
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import TrainingError, TrainingWarning
from ncleaner.lab.commands.tune import train_command, tuning_table
from ncleaner.lab.training import Labelled, NGramOptions
from ncleaner.lab.training.counting import GramCounter, Tallies, add_tallies, two_sides
from ncleaner.lab.training.examples import Examples, score_page
from ncleaner.lab.training.hybrid import train_hybrid
from ncleaner.lab.training.ngrams import learned_alphabet, train_and_score
from ncleaner.lab.training.pairs import Pair
from ncleaner.lab.training.tuning import Shares, Trial, Tuning, _Joint, grid_sums, tune
from ncleaner.lab.training.validation import Figures
from ncleaner.methods.choice import read_ngrams
from ncleaner.modelling import Scheme
from ncleaner.modelling.alphabet import Alphabet, alphabet
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.recipe import Recipe

BIN = Path(sys.executable).parent
WORDS = "the a ferry was late this morning and nobody on pier seemed to mind river bakery loaf paper".split()
MENU = ["Home", "Contact us", "Log in", "Imprint", "Privacy policy", "© 2024 Bakery", "RSS | Print | Top"]


def page(number: int) -> tuple[str, str]:
    """HTML and gold text of a page: prose between menus."""
    draw = random.Random(number)
    prose = [
        " ".join(draw.choices(WORDS, k=draw.randint(6, 20))).capitalize() + "."
        for _ in range(draw.randint(2, 4))
    ]
    menu = "".join(f"<li><a href=/>{item}</a>" for item in draw.sample(MENU, 4))
    html = f"<ul>{menu}</ul>{''.join(f'<p>{text}</p>' for text in prose)}<div>{draw.choice(MENU)}</div>"
    return html, "\n".join(f"<p>{text}" for text in prose)


def pairs_of(pages: int, sites: int) -> list[Pair]:
    made = [page(number) for number in range(pages)]
    return [
        Pair(f"page{number:02}", dump_html(html), gold, f"site{number % sites}.test")
        for number, (html, gold) in enumerate(made)
    ]


PAIRS = pairs_of(12, 5)
SIDES: tuple[Literal["clean", "dirty"], ...] = ("clean", "dirty")


def tallies(texts: list[str], symbols: Alphabet, order: int) -> Tallies:
    counter = GramCounter(symbols, order)
    for text in texts:
        document = dump_text(text)
        counter.add(document.data, document.segments["start"], document.segments["end"])
    return counter.tallies()


TEXTS = st.lists(st.text("abÄ. e\u03010\n", max_size=30), min_size=1, max_size=3)


@given(
    clean=TEXTS,
    dirty=TEXTS,
    held_out=TEXTS,
    order=st.integers(1, 8),
    q=st.floats(0.01, 0.99),
    name=st.sampled_from(["ascii", "nonlexical", "learned"]),
    differential=st.booleans(),
)
@settings(max_examples=60)
def test_sums_are_those_of_a_model(
    clean: list[str],
    dirty: list[str],
    held_out: list[str],
    order: int,
    q: float,
    name: str,
    differential: bool,
) -> None:
    symbols = learned_alphabet(["abÄe."], size=5) if name == "learned" else alphabet(name)
    levels = two_sides(tallies(clean, symbols, 8), tallies([*clean, *dirty], symbols, 8), differential)
    # there is no model of nothing
    assume(len(levels[0].keys))
    documents = [dump_text(text) for text in held_out]
    sums, counts = grid_sums(documents, symbols, Shares.of(levels, symbols), [9 - order, order], [0.5, q])
    model = NGramModel(order, q, symbols, levels[:order])
    at = 0
    for document in documents:
        table = document.segments
        odds, characters = model.log_odds(document.data, table["start"], table["end"])
        here = slice(at, at + len(table))
        at += len(table)
        np.testing.assert_array_equal(counts[here], characters)
        for position, segment in enumerate(document):
            for number, side in enumerate(SIDES):
                # this one takes text as it is, composed or not
                values = model.log_probabilities(unicodedata.normalize("NFC", str(segment)), side)
                found = sums[number, 1, 1, here][position]
                assert found == pytest.approx(values.sum(), rel=1e-9, abs=1e-9)
        # a model's dense table has single precision
        tolerance = 1e-9 if order * symbols.bits > 21 else 1e-5
        difference = (sums[0] - sums[1])[1, 1, here]
        np.testing.assert_allclose(difference, odds, rtol=tolerance, atol=30 * tolerance)
    assert at == len(counts)


@pytest.mark.parametrize("scheme", ["aligned", "differential"])
def test_counts_without_a_fold_are_those_of_the_others(scheme: Scheme) -> None:
    examples = Examples(PAIRS, 4)
    parts = examples.tallies(alphabet("ascii"), 4, scheme)
    for fold in range(len(parts)):
        others = [part for number, part in enumerate(parts) if number != fold]
        clean, other = (add_tallies([part[side] for part in others]) for side in (0, 1))
        expected = two_sides(clean, other, scheme == "differential")
        for k, level in enumerate(expected):
            joint = _Joint([(clean_of[k], other_of[k]) for clean_of, other_of in parts])
            found = joint.without(fold, scheme == "differential")
            rows = np.searchsorted(found.keys, level.keys)
            np.testing.assert_array_equal(found.keys[rows], level.keys)
            np.testing.assert_array_equal(found.clean[rows], level.clean)
            np.testing.assert_array_equal(found.dirty[rows], level.dirty)
            assert found.clean.sum() == level.clean.sum()
            assert found.dirty.sum() == level.dirty.sum()


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["aligned", "differential"])
@pytest.mark.parametrize(("order", "q"), [(1, 0.5), (2, 0.8), (5, 0.3)])
def test_figures_are_those_of_models_trained_fold_by_fold(scheme: Scheme, order: int, q: float) -> None:
    """The same search, the long way: a model for each fold, a decision for each fold."""
    found = tune(PAIRS, orders=[order], qs=[q], alphabets=["ascii"], schemes=[scheme], k=3).trials[0]
    examples = Examples(PAIRS, 3)
    symbols = alphabet("ascii")
    parts = examples.tallies(symbols, order, scheme)
    bits = {"clean": 0.0, "dirty": 0.0}
    characters = {"clean": 0, "dirty": 0}
    scored = []
    for number, fold in enumerate(examples.folds):
        others = [part for position, part in enumerate(parts) if position != number]
        sides = [add_tallies([part[side] for part in others]) for side in (0, 1)]
        model = NGramModel(order, q, symbols, two_sides(sides[0], sides[1], scheme == "differential"))
        scored.append([score_page(examples.pairs[page], model) for page in fold])
        for position in fold:
            pair = PAIRS[position]
            for segment, clean in zip(pair.document, pair.alignment.clean, strict=True):
                side = "clean" if clean else "dirty"
                values = model.log_probabilities(str(segment), "clean" if clean else "dirty")
                bits[side] -= values.sum()
                characters[side] += len(values)
    assert found.clean_entropy == pytest.approx(bits["clean"] / characters["clean"], abs=1e-9)
    assert found.dirty_entropy == pytest.approx(bits["dirty"] / characters["dirty"], abs=1e-9)
    # training validates its models in the same way, with models in place of sums
    with_models = train_and_score(PAIRS, NGramOptions(order=order, q=q, alphabet="ascii", scheme=scheme))
    assert len(with_models.unseen) == 5
    again = tune(PAIRS, orders=[order], qs=[q], alphabets=["ascii"], schemes=[scheme]).trials[0]
    assert again.by_method["ngram"].to_dict() == with_models.model.about["validation"]
    hybrid = train_hybrid(PAIRS, ngrams=NGramOptions(order=order, q=q, alphabet="ascii", scheme=scheme))
    assert again.by_method["hybrid"].to_dict() == hybrid.about["validation"]
    assert again.figures is again.by_method["hybrid"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ncleaner.errors.TrainingWarning")
def test_figures_do_not_depend_on_jobs_or_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    def search(jobs: int) -> Tuning:
        return tune(PAIRS, orders=[1, 3], qs=[0.9, 0.3], schemes=["aligned", "differential"], jobs=jobs)

    one = search(1)
    assert one.to_dict() == search(2).to_dict()
    monkeypatch.setattr("ncleaner.lab.training.tuning._CHUNK", 1)
    assert [t.by_method for t in search(1).trials] == [t.by_method for t in one.trials]
    assert [(t.alphabet, t.scheme, t.order, t.q) for t in one.trials[:5]] == [
        ("ascii", "aligned", 1, 0.3),
        ("ascii", "aligned", 1, 0.9),
        ("ascii", "aligned", 3, 0.3),
        ("ascii", "aligned", 3, 0.9),
        ("ascii", "differential", 1, 0.3),
    ]


def test_what_can_be_cleaned_is() -> None:
    tuning = tune(PAIRS, orders=[2], qs=[0.5], alphabets=["learned"])
    assert min(figures.f_score for figures in tuning.best.by_method.values()) > 0.95
    assert 0 < tuning.best.clean_entropy < 5


def test_progress_counts_scoring_and_judging() -> None:
    seen: list[tuple[int, int]] = []
    tune(
        PAIRS,
        orders=[1, 2],
        qs=[0.5],
        alphabets=["ascii", "nonlexical"],
        k=2,
        progress=lambda *step: seen.append(step),
    )
    assert seen == [(done, 8) for done in range(1, 9)]


def trial(order: int, q: float, f_score: float, name: str = "ascii", error: float | None = 0.01) -> Trial:
    figures = Figures(f_score, f_score, f_score, error, error, error)
    return Trial(name, "aligned", order, q, 3.0, 4.0, figures, {"hybrid": figures, "ngram": figures})


def of(*trials: Trial) -> Tuning:
    return Tuning(trials, 12, 5, 5, "page")


def test_within_one_standard_error_the_smaller_n_then_the_q_nearest_to_the_default() -> None:
    assert of(trial(3, 0.8, 0.9), trial(2, 0.1, 0.895)).best.order == 2
    assert of(trial(3, 0.8, 0.9), trial(2, 0.1, 0.885)).best.order == 3
    # the error of the best counts, not that of others
    assert of(trial(3, 0.8, 0.9), trial(2, 0.1, 0.885, error=0.1)).best.order == 3
    assert of(trial(3, 0.8, 0.9, error=None), trial(2, 0.1, 0.899)).best.order == 3
    assert of(trial(2, 0.1, 0.9), trial(2, 0.7, 0.899), trial(2, 0.95, 0.9)).best.q == 0.7
    # equally far, and level: the better one, then the first
    assert of(trial(2, 0.9, 0.899), trial(2, 0.7, 0.9)).best.q == 0.7
    assert of(trial(2, 0.5, 0.9, "learned"), trial(2, 0.5, 0.9)).best.alphabet == "learned"


def test_the_defaults_go_before_all_that_are_level() -> None:
    default = trial(2, 0.8, 0.895, "learned")
    found = of(trial(1, 0.8, 0.9, "learned"), default)
    assert found.best is default and found.is_default(default) and len(found.level) == 2
    assert found.to_dict()["level"] == 2
    assert "cannot tell 2 of the 2 combinations apart" in " ".join(tuning_table(found).split())
    worse = of(trial(1, 0.8, 0.9, "learned"), trial(2, 0.8, 0.88, "learned"))
    assert worse.best.order == 1
    assert "All others are worse by more than its standard error" in " ".join(tuning_table(worse).split())
    smaller = of(trial(3, 0.8, 0.9), trial(1, 0.8, 0.899))
    assert "the one with the smallest n" in " ".join(tuning_table(smaller).split())


def test_render_is_plain_text_with_the_best_first() -> None:
    text = tuning_table(
        of(*(trial(n, q, 0.8 + n / 100 + q / 10) for n in (1, 2, 3) for q in (0.1, 0.5, 0.8, 0.9)))
    )
    assert max(map(len, text.splitlines())) <= 100
    lines = text.splitlines()
    assert lines[0] == "12 pages of 5 sites, 5-fold cross-validation by site, for the method hybrid."
    row = ["ascii", "aligned", "3", "0.9", *["92.00"] * 3, "1.00", "92.00", "3.000", "4.000"]
    assert lines[5].split() == row
    # ten rows, and not an eleventh
    assert lines[15] == ""
    assert "      3  84.00  88.00  91.00  92.00" in lines


def test_pages_that_cannot_be_tuned_on() -> None:
    with pytest.raises(TrainingError, match="no pages"):
        tune([])
    with pytest.raises(TrainingError, match="only one page"):
        tune(PAIRS[:1])
    with (
        pytest.warns(TrainingWarning, match="only 4 pages"),
        pytest.raises(TrainingError, match="at least two sites"),
    ):
        tune(pairs_of(4, 1))
    same = [Pair(name, dump_html("<p>Some words."), "Some words.", name) for name in "abcdefghijkl"]
    with pytest.raises(TrainingError, match="no dirty segment"):
        tune(same)
    foreign = [
        Pair(name, dump_html("<p>Some words."), "Quite another text stood here.", name) for name in "ab"
    ]
    with pytest.raises(TrainingError, match="do not belong together"):
        tune(foreign)
    for orders, qs in (([9], [0.5]), ([2], [1.5])):
        with pytest.raises(ValueError, match="must be"):
            tune(PAIRS, orders=orders, qs=qs)


def test_pages_without_text_are_no_obstacle() -> None:
    empty = Pair("empty", dump_html("<script>1</script>"), "", "empty.test")
    with pytest.warns(TrainingWarning, match="1 clean file is empty"):
        tuning = tune([*PAIRS, empty], orders=[2], qs=[0.5], alphabets=["ascii"], k=6)
    assert tuning.pages == 13


def test_folds_without_clean_text_are_no_obstacle() -> None:
    """What is learned from dirty text alone is little, but no division by nothing."""
    menus = [Pair(f"menu{n}", dump_html(f"<p>{MENU[n]}"), "", "menu.test") for n in range(3)]
    with pytest.warns(TrainingWarning):
        tuning = tune([*menus, *PAIRS[:1]], orders=[1, 3], qs=[0.5], alphabets=["ascii"])
    assert np.isfinite([[t.clean_entropy, t.dirty_entropy, t.figures.f_score] for t in tuning.trials]).all()


# the command line ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("my pages")
    (base / "raw").mkdir()
    (base / "clean").mkdir()
    lines = []
    for number in range(12):
        html, gold = page(number)
        (base / "raw" / f"p{number:02}.html").write_text(html, "utf-8")
        (base / "clean" / f"p{number:02}.txt").write_text(gold, "utf-8")
        lines.append(json.dumps({"id": f"p{number:02}", "url": f"http://site{number % 5}.test/"}))
    (base / "sites.jsonl").write_text("\n".join(lines))
    return base


def run(*command: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_command_prints_tables_and_a_command_that_trains_the_best(folder: Path, tmp_path: Path) -> None:
    where = ["--raw", folder / "raw", "--clean", folder / "clean", "--manifest", folder / "sites.jsonl"]
    options = [
        "-n",
        "1",
        "-n",
        "3",
        "--q",
        "0.5",
        "--q",
        "0.8",
        "--alphabet",
        "learned",
        "--alphabet",
        "ascii",
    ]
    more = ["--alphabet-size", "20", "--cased", "--statistic", "segment", "--scheme", "differential"]
    result = run("ncleaner", "tune", *where, *options, *more, "--json", "all.json", "--quiet", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "ncleaner:" not in result.stderr
    assert "12 pages of 5 sites" in result.stdout
    assert (tmp_path / "tune.svg").stat().st_size > 1000
    figures = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert len(figures["trials"]) == 8
    assert figures["statistic"] == "segment"

    command = result.stdout.splitlines()[-1]
    assert command == figures["command"]
    # as printed, by a shell
    trained = run("sh", "-c", command, cwd=tmp_path)
    assert trained.returncode == 0, trained.stderr
    model = read_ngrams(tmp_path / "tune.ncm")
    best = figures["best"]
    assert (model.order, model.q, model.alphabet.name) == (best["order"], best["q"], best["alphabet"])
    assert model.decision.statistic == "segment"
    assert model.about["training"]["scheme"] == best["scheme"] == "differential"
    assert model.about["training"]["sites"] == 5


@pytest.mark.slow
def test_output_is_the_same_from_any_number_of_jobs(folder: Path, tmp_path: Path) -> None:
    where = [
        "--raw",
        "raw",
        "--clean",
        "clean",
        "--manifest",
        "sites.jsonl",
        "--alphabet",
        "ascii",
        "-n",
        "2",
    ]
    runs = []
    for jobs in "12":
        prefix = tmp_path / "figures.svg"
        result = run("ncleaner", "tune", *where, "-j", jobs, "-o", prefix, cwd=folder)
        assert result.returncode == 0, result.stderr
        runs.append((result.stdout, prefix.read_bytes()))
    assert runs[0] == runs[1]
    assert shlex.quote(str(tmp_path / "figures.ncm")) in runs[0][0]


@pytest.mark.slow
def test_command_says_what_is_wrong(folder: Path, tmp_path: Path) -> None:
    where = ["--raw", folder / "raw", "--clean", folder / "clean"]
    result = run("ncleaner", "tune", *where, "-o", "nowhere/tune", cwd=tmp_path)
    assert result.returncode == 1
    assert "make the directory nowhere first" in result.stderr
    result = run("ncleaner", "tune", *where, "--q", "1.5", cwd=tmp_path)
    assert result.returncode == 2
    assert "q must be a number from" in result.stderr
    (tmp_path / "raw").mkdir()
    result = run("ncleaner", "tune", "--raw", "raw", "--clean", folder / "clean", cwd=tmp_path)
    assert result.returncode == 1
    assert "matched by name" in result.stderr
    assert not list(tmp_path.glob("tune.*"))


def test_train_command_names_all_that_matters() -> None:
    command = train_command(
        of(trial(3, 0.95, 0.9, "learned")),
        Labelled(raw=Path("my pages"), clean=Path("gold")),
        NGramOptions(size=100, cased=True),
        Recipe(encoding="koi8-r"),
        Path("x.ncm"),
    )
    assert command == (
        "ncleaner train --raw 'my pages' --clean gold --encoding koi8-r --order 3 --q 0.95 --alphabet learned "
        "--alphabet-size 100 --cased --scheme aligned --statistic page --output x.ncm"
    )
