"""Sorts that are ended before they are finished, and run again: real processes, real signals, a disk that fills."""

from __future__ import annotations

import fcntl
import gzip
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from ..archives import http, members, warc
from ..cli.test_app import NCLEANER, ncleaner
from ..processes import descendants, wait_until

if sys.platform == "win32":
    pytest.skip("Windows has no signals that kill or stop a process", allow_module_level=True)

pytestmark = pytest.mark.slow

ARCHIVES, PAGES, HOSTS = 6, 150, 400


def crawl(folder: Path) -> Path:
    folder.mkdir()
    dice = random.Random(1)
    for number in range(ARCHIVES):
        records = [
            warc(i, http(dice.randbytes(9000)), target=f"http://{dice.randrange(HOSTS)}.example/{number}/{i}")
            for i in range(PAGES)
        ]
        (folder / f"{number}.warc.gz").write_bytes(members(records))
    return folder


def outputs(folder: Path) -> dict[str, bytes]:
    """All files but the journal; what must not be there is there, too."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "sorting.jsonl"
    }


# the inputs, the outputs of an undisturbed sort, and its seconds
Whole = tuple[Path, dict[str, bytes], float]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    source = crawl(folder / "in")
    began = time.monotonic()
    assert ncleaner("sort", source, "-o", folder / "out", "-j", "2").returncode == 0
    return source, outputs(folder / "out"), time.monotonic() - began


def start(
    source: Path, out: Path, *options: str, before: Callable[[], None] | None = None
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [NCLEANER, "sort", str(source), "-o", str(out), *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, preexec_fn=before,
    )  # fmt: skip


def end(process: subprocess.Popen[bytes]) -> str:
    _, said = process.communicate(timeout=120)
    assert b"Traceback" not in said, said.decode()
    return said.decode()


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_moment(whole: Whole, tmp_path: Path, seed: int, jobs: int) -> None:
    source, expected, seconds = whole
    out = tmp_path / "out"
    dice = random.Random(seed)
    for _ in range(3):
        process = start(source, out, f"-j{jobs}")
        time.sleep(dice.uniform(0.3, 1.1) * seconds)
        process.kill()
        process.communicate()
    assert ncleaner("sort", source, "-o", out, f"-j{jobs}").returncode == 0
    assert outputs(out) == expected


# the steps after which the journal or the disk has changed
STEPS = ["mkdir", "rename", "fsync", "rmdir", "unlink"]
KILLER = """
import os, signal, sys
step, count = sys.argv[1], int(sys.argv[2])
def killing(function):
    def killer(*arguments, **options):
        global count
        count -= 1
        if count == 0: os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return killer
