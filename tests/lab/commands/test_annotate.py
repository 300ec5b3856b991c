"""`ncleaner annotate` as a real process: what it says, how it ends, what is left."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")

import httpx2 as httpx

from ...cli.test_app import CRAWL, NCLEANER, ncleaner
from ..annotating import made

pytestmark = [pytest.mark.slow, pytest.mark.traced]


@contextmanager
def running(*arguments: str | Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Starts the command, and gives the address that it prints."""
    process = subprocess.Popen(
        [NCLEANER, "annotate", *map(str, arguments), "--no-browser"], stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    assert process.stderr is not None
    try:
        said = ""
        for line in process.stderr:
            said += line
            if found := re.search(r"http://127\.0\.0\.1:\d+/\?token=\S+", line):
                yield process, found[0]
                return
        raise AssertionError(said)
    finally:
        process.kill()
        process.communicate()


def test_from_an_archive_to_a_model(tmp_path: Path) -> None:
    archive = shutil.copy(CRAWL, tmp_path / "crawl.warc.gz")
    with running(archive, "--goal", "5", "--anno") as (process, url):
        origin = url.partition("/?")[0]
        with httpx.Client(base_url=origin, headers={"Origin": origin}, timeout=60) as client:
            assert client.get("/").status_code == 403
            client.get(url).raise_for_status()
            for _ in range(5):
                page = client.get("/api/next").json()["id"]
                found = client.get("/api/page", params={"id": page}).json()
                client.post(
                    "/api/finish", json={"id": page, "revision": 0, "labels": found["guess"], "seconds": 30}
                ).raise_for_status()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0 and "Traceback" not in said
    assert f"{tmp_path / 'crawl-gold'}: 5 of 15 pages finished, 30 seconds a page" in said
    command = said.splitlines()[-1].strip()
    gold = tmp_path / "crawl-gold"
    start = f"ncleaner train --raw {gold}/raw --clean {gold}/clean --language "
    assert command.startswith(start)
    language = command.removeprefix(start).split()[0]
    assert command == f"{start}{language} -o {language}.ncm" and len(language) == 2
    # the exact command
    trained = ncleaner(*command.split()[1:], cwd=tmp_path)
    assert trained.returncode == 0 and (tmp_path / f"{language}.ncm").is_file()
    train = ("train", "-m", "hybrid", "--alphabet", "nonlexical", "-o", tmp_path / "a.ncm")
    annotated = ncleaner(*train, "--annotations", tmp_path / "crawl-gold" / "raw")
    assert b"5 pages" in annotated.stderr
    # the same command goes on
    with running(archive) as (process, _):
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=60)
    assert "5 of 15 pages finished" in said and process.returncode == 0


def test_a_directory_of_pages_is_copied_for_a_project(tmp_path: Path) -> None:
    pages = made.project(tmp_path / "made").raw
    shutil.copy(tmp_path / "made" / "manifest.jsonl", pages)
    for _ in range(2):
        with running(pages, "-o", tmp_path / "gold", "--every", "0") as (process, url):
            with httpx.Client(base_url=url.partition("/?")[0], timeout=60) as client:
                client.get(url).raise_for_status()
                shown = client.get("/api/progress").json()["command"]
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=60)
    assert shown.endswith("--language en -o en.ncm")
    assert sorted(path.name for path in (tmp_path / "gold" / "raw").iterdir()) == [
        *(f"p{number}.html" for number in range(3))
    ]
    assert (tmp_path / "gold" / "manifest.jsonl").is_file() and not (pages / "labels").exists()


def test_two_programs_on_one_directory(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="this system has no locks")
    made.project(tmp_path)
    with running(tmp_path, "--every", "0") as (_, url):
        other = ncleaner("annotate", tmp_path, "--no-browser")
        assert other.returncode == 1
        assert (
            f"another `ncleaner annotate` has {tmp_path} open for the annotator me" in other.stderr.decode()
        )
        port = re.findall(r":(\d+)/", url)[0]
        other = ncleaner("annotate", tmp_path, "--no-browser", "--annotator", "ben", "--port", port)
        assert other.returncode == 1 and f"cannot listen on port {port}" in other.stderr.decode()


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["nowhere"], 1, "cannot read nowhere"),
        (
            ["empty"],
            1,
            "no archives (.warc, .arc, .wet, .wacz), HTML or text files or tables in this directory",
        ),
        (["pages", "--annotator", "a/b"], 1, "cannot be the name of an annotator"),
        (["pages", "--settle"], 1, "there is nothing to settle in pages"),
        (["pages", "--agreement"], 1, "no page of pages has been finished by two annotators"),
        (["project", "-o", "elsewhere"], 1, "project has pages and labels, which stay in it: leave -o out"),
        (["pages", "--clean", "x.txt"], 2, "--clean: it is for one page"),
        (["pages", "-m", "bte"], 2, "--method: it is for one page"),
        (["pages", "--model", "nowhere.ncm"], 1, "nowhere.ncm"),
        (["pages", "--encoding", "klingon"], 1, "unknown encoding"),
        (["pages/p0.html", "--settle"], 2, "--settle: it is for a directory or an archive"),
        (["pages/p0.html", "--port", "8000"], 2, "--port: it is for a directory or an archive"),
        (["nowhere.warc.gz"], 1, "nowhere.warc.gz"),
        (["broken.warc"], 1, "there is no page in broken.warc"),
    ],
)
def test_bad_input(arguments: list[str], status: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    shutil.copytree(made.project(tmp_path / "project").raw, tmp_path / "pages")
    (tmp_path / "broken.warc").write_bytes(b"no archive at all" * 10)
    found = ncleaner("annotate", *arguments, "--no-browser", cwd=tmp_path)
    assert (found.returncode, said in found.stderr.decode()) == (status, True), found.stderr.decode()
    assert len(found.stderr.decode().strip().splitlines()) <= 8


def test_agreement(tmp_path: Path) -> None:
    project = made.project(tmp_path)
    made.label(project, "anna", "p0", made.WANTED)
    made.label(project, "ben", "p0", "oooopppo")
    made.label(project, "carl", "p0", made.WANTED, settles=("anna", "ben"))
    said = ncleaner("annotate", tmp_path, "--agreement").stdout.decode()
    assert re.search(r"anna and ben +1  segments +keep or drop +8 +87\.5 +0\.75", said)
    assert "1 disagreement, 1 settled" in said
    assert "p0, segment 4: anna h, ben o, settled h: New paint on lighthouse 0" in said


def test_without_what_it_takes(tmp_path: Path) -> None:
    made.project(tmp_path)
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('starlette', 'uvicorn', 'nh3')))\n"
        "import importlib.util as util; found = util.find_spec\n"
        "import importlib.machinery\n"
        "util.find_spec = lambda name, *rest: None if name in ('starlette', 'uvicorn', 'nh3') else found(name, *rest)\n"
        "from ncleaner.cli.app import main; main()"
    )
    found = subprocess.run(
        [sys.executable, "-P", "-c", code, "annotate", tmp_path],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert found.returncode == 1
    assert "pip install 'ncleaner[annotate]'" in found.stderr and len(found.stderr.splitlines()) == 1
    # what needs none of it works
    alone = subprocess.run(
        [sys.executable, "-P", "-c", code, "annotate", tmp_path / "raw" / "p0.html"], check=False
    )
    assert alone.returncode == 0 and (tmp_path / "raw" / "p0.anno").is_file()
