"""What a crawl says never acts on a terminal: every command over archives, file names and models that are
full of control characters, as real processes, whose output is searched for them."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from ..archives import DATE, members
from ..faults import hooked

# many processes
pytestmark = pytest.mark.slow

NCLEANER = str(Path(sys.executable).with_name("ncleaner"))
# ESC, OSC, CSI, CSI of C1, carriage return, backspace, DEL, overrides and isolates, a separator of lines, the
# markup of rich and the name of an emoji
ACTING = "\x1b]0;owned\x07\x1b[31m\x9b2J\x08\x7f\u202ek\u2066l\u061c\u200f\u2028[red]m[/] [/b] :bomb:\rx"
# a name of a file has no slash, and is bytes
NAME = os.fsdecode(ACTING.replace("/", "").encode() + b"\xff")
# all that must not reach a terminal; a line feed ends lines, and a tab stands behind the kind of a segment
FORBIDDEN = re.compile("(?![\n\t])[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
PROSE = (
    "The ferry between the two islands was late again this morning, and those who had come early to get a "
    "seat stood on the pier for an hour and talked about the weather, which was good."
)


def record(target: str, block: bytes, kind: str = "response", length: int | None = None) -> bytes:
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{zlib.crc32(target.encode()):032d}>\r\n"
        f"WARC-Date: {DATE}\r\nWARC-Target-URI: {target}\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block) if length is None else length}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def http(body: str, content_type: str = "text/html; charset=utf-8", *fields: str) -> bytes:
    return "\r\n".join(["HTTP/1.1 200 OK", f"Content-Type: {content_type}", *fields, "", body]).encode()


def page(number: int = 0) -> str:
    # what is not text in a page's text is dropped; of the direction of text a page may say what it wants
    text = ACTING.encode("ascii", "ignore").decode()
    return (
        f'<html lang="{ACTING}"><title>{ACTING}</title><h1 id="{ACTING}">{text} {number}</h1>'
        + f"<p>{PROSE} {text}</p>" * 3
        + "<pre>a\rb\x0bc</pre></html>"
    )


def unchecked(
    *arguments: str | Path, env: dict[str, str] | None = None, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [NCLEANER, *map(str, arguments)], input=stdin, capture_output=True, timeout=300, check=False,
        env={**os.environ, **(env or {})},
    )  # fmt: skip


def checked(
    *arguments: str | Path, env: dict[str, str] | None = None, stdin: bytes = b""
) -> tuple[int, str, str]:
    """Runs a command; returns status, standard output and standard error, in which nothing acts."""
    result = unchecked(*arguments, env=env, stdin=stdin)
    out, err = result.stdout.decode(), result.stderr.decode()
    for text in (out, err):
        found = FORBIDDEN.search(text)
        assert not found, f"{found[0]!r} in {text[max(0, found.start() - 200) : found.end() + 50]!r}"
        assert "Traceback" not in text, text
    return result.returncode, out, err


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive with all that can be said in one, under a name that acts, too."""
    folder = tmp_path_factory.mktemp("crawl")
    path = folder / f"{NAME}.warc.gz"
    records = [
        record(f"http://a{ACTING}.example/{ACTING}", http(page(1))),
        record(f"http://b.example/{ACTING}", http("x" * 3000)),
        record("http://c.example/", http("{}", f"application/{ACTING}")),
        record("http://d.example/", b"x", kind=f"odd{ACTING}"),
        record(f"http://e.example/{ACTING}", http("zzz", "text/html", f"Content-Encoding: {ACTING}")),
        record(f"http://e.example/gzip{ACTING}", http("zzz", "text/html", "Content-Encoding: gzip")),
        record(f"http://f.example/{ACTING}", http(page(2)), length=100_000),
        record(f"http://g.example/{ACTING}", http(page(3))),
    ]
    path.write_bytes(members(records))
    return path


CLEANING = [
    ["-f", "text"],
    ["-f", "cleaneval"],
    ["-f", "text", "-j2"],
    ["-m", "everything", "-f", "cleaneval", "--max-bytes", "2000"],
]


@pytest.mark.parametrize("options", CLEANING, ids=" ".join)
def test_messages_summary_and_text_of_clean(crawl: Path, options: list[str]) -> None:
    status, out, err = checked("clean", crawl, *options)
    assert (status == 1 and "ferry" in out) or "--max-bytes" in options
    # all of it can be seen
    assert r"\x1b]0;owned\x07\x1b[31m" in err and r"\u202ek\u2066l" in err and "[red]m[/] [/b] :bomb:" in err
    assert r"media type application/\x1b" in err and r"record type odd\x1b" in err
    if "cleaneval" in options:
        urls = [line for line in out.splitlines() if line.startswith("URL: ")]
        assert all(r"\x1b]0;owned" in line and r"\u2028[red]" in line for line in urls) and urls


def test_formats_for_programs_keep_the_data(crawl: Path) -> None:
    records = [json.loads(line) for line in unchecked("clean", crawl, "-f", "jsonl").stdout.splitlines()]
    assert any("\x1b]0;owned\x07" in record["url"] and "\u202e" in record["url"] for record in records)


