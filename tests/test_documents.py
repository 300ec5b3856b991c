"""Runs the blocks of documents that promise to work as they stand, in order, where the examples are.

A block of Python whose library is not installed is skipped.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from .test_readme import in_the_clone

ROOT = Path(__file__).parent.parent
DOCUMENTS = (
    "index.md",
    "language-model.md",
    "pipes.md",
    "scale.md",
    "training.md",
    "python.md",
    "python-reference.md",
    "frames.md",
    "formats.md",
    "tables.md",
    "markdown.md",
    "metadata.md",
    "sites.md",
    "quality.md",
    "origins.md",
    "rights.md",
    "inspect.md",
)
# what a block needs besides the package
NEEDS = {
    "ncleaner.spark": "pyspark",
    "ncleaner-spark": "pyspark",
    "--duplicates": "rensa",
    "WarcReader": "magic",
}
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = [
    (name, number, *found)
    for name in DOCUMENTS
    for number, found in enumerate(BLOCK.findall((ROOT / "docs" / name).read_text("utf-8")))
]

# what the site shows without a line break
WIDTH = 88


@pytest.mark.parametrize("path", [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"], ids=str)
def test_a_line_of_code_fits_the_site(path: Path) -> None:
    blocks = re.findall(r"^```.*?\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if len(line) > WIDTH]
    # the two commands at the beginning are one line each, to be pasted as they are
    assert [line for line in lines if "pip install -q -e" not in line] == []


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Gives the folder of a document, whose blocks read what earlier ones wrote."""

    @cache
    def folder(name: str) -> Path:
        made = tmp_path_factory.mktemp("document")
        shutil.copytree(ROOT / "examples", made / "examples")
        return made

    return folder


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "number", "language", "code"),
    BLOCKS,
    ids=lambda value: str(value) if len(str(value)) < 20 else "",
)
def test_block(name: str, number: int, language: str, code: str, folders: Callable[[str], Path]) -> None:
    folder = folders(name)
    environment = {
        **in_the_clone(),
        # what libraries keep, and what they would send
        "HF_HOME": str(folder / "hf"),
        "HF_HUB_OFFLINE": "1",
        "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    }
    for tool, module in NEEDS.items():
        if tool in code and importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    if language == "python":
        for library in re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE):
            if importlib.util.find_spec(library) is None:
                pytest.skip(f"{library} is not installed")
        command = [sys.executable, "-c", code]
    else:
        command = ["bash", "-e", "-o", "pipefail", "-c", code]
    for _attempt in range(3):
        result = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        # on a busy machine, threads of pyarrow 26 end one process in ten like this after its last line, also if
        # the process only calls `pandas.read_parquet`
        if "terminate called without an active exception" not in result.stderr:
            break
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
