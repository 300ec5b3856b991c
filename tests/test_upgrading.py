"""What earlier versions have written: models and output directories go on, or are refused in a sentence.

`upgrading/` has files of real earlier versions, made from the example pages: `ngram-1.ncm` by the first one,
`hybrid-2.ncm` and the line of `manifest.jsonl` by one of the second day. They are never written anew.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import ncleaner as package
from ncleaner.modelling.container import header_of
from ncleaner.versions import MODELS, OUTPUTS

from .cli.test_app import ncleaner

OLD = Path(__file__).parent / "upgrading"
PAGES = Path(__file__).parent.parent / "examples" / "pages"
FERRY = PAGES / "harbour-gazette-ferry.html"


@pytest.mark.parametrize(
    ("name", "version", "kind", "method"),
    [("ngram-1.ncm", 1, "ngram", "ngram"), ("ngram-1.ncm", 1, "ngram", "hybrid"), ("hybrid-2.ncm", 2, "hybrid", "hybrid")],
)  # fmt: skip
def test_an_old_model_cleans(name: str, version: int, kind: str, method: str) -> None:
    data = (OLD / name).read_bytes()
    assert (data[8], header_of(data)["kind"]) == (version, kind) and version <= MODELS
    text = package.Cleaner(method, model=OLD / name).clean(FERRY.read_bytes())
    assert "ferry" in text and "Cookie" not in text
    shown = ncleaner("models", "show", OLD / name)
    assert shown.returncode == 0 and b"15" in shown.stdout


@pytest.fixture
def directory(tmp_path: Path) -> tuple[Path, Path, Path]:
    """An input, the directory where an earlier version has cleaned it into, and its output there."""
    folder = tmp_path / "out"
    folder.mkdir()
    page = tmp_path / "in" / FERRY.name
    page.parent.mkdir()
    shutil.copy(FERRY, page)
    line = json.loads((OLD / "manifest.jsonl").read_bytes())
    output = folder / line["output"]
    output.write_bytes(b"x" * line["output_size"])
    found = page.stat()
    line.update(size=found.st_size, modified=found.st_mtime_ns)
    (folder / "manifest.jsonl").write_text(json.dumps(line) + "\n")
    return page.parent, folder, output


@pytest.mark.slow
def test_an_old_directory_goes_on(directory: tuple[Path, Path, Path]) -> None:
    pages, folder, output = directory
    result = ncleaner("clean", pages, "-o", folder, "-f", "jsonl")
    said = result.stderr.decode()
    assert result.returncode == 0, said
    assert "cleaning 1 input again that was cleaned by another version of ncleaner" in said
    assert "ferry" in json.loads(output.read_bytes())["text"]
    lines = [json.loads(line)["settings"] for line in (folder / "manifest.jsonl").read_bytes().splitlines()]
    assert [line.get("outputs") for line in lines] == [None, OUTPUTS]
    # what this version has written is finished
    changed = output.stat().st_mtime_ns
    assert b"1 input was finished" in ncleaner("clean", pages, "-o", folder, "-f", "jsonl").stderr
    assert output.stat().st_mtime_ns == changed
    assert ncleaner("report", folder).returncode == 0


@pytest.mark.slow
def test_other_options_for_an_old_directory_are_refused(directory: tuple[Path, Path, Path]) -> None:
    pages, folder, output = directory
    before = output.read_bytes()
    result = ncleaner("clean", pages, "-o", folder, "-f", "jsonl", "--precision")
    assert result.returncode == 1 and output.read_bytes() == before
    assert result.stderr.decode() == (
        f"ncleaner: the outputs in {folder} were made with other options: --threshold was not given and is precision. "
        f"Give the same options or another directory, or --again to clean all inputs again{os.linesep}"
    )
