"""Small inputs that share an output, and outputs of several files."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from ncleaner.errors import InputError, OutputError
from ncleaner.options import OptionError
from ncleaner.reading.inputs import Input, find_inputs
from ncleaner.recipe import Recipe
from ncleaner.running.engine import run
from ncleaner.running.history import read_history
from ncleaner.running.jobs import Chunk
from ncleaner.running.manifest import NAME
from ncleaner.running.outputs import _PACK, _SMALL, QUARANTINE, open_output_in, output_names, packed
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Note, Tally
from ncleaner.sinks.formats import Output
from ncleaner.storage.local import RUN
from ncleaner.storage.places import folder_at

from ..archives import http, members, warc, write
from ..cli.test_app import NCLEANER, PROSE, ncleaner
from ..conftest import HookWorkers
from ..faults import HOOK
from ..runs import entries_in, outputs_in, write_manifest


def settings(rows: int | None, form: str = "jsonl") -> Settings:
    return Settings(Recipe("everything"), output=Output(format=form, rows_per_file=rows))


def pages(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / f"{name}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"<p>{PROSE} That was {name}.")
    return folder


def crawl(path: Path, number: int) -> Path:
    records = [
        warc(i, http(f"<p>{PROSE} {path.name} {i}.".encode()), target=f"http://x.example/{i}")
        for i in range(number)
    ]
    return write(path, members(records))


NAMES = [f"{number % 3}/{number:03}" for number in range(60)]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return pages(tmp_path / "in", *NAMES)


def rows(out: Path) -> Counter[str]:
    """How often each page is in the outputs, by URL."""
    lines = [line for data in outputs_in(out).values() for line in data.splitlines()]
    return Counter(json.loads(line)["url"] for line in lines)


def given(*folders: Path) -> Counter[str]:
    return Counter(str(path) for folder in folders for path in folder.rglob("*.html"))


# what is packed ------------------------------------------------------------------------------------


def test_what_is_small_is_packed() -> None:
    small = [Input(f"in/{i:04}.html", f"{i:04}.html", 100_000) for i in range(2000)]
    large = Input("in/crawl.warc.gz", "0500.warc.gz", _SMALL)
    unknown = [Input("-", "-", None), Input("http://x.example/", "x.example", None)]
    found = packed([*small[:500], large, *small[500:], *unknown], 100_000)
    packs = [each for each in found if each.members]
    assert [each for each in found if not each.members] == [large, *unknown]
    assert [member for pack in packs for member in pack.members] == small
    sizes = [pack.size or 0 for pack in packs]
    assert all(size <= _PACK for size in sizes) and sum(size > _PACK // 2 for size in sizes) >= len(packs) - 1
    assert len({pack.relative for pack in packs}) == len(packs)
    assert all(len(pack.members) <= 50 for pack in packed(small, 50))
    # one alone keeps its name, and so do all in other formats
    assert packed(small[:1], 50) == small[:1] and packed(small, 0) == small
    assert packed(small[:3], 1) == small[:3]


@pytest.mark.parametrize("size", [1_000, 100_000])
def test_a_new_input_changes_few_packs(size: int) -> None:
    dice = random.Random(size)
    inputs = [
        Input(f"in/{name}", name, size) for name in sorted(f"{dice.random():.9f}.html" for _ in range(5000))
    ]
    before = packed(inputs, 700)
    place = dice.randrange(1000, 4000)
    new = Input("in/new", inputs[place].relative + "a", size)
    after = packed([*inputs[:place], new, *inputs[place:]], 700)
    assert len(before) > 8
    assert len(set(after) - set(before)) <= 3


def test_a_pack_changes_with_each_of_its_inputs() -> None:
    inputs = [Input(f"in/{i}.html", f"{i}.html", 10, 5) for i in range(3)]
    [pack] = packed(inputs, 10)
    first, second, third = inputs
    for change in (second._replace(size=11), second._replace(modified=6), second._replace(relative="1.htm")):
        [other] = packed([first, change, third], 10)
        assert other.modified != pack.modified and other.relative == pack.relative
    # where they are is not asked, as of one input
    [other] = packed([each._replace(path=f"/else/{each.path}") for each in inputs], 10)
    assert (other.relative, other.size, other.modified) == (pack.relative, pack.size, pack.modified)


def test_names_that_readers_see() -> None:
    relatives = [
        "a/b/crawl.warc.gz",
        "_hidden/crawl.warc.gz",
        ".b.warc.gz",
        "crawl.part-00001.warc.gz",
        "x=1/c.warc",
    ]
    sources = [Input(f"in/{relative}", relative, 1) for relative in relatives]
    assert list(output_names(sources, ".parquet", is_flat=True).values()) == [
        "a--b--crawl.parquet",
        "0_hidden--crawl.parquet",
        "0.b.parquet",
        "crawl.part-00001.warc.gz.parquet",
        "x=1--c.parquet",
    ]
    clash = [Input("in/a/b.warc", "a/b.warc", 1), Input("in/a--b.warc", "a--b.warc", 1)]
    with pytest.raises(InputError, match=r"both be written to a--b\.parquet"):
        output_names(clash, ".parquet", is_flat=True)


# runs ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_packs_do_not_depend_on_workers(source: Path, tmp_path: Path, form: str) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    crawl(source / "2" / "small.warc.gz", 5)
    found = []
    for jobs in (1, 2, 3):
        out = tmp_path / f"out{jobs}"
        tally = run(find_inputs([source]), settings(25, form), output=out, jobs=jobs)
        assert (tally.inputs, tally.pages, tally.complete) == (61, 65, True)
        found.append(outputs_in(out))
        assert run(find_inputs([source]), settings(25, form), output=out, jobs=jobs).resumed == 61
    assert found[1:] == 2 * found[:1]
    assert 3 <= len(found[0]) <= 6 and all(name.startswith("part-") for name in found[0])
    history = read_history(str(tmp_path / "out1"))
    assert (history.whole.inputs, history.total.pages) == (61, 65)
    if form == "jsonl":
        assert all(data.count(b"\n") <= 25 for data in found[0].values())
        assert rows(out) == given(source) + Counter(f"http://x.example/{i}" for i in range(5))


def test_one_input_keeps_its_name_and_others_their_folders(source: Path, tmp_path: Path) -> None:
    run(find_inputs([source / "0/000.html"]), settings(25), output=tmp_path / "one")
    assert set(outputs_in(tmp_path / "one")) == {"000.jsonl"}
    for rows_per_file in (None, 0):
        out = tmp_path / f"{rows_per_file}"
        run(find_inputs([source]), settings(rows_per_file), output=out)
        assert set(outputs_in(out)) == {f"{name}.jsonl" for name in NAMES}
    with pytest.raises(OptionError, match="-o DIRECTORY"):
        run(find_inputs([source]), settings(25), output=tmp_path / "all.jsonl")


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
@pytest.mark.parametrize("number", [39, 40, 41, 150])
def test_a_long_output_has_several_files(tmp_path: Path, form: str, number: int) -> None:
    pq = pytest.importorskip("pyarrow.parquet") if form == "parquet" else None
    sources = find_inputs([crawl(tmp_path / "crawl.warc.gz", number)])
    run(sources, settings(0, form), output=tmp_path / "whole")
    [whole] = outputs_in(tmp_path / "whole").values()
    names = ["crawl", *(f"crawl.part-{part:05}" for part in range(1, -(-number // 40)))]
    found = []
    for jobs in (1, 3):
        out = tmp_path / f"out{jobs}"
        run(sources, settings(40, form), output=out, jobs=jobs)
        found.append(outputs_in(out))
        assert run(sources, settings(40, form), output=out).resumed == 1
        [entry] = entries_in(out)
        assert entry["outputs"] == {name: len(data) for name, data in found[-1].items()}
    assert found[0] == found[1] and sorted(found[0]) == [f"{name}.{form}" for name in names]
    if pq is None:
        assert b"".join(found[0][f"{name}.{form}"] for name in names) == whole
    else:
        tables = [pq.read_table(out / f"{name}.parquet") for name in names]
        assert [len(table) for table in tables[:-1]] == [40] * (len(names) - 1)
        assert [url for table in tables for url in table["url"].to_pylist()] == [
            f"http://x.example/{i}" for i in range(number)
        ]


def test_files_of_an_output_appear_together(tmp_path: Path) -> None:
    folder = folder_at(tmp_path / "out")
    lines = b"".join(b'{"row": %d}\n' % i for i in range(10))
    try:
        with open_output_in(folder, "a.jsonl", settings(3)) as output:
            output.write(Chunk(lines, Tally(), 10, -1))
            assert not outputs_in(tmp_path / "out").keys() - {".a.jsonl.part"}
            raise KeyError
    except KeyError:
        assert outputs_in(tmp_path / "out") == {}
    with open_output_in(folder, "a.jsonl", settings(3)) as output:
        for start in range(0, len(lines), 24):
            output.write(Chunk(lines[start : start + 24], Tally(), 2, -1))
    assert [*output.parts] == [f"a.part-0000{part}.jsonl" for part in (1, 2, 3)]
    found = outputs_in(tmp_path / "out")
    assert b"".join(found[name] for name in ("a.jsonl", *output.parts)) == lines
    assert {path.name for path in (tmp_path / "out").iterdir()} == found.keys()


def test_files_of_an_output_that_is_not_complete_are_gone(tmp_path: Path) -> None:
    (tmp_path / "out" / "a.part-00002.jsonl").mkdir(parents=True)
    folder = folder_at(tmp_path / "out")
    with pytest.raises(IsADirectoryError), open_output_in(folder, "a.jsonl", settings(3)) as output:
        output.write(Chunk(b"{}\n" * 10, Tally(), 10, -1))
    assert outputs_in(tmp_path / "out") == {}


def test_files_of_an_output_are_checked(tmp_path: Path) -> None:
    path, out = tmp_path / "crawl.warc.gz", tmp_path / "out"
    run(find_inputs([crawl(path, 100)]), settings(30), output=out)
    whole = outputs_in(out)
    (out / "crawl.part-00002.jsonl").write_bytes(b"")
    (out / "crawl.part-00003.jsonl").unlink()
    assert run(find_inputs([path]), settings(30), output=out).resumed == 0
    assert outputs_in(out) == whole
    # one that has fewer rows now
    run(find_inputs([crawl(path, 50)]), settings(30), output=out)
    assert set(outputs_in(out)) == {"crawl.jsonl", "crawl.part-00001.jsonl"}
    run(find_inputs([path]), settings(0), output=out, again=True)
    assert set(outputs_in(out)) == {"crawl.jsonl"} and sum(rows(out).values()) == 50


# changes -------------------------------------------------------------------------------------------


def test_inputs_that_come_and_go(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(find_inputs([source / "0"]), settings(12), output=out)
    # another directory has other packs
    run(find_inputs([source / "1"]), settings(12), output=out)
    assert rows(out) == given(source / "0", source / "1")
    for name in ("0000", "030a", "0600"):
        notes: list[Note] = []
        pages(source / "0", name)
        tally = run(
            find_inputs([source / "0"]), settings(12), output=out,
            progress=lambda tally, *_, notes=notes: notes.extend(tally.notes),
        )  # fmt: skip
        assert tally.resumed + tally.inputs == len(list((source / "0").iterdir()))
        assert rows(out) == given(source / "0", source / "1")
        assert all("whose output they share" in str(note) for note in notes)
    assert read_history(str(out)).total.pages == sum(rows(out).values())
    (source / "0" / "030.html").unlink()
    before = outputs_in(out)
    with pytest.raises(OutputError, match=r"also have pages of .* such as 030\.html: .*--again") as refusal:
        run(find_inputs([source / "0"]), settings(12), output=out)
    assert outputs_in(out) == before
    # what is deleted is made again without it
    [name] = [name for name in before if name in str(refusal.value)]
    (out / name).unlink()
    tally = run(find_inputs([source / "0"]), settings(12), output=out)
    assert 0 < tally.inputs < 20 and rows(out) == given(source / "0", source / "1")
    assert read_history(str(out)).total.pages == sum(rows(out).values())
    (source / "0" / "003.html").unlink()
    run(find_inputs([source / "0"]), settings(12), output=out, again=True)
    assert rows(out) == given(source / "0", source / "1")
    assert read_history(str(out)).total.pages == sum(rows(out).values())


def test_other_rows_are_other_options(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(find_inputs([source]), settings(None), output=out)
    with pytest.raises(OutputError, match="--rows-per-file was not given and is 25"):
        run(find_inputs([source]), settings(25), output=out)
    assert set(outputs_in(out)) == {f"{name}.jsonl" for name in NAMES}
    run(find_inputs([source]), settings(25), output=out, again=True)
    assert rows(out) == given(source) and len(outputs_in(out)) < 10
    history = read_history(str(out))
    assert (history.whole.inputs, history.total.pages, len(history.lines)) == (60, 60, len(outputs_in(out)))


def test_packs_beside_outputs_of_another_format(source: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    out = tmp_path / "out"
    for form in ("jsonl", "parquet", "jsonl"):
        tally = run(find_inputs([source]), settings(None, form), output=out)
    assert tally.resumed == 60
    history = read_history(str(out))
    assert (history.whole.inputs, history.total.pages) == (60, 60)
    assert history.formats == {"jsonl": 60, "parquet": 1}


def test_two_inputs_of_one_name(tmp_path: Path) -> None:
    sources = find_inputs([pages(tmp_path / "a", "x", "y"), pages(tmp_path / "b", "x", "z")])
    with pytest.raises(InputError, match="into different directories"):
        run(sources, settings(25), output=tmp_path / "out")


# faults --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_input_that_cannot_be_read_costs_no_other(source: Path, tmp_path: Path, jobs: int) -> None:
    sources = find_inputs([source])
    lost = source / "1" / "031.html"
    text = lost.read_text()
    lost.unlink()
    out = tmp_path / "out"
    tally = run(sources, settings(100), output=out, jobs=jobs)
    assert (tally.inputs, tally.pages, tally.unread, tally.damaged) == (60, 59, 1, 1)
    assert rows(out) == given(source)
    history = read_history(str(out))
    assert [row.input for row in history.damage()] == [str(lost)]
    assert history.whole.unread == 1
    # the next run tries again
    lost.write_text(text)
    assert run(find_inputs([source]), settings(100), output=out).inputs == 60
    assert rows(out) == given(source) and read_history(str(out)).whole.unread == 0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names of files")
@pytest.mark.parametrize("jobs", [1, 2])
def test_deadly_pages_of_packs(hook_workers: HookWorkers, source: Path, tmp_path: Path, jobs: int) -> None:
    hook_workers(HOOK)
    deadly = {"0/010?fault=kill", "1/020?fault=segfault"}
    pages(source, *deadly)
    out = tmp_path / "out"
    tally = run(find_inputs([source]), settings(25), output=out, jobs=jobs)
    assert (tally.inputs, tally.pages, tally.lost.total()) == (62, 62, 2)
    lost = {str(source / f"{name}.html") for name in deadly}
    assert rows(out).keys() == given(source).keys() - lost
    history = read_history(str(out))
    assert {row.input for row in history.quarantined()} == lost
    kept = run(find_inputs([out / QUARANTINE]), settings(0), output=tmp_path / "again")
    assert kept.lost.total() == 2
    assert run(find_inputs([source]), settings(25), output=out).resumed == 62


@pytest.mark.slow
def test_a_file_that_ends_its_readers(hook_workers: HookWorkers, source: Path, tmp_path: Path) -> None:
    """All others of its pack are read."""
    crawl(source / "1" / "020.warc.gz", 9)
    hook = tmp_path / "deadly_reader.py"
    hook.write_text(
        "import os\n"
        "from ncleaner.reading import archive\n"
        "real = archive.read\n"
        "def read(source, **options):\n"
        "    for number, item in enumerate(real(source, **options)):\n"
        "        if options['name'].endswith('020.warc.gz') and number == 4 or '031' in options['name']:\n"
        "            os._exit(9)\n"
        "        yield item\n"
        "archive.read = read\n"
    )
    hook_workers(hook)
    out = tmp_path / "out"
    tally = run(find_inputs([source]), settings(100), output=out, jobs=1)
    assert (tally.inputs, tally.pages, tally.unread) == (61, 59 + 4, 2)
    damage = {(row.input, row.what[:14]) for row in read_history(str(out)).damage()}
    lost = source / "1" / "031.html"
    assert damage == {(str(source / "1/020.warc.gz"), "5 workers died"), (str(lost), "5 workers died")}
    assert rows(out).keys() == {
        *(given(source) - Counter([str(lost)])),
        *(f"http://x.example/{i}" for i in range(4)),
    }
    hook_workers(None)
    assert run(find_inputs([source]), settings(100), output=out, jobs=1).pages == 60 + 9


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals that kill a process")
@pytest.mark.parametrize("seed", range(2))
def test_workers_are_killed_all_the_time(tmp_path: Path, seed: int) -> None:
    from .test_faults import at_work, end, kill, start

    source = pages(tmp_path / "in", *(f"{number % 3}/{number:03}?fault=slow" for number in range(200)))
    dice, out = random.Random(seed), tmp_path / "out"
    run(find_inputs([source]), settings(60), output=tmp_path / "whole")
    process = start(source, out, "--rows-per-file", "60", "-m", "everything")
    kills = 0
    while found := at_work(process, out, dice.randint(2, 40)):
        kills += kill(dice.choice(found))
    said = end(process)
    assert kills and process.returncode == 0, said
    assert outputs_in(out) == outputs_in(tmp_path / "whole") and rows(out) == given(source)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_killed_at_any_moment(tmp_path: Path, seed: int) -> None:
    source = pages(tmp_path / "in", *(f"{number % 7}/{number:05}" for number in range(1500)))
    crawl(source / "large.warc.gz", 700)
    command = ("clean", source, "-f", "jsonl", "--rows-per-file", "300", "-j", "2", "-o")
    began = time.monotonic()
    assert ncleaner(*command, tmp_path / "whole").returncode == 0
    seconds = time.monotonic() - began
    out, dice = tmp_path / "out", random.Random(seed)
    for _ in range(4):
        with subprocess.Popen([NCLEANER, *map(str, command), str(out)], stderr=subprocess.DEVNULL) as process:
            time.sleep(dice.uniform(0, seconds))
            process.kill()
    assert ncleaner(*command, out).returncode == 0
    assert outputs_in(out) == outputs_in(tmp_path / "whole")
    assert sum(rows(out).values()) == read_history(str(out)).total.pages == 2200
    assert b"1,501 inputs were finished" in ncleaner(*command, out).stderr


def test_a_damaged_line_of_a_pack(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(find_inputs([source]), settings(25), output=out)
    whole, lines = outputs_in(out), (out / NAME).read_text().splitlines()
    stranger = tmp_path / "stranger"
    stranger.write_text("of somebody else")
    changes: list[dict[str, object]] = [{"outputs": {"../stranger": 1}}, {"outputs": {str(stranger): 1}}]
    changes += [{"outputs": 3}, {"outputs": {"a": "b"}}, {"outputs": {}}]
    changes += [{"members": None}, {"members": 3}]
    for change in changes:
        damaged = json.dumps({**json.loads(lines[1]), **change})
        write_manifest(out, lines[0], damaged, *lines[2:])
        tally = run(find_inputs([source]), settings(25), output=out)
        assert tally.resumed + tally.inputs == 60 and tally.inputs
        assert outputs_in(out) == whole and stranger.exists()


# readers -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_every_reader_takes_the_directory(source: Path, tmp_path: Path, form: str) -> None:
    """While a run writes to it, and afterwards, with inputs in folders, a page in quarantine and a survey."""
    dataset = pytest.importorskip("pyarrow.dataset")
    pandas, polars, duckdb = map(pytest.importorskip, ("pandas", "polars", "duckdb"))
    crawl(source / "large.warc.gz", 70)
    out = tmp_path / "out"
    command = ("clean", source, "-f", form, "--rows-per-file", "25", "--sites", "auto", "-o", out)
    assert ncleaner(*command).returncode == 0
    (out / QUARANTINE).mkdir()
    (out / QUARANTINE / f"part-{form}.warc.gz").write_bytes(b"no data")
    (out / f".next.{form}.part").write_bytes(b"PAR1 no data")
    pattern = f"{out}/*.{form}"
    counts = {
        "pyarrow": dataset.dataset(out, format="json" if form == "jsonl" else form).count_rows(),
        "duckdb": len(duckdb.sql(f"SELECT url FROM '{pattern}'").fetchall()),
    }
    if form == "parquet":
        counts["pandas"] = len(pandas.read_parquet(out))
        counts["polars"] = polars.scan_parquet(pattern).collect().height
    else:
        counts["polars"] = polars.scan_ndjson(pattern).collect().height
    assert counts == dict.fromkeys(counts, read_history(str(out)).total.pages)
    assert {path.name for path in out.iterdir() if path.is_dir()} == {RUN}
    # given as an input, its texts only are read
    if form == "jsonl":
        assert not [each for each in os.walk(out) if RUN in each[1] and Path(each[0]) != out]
