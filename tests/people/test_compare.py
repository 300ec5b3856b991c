"""The command `compare` as a real process, on a gold directory made here, with tools made up here."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ..comparing.gold_dirs import little, write
from .test_app import EXAMPLES, ncleaner

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
