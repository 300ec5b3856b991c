"""Runs every command that the README shows, and checks the names of modules and files in all documents.

The commands run in a directory that has only what a checkout has.
"""

from __future__ import annotations

import ast
import importlib.util
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
# a command may go on in the next line
COMMANDS = [
    line for language, body in BLOCKS if language == "bash" for line in body.replace("\\\n", "").splitlines()
]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


def environment() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}


def in_the_clone() -> dict[str, str]:
    """As where Python is started in the clone: its folders come before what is installed."""
    folders = filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])
    return {**environment(), "PYTHONPATH": os.pathsep.join(folders)}


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
        env=in_the_clone(),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    assert "ferry" in result.stdout


def test_begins_with_two_commands() -> None:
    """One that installs and runs the main job, one that installs and runs the tests."""
    first, second = (body.strip() for language, body in BLOCKS if language == "sh")
    assert "ncleaner clean examples/crawl.warc.gz" in first
    assert ".venv/bin/pytest" in second
    # Python that is started in the clone finds the folder `ncleaner` first
    assert "pip install -q -e '.[" in first and "pip install -q -e '.[test]'" in second
    assert "\n" not in first + second


def test_the_first_command_installs_what_the_others_need() -> None:
    installed = re.findall(r"\.\[([\w,]+)\]", README)[0].split(",")
    needs = {r"\bparquet\b": "parquet", "-f vertical": "vertical", "--drop-duplicates": "duplicates"}
    needs |= {"--sentences": "sentences", "://": "http", "annotate": "annotate"}
    shown = "\n".join(COMMANDS)
    assert sorted(installed) == sorted(extra for word, extra in needs.items() if re.search(word, shown))


DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def imported_names(code: str) -> list[tuple[str, str]]:
    """Returns (module, name) for each name of ncleaner that the code imports."""
    return [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "ncleaner"
        for alias in node.names
    ]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_python_of_a_document_imports_what_exists(document: Path) -> None:
    # The modules are not imported: some of them need Spark or datatrove.
    for code in re.findall(r"^```python\n(.*?)^```", document.read_text("utf-8"), re.MULTILINE | re.DOTALL):
        for module, name in imported_names(code):
            found = importlib.util.find_spec(module)
            assert found and found.origin, f"{document.name}: there is no module {module}"
            source = Path(found.origin).read_text("utf-8")
            assert re.search(rf"\b{name}\b", source), f"{document.name}: {module} has no {name}"


@pytest.mark.skipif(not (ROOT / "ncleaner").is_dir(), reason="the sources are not here")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_names_source_files_that_exist(document: Path) -> None:
    named = set(re.findall(r"`([\w/]+\.(?:py|pyx|pxd|sh))`", document.read_text("utf-8")))
    # Evert's program for the scores of CleanEval, and files that a reader of CONTRIBUTING.md would write
    named = {name for name in named if name != "cleaneval.py" and not name.endswith("/NAME.py")}
    files = [
        "/" + path.relative_to(ROOT).as_posix()
        for folder in ("ncleaner", "tests", "bench", "scripts")
        for path in (ROOT / folder).rglob("*.*")
    ]
    files += ["/setup.py"]
    missing = {name for name in named if not any(file.endswith(f"/{name}") for file in files)}
    assert not missing
