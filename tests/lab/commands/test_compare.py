"""The command `compare` as a real process, on a gold directory made here, with tools made up here."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from ncleaner.lab.commands.compare import comparison_panel, comparison_table
from ncleaner.lab.commands.plots import drawing
from ncleaner.lab.comparing.comparison import Comparison, NotRun, PageFigures, ToolFigures
from ncleaner.lab.comparing.gold import GoldPage, GoldSet
from ncleaner.lab.comparing.tools import Tool, method
from ncleaner.lab.scoring.measures import BagUnit, MatchCounts
from ncleaner.lab.training.conventions import ZoneUse
from ncleaner.lab.training.pairs import PairSource

from ...cli.test_app import EXAMPLES, ncleaner
from ..comparing.gold_dirs import little, write

# programs of these names, where the real ones may or may not be installed
TRAFILATURA = """
import re

def extract(body, include_comments=True):
    if b"Tea" in body:
        raise ValueError("no tea")
    return "\\n".join(re.findall("<p>([^<]*)", body.decode()))
"""
JUSTEXT = "import no_such_module_here\n"


def compare(*arguments: str | Path, modules: Path | None = None) -> subprocess.CompletedProcess[bytes]:
    return ncleaner("compare", *arguments, env={"PYTHONPATH": str(modules)} if modules else None)


@pytest.fixture
def modules(tmp_path: Path) -> Path:
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "trafilatura.py").write_text(TRAFILATURA)
    (folder / "justext.py").write_text(JUSTEXT)
    return folder


@pytest.mark.slow
def test_table_picture_and_json(tmp_path: Path, modules: Path) -> None:
    gold = little(tmp_path / "little")
    tools = ["-t", "everything", "-t", "trafilatura", "-t", "justext", "-j", "1"]
    result = compare(gold, *tools, "--plot", tmp_path / "picture.svg", modules=modules)
    assert result.returncode == 0, result.stderr.decode()
    table = result.stdout.decode()
    assert "little: 3 pages of 3 sites" in table
    assert "failed on 1 page, first on tea: ValueError: no tea" in table
    assert "Not installed: justext (pip install jusText)" in table
    assert (tmp_path / "picture.svg").stat().st_size
    assert "Plot (SVG): " in result.stderr.decode() and "picture.svg" in result.stderr.decode()
    more = write(tmp_path / "more", [], {"1": "<p>天下雨了"}, {"1": "天下雨\n"})
    result = compare(
        gold, more, *tools, "--json", "-q", "--rounds", "2", "--reference", "trafilatura", modules=modules
    )
    assert result.returncode == 0 and not result.stderr
    first, second = json.loads(result.stdout)["sets"]
    assert (first["set"], first["compared"], first["rounds"], first["reference"]) == (
        "little",
        3,
        2,
        "trafilatura",
    )
    everything, trafilatura = first["tools"]
    assert (everything["kind"], trafilatura["kind"]) == ("method", "peer")
    assert (trafilatura["failed"], trafilatura["empty"]) == (1, 0)
    assert trafilatura["bag"]["mean"] == pytest.approx(200 / 3)
    assert trafilatura["cpu_ms"]["mean"] > 0 and trafilatura["pages"][2]["cpu_ms"] is None
    assert set(trafilatura["by_page_type"]) == {"article", "product"}
    assert everything["difference"]["mean"] == pytest.approx(
        everything["bag"]["mean"] - trafilatura["bag"]["mean"]
    )
    assert first["not_run"][0]["installed"] is False
    assert second["units"] == {"word": 0, "char": 1} and second["tools"][0]["by_page_type"] == {}


@pytest.mark.slow
def test_all_methods_by_the_convention() -> None:
    raw, clean = EXAMPLES / "pages", EXAMPLES / "gold"
    result = compare("--raw", raw, "--clean", clean, "--json", "--limit", "6", "-q")
    assert result.returncode == 0, result.stderr.decode()
    [found] = json.loads(result.stdout)["sets"]
    assert found["set"] == "pages" and found["compared"] == 6 and found["reference"] == "hybrid"
    assert found["convention"]["headline"]["pages"] == 15 and "--headline" in found["options"]
    hybrid = found["tools"][0]
    assert hybrid["tool"] == "hybrid" and hybrid["trained_on"] and hybrid["bag"]["mean"] > 90
    plain = compare("--raw", raw, "--clean", clean, "--json", "-q", "--convention", "none", "-t", "bte")
    assert json.loads(plain.stdout)["sets"][0]["options"] == []


@pytest.mark.slow
def test_cross_validation() -> None:
    folders = ["--raw", str(EXAMPLES / "pages"), "--clean", str(EXAMPLES / "gold")]
    result = compare(*folders, "-t", "ngram", "--cross-validate", "3", "-q")
    assert result.returncode == 0, result.stderr.decode()
    assert "ngram †" in result.stdout.decode() and "(3 folds)" in result.stdout.decode()


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "give GOLD_DIR, or --raw and --clean"),
        (["--raw", "."], 2, "give GOLD_DIR, or --raw and --clean"),
        ([".", "--raw", ".", "--clean", "."], 2, "give GOLD_DIR, or --raw and --clean"),
        (["."], 1, "is not a gold directory"),
        (["nowhere"], 1, "is not a gold directory"),
        (["--raw", "nowhere", "--clean", "."], 1, "nowhere is not a directory"),
        ([".", "-t", "no-such-tool"], 2, "no-such-tool"),
        ([".", "-t", "bte", "--reference", "ngram"], 2, "ngram is not among the tools that run"),
        ([".", "--cross-validate", "1"], 2, "--cross-validate"),
        ([".", "--unit", "syllable"], 2, "syllable"),
        ([".", "--plot", "/"], 1, "the prefix of the plots has to end in a name"),
    ],
)
def test_bad_input(arguments: list[str], status: int, said: str, tmp_path: Path) -> None:
    result = ncleaner("compare", *arguments, cwd=tmp_path)
    assert result.returncode == status
    assert said in result.stderr.decode() and not result.stdout


@pytest.mark.slow
def test_a_model_that_is_missing(tmp_path: Path) -> None:
    result = compare(little(tmp_path / "little"), "-q", "-t", "ngram", "--model", tmp_path / "no.ncm")
    assert result.returncode == 1 and not result.stdout
    assert "no.ncm" in result.stderr.decode()


ZONES = {"headline": (9, 9), "comment": (9, 0), "caption": (0, 0)}


def comparison(
    bags: Mapping[str, float], units: tuple[BagUnit, BagUnit] = ("word", "word"), told: bool = True
) -> Comparison:
    """Two pages, and a tool for each name; those with a space are peers."""
    pages = tuple(
        GoldPage(PairSource(kind, Path(kind), Path(kind), page_type=kind), f"{kind}.example", unit)
        for kind, unit in zip(("article", "forum"), units, strict=True)
    )
    convention = {zone: ZoneUse(zone, *numbers) for zone, numbers in ZONES.items()} if told else None
    tools = []
    for name, bag in bags.items():
        peer = name.startswith("peer")
        tools.append(
            ToolFigures(
                Tool(name, method, version="1.0" if peer else "", install="pip install x" if peer else "",
                     settings="no comments" if peer else ""),
                (
                    PageFigures("article", MatchCounts(90, 10, 0), bag, 0.002),
                    PageFigures("forum", MatchCounts(90, 10, 0), bag - 10, 0.004),
                ),
            )
        )  # fmt: skip
    return Comparison(GoldSet("gold", pages, convention), tuple(tools), (), next(iter(bags)))


def row(table: str, name: str) -> list[str]:
    """The first row that begins so, without its name."""
    line = next(line for line in table.splitlines() if line.startswith(name + " "))
    return line.removeprefix(name).split()


def test_table() -> None:
    table = comparison_table(comparison({"bte": 80.0, "peer": 90.0}))
    assert table.startswith("gold: 2 pages of 2 sites\n")
    assert "headlines kept, comments left out, captions unknown." in table
    assert "run with --headline --no-comments." in table
    # precision, recall, F; F in any order; the difference; median and mean; empty and failed
    assert row(table, "bte") == ["90.00", "100.00", "94.74", "75.00", "3.00", "3.00", "0", "0"]
    assert row(table, "peer 1.0") == [
        "90.00", "100.00", "94.74", "85.00", "+10.00", "±", "0.00", "3.00", "3.00", "0", "0"
    ]  # fmt: skip
    # the best one first
    assert table.index("\npeer 1.0") < table.index("\nbte ")
    kinds = table[table.index("F of words in any order, by type") :]
    assert kinds.splitlines()[1].split() == ["article", "forum"]
    assert row(kinds, "pages") == ["1", "1"]
    assert row(kinds, "bte") == ["80.00", "70.00"]
    assert "to bte: mean difference page by page" in table
    assert "Settings: peer no comments." in table
    assert "*" not in table and "†" not in table


def test_what_has_to_be_known() -> None:
    result = comparison({"bte": 80.0, "ngram": 90.0, "hybrid": 95.0, "victor": 70.0})
    bte, ngram, hybrid, victor = result.tools
    failed = PageFigures("forum", MatchCounts(), 0.0, None, "ValueError: no rain")
    tools = (
        bte,
        ToolFigures(ngram.tool, ngram.pages, sources=("Set A", "Set B")),
        ToolFigures(hybrid.tool, hybrid.pages, held_out=5),
        ToolFigures(victor.tool, (failed, failed), sources=("Set B",)),
    )
    away = NotRun(Tool("peer", method, install="pip install peer-package"), "no module", missing=True)
    broken = NotRun(Tool("other", method, install="pip install other"), "RuntimeError: broken")
    table = comparison_table(Comparison(result.gold, tools, (away, broken)))
    assert row(table, "ngram *") and row(table, "hybrid †")
    assert row(table, "victor *")[-5:] == ["0.00", "-", "-", "0", "2"]
    notes = " ".join(table[table.index("* ngram") :].split())
    assert "* ngram, victor: models that were trained on pages of Set A; Set B. On those pages" in notes
    assert "† hybrid: cross-validated" in notes and "(5 folds)" in notes
    assert "victor failed on 2 pages, first on forum: ValueError: no rain" in notes
    assert "Not installed: peer (pip install peer-package)" in notes
    assert "Not run: other: RuntimeError: broken" in notes
    # nothing to compare with
    assert "mean difference" not in notes and "±" not in table


@pytest.mark.parametrize(
    ("units", "called"),
    [(("char", "char"), "characters in any order"), (("word", "char"), " words/characters in any order")],
)
def test_units(units: tuple[BagUnit, BagUnit], called: str) -> None:
    table = comparison_table(comparison({"bte": 80.0}, units, told=False))
    assert called in table and "All tools run with their defaults." in table


def test_picture() -> None:
    many = comparison({f"{'peer' if n % 2 else 'method'}-{n}": 80.0 + n / 9 for n in range(12)})
    first, second = map(comparison_panel, (many, comparison({"bte": 80.0}, ("char", "char"))))
    assert first.title == "gold, 2 pages" and first.x_is_log
    assert [(each.name, each.mark) for each in first.series] == [
        ("ncleaner", "disc"),
        ("other programs", "square"),
    ]
    assert sorted(name for _, _, name in first.names) == sorted(figures.tool.name for figures in many.tools)
    assert second.y_name == "F of characters in any order, per cent"
    [bte] = comparison({"bte": 80.0}).tools
    seen = ToolFigures(bte.tool, bte.pages, sources=("Set A",))
    [series] = comparison_panel(Comparison(many.gold, (seen,))).series
    assert series.mark == "ring" and "may have seen" in series.name
    drawn = drawing([[first, second]])
    assert drawn.count(">other programs<") == 1 and drawn.count("<g ") == 2
