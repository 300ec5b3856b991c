"""The command `survey`, as a user has it, and `clean --sites`."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from ncleaner import Cleaner
from ncleaner.reading.inputs import find_inputs
from ncleaner.running.settings import Settings
from ncleaner.running.surveys import surveyed

from ..archives import DATE, http, warc
from ..surveying.test_surveying import PLACES, TEMPLATE, article


def page(number: int) -> bytes:
    head = f"<html lang=en><title>Story {number}</title><h1>Story {number}</h1>"
    return f"{head}{article(number)}<p>{TEMPLATE}</p>".encode()


def archive(path: Path, numbers: range, site: str = "http://news.county.example") -> Path:
    path.write_bytes(
        b"".join(warc(number, http(page(number)), target=f"{site}/{number}") for number in numbers)
    )
    return path


def ncleaner(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ncleaner", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_survey_and_clean(tmp_path: Path) -> None:
    archive(tmp_path / "crawl.warc", range(8))
    done = ncleaner("survey", "crawl.warc", "-o", "sites.ncs", "--html", "crawl.html", cwd=tmp_path)
    assert done.returncode == 0 and "8 pages of 1 site" in done.stderr
    portrait = (tmp_path / "crawl.html").read_text()
    assert "county.example" in done.stdout and portrait.count("<table") == 1
    assert "<p>Pages by site: county.example 8, no other.</p>" in portrait
    # nothing is left of the work
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl.html", "crawl.warc", "sites.ncs"]
    before = ncleaner("clean", "-q", "crawl.warc", cwd=tmp_path).stdout
    after = ncleaner("clean", "-q", "crawl.warc", "--sites", "sites.ncs", cwd=tmp_path).stdout
    assert before.count(TEMPLATE) == 8 and after == before.replace(f"{TEMPLATE}\n", "")


@pytest.mark.slow
@pytest.mark.traced
def test_a_run_makes_its_own_survey(tmp_path: Path) -> None:
    archive(tmp_path / "crawl.warc", range(8))
    ncleaner("survey", "-q", "crawl.warc", "-o", "sites.ncs", cwd=tmp_path)
    known = ncleaner("clean", "-q", "crawl.warc", "--sites", "sites.ncs", cwd=tmp_path).stdout
    auto = ("clean", "-q", "crawl.warc", "--sites", "auto")
    assert TEMPLATE not in known and ncleaner(*auto, cwd=tmp_path).stdout == known
    # in a directory it stays, for a run that goes on
    assert ncleaner(*auto, "-o", "out", cwd=tmp_path).returncode == 0
    survey, output = tmp_path / "out/_run/sites.ncs", tmp_path / "out/crawl.txt"
    made, written = survey.stat().st_mtime_ns, output.read_text()
    output.unlink()
    assert ncleaner(*auto, "-o", "out", cwd=tmp_path).returncode == 0
    assert survey.stat().st_mtime_ns == made and output.read_text() == written
    # another crawl is another survey
    archive(tmp_path / "crawl.warc", range(2))
    assert ncleaner(*auto, "-o", "out", cwd=tmp_path).returncode == 0
    assert survey.stat().st_mtime_ns != made and TEMPLATE in output.read_text()


def test_a_survey_that_stays_needs_no_temporary_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A run that is killed would leave it behind."""
    archive(tmp_path / "crawl.warc", range(8))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "none"))
    inputs, settings = find_inputs([str(tmp_path / "crawl.warc")]), Settings()
    with surveyed(inputs, settings, tmp_path / "out"):
        assert (tmp_path / "out/_run/sites.ncs").is_file()
    with pytest.raises(FileNotFoundError), surveyed(inputs, settings, tmp_path / "out.txt"):
        pass


