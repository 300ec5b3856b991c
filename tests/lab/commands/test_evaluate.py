"""`ncleaner evaluate` on pages that it cleans itself, its standard errors and its page."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from typer.testing import CliRunner

from ncleaner import Cleaner
from ncleaner.cli.program import app
from ncleaner.document.tables import ZONES
from ncleaner.dumping.html import dump_html
from ncleaner.errors import EvaluationError
from ncleaner.lab.commands.curves import curve_table, precision_recall, precision_recall_of
from ncleaner.lab.commands.evaluating import (
    convention_table,
    errors_sentence,
    evaluation_page,
    evaluation_table,
    worst_pages,
)
from ncleaner.lab.scoring.evaluation import evaluate
from ncleaner.lab.training.conventions import ZoneUse
from ncleaner.lab.training.pairs import Pair, read_pairs
from ncleaner.methods.choice import ngrams_by_page, read_ngrams
from ncleaner.methods.registry import entry_of

from ...cli.test_app import EXAMPLES, ncleaner
from ..explaining.test_drawing import Seen
from ..scoring.test_evaluation import write

PAGES, GOLD = EXAMPLES / "pages", EXAMPLES / "gold"


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", [["-m", "hybrid"], ["-m", "ngram", "--model", "nonlexical"], ["--no-comments"]], ids=" ".join
)
def test_pages_are_cleaned_first(options: list[str], tmp_path: Path) -> None:
    ncleaner("clean", PAGES, "-o", tmp_path / "out", "-f", "cleaneval", "-q", *options)
    before = json.loads(ncleaner("evaluate", tmp_path / "out", GOLD, "--raw", PAGES, "--json", "-j1").stdout)
    result = ncleaner("evaluate", PAGES, GOLD, *options, "--json", "-j1")
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout) == before
    assert before["standard_errors"]["by"] == "site" and before["standard_errors"]["clusters"] == 15


@pytest.mark.slow
@pytest.mark.traced
def test_sites_by_the_names_of_files(tmp_path: Path) -> None:
    texts = {f"{name}.txt": f"<p>One and two of {name}." for name in ("a-1", "a-2", "b-1", "c")}
    for side in ("pred", "gold"):
        write(tmp_path / side, texts)
    arguments = ("evaluate", tmp_path / "pred", tmp_path / "gold", "--json", "-j1", "--site-from")
    told = json.loads(ncleaner(*arguments, r"(\w)-").stdout)["standard_errors"]
    assert (told["by"], told["clusters"], told["unknown_sites"]) == ("site", 3, 1)
    wrong = ncleaner(*arguments, "(")
    assert wrong.returncode != 0 and b"regular expression" in wrong.stderr


def test_marks_are_compared_where_the_gold_text_has_them(tmp_path: Path) -> None:
    """A mark is a word: beside a plain gold text, each would be a wrong one."""
    prose = "The ferry sails until the end of May, in all weathers."
    write(tmp_path / "pages", dict.fromkeys(("marked.html", "plain.html"), f"<h1>Late again</h1><p>{prose}"))
    write(
        tmp_path / "gold",
        {"marked.txt": f"<h>Late again\n<p>{prose}\n", "plain.txt": f"Late again\n\n{prose}\n"},
    )
    arguments = [
        "evaluate",
        *(str(tmp_path / side) for side in ("pages", "gold")),
        "-m",
        "everything",
        "--json",
        "-q",
    ]
    result = json.loads(CliRunner().invoke(app, arguments).stdout)
    assert result["words"]["micro"]["f_score"] == 100 and result["marks"]["micro"]["tp"] == 2


def test_characters_count_where_no_spaces_separate_words(tmp_path: Path) -> None:
    for side in ("pred", "gold"):
        write(tmp_path / side, {"a.txt": "島へのフェリーは月曜日から再開される。\n"})
    arguments = ["evaluate", str(tmp_path / "pred"), str(tmp_path / "gold"), "-q", "--json"]
    assert json.loads(CliRunner().invoke(app, arguments).stdout)["unit"] == "char"
    (tmp_path / "gold" / "a.txt").write_text("The ferry to 島 sails again.\n")
    assert json.loads(CliRunner().invoke(app, arguments).stdout)["unit"] == "word"
    assert json.loads(CliRunner().invoke(app, [*arguments, "--unit", "char"]).stdout)["unit"] == "char"


def test_a_gold_text_in_another_encoding_is_told(tmp_path: Path) -> None:
    """Words with other letters than those of ASCII would count as wrong without a word."""
    text = "Das Café am Hafen öffnet wieder, sagte der Wirt am Freitag, und die Fähre fährt früher.\n"
    for side, encodings in (("pred", ("utf-8", "utf-8")), ("gold", ("utf-8", "cp1252"))):
        (tmp_path / side).mkdir()
        for name, encoding in zip("ab", encodings, strict=True):
            (tmp_path / side / f"{name}.txt").write_bytes(text.encode(encoding))
    arguments = ["evaluate", str(tmp_path / "pred"), str(tmp_path / "gold"), "-q"]
    said = CliRunner().invoke(app, arguments).stderr
    assert "the gold text of b.txt is not UTF-8" in said and "`iconv -f windows-1252 -t utf-8`" in said
    (tmp_path / "gold" / "b.txt").write_text(text)
    assert "UTF-8" not in CliRunner().invoke(app, arguments).stderr


@pytest.mark.slow
def test_a_page_and_a_gold_text(tmp_path: Path) -> None:
    name = "tidepool-docs"
    result = ncleaner(
        "evaluate", PAGES / f"{name}.html", GOLD / f"{name}.gold", "-m", "hybrid", "--json", "-j1"
    )
    told = json.loads(result.stdout)
    assert told["compared"] == 1 and told["standard_errors"]["words"]["micro"]["f_score"] is None
    page, text = (PAGES / f"{name}.html").read_text(), (GOLD / f"{name}.gold").read_text()
    write(tmp_path / "pages", {f"deep/{name}.html": page, "empty.html": "", "other.html": "<p>without gold"})
    write(tmp_path / "gold", {f"deep/{name}.txt": text, "empty.txt": "nothing is left of it"})
    result = ncleaner("evaluate", tmp_path / "pages", tmp_path / "gold", "-m", "hybrid", "--json", "-j1")
    assert [page["name"] for page in json.loads(result.stdout)["pages"]] == [f"deep/{name}.txt", "empty.txt"]


@pytest.mark.slow
@pytest.mark.traced
def test_what_does_not_go_together(tmp_path: Path) -> None:
    for options in (["-m", "hybrid"], ["--model", "en"], ["--curve", "x"]):
        result = ncleaner("evaluate", PAGES, GOLD, *options, "--raw", PAGES)
        assert result.returncode == 2 and b"PRED_DIR holds the pages: leave --raw out" in result.stderr
    empty = ncleaner("evaluate", tmp_path, GOLD, "-m", "hybrid")
    assert (empty.returncode, b"no page in" in empty.stderr) == (1, True)
    assert ncleaner("evaluate", tmp_path / "none", GOLD, "-m", "hybrid").returncode == 1


def test_sites_make_standard_errors(tmp_path: Path) -> None:
    write(tmp_path / "pred", {"a.txt": "one two three", "b.txt": "one two", "c.txt": "one"})
    write(tmp_path / "gold", {f"{name}.txt": "one two three" for name in "abc"})
    alone = evaluate(tmp_path / "pred", tmp_path / "gold")
    assert (alone.errors.by, alone.errors.clusters, alone.errors.unknown) == ("page", 3, 3)
    assert "no site is known" in errors_sentence(alone.errors)
    together = evaluate(tmp_path / "pred", tmp_path / "gold", sites={"a": "x.example", "b.txt": "x.example"})
    assert (together.errors.by, together.errors.clusters, together.errors.unknown) == ("site", 2, 1)
    assert together.errors.words.micro.recall != alone.errors.words.micro.recall
    assert "2 sites" in errors_sentence(together.errors) and "1 page of unknown site" in errors_sentence(
        together.errors
    )
    one = evaluate(tmp_path / "pred", tmp_path / "gold", sites=dict.fromkeys("abc", "x.example"))
    assert one.errors.bag.f_score is None and "no standard errors" in errors_sentence(one.errors)
    assert "±" in evaluation_table(alone) and "±" not in evaluation_table(one).rpartition("\n\n")[0]
    assert max(map(len, evaluation_table(alone).splitlines())) <= 78


@pytest.mark.slow
def test_a_curve_of_the_hybrid(tmp_path: Path) -> None:
    result = ncleaner("evaluate", PAGES, GOLD, "-m", "hybrid", "--curve", tmp_path / "pr", "--json", "-q")
    told = json.loads(result.stdout)
    assert told["method"] == "hybrid" and (tmp_path / "pr.svg").exists()
    points = told["points"]
    assert [point["preset"] for point in points[-3:]] == ["balanced", "precision", "recall"]
    line = [point for point in points if point["threshold"] is not None]
    assert [point["threshold"] for point in line] == sorted(point["threshold"] for point in line)
    assert line[0]["recall"] > 0.98 and line[-1]["kept"] < 0.2
    # what the method keeps by itself is the point of its balance
    pairs = read_pairs(PAGES, GOLD)
    cleaner = Cleaner()
    masks = [cleaner.keep(pair.document).mask for pair in pairs]
    kept = sum(float(pair.alignment.words[mask].sum()) for pair, mask in zip(pairs, masks, strict=True))
    assert points[-3]["kept"] == pytest.approx(
        kept / sum(float(pair.alignment.words.sum()) for pair in pairs)
    )


@pytest.mark.slow
def test_the_curve_of_a_report_is_that_of_its_method(tmp_path: Path) -> None:
    """Without --method, too, where only the model is named."""
    report = tmp_path / "e.html"
    result = ncleaner("evaluate", PAGES, GOLD, "--model", "en", "--html", report, "--worst", "0", "-q")
    assert result.returncode == 0
    text = report.read_text("utf-8")
    assert ", hybrid, model en</h1>" in text
    assert re.search(r'aria-label="\d+ pages, hybrid, model [^"]*"', text)


def test_methods_without_a_curve() -> None:
    pairs = read_pairs(PAGES, GOLD)[:3]
    with pytest.raises(EvaluationError, match="bte has no scores"):
        precision_recall_of(pairs, lambda threshold: Cleaner("bte"))
    with pytest.raises(EvaluationError, match="kimatu has scores, but no threshold"):
        precision_recall_of(pairs, lambda threshold: Cleaner("kimatu"))
    with pytest.raises(EvaluationError, match="no words"):
        precision_recall_of([Pair("x", Cleaner().document(""), "")], lambda threshold: Cleaner())


def test_a_curve_of_another_method() -> None:
    pairs = read_pairs(PAGES, GOLD)[:4]
    curve = precision_recall_of(pairs, lambda threshold: Cleaner("fiasco", threshold=threshold))
    # its model has no presets
    assert [point.preset for point in curve.points if point.preset] == ["balanced"]
    assert (curve.method, curve.pages) == ("fiasco", 4)


@pytest.mark.untraced
@pytest.mark.slow
def test_a_page_with_everything(tmp_path: Path) -> None:
    result = ncleaner(
        "evaluate", PAGES, GOLD, "-m", "hybrid", "--html", tmp_path / "e.html", "--worst", "3", "-j1"
    )
    assert result.returncode == 0 and b"3 views in" in result.stderr
    text = (tmp_path / "e.html").read_text("utf-8")
    assert text.count("<details class=diff>") == 3 and "<svg" in text and text.count("e_pages/") == 6
    assert sorted(path.name for path in (tmp_path / "e_pages").iterdir()) == ["1.html", "2.html", "3.html"]
    for path in (tmp_path / "e_pages").iterdir():
        Seen(path.read_text("utf-8")).check()
    # of cleaned text, whose pages are known
    ncleaner("clean", PAGES, "-o", tmp_path / "out", "-f", "cleaneval", "-q")
    known = ("evaluate", tmp_path / "out", GOLD, "--raw", PAGES, "-j1")
    result = ncleaner(*known, "--html", tmp_path / "f.html", "--worst", "2")
    assert result.returncode == 0 and b"2 views in" in result.stderr
    assert "<svg" not in (tmp_path / "f.html").read_text("utf-8")
    # and of cleaned text alone
    result = ncleaner("evaluate", tmp_path / "out", GOLD, "--html", tmp_path / "g.html", "-j1")
    assert result.returncode == 0 and not (tmp_path / "g_pages").exists()
    # the manifest beside the gold texts tells their sites
    assert "standard error over 15 sites" in (tmp_path / "g.html").read_text("utf-8")
    # a method without thresholds has no curve, which is said
    result = ncleaner("evaluate", PAGES, GOLD, "-m", "bte", "--html", tmp_path / "h.html", "-j1")
    assert result.returncode == 0 and b"No curve was drawn: " in result.stderr


def test_hostile_texts_on_the_page(tmp_path: Path) -> None:
    bad = "<script>alert(1)</script> <p>one</details> \"two' \u202egnp.exe"
    for side, text in (("pred", bad), ("gold", bad + " three <img src=x>")):
        write(tmp_path / side, {"<b>'.txt": text})
    result = evaluate(tmp_path / "pred", tmp_path / "gold")
    (page,) = worst_pages(result, 5)
    texts = {page.name: tuple((tmp_path / side / "<b>'.txt").read_bytes() for side in ("pred", "gold"))}
    html = evaluation_page(result, "<i>x", worst=[page], texts=texts, links={page.name: "a'b.html"})  # type: ignore[arg-type]
    seen = Seen(html)
    assert not {"script", "img", "b", "i"} & set(seen.tags) and "\u202e" not in html
    assert [value for _, name, value in seen.attributes if name == "href"] == ["a'b.html"] * 2
    assert "<script>alert(1)</script>" in seen.text and "three <img src=x>" in seen.text


@pytest.mark.slow
def test_training_pages_are_known(tmp_path: Path) -> None:
    for folder, kept in (("raw", ".html"), ("clean", ".txt")):
        (tmp_path / folder).mkdir()
        for path in sorted((EXAMPLES / ("pages" if kept == ".html" else "gold")).iterdir())[:3]:
            (tmp_path / folder / path.name).write_bytes(path.read_bytes())
    ours = {"NCLEANER_MODELS": str(tmp_path / "models")}
    options = ("--alphabet", "nonlexical", "-n", "1", "--language", "en", "-q")
    model = tmp_path / "toy.ncm"
    ncleaner("train", "--raw", tmp_path / "raw", "--clean", tmp_path / "clean", "-o", model, *options)
    said = "was trained on 3 of these 15 pages: the figures say how well it knows them"
    curve: list[str | Path] = ["--curve", tmp_path / "curve"]
    for more in ([], curve):
        result = ncleaner("evaluate", EXAMPLES / "pages", EXAMPLES / "gold", "--model", model, *more)
        assert result.returncode == 0 and f"the model {model} {said}" in result.stderr.decode()
    assert ncleaner("models", "add", model, env=ours).returncode == 0
    for name, warned in (("auto", True), ("shipped", False), ("en", False)):
        words = ("evaluate", EXAMPLES / "pages", EXAMPLES / "gold", "--model", name)
        assert (f"the model toy {said}" in ncleaner(*words, env=ours).stderr.decode()) == warned
    # so few pages look no better than many
    listed = ncleaner("models", env=ours).stdout.decode().splitlines()
    row = next(line for line in listed if line.startswith("toy"))
    assert listed.index(row) > next(at for at, line in enumerate(listed) if line.startswith("en"))
    assert re.search(r" 3 +3 +\(\d", row)


def test_advice_by_the_convention_of_a_gold_text() -> None:
    uses = {name: ZoneUse(name, 0, 0) for name in ZONES[1:]}
    lines = convention_table(uses).splitlines()
    assert [line.split()[0] for line in lines] == ["Convention", *ZONES[1:]]
    assert all(line.split()[1:] == ["0", "-", "unknown"] for line in lines[1:])

    uses |= {
        "headline": ZoneUse("headline", 100, 26),
        "caption": ZoneUse("caption", 100, 90),
        "comment": ZoneUse("comment", 100, 50),
        # no option for it
        "byline": ZoneUse("byline", 100, 0),
    }
    table, *advice = convention_table(uses).split("\n\n")
    assert table.splitlines()[1].split() == ["headline", "100", "26", "%", "left", "out"]
    assert [text.replace("\n", " ") for text in advice] == [
        "This gold text leaves out the headline on 74 % of the pages that have one: clean with --no-headline to be "
        "measured by its convention.",
        "This gold text contains captions on 90 % of the pages that have them: clean without --no-captions to be "
        "measured by its convention.",
        "This gold text contains readers' comments on 50 % of the pages that have them: no option fits all of its "
        "pages.",
    ]
    assert max(map(len, convention_table(uses).splitlines())) < 80


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
    method = entry_of("ngram").make(model)
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
