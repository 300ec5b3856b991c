"""Every help page as a new user sees it: its width, its words, its groups, and its examples, which run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from ncleaner.cli.program import COMMANDS, app, epilog, number_in_words

ROOT = Path(__file__).parents[2]
PROGRAM: Any = get_command(app)
GROUP: Any = PROGRAM.get_command(None, "models")
PATHS = ["", *COMMANDS, *(f"models {name}" for name in GROUP.list_commands(None))]


def examples_of(path: str) -> list[tuple[str, str]]:
    said = epilog(path).split("\n\n")[1:]
    return [(what.strip(), line.strip()) for what, line in zip(said[::2], said[1::2], strict=True)]


def page(path: str, option: str = "--help") -> str:
    result = CliRunner().invoke(app, [*path.split(), option], env={"COLUMNS": "80"})
    assert result.exit_code == 0
    return result.stdout


def options_of(path: str) -> list[Any]:
    found = PROGRAM
    for name in path.split():
        found = found.get_command(None, name)
    shown = (param for param in found.params if param.name != "help_all" or not param.hidden)
    return [param for param in shown if param.param_type_name == "option"]


# commands with a short page and a long one
LONG = {path: "--help-all" for path in PATHS if any(param.name == "help_all" for param in options_of(path))}


def test_the_short_page_is_short_and_the_long_one_has_everything() -> None:
    assert {"clean", "train", "evaluate", "inspect", "survey"} <= LONG.keys()
    for path, option in LONG.items():
        short, long = page(path).splitlines(), page(path, option)
        assert len(short) <= 45 < len(long.splitlines())
        assert f"Show all {len(options_of(path))} options." not in short
        for each in options_of(path):
            assert each.opts[0] in long
    said = page("clean")
    for common in ("--output", "--format", "--model", "--precision", "--comments", "--metadata", "--jobs"):
        assert common in said
    assert "--max-bytes" not in said and "--quarantine" not in said
    assert page("sort") and "--help-all" not in page("sort")


@pytest.mark.parametrize("path", [path for path in PATHS if path not in LONG])
def test_a_page_without_a_long_one_is_the_long_one(path: str) -> None:
    assert page(path, "--help-all") == page(path)


@pytest.mark.parametrize(
    ("command", "own"),
    [("inspect", "--why --diff --number"), ("compare", "--tool --cross-validate"), ("tune", "--order --alphabet"),
     ("train", "--raw --language --output"), ("evaluate", "--curve --html")],
)  # fmt: skip
def test_the_short_page_has_the_options_of_the_command_itself(command: str, own: str) -> None:
    said = page(command)
    assert [option for option in own.split() if option not in said] == []


@pytest.mark.parametrize("path", PATHS)
def test_page_is_plain_and_fits_a_terminal(path: str) -> None:
    said = page(path)
    assert "\x1b" not in said
    assert max(map(len, said.splitlines())) <= 80
    assert page(path, "-h") == said
    assert " --help " in said


@pytest.mark.parametrize("path", COMMANDS)
def test_paragraphs_fill_their_lines(path: str) -> None:
    said = page(path).split("╭─")[0]
    for paragraph in re.split(r"\n\s*\n", said):
        for line, after in pairwise(paragraph.splitlines()):
            # the next word does not fit
            assert not line.strip() or len(f"{line.rstrip()} {after.split()[0]}") > 79, line


@pytest.mark.parametrize("path", PATHS[1:])
def test_options_of_long_pages_are_in_groups(path: str) -> None:
    options = options_of(path)
    said = page(path, LONG.get(path, "--help"))
    # --help is in a group of its own
    titles = re.findall(r"^╭─ ([^─]+) ─", said, re.M)
    if len(options) > 10:
        assert len(titles) > 3
        assert [option.opts for option in options if option.rich_help_panel is None] in ([], [["--help-all"]])
    for option in options:
        assert re.search(rf"^│ [* ]*{re.escape(option.opts[0])}\b", said, re.M), option.opts


@pytest.mark.parametrize("path", PATHS[1:])
def test_choices_are_on_the_page(path: str) -> None:
    said = re.sub(r"[\s│]", "", page(path, LONG.get(path, "--help")))
    for option in options_of(path):
        for choice in getattr(option.type, "choices", ()):
            assert str(choice) in said, (option.opts, choice)


@pytest.mark.parametrize("path", PATHS)
def test_every_command_has_two_examples(path: str) -> None:
    assert 2 <= len(examples_of(path)) <= 3
    said = " ".join(page(path).split())
    for what, line in examples_of(path):
        assert f"{what} {line}" in said
        assert what.endswith(":") and len(line) < 77


def said_of(*arguments: str) -> str:
    result = subprocess.run(
        [sys.executable, "-m", "ncleaner", *arguments], capture_output=True, text=True, check=False
    )
    assert result.returncode == 2 and result.stdout == ""
    return result.stderr


def test_without_arguments_there_is_help() -> None:
    result = subprocess.run([sys.executable, "-m", "ncleaner"], capture_output=True, text=True, check=False)
    said = result.stdout
    assert result.returncode == 2 and not result.stderr.strip()
    assert "─ Commands ─" in said and "│ clean " in said and "\\n" not in said


def test_a_wrong_command_has_a_suggestion() -> None:
    assert "Error: No such command 'cleen'. Did you mean 'clean'?" in said_of("cleen", "x")
    assert "Did you mean" not in said_of("xyzzy")


def test_a_wrong_choice_has_a_suggestion() -> None:
    for given, meant in (("json", "jsonl"), ("md", "markdown"), ("vrt", "vertical"), ("parqet", "parquet")):
        assert f"'parquet'. Did you mean '{meant}'?" in said_of("clean", "-f", given)
    assert said_of("clean", "-f", "xyzzy").rstrip().endswith("'parquet'.")


def test_ranges_are_in_words_where_they_are_left() -> None:
    assert "Invalid value for '--jobs' / '-j': 0 is less than 1." in said_of("clean", "--jobs", "0", "x")
    said = said_of("tune", "--raw", "x", "-n", "9")
    assert "Invalid value for '--order' / '-n': 9 is not between 1 and 8." in said
    assert number_in_words("7 is not in the range x<=5.") == "7 is more than 5."


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("clone")
    shutil.copytree(ROOT / "examples", folder / "examples")
    yield folder


# in order: later ones read what earlier ones wrote
RUN = [(path, line) for path in PATHS for _, line in examples_of(path) if path]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "line"), RUN, ids=[line for _, line in RUN])
def test_example_runs(path: str, line: str, examples: Path) -> None:
    env = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NCLEANER_MODELS": str(examples / "models"),
    }
    shell = ["bash", "-o", "pipefail", "-c"]
    if "annotate" in line and "-gold" in line:
        if os.name == "nt":
            pytest.skip("a process of bash cannot be ended there")
        # a server, which an interrupt ends
        with subprocess.Popen(
            [*shell, f"exec {line} --no-browser"], cwd=examples, env=env, stderr=subprocess.PIPE, text=True
        ) as server:
            assert server.stderr is not None
            said = server.stderr.readline()
            while said and "http://" not in said:
                said = server.stderr.readline()
            server.terminate()
        assert "http://" in said
        return
    result = subprocess.run(
        [*shell, line], cwd=examples, env=env, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr
    written = re.findall(r"(?:-o|>|--html|--json) (\w\S+)", line)
    assert all((examples / name).exists() for name in written)
    assert result.stdout or result.stderr or written
