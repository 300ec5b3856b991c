"""Files that appear when they are complete, where two processes write the same one."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import pytest

from ncleaner.storage.local import atomic_file

# Writes a file again and again. Before each step of it, says so and waits for a line.
WRITER = """
import sys
from pathlib import Path
from ncleaner.errors import InUseError
from ncleaner.storage import local

def stepwise(function):
    def wrapper(*args):
        print("step", flush=True)
        sys.stdin.readline()
        return function(*args)
    return wrapper

local._without_emptying = stepwise(local._without_emptying)
local._lock = stepwise(local._lock)
Path.replace = stepwise(Path.replace)
while True:
    try:
        with local.atomic_file(Path(sys.argv[1])) as out:
            stepwise(out.write)(sys.argv[2].encode())
            stepwise(out.flush)()
        print("written", flush=True)
    except InUseError as error:
        print(error, flush=True)
    sys.stdin.readline()
"""
STEPS = 5  # open, lock, write, flush, rename


class Writer:
    def __init__(self, path: Path, data: str) -> None:
        self.data = data
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, path, data],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
        )  # fmt: skip
        self.said = self._read()

    def _read(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def step(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.said = self._read()

    @property
    def at_work(self) -> bool:
        return self.said == "step"


@pytest.mark.slow
def test_two_processes_meet_in_each_order_of_their_steps(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="this system has no such locks")
    path = tmp_path / "out.jsonl"
    writers = Writer(path, "a" * 1000), Writer(path, "b" * 700)
    ends = set()
    try:
        for firsts in combinations(range(2 * STEPS), STEPS):
            order = [writers[turn not in firsts] for turn in range(2 * STEPS)]
            last = None
            # one that opens its file again takes more steps
            for writer in (*order, *writers * STEPS):
                if writer.at_work:
                    writer.step()
                    if writer.said == "written":
                        last = writer
            assert last is not None and path.read_text() == last.data
            assert [each.name for each in tmp_path.iterdir()] == [path.name]
            ends.add(tuple(writer.said for writer in writers))
            for writer in writers:
                writer.step()
    finally:
        for writer in writers:
            writer.process.kill()
            writer.process.communicate()
    refusal = f"another run is writing to {path}: wait until it ends, or give another file"
    assert ends == {("written", "written"), ("written", refusal), (refusal, "written")}


@pytest.mark.parametrize("kind", ["directory", "named pipe", "symbolic link"])
def test_what_has_the_name_of_the_temporary_file_is_named(tmp_path: Path, kind: str) -> None:
    part = tmp_path / ".out.jsonl.part"
    if kind == "directory":
        part.mkdir()
    elif kind == "named pipe":
        if not hasattr(os, "mkfifo"):
            pytest.skip("there are no named pipes on this system")
        os.mkfifo(part)
    else:
        part.symlink_to(tmp_path / "other")
    with pytest.raises(OSError, match=f"it is a {kind}: remove it"), atomic_file(tmp_path / "out.jsonl"):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [part.name]