def test_a_pipe_is_read_only_once(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ncleaner", "clean", "--sites", "auto"],
        input=page(1), capture_output=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 1 and b"--sites auto reads its inputs twice" in done.stderr
    with pytest.raises(ValueError, match="makes a survey itself"):
        Cleaner(sites="auto")


@pytest.mark.slow
def test_another_survey_is_another_setting(tmp_path: Path) -> None:
    archive(tmp_path / "crawl.warc", range(8))
    for number in (2, 8):
        archive(tmp_path / "part.warc", range(number))
        ncleaner("survey", "-q", "part.warc", "-o", "sites.ncs", cwd=tmp_path)
        ncleaner("clean", "-q", "crawl.warc", "--sites", "sites.ncs", "-o", "out", cwd=tmp_path)
    # the second run has cleaned again, with what the larger survey knows
    assert TEMPLATE not in (tmp_path / "out" / "crawl.txt").read_text()


@pytest.mark.slow
def test_the_same_file_from_any_number_of_workers_and_merged(tmp_path: Path) -> None:
    for part in range(4):
        archive(
            tmp_path / f"{part}.warc", range(10 * part, 10 * part + 10), f"http://s{part % 3}.example.org"
        )
    inputs = [f"{part}.warc" for part in range(4)]
    ncleaner("survey", "-q", *inputs, "-j", 1, "-o", "one.ncs", cwd=tmp_path)
    ncleaner("survey", "-q", *reversed(inputs), "-j", 2, "-o", "two.ncs", cwd=tmp_path)
    whole = (tmp_path / "one.ncs").read_bytes()
    assert (tmp_path / "two.ncs").read_bytes() == whole
    # by machines of their own: as surveys, as signatures, or both, with pages that are new
    ncleaner("survey", "-q", *inputs[:2], "-o", "half.ncs", cwd=tmp_path)
    ncleaner("clean", "-q", "-f", "signatures", inputs[2], "-o", "signed", cwd=tmp_path)
    done = ncleaner("survey", "-q", "half.ncs", "signed", inputs[3], "-o", "all.ncs", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "all.ncs").read_bytes() == whole


@pytest.mark.slow
def test_shards(tmp_path: Path) -> None:
    for number in range(3):
        archive(tmp_path / f"{number}.warc", range(8), f"http://news{number}.example")
    given = ("0.warc", "1.warc", "2.warc")
    ncleaner("survey", "-q", *given, "-o", "one.ncs", cwd=tmp_path)
    for jobs in (1, 2):
        done = ncleaner("survey", *given, "-o", "many", "--shards", 4, "-j", jobs, cwd=tmp_path)
        assert done.returncode == 0 and "many: 24 pages of 3 sites" in done.stderr
    assert not [*tmp_path.glob("*.parts"), *tmp_path.glob(".*")]
    one, many = (
        ncleaner(
            "clean", *given, "--sites", sites, "-f", "jsonl", "-j", 2, "-o", f"{sites[:3]}", cwd=tmp_path
        )
        for sites in ("one.ncs", "many")
    )
    assert one.returncode == many.returncode == 0 and TEMPLATE not in one.stdout
    for name in ("0.jsonl", "1.jsonl", "2.jsonl"):
        rows = [(tmp_path / f"{sites[:3]}" / name).read_bytes() for sites in ("one.ncs", "many")]
        assert rows[0] == rows[1] and rows[0].count(b"\n") == 8
    # another survey is another setting, in shards too
    ncleaner("survey", "-q", *given[:2], "-o", "many", "--shards", 3, cwd=tmp_path)
    again = ncleaner("clean", *given, "--sites", "many", "-f", "jsonl", "-o", "man", cwd=tmp_path)
    assert "other files of models, of a survey" in again.stderr
    # the shards that a directory has are one part
    ncleaner("survey", "-q", ".", "-o", "merged.ncs", cwd=tmp_path)
    (tmp_path / "many" / "shard-001.ncs").unlink()
    done = ncleaner("clean", "0.warc", "--sites", "many", cwd=tmp_path)
    assert done.returncode == 1 and "many is not complete, or of several surveys" in done.stderr


@pytest.mark.slow
def test_archives_of_one_name(tmp_path: Path) -> None:
    for folder, first in (("monday", 0), ("tuesday", 5)):
        (tmp_path / folder).mkdir()
        archive(tmp_path / folder / "crawl.warc", range(first, first + 5))
    archive(tmp_path / "all.warc", range(10))
    ncleaner("survey", "-q", "all.warc", "-o", "all.ncs", cwd=tmp_path)
    days = ("monday/crawl.warc", "tuesday/crawl.warc")
    done = ncleaner("survey", "-q", *days, "-o", "days.ncs", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "days.ncs").read_bytes() == (tmp_path / "all.ncs").read_bytes()
    done = ncleaner("clean", "-q", *days, "--sites", "auto", "-o", "days.txt", cwd=tmp_path)
    assert done.returncode == 0 and TEMPLATE not in (tmp_path / "days.txt").read_text()


@pytest.mark.slow
def test_duplicates(tmp_path: Path) -> None:
    """Two pages that stand under two addresses each."""

    def story(number: int) -> bytes:
        chance = random.Random(number)
        text = " ".join("".join(chance.choices("aeioubcdfghjklmnprst", k=6)) for _ in range(60))
        return f"<html lang=en><p>{text}</p>".encode()

    def stories(name: str, first: int, numbers: Sequence[int], site: str) -> None:
        records = [warc(first + number, http(story(number)), target=f"{site}/{number}") for number in numbers]
        (tmp_path / name).write_bytes(b"".join(records))

    stories("a.warc", 0, range(6), "http://county.example")
    stories("b.warc", 10, (2, 4), "http://mirror.example/print")
    everything = ("-m", "everything")
    done = ncleaner("survey", *everything, "a.warc", "b.warc", "-o", "none.ncs", cwd=tmp_path)
    assert "exact duplicates      - (--duplicates counts them)" in done.stdout.splitlines()
    done = ncleaner(
        "survey", *everything, "--duplicates", "a.warc", "b.warc", "-o", "sites.ncs", cwd=tmp_path
    )
    assert {"exact duplicates      2", "near duplicates       0"} <= set(done.stdout.splitlines())
    clean = ("clean", *everything, "a.warc", "b.warc", "--sites", "sites.ncs", "-f", "jsonl", "-o", "out")
    done = ncleaner(*clean, cwd=tmp_path)
    assert "2 pages repeat another page of the survey" in done.stderr
    rows = [
        json.loads(line)
        for name in "ab"
        for line in (tmp_path / "out" / f"{name}.jsonl").read_text().splitlines()
    ]
    assert {row["url"]: row["duplicate_of"] for row in rows if row["duplicate_of"]} == {
        f"http://mirror.example/print/{number}": f"http://county.example/{number}" for number in (2, 4)
    }
    # left out, also with a survey that the run makes itself, and with any number of workers
    unique = (
        "clean",
        *everything,
        "a.warc",
        "b.warc",
        "--drop-duplicates",
        "-f",
        "jsonl",
        "--all-pages",
        "--sites",
    )
    done = ncleaner(*unique, "sites.ncs", cwd=tmp_path)
    assert "2 pages are left out for repeating another page of the survey" in done.stderr
    once = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row.pop("left_out") for row in once].count("duplicate") == 2
    assert [row["url"] for row in once if not row["text"]] == [
        row["url"] for row in rows if row["duplicate_of"]
    ]
    assert [row for row in once if row["text"]] == [row for row in rows if not row["duplicate_of"]]
    assert ncleaner(*unique, "auto", "-j", 1, cwd=tmp_path).stdout == done.stdout
    ncleaner(*unique, "auto", "-o", "unique", "-q", cwd=tmp_path)
    report = ncleaner("report", "unique", cwd=tmp_path).stdout
    assert "left out: a duplicate 2" in report
    # in parts, from elsewhere
    whole = (tmp_path / "sites.ncs").read_bytes()
    ncleaner("survey", "-q", *everything, "--duplicates", "b.warc", "-o", "b.ncs", cwd=tmp_path)
    signed = ("clean", "-q", *everything, "-f", "signatures", "--duplicates", "a.warc", "-o", "signed")
    ncleaner(*signed, cwd=tmp_path)
    done = ncleaner("survey", "-q", "--duplicates", "b.ncs", "signed", "-o", "all.ncs", cwd=tmp_path)
    assert done.returncode == 0 and (tmp_path / "all.ncs").read_bytes() == whole
    # sketches that nobody asks for are left out
    ncleaner("survey", "-q", "b.ncs", "signed", "-o", "also.ncs", cwd=tmp_path)
    assert (tmp_path / "also.ncs").read_bytes() == (tmp_path / "none.ncs").read_bytes()


