from __future__ import annotations

import io
import os
import resource
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.sorting.runs import (
    DIRECTORIES,
    SUFFIXES,
    Place,
    RunWriter,
    directory_of,
    merged,
    place_of,
    stem_of,
)


@pytest.mark.parametrize(
    ("site", "stem"),
    [
        ("www.example.org", "www.example.org"),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ("a_b.example", "a_b.example"),
        ("2001:db8::1", "2001%3adb8%3a%3a1"),
        ("a b/c\\d.example", "a%20b%2fc%5cd.example"),
        ("..", "%2e."),
        (".hidden", "%2ehidden"),
        ("-rf.example", "%2drf.example"),
        ("a%2fb", "a%252fb"),
        ("é", "%c3%a9"),
        ("nul", "%6eul"),
        ("con.example", "%63on.example"),
        ("console.example", "console.example"),
    ],
)
def test_stem(site: str, stem: str) -> None:
    assert stem_of(site) == stem


def test_long_names() -> None:
    stems = {stem_of("a" * number) for number in range(190, 300)}
    assert len(stems) == 110
    assert max(map(len, stems)) == 200


SITES = st.text(st.characters(codec=None), min_size=1, max_size=300).map(str.lower)


@given(SITES)
def test_every_file_system_takes_the_name(site: str) -> None:
    stem = stem_of(site)
    assert set(stem) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-%~")
    assert 0 < len(stem) <= 200
    assert stem[0] not in ".-"


@given(SITES, SITES)
def test_no_two_sites_have_one_name(one: str, two: str) -> None:
    assert (stem_of(one) == stem_of(two)) == (one == two)


def test_places() -> None:
    place = place_of("http://WWW.Example.co.uk./x", "host")
    assert place.stem == "www.example.co.uk"
    assert place_of("http://news.example.co.uk", "domain").stem == "example.co.uk"
    assert place_of("http://news.example.co.uk", "domain") == place_of("http://example.co.uk/x", "host")
    assert DIRECTORIES[place_of("urn:x", "host").directory] == "no-host"
    assert place_of("", "domain").stem == "no-host"


def test_directories_have_equal_numbers_of_sites() -> None:
    counts = Counter(
        directory_of(f"www.{word}{number}.example") for word in ("a", "shop") for number in range(50_000)
    )
    assert len(counts) == 256
    assert min(counts.values()) > 300 and max(counts.values()) < 500


PLACES = st.tuples(st.sampled_from([0, 1, 77, 255, 256]), st.sampled_from(["a.org", "b.org", "c.org"]))
RECORDS = st.lists(st.tuples(PLACES, st.sampled_from(SUFFIXES), st.binary(max_size=400)), max_size=60)


@pytest.mark.slow
@given(
    inputs=st.lists(RECORDS, max_size=5),
    bound=st.sampled_from([1, 800, 5000, 1 << 20]),
    memory=st.sampled_from([0, 1 << 20]),
)
def test_a_merge_has_all_records_in_order(
    inputs: list[list[tuple[tuple[int, str], str, bytes]]], bound: int, memory: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        runs: list[Path] = []
        for number, records in enumerate(inputs):
            own = Path(folder, str(number))
            own.mkdir()
            writer = RunWriter(own, bound)
            for place, suffix, data in records:
                writer.add(Place(*place), suffix, io.BytesIO(data), len(data))
            writer.flush()
            assert writer.bytes == sum(len(data) for *_, data in records)
            assert len(list(own.iterdir())) == writer.runs
            runs += [own / str(run) for run in range(writer.runs)]
        for directory in range(len(DIRECTORIES)):
            expected: dict[tuple[str, int], list[bytes]] = {}
            for records in inputs:
                for (number, stem), suffix, data in records:
                    if number == directory:
                        expected.setdefault((stem, SUFFIXES.index(suffix)), []).append(data)
            found: dict[tuple[str, int], bytes] = {}
            counts: dict[tuple[str, int], int] = {}
            for group in merged(runs, directory, memory):
                key = (group.stem, SUFFIXES.index(group.suffix))
                assert not found or key >= max(found)
                data = b"".join(group.pieces)
                assert len(data) == group.size
                found[key] = found.get(key, b"") + data
                counts[key] = counts.get(key, 0) + group.records
            assert found == {key: b"".join(data) for key, data in expected.items()}
            assert counts == {key: len(data) for key, data in expected.items()}


def test_groups_that_nobody_reads_are_passed_over(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path, 1 << 22)
    for number in range(100):
        writer.add(Place(3, f"{number:03}.org"), ".warc.gz", io.BytesIO(b"x" * 10_000), 10_000)
    writer.flush()
    stems = [group.stem for group in merged([tmp_path / "0"], 3, 0)]
    assert stems == [f"{number:03}.org" for number in range(100)]


def test_files_are_not_held_open(tmp_path: Path) -> None:
    runs = []
    for number in range(200):
        own = tmp_path / str(number)
        own.mkdir()
        writer = RunWriter(own, 1 << 20)
        writer.add(Place(0, "a.org"), ".warc.gz", io.BytesIO(b"%d," % number), len(b"%d," % number))
        writer.flush()
        runs.append(own / "0")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (len(list(Path("/proc/self/fd").iterdir())) + 20, hard))
    try:
        data = b"".join(b"".join(group.pieces) for group in merged(runs, 0, 1 << 20))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert data == b"".join(b"%d," % number for number in range(200))


def test_a_run_that_has_been_cut(tmp_path: Path) -> None:
    writer = RunWriter(tmp_path, 1 << 20)
    writer.add(Place(0, "a.org"), ".warc.gz", io.BytesIO(b"x" * 5000), 5000)
    writer.flush()
    group = next(iter(merged([tmp_path / "0"], 0, 0)))
    os.truncate(tmp_path / "0", 4500)
    with pytest.raises(OSError, match="shorter than it was"):
        list(group.pieces)
