"""Whole sorts in this process. What other readers find in the archives is compared with what they find in the
inputs."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest
from lz4.frame import LZ4FrameFile
from warcio.archiveiterator import ArchiveIterator

from ncleaner.errors import InputError, OutputError
from ncleaner.reading.archive import read
from ncleaner.reading.inflating import zstandard
from ncleaner.reading.inputs import Input, find_inputs
from ncleaner.running.tally import Note
from ncleaner.sorting.regroup import Phase, SortTally, sort
from ncleaner.sorting.runs import By

from ..archives import FILEDESC, PACKINGS, arc, arc2, frames, html, http, lz4_frames, members, warc

zstd = zstandard()

HOSTS = "www.example.org news.example.org example.co.uk 127.0.0.1 xn--mnchen-3ya.example [::1]".split()
INFO = warc(0, b"software: test\r\n", kind="warcinfo", target=None, content_type="application/warc-fields")


def records(seed: int, number: int = 40) -> list[bytes]:
    """A small crawl that interleaves hosts, with all types of records."""
    dice = random.Random(seed)
    made = [INFO]
    for i in range(seed * 1000, seed * 1000 + number):
        url = f"http://{dice.choice(HOSTS)}/{i}"
        made += [
            warc(i, b"GET / HTTP/1.1\r\n\r\n", kind="request", target=url),
            warc(i, http(html(i, dice.randrange(60))), target=url),
            warc(
                i, b"fetchTimeMs: 3\r\n", kind="metadata", target=url, content_type="application/warc-fields"
            ),
        ]
    made.append(
        warc(number, b"", kind="revisit", target="http://MÜNCHEN.example/".encode().decode("latin-1"))
    )
    made.append(
        warc(number + 1, b"20240501 127.0.0.1", target="dns:www.example.org", content_type="text/dns")
    )
    made.append(
        warc(
            number + 2, b"log", kind="resource", target="metadata://crawl.example/log", content_type="text/x"
        )
    )
    return made


def arcs(seed: int, number: int = 20) -> list[bytes]:
    dice = random.Random(seed)
    return [
        FILEDESC,
        *(arc(i, target=f"http://{dice.choice(HOSTS)}/{i}") for i in range(number)),
        arc2(number),
    ]


@cache
def packed() -> dict[str, bytes]:
    """Returns archives in all packings, by their names."""
    made = {}
    for seed, (name, pack) in enumerate(PACKINGS.items(), 1):
        suffix = (
            ".lz4" if "lz4" in name else ".zst" if "frame" in name else ".wacz" if "wacz" in name
            else "" if name == "plain" else f".{name.partition('_')[0]}" if "stream" in name else ".gz"
        )  # fmt: skip
        made[f"{name}.warc{suffix}"] = pack(records(seed))
        made[f"{name}.arc{suffix}"] = pack(arcs(seed))
    return made


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """Archives in all packings."""
    folder = tmp_path / "in"
    folder.mkdir()
    for name, data in packed().items():
        (folder / name).write_bytes(data)
    return folder


def opened(path: Path) -> io.BytesIO:
    """Without Zstandard, which warcio does not know, where a dictionary is at the beginning; and without gzip if
    members are not records, which warcio refuses."""
    data = path.read_bytes()
    if path.stem.partition(".")[0] in PACKINGS and path.suffix == ".gz":
        data = gzip.decompress(data)
        return io.BytesIO(gzip.decompress(data) if path.stem.startswith("twice") else data)
    if path.suffix == ".wacz":
        with zipfile.ZipFile(path) as file:
            inside = [file.read(name) for name in file.namelist() if name.startswith("archive/")]
        return io.BytesIO(b"".join(gzip.decompress(one) if one[:2] == b"\x1f\x8b" else one for one in inside))
    if path.suffix in (".bz2", ".xz"):
        return io.BytesIO((bz2 if path.suffix == ".bz2" else lzma).decompress(data))
    if path.suffix == ".lz4":
        return io.BytesIO(LZ4FrameFile(path).read())
    if path.suffix != ".zst":
        return io.BytesIO(data)
    dictionary = None
    if data.startswith(b"\x5d\x2a\x4d\x18"):
        size = int.from_bytes(data[4:8], "little")
        held, data = data[8 : 8 + size], data[8 + size :]
        if held.startswith(b"\x28\xb5\x2f\xfd"):
            held = zstd.decompress(held)
        dictionary = zstd.ZstdDict(held)
    return io.BytesIO(zstd.decompress(data, dictionary))


def found(path: Path) -> list[tuple[str, str, bytes]]:
    """(header, HTTP header and body) of all records, as warcio reads them; ARC files begin with another one."""
    listed = []
    for record in ArchiveIterator(opened(path), no_record_parse=True, arc2warc=False):
        if record.rec_type == "arc_header":
            continue
        headers = sorted(record.rec_headers.headers)
        listed.append((record.rec_type, json.dumps(headers), record.content_stream().read()))
    return listed


def outputs(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "sorting.jsonl"
    }


def done(inputs: Sequence[Path], out: Path, *, by: By = "host", jobs: int = 1, again: bool = False) -> tuple[
    SortTally, list[Note]
]:  # fmt: skip
    notes: list[Note] = []

    def progress(phase: Phase, its_notes: Sequence[Note]) -> None:
        notes.extend(its_notes)
        assert phase.total is None or phase.done <= phase.total or phase.name == "writing"

    return sort(find_inputs(inputs), out, by=by, jobs=jobs, progress=progress, again=again), notes


@pytest.mark.parametrize("by", ["host", pytest.param("domain", marks=[pytest.mark.slow, pytest.mark.traced])])
def test_every_record_is_in_the_archive_of_its_site(crawl: Path, tmp_path: Path, by: By) -> None:
    out = tmp_path / "out"
    tally, notes = done([crawl], out, by=by)
    assert tally.complete and not notes
    before = Counter(record for path in crawl.iterdir() for record in found(path))
    archives = [path for path in out.rglob("*") if path.is_file() and path.name != "sorting.jsonl"]
    after = Counter(record for path in archives for record in found(path) if "filedesc" not in record[1])
    assert after == before
    # the first of each ARC has been made
    assert tally.records == before.total() + sum(path.name.count(".arc") for path in crawl.iterdir())
    assert tally.files == len(archives)
    assert tally.bytes == sum(path.stat().st_size for path in archives)
    names = {path.name.split(".arc")[0].split(".warc")[0] for path in archives}
    domains = "example.org example.co.uk 127.0.0.1 xn--mnchen-3ya.example %3a%3a1 no-host".split()
    assert names == {*domains, *(["www.example.org", "news.example.org"] if by == "host" else [])}
    assert tally.sites == len(names) - 1
    assert {path.parent.name for path in archives if path.name.startswith("no-host")} == {"no-host"}
    assert not (out / ".sorting").exists()


@pytest.mark.parametrize("pack", [members, frames, lz4_frames])
def test_an_arc_begins_with_the_date_of_its_first_record(
    tmp_path: Path, pack: Callable[[list[bytes]], bytes]
) -> None:
    """Zstandard and LZ4 give the first byte of a block after the whole of it."""
    block = random.Random(1).randbytes(400_000)
    source = tmp_path / "one.arc"
    source.write_bytes(pack([FILEDESC, arc(1, block)]))
    done([source], tmp_path / "out")
    [archive] = (tmp_path / "out").rglob("example.org.arc.*")
    data = archive.read_bytes()
    first = (gzip.decompress(data) if pack is members else opened(archive).read())[:200].partition(b"\n")[0]
    assert first.startswith(b"filedesc://example.org.arc") and b" 20010203040506 " in first


def test_the_order_is_that_of_inputs_and_offsets(crawl: Path, tmp_path: Path) -> None:
    done([crawl], tmp_path / "out")
    order = {source.path: number for number, source in enumerate(find_inputs([crawl]))}
    expected: dict[str, list[str]] = {}
    for path in order:
        for item in read(path):
            if type(item).__name__ == "Page" and item.url.startswith("http://www.example.org/"):
                kind = "arc" if ".arc" in path else "warc"
                suffix = Path(path).suffix
                packed = suffix if suffix in (".zst", ".lz4") else ".gz"
                expected.setdefault(kind + packed, []).append(item.url)
    for suffix, urls in expected.items():
        [archive] = (tmp_path / "out").rglob(f"www.example.org.{suffix}")
        listed = [item.url for item in read(archive) if type(item).__name__ == "Page"]
        assert [url for url in listed if not url.startswith("dns:")] == urls


def test_this_package_reads_every_archive_without_damage(crawl: Path, tmp_path: Path) -> None:
    done([crawl], tmp_path / "out")
    for name in outputs(tmp_path / "out"):
        assert not [item for item in read(tmp_path / "out" / name) if type(item).__name__ == "Damage"]


def test_members_are_copied_byte_for_byte(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    made = records(1)
    (tmp_path / "in" / "a.warc.gz").write_bytes(members(made))
    tally, _ = done([tmp_path / "in"], tmp_path / "out")
    assert tally.copied == tally.records == len(made)
    data = b"".join(outputs(tmp_path / "out").values())
    assert len(data) == len(members(made))
    assert all(members([record]) in data for record in made)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [2, 3])
def test_the_number_of_jobs_makes_no_difference(crawl: Path, tmp_path: Path, jobs: int) -> None:
    done([crawl], tmp_path / "1")
    done([crawl], tmp_path / "2", jobs=jobs)
    assert outputs(tmp_path / "1") == outputs(tmp_path / "2")


@pytest.mark.slow
def test_runs_of_any_size_make_no_difference(
    crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done([crawl], tmp_path / "1")
    monkeypatch.setattr("ncleaner.sorting.runs._SCAN_MEMORY", 3000)
    monkeypatch.setattr("ncleaner.sorting.runs._MERGE_MEMORY", 0)
    monkeypatch.setattr("ncleaner.sorting.regroup._COMMIT_SECONDS", 0)
    done([crawl], tmp_path / "2")
    assert outputs(tmp_path / "1") == outputs(tmp_path / "2")


def test_damage_is_named_and_the_rest_is_sorted(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    made = [warc(i, target=f"http://{i}.example/") for i in range(20)]
    packed = [members([record]) for record in made]
    broken = packed[7][:-6] + b"\0" + packed[7][-5:]
    (folder / "a.warc.gz").write_bytes(b"".join([*packed[:7], broken, *packed[8:]]))
    (folder / "b.warc.gz").write_bytes(members(made)[:-40])
    (folder / "c.html").write_text("<html><p>A page")
    (folder / "d.warc").write_bytes(b"")
    tally, notes = done([folder], tmp_path / "out")
    assert not tally.complete and tally.merged and tally.damaged == 4
    assert [str(note) for note in notes] == [
        f"{folder}/a.warc.gz at byte {len(b''.join(packed[:7])):,}: gzip member broken (incorrect data check); "
        f"{len(broken)} bytes are left out",
        f"{folder}/b.warc.gz at byte {len(b''.join(packed[:19])):,}: gzip member cut short, 441 of 488 bytes are "
        f"there; {len(packed[19]) - 40} bytes are left out (http://19.example/)",
        f"{folder}/c.html at byte 0: neither a WARC nor an ARC; it is left out",
        f"{folder}/d.warc at byte 0: empty",
    ]
    found_ = outputs(tmp_path / "out")
    for number, member in enumerate(packed):
        [data] = [data for name, data in found_.items() if name.endswith(f"/{number}.example.warc.gz")]
        assert data == member * (1 if number in (7, 19) else 2)
    # the next run does nothing, and does not forget it
    tally, notes = done([folder], tmp_path / "out")
    assert not tally.complete and tally.damaged == 4 and tally.resumed == 4 and not notes


def test_an_input_that_cannot_be_read_stops_the_merge(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.warc.gz").write_bytes(members(records(ord(name), 5)))
    inputs = find_inputs([folder])
    (folder / "b.warc.gz").rename(tmp_path / "b")
    tally = sort(inputs, tmp_path / "out")
    assert tally.unread == 1 and not tally.merged and not tally.complete
    assert not outputs(tmp_path / "out").keys() - {
        name for name in outputs(tmp_path / "out") if name.startswith(".sorting/")
    }
    (tmp_path / "b").rename(folder / "b.warc.gz")
    tally, _ = done([folder], tmp_path / "out")
    assert tally.complete and tally.resumed == 2
    done([folder], tmp_path / "other")
    assert outputs(tmp_path / "out") == outputs(tmp_path / "other")


def test_a_finished_sort_is_not_done_again(crawl: Path, tmp_path: Path) -> None:
    done([crawl], tmp_path / "out")
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.gz")}
    tally, notes = done([crawl], tmp_path / "out")
    assert tally.resumed == tally.inputs == 2 * len(PACKINGS) and not notes
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "out").rglob("*.gz")} == times


def test_changes_are_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    out = tmp_path / "out"
    for name in "abc":
        (folder / f"{name}.warc.gz").write_bytes(members(records(ord(name), 5)))
    paths = [folder / f"{name}.warc.gz" for name in "abc"]

    def expect(inputs: list[Path], what: str, by: By = "host") -> None:
        _, notes = done(inputs, out, by=by)
        assert [note.what for note in notes] == [what]
        done(inputs, tmp_path / "fresh", by=by, again=True)
        assert outputs(out) == outputs(tmp_path / "fresh")

    done(paths[:2], out)
    expect(paths, "sorting everything again: 1 input is new")
    expect(paths[::-1], "sorting everything again: the inputs are in another order")
    expect(paths[::-1], "sorting everything again, which was sorted by host", by="domain")
    paths[0].write_bytes(members(records(9, 5)))
    os.utime(paths[0], (1, 1))
    _, notes = done(paths[::-1], out, by="domain")
    assert [note.what for note in notes] == ["sorting everything again: 1 input has changed"]
    next(out.rglob("*.warc.gz")).unlink()
    expect(paths[::-1], "sorting everything again: archives have been removed or added", by="domain")
    with pytest.raises(
        OutputError, match=r"records of 2 inputs that are not given now, such as .*c\.warc\.gz: give"
    ):
        done(paths[:1], out)
    done(paths[:1], out, again=True)
    done(paths[:1], tmp_path / "only")
    assert outputs(out) == outputs(tmp_path / "only")


def test_records_of_inputs_that_are_gone_are_not_replaced(tmp_path: Path) -> None:
    """Also not when the sort that would replace them has failed before."""
    paths = [tmp_path / f"{name}.warc.gz" for name in "ab"]
    for number, path in enumerate(paths):
        path.write_bytes(members(records(number, 5)))
    done(paths, tmp_path / "out")
    expected = outputs(tmp_path / "out")
    inputs = find_inputs(paths)
    paths[0].unlink()
    assert not sort([Input(str(paths[0]), "a.warc.gz", 0, -1), inputs[1]], tmp_path / "out").merged
    with pytest.raises(OutputError, match="1 input that is not given now"):
        done(paths[1:], tmp_path / "out")
    assert {name: data for name, data in outputs(tmp_path / "out").items() if name[0] != "."} == expected


@pytest.mark.slow
@pytest.mark.traced
def test_a_journal_with_damaged_lines(crawl: Path, tmp_path: Path) -> None:
    done([crawl], tmp_path / "1")
    expected = outputs(tmp_path / "1")
    journal = tmp_path / "1" / "sorting.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    for number in (1, len(lines) // 2, len(lines) - 1):
        journal.write_bytes(
            b"".join([*lines[:number], b'{"event": "input"}\n', b"\xff\n", *lines[number + 1 :]])
        )
        tally, _ = done([crawl], tmp_path / "1")
        assert tally.complete
        assert outputs(tmp_path / "1") == expected


def test_what_is_refused(crawl: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine")
    with pytest.raises(OutputError, match="is not empty, and no sort has made it"):
        done([crawl], tmp_path / "full")
    with pytest.raises(OutputError, match="a directory on this machine"):
        sort(find_inputs([crawl]), "s3://bucket/out")
    with pytest.raises(OutputError, match="cannot write"):
        done([crawl], crawl / "plain.warc")
    with pytest.raises(InputError, match="is given twice"):
        done([crawl / "plain.warc", crawl / ".." / "in" / "plain.warc"], tmp_path / "out")
    done([crawl], tmp_path / "out")
    with pytest.raises(InputError, match="all inputs are in the output directory"):
        done([tmp_path / "out"], tmp_path / "out")


def test_outputs_below_an_input_are_no_inputs(crawl: Path) -> None:
    done([crawl], crawl / "sorted")
    tally, notes = done([crawl], crawl / "sorted")
    assert tally.complete and tally.resumed == 2 * len(PACKINGS) and not notes


def test_other_file_systems_names(tmp_path: Path) -> None:
    hosts = ["con", "a b", "x" * 300 + ".example", "%2f", "..x", "é.example", "~"]
    source = tmp_path / "a.warc.gz"
    source.write_bytes(
        members([warc(i, target=f"http://{h}/".encode().decode("latin-1")) for i, h in enumerate(hosts)])
    )
    tally, _ = done([source], tmp_path / "out")
    assert tally.complete and tally.sites == len(hosts)
    assert all(
        set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-%~/") for name in outputs(tmp_path / "out")
    )