@pytest.mark.parametrize("options", [["--log-json"], ["-q"]], ids=" ".join)
def test_logs(crawl: Path, options: list[str]) -> None:
    _, _, err = checked("clean", crawl, *options)
    if options == ["--log-json"]:
        events = [json.loads(line) for line in err.splitlines()]
        assert any("\x1b]0;owned" in event.get("url", "") for event in events)


def test_dump_and_inspect(crawl: Path) -> None:
    _, out, err = checked("dump", crawl)
    assert re.search(r"^URL: http://a\\x1b", out, re.M) and r"\x1b" in err
    for number in ("1", "2", "3"):
        status, out, _ = checked("inspect", crawl, "-n", number, "-m", "ngram")
        assert status == 0
    assert checked("inspect", crawl, "-n", "99")[0] == 1


def test_report(crawl: Path, tmp_path: Path) -> None:
    out = tmp_path / NAME
    checked("clean", crawl, crawl.parent / f"missing{NAME}.warc", "-o", out)
    assert checked("clean", crawl, "-o", out)[0] == 1
    # the settings have changed
    assert r"again" in checked("clean", crawl, "-o", out, "-m", "ngram")[2]
    status, table, _ = checked("report", out, "--html", tmp_path / "report.html")
    assert status == 0 and r"\x1b]0;owned" in table and "[red]m[/]" in table
    shown = (tmp_path / "report.html").read_text("utf-8")
    assert not FORBIDDEN.search(shown.replace("\t", " ")) and r"\x1b]0;owned" in shown
    assert json.loads(checked("report", out, "--json")[1])["inputs"][0]["input"]
    assert checked("report", tmp_path / f"none{NAME}")[0] == 1


@pytest.mark.slow
def test_quarantine(crawl: Path, tmp_path: Path) -> None:
    path = tmp_path / f"deadly{NAME}.warc.gz"
    path.write_bytes(members([record(f"http://k.example/?fault=segfault&{ACTING}", http(page()))]))
    status, _, err = checked("clean", path, "-o", tmp_path / "out", env=hooked())
    said = checked("report", tmp_path / "out")[1]
    assert status == 1 and "page given up" in err
    assert "Pages in quarantine" in said and r"fault=segfault&\x1b]0;owned" in said


def test_html_of_a_crawl_is_no_markup_in_the_pages_of_the_tool(tmp_path: Path) -> None:
    script = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    path = tmp_path / f"{script.replace('/', '')}.warc"
    bad = [
        record(f"http://a.example/{script}", http(page(1))),
        record(f"http://{script}.example/", http(page(2))),
        record(f"http://b.example/{script}", http("zzz", "text/html", "Content-Encoding: gzip")),
        record("http://c.example/", http("{}", f"application/{script.split('>')[0]}")),
        record("http://d.example/", b"x", kind=script),
    ]
    path.write_bytes(b"".join(bad))
    out = tmp_path / script.replace("/", "")
    checked("clean", path, "-o", out)
    checked("report", out, "--html", tmp_path / "report.html")
    checked("survey", path, "-o", tmp_path / "s.ncs", "--html", tmp_path / "survey.html", "-q")
    for name in ("report.html", "survey.html"):
        shown = (tmp_path / name).read_text("utf-8")
        assert "<script" not in shown and "<img" not in shown
    assert "&lt;script&gt;" in (tmp_path / "report.html").read_text("utf-8")


def test_survey(crawl: Path, tmp_path: Path) -> None:
    survey = tmp_path / f"{NAME}.ncs"
    _, out, err = checked("survey", crawl, "-o", survey, "--html", tmp_path / "s.html", "-j1")
    assert "site" in out and r"\x1b]0;owned" in err
    assert not FORBIDDEN.search((tmp_path / "s.html").read_text("utf-8"))
    json.loads(checked("survey", survey, "-o", tmp_path / "t.ncs", "--json")[1])
    assert checked("survey", tmp_path / f"no{NAME}", "-o", tmp_path / "u.ncs")[0] == 1


def test_sort(crawl: Path, tmp_path: Path) -> None:
    _, _, err = checked("sort", crawl, "-o", tmp_path / f"out{NAME}")
    assert "records of 1 input" in err
    assert r"\x1b]0;owned" in err
    plain = tmp_path / f"page{NAME}.html"
    plain.write_text("<p>a")
    assert "neither a WARC nor an ARC" in checked("sort", plain, "-o", tmp_path / "other")[2]
    assert checked("sort", crawl.parent / f"no{NAME}", "-o", tmp_path / "third")[0] == 1


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    """Pages whose names and types act."""
    folder = tmp_path / f"gold{NAME}"
    (folder / "raw").mkdir(parents=True)
    (folder / "clean").mkdir()
    lines = []
    for number in range(3):
        name = f"{number}{NAME}"
        (folder / "raw" / f"{name}.html").write_text(page(number), "utf-8")
        (folder / "clean" / f"{name}.txt").write_text(PROSE, "utf-8")
        about = {"id": name, "url": f"http://h{number}.example/{ACTING}", "page_type": f"type {ACTING}"}
        lines.append(json.dumps(about))
    (folder / "clean" / f"alone{NAME}.txt").write_text(PROSE, "utf-8")
    (folder / "manifest.jsonl").write_text("\n".join(lines))
    return folder


