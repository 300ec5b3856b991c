"""Runs that are ended before they are finished, and run again: real processes, real signals."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..archives import http, members, warc
from ..cli.test_app import NCLEANER, PROSE, ncleaner
from ..processes import wait_until
from ..runs import entries_in
from ..runs import outputs_in as outputs

if sys.platform == "win32":
    pytest.skip("Windows has no signals that kill or stop a process", allow_module_level=True)


def crawl(folder: Path, archives: int = 8, pages: int = 60) -> Path:
    folder.mkdir()
    for number in range(archives):
        records = [
            warc(i, http(f"<p>{PROSE} That was day {number}-{i}.".encode()), target=f"http://x.example/{i}")
            for i in range(pages)
        ]
        (folder / f"{number}.warc.gz").write_bytes(members(records))
    return folder


def entries(folder: Path) -> list[str]:
    return [entry["input"] for entry in entries_in(folder)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes], float]:
    """The inputs, their outputs from an undisturbed run, and its seconds."""
    folder = tmp_path_factory.mktemp("whole")
    source = crawl(folder / "in")
    began = time.monotonic()
    assert ncleaner("clean", source, "-o", folder / "out", "-j", "2").returncode == 0
    return source, outputs(folder / "out"), time.monotonic() - began


def start(source: Path, out: Path) -> subprocess.Popen[bytes]:
    # a group of its own, so that the workers can be told from those of other tests
    return subprocess.Popen(
        [NCLEANER, "clean", str(source), "-o", str(out), "-j", "2"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


@pytest.mark.slow
def test_finished_inputs_are_passed_over(whole: tuple[Path, dict[str, bytes], float], tmp_path: Path) -> None:
    source, expected, _ = whole
    out = tmp_path / "out"
    for said in ("480 pages read", "8 inputs were finished by an earlier run"):
        result = ncleaner("clean", source, "-o", out)
        assert said in result.stderr.decode()
        assert result.returncode == 0
    assert outputs(out) == expected
    assert sorted(entries(out)) == [f"{number}.warc.gz" for number in range(8)]
    times = {path: path.stat().st_mtime_ns for path in out.glob("*.txt")}
    ncleaner("clean", source, "-o", out, "--again")
    assert all(path.stat().st_mtime_ns > time for path, time in times.items())
    assert outputs(out) == expected


@pytest.mark.slow
def test_changes_are_noticed(whole: tuple[Path, dict[str, bytes], float], tmp_path: Path) -> None:
    source, expected, _ = whole
    own = tmp_path / "in"
    own.mkdir()
    for path in list(source.iterdir())[:3]:
        (own / path.name).write_bytes(path.read_bytes())
    out = tmp_path / "out"
    ncleaner("clean", own, "-o", out)
    before = outputs(out)
    refused = ncleaner("clean", own, "-o", out, "--precision")
    assert refused.returncode == 1 and outputs(out) == before
    assert refused.stderr.decode() == (
        f"ncleaner: the outputs in {out} were made with other options: --threshold was not given and is "
        "precision. Give the same options or another directory, or --again to clean all inputs again\n"
    )
    assert ncleaner("clean", own, "-o", out, "--precision", "--again").returncode == 0
    assert ncleaner("clean", own, "-o", out).returncode == 1
    assert ncleaner("clean", own, "-o", out, "--again").returncode == 0
    first = min(own.iterdir())
    os.utime(first, (1, 1))
    (out / f"{max(own.iterdir()).name.partition('.')[0]}.txt").write_text("lost")
    said = ncleaner("clean", own, "-o", out).stderr.decode()
    assert "cleaning 1 input again that has changed since" in said
    assert "cleaning 1 input again whose output is missing or has changed" in said
    assert "1 input was finished by an earlier run" in said
    assert all(expected[name] == data for name, data in outputs(out).items())


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_killed_at_any_moment(whole: tuple[Path, dict[str, bytes], float], tmp_path: Path, seed: int) -> None:
    source, expected, seconds = whole
    out = tmp_path / "out"
    for moment in (random.Random(seed).uniform(0, seconds) for _ in range(2)):
        process = start(source, out)
        time.sleep(moment)
        process.kill()
        process.communicate()
    assert ncleaner("clean", source, "-o", out, "-j", "2").returncode == 0
    assert outputs(out) == expected
    assert set(entries(out)) == {path.name for path in source.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: signal.Signals, status: int) -> None:
    source = crawl(tmp_path / "in", archives=2, pages=20_000)
    out = tmp_path / "out"
    process = start(source, out)
    wait_until(lambda: list(out.glob("*.part")), "nothing is written")
    process.send_signal(number)
    _, said = process.communicate(timeout=120)
    assert process.returncode == status
    assert b"interrupted; finished outputs are kept, and the same command resumes" in said
    assert b"Traceback" not in said
    assert not list(out.glob("*.part"))
