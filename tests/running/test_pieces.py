"""An archive of gzip members in a pipe: workers get pieces of it, and the result is that of the file."""

from __future__ import annotations

import gzip
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from ncleaner.reading import stretches

from ..archives import http, members, warc
from ..lab.training.test_for_run import body
from ..processes import wait_until

NCLEANER = [sys.executable, "-m", "ncleaner", "clean", "-f", "jsonl", "--all-pages"]


def noise(number: int, size: int) -> bytes:
    """A comment that does not compress, so that few pages fill a piece."""
    return b"<!--" + random.Random(number).randbytes(size).hex().encode() + b"-->"


def record(number: int, more: bytes = b"") -> bytes:
    page = body(number, number % 5) + more + noise(number, 60_000)
    return warc(number, http(page), target=f"http://s{number % 5}.example/{number}")


def archive(pages: int = 60) -> list[bytes]:
    return [members([record(number)]) for number in range(pages)]


def cleaned(data: bytes, folder: Path, jobs: int = 2) -> tuple[bytes, bytes, int]:
    """The rows of a pipe, its messages and its status; and that a file gives the same rows."""
    path = folder / "crawl.warc.gz"
    path.write_bytes(data)
    out = folder / "out.jsonl"
    file = subprocess.run([*NCLEANER, path, "-o", out, "--force", "-j", "1"], capture_output=True)
    pipe = subprocess.run([*NCLEANER, "-j", str(jobs)], input=data, capture_output=True)
    rows = out.read_bytes().replace(b'"archive":"' + os.fsencode(path) + b'"', b'"archive":null')
    assert pipe.stdout == rows and pipe.returncode == file.returncode
    named = pipe.stderr.replace(b"ncleaner: standard input", b"ncleaner: " + os.fsencode(path)).splitlines()
    # a pipe gets no advice
    assert sorted(named) == sorted(line for line in file.stderr.splitlines() if b"--learn" not in line)
    return pipe.stdout, pipe.stderr, pipe.returncode


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_pipe_gives_what_a_file_gives(tmp_path: Path, jobs: int) -> None:
    data = b"".join(archive())
    assert len(data) > 4 * stretches.PIECE
    rows, _, status = cleaned(data, tmp_path, jobs)
    assert rows.count(b"\n") == 60 and status == 0


@pytest.mark.parametrize("at", [0.001, 0.3, 0.999])
def test_damage_is_reported_once_and_costs_its_member(tmp_path: Path, at: float) -> None:
    data = bytearray(b"".join(archive()))
    place = int(at * len(data))
    data[place : place + 40] = bytes(40)
    rows, said, status = cleaned(bytes(data), tmp_path)
    assert rows.count(b"\n") in (59, 60) and b"damage" in said and status == 1


def test_a_cut_download(tmp_path: Path) -> None:
    data = b"".join(archive())
    _, said, status = cleaned(data[:-20_000], tmp_path)
    assert said.count(b"cut short") == 1 and status == 1


def test_an_archive_in_an_archive(tmp_path: Path) -> None:
    """Its members look like those of the outer one, where the outer one stores them as they are."""
    inner = b"".join(archive(40))
    page = warc(99, http(b"<pre>" + inner), target="http://s.example/99")
    stored = gzip.compress(page, compresslevel=0, mtime=0)
    assert inner in stored or members([record(3)])[:200] in stored
    parts = archive()
    cleaned(b"".join([*parts[:20], stored, *parts[20:]]), tmp_path)


def test_one_member(tmp_path: Path) -> None:
    cleaned(gzip.compress(b"".join(record(number) for number in range(60))), tmp_path)


def test_a_record_that_is_larger_than_many_pieces(tmp_path: Path) -> None:
    parts = archive()
    large = members([record(77, noise(77, 3_000_000))])
    assert len(large) > stretches._LONGEST / 2
    rows, _, _ = cleaned(b"".join([*parts[:20], large, *parts[20:]]), tmp_path)
    assert rows.count(b"\n") == 61


def test_a_slow_pipe_gives_each_page_when_it_comes(tmp_path: Path) -> None:
    parts = archive(4)
    command = [*NCLEANER, "-q", "-j", "1"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin and running.stdout
        got: list[bytes] = []
        reader = threading.Thread(target=lambda: got.extend(running.stdout or []))
        reader.start()
        for part in parts:
            running.stdin.write(part)
            running.stdin.flush()
            time.sleep(0.7)
        wait_until(lambda: len(got) >= 2, "pages while the pipe is open")
        running.stdin.close()
        assert running.wait() == 0
        reader.join()
    assert len(got) == 4
