"""The command `survey`, as a user has it, and `clean --sites`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ..archives import http, warc

PLACES = "harbour castle market station library museum theatre bridge garden school".split()
TEMPLATE = (
    "Our reporters have been at work since the early morning, and they will be there until late at night, so that "
    "everybody in the county hears what is going on, whether it is about the weather, the roads or the council."
)


def page(number: int) -> bytes:
    place = PLACES[number % len(PLACES)]
    prose = "".join(
        f"<p>Sentence {part} about the {place}, number {number}, says that nobody had expected the {place} to be "
        f"open on day {part} of the week, and that the council has {number + part} other plans for it.</p>"
        for part in range(4)
    )
    return (
        f"<html lang=en><title>Story {number}</title><h1>Story {number}</h1>{prose}<p>{TEMPLATE}</p>".encode()
    )


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
    assert done.returncode == 0 and "8 pages of 1 sites" in done.stderr
    assert "county.example" in done.stdout and "county.example" in (tmp_path / "crawl.html").read_text()
    # nothing is left of the work
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl.html", "crawl.warc", "sites.ncs"]
    before = ncleaner("clean", "-q", "crawl.warc", cwd=tmp_path).stdout
    after = ncleaner("clean", "-q", "crawl.warc", "--sites", "sites.ncs", cwd=tmp_path).stdout
    assert before.count(TEMPLATE) == 8 and after == before.replace(f"{TEMPLATE}\n", "")


def test_another_survey_is_another_setting(tmp_path: Path) -> None:
    archive(tmp_path / "crawl.warc", range(8))
    for number in (2, 8):
        archive(tmp_path / "part.warc", range(number))
        ncleaner("survey", "-q", "part.warc", "-o", "sites.ncs", cwd=tmp_path)
        ncleaner("clean", "-q", "crawl.warc", "--sites", "sites.ncs", "-o", "out", cwd=tmp_path)
    # the second run has cleaned again, with what the larger survey knows
    assert TEMPLATE not in (tmp_path / "out" / "crawl.txt").read_text()


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


def test_portrait_as_json(tmp_path: Path) -> None:
    archive(tmp_path / "crawl.warc", range(3))
    done = ncleaner("survey", "crawl.warc", "-q", "-o", "sites.ncs", "--json", cwd=tmp_path)
    portrait = json.loads(done.stdout)
    assert (portrait["sites"], portrait["total"]["pages"]) == (1, 3)
    assert portrait["total"]["languages"] == {"en": 3} and portrait["largest"][0]["site"] == "county.example"


def test_bad_input(tmp_path: Path) -> None:
    archive(tmp_path / "crawl.warc", range(3))
    (tmp_path / "bad.signatures.jsonl").write_text("{}\n")
    (tmp_path / "folder").mkdir()
    for arguments, status, message in [
        (["survey", "-o", "sites.ncs"], 2, "give archives"),
        (["survey", "none.warc", "-o", "sites.ncs"], 1, "none.warc"),
        (["survey", "bad.signatures.jsonl", "-o", "sites.ncs"], 1, "line 1: this is no signature"),
        (["survey", "crawl.warc", "-o", "folder"], 1, "is a directory"),
        (["survey", "crawl.warc", "-o", "nowhere/sites.ncs"], 1, "cannot write the survey"),
        (["survey", "crawl.warc", "-o", "sites.ncs", "--pages", "1"], 2, "--pages"),
        (["clean", "crawl.warc", "--sites", "crawl.warc"], 1, "is no survey"),
        (["clean", "crawl.warc", "--sites", "none.ncs"], 1, "there is no survey"),
    ]:
        done = ncleaner(*arguments, cwd=tmp_path)
        assert done.returncode == status and message in " ".join(done.stderr.split()), done.stderr
        assert "Traceback" not in done.stderr
    assert not (tmp_path / "sites.ncs").exists()


def test_damaged_archives_lose_nothing_else(tmp_path: Path) -> None:
    data = archive(tmp_path / "crawl.warc", range(6)).read_bytes()
    # of the last page, there is the beginning
    (tmp_path / "cut.warc").write_bytes(data[: len(data) - 200])
    done = ncleaner("survey", "cut.warc", "-o", "sites.ncs", cwd=tmp_path)
    assert done.returncode == 1 and "6 pages of 1 sites" in done.stderr


@pytest.mark.slow
def test_a_million_hosts_take_little_memory(tmp_path: Path) -> None:
    """Signatures of a page each of a million sites, in under 200 MB."""
    program = """
import resource, sys
import numpy as np
from ncleaner.surveying.build import Builder
from ncleaner.surveying.signatures import Signature
texts = np.arange(0, 4_000_000_000, 100_000_000, dtype=np.uint32)
def pages():
    for number in range(1_000_000):
        yield Signature(f"host-{number * 7919 % 1_000_003}.example", number, 1, 100, 50, "en", "article", texts)
with Builder(sys.argv[1]) as builder:
    builder.add(pages())
    print(builder.finish()["sites"], resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "sites.ncs"], capture_output=True, text=True, check=True
    )
    sites, kilobytes = map(int, done.stdout.split())
    assert sites == 1_000_000 and kilobytes < 200_000
