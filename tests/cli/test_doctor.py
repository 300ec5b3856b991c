"""`ncleaner doctor` as a process: what it says, its exit status, and that it says something in any case."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ncleaner.modelling.files import VARIABLE

COMMAND = "from ncleaner.cli.app import main; main()"


def doctor(*arguments: str, own: Path, block: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    blocked = f"import sys; sys.modules.update(dict.fromkeys({block!r}))\n"
    env = {**os.environ, VARIABLE: str(own)}
    result = subprocess.run(
        [sys.executable, "-P", "-c", blocked + COMMAND, "doctor", *arguments],
        capture_output=True, text=True, check=False, env=env,
    )  # fmt: skip
    assert "Traceback" not in result.stderr + result.stdout
    return result


def test_a_whole_installation(tmp_path: Path) -> None:
    result = doctor("--no-rates", own=tmp_path)
    assert result.returncode == 0, result.stdout
    assert result.stdout.endswith("\nNothing is broken.\n")
    assert "  ok      Python " in result.stdout and "Optional parts\n" in result.stdout
    # commands are not broken, and names of folders cannot be
    wide = [line for line in result.stdout.splitlines() if len(line) > 80]
    assert all("pip install" in line or os.sep in line for line in wide)


@pytest.mark.slow
@pytest.mark.traced
def test_broken_things_have_a_remedy_and_a_status(tmp_path: Path) -> None:
    (tmp_path / "bent.ncm").write_bytes(b"this is no model")
    (tmp_path / "empty.ncm").touch()
    result = doctor("--no-rates", "--json", own=tmp_path)
    assert result.returncode == 1
    told = json.loads(result.stdout)
    broken = [finding for finding in told["findings"] if finding["state"] == "broken"]
    assert told["broken"] == len(broken) == 2
    assert {finding["name"] for finding in broken} == {"bent", "empty"}
    assert all("ncleaner models remove" in finding["remedy"] for finding in broken)
    said = doctor("--no-rates", own=tmp_path).stdout
    assert "  BROKEN  bent" in said and said.endswith("\n2 things are broken\n")


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.parametrize("block", [("numpy",), ("selectolax.lexbor",), ("ncleaner.parsing._lexbor",)])
def test_it_speaks_where_nothing_else_works(block: tuple[str, ...], tmp_path: Path) -> None:
    result = doctor(own=tmp_path, block=block)
    assert result.returncode == 1
    assert f"import of {block[0]} halted" in " ".join(result.stdout.split())
    assert "pip install" in result.stdout and "Machine\n" in result.stdout
