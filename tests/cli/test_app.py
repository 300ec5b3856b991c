"""The command line as real processes: exit status, what goes where, and what is said about bad input."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ..archives import http, members, warc
from ..runs import outputs_in

EXAMPLES = Path(__file__).parents[2] / "examples"
CRAWL = str(EXAMPLES / "crawl.warc.gz")
NCLEANER = str(Path(sys.executable).with_name("ncleaner"))
PROSE = (
    "The ferry between the two islands was late again this morning, and those who had come early to get a "
    "seat stood on the pier for an hour and talked about the weather, which was good."
)
MENU = "<div><a href=/>Home</a> | <a href=/a>About</a> | <a href=/l>Log in</a></div>"
PAGE = f"<html><body>{MENU}<p>{PROSE}</p></body></html>"


def ncleaner(
    *arguments: str | Path, stdin: bytes = b"", cwd: Path | None = None, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    result = subprocess.run(
        [NCLEANER, *map(str, arguments)], input=stdin, capture_output=True, cwd=cwd, timeout=120,
        env={**os.environ, **(env or {})},
    )  # fmt: skip
    assert b"Traceback" not in result.stderr, result.stderr.decode()
    return result


# the main job -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.traced
def test_languages_are_given_in_one_list_or_one_by_one() -> None:
    outputs = [
        ncleaner("clean", CRAWL, "-f", "jsonl", "-m", "everything", *words).stdout
        for words in (("--language", "de,el,en"), ("--language", "de,el", "--language", "en"))
    ]
    found = {json.loads(line)["language"] for line in outputs[0].splitlines() if json.loads(line)["text"]}
    assert found == {"de", "el", "en"} and outputs[0] == outputs[1]


@pytest.mark.slow
@pytest.mark.parametrize("output_format", ["text", "cleaneval", "jsonl"])
def test_same_bytes_from_any_number_of_workers_and_from_a_pipe(output_format: str) -> None:
    one, two = (ncleaner("clean", CRAWL, "-f", output_format, "-j", jobs) for jobs in "12")
    pipe = ncleaner("clean", "-f", output_format, stdin=Path(CRAWL).read_bytes())
    assert one.returncode == two.returncode == pipe.returncode == 0
    # a pipe has no name
    named = one.stdout.replace(b'"archive":"%b"' % os.fsencode(CRAWL), b'"archive":null')
    assert one.stdout == two.stdout != b"" and named == pipe.stdout


def test_a_hyphen_is_standard_output(tmp_path: Path) -> None:
    result = ncleaner("clean", "-", "-o", "-", stdin=PAGE.encode(), cwd=tmp_path)
    assert result.stdout == ncleaner("clean", stdin=PAGE.encode()).stdout != b""
    assert list(tmp_path.iterdir()) == []


def test_garbage_is_collected_once_the_modules_are_loaded() -> None:
    code = (
        "import gc, sys; from ncleaner.cli import printing; from ncleaner.cli.app import main;"
        "show = printing.finish;"
        "printing.finish = lambda: (print(gc.isenabled(), gc.get_freeze_count() > 10_000), show());"
        "sys.argv = ['ncleaner', 'clean', '-']; main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], input=PAGE.encode(), capture_output=True, timeout=120
    )
    assert result.stdout.decode().splitlines()[-1] == "True True"


def test_every_page_is_accounted_for() -> None:
    result = ncleaner("clean", CRAWL, "-f", "jsonl")
    assert len(result.stdout.splitlines()) == 15
    said = result.stderr.decode()
    assert "15 pages read" in said
    assert "record type request: 17" in said
    assert "http status 404: 1" in said
    assert "media type image/gif: 1" in said


def test_quiet_says_nothing() -> None:
    assert ncleaner("clean", CRAWL, "--quiet").stderr == b""


def test_jsonl_has_what_a_corpus_needs() -> None:
    records = [
        json.loads(line) for line in ncleaner("clean", CRAWL, "-f", "jsonl", "--segments").stdout.splitlines()
    ]
    assert all(record["url"].startswith("http") and record["date"].endswith("Z") for record in records)
    assert {record["encoding"] for record in records} > {"utf-8", "windows-1251", "iso-8859-2", "shift_jis"}
    for record in records:
        texts = [record["text"][segment["start"] : segment["end"]] for segment in record["segments"]]
        assert "\n".join(texts) == record["text"]


def test_html_through_standard_input() -> None:
    result = ncleaner("clean", stdin=PAGE.encode())
    assert result.stdout.decode() == PROSE + "\n"


@pytest.mark.slow
def test_output_file_and_directory(tmp_path: Path) -> None:
    ncleaner("clean", CRAWL, "-o", tmp_path / "all.jsonl")
    ncleaner("clean", CRAWL, "-o", tmp_path / "out", "-f", "jsonl")
    expected = (tmp_path / "out" / "crawl.jsonl").read_bytes()
    assert (tmp_path / "all.jsonl").read_bytes() == expected != b""
    ncleaner("clean", CRAWL, "-o", tmp_path / "all.jsonl.gz", "--segments")
    assert b"segments" in gzip.decompress((tmp_path / "all.jsonl.gz").read_bytes())
    assert ncleaner("clean", CRAWL, "-o", tmp_path / "all.json").returncode == 2


@pytest.mark.slow
def test_a_file_that_exists_is_replaced_only_with_force(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    for option in ("-o", "--quarantine"):
        file.write_text("written by hand")
        refused = ncleaner("clean", "-", option, file, stdin=PAGE.encode())
        assert (refused.returncode, refused.stdout) == (1, b"")
        said = f"{file} exists already: name another file, or give --force to replace it"
        assert refused.stderr.decode() == f"ncleaner: {said}\n"
        logged = ncleaner("clean", "-", option, file, "--log-json", stdin=PAGE.encode())
        assert json.loads(logged.stderr)["what"] == said
        assert file.read_text() == "written by hand"
    assert ncleaner("clean", "-", "-o", file, "--force", stdin=PAGE.encode()).returncode == 0
    assert file.read_text() == PROSE + "\n"
    file.write_text("")
    assert ncleaner("clean", "-", "-o", file, stdin=PAGE.encode()).returncode == 0


@pytest.mark.slow
def test_methods_remove_more_and_more() -> None:
    words = [
        len(ncleaner("clean", CRAWL, "-m", method).stdout.split())
        for method in ("everything", "heuristics-only", "ngram")
    ]
    assert words[0] > words[1] > words[2] > 0


@pytest.mark.slow
def test_thresholds_and_presets_trade_recall_for_precision() -> None:
    for options in (["--threshold -2", "--threshold -1", "--threshold 1"], ["--recall", "", "--precision"]):
        sizes = [len(ncleaner("clean", CRAWL, *words.split()).stdout) for words in options]
        assert sizes[0] > sizes[1] > sizes[2]
    assert ncleaner("clean", CRAWL, "--recall", "--threshold", "0").returncode == 2


def test_limits_are_options(tmp_path: Path) -> None:
    result = ncleaner("clean", "--max-bytes", "100", stdin=PAGE.encode())
    assert result.returncode == 1
    assert result.stdout == b""
    assert b"too large" in result.stderr


def test_a_reader_that_has_seen_enough() -> None:
    command = f"{NCLEANER} clean {CRAWL} -m everything | head -n 1"
    result = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert len(result.stdout.splitlines()) == 1
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr


# bad input ----------------------------------------------------------------------------------------


def good(number: int) -> bytes:
    return warc(number, http(f"<p>{PROSE} That was day {number}.".encode()))


@pytest.mark.slow
@pytest.mark.traced
def test_truncated_archive_keeps_the_rest(tmp_path: Path) -> None:
    data = members(good(number) for number in range(5))
    (tmp_path / "cut.warc.gz").write_bytes(data[:-40])
    result = ncleaner("clean", tmp_path / "cut.warc.gz")
    assert result.returncode == 1
    assert result.stdout.decode().count("That was day") >= 4
    assert "cut.warc.gz at byte" in result.stderr.decode()
    # a run that has nothing left to do remembers it
    for said in (
        "cut.warc.gz at byte",
        "finished by an earlier run, with 1 place of damage, which `ncleaner report` names",
    ):
        result = ncleaner("clean", tmp_path / "cut.warc.gz", "-o", tmp_path / "out")
        assert result.returncode == 1 and said in result.stderr.decode()


@pytest.mark.slow
def test_bad_files_cost_no_neighbour(tmp_path: Path) -> None:
    (tmp_path / "a-empty.html").write_bytes(b"")
    (tmp_path / "b-binary.html").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20)
    (tmp_path / "c-script.html").write_text("<html><body><script>var a = 1;</script></body></html>")
    (tmp_path / "d-invalid.html").write_bytes(
        b"<meta charset=utf-8><p>" + PROSE.encode() + b" caf\xe9 \xff\xfe"
    )
    (tmp_path / "e-nul.html").write_bytes(f"<p>{PROSE}".replace(" ", "\0 ", 3).encode())
    (tmp_path / "f-deep.html").write_bytes(b"<div>" * 100_000 + PROSE.encode())
    (tmp_path / "g-wide.html").write_bytes(b"<i></i>" * 300_000 + f"<p>{PROSE}".encode())
    (tmp_path / "h-junk.warc.gz").write_bytes(b"this is no archive")
    (tmp_path / "i-text-id.html").write_text(
        f'<text id="http://x.example/" title="x">\n<html><p>{PROSE}</html></text>'
    )
    (tmp_path / "z-good.html").write_text(PAGE)
    result = ncleaner("clean", tmp_path, "-o", tmp_path / "out", "-j", "2")
    assert result.returncode == 1
    texts = {path.name: path.read_text() for path in (tmp_path / "out").glob("*.txt")}
    for name in ("d-invalid", "e-nul", "f-deep", "g-wide", "i-text-id", "z-good"):
        assert "stood on the pier for an hour" in texts[f"{name}.txt"], name
    for name in ("a-empty", "b-binary", "c-script"):
        assert texts[f"{name}.txt"] == "", name
    said = result.stderr.decode()
    assert "b-binary.html" in said
    assert "h-junk" in said
    assert "9 pages read" in said


@pytest.mark.slow
def test_page_of_fifty_megabytes_is_given_up(tmp_path: Path) -> None:
    with (tmp_path / "large.html").open("wb") as file:
        file.write(b"<p>")
        file.write(PROSE.encode() * 300_000)
    result = ncleaner("clean", tmp_path / "large.html")
    assert result.returncode == 1
    assert b"too large" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [["clean", "-f", "pdf"], ["clean", "-m", "magic"], ["clean", "-j", "0"], ["wash"], ["train"],
     ["train", "--raw", ".", "--clean", ".", "-o", "x", "--q", "2"],
     ["train", "--raw", ".", "--clean", ".", "-o", "x", "-m", "ngram", "--annotations", "."],
     ["train", "--raw", ".", "--clean", ".", "-o", "x", "-m", "ngram", "--structure", "own"],
     ["train", "--raw", ".", "--clean", ".", "-o", "x", "-m", "hybrid", "--without", "tags"],
     ["train", "-o", "x", "-m", "victor"], ["train", "-o", "x", "-m", "victor", "--annotations", ".", "-n", "2"]],
)  # fmt: skip
def test_usage_is_status_two(arguments: list[str]) -> None:
    assert ncleaner(*arguments).returncode == 2


# the other commands -------------------------------------------------------------------------------


def test_dump_and_inspect() -> None:
    dump = ncleaner("dump", "-", stdin=PAGE.encode()).stdout.decode().splitlines()
    assert dump == ["h\tHome | About | Log in", f"p\t{PROSE}"]
    table = ncleaner("inspect", "-", stdin=PAGE.encode()).stdout.decode().splitlines()
    assert table[1] == "language en; model en"
    assert table[2].startswith("kind of page: fragment ")
    assert table[3].startswith("estimated quality: F1 0.")
    assert [line.split()[0] for line in table[5:7]] == ["-", "+"]
    page = PAGE.replace("<html>", "<html lang=pl-PL>").encode()
    told = ncleaner("inspect", "-", "--model", "ru", stdin=page).stdout.decode().splitlines()[1]
    assert told == "language en (the page declares 'pl-PL'); model ru"


@pytest.mark.slow
def test_train_clean_evaluate(tmp_path: Path) -> None:
    pages, gold = EXAMPLES / "pages", EXAMPLES / "gold"
    train = ("train", "--raw", pages, "--clean", gold, "--name", "mine", "--alphabet", "nonlexical", "-o")
    trained = [ncleaner(*train, tmp_path / name) for name in ("a", "b")]
    assert "15 pages" in trained[0].stderr.decode()
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    ncleaner("clean", pages, "-o", tmp_path / "mine", "-f", "cleaneval", "--model", tmp_path / "a")
    ncleaner("clean", pages, "-o", tmp_path / "raw", "-f", "cleaneval", "-m", "everything")
    scores = [
        json.loads(ncleaner("evaluate", tmp_path / name, gold, "--json").stdout)["words"]["micro"]["f_score"]
        for name in ("raw", "mine")
    ]
    assert scores[1] > scores[0] + 5
    table = ncleaner("evaluate", tmp_path / "mine", gold).stdout.decode()
    assert f"{scores[1]:.2f}" in table


@pytest.mark.slow
def test_evaluate_tells_the_convention_of_the_gold_text(tmp_path: Path) -> None:
    pages, gold = EXAMPLES / "pages", EXAMPLES / "gold"
    unseen = ncleaner("evaluate", gold, gold).stdout.decode()
    assert unseen.splitlines()[-1].endswith("is not known: --raw DIR names its pages.")
    assert json.loads(ncleaner("evaluate", gold, gold, "--json").stdout)["convention"] is None

    seen = ncleaner("evaluate", gold, gold, "--raw", pages).stdout.decode()
    assert (
        "This gold text contains the headline on 100 % of the pages that have one:\nclean with --headline"
        in seen
    )
    assert (
        "leaves out readers' comments on 100 % of the pages that have\nthem: clean with --no-comments" in seen
    )
    told = json.loads(ncleaner("evaluate", gold, gold, "--raw", pages, "--json").stdout)["convention"]
    assert told["headline"] == {"pages": 15, "kept": 15, "share": 1, "convention": "kept"}
    assert told["comment"]["convention"] == "left out"

    # beside the gold texts
    copied = shutil.copytree(gold, tmp_path / "set" / "clean")
    shutil.copytree(pages, tmp_path / "set" / "raw")
    shutil.copy(EXAMPLES / "manifest.jsonl", tmp_path / "set")
    assert ncleaner("evaluate", gold, copied).stdout.decode() == seen
    shutil.rmtree(tmp_path / "set" / "raw")
    (tmp_path / "set" / "raw").mkdir()
    other = ncleaner("evaluate", gold, copied)
    assert (other.returncode, b"is not known; --raw DIR names its pages" in other.stdout) == (0, True)

    wrong = ncleaner("evaluate", gold, gold, "--raw", tmp_path)
    assert (wrong.returncode, b"has a counterpart of the same name" in wrong.stderr) == (1, True)
    assert ncleaner("evaluate", pages, gold, "--raw", pages, "--curve", "x").returncode == 2


@pytest.mark.slow
def test_annotate_correct_train_clean(tmp_path: Path) -> None:
    pytest.importorskip("pycrfsuite", reason="python-crfsuite is not installed")
    page, gold = tmp_path / "page.html", tmp_path / "gold.txt"
    page.write_text(PAGE)
    gold.write_text(f"<h>{PROSE}")
    by_gold = ncleaner("annotate", page, "--clean", gold, "-o", tmp_path / "by_gold.anno")
    assert by_gold.stderr.decode() == f"{tmp_path / 'by_gold.anno'}: 6 blocks\n"
    assert (tmp_path / "by_gold.anno").read_text().splitlines()[-1] == f"h\t{PROSE}"
    for method in ("ngram", "victor"):
        assert ncleaner("annotate", page, "-m", method).returncode == 0
        lines = (tmp_path / "page.anno").read_text().splitlines()
        assert lines[0] == "# page.html"
        assert lines[2:-1] == ["o\tHome", "o\t|", "o\tAbout", "o\t|", "o\tLog in"]
        assert lines[-1].endswith(f"\t{PROSE}")
    for name in ("a", "b"):
        trained = ncleaner("train", "-m", "victor", "--annotations", tmp_path, "-o", tmp_path / f"{name}.ncm")
        # the file without a page
        assert "by_gold.anno has no page" in trained.stderr.decode()
    (tmp_path / "by_gold.anno").unlink()
    pages, clean = EXAMPLES / "pages", EXAMPLES / "gold"
    for name in ("a", "b"):
        trained = ncleaner(
            "train", "-m", "victor", "--annotations", tmp_path, "--raw", pages, "--clean", clean, "-o",
            tmp_path / name, "--name", "mine",
        )  # fmt: skip
        assert "16 pages" in trained.stderr.decode()
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert ncleaner("models", "show", tmp_path / "a").stdout.startswith(b"name       mine\n")
    assert len(ncleaner("clean", pages, "-m", "victor").stdout) > 10_000


@pytest.mark.slow
def test_train_a_hybrid(tmp_path: Path) -> None:
    pages, clean, model = EXAMPLES / "pages", EXAMPLES / "gold", tmp_path / "mine.ncm"
    arguments = ("train", "-m", "hybrid", "--raw", pages, "--clean", clean, "-o", model)
    assert ncleaner(*arguments, "--name", "mine", "--language", "en").returncode == 0
    card = ncleaner("models", "show", model).stdout.decode()
    assert "\nname       mine\n" in card and "structure model: the shipped one" in card
    text = f"{PROSE}\n"
    (tmp_path / "page.html").write_text(PAGE)
    for chosen in (model, tmp_path):
        assert ncleaner("clean", tmp_path / "page.html", "--model", chosen).stdout.decode() == text
    pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    odd = ncleaner(*arguments, "--structure", "own", "--without", "magic")
    assert odd.returncode == 2 and "no feature or group 'magic'" in odd.stderr.decode()


@pytest.mark.slow
def test_plain_text_that_a_method_leaves_to_another_one_is_told_once(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(f"{PROSE}\n")
    said = "2 pages are plain text, which has no structure: cleaned by the method everything"
    for method, times in (("hybrid", 0), ("ngram", 0), ("webcontent", 1)):
        result = ncleaner("clean", tmp_path, "-m", method)
        assert result.stdout.decode().split("\n\n")[0] == PROSE
        assert result.stderr.decode().count(said) == times


def test_a_page_in_a_pipe_has_a_summary_of_one_line(tmp_path: Path) -> None:
    found = ncleaner("clean", stdin=PAGE.encode())
    assert found.stderr == b"1 page read: 1 cleaned, 0 empty, 0 given up\n"
    page = tmp_path / "page.html"
    page.write_text(PAGE)
    assert b"1 page read: 1 cleaned, 0 empty, 0 given up\n1 segment kept" in ncleaner("clean", page).stderr


GREEK = "<html lang=en><h1>Ένα</h1>" + 6 * (
    "<p>Το λιμεναρχείο ανακοίνωσε σήμερα ότι το πλοίο θα φύγει αύριο το πρωί για τα νησιά, αν ο άνεμος πέσει.</p>"
)


@pytest.mark.slow
def test_the_language_that_is_found_and_letters_that_the_model_does_not_know(tmp_path: Path) -> None:
    """The page declares another language; by its structure some of it is kept under any model."""
    page = tmp_path / "page.html"
    page.write_text(GREEK + MENU, "utf-8")
    found = ncleaner("clean", page).stderr.decode()
    assert "languages (el: 1)" in found and "models (el: 1)" in found and "letters" not in found
    told = ncleaner("clean", page, "--model", "en", "-o", tmp_path / "out").stderr.decode()
    assert "languages (el: 1)" in told and "models (en: 1)" in told
    assert "1 page is in letters that the model hardly knows" in told
    report = ncleaner("report", tmp_path / "out").stdout.decode()
    assert re.search(r"^in letters new to the model +1$", report, re.M)
    assert re.search(r"^languages +el 1$", report, re.M)
    for model in ("el", "nonlexical"):
        assert b"letters" not in ncleaner("clean", page, "--model", model).stderr


@pytest.mark.slow
def test_comments_on_demand(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<h1>Late</h1><p>{PROSE}</p><ul class=comments><li>{PROSE} So!</ul>")
    for method in ("everything", "ngram"):
        text = ncleaner("clean", tmp_path / "page.html", "-m", method, "--comments").stdout.decode()
        assert "So!" in text
        short = ncleaner("clean", tmp_path / "page.html", "-m", method, "--no-comments").stdout.decode()
        assert short == text.replace(f"{PROSE} So!\n", "")
        default = ncleaner("clean", tmp_path / "page.html", "-m", method).stdout.decode()
        assert default == (short if method == "ngram" else text)


@pytest.mark.slow
def test_notices_on_demand(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(
        "<html lang=en><h1>Page not found</h1><p>This page does not exist.</p>"
    )
    dropped = ncleaner("clean", tmp_path / "page.html")
    assert dropped.stdout == b""
    assert "1 empty page is only a notice" in dropped.stderr.decode()
    kept = ncleaner("clean", tmp_path / "page.html", "--notices")
    assert kept.stdout.decode() == "Page not found\nThis page does not exist.\n"
    assert "notice" not in kept.stderr.decode()


@pytest.mark.slow
def test_an_archive_that_is_damaged_everywhere_tells_it_briefly(tmp_path: Path) -> None:
    (tmp_path / "broken.warc").write_bytes(b"WARC/1.0\r\nWARC-Type: response\r\n\r\n" * 400)
    said = ncleaner("clean", tmp_path / "broken.warc").stderr.decode().splitlines()
    assert len(said) < 30 and sum("no valid Content-Length" in line for line in said) == 20
    assert sum("further places of damage are only counted" in line for line in said) == 1
    logged = ncleaner("clean", tmp_path / "broken.warc", "--log-json").stderr.decode().splitlines()
    assert sum(json.loads(line)["event"] == "damage" for line in logged) > 100


@pytest.mark.slow
def test_reserved_pages_on_demand(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(f"<meta name=robots content=noai>{PAGE}")
    row = json.loads(ncleaner("clean", tmp_path / "page.html", "-f", "jsonl", "--metadata").stdout)
    assert row["text"] and row["metadata"]["robots"] == ["noai"]
    assert row["metadata"]["tdm_reservation"] is None
    respected = ncleaner("clean", tmp_path / "page.html", "--respect-tdm", "-f", "jsonl", "--all-pages")
    assert json.loads(respected.stdout)["left_out"] == "reserved"
    assert "1 page is left out for opting out" in respected.stderr.decode()
    document = ncleaner("clean", tmp_path / "page.html", "-f", "prevertical", "--attribute", "why=robots")
    assert document.stdout.startswith(b'<doc why="noai">')


@pytest.mark.slow
def test_doubtful_pages_on_demand(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    kept = ncleaner("clean", tmp_path / "page.html", "-f", "jsonl")
    row = json.loads(kept.stdout)
    assert 0 < row["quality"] < 1 and row["text"]
    strict = ncleaner("clean", tmp_path / "page.html", "--min-quality", "1")
    assert strict.stdout == b"" and "1 page is left out for low" in strict.stderr.decode()
    wrong = ncleaner("clean", tmp_path / "page.html", "--min-quality", "0.9", "-m", "bte")
    assert wrong.returncode == 2 and "bte does not estimate quality" in " ".join(
        wrong.stderr.decode().split()
    )


@pytest.mark.slow
def test_annotations_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE)
    result = ncleaner("annotate", tmp_path / "page.html", "-o", tmp_path / "nowhere" / "x.anno")
    assert result.returncode == 1
    assert "cannot write" in result.stderr.decode()
    assert "cannot read" in ncleaner("annotate", tmp_path / "other.html").stderr.decode()


def test_models_are_listed() -> None:
    listed = ncleaner("models").stdout.decode()
    assert "\nen " in listed
    assert "\nnonlexical " in listed


@pytest.mark.slow
def test_the_version_by_both_ways_to_start_it() -> None:
    versions = rb"ncleaner \S+ \(outputs 1, models 1, surveys 2\)\n"
    assert re.fullmatch(versions, ncleaner("--version").stdout)
    module = subprocess.run([sys.executable, "-m", "ncleaner", "--version"], capture_output=True, check=True)
    assert module.stdout == ncleaner("--version").stdout


# outputs, limits and logs -------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("output_format", "suffix"),
    [
        ("text", ".txt"),
        ("jsonl", ".jsonl"),
        ("vertical", ".vert"),
        ("wet", ".warc.wet.gz"),
        ("parquet", ".parquet"),
    ],
)
def test_formats_do_not_depend_on_workers(output_format: str, suffix: str, tmp_path: Path) -> None:
    for jobs in "12":
        command = ("clean", CRAWL, EXAMPLES / "pages", "-f", output_format, "-o", tmp_path / jobs, "-j", jobs)
        whole = ("--rows-per-file", "0") if output_format == "parquet" else ()
        assert ncleaner(*command, *whole).returncode == 0
    one, two = (outputs_in(tmp_path / jobs) for jobs in "12")
    assert one == two
    assert all(name.endswith(suffix) for name in one)
    assert ncleaner("clean", CRAWL, "-f", output_format, "-j1").stdout == one[f"crawl{suffix}"]


@pytest.mark.slow
@pytest.mark.parametrize("compression", ["gz", "zst"])
def test_compressed_outputs(compression: str, tmp_path: Path) -> None:
    plain = ncleaner("clean", CRAWL).stdout
    ncleaner("clean", CRAWL, "--compress", compression, "-o", tmp_path)
    again = ncleaner("clean", tmp_path / f"crawl.txt.{compression}", "-m", "everything", "-f", "jsonl")
    text = "\n".join(json.loads(line)["text"] for line in again.stdout.splitlines())
    assert text.split() == plain.decode().split()
    result = ncleaner("clean", CRAWL, "--compress", compression, "-f", "wet")
    assert result.returncode == 2
    assert b"have it, not wet" in b" ".join(result.stderr.split())


@pytest.mark.slow
def test_more_segments_than_allowed() -> None:
    page = "".join(f"<p>Paragraph {number}." for number in range(50)).encode()
    result = ncleaner("clean", "--max-segments", "49", stdin=page)
    assert result.returncode == 1
    assert b"page given up: the page has 50 segments, more than the limit of 49" in result.stderr
    assert ncleaner("clean", "--max-segments", "50", stdin=page).returncode == 0


@pytest.mark.slow
def test_log_for_programs(tmp_path: Path) -> None:
    archive = tmp_path / "cut.warc.gz"
    archive.write_bytes(members([warc(number) for number in range(3)])[:-100])
    result = ncleaner("clean", archive, "-o", tmp_path / "out", "--log-json")
    events = [json.loads(line) for line in result.stderr.splitlines()]
    assert [event["event"] for event in events] == ["damage", "input_finished", "finished"]
    assert events[0]["source"] == str(archive)
    assert events[0]["offset"] > 0
    assert (events[2]["pages"], events[2]["damaged"], events[2]["inputs"]) == (3, 1, 1)
    assert all(event["time"].endswith("+00:00") for event in events)
    result = ncleaner("clean", archive, "-o", tmp_path / "out", "--log-json", "--model", "xx")
    [event] = [json.loads(line) for line in result.stderr.splitlines()]
    assert (result.returncode, event["event"]) == (1, "error")
    assert "no model 'xx'" in event["what"]
    result = ncleaner("clean", archive, "--log-json", "--quiet")
    assert [json.loads(line)["event"] for line in result.stderr.splitlines()] == ["damage"]


@pytest.mark.slow
def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    for options in (("--quarantine", "q.warc.gz", "-o", tmp_path),):
        assert ncleaner("clean", CRAWL, *options).returncode == 2


@pytest.mark.slow
@pytest.mark.traced
def test_metadata_and_signals(tmp_path: Path) -> None:
    options = ("clean", CRAWL, "-f", "jsonl", "--metadata", "--signals", "-q")
    result = ncleaner(*options, "-j1")
    assert result.returncode == 0 and result.stdout == ncleaner(*options, "-j2").stdout
    records = {record["url"]: record for record in map(json.loads, result.stdout.splitlines())}
    said = next(record for url, record in records.items() if "ferry" in url)["metadata"]
    assert said["authors"] == ["Morag Tennant"] and said["published"].startswith("2024-03-18T")
    assert sum(bool(record["metadata"]["title"]) for record in records.values()) >= 12
    for arguments, message in (
        (
            ["-f", "text", "--metadata"],
            "only jsonl, parquet, vertical, prevertical, tei and markdown have it",
        ),
        (["-f", "wet", "--signals"], "only jsonl and parquet have it"),
    ):
        refused = ncleaner("clean", CRAWL, *arguments)
        assert refused.returncode == 2 and message in " ".join(
            refused.stderr.decode().replace("│", " ").split()
        )