def test_evaluate(gold: Path, tmp_path: Path) -> None:
    clean = gold / "clean"
    pred = tmp_path / "pred"
    shutil.copytree(clean, pred)
    (pred / f"more{NAME}.txt").write_text(PROSE)
    (clean / f"less{NAME}.txt").write_text(PROSE)
    status, out, _ = checked("evaluate", pred, clean, "--per-page", "-j1")
    assert status == 0 and r"0\x1b]0;owned" in out and r"  more\x1b" in out and r"  less\x1b" in out
    assert json.loads(checked("evaluate", pred, clean, "--json", "-j1")[1])
    assert checked("evaluate", tmp_path / f"none{NAME}", clean)[0] == 1


@pytest.mark.slow
def test_compare(gold: Path) -> None:
    status, out, _ = checked("compare", gold, "-t", "everything", "-t", "bte", "-j1", "--unwrap")
    assert status == 0 and r"gold\x1b]0;owned" in out and r"type \x1b]0;owned" in out
    assert json.loads(checked("compare", gold, "-t", "everything", "--json", "-j1")[1])["sets"]


def test_a_model_of_somebody_else(gold: Path, tmp_path: Path) -> None:
    model = tmp_path / f"{NAME}.ncm"
    arguments: list[str | Path] = ["--raw", gold / "raw", "--clean", gold / "clean", "-o", model]
    named = ["--name", ACTING, "--sources", ACTING]
    assert checked("train", *arguments, "--language", ACTING)[0] == 2
    status, _, err = checked("train", *arguments, *named)
    assert status == 0 and r"\x1b]0;owned" in err
    assert r"\x1b]0;owned" in checked("models", "show", model)[1]
    assert checked("inspect", gold / "raw" / f"0{NAME}.html", "--model", model, "-m", "ngram")[0] == 0
    assert checked("clean", gold / "raw", "--model", model)[0] == 0
    model.write_bytes(b"no model")
    assert checked("models", "show", model)[0] == 1


def test_annotate_and_bad_annotations(gold: Path, tmp_path: Path) -> None:
    source = gold / "raw" / f"0{NAME}.html"
    status, _, err = checked("annotate", source)
    assert status == 0 and r"\x1b]0;owned" in err
    written = source.with_suffix(".anno")
    written.write_text(ACTING + "\n")
    assert checked("train", "-m", "victor", "--annotations", gold / "raw", "-o", tmp_path / "v.ncm")[0] == 1


def test_arguments(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(f"{tmp_path}/none/{ACTING.splitlines()[0]}\n")
    for arguments in (
        [ACTING], ["clean", ACTING], ["clean", f"--{ACTING}"], ["clean", "--method", ACTING],
        ["clean", "--model", ACTING, "x.html"], ["clean", "--set", ACTING, "x.html"],
        ["clean", "--marker", "(" + ACTING, "x.html"], ["clean", "--encoding", ACTING, __file__],
        ["clean", "--sites", ACTING, "x.html"], ["report", ACTING], ["models", "show", ACTING],
        ["train", "--raw", ACTING, "--clean", ACTING, "-o", "x"], ["clean", __file__, "-o", tmp_path / "list" / f"{NAME}.txt"],
        ["tune", "--raw", ACTING, "--clean", ACTING], ["compare", ACTING], ["dump", ACTING], ["inspect", ACTING],
    ):  # fmt: skip
        status, _, err = checked(*arguments)
        assert status in (1, 2) and err, arguments
    assert checked("clean", "--inputs-from", tmp_path / "list")[0] == 1


def test_warnings_of_the_python_api(crawl: Path) -> None:
    code = "import ncleaner, sys\nprint(len(list(ncleaner.pages(sys.argv[1]))))"
    found = subprocess.run([sys.executable, "-c", code, crawl], capture_output=True, check=True)
    said = found.stderr.decode()
    assert not FORBIDDEN.search(said) and r"\x1b]0;owned" in said


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such terminals")
def test_above_the_bar_of_a_terminal(crawl: Path) -> None:
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [NCLEANER, "clean", crawl, "-o", os.fspath(crawl.parent / "terminal.txt")],
        stderr=theirs, stdout=subprocess.DEVNULL, env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "80"},
    )  # fmt: skip
    os.close(theirs)
    said = b""
    with contextlib.suppress(OSError):
        while piece := os.read(ours, 65536):
            said += piece
    process.wait(60)
    os.close(ours)
    text = said.decode()
    assert "\x1b]0;" not in text and "\x1b[31m" not in text and "\x08" not in text and "\x9b" not in text
    assert not re.search("[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", text)
    assert r"\x1b]0;owned\x07" in text and "[red]m[/]" in text.replace("\r\n", "") and ":bomb:" in text
