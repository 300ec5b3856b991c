"""Processes that share one list of inputs and one directory of outputs."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ncleaner.options import Shard
from ncleaner.running.manifest import NAME

from ..cli.test_app import NCLEANER, ncleaner
from ..runs import outputs_in
from .test_resume import crawl

FORMAT = ("-f", "jsonl", "-j", "1")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five archives, two of them of another list."""
    folder = tmp_path_factory.mktemp("shards") / "in"
    crawl(folder, archives=5, pages=8)
    return folder


@pytest.fixture(scope="module")
def whole(source: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("shards") / "out"
    assert ncleaner("clean", source, "-o", out, *FORMAT).returncode == 0
    return outputs_in(out)


@pytest.mark.parametrize("text", ["0/3", "4/3", "1/0", "1", "a/b", "-1/3", "1/3/5", "", "1 / 3", "\u0661/3"])
def test_what_is_no_shard(text: str) -> None:
    with pytest.raises(ValueError, match="give its number, from 1, and how many there are: 3/8"):
        Shard.of_text(text)


@pytest.mark.parametrize("of", [1, 2, 5, 9])
def test_each_input_is_in_one_shard(of: int) -> None:
    parts = [Shard(number, of).part_of(range(7)) for number in range(1, of + 1)]
    assert sorted(each for part in parts for each in part) == list(range(7))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("rows", [(), ("--rows-per-file", "12")], ids=["archives", "packs"])
def test_all_shards_at_once_are_one_run(source: Path, tmp_path: Path, rows: tuple[str, ...]) -> None:
    assert ncleaner("clean", source, "-o", tmp_path / "one", *FORMAT, *rows).returncode == 0
    out = tmp_path / "out"
    with ThreadPoolExecutor(3) as threads:
        done = threads.map(
            lambda number: ncleaner("clean", source, "-o", out, *FORMAT, *rows, "--shard", f"{number}/3"),
            (1, 2, 3),
        )
        assert [each.returncode for each in done] == [0, 0, 0]
    assert outputs_in(out) == outputs_in(tmp_path / "one")
    assert {path.name for path in (out / NAME).parent.iterdir()} <= {
        f"manifest.{number}-of-3.log" for number in (1, 2, 3)
    }
    for folder in (out, tmp_path / "one"):
        assert b"pages                        40\n" in ncleaner("report", folder).stdout
    # whatever the number of shards, what is finished is not cleaned again
    again = ncleaner("clean", source, "-o", out, *FORMAT, *rows, "--shard", "1/2").stderr
    assert b"by an earlier run" in again and again.startswith(b"0 pages read")
    assert outputs_in(out) == outputs_in(tmp_path / "one")


@pytest.mark.slow
def test_a_shard_is_killed_and_its_list_changes(
    source: Path, whole: dict[str, bytes], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    few = sorted(source.iterdir())[:4]
    assert ncleaner("clean", *few, "-o", out, *FORMAT, "--shard", "2/2").returncode == 0
    manifest = out / NAME.replace(".log", ".2-of-2.log")
    # the last line was being written
    manifest.write_bytes(manifest.read_bytes()[:-20])
    assert ncleaner("clean", source, "-o", out, *FORMAT, "--shard", "2/2").returncode == 0
    assert all(map(json.loads, manifest.read_text().splitlines()))
    assert ncleaner("clean", source, "-o", out, *FORMAT).returncode == 0
    assert outputs_in(out) == whole


@pytest.fixture
def busy(source: Path, tmp_path: Path) -> Iterator[Path]:
    """A directory to which another process writes the second shard of two."""
    pytest.importorskip("fcntl")
    out = tmp_path / "out"
    script = (
        "import sys, time\nfrom ncleaner.running.manifest import open_manifest\n"
        "from ncleaner.options import Shard\nfrom ncleaner.storage.places import folder_at\n"
        "with open_manifest(folder_at(sys.argv[1]), {}, False, Shard(2, 2)):\n    print(flush=True)\n    time.sleep(99)"
    )
    python = str(Path(NCLEANER).with_name("python"))
    with subprocess.Popen([python, "-c", script, str(out)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline()
        yield out
        process.kill()


@pytest.mark.slow
def test_a_shard_that_is_given_twice(busy: Path, source: Path) -> None:
    assert b"another run is writing to" in ncleaner("clean", source, "-o", busy, "--shard", "2/2").stderr
    assert ncleaner("clean", source, "-o", busy, "--shard", "1/2").returncode == 0


@pytest.mark.slow
def test_where_shards_are_not_possible(source: Path, tmp_path: Path) -> None:
    for options, said in [
        (("--shard", "1/2"), b"--shard: shards share a directory of outputs: give -o DIRECTORY"),
        (("--shard", "5/2", "-o", tmp_path), b"'5/2' is not a shard"),
        (("--shard", "1/2", "-o", tmp_path, "--sites", "auto"), b"make it with `ncleaner survey`"),
    ]:
        result = ncleaner("clean", source, *options)
        assert result.returncode in (1, 2) and said in b" ".join(
            result.stderr.replace("│".encode(), b"").split()
        )
