"""Where inputs and outputs lie: one directory for several formats, outputs beside inputs, things that are no files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ncleaner.errors import OutputError
from ncleaner.reading.inputs import find_inputs, listed_inputs
from ncleaner.running.engine import run
from ncleaner.running.manifest import NAME
from ncleaner.running.outputs import check_new, is_directory
from ncleaner.running.settings import Settings

from ..cli.test_app import CRAWL, PROSE, ncleaner
from ..runs import entries_in


def pages(folder: Path) -> Path:
    folder.mkdir()
    for name in "ab":
        (folder / f"{name}.html").write_text(f"<p>{PROSE} On day {name}.")
    return folder


@pytest.mark.slow
def test_several_formats_in_one_directory(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for _ in range(2):
        for form in ("text", "jsonl"):
            result = ncleaner("clean", CRAWL, "-o", out, "-f", form)
            assert result.returncode == 0 and b"again" not in result.stderr
    assert b"finished by an earlier run" in result.stderr
    assert {path.name for path in out.iterdir()} == {"crawl.txt", "crawl.jsonl", "_run"}
    assert len(entries_in(out)) == 2
    # what belongs to one format is made again, and not the other
    (out / "crawl.txt").write_text("changed")
    result = ncleaner("clean", CRAWL, "-o", out)
    assert b"whose output is missing or has changed" in result.stderr
    assert b"finished by an earlier run" in ncleaner("clean", CRAWL, "-o", out, "-f", "jsonl").stderr


@pytest.mark.slow
def test_outputs_below_the_inputs_are_not_read(tmp_path: Path) -> None:
    crawl = pages(tmp_path / "crawl")
    for _ in range(2):
        assert ncleaner("clean", crawl, "-o", crawl / "out").returncode == 0
        assert ncleaner("clean", crawl, "-o", crawl / "all.txt", "--force").returncode == 0
    files = {path.relative_to(crawl).as_posix() for path in crawl.rglob("*") if path.is_file()}
    assert files == {"a.html", "b.html", "all.txt", "out/a.txt", "out/b.txt", "out/all.txt", f"out/{NAME}"}


@pytest.mark.slow
@pytest.mark.traced
def test_the_directory_of_the_inputs_is_refused(tmp_path: Path) -> None:
    crawl = pages(tmp_path / "crawl")
    before = {path: path.read_bytes() for path in crawl.iterdir()}
    result = ncleaner("clean", crawl, "-o", f"{crawl}/.")
    assert result.returncode == 1 and b"is also the output directory" in result.stderr
    assert {path: path.read_bytes() for path in crawl.iterdir()} == before
    # single files may lie beside their outputs
    assert ncleaner("clean", crawl / "a.html", "-o", crawl).returncode == 0
    assert (crawl / "a.txt").is_file()


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize("link", [False, True])
def test_an_input_is_not_replaced(tmp_path: Path, link: bool) -> None:
    source = tmp_path / "dump.txt"
    source.write_text(PROSE)
    other = tmp_path / "other" / "dump.txt"
    other.parent.mkdir()
    if link:
        other.symlink_to(source)
    given = other if link else source
    for output in (source, tmp_path):
        result = ncleaner("clean", given, "-o", output)
        assert result.returncode == 1, output
        assert b"is an input, and the output" in result.stderr
        assert source.read_text() == PROSE


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.skipif(sys.platform == "win32", reason="links need a permission there")
def test_one_that_cannot_be_read_costs_no_other(tmp_path: Path) -> None:
    crawl = pages(tmp_path / "crawl")
    (crawl / "gone.html").symlink_to(tmp_path / "nowhere.html")
    (crawl / "loop.html").symlink_to(crawl / "loop.html")
    (crawl / "up").symlink_to(tmp_path)
    result = ncleaner("clean", crawl, "-o", tmp_path / "out")
    said = result.stderr.decode()
    assert result.returncode == 1
    assert f"{crawl}/gone.html: No such file or directory\n" in said
    assert f"{crawl}/loop.html: Too many levels of symbolic links\n" in said
    assert f"{crawl}/up: is a link to a directory" in said
    assert (tmp_path / "out" / "a.txt").read_text().startswith(PROSE[:20])
    assert "2 pages read" in said
    result = ncleaner("clean", crawl, "-o", tmp_path / "out", "--log-json")
    assert '"event": "passed_over"' in result.stderr.decode()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_a_pipe_in_a_directory_is_passed_over(tmp_path: Path) -> None:
    crawl = pages(tmp_path / "crawl")
    os.mkfifo(tmp_path / "pipe")
    (crawl / "link.html").symlink_to(tmp_path / "pipe")
    (crawl / "zero.html").symlink_to("/dev/zero")
    notes: list[str] = []
    sources = find_inputs([crawl], note=notes.append)
    assert [Path(source.path).name for source in sources] == ["a.html", "b.html"]
    assert notes == [f"{crawl}/{name}.html: is neither a file nor a directory" for name in ("link", "zero")]
    # one that takes the place of a file after the listing: nobody will ever write to it
    (crawl / "a.html").unlink()
    os.mkfifo(crawl / "a.html")
    notes.clear()
    for jobs in (1, 2):
        tally = run(
            sources, Settings(), output=tmp_path / f"out{jobs}", jobs=jobs,
            progress=lambda tally, source, offset: notes.extend(note.what for note in tally.notes),
        )  # fmt: skip
        assert tally.cleaned == 1 and not tally.complete
    assert notes == ["is neither a file nor a directory"] * 2
    # nor one in a list
    (tmp_path / "list").write_text("a.html\nb.html\n")
    assert [item.is_pipe for item in listed_inputs(str(tmp_path / "list"), str(crawl))] == [False, False]
    sources = [source._replace(size=1 << 20) for source in sources]
    assert run(sources, Settings(), output=tmp_path / "out.txt", jobs=2).cleaned == 1


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes on this system")
def test_devices_and_pipes_stay(tmp_path: Path) -> None:
    source, pipe = tmp_path / "a.html", tmp_path / "pipe"
    source.write_text("<p>The ferry will sail until the end of May, the harbour board decided.")
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    sources = find_inputs([str(source)])
    for output in (pipe, Path(os.devnull)):
        assert run(sources, Settings(), output=output).cleaned == 1
    assert reader.communicate()[0].startswith(b"The ferry") and pipe.is_fifo()
    assert Path(os.devnull).is_char_device()
    # standard output in a file has a name, too, which no other file replaces
    command = [sys.executable, "-m", "ncleaner", "clean", "-q", str(source), "-o", "/dev/stdout"]
    with (tmp_path / "out").open("wb") as out:
        assert subprocess.run(command, stdout=out, check=False).returncode == 0
    assert (tmp_path / "out").read_text().startswith("The ferry") and Path("/dev/stdout").is_symlink()


def test_a_file_without_a_suffix_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    (tmp_path / "folder.txt").mkdir()
    found = [is_directory(tmp_path / name) for name in ("file", "folder.txt", "new", "new.txt")]
    assert found == [False, True, True, False]
    with pytest.raises(OutputError, match="file exists already"):
        check_new([], str(tmp_path / "file"))
