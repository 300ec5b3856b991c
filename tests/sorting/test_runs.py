from __future__ import annotations

import io
import os
import resource
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.sorting.names import DIRECTORIES, Place
from ncleaner.sorting.runs import SUFFIXES, RunWriter, merged

PLACES = st.tuples(st.sampled_from([0, 1, 77, 255, 256]), st.sampled_from(["a.org", "b.org", "c.org"]))
RECORDS = st.lists(st.tuples(PLACES, st.sampled_from(SUFFIXES), st.binary(max_size=400)), max_size=60)


@pytest.mark.untraced
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
