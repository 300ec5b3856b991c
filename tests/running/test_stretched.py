"""Archives that all workers read together, over real processes: the results are those of one worker."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

from ncleaner.limits import Limits
from ncleaner.reading.inputs import Input, find_inputs
from ncleaner.recipe import Recipe
from ncleaner.running import engine, stretched
from ncleaner.running.engine import run
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Note, Tally
from ncleaner.sinks.formats import Output

from ..archives import http, members, plain, warc, write
from ..conftest import HookWorkers
from ..faults import HOOK
from ..runs import entries_in, outputs_in

SETTINGS = Settings(Recipe(method="everything"), output=Output(format="jsonl"))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes stretches of small archives."""
    monkeypatch.setattr(engine, "_LEAST_SHARE", 1)
    monkeypatch.setattr(stretched, "_LEAST", 2000)


@pytest.fixture
def spreading(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Inputs that the parent reads itself."""
    spread: list[object] = []
    real = engine._Run.spread

    def spied(self: Any, sources: Any, output: Any) -> None:
        given = list(sources)
        spread.extend(given)
        real(self, given, output)

    monkeypatch.setattr(engine._Run, "spread", spied)
    return spread


def record(number: int, fault: str = "") -> bytes:
    target = f"http://x.example/{number}" + (f"?fault={fault}" if fault else "")
    words = " ".join(f"{number * 7919 % (k + 2)}th" for k in range(60))
    return warc(number, http(f"<p>Page {number} says {words}.".encode()), target=target)


def cleaned(
    paths: list[Path], jobs: int, settings: Settings = SETTINGS, folder: Path | None = None
) -> tuple[bytes, Any, list[Note]]:
    """Returns output, counts, and notes of a run into one output."""
    notes: list[Note] = []

    def progress(tally: Tally, source: Input, offset: int | None) -> None:
        notes.extend(tally.notes)

    out = io.BytesIO()
    quarantine = None if folder is None else folder / "quarantine.warc.gz"
    if quarantine is not None:
        quarantine.unlink(missing_ok=True)
    tally = run(find_inputs(paths), settings, output=out, jobs=jobs, progress=progress, quarantine=quarantine)
    counts = {**tally.record(), "inputs": tally.inputs, "slowest": None, "times": None}
    if quarantine is not None and quarantine.exists():
        counts["kept"] = quarantine.read_bytes()
    return out.getvalue(), counts, notes


def damaged(data: bytes, *places: float) -> bytes:
    """Breaks a byte at each place, and cuts the end."""
    found = bytearray(data)
    for place in places:
        found[int(place * len(data))] ^= 0x55
    return bytes(found[:-40])


RECORDS = [record(i) for i in range(120)]
ARCHIVES = {
    "whole.warc.gz": members(RECORDS),
    "plain.warc": plain(RECORDS),
    "damaged.warc.gz": damaged(members(RECORDS), 0.1, 0.5, 0.501, 0.9),
    "damaged.warc": damaged(plain(RECORDS), 0.1, 0.5, 0.501, 0.9),
    "junk.warc.gz": members(RECORDS[:40]) + 3000 * b"junk" + members(RECORDS[40:]) + 5000 * b"\0",
    "one.warc.gz": members([b"".join(RECORDS)]),
    "nothing.warc.gz": members(200 * [b"\r\n\r\n"]),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ARCHIVES)
def test_any_number_of_workers_gives_the_same(name: str, tmp_path: Path, spreading: list[object]) -> None:
    path = write(tmp_path / name, ARCHIVES[name])
    one = cleaned([path], 1)
    for jobs in (2, 3):
        assert cleaned([path], jobs) == one
    assert not spreading


@pytest.mark.slow
def test_stretches_of_any_size_give_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.warc.gz", ARCHIVES["damaged.warc.gz"])
    one = cleaned([path], 1)
    for most in (150, 999, 10**6):
        monkeypatch.setattr(stretched, "_LEAST", most)
        monkeypatch.setattr(stretched, "_MOST", most)
        assert cleaned([path], 2) == one


@pytest.mark.slow
def test_several_inputs_keep_their_order(tmp_path: Path, spreading: list[object]) -> None:
    paths = [
        write(tmp_path / f"{number}-{name}", data) for number, (name, data) in enumerate(ARCHIVES.items())
    ]
    page = write(tmp_path / "3-page.html", b"<p>A page between archives.")
    paths.insert(4, page)
    one = cleaned(paths, 1)
    assert cleaned(paths, 2) == one
    assert [source.path for source in spreading] == [str(page)]  # type: ignore[attr-defined]


@pytest.mark.slow
def test_a_directory_gets_the_same_files(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, data in ARCHIVES.items():
        write(folder / name, data)
    found = []
    for jobs in (1, 2, 3):
        out = tmp_path / f"out{jobs}"
        tally = run(find_inputs([folder]), SETTINGS, output=out, jobs=jobs)
        entries = {}
        for entry in entries_in(out):
            for changing in ("slowest", "seconds", "finished", "time", "times"):
                entry.pop(changing, None)
            entries[entry["input"]] = entry
        found.append((outputs_in(out), {**tally.record(), "slowest": None, "times": None, "damage": None}))
        assert len(entries) == len(ARCHIVES)
        # nothing is left to do
        assert run(find_inputs([folder]), SETTINGS, output=out, jobs=jobs).resumed == len(ARCHIVES)
    assert found[1:] == 2 * found[:1]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that kill a process")
@pytest.mark.parametrize("name", ["a.warc.gz", "a.warc"])
def test_pages_that_end_their_workers(
    hook_workers: HookWorkers, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook_workers(HOOK)
    faults = {5: "segfault", 30: "exit", 31: "bug", 32: "kill", 70: "spin", 119: "segfault"}
    records = [record(i, faults.get(i, "")) for i in range(120)]
    pack = members if name.endswith(".gz") else plain
    path = write(tmp_path / name, pack(records))
    settings = Settings(Recipe(method="everything", limits=Limits(seconds=1)), output=Output(format="jsonl"))
    one = cleaned([path], 1, settings, tmp_path)
    assert sum(one[1]["given_up"].values()) == len(faults) and one[1]["pages"] == 120
    assert cleaned([path], 2, settings, tmp_path) == one


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that kill a process")
def test_an_input_at_which_workers_die_between_pages_ends(
    hook_workers: HookWorkers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tmp_path / "hook.py"
    hook.write_text(
        "import os\n"
        "from ncleaner.reading import stretches, archive\n"
        "from ncleaner.running import jobs\n"
        "for module in (stretches, archive):\n"
        "    def dying(record, *arguments, real=module.page_of_record):\n"
        "        if record.url.endswith('/60'):\n"
        "            os._exit(3)\n"
        "        return real(record, *arguments)\n"
        "    module.page_of_record = dying\n"
    )
    hook_workers(hook)
    path = write(tmp_path / "a.warc.gz", members(RECORDS))
    one = cleaned([path], 1)
    assert one[1]["pages"] == 60 and one[1]["unread"]
    output, counts, notes = cleaned([path], 2)
    assert (output, counts) == one[:2]
    assert {note.event for note in notes} == {note.event for note in one[2]}


@pytest.mark.untraced
def test_results_that_wait_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stretched, "_MOST_WAITING", 1)
    held: list[int] = []
    real = stretched.CleaningInStretches._held

    def spied(self: stretched.CleaningInStretches) -> set[int]:
        found = real(self)
        held.append(len(found))
        return found

    monkeypatch.setattr(stretched.CleaningInStretches, "_held", spied)
    path = write(tmp_path / "a.warc.gz", ARCHIVES["damaged.warc.gz"])
    assert cleaned([path], 3) == cleaned([path], 1)
    assert any(held)


def test_an_archive_that_vanishes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.warc.gz", ARCHIVES["whole.warc.gz"])
    real = stretched._stretch

    def removing(*arguments: Any, **options: Any) -> Any:
        path.unlink(missing_ok=True)
        return real(*arguments, **options)

    monkeypatch.setattr(stretched, "_stretch", removing)
    output, counts, notes = cleaned([path], 2)
    assert not output and counts["unread"] and counts["inputs"] == 1
    assert [note.event for note in notes] == ["unread"]


def test_an_error_of_the_output_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.warc.gz", ARCHIVES["whole.warc.gz"])

    def failing(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("ncleaner.running.outputs.OpenOutput.write", failing)
    with pytest.raises(Exception, match="No space left"):
        run(find_inputs([path]), SETTINGS, output=tmp_path / "out", jobs=2)
    assert not list((tmp_path / "out").glob("a*"))
