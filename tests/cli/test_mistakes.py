"""The table of typical mistakes: what a user types, and the parts of the message that say what is wrong, where, and
what to type next."""

from __future__ import annotations

import errno
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import ncleaner
from ncleaner.cli.app import _status

EXAMPLES = Path(__file__).parents[2] / "examples"
SUFFIXES = "give one of .txt, .md, .html, .jsonl"

# (what is typed, exit status, what is said in this order).
MISTAKES: list[tuple[str, int, tuple[str, ...]]] = [
    # inputs
    ("clean crawl.wrac.gz", 1, ("crawl.wrac.gz: No such file or directory", "did you mean crawl.warc.gz?")),
    ("clean nowhere/crawl.warc.gz", 1, ("nowhere/crawl.warc.gz: No such file", "there is no nowhere")),
    ("clean emptydir", 1, ("emptydir: no archives (.warc, .arc, .wet, .wacz), HTML or text files",)),
    ("clean page.pdf", 1, ("page.pdf", "not text (PDF)", "convert it first, for example with pdftotext")),
    ("clean photo.png", 1, ("photo.png", "not text (PNG image)", "HTML, text, web archives and tables are read")),
    ("clean book.zip", 1, ("book.zip", "not text (ZIP, as are docx, odt and epub)", "unpack or convert")),
    ("clean list.json", 1, ("list.json", "not text (JSON): JSON lines are read", "jq -c '.[]'")),
    ("clean rows.jsonl --column html", 2, ("rows.jsonl", "there is no column html: the table has url, text")),
    ("clean rows", 1, ("rows", "not a page (CSV)", "--column NAME reads it as a table, --input-format text as a text")),
    ("clean rows.csv -f jsonl --carry titel", 2, ("rows.csv", "there is no column titel to carry: the table has url, html")),
    ("clean --learn fr", 2, ("fr is a code of a language and a path: --learn=fr or ./fr?",)),
    ("clean --learn=fr fr", 1, ("fr: no archives",)),
    ("clean rows --column html", 0, ("1 page read: 1 cleaned",)),
    ("clean rows.csv --column text", 2, ("there is no column text: the table has url, html",)),
    ("clean lines.txt --marker ^==", 0, ("1 text has no line that --marker matches: read as a whole",)),
    ("clean rows.jsonl -f jsonl --carry url", 2, ("--carry", "url: the output has a column of this name")),
    ("clean cut.warc.gz", 1, ("cut.warc.gz at byte", "cut short", "of damage; the rest is cleaned", "Download truncated archives again")),
    # as an empty file does
    ("clean -", 0, ("1 page read: 0 cleaned, 1 empty",)),
    ("clean - --input-format warc", 1, ("standard input at byte 0: empty", "1 input has nothing to clean")),
    ("clean page.html -f wet", 0, ("wet is compressed", "give the file a name that ends in .wet.gz")),
    ("clean --inputs-from crawl.paths", 1, ("crawl.paths: No such file or directory", "in /")),
    ("clean gopher://host/a.warc", 1, ("gopher://host/a.warc: unknown kind of URL", "s3://…")),
    ("clean s3://bucket/a.warc", 1, ("s3://bucket/a.warc", "pip install 'ncleaner[s3]'")),
    ("clean secret.html", 1, ("secret.html: cannot be read (permission denied)", "chmod u+r")),
    # names of commands, options and values
    ("crawl.warc.gz", 2, ("No such command 'crawl.warc.gz'", "ncleaner clean crawl.warc.gz")),
    ("claen crawl.warc.gz", 2, ("No such command 'claen'", "Did you mean 'clean'?")),
    ("models list", 2, ("No such command 'list'", "There are show, add, remove")),
    ("clean crawl.warc.gz --markdwn", 2, ("No such option: --markdwn", "--markdown")),
    ("clean crawl.warc.gz --json", 2, ("No such option: --json", "--format jsonl")),
    ("clean crawl.warc.gz --output-format md", 2, ("No such option: --output-format", "(Possible options: --format)")),
    ("clean crawl.warc.gz --dedup", 2, ("No such option: --dedup: --help-all shows all options",)),
    ("clean --url https://a.example/b.html", 2, ("No such option: --url: give inputs without an option",)),
    ("sort --input-dir crawl -o sorted", 2, ("No such option: --input-dir: give inputs without an option",)),
    ("methods --url x", 2, ("No such option: --url",)),
    ("clean -i list.txt", 2, ("No such option: -i (Possible options: --inputs-from)",)),
    ("clean crawl.warc.gz --workers 2", 2, ("No such option: --workers (Possible options: --jobs)",)),
    ("clean --inputs-from .", 1, (".: is a directory, not a list of inputs: give it as an input",)),
    ("clean crawl.warc.gz -m hybird", 2, ("--method", "'hybird' is not one of", "Did you mean 'hybrid'?")),
    ("clean crawl.warc.gz --model german", 1, ("no model 'german'", "did you mean de?")),
    ("clean crawl.warc.gz --model mine", 1, ("no model 'mine'", "for the file, give mine.ncm")),
    ("clean crawl.warc.gz --model mein.ncm", 1, ("no model file mein.ncm", "did you mean mine.ncm?", "ncleaner models")),
    ("clean crawl.warc.gz --model mine.ncm", 1, ("mine.ncm is not an ncleaner model", "ncleaner train")),
    ("clean crawl.warc.gz -f json", 2, ("--format", "'json' is not one of", "Did you mean 'jsonl'?")),
    ("clean crawl.warc.gz -j all", 2, ("--jobs", "'all' is not a whole number")),
    ("clean crawl.warc.gz --min-quality 80", 2, ("--min-quality", "a number from 0 to 1, not 80")),
    ("clean crawl.warc.gz --encoding utf9", 1, ("unknown encoding 'utf9'", "such as utf-8")),
    ("clean crawl.warc.gz -m bte --model xx", 2, ("--model", "the method bte uses no model: leave it out")),
    ("clean crawl.warc.gz --language foo", 2, ("--language", "'foo' is not the code of a language: give a code of ISO 639")),
    ("clean crawl.warc.gz --language german", 2, ("--language", "'german' is not the code", "did you mean de?")),
    ("clean crawl.warc.gz --marker (", 2, ("--marker", "is not a regular expression")),
    ("clean crawl.warc.gz --sites none.ncs", 1, ("there is no survey none.ncs", "`ncleaner survey` makes one")),
    # a path would become s3:/bucket/x
    ("clean crawl.warc.gz --sites s3://b/x.ncs", 2, ("--sites", "must be a path on this machine, not 's3://b/x.ncs'")),
    ("clean crawl.warc.gz --model s3://b/x.ncm", 2, ("--model", "must be a path on this machine")),
    ("train --raw pages --clean pages -o s3://b/m.ncm", 2, ("--output", "must be a path on this machine")),
    ("survey crawl.warc.gz -o s3://b/x.ncs", 2, ("--output", "must be a path on this machine")),
    ("report emptydir --html s3://b/x.html", 2, ("--html", "must be a path on this machine")),
    ("clean crawl.warc.gz -f vertical --table s3://b/t.tsv", 2, ("--table", "must be a path on this machine")),
    ("models add s3://b/x.ncm", 2, ("must be a path on this machine",)),
    # options that do not go together
    ("clean crawl.warc.gz --precision --recall", 2, ("--precision and --recall exclude each other", "one of them")),
    ("clean crawl.warc.gz --links", 2, ("--links: only markdown, html and --markdown have it", "see --format")),
    ("clean crawl.warc.gz --min-quality 0.8 -m bte", 2, ("--min-quality", "bte does not estimate", "use hybrid")),
    # outputs
    ("clean crawl.warc.gz -o old.jsonl", 1, ("old.jsonl exists already", "--force")),
    ("clean crawl.warc.gz -o new.docx", 2, ("new.docx: no format has the suffix .docx", SUFFIXES, "--format")),
    ("clean crawl.warc.gz -f text -o new.parquet", 2, ("new.parquet is Parquet by its name, and text is not: change one",)),
    ("clean crawl.warc.gz -f markdown -o new.parquet", 2, ("change one, or add a column with --markdown",)),
    ("clean crawl.warc.gz -o old.jsonl/new", 1, ("cannot write old.jsonl/new", "Not a directory", "give another one")),
    ("clean crawl.warc.gz crawl.warc.gz -o both", 1, ("would both be written to", "different directories")),
    ("clean emptydir -o emptydir", 1, ("emptydir: is also the output directory", "name another directory")),
    # other commands
    ("report", 2, ("Missing argument 'OUT_DIR'", "For example: ncleaner report corpus")),
    ("report emptydir", 1, ("emptydir: there is no _run/manifest.log, which `ncleaner clean -o DIRECTORY` writes",)),
    ("inspect page.pdf", 1, ("page.pdf", "not text (PDF)", "convert it first, for example with pdftotext")),
    ("inspect emptydir", 1, ("emptydir: is a directory", "give one page of it")),
    ("inspect page.html --number 9", 1, ("page.html has no page 9", "it has 1")),
    ("inspect crawl.warc.gz --at 99999999999999999999", 1, ("crawl.warc.gz has no page at 9", "offset and id")),
    ("train --raw pages -o m.ncm", 2, ("give --raw and --clean", "--from-crawl")),
    ("train --raw pages --clean emptydir -o m.ncm", 1, ("no file of pages", "in emptydir (0 files)", "page.txt")),
    ("train --raw nowhere --clean pages -o m.ncm", 1, ("nowhere is not a directory",)),
    ("train --raw pages --clean pages -o no/m.ncm", 1, ("cannot write no/m.ncm", "make the directory no first")),
    ("train --raw pages --clean pages -o old.jsonl", 1, ("old.jsonl exists already", "of another kind: give another name")),
    ("survey crawl.warc.gz -o old.jsonl", 1, ("old.jsonl exists already", "of another kind: give another name")),
    ("inspect page.html --html old.jsonl", 1, ("old.jsonl exists already", "of another kind: give another name")),
    ("survey crawl.warc.gz", 2, ("Missing option '--output'", "ncleaner survey examples/crawl.warc.gz -o sites.ncs")),
    ("train --from-crawl pages --language turkish -o m.ncm", 2, ("--language", "'turkish' is not the code", "did you mean tr?")),
    ("evaluate pages pages", 0, ("page.html is an HTML page, and is compared as it is", "give --method hybrid")),
    ("evaluate pages emptydir", 1, ("no file in pages has a counterpart in emptydir", "match by name")),
    ("compare emptydir", 1, ("emptydir is not a gold directory", "`raw` (pages) and `clean`")),
]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mistakes")
    crawl = (EXAMPLES / "crawl.warc.gz").read_bytes()
    for name, data in {
        "crawl.warc.gz": crawl,
        "cut.warc.gz": crawl[:9000],
        "page.pdf": b"%PDF-1.4\n%\xe2\xe3\n1 0 obj\n",
        "photo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        "list.json": b'[{"url": "http://a.example/", "text": "The ferry sails until May."}]\n',
        "rows.jsonl": b'{"url": "http://a.example/", "text": "The ferry sails until May."}\n',
        "rows": b"url,html\nhttp://a.example/,<p>The ferry sails until May.\n",
        "rows.csv": b"url,html\nhttp://a.example/,<p>The ferry sails until May.\n",
        "lines.txt": b"The ferry sails until May.\n",
        "book.zip": b"PK\x03\x04" + bytes(30),
        "mine.ncm": b"{}",
        "old.jsonl": b"{}\n",
        "page.html": b"<html><p>The ferry sails until May.",
        "secret.html": b"<p>The ferry sails until May.",
    }.items():
        (folder / name).write_bytes(data)
    (folder / "emptydir").mkdir()
    (folder / "fr").mkdir()
    (folder / "pages").mkdir()
    shutil.copy(folder / "page.html", folder / "pages" / "page.html")
    return folder


