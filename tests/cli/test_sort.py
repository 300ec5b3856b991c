"""`ncleaner sort` as a process."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ..archives import html, http, members, warc
from .test_app import ncleaner

ROOT = Path(__file__).parent.parent.parent
CRAWL = ROOT / "examples" / "crawl.warc.gz"


def test_the_sample_crawl(tmp_path: Path) -> None:
    result = ncleaner("sort", CRAWL, "-o", tmp_path / "out")
    assert result.returncode == 0
    assert result.stderr.decode().splitlines() == [
        "52 records of 1 input: 52 copied as they are stored, 0 compressed again",
        "15 sites in 16 archives, 0.1 MB",
    ]
    archives = list((tmp_path / "out").rglob("*.warc.gz"))
    assert len(archives) == 16
    assert sum(path.stat().st_size for path in archives) == CRAWL.stat().st_size
    result = ncleaner("sort", CRAWL, "-o", tmp_path / "out")
    assert result.stderr.decode().splitlines()[-1] == "1 input was read by an earlier run"
    assert ncleaner("sort", CRAWL, "-o", tmp_path / "quiet", "-q").stderr == b""


@pytest.mark.slow
def test_the_sorted_crawl_is_cleaned_as_the_crawl_is(tmp_path: Path) -> None:
    ncleaner("sort", CRAWL, "-o", tmp_path / "sorted")
    texts = [
        sorted(
            json.loads(line)["text"] for line in ncleaner("clean", path, "-f", "jsonl").stdout.splitlines()
        )
        for path in (CRAWL, tmp_path / "sorted")
    ]
    assert texts[0] == texts[1] and len(texts[0]) == 15


@pytest.mark.slow
@pytest.mark.traced
def test_standard_input(tmp_path: Path) -> None:
    for number, data in enumerate((CRAWL.read_bytes(), gzip.decompress(CRAWL.read_bytes()))):
        out = tmp_path / str(number)
        result = ncleaner("sort", "-", "-o", out, "-j", "2", stdin=data)
        assert result.returncode == 0, result.stderr
        assert len(list(out.rglob("*.warc.gz"))) == 16
    for path in (tmp_path / "0").rglob("*.warc.gz"):
        other = tmp_path / "1" / path.relative_to(tmp_path / "0")
        assert gzip.decompress(path.read_bytes()) == gzip.decompress(other.read_bytes())


def test_a_list_of_inputs(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("crawl.warc.gz\nmissing.warc.gz\n")
    result = ncleaner(
        "sort", "--inputs-from", tmp_path / "list", "--prefix", ROOT / "examples", "-o", tmp_path / "out"
    )
    said = result.stderr.decode()
    assert result.returncode == 1
    assert f"{ROOT}/examples/missing.warc.gz: No such file or directory" in said
    assert "1 input could not be read to the end, so nothing is sorted yet" in said
    assert not list((tmp_path / "out").rglob("*.warc.gz"))


def test_json(tmp_path: Path) -> None:
    records = [warc(1), warc(2, http(html(2)), length=10_000)]
    (tmp_path / "a.warc.gz").write_bytes(members(records))
    result = ncleaner("sort", tmp_path / "a.warc.gz", "-o", tmp_path / "out", "--log-json")
    assert result.returncode == 1
    damage, finished = map(json.loads, result.stderr.splitlines())
    assert damage["event"] == "damage" and damage["offset"] == len(members(records[:1]))
    assert finished["event"] == "finished"
    assert finished["records"] == finished["copied"] == finished["sites"] == finished["files"] == 1
    assert finished["damaged"] == 1 and finished["merged"]


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["-o", "out"], 2, "give archives, or - for standard input"),
        ([str(CRAWL)], 2, "Missing option"),
        ([str(CRAWL), "-o", "out", "--by", "page"], 2, "'page'"),
        ([str(CRAWL), "-o", "s3://bucket/out"], 1, "sorting needs a directory on this machine"),
        (["missing.warc.gz", "-o", "out"], 1, "missing.warc.gz: No such file or directory"),
    ],
)
def test_what_is_refused(arguments: list[str], status: int, said: str, tmp_path: Path) -> None:
    result = ncleaner("sort", *arguments, cwd=tmp_path)
    assert result.returncode == status
    assert said in result.stderr.decode()
