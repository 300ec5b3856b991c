"""What a shell offers: by the scripts that users install, in real shells, and without loading NumPy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ncleaner.cli.parameters import model_choices, model_names, own_names
from ncleaner.cli.program import COMMANDS
from ncleaner.methods.registry import METHODS
from ncleaner.sinks.formats import FORMATS

BIN = Path(sys.executable).parent
ENV = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


def has_bash() -> bool:
    """Whether there is a bash that completes: that of macOS is older than the scripts of typer can be."""
    if os.name == "nt" or not shutil.which("bash"):
        return False
    code = "((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404))"
    return subprocess.run(["bash", "--norc", "-c", code], check=False).returncode == 0


NEEDS_BASH = pytest.mark.skipif(not has_bash(), reason="there is no bash from 4.4")


def in_bash(folder: Path, words: str) -> list[str]:
    """Returns what bash offers for the last of these words, by the script that `--show-completion` writes."""
    code = (
        'eval "$(_NCLEANER_COMPLETE=source_bash ncleaner)"\n'
        f"COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n"
        "_ncleaner_completion ncleaner\n"
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    result = subprocess.run(
        ["bash", "--norc", "-c", code], env=ENV, cwd=folder, capture_output=True, text=True, check=True
    )
    assert result.stderr == ""
    return result.stdout.split()


@NEEDS_BASH
@pytest.mark.slow
def test_bash_completes_what_the_command_line_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENV, "NCLEANER_MODELS", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "elfish.ncm").touch()
    (tmp_path / "elbow.ncm").touch()
    assert in_bash(tmp_path, "ncleaner ''") == list(COMMANDS)
    assert in_bash(tmp_path, "ncleaner mo") == ["models"]
    assert in_bash(tmp_path, "ncleaner clean --format ''") == list(FORMATS)
    assert in_bash(tmp_path, "ncleaner clean --method h") == [name for name in METHODS if name[0] == "h"]
    assert in_bash(tmp_path, "ncleaner clean --model el") == ["el", "elfish", "elbow.ncm"]
    assert in_bash(tmp_path, "ncleaner clean --model s") == ["shipped"]
    assert in_bash(tmp_path, "ncleaner models s") == ["show"]
    assert in_bash(tmp_path, "ncleaner models show st") == ["structure"]
    assert in_bash(tmp_path, "ncleaner models remove ''") == ["elfish"]
    assert in_bash(tmp_path, "ncleaner clean --no-c") == ["--no-comments", "--no-captions"]


@NEEDS_BASH
def test_the_shell_around_it_gets_its_script() -> None:
    found = subprocess.run(
        ["bash", "--norc", "-c", "ncleaner --show-completion; exit"],
        env=ENV,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "complete -o default -F _ncleaner_completion ncleaner" in found.stdout


@pytest.mark.parametrize(("shell", "says"), [("zsh", "compdef"), ("fish", "complete --command ncleaner")])
def test_other_shells_have_scripts(shell: str, says: str) -> None:
    env = {**ENV, "_NCLEANER_COMPLETE": f"source_{shell}"}
    script = subprocess.run(["ncleaner"], env=env, capture_output=True, text=True, check=True).stdout
    assert says in script
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


@pytest.mark.skipif(shutil.which("fish") is None, reason="there is no fish here")
def test_fish_completes(tmp_path: Path) -> None:
    code = "_NCLEANER_COMPLETE=source_fish ncleaner | source; complete -C 'ncleaner clean --method h'"
    result = subprocess.run(
        ["fish", "--no-config", "-c", code], env=ENV, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert sorted(result.stdout.split()) == sorted(name for name in METHODS if name[0] == "h")


def test_zsh_and_fish_get_a_line_about_each(tmp_path: Path) -> None:
    env = {**ENV, "_NCLEANER_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": "ncleaner clean --max"}
    said = subprocess.run(["ncleaner"], env=env, capture_output=True, text=True, check=True).stdout
    assert '"--max-memory":"Memory of a worker, in MB' in said


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_completing_does_not_load_what_takes_long(command: str) -> None:
    code = (
        "import sys\n"
        "for name in ('numpy', 'rapidfuzz', 'selectolax'):\n    sys.modules[name] = None\n"
        "from ncleaner.cli.app import main; main()"
    )
    env = {
        **ENV,
        "_NCLEANER_COMPLETE": "complete_bash",
        "COMP_WORDS": f"ncleaner {command} --",
        "COMP_CWORD": "2",
    }
    # the name that the scripts call it by
    found = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.argv[0] = 'ncleaner'\n{code}"],
        env=env, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
    assert "--help" in found.stdout


def test_names_and_files_of_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NCLEANER_MODELS", str(tmp_path / "own"))
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "noble.ncm").touch()
    (tmp_path / "north.ncm").touch()
    assert model_names("no") == ["nonlexical", "notices", "noble", "north.ncm"]
    # a part of other models is no choice
    assert model_choices("no") == ["nonlexical", "noble", "north.ncm"]
    assert model_choices("s") == ["shipped"] and "structure" in model_names("")
    assert own_names("x") == [] and own_names("") == ["noble"]
    assert model_names("no\0such") == []