setattr(os, step, killing(getattr(os, step)))
sys.argv = ["ncleaner", *sys.argv[3:]]
from ncleaner.cli.app import main
main()
"""


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_every_step(whole: Whole, tmp_path: Path, step: str) -> None:
    """A killed sort is followed by another, which is killed a step later, until one ends."""
    source, expected, _ = whole
    kills = 0
    for count in (1, 2, 3, 5, 9, 17, 33, 65, 129, 257, 513, 10_000):
        command = [sys.executable, "-P", "-c", KILLER, step, str(count), "sort", str(source), "-o"]
        result = subprocess.run([*command, str(tmp_path / "out"), "-j1"], capture_output=True, check=False)
        assert b"Traceback" not in result.stderr, result.stderr.decode()
        if result.returncode == 0:
            break
        assert result.returncode == -signal.SIGKILL
        kills += 1
    assert kills
    assert outputs(tmp_path / "out") == expected


def test_finished_work_is_not_done_again(whole: Whole, tmp_path: Path) -> None:
    source, expected, _ = whole
    out = tmp_path / "out"
    journal = out / "sorting.jsonl"
    process = start(source, out, "-j1")
    wait_until(
        lambda: journal.exists() and journal.read_bytes().count(b'"input"') >= 2, "no input is scanned"
    )
    process.kill()
    process.communicate()
    scanned = journal.read_bytes().count(b'"input"')
    said = ncleaner("sort", source, "-o", out, "-j1").stderr.decode()
    if scanned < ARCHIVES:
        assert f"{scanned} inputs were read by an earlier run" in said
    assert journal.read_bytes().count(b'"input"') == ARCHIVES
    assert outputs(out) == expected


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it(tmp_path: Path, number: signal.Signals, status: int) -> None:
    out = tmp_path / "out"
    pipe = out.with_suffix(".warc")
    os.mkfifo(pipe)
    # nobody writes to the pipe any more, so the sort waits
    process = start(pipe, out, "-j2")
    with pipe.open("wb") as writing:
        writing.write(warc(1))
        writing.flush()
        wait_until(lambda: list(out.glob(".sorting/*.part")), "it does not begin")
        process.send_signal(number)
        said = end(process)
    assert process.returncode == status
    assert "interrupted" in said
    assert not list(out.glob(".sorting/*.part"))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_worker_that_is_killed_or_stopped_is_replaced(
    whole: Whole, tmp_path: Path, number: signal.Signals
) -> None:
    source, expected, _ = whole
    out = tmp_path / "out"
    process = start(source, out, "-j2")

    def worker() -> int:
        found = descendants(process.pid)
        return found[0] if found else -(process.poll() is not None)

    pid = wait_until(worker, "no worker starts")
    if pid > 0:
        os.kill(pid, number)
    said = end(process)
    assert process.returncode == 0, said
    assert outputs(out) == expected


def test_workers_end_with_their_parent(whole: Whole, tmp_path: Path) -> None:
    source, _, _ = whole
    process = start(source, tmp_path / "out", "-j2")
    children = wait_until(lambda: descendants(process.pid) or process.poll() is not None, "no worker starts")
    process.kill()
    process.communicate()
    for child in children if isinstance(children, list) else []:
        wait_until(lambda child=child: not psutil.pid_exists(child), "a worker goes on")  # type: ignore[misc]


def test_two_at_a_time(whole: Whole, tmp_path: Path) -> None:
    source, expected, _ = whole
    out = tmp_path / "out"
    out.mkdir()
    with (out / "sorting.jsonl").open("a+b") as journal:
        fcntl.lockf(journal, fcntl.LOCK_EX)
        result = ncleaner("sort", source, "-o", out)
        assert result.returncode == 1
        assert b"another run is writing to" in result.stderr
    assert ncleaner("sort", source, "-o", out).returncode == 0
    assert outputs(out) == expected


def test_few_file_handles(whole: Whole, tmp_path: Path) -> None:
    source, expected, _ = whole
    out = tmp_path / "out"

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (32, 32))

    process = start(source, out, "-j2", before=bound)
    end(process)
    assert process.returncode == 0
    assert outputs(out) == expected


def test_memory_does_not_grow_with_the_inputs(tmp_path: Path) -> None:
    """One archive is more than a process holds in memory."""
    noise = random.Random(1).randbytes(40_000)
    archive = tmp_path / "a.warc.gz"
    with archive.open("wb") as out:
        for i in range(2000):
            body = http(noise + b"%d" % i)
            out.write(gzip.compress(warc(i, body, target=f"http://{i % 300}.example/"), 1))
    peaks = []
    for number in (1, 6):
        folder = tmp_path / str(number)
        folder.mkdir()
        for i in range(number):
            (folder / f"{i}.warc.gz").symlink_to(archive)
        process = start(folder, tmp_path / f"out{number}", "-j1")
        peaks.append(0)
        while process.poll() is None:
            with suppress(psutil.Error):
                peaks[-1] = max(peaks[-1], psutil.Process(process.pid).memory_info().rss)
            time.sleep(0.02)
        end(process)
    assert 64e6 < peaks[0] < 200e6
    assert peaks[1] < peaks[0] + 15e6


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small file system can be mounted by root only")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_full_disk(whole: Whole, small_disk: Path, jobs: int) -> None:
    source, expected, _ = whole
    out = small_disk / "out"
    # in the first part, in the second part, nowhere
    for size in ("3m", "12m"):
        subprocess.run(["mount", "-o", f"remount,size={size}", small_disk], check=True)
        process = start(source, out, f"-j{jobs}")
        said = end(process)
        assert process.returncode == 1
        assert "ncleaner: cannot write the output " in said and ": No space left on device (free" in said
        assert not list(out.glob(".sorting/*.part"))
    assert b'"merge"' in (out / "sorting.jsonl").read_bytes()
    subprocess.run(["mount", "-o", "remount,size=40m", small_disk], check=True)
    process = start(source, out, f"-j{jobs}")
    assert f"{ARCHIVES} inputs were read by an earlier run" in end(process)
    assert process.returncode == 0
    assert outputs(out) == expected
