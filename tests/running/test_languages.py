"""The language and the model of a page: the same in every format, in the summary and for every number of workers."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from warcio.archiveiterator import ArchiveIterator

from ncleaner.cli.progress import run_summary
from ncleaner.reading.inputs import find_inputs
from ncleaner.recipe import Recipe
from ncleaner.running.engine import run
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.formats import Output
from ncleaner.text.codes import iso_639_3

from ..archives import http, members, warc

ENGLISH = "The harbour board has decided to light the north quay again, as it did before the cable failed."
RUSSIAN = "Управление порта решило снова осветить северную набережную, как это было до поломки кабеля."
SWEDISH = "Hamnstyrelsen har beslutat att åter belysa den norra kajen, som den gjorde innan kabeln gick av."
# body, declared language; the language and the model that `auto` gives
PAGES = {
    "english": (f"<p>{ENGLISH}", "", "en", "en"),
    "declared": (f"<p>{ENGLISH}", "en-GB", "en", "en"),
    "false": (f"<p>{RUSSIAN}", "en", "ru", "ru"),
    "chinese": ("<p>港务局决定重新点亮北码头的路灯，就像电缆损坏之前那样。", "", "zh", "zh"),
    "no model": (f"<p>{SWEDISH}", "sv", "sv", "nonlexical"),
    "no language": ("<p>4711 — 0815", "", "", "nonlexical"),
    "no letters": ("<p>4711 — 0815", "pl_PL", "pl", "pl"),
    "one word": ("<p>Ναι", "", "el", "el"),
    "no text": ("", "", "", "nonlexical"),
    "no text, declared": ("", "ru", "ru", "ru"),
    "no code": (f"<p>{ENGLISH}", "x-none", "en", "en"),
    # the language of the longer text
    "two languages": (f"<p>{RUSSIAN} {RUSSIAN}<p>{ENGLISH}", "", "ru", "ru"),
}


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("languages") / "crawl.warc.gz"
    records = [
        warc(
            number,
            http(f"<html lang='{lang}'><body>{body}".encode(), content_type="text/html; charset=utf-8"),
        )
        for number, (body, lang, _, _) in enumerate(PAGES.values())
    ]
    path.write_bytes(members(records))
    return path


def cleaned(
    crawl: Path, jobs: int = 1, *, method: str = "hybrid", model: str = "auto", output_format: str = "text"
) -> tuple[bytes, Tally]:
    out = io.BytesIO()
    # all text is kept, so that all pages with text are in all outputs, and those without it in the rows
    output = Output(format=output_format, all_pages=output_format in ("jsonl", "parquet"))
    settings = Settings(Recipe(method=method, model=model, threshold=-1e6), output=output)
    tally = run(find_inputs([crawl]), settings, output=out, jobs=jobs)
    return out.getvalue(), tally


def of_jsonl(data: bytes) -> dict[int, tuple[str, str | None]]:
    return of_rows([json.loads(line) for line in data.splitlines()])


def of_parquet(data: bytes) -> dict[int, tuple[str, str | None]]:
    return of_rows(pq.read_table(io.BytesIO(data)).to_pylist())


def of_rows(rows: list[dict[str, Any]]) -> dict[int, tuple[str, str | None]]:
    assert all(value != "" for row in rows for value in (row["language"], row["model"], row["lang"]))
    return {int(row["url"].rpartition("/")[2]): (row["language"] or "", row["model"] or "") for row in rows}


def of_vertical(data: bytes) -> dict[int, tuple[str, str | None]]:
    found: list[tuple[str, str]] = re.findall(
        r'<doc .*url="[^"]*/(\d+)".* language="([^"]*)">', data.decode()
    )
    return {int(number): (language, None) for number, language in found}


def of_wet(data: bytes) -> dict[int, tuple[str, str | None]]:
    found: dict[int, tuple[str, str | None]] = {}
    for record in ArchiveIterator(io.BytesIO(data)):
        if record.rec_type == "conversion":
            header = record.rec_headers.get_header
            number = int(header("WARC-Target-URI").rpartition("/")[2])
            found[number] = (header("WARC-Identified-Content-Language") or "", None)
    return found


READ: dict[str, Callable[[bytes], dict[int, tuple[str, str | None]]]] = {
    "jsonl": of_jsonl,
    "parquet": of_parquet,
    "vertical": of_vertical,
    "wet": of_wet,
}


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize(("method", "model"), [("hybrid", "auto"), ("ngram", "ru"), ("everything", "auto")])
@pytest.mark.parametrize("output_format", READ)
def test_every_format_says_the_same(crawl: Path, output_format: str, method: str, model: str) -> None:
    out, tally = cleaned(crawl, method=method, model=model, output_format=output_format)
    found = READ[output_format](out)
    for number, (body, _, language, chosen) in enumerate(PAGES.values()):
        if not body and output_format in ("vertical", "wet"):
            assert number not in found
            continue
        code, its_model = found[number]
        assert code == (iso_639_3(language) if output_format == "wet" else language)
        if its_model is not None:
            assert its_model == {"everything": "", "ngram": "ru", "hybrid": chosen}[method]
    assert tally.languages == {"en": 3, "ru": 3, "zh": 1, "sv": 1, "unknown": 2, "pl": 1, "el": 1}


def test_the_summary(crawl: Path) -> None:
    _, tally = cleaned(crawl)
    lines = run_summary(tally).splitlines()
    assert "languages (en: 3, ru: 3, unknown: 2, el: 1, pl: 1, sv: 1, zh: 1)" in lines
    assert "models (en: 3, nonlexical: 3, ru: 3, el: 1, pl: 1, zh: 1)" in lines
    assert Tally.of_record(tally.record()).models == tally.models
    _, tally = cleaned(crawl, model="ru", output_format="cleaneval")
    assert "models (ru: 12)" in run_summary(tally)
    _, tally = cleaned(crawl, method="bte")
    assert not tally.models and "models" not in run_summary(tally)


def test_languages_without_a_model_are_told() -> None:
    tally = Tally(pages=300, models=Counter(nonlexical=160, en=140))
    tally.languages.update({"en": 140, "unknown": 90, "uk": 120, "de": 30, "fi": 20, "sv": 19, "ja": 50})
    found = [line for line in run_summary(tally, advises=True).splitlines() if "without a model" in line]
    # few pages, a language with a model, or one that is written alike, are not
    assert found == [
        f"{number} pages in {language} were cleaned without a model: `--learn` makes one in some seconds"
        for number, language in ((120, "uk"), (20, "fi"))
    ]
    # the model has been learned, was named, or none can be learned
    assert "without" not in run_summary(
        replace(tally, models=Counter(nonlexical=9, uk=120, fi=20)), advises=True
    )
    assert "without" not in run_summary(replace(tally, models=Counter(en=300)), advises=True)
    assert "without" not in run_summary(tally)


@pytest.mark.untraced
@pytest.mark.parametrize("jobs", [2, 3])
def test_the_workers_load_the_same_models(crawl: Path, jobs: int) -> None:
    one, _ = cleaned(crawl, output_format="jsonl")
    many, _ = cleaned(crawl, jobs, output_format="jsonl")
    assert many == one
