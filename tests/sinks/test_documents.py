from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

import ncleaner
from ncleaner.errors import InputError
from ncleaner.page import _STORED_LINE as STORED_LINE
from ncleaner.page import STORED, Page, Skip
from ncleaner.reading.archive import read, reread_record
from ncleaner.reading.inputs import find_inputs
from ncleaner.recipe import Recipe
from ncleaner.running.engine import run
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.sinks.formats import FORMATS, Output

ROOT = Path(__file__).parent.parent.parent
CRAWL = ROOT / "examples" / "crawl.warc.gz"
# the formats that any of these have, with all that they can have
ROWS = {"segments": True, "removed": True, "metadata": True, "signals": True, "markdown": True}
OUTPUTS = {
    "jsonl": ROWS,
    "parquet": {name: value for name, value in ROWS.items() if name != "segments"},
    "markdown": {"front_matter": True, "markup": ncleaner.markup.MarkupOptions(links=True, images=True)},
    "html": {"markup": ncleaner.markup.MarkupOptions(links=True, spans="repeat")},
    "tei": {"metadata": True},
    "vertical": {"metadata": True},
    "signatures": {"paragraphs": True},
}


def made(source: Path, jobs: int = 1, output: Output = Output(), **recipe: object) -> bytes:
    out = io.BytesIO()
    tally = run(find_inputs([source]), Settings(Recipe(**recipe), output=output), output=out, jobs=jobs)  # type: ignore[arg-type]
    assert tally.complete
    return out.getvalue()


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("documents") / "crawl.documents.warc"
    path.write_bytes(made(CRAWL, output=Output(format="documents", markdown=True, metadata=True)))
    return path


def test_places_are_those_in_the_file_of_documents(documents: Path) -> None:
    tally = run(find_inputs([documents]), Settings(), output=io.BytesIO())
    pages = [page for page in read(documents) if isinstance(page, Page)]
    assert {offset for _, offset, _ in tally.slowest} <= {page.stored_at for page in pages}
    assert [record.block for page in pages if (record := reread_record(page))] == [
        page.body for page in pages
    ]


@pytest.mark.parametrize("name", sorted(set(FORMATS) - {"documents"}))
def test_any_format_is_as_from_the_archive(documents: Path, name: str) -> None:
    output = Output(format=name, **OUTPUTS.get(name, {}))  # type: ignore[arg-type]
    assert made(documents, output=output) == made(CRAWL, output=output)


@pytest.mark.parametrize(
    "recipe",
    [
        {"threshold": "precision"},
        {"threshold": "recall"},
        {"threshold": 2.0},
        {"min_quality": 0.9},
        {"comments": True, "headline": False},
        {"news": True, "captions": False},
        {"method": "ngram", "notices": True},
        {"language": "de,pl", "respect_tdm": True},
        {"method": "victor"},
        {"method": "density"},
    ],
)
@pytest.mark.parametrize("jobs", [1, pytest.param(2, marks=pytest.mark.untraced)])
def test_any_options_are_as_from_the_archive(documents: Path, recipe: dict[str, object], jobs: int) -> None:
    output = Output(format="jsonl", segments=True, removed=True)
    assert made(documents, jobs, output, **recipe) == made(CRAWL, 1, output, **recipe)


def test_records_that_other_programs_read(documents: Path) -> None:
    info, *records = ArchiveIterator(io.BytesIO(documents.read_bytes()), check_digests="raise")
    assert info.rec_type == "warcinfo"
    pages = list(ncleaner.pages(CRAWL))
    assert [record.rec_headers["WARC-Target-URI"] for record in records] == [page.url for page in pages]
    assert {record.rec_headers["Content-Type"] for record in records} == {STORED}
    assert [record.rec_headers["WARC-Refers-To"] for record in records] == [
        f"<{page.record_id}>" for page in pages
    ]


def test_pages_know_where_they_come_from(documents: Path) -> None:
    for page, original in zip(ncleaner.pages(documents), ncleaner.pages(CRAWL), strict=True):
        assert (page.kind, page.url, page.date) == ("document", original.url, original.date)
        assert (page.offset, page.record_id, page.rights, page.truncated) == (
            original.offset, original.record_id, original.rights, original.truncated,
        )  # fmt: skip
        assert page.source == str(documents)
        assert page.place == page.stored_at > 0
        assert not page.is_alone


