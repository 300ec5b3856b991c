"""Every command that the README shows is run here, in a directory that has only what a checkout has."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
COMMANDS = [line for language, body in BLOCKS if language == "bash" for line in body.splitlines()]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


# in order: later commands read what earlier ones wrote
@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_command(command: str, checkout: Path) -> None:
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=checkout,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    # each of them either prints or names the file it writes
    written = re.findall(r"(?:-o|>) (\S+)", command)
    assert result.stdout or all((checkout / name).exists() for name in written)


@pytest.mark.parametrize("code", [body for language, body in BLOCKS if language == "python"])
def test_python(code: str, checkout: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-W", "ignore::ResourceWarning", "-c", code],
        cwd=checkout,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "ferry" in result.stdout


def test_begins_with_two_commands() -> None:
    """One that installs and runs the main job, one that installs and runs the tests."""
    first, second = (body.strip() for language, body in BLOCKS if language == "sh")
    assert "ncleaner clean examples/crawl.warc.gz" in first
    assert second.endswith("pytest")
    assert "\n" not in first + second
