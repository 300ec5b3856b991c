"""The engine over real files and real worker processes: order, isolation, outputs."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ncleaner.errors import InputError, ModelError, OutputError
from ncleaner.limits import Limits
from ncleaner.page import Page
from ncleaner.pools.pool import Death
from ncleaner.reading.archive import pages, read
from ncleaner.reading.inputs import Input, find_inputs
from ncleaner.reading.stretches import Layout
from ncleaner.recipe import Recipe
from ncleaner.running import engine
from ncleaner.running.engine import _Batch, cleaned, cleaned_items, run
from ncleaner.running.jobs import Chunk, PagesJob, events_of, pool_of
from ncleaner.running.outputs import QUARANTINE, output_names
from ncleaner.running.settings import Reading, Settings
from ncleaner.running.tally import Note, Tally
from ncleaner.sinks.formats import Output

from ..archives import http, members, warc
from ..conftest import HookWorkers
from ..faults import HOOK
from ..runs import entries_in, outputs_in

EVERYTHING = Settings(Recipe(method="everything"))
PAGES = [f"<p>Page number {number} says something.<p>And more of it, {number}." for number in range(150)]


def archive(path: Path, pages: list[str]) -> Path:
    records = [warc(i, http(page.encode()), target=f"http://x.example/{i}") for i, page in enumerate(pages)]
    path.write_bytes(members(records))
    return path


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    return archive(tmp_path / "crawl.warc.gz", PAGES)


def to_bytes(paths: list[Path], settings: Settings = EVERYTHING, jobs: int = 1) -> tuple[bytes, Tally]:
    out = io.BytesIO()
    tally = run(find_inputs(paths), settings, output=out, jobs=jobs)
    return out.getvalue(), tally


def expected(pages: list[str], without: tuple[int, ...] = ()) -> bytes:
    return b"".join(
        f"Page number {i} says something.\nAnd more of it, {i}.\n\n".encode()
        for i in range(len(pages))
        if i not in without
    )


@pytest.mark.parametrize("jobs", [1, 2, 3])
def test_output_does_not_depend_on_workers(crawl: Path, jobs: int) -> None:
    output, tally = to_bytes([crawl], jobs=jobs)
    assert output == expected(PAGES)
    assert (tally.pages, tally.cleaned, tally.inputs) == (150, 150, 1)
    assert tally.complete


def test_several_inputs_to_one_output_keep_their_order(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in (3, 1, 2):
        (folder / f"{number}.html").write_text(f"<p>File {number}")
    one, _ = to_bytes([folder], jobs=1)
    two, _ = to_bytes([folder], jobs=2)
    assert one == two == b"File 1\n\nFile 2\n\nFile 3\n\n"


@pytest.mark.parametrize("jobs", [1, 2])
def test_directory_gets_one_file_per_input(tmp_path: Path, crawl: Path, jobs: int) -> None:
    below = tmp_path / "in" / "deeper"
    below.mkdir(parents=True)
    (below / "page.html").write_text("<p>Alone.")
    archive(below / "small.warc.gz", PAGES[:3])
    out = tmp_path / "out"
    tally = run(find_inputs([tmp_path / "in", crawl]), EVERYTHING, output=out, jobs=jobs)
    found = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*.txt")}
    assert found == {
        "deeper/page.txt": b"Alone.\n",
        "deeper/small.txt": expected(PAGES[:3]),
        "crawl.txt": expected(PAGES),
    }
    assert tally.inputs == 3


def test_file_output(tmp_path: Path, crawl: Path) -> None:
    run(find_inputs([crawl]), EVERYTHING, output=tmp_path / "new" / "all.txt", jobs=2)
    assert (tmp_path / "new" / "all.txt").read_bytes() == expected(PAGES)


@pytest.mark.slow
@pytest.mark.parametrize("marker", [None, r"^== (\S+)"])
@pytest.mark.parametrize("output_format", ["text", "cleaneval", "jsonl"])
def test_marked_texts_do_not_depend_on_workers(
    tmp_path: Path, marker: str | None, output_format: str
) -> None:
    line = "== " if marker else "URL: "
    texts = [
        "".join(f"{line}http://x.example/{name}/{i}\nPage number {i} says something.\n\n" for i in range(100))
        for name in "abc"
    ]
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text(texts[0])
    (folder / "b.txt.gz").write_bytes(gzip.compress(texts[1].encode()))
    (folder / "c").mkdir()
    (folder / "c" / "c.txt").write_text(texts[2])
    (folder / "d.txt").write_text("A text of its own.\n")
    settings = Settings(Recipe(method="everything"), Reading(marker=marker), Output(format=output_format))
    outputs = {}
    for jobs in (1, 3):
        stream, tally = to_bytes([folder], settings, jobs)
        assert (tally.pages, tally.lost.total(), tally.complete) == (301, 0, True)
        out = tmp_path / str(jobs)
        run(find_inputs([folder]), settings, output=out, jobs=jobs)
        files = outputs_in(out)
        assert len(files) == 4
        outputs[jobs] = (stream, files)
    assert outputs[1] == outputs[3]
    if output_format == "text":
        page = b"Page number 99 says something.\n\n"
        assert outputs[1][0].count(page) == 3
        assert all(data.endswith((page, b"A text of its own.\n")) for data in outputs[1][1].values())


@pytest.mark.untraced
def test_progress_stays_within_a_compressed_text(tmp_path: Path) -> None:
    text = "".join(f"URL: http://x.example/{i}\nThe same words as ever.\n" for i in range(500))
    path = tmp_path / "t.txt.gz"
    path.write_bytes(gzip.compress(text.encode()))
    reached: list[int] = []
    for jobs in (1, 2):
        run(
            find_inputs([path]), EVERYTHING, output=io.BytesIO(), jobs=jobs,
            progress=lambda tally, source, offset: reached.append(offset or 0),
        )  # fmt: skip
    assert max(reached) == path.stat().st_size


# a worker that dies or hangs ----------------------------------------------------------------------


@pytest.fixture
def faults(hook_workers: HookWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers in which pages have the faults that their URLs name."""
    if sys.platform == "win32":
        pytest.skip("Windows has no signals that kill a process")
    hook_workers(HOOK)