@pytest.mark.slow
def test_a_reference_page_of_the_site(tmp_path: Path) -> None:
    archive(tmp_path / "crawl.warc", range(8))
    done = ncleaner("clean", "-m", "site", "crawl.warc", cwd=tmp_path)
    assert done.returncode == 2 and "survey --references" in " ".join(done.stderr.split())
    ncleaner("survey", "-q", "crawl.warc", "-o", "sites.ncs", cwd=tmp_path)
    done = ncleaner("clean", "-m", "site", "--sites", "sites.ncs", "crawl.warc", cwd=tmp_path)
    assert done.returncode == 1 and "no reference pages" in done.stderr
    ncleaner("survey", "-q", "--references", "crawl.warc", "-o", "sites.ncs", cwd=tmp_path)
    done = ncleaner("clean", "-q", "-m", "site", "--sites", "sites.ncs", "crawl.warc", cwd=tmp_path)
    assert TEMPLATE not in done.stdout and done.stdout.count("Story") == 8


@pytest.mark.slow
def test_portrait_as_json(tmp_path: Path) -> None:
    archive(tmp_path / "crawl.warc", range(3))
    done = ncleaner("survey", "crawl.warc", "-q", "-o", "sites.ncs", "--json", cwd=tmp_path)
    portrait = json.loads(done.stdout)
    assert (portrait["sites"], portrait["total"]["pages"]) == (1, 3)
    assert portrait["total"]["languages"] == {"en": 3} and portrait["largest"][0]["site"] == "county.example"