def test_progress_is_that_of_the_file(documents: Path) -> None:
    reached: list[int] = []

    def told(tally: Tally, source: object, offset: int | None) -> None:
        reached.append(offset or 0)

    run(find_inputs([documents]), Settings(), output=io.BytesIO(), progress=told)
    assert reached[-1] == documents.stat().st_size
    assert reached == sorted(reached)


def test_pages_that_the_user_leaves_out_are_not_stored() -> None:
    found = made(CRAWL, output=Output(format="documents"), language="pl")
    assert found.count(STORED_LINE) == 1
    # for this, pages have to be judged
    assert made(CRAWL, output=Output(format="documents"), min_quality=0.95).count(STORED_LINE) < 15


@pytest.mark.untraced
def test_pieces_of_a_text_and_files(tmp_path: Path) -> None:
    text = tmp_path / "long.txt"
    text.write_text("The ferry was late again this morning, and nobody knew why.\n\n" * 20_000)
    path = tmp_path / "long.documents.warc"
    path.write_bytes(made(text, output=Output(format="documents")))
    assert made(path) == made(text) + b"\n"
    pages = tmp_path / "pages.documents.warc"
    folder = ROOT / "examples" / "pages"
    pages.write_bytes(made(folder, output=Output(format="documents")))
    rows = Output(format="jsonl")
    assert made(pages, output=rows) == made(folder, output=rows)
    assert made(pages, output=Output(format="cleaneval")) == made(folder, output=Output(format="cleaneval"))


@pytest.mark.parametrize(
    ("recipe", "output", "why"),
    [
        ({}, Output(format="markdown"), "--markdown"),
        ({}, Output(format="jsonl", metadata=True), "--metadata"),
        ({"respect_tdm": True}, Output(), "--metadata"),
        ({}, Output(format="jsonl", segments=True, source=True), "--source"),
        ({"alt_text": True}, Output(), "--alt-text counts only where pages are stored"),
        ({"encoding": "koi8-r"}, Output(), "--encoding counts only where pages are stored"),
        ({}, Output(format="signatures", references=True), "survey the archive"),
    ],
)
def test_what_was_not_stored_is_said(
    tmp_path: Path, recipe: dict[str, object], output: Output, why: str
) -> None:
    path = tmp_path / "bare.documents.warc"
    path.write_bytes(made(CRAWL, output=Output(format="documents")))
    notes: list[str] = []
    settings = Settings(Recipe(**recipe), output=output)  # type: ignore[arg-type]
    tally = run(
        find_inputs([path]),
        settings,
        output=io.BytesIO(),
        progress=lambda tally, source, offset: notes.extend(map(str, tally.notes)),
    )
    assert tally.lost == {"InputError": 15}
    assert why in notes[0]


def test_broken_records_cost_themselves_only(documents: Path) -> None:
    data = bytearray(documents.read_bytes())
    place = data.index(STORED_LINE, data.index(STORED_LINE) + 1)
    data[place + len(STORED_LINE) + 2] = 0
    items = list(read(io.BytesIO(bytes(data)), name="x.documents.warc"))
    assert [item.reason for item in items if isinstance(item, Skip)] == [
        "record type warcinfo", "damaged stored document",
    ]  # fmt: skip
    # the JSON of the page is whole, and what is compressed is not
    data = bytearray(documents.read_bytes())
    data[data.index(b"\n", data.index(STORED_LINE) + len(STORED_LINE)) + 30] ^= 1
    pages = [
        item for item in read(io.BytesIO(bytes(data)), name="x.documents.warc") if isinstance(item, Page)
    ]
    assert len(pages) == 15
    with pytest.raises(InputError, match="damaged"):
        ncleaner.Cleaner().page(pages[0])


def test_the_body_of_a_stored_page_is_no_page(documents: Path) -> None:
    page = next(ncleaner.pages(documents))
    with pytest.raises(InputError, match="not text \\(stored document\\): clean the Page"):
        ncleaner.clean(page.body)


def test_on_the_command_line(tmp_path: Path) -> None:
    def told(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "ncleaner", *words]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)

    assert told("clean", str(CRAWL), "-o", "crawl.documents.warc", "--metadata", "-q").returncode == 0
    assert told("select", "crawl.documents.warc", "-o", "out", "-f", "jsonl", "-q").returncode == 0
    assert (tmp_path / "out" / "crawl.jsonl").is_file()
    seen = told("inspect", "crawl.documents.warc", "--at", "837", "--json")
    assert "allotment-holders" in seen.stdout, seen.stderr
    refused = told("annotate", "crawl.documents.warc")
    assert refused.returncode and "give the archive" in refused.stderr
