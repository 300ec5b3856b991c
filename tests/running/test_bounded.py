"""What a run holds in memory does not depend on how much there is to do, nor on how slow its reader is."""

from __future__ import annotations

import gzip
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from ..archives import http, warc
from ..cli.test_app import NCLEANER, PROSE

pytestmark = pytest.mark.slow

PAGES = 6000


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl whose clean text is far more than pipes and batches hold."""
    body = http(f"<title>x</title><p>{PROSE * 8}<p>{PROSE * 9}".encode())
    path = tmp_path_factory.mktemp("bounded") / "crawl.warc.gz"
    path.write_bytes(b"".join(gzip.compress(warc(number, body), 1) for number in range(PAGES)))
    return path


def family(pid: int) -> list[psutil.Process]:
    process = psutil.Process(pid)
    return [process, *process.children(recursive=True)]


def used(pid: int) -> float:
    return sum(sum(process.cpu_times()[:2]) for process in family(pid))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_slow_reader_slows_the_run_down(archive: Path, jobs: int) -> None:
    command = [NCLEANER, "clean", str(archive), "-m", "everything", "-q", f"-j{jobs}"]
    expected = subprocess.run(command, capture_output=True, check=True).stdout
    assert len(expected) > 15_000_000
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        first = process.stdout.read(100_000)
        before, now = -1.0, 0.0
        deadline = time.monotonic() + 300
        # nobody reads: soon nobody works any more
        while now != before:
            assert time.monotonic() < deadline
            before = now
            time.sleep(1.5)
            now = used(process.pid)
        assert process.poll() is None
        assert max(each.memory_info().rss for each in family(process.pid)) < 250e6
        assert first + process.stdout.read() == expected
    assert process.returncode == 0


def peak(command: list[str]) -> float:
    """Largest resident memory of any process of a run, in MB."""
    largest = 0.0
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            for each in family(process.pid):
                try:
                    largest = max(largest, each.memory_info().rss / 1e6)
                except psutil.Error:
                    continue
            time.sleep(0.05)
    assert process.returncode == 0
    return largest


def test_memory_does_not_grow_with_the_number_of_inputs(tmp_path: Path) -> None:
    found = {}
    for number in (20, 1500):
        folder = tmp_path / str(number)
        folder.mkdir()
        for page in range(number):
            (folder / f"{page}.html").write_text(f"<p>{PROSE} That was number {page}.")
        found[number] = peak([NCLEANER, "clean", str(folder), "-o", str(tmp_path / f"out{number}"), "-j2"])
        assert len(list((tmp_path / f"out{number}").glob("*.txt"))) == number
    # a line of the manifest, a path, a size: less than ten kilobytes each
    assert found[1500] - found[20] < 15


def test_memory_does_not_grow_with_the_size_of_an_input(archive: Path, tmp_path: Path) -> None:
    found = []
    for copies in (1, 4):
        path = tmp_path / f"{copies}.warc.gz"
        with path.open("wb") as out:
            for _ in range(copies):
                out.write(archive.read_bytes())
        command = [NCLEANER, "clean", str(path), "-m", "everything", "-o", str(tmp_path / "out"), "-j1"]
        found.append(peak(command))
    assert found[1] - found[0] < 25