def deadly(path: Path, fault: str, *numbers: int, pages: int = len(PAGES)) -> Path:
    records = [
        warc(i, http(page.encode()), target=f"http://x.example/{i}" + f"?fault={fault}" * (i in numbers))
        for i, page in enumerate(PAGES[:pages])
    ]
    path.write_bytes(members(records))
    return path


REASONS = {
    "kill": "killed its worker", "segfault": "killed its worker", "exit": "killed its worker",
    "sleep": "too slow", "spin": "too slow", "bug": "failed", "allocate": "out of memory",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.usefixtures("faults")
@pytest.mark.parametrize(
    ("fault", "number"),
    [("kill", 0), ("kill", 149), ("segfault", 70), ("exit", 5), ("sleep", 70), ("spin", 64), ("bug", 70),
     ("allocate", 31)],
)  # fmt: skip
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_deadly_page_costs_itself_only(tmp_path: Path, fault: str, jobs: int, number: int) -> None:
    path = deadly(tmp_path / "crawl.warc.gz", fault, number)
    notes: list[Note] = []
    out = io.BytesIO()
    # what the program that starts the run has, a worker may have besides its own; untouched, it takes no memory
    data = bytearray(700_000_000)
    limits = Limits(seconds=3 if fault in ("sleep", "spin") else 120, memory=600_000_000)
    tally = run(
        find_inputs([path]),
        Settings(Recipe(method="everything", limits=limits)),
        output=out,
        jobs=jobs,
        progress=lambda tally, *_: notes.extend(tally.notes),
        quarantine=tmp_path / "quarantine.warc.gz",
    )
    del data
    assert out.getvalue() == expected(PAGES, without=(number,))
    assert (tally.pages, tally.cleaned, tally.lost) == (150, 149, {REASONS[fault]: 1})
    assert not tally.complete
    [note] = notes
    assert note.event == "page_given_up"
    assert note.url == f"http://x.example/{number}?fault={fault}"
    assert f"{path} at byte {note.offset:,}: page given up: " in str(note)
    # the record stands in the quarantine as it stood in the archive
    whole = gzip.decompress(path.read_bytes()[note.offset :]).split(b"\r\n\r\nWARC/")[0]
    assert gzip.decompress((tmp_path / "quarantine.warc.gz").read_bytes()).rstrip() == whole.rstrip()


@pytest.mark.slow
@pytest.mark.usefixtures("faults")
def test_deadly_pages_among_files(tmp_path: Path) -> None:
    inputs = [deadly(tmp_path / f"{name}.warc.gz", "kill", 1, 3, pages=5) for name in "ab"]
    inputs += [deadly(tmp_path / "c.warc.gz", "kill", pages=5)]
    out = tmp_path / "out"
    tally = run(find_inputs(inputs), EVERYTHING, output=out, jobs=2)
    without = expected(PAGES[:5], without=(1, 3))
    assert [path.read_bytes() for path in sorted(out.glob("*.txt"))] == [
        without,
        without,
        expected(PAGES[:5]),
    ]
    assert tally.lost.total() == 4
    assert tally.inputs == 3
    kept = sorted((out / QUARANTINE).iterdir())
    assert [path.name for path in kept] == ["a-txt.warc.gz", "b-txt.warc.gz"]
    # they can be tried again
    _, tally = to_bytes([out / QUARANTINE])
    assert tally.lost.total() == 4
    entry = entries_in(out)[0]
    assert [page["url"] for page in entry["quarantined"]] == [
        f"http://x.example/{i}?fault=kill" for i in (1, 3)
    ]


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.usefixtures("faults")
def test_a_deadly_page_of_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = deadly(tmp_path / "crawl.warc.gz", "kill", 3, pages=5)
    with path.open("rb") as stream:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
        out = io.BytesIO()
        quarantine = tmp_path / "quarantine.warc.gz"
        run(find_inputs(["-"]), EVERYTHING, output=out, jobs=2, quarantine=quarantine)
    assert out.getvalue() == expected(PAGES[:5], without=(3,))
    [page] = pages(quarantine)
    assert (page.body, page.url) == (PAGES[3].encode(), "http://x.example/3?fault=kill")


@pytest.mark.slow
def test_a_reader_that_ends_its_workers(
    hook_workers: HookWorkers, crawl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = tmp_path / "hook.py"
    hook.write_text(
        "import os\n"
        "from ncleaner.reading import archive\n"
        "real = archive.read\n"
        "def read(*arguments, **options):\n"
        "    for number, item in enumerate(real(*arguments, **options)):\n"
        "        if number == 100:\n"
        "            os._exit(9)\n"
        "        yield item\n"
        "archive.read = read\n"
    )
    hook_workers(hook)
    out = tmp_path / "out"
    tally = run(find_inputs([crawl]), EVERYTHING, output=out, jobs=1)
    # what stands before the place is there, and the next run tries again
    assert (out / "crawl.txt").read_bytes() == expected(PAGES[:100])
    assert (tally.pages, tally.unread, tally.complete) == (100, 1, False)
    hook_workers(None)
    run(find_inputs([crawl]), EVERYTHING, output=out, jobs=1)
    assert (out / "crawl.txt").read_bytes() == expected(PAGES)


@pytest.mark.slow
@pytest.mark.usefixtures("faults")
def test_one_input_at_a_time(tmp_path: Path) -> None:
    path = deadly(tmp_path / "crawl.warc.gz", "kill", 7, pages=40)
    [source] = find_inputs([path])
    with pool_of(1, EVERYTHING) as pool:
        for chunks in (cleaned(source, pool), cleaned_items(read(path), pool, EVERYTHING)):
            total, output, quarantine = Tally(), b"", b""
            for chunk in chunks:
                total += chunk.tally
                output += chunk.output
                quarantine += chunk.quarantine
            assert output == expected(PAGES[:40], without=(7,))
            assert (total.pages, total.lost.total()) == (40, 1)
            assert b"?fault=kill" in gzip.decompress(quarantine)
            assert not pool.busy


# what can be wrong with outputs and settings ------------------------------------------------------


def test_inputs_that_share_a_stem_keep_their_names() -> None:
    sources = [
        Input("in/a.html", "a.html", 1),
        Input("in/a.htm", "a.htm", 1),
        Input("in/b.html", "b.html", 1),
    ]
    names = list(output_names(sources, ".txt").values())
    assert names == ["a.html.txt", "a.htm.txt", "b.txt"]


def test_long_names_are_cut_and_stay_apart() -> None:
    stems = ["n" * 250, "n" * 249 + "m", "é" * 125, "short"]
    sources = [Input(f"in/{stem}.html", f"{stem}.html", 1) for stem in stems]
    names = list(output_names(sources, ".jsonl").values())
    assert len(set(names)) == len(names) and names[-1] == "short.jsonl"
    assert names == list(output_names(sources[::-1], ".jsonl").values())[::-1]
    for name in names:
        assert name.endswith(".jsonl") and len(f".{name}.warc.gz.part".encode()) <= 255


@pytest.mark.untraced
@pytest.mark.slow
@pytest.mark.traced
def test_an_output_that_cannot_be_written_costs_no_other(tmp_path: Path, crawl: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    # a page; an archive that is read in stretches; and a page with a long name
    (pages / "a.html").write_text("<p>The ferry will sail until the end of May, the harbour board decided.")
    (pages / f"{'l' * 250}.html").write_bytes((pages / "a.html").read_bytes())
    (pages / "b.warc.gz").write_bytes(crawl.read_bytes() * (1 + (1 << 19) // crawl.stat().st_size))
    out = tmp_path / "out"
    for name in ("a.txt", "b.txt"):
        (out / name).mkdir(parents=True)
    said: list[str] = []
    tally = run(
        find_inputs([pages]), EVERYTHING, output=out, jobs=2,
        progress=lambda tally, source, offset: said.extend(note.what for note in tally.notes),
    )  # fmt: skip
    assert tally.inputs == 3 and not tally.complete and tally.cleaned == 1
    assert all("cannot write the output" in what and "Is a directory" in what for what in said)
    assert len(said) == 2
    for name in ("a.txt", "b.txt"):
        (out / name).rmdir()
    # they are done by the next run
    tally = run(find_inputs([pages]), EVERYTHING, output=out, jobs=2)
    assert (
        tally.complete and tally.resumed == 1 and all((out / name).is_file() for name in ("a.txt", "b.txt"))
    )


def test_inputs_that_would_overwrite_each_other() -> None:
    with pytest.raises(InputError, match=r"x/a\.html and y/a\.html"):
        output_names([Input("x/a.html", "a.html", 1), Input("y/a.html", "a.html", 1)], ".txt")


def test_output_that_cannot_be_written(tmp_path: Path, crawl: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write"):
        run(find_inputs([crawl]), EVERYTHING, output=tmp_path / "file" / "out", jobs=1)


def test_nothing_half_written_is_left(tmp_path: Path, crawl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(tally: Tally, source: Input, offset: int | None) -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="No space left"):
        run(find_inputs([crawl]), EVERYTHING, output=tmp_path / "out", jobs=2, progress=full)
    assert list((tmp_path / "out").glob("*.txt*")) == []


def test_missing_model_is_said_before_any_work(crawl: Path) -> None:
    with pytest.raises(ModelError, match="no model 'xx'"):
        run(find_inputs([crawl]), Settings(Recipe(model="xx")), output=io.BytesIO(), jobs=1)


def test_input_that_vanishes(tmp_path: Path, crawl: Path) -> None:
    gone = tmp_path / "gone.warc.gz"
    inputs = [Input(str(gone), gone.name, 10), *find_inputs([crawl])]
    for jobs in (1, 2):
        out = io.BytesIO()
        tally = run(inputs, EVERYTHING, output=out, jobs=jobs)
        assert out.getvalue() == expected(PAGES)
        assert tally.damaged == 1


def test_a_batch_of_several_inputs_names_the_one_that_is_read() -> None:
    pages = tuple(Page(b"", source=f"{name}.html") for name in "abc")
    batch = _Batch(Input("c.html", "", None), PagesJob(pages=pages))
    death = Death("silent", "the worker has given no sign of life", -1)
    chunk = Chunk(b"", Tally(), 1, -1)
    pool: Any = SimpleNamespace(poll=lambda held: [(0, death), (0, chunk)] * 3, submit=lambda job: 0)
    notes = [event for _, event in events_of(pool, {0: batch}) if isinstance(event, Note)]
    assert [note.source for note in notes] == ["a.html", "b.html", "c.html"]


def _sizes(pages: list[Page]) -> list[list[int]]:
    """Returns the sizes of the pages of each batch."""
    source = Input("-", "-", None)
    batches = engine._batches(((source, page) for page in pages), engine.no_progress)
    return [
        [len(page.body) for page in batch.job.pages if isinstance(page, Page)]
        for batch in batches
        if isinstance(batch.job, PagesJob)
    ]


def test_batches_have_many_short_pages_or_some_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    short, long, huge = (Page(b"a" * size) for size in (1 << 10, 1 << 15, 2_000_000))
    assert [len(batch) for batch in _sizes([short] * 600)] == [512, 88]
    assert [len(batch) for batch in _sizes([long] * 70)] == [32, 32, 6]
    assert [len(batch) for batch in _sizes([short, huge, short])] == [2, 1]
    # a pipe that gives little is not held up
    monkeypatch.setattr(engine, "_BATCH_SECONDS", 0.0)
    assert [len(batch) for batch in _sizes([short] * 3)] == [1, 1, 1]


def test_the_work_is_divided_by_size() -> None:
    small, large, text, pipe = (
        Input(name, name, size) for name, size in zip("sltp", (10, 100, 200, None), strict=True)
    )
    warc = Layout("warc", "gzip", 1)

    def layout(source: Input) -> Layout | None:
        return warc if source in (small, large) else None

    assert engine._divided([small, small, large], 2, layout) == ({large: warc, small: warc}, [], [])
    assert engine._divided([small, small, large], 1, layout) == ({}, [], [small, small, large])
    assert engine._divided([small, *20 * [large]], 2, layout) == ({}, [], [small, *20 * [large]])
    assert engine._divided([small, text, large], 2, layout) == ({large: warc}, [text], [small])
    assert engine._divided([pipe, small], 1, layout) == ({}, [pipe], [small])