@pytest.mark.slow
def test_bad_input(tmp_path: Path) -> None:
    archive(tmp_path / "crawl.warc", range(3))
    ncleaner("survey", "-q", "crawl.warc", "-o", "one.ncs", cwd=tmp_path)
    ncleaner("clean", "-q", "-f", "signatures", "crawl.warc", "-o", "signed", cwd=tmp_path)
    (tmp_path / "bad.signatures.jsonl").write_text("{}\n")
    (tmp_path / "folder").mkdir()
    for arguments, status, message in [
        (["survey", "-o", "sites.ncs"], 2, "give archives"),
        (["survey", "none.warc", "-o", "sites.ncs"], 1, "none.warc"),
        (["survey", "bad.signatures.jsonl", "-o", "sites.ncs"], 1, "line 1: not the signature"),
        (["survey", "crawl.warc", "-o", "folder"], 1, "Is a directory (name a file in it)"),
        (["survey", "crawl.warc", "-o", "crawl.warc", "--shards", "2"], 1, "is no survey in shards"),
        (["survey", "crawl.warc", "-o", "sites.ncs", "--shards", "257"], 2, "--shards"),
        (["survey", "crawl.warc", "-o", "nowhere/sites.ncs"], 1, "cannot write nowhere/sites.ncs"),
        (["survey", "crawl.warc", "-o", "sites.ncs", "--pages", "1"], 2, "--pages"),
        (["survey", "one.ncs", "-o", "sites.ncs", "--duplicates"], 1, "one.ncs is without duplicates"),
        (["survey", "signed", "-o", "sites.ncs", "--duplicates"], 1, "line 1: there is no sketch"),
        (["survey", "crawl.warc", "-o", "sites.ncs", "-m", "site"], 2, "site needs a survey with references"),
        (["clean", "crawl.warc", "--duplicates"], 2, "only signatures, jsonl and parquet have it"),
        (["clean", "crawl.warc", "-f", "jsonl", "--duplicates"], 2, "in jsonl it is part of --signals"),
        (["clean", "crawl.warc", "-f", "jsonl", "--references"], 2, "only signatures has it"),
        (["clean", "crawl.warc", "--sites", "crawl.warc"], 1, "is not a survey"),
        (["clean", "crawl.warc", "--sites", "none.ncs"], 1, "there is no survey"),
    ]:
        done = ncleaner(*arguments, cwd=tmp_path)
        assert done.returncode == status and message in " ".join(done.stderr.split()), done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "sites.ncs").exists()


@pytest.mark.slow
def test_damaged_archives_lose_nothing_else(tmp_path: Path) -> None:
    data = archive(tmp_path / "crawl.warc", range(6)).read_bytes()
    # of the last page, there is the beginning
    (tmp_path / "cut.warc").write_bytes(data[: len(data) - 200])
    done = ncleaner("survey", "cut.warc", "-o", "sites.ncs", cwd=tmp_path)
    assert done.returncode == 1 and "6 pages of 1 site" in done.stderr


@pytest.mark.slow
def test_memory_does_not_grow_with_hosts(tmp_path: Path) -> None:
    """Signatures of a page each of 100,000 sites, every tenth a duplicate; docs/sites.md has a million."""
    program = """
import random, re, sys
from pathlib import Path
import numpy as np
from ncleaner.surveying.build import Builder
from ncleaner.surveying.duplicates import Sketch
from ncleaner.surveying.signatures import Signature
from ncleaner.surveying.survey import Contents
texts = np.arange(0, 4_000_000_000, 100_000_000, dtype=np.uint32)
def pages():
    for number in range(100_000):
        host = f"host-{number * 7919 % 1_000_003}.example"
        text = number if number % 10 else number + 1
        sketch = Sketch(number, f"http://{host}/", 2 * text, random.Random(text).randbytes(112))
        yield Signature(host, number, 1, 100, 50, "en", "article", texts, sketch=sketch)
with Builder(sys.argv[1], Contents(duplicates=True)) as builder:
    builder.add(pages())
    found = builder.finish()
    # the largest memory since the program began; ru_maxrss also counts that of the process before it
    print(found["sites"], found["duplicates"], re.search(r"VmHWM:\\s+(\\d+)",
    Path("/proc/self/status").read_text())[1])
"""
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "sites.ncs"], capture_output=True, text=True, check=True
    )
    sites, duplicates, kilobytes = map(int, done.stdout.split())
    assert sites == 100_000 and duplicates == 10_000 and kilobytes < 150_000