Command = Callable[[str], tuple[int, str]]


@pytest.fixture
def ncleaner_says(
    place: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Command]:
    """Runs a command line in this process; returns its exit status, and what it says, on one line."""
    monkeypatch.chdir(place)
    monkeypatch.setitem(sys.modules, "s3fs", None)
    monkeypatch.setattr(
        "ncleaner.reading.inputs.os.access", lambda path, mode: "secret" not in str(path), raising=True
    )

    def run(line: str) -> tuple[int, str]:
        monkeypatch.setattr("sys.argv", ["ncleaner", *line.split()])
        status = _status()
        return status, " ".join(capfd.readouterr().err.split())

    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield run


def test_there_are_thirty_of_all_kinds() -> None:
    assert len(MISTAKES) >= 30 and len({line for line, _, _ in MISTAKES}) == len(MISTAKES)


@pytest.mark.parametrize(("line", "status", "said"), MISTAKES, ids=[line for line, _, _ in MISTAKES])
def test_a_mistake_is_answered_with_what_to_do(
    line: str, status: int, said: tuple[str, ...], ncleaner_says: Command, place: Path
) -> None:
    before = {path: path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()}
    ended, message = ncleaner_says(line)
    assert ended == status, message
    assert re.search(".*".join(map(re.escape, said)), message), message
    assert "Traceback" not in message
    # nothing of the user's is touched
    assert (
        before.items()
        <= {path: path.stat().st_mtime_ns for path in place.rglob("*") if path.is_file()}.items()
    )


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        (errno.ENOSPC, "free some space"),
        (errno.EACCES, "that you may write to"),
        (errno.EROFS, "may write to"),
    ],
)
def test_a_disk_that_cannot_be_written(
    reason: int, remedy: str, ncleaner_says: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(descriptor: int) -> None:
        raise OSError(reason, os.strerror(reason))

    monkeypatch.setattr("ncleaner.storage.local.os.fsync", fail)
    status, message = ncleaner_says("clean page.html -o full.jsonl -j 1")
    assert status == 1 and re.search(rf"cannot write .*{os.strerror(reason)} \(.*{remedy}", message), message


def test_mistakes_in_python() -> None:
    for call, error, said in (
        (lambda: ncleaner.clean(None), TypeError, "not None: leave it out"),  # type: ignore[arg-type]
        (lambda: ncleaner.clean(b"%PDF-1.4\n%\xe2\xe3"), ncleaner.errors.InputError, "PDF.*pdftotext"),
        (lambda: ncleaner.Cleaner("hybird"), ValueError, "no method 'hybird': did you mean hybrid"),
        (lambda: ncleaner.Cleaner(coments=False), TypeError, "no option 'coments': did you mean comments"),  # type: ignore[call-overload]
        (lambda: ncleaner.Cleaner(recall=True), TypeError, "has no option 'recall': did you mean threshold='recall'?"),  # type: ignore[call-overload]
        (lambda: ncleaner.Cleaner(colour=1), TypeError, "Cleaner has no option 'colour': method, model"),  # type: ignore[call-overload]
        (lambda: list(ncleaner.pages("crawl.wrac")), ncleaner.errors.InputError, "No such file"),
    ):  # fmt: skip
        with pytest.raises(error, match=said):
            call()
