"""Faults put into real runs over real processes. After each of them the same command, run again, ends with the
bytes of an undisturbed run: no page is lost, none is there twice. scripts/soak.sh does the same for hours."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from ncleaner.running.manifest import NAME

from ..archives import http, members, warc
from ..cli.test_app import NCLEANER, PROSE
from ..faults import BEATS, hooked
from ..processes import descendants, wait_until, workers
from ..runs import entries_in

if sys.platform == "win32":
    pytest.skip("Windows has no signals that kill or stop a process", allow_module_level=True)

ARCHIVES, PAGES = 6, 50


def crawl(folder: Path, fault: str = "slow") -> Path:
    """Archives whose pages take two hundredths of a second each, so that there is time to disturb."""
    folder.mkdir()
    for number in range(ARCHIVES):
        records = [
            warc(
                i,
                http(f"<p>{PROSE} That was day {number}-{i}.".encode()),
                target=f"http://x.example/{number}/{i}?fault={fault}",
            )
            for i in range(PAGES)
        ]
        (folder / f"{number}.warc.gz").write_bytes(members(records))
    return folder


def outputs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("[0-9].jsonl")}


def entries(folder: Path) -> dict[str, dict[str, object]]:
    return {entry["input"]: entry for entry in entries_in(folder)}


def start(source: Path, out: Path, *options: str, hook: bool = True) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [NCLEANER, "clean", str(source), "-o", str(out), "-f", "jsonl", "-j", "2", *options],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        env={**os.environ, **({**hooked(), BEATS: f"{out}.beats"} if hook else {})},
    )  # fmt: skip


def end(process: subprocess.Popen[bytes]) -> str:
    _, said = process.communicate(timeout=120)
    assert b"Traceback" not in said, said.decode()
    return said.decode()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawl(tmp_path_factory.mktemp("faults") / "in")


@pytest.fixture(scope="module")
def whole(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("faults") / "out"
    process = start(source, out)
    end(process)
    assert process.returncode == 0
    found = outputs(out)
    assert sum(data.count(b"\n") for data in found.values()) == ARCHIVES * PAGES
    return found


def kill(pid: int, number: signal.Signals = signal.SIGKILL) -> bool:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return False
    return True


def beats(out: Path) -> Counter[int]:
    """How many pages each process of a run has begun."""
    path = Path(f"{out}.beats")
    return Counter(map(int, path.read_bytes().split())) if path.exists() else Counter()


def at_work(process: subprocess.Popen[bytes], out: Path, pages: int = 2) -> list[int]:
    """The workers that have begun so many pages, all but the last of which they have finished; as soon as there are
    any. None when the run ends before that."""

    def found() -> list[int] | bool:
        begun = beats(out)
        return [pid for pid in workers(process.pid) if begun[pid] >= pages] or process.poll() is not None

    value = wait_until(found, "the run neither goes on nor ends")
    return value if isinstance(value, list) else []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_workers_are_killed_all_the_time(
    source: Path, whole: dict[str, bytes], tmp_path: Path, seed: int
) -> None:
    dice = random.Random(seed)
    process = start(source, tmp_path / "out")
    kills = 0
    # a worker is killed at another page than the one before: three deaths at the same page would cost the page
    while found := at_work(process, tmp_path / "out", dice.randint(2, 60)):
        kills += kill(dice.choice(found))
    said = end(process)
    assert kills
    assert process.returncode == 0, said
    assert outputs(tmp_path / "out") == whole


@pytest.mark.slow
def test_everything_but_the_run_itself_is_killed(
    source: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    process = start(source, tmp_path / "out")
    # on a busy machine a worker may be at the same page each time: three deaths at it would cost the page
    for _ in range(2):
        assert at_work(process, tmp_path / "out", 20)
        for pid in descendants(process.pid):
            kill(pid)
    said = end(process)
    assert process.returncode == 0, said
    assert outputs(tmp_path / "out") == whole


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_run_and_workers_are_killed_and_it_is_run_again(
    source: Path, whole: dict[str, bytes], tmp_path: Path, seed: int
) -> None:
    dice = random.Random(100 + seed)
    out = tmp_path / "out"
    for _ in range(4):
        process = start(source, out)
        time.sleep(dice.uniform(0.1, 2.5))
        started = workers(process.pid)
        for pid in [*dice.sample(started, min(1, len(started))), process.pid]:
            kill(pid)
        process.communicate()
    process = start(source, out)
    end(process)
    assert process.returncode == 0
    assert outputs(out) == whole
    assert entries(out).keys() == {path.name for path in source.iterdir()}


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["slow", "spin"])
def test_no_worker_outlives_the_run(tmp_path: Path, fault: str) -> None:
    process = start(crawl(tmp_path / "in", fault), tmp_path / "out")
    wait_until(lambda: len(workers(process.pid)) == 2, "there are no two workers")
    family = descendants(process.pid)
    process.kill()
    process.communicate()
    wait_until(lambda: not any(map(psutil.pid_exists, family)), "a worker outlives the run")


@pytest.mark.slow
def test_a_worker_is_stopped(source: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    process = start(source, tmp_path / "out", "--max-seconds", "3")
    victim = at_work(process, tmp_path / "out")[0]
    while kill(victim, signal.SIGSTOP):
        # one that is stopped between two pages is not missed for a long time: it goes on to another page
        time.sleep(6)
        kill(victim, signal.SIGCONT)
        time.sleep(0.05)
    said = end(process)
    assert process.returncode == 0, said
    assert outputs(tmp_path / "out") == whole


@pytest.mark.slow
def test_a_read_error(source: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    """A disk that fails in the middle of two inputs: what is read is there, the run says so, and does not
    call them finished."""
    out = tmp_path / "out"
    hook = tmp_path / "broken_disk.py"
    hook.write_text(
        "import errno, io\n"
        "from ncleaner.reading import opening\n"
        "real = opening.open_binary\n"
        "class Broken(io.FileIO):\n"
        "    def read(self, size=-1):\n"
        "        if self.tell() >= 8192:\n"
        "            raise OSError(errno.EIO, 'Input/output error')\n"
        "        return super().read(min(size, 4096))\n"
        "opening.open_binary = lambda path, *more: Broken(path) if path[-9:] in ('1.warc.gz', '3.warc.gz')"
        " else real(path, *more)\n"
    )
    process = subprocess.run(
        [NCLEANER, "clean", str(source), "-o", str(out), "-f", "jsonl", "-j", "2"],
        capture_output=True, check=False, env={**os.environ, **hooked(hook)},
    )  # fmt: skip
    said = process.stderr.decode()
    assert process.returncode == 1
    assert said.count("cannot read on: Input/output error") == 2, said
    assert {name for name, entry in entries(out).items() if entry["unread"]} == {"1.warc.gz", "3.warc.gz"}
    assert all(
        whole[name].startswith(data[: data.rfind(b"\n", 0, -1) + 1]) for name, data in outputs(out).items()
    )
    process2 = start(source, out, hook=False)
    assert "4 inputs were finished by an earlier run" in end(process2)
    assert outputs(out) == whole


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 80 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=80k", "tmpfs", folder], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("a small file system can be mounted by root only")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
def test_a_full_disk(source: Path, whole: dict[str, bytes], small_disk: Path) -> None:
    out = small_disk / "out"
    process = start(source, out, hook=False)
    said = end(process)
    assert process.returncode == 1
    assert "ncleaner: cannot write the output " in said and ": No space left on device (free" in said
    finished = outputs(out)
    assert finished
    assert all(whole[name] == data for name, data in finished.items())
    assert not list(out.glob("*.part"))
    subprocess.run(["mount", "-o", "remount,size=10m", small_disk], check=True)
    process = start(source, out, hook=False)
    assert (
        f"{len(finished)} input{'s were' * (len(finished) > 1) or ' was'} finished by an earlier run"
        in end(process)
    )
    assert process.returncode == 0
    assert outputs(out) == whole


@pytest.mark.slow
def test_an_input_vanishes(source: Path, whole: dict[str, bytes], tmp_path: Path) -> None:
    own = tmp_path / "in"
    own.mkdir()
    for path in source.iterdir():
        (own / path.name).write_bytes(path.read_bytes())
    process = start(own, tmp_path / "out")
    wait_until((tmp_path / "out" / NAME).exists, "no input is finished")
    (own / "5.warc.gz").unlink()
    said = end(process)
    assert process.returncode == 1
    assert "5.warc.gz: No such file or directory" in said
    # rows name their archives as they are given
    found = {
        name: data.replace(f"{own}/".encode(), f"{source}/".encode())
        for name, data in outputs(tmp_path / "out").items()
        if data
    }
    assert found == {name: data for name, data in whole.items() if name != "5.jsonl"}


def test_a_directory_that_cannot_be_written(source: Path, tmp_path: Path) -> None:
    if os.geteuid() == 0:
        # root may write anywhere but where there is nothing to write on
        out = Path("/proc/ncleaner")
    else:
        out = tmp_path / "out"
        out.mkdir(mode=0o500)
    process = start(source, out)
    said = end(process)
    assert process.returncode == 1
    assert "cannot write" in said


def test_workers_that_cannot_start(source: Path, tmp_path: Path) -> None:
    hook = tmp_path / "no_start.py"
    hook.write_text(
        "import os\nfrom ncleaner.running import jobs\njobs._Setup.__call__ = lambda *_: os._exit(7)\n"
    )
    process = subprocess.run(
        [NCLEANER, "clean", str(source), "-o", str(tmp_path / "out")],
        capture_output=True, check=False, timeout=120, env={**os.environ, **hooked(hook)},
    )  # fmt: skip
    assert process.returncode == 1
    assert process.stderr == b"ncleaner: workers end before they are ready: the worker ended with status 7\n"
