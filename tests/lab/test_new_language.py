"""The tutorial for a new language, command by command: the browser's part by the requests that it sends."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")

import httpx2 as httpx

from ncleaner.lab.annotating.project import letters_of_runs
from ncleaner.lab.training.annotations import labels_from_alignment
from ncleaner.lab.training.pairs import Pair, read_page

ROOT = Path(__file__).parents[2]
# a command may go on in the next line
TUTORIAL = re.sub(r" \\\n +", " ", (ROOT / "docs" / "new-language.md").read_text("utf-8"))
BLOCKS = re.findall(r"^```(\w+)\n(.*?)\n```", TUTORIAL, re.MULTILINE | re.DOTALL)
PAGES = 12


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    bin_folder = Path(sys.executable).parent
    environment = {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "NCLEANER_MODELS": str(folder / "own"),
    }
    result = subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert result.returncode == 0 and "Traceback" not in result.stderr, (command, result.stderr)
    return result


def annotate(command: str, folder: Path) -> None:
    """Finishes some pages as a person would, with the labels of the gold texts."""
    program, *arguments = shlex.split(command)
    process = subprocess.Popen(
        [Path(sys.executable).parent / program, *arguments, "--no-browser", "--every", "0"],
        cwd=folder, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stderr is not None
    try:
        url = next(
            found[0] for line in process.stderr if (found := re.search(r"http://127\S+token=\S+", line))
        )
        origin = url.partition("/?")[0]
        with httpx.Client(base_url=origin, headers={"Origin": origin}, timeout=60) as client:
            client.get(url).raise_for_status()
            for _ in range(PAGES):
                page = client.get("/api/next").json()["id"]
                document = read_page(next((folder / "eo-gold" / "raw").glob(f"{page}.*")))
                gold = next(
                    path
                    for path in (folder / "examples" / "esperanto" / "gold").glob("*.gold")
                    if path.read_text("utf-8").split("\n", 1)[0].removeprefix("<h>") in map(str, document)
                ).read_text("utf-8")
                letters = letters_of_runs(document, labels_from_alignment(Pair(page, document, gold)))
                found = client.get("/api/page", params={"id": page}).json()
                body = {"id": page, "revision": found["revision"], "labels": letters, "seconds": 30}
                client.post("/api/finish", json=body).raise_for_status()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert f"{PAGES} of 36 pages finished" in said
        # the command that the tutorial shows
        told = said.splitlines()[-1].strip()
        assert any(language == "bash" and command == told for language, command in BLOCKS), told
    finally:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_from_a_crawl_to_a_model(checkout: Path) -> None:
    said: dict[str, str] = {}
    for language, command in BLOCKS:
        if language == "sh":
            assert command.startswith("ncleaner annotate ")
            annotate(command, checkout)
        else:
            result = run(command, checkout)
            said[command] = result.stdout + result.stderr

    def of(beginning: str, part: str = "") -> str:
        return next(
            text for command, text in said.items() if command.startswith(beginning) and part in command
        )

    first = of("ncleaner clean", "first")
    assert "a model is learned from 36 of 36 pages in eo" in first
    assert "languages (eo: 36)" in first and "models (eo: 36)" in first
    assert "36 pages of 6 sites" in of("ncleaner train", "--from-crawl")
    trained = of("ncleaner train", "--from eo-raw.ncm")
    assert f"{PAGES} pages of 6 sites" in trained and "\nhybrid " in trained
    assert "(n-grams alone: words, per cent" in trained
    f_score = re.search(r"\nvalidated .*F ([\d.]+).* \(hybrid: words, per cent", trained)
    assert f_score is not None and float(f_score[1]) > 95
    assert "takes it for pages in eo" in of("ncleaner models add")
    # the last command cleans with the model that has been added
    last = list(said.values())[-1]
    assert "models (eo: 36)" in last
    drafts = sorted((checkout / "drafts").glob("*.txt"))
    assert len(drafts) == 15
