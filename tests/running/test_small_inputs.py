"""Small inputs, of which a worker gets many at once and writes the outputs itself."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from ncleaner.errors import OutputError
from ncleaner.reading.inputs import Input, find_inputs
from ncleaner.recipe import Recipe
from ncleaner.running.engine import run
from ncleaner.running.outputs import _LITTLE, _MOST_TOGETHER, QUARANTINE, in_jobs
from ncleaner.running.settings import Settings

from ..cli.test_app import NCLEANER, ncleaner
from ..conftest import HookWorkers
from ..faults import HOOK
from ..runs import entries_in, outputs_in
from .test_engine import PAGES, deadly, expected

EVERYTHING = Settings(Recipe(method="everything"))
NAMES = [f"{number % 7}/{number:03}" for number in range(100)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    for name in NAMES:
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<p>The ferry sails until May, says {name}.")
    return folder


def texts(folder: Path) -> dict[str, bytes]:
    return {f"{name}.txt": f"The ferry sails until May, says {name}.\n".encode() for name in NAMES}


def left_behind(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(".part")]


def test_packs_keep_the_order_and_leave_large_inputs_alone() -> None:
    sizes = [10] * 200 + [_LITTLE] + [None] + [10] * 3 + [_LITTLE - 1] * 40
    inputs = [Input(f"{number}.html", f"{number}.html", size) for number, size in enumerate(sizes)]
    packs = list(in_jobs(inputs, 1))
    assert [each for pack in packs for each in pack.files] == inputs
    assert len(packs) < 40 and max(len(pack.files) for pack in packs) <= _MOST_TOGETHER
    assert all(not pack.members for pack in packs if pack.size is None or pack.size == _LITTLE)
    # a few inputs are not all for one worker
    assert list(in_jobs(inputs[:20], 8)) == inputs[:20]


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_each_input_gets_its_output(source: Path, tmp_path: Path, jobs: int) -> None:
    out = tmp_path / "out"
    tally = run(find_inputs([source]), EVERYTHING, output=out, jobs=jobs)
    assert (tally.inputs, tally.pages, tally.cleaned) == (100, 100, 100)
    assert outputs_in(out) == texts(out) and not left_behind(out)
    assert {entry["input"]: entry["outputs"] for entry in entries_in(out)} == {
        f"{name}.html": {f"{name}.txt": len(texts(out)[f"{name}.txt"])} for name in NAMES
    }
    # nothing is left for a second run, and what has changed is cleaned again
    (source / f"{NAMES[3]}.html").write_text("<p>It does not sail any more.")
    (out / f"{NAMES[5]}.txt").unlink()
    tally = run(find_inputs([source]), EVERYTHING, output=out, jobs=jobs)
    assert (tally.inputs, tally.resumed) == (2, 98)
    assert outputs_in(out) == {**texts(out), f"{NAMES[3]}.txt": b"It does not sail any more.\n"}


@pytest.mark.parametrize("jobs", [1, 2, 8])
def test_one_output_keeps_the_order(source: Path, tmp_path: Path, jobs: int) -> None:
    (source / "3" / "050.txt").write_text("A text among the pages.\n")
    out = io.BytesIO()
    tally = run(find_inputs([source]), EVERYTHING, output=out, jobs=jobs)
    names = sorted([f"{name}.html" for name in NAMES] + ["3/050.txt"])
    said = (f"The ferry sails until May, says {name[:-5]}.\n\n" for name in names)
    said = (
        "A text among the pages.\n\n" if name.endswith("txt") else text
        for name, text in zip(names, said, strict=True)
    )
    assert out.getvalue().decode() == "".join(said) and tally.inputs == 101


def test_damage_names_the_input_and_costs_no_other(source: Path, tmp_path: Path) -> None:
    (source / "0" / "014.html").write_bytes(b"\x1f\x8b\x08\0cut")
    (source / "0" / "021.html").write_bytes(bytes(range(256)) * 9)
    notes = []
    tally = run(
        find_inputs([source]), EVERYTHING, output=tmp_path / "out", jobs=2,
        progress=lambda tally, source, offset: notes.extend(tally.notes),
    )  # fmt: skip
    assert (tally.inputs, tally.damaged, tally.lost.total()) == (100, 1, 1)
    assert {Path(note.source).name for note in notes} == {"014.html", "021.html"}
    made = texts(tmp_path) | {"0/014.txt": b"", "0/021.txt": b""}
    assert outputs_in(tmp_path / "out") == made
    assert [entry["input"] for entry in entries_in(tmp_path / "out") if entry["damaged"]] == ["0/014.html"]


def test_an_output_that_cannot_be_written_costs_no_other(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "3" / "010.txt").mkdir(parents=True)
    (out / "3" / ".017.txt.part").symlink_to(tmp_path / "elsewhere")
    said: dict[str, str] = {}
    tally = run(
        find_inputs([source]), EVERYTHING, output=out, jobs=2,
        progress=lambda tally, *_: said.update({note.source: note.what for note in tally.notes}),
    )  # fmt: skip
    assert {Path(path).name for path in said} == {"010.html", "017.html"}
    assert all(what.startswith("cannot write the output") for what in said.values())
    assert (tally.inputs, tally.cleaned, tally.unread) == (100, 98, 2)
    assert not (tmp_path / "elsewhere").exists()
    (out / "3" / "010.txt").rmdir()
    (out / "3" / ".017.txt.part").unlink()
    assert run(find_inputs([source]), EVERYTHING, output=out, jobs=2).resumed == 98
    assert outputs_in(out) == texts(out)


def test_a_full_disk_ends_the_run(source: Path, tmp_path: Path, hook_workers: HookWorkers) -> None:
    hook = tmp_path / "hook.py"
    hook.write_text(
        "import errno, os\nfrom ncleaner.storage import local\n"
        "def full(number): raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))\nlocal.os.fsync = full\n"
    )
    hook_workers(hook)
    with pytest.raises(OutputError, match="No space left on device"):
        run(find_inputs([source]), EVERYTHING, output=tmp_path / "out", jobs=2)
    assert not outputs_in(tmp_path / "out") and not left_behind(tmp_path / "out")


@pytest.mark.slow
def test_a_deadly_page_costs_itself_only(source: Path, tmp_path: Path, hook_workers: HookWorkers) -> None:
    hook_workers(HOOK)
    for name in NAMES[40:42]:
        (source / f"{name}.html").unlink()
        deadly(source / f"{name}.warc.gz", "kill", 1, pages=4)
    out = tmp_path / "out"
    tally = run(find_inputs([source]), EVERYTHING, output=out, jobs=2)
    assert (tally.inputs, tally.pages, tally.lost) == (100, 106, {"killed its worker": 2})
    made: Mapping[str, bytes] = {f"{name}.txt": expected(PAGES[:4], without=(1,)) for name in NAMES[40:42]}
    assert outputs_in(out) == {**texts(out), **made}
    assert len(list((out / QUARANTINE).rglob("*.warc.gz"))) == 2


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
def test_an_interrupted_run_leaves_nothing_half_written(source: Path, tmp_path: Path) -> None:
    for number in range(3000):
        (source / f"{number}.html").hardlink_to(source / f"{NAMES[number % 100]}.html")
    out = tmp_path / "out"
    command = [NCLEANER, "clean", str(source), "-o", str(out), "-f", "text", "-j", "2", "-q"]
    for signum in (signal.SIGTERM, signal.SIGKILL, signal.SIGTERM):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            before = len([*out.rglob("*.txt")])
            while process.poll() is None and len([*out.rglob("*.txt")]) < before + 20:
                time.sleep(0.02)
            process.send_signal(signum)
        if signum == signal.SIGTERM:
            assert not left_behind(out)
    done = len(entries_in(out))
    tally = run(find_inputs([source]), Settings(), output=out, jobs=2)
    assert tally.resumed == done and tally.inputs == 3100 - done and not left_behind(out)
    whole = tmp_path / "whole"
    assert run(find_inputs([source]), Settings(), output=whole, jobs=1).inputs == 3100
    assert outputs_in(out) == outputs_in(whole)


def test_programs_are_told_of_each_input(source: Path, tmp_path: Path) -> None:
    done = ncleaner("clean", source, "-o", tmp_path / "out", "-f", "text", "-j", "1", "--log-json")
    events = [json.loads(line) for line in done.stderr.decode().splitlines()]
    finished = [Path(each["source"]) for each in events if each["event"] == "input_finished"]
    assert sorted(finished) == sorted(source / f"{name}.html" for name in NAMES)