def copies(path: Path) -> Path:
    """An archive of six pages, of which the later three have two paragraphs of the earlier ones."""
    chance = random.Random(1)
    common = ("the", "of", "and", "to", "in", "was", "that", "with", *PLACES)
    paragraphs = [
        ["The " + " ".join(chance.choice(common) for _ in range(40)) + "." for _ in range(4)]
        for _ in range(6)
    ]
    records = []
    for number, own in enumerate(paragraphs):
        text = [own[0], *paragraphs[number - 3][1:3], own[3]] if number > 2 else own
        body = f"<html lang=en><title>{number}</title><h1>Story {number}</h1><p>{'<p>'.join(text)}"
        record = warc(number, http(body.encode()), target=f"http://s{number}.example.org/")
        records.append(record.replace(DATE.encode(), f"2024-05-0{number + 1}T10:00:00Z".encode()))
    path.write_bytes(b"".join(records))
    return path


@pytest.mark.slow
@pytest.mark.traced
def test_paragraphs_of_earlier_pages(tmp_path: Path) -> None:
    copies(tmp_path / "crawl.warc")
    assert ncleaner("survey", "-q", "crawl.warc", "--paragraphs", "-o", "s.ncs", cwd=tmp_path).returncode == 0
    everything = ncleaner("clean", "-q", "crawl.warc", cwd=tmp_path).stdout.splitlines()
    known = ("clean", "crawl.warc", "--sites", "s.ncs")
    done = ncleaner(*known, "--drop-seen", cwd=tmp_path)
    assert "6 paragraphs are left out, since an earlier page has the same (--drop-seen)" in done.stderr
    once = done.stdout.splitlines()
    lines = [line for line in once if line]
    assert lines == list(dict.fromkeys(filter(None, everything))) and len(everything) - len(once) == 6
    # with any number of workers, and with a survey that the run makes itself
    for more in (("--sites", "s.ncs", "-j", "3"), ("--sites", "auto")):
        again = ncleaner("clean", "-q", "crawl.warc", "--drop-seen", *more, cwd=tmp_path)
        assert again.stdout.splitlines() == once
    ncleaner(*known, "-q", "--segments", "-o", "a.jsonl", cwd=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [segment["seen"] for segment in rows[4]["segments"]] == [None, 0, 1, 1, 0]
    ncleaner(*known, "-q", "--segments", "-o", "a.parquet", cwd=tmp_path)
    table = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "a.parquet")
    found = [segment["seen"] for segment in table.column("segments").to_pylist()[4]]
    assert found == [None, 0, 1, 1, 0]


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--drop-seen",), "--drop-seen: it needs a survey of the inputs as `sites`: --sites auto makes one"),
        (
            ("--drop-seen", "--sites", "plain.ncs"),
            "has no paragraphs: make it again with `survey --paragraphs`",
        ),
        (
            ("--drop-duplicates",),
            "--drop-duplicates: it needs a survey of the inputs as `sites`: --sites auto makes one",
        ),
        (("--drop-duplicates", "--sites", "plain.ncs"), "make it again with `survey --duplicates`"),
        (
            ("--drop-duplicates", "--drop-seen", "--sites", "auto"),
            "leaves out repeated pages, too: give one of the two",
        ),
    ],
)
def test_what_lacks_paragraphs_or_duplicates_is_refused(
    options: Sequence[str], said: str, tmp_path: Path
) -> None:
    copies(tmp_path / "crawl.warc")
    ncleaner("survey", "-q", "crawl.warc", "-o", "plain.ncs", cwd=tmp_path)
    done = ncleaner("clean", "crawl.warc", *options, cwd=tmp_path)
    assert done.returncode != 0 and said in " ".join(done.stderr.split()) and not done.stdout
