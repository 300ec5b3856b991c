"""Steps for datatrove in real pipelines: an executor with two tasks, each a process of its own."""

from __future__ import annotations

import gzip
import json
import pickle
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from ncleaner import Cleaner
from ncleaner.limits import Limits

from .archives import http, members, warc
from .cli.test_app import NCLEANER, PROSE
from .faults import hooked
from .servers import environment


def test_without_datatrove_it_says_what_to_install() -> None:
    script = "import sys; sys.modules['datatrove'] = None; import ncleaner.datatrove"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert b"pip install 'ncleaner[datatrove]'" in done.stderr


pytest.importorskip("datatrove", reason="datatrove is not installed: install ncleaner[datatrove]")
pytestmark = pytest.mark.slow

# processes of a pipeline begin by running its script once more
PIPELINE = """\
import json, sys
from datatrove.data import Document
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.writers import JsonlWriter
from ncleaner.datatrove import NcleanerExtractor, NcleanerReader

if __name__ == "__main__":
    out = sys.argv[1]
    LocalPipelineExecutor(
        pipeline=[{steps}, JsonlWriter(f"{{out}}/rows", compression=None)],
        tasks={tasks}, workers={tasks}, logging_dir=f"{{out}}/logs",
    ).run()
"""


def pipeline(
    folder: Path, steps: str, tasks: int = 2, **more: str
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Runs steps; the documents that they yield, and the statistics of the first step but data."""
    script = folder / "pipeline.py"
    script.write_text(PIPELINE.format(steps=steps, tasks=tasks))
    done = subprocess.run(
        [sys.executable, script, folder], capture_output=True, text=True, check=False, timeout=120,
        env=environment(**more),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    stats = json.loads((folder / "logs" / "stats.json").read_text())
    counted = next(each["stats"] for each in stats if "ncleaner" in each["name"])
    rows = [line for path in folder.glob("rows/*.jsonl") for line in path.read_bytes().splitlines()]
    found = [json.loads(line) for line in rows]
    return found, {
        name: value["total"] if isinstance(value, dict) else value for name, value in counted.items()
    }


def page(number: int, *, kept: bool = True) -> bytes:
    text = f"<p>{PROSE} That was day {number}.</p>" if kept else "<nav><ul><li><a href=/>Home</a></ul></nav>"
    return f"<html lang=en><title>Day {number}</title>{text}</html>".encode()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Archives with an empty page, a damaged one, one that ends its worker, and a page in a file."""
    folder = tmp_path_factory.mktemp("datatrove") / "in"
    (folder / "below").mkdir(parents=True)
    for number in range(3):
        records = [
            warc(100 * number + i, http(page(100 * number + i)), target=f"http://x.example/{number}/{i}")
            for i in range(40)
        ]
        if number == 1:
            records[3] = warc(103, http(page(103, kept=False)), target="http://x.example/1/3")
            records[5] = warc(105, http(page(105)), target="http://x.example/1/5?fault=segfault")
            records[9] = records[9].replace(b"Content-Length", b"Content-Longth", 1)
        (folder / f"{number}.warc.gz").write_bytes(members(records))
    (folder / "below" / "page.html").write_bytes(page(999))
    return folder


def test_reader(source: Path, tmp_path: Path) -> None:
    found, counted = pipeline(tmp_path, f"NcleanerReader({str(source)!r})", 2, **hooked())
    done = subprocess.run(
        [NCLEANER, "clean", source, "-f", "jsonl"], capture_output=True, check=False,
        env=environment(**hooked()),
    )  # fmt: skip
    expected = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(expected) == 119
    by_url = {row["url"]: row for row in expected}
    assert sorted(row["metadata"]["url"] for row in found) == sorted(by_url)
    for row in found:
        record = by_url[row["metadata"]["url"]]
        where = row["metadata"].pop("file_path")
        assert Path(where).is_file()
        assert row["id"] == record.pop("id")
        assert row["text"] == record.pop("text")
        assert row["metadata"] == record
    assert {name: value for name, value in counted.items() if name in ("pages", "cleaned", "empty", "damaged")} == {
        "pages": 121, "cleaned": 119, "empty": 1, "damaged": 1,
    }  # fmt: skip
    assert counted["given up"] == counted["given up: killed its worker"] == 1
    assert counted["input_files"] == 4


def test_options_of_the_reader(source: Path, tmp_path: Path) -> None:
    steps = (
        f"NcleanerReader({str(source)!r}, model='auto', method='ngram', threshold='recall', "
        "glob_pattern='0.warc.gz', limit=5, default_metadata={'crawl': 'x'}, add_file_path=False)"
    )
    found, _ = pipeline(tmp_path, steps, tasks=1)
    assert len(found) == 5
    assert found[0]["metadata"]["model"] == found[0]["metadata"]["language"] == "en"
    assert found[0]["metadata"]["crawl"] == "x"
    assert "file_path" not in found[0]["metadata"]


def test_extractor(tmp_path: Path) -> None:
    documents = ", ".join(
        f"Document(text={html.decode()!r}, id='{number}', metadata={{'lang': 'x', 'number': {number}}})"
        for number, html in enumerate([page(1), page(2, kept=False), page(3), b"<p>" + 30_000 * b"long "])
    )
    steps = f"[{documents}], NcleanerExtractor(limits=__import__('ncleaner').Limits(bytes=100_000), metadata=True)"
    found, counted = pipeline(tmp_path, steps, tasks=1)
    clean = Cleaner().clean
    assert {row["id"]: row["text"] for row in found} == {"0": clean(page(1)), "2": clean(page(3))}
    for row in found:
        about = row["metadata"]
        assert (about["lang"], about["number"], about["language"]) == ("x", int(row["id"]), "en")
        assert "title" in about["metadata"]
    assert (counted["total"], counted["forwarded"], counted["dropped"]) == (4, 2, 2)
    assert counted["given up: InputError"] == counted["empty"] == 1


def test_a_page_that_kills_and_a_file_that_is_gone(tmp_path: Path) -> None:
    documents = ", ".join(
        f"Document(text={page(number).decode()!r}, id='{number}', metadata={{'url': {url!r}}})"
        for number, url in enumerate(["http://x.example/0", "http://x.example/1?fault=segfault", "", ""])
    )
    found, counted = pipeline(tmp_path, f"[{documents}], NcleanerExtractor()", 1, **hooked())
    assert [row["id"] for row in found] == ["0", "2", "3"]
    assert counted["given up: killed its worker"] == counted["dropped"] == 1
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.html").write_bytes(page(1))
    (tmp_path / "paths.txt").write_text("gone.html\na.html\n")
    steps = f"NcleanerReader({str(tmp_path / 'in')!r}, {str(tmp_path / 'paths.txt')!r})"
    found, counted = pipeline(tmp_path / "in", steps, tasks=1)
    assert (len(found), counted["unread"]) == (1, 1)


def test_extractor_pickles_and_has_the_options_of_a_cleaner() -> None:
    from ncleaner.datatrove import NcleanerExtractor

    html = page(7).decode()
    assert NcleanerExtractor().extract(html) == Cleaner().clean(html)
    assert NcleanerExtractor().timeout == Limits().seconds
    extractor = NcleanerExtractor(method="ngram", model="nonlexical", threshold=-100.0)
    assert extractor.extract(html) == Cleaner("ngram", "nonlexical", threshold=-100.0).clean(html)
    again = pickle.loads(pickle.dumps(extractor))
    assert again.extract(html) == extractor.extract(html)


# what docs/scale.md says ---------------------------------------------------------------------------

SECTION = (Path(__file__).parents[1] / "docs" / "scale.md").read_text().partition("\n## datatrove\n")[2]
SECTION = SECTION.partition("\n## ")[0]
SCRIPTS = re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL)


def test_what_the_reader_of_datatrove_needs_is_said() -> None:
    from datatrove.pipeline.readers import WarcReader

    asked = {need if isinstance(need, str) else need[1] for need in WarcReader._requires_dependencies}
    [said] = re.findall(r"^pip install ([\w -]+)$", SECTION, re.MULTILINE)
    assert set(said.split()) == asked - {"warcio"}


@pytest.mark.parametrize("script", SCRIPTS, ids=["reader", "extractor"])
def test_the_pipelines_that_are_shown(script: str, source: Path, tmp_path: Path) -> None:
    if "WarcReader" in script and (reason := lacks_reader()):
        pytest.skip(reason)
    (tmp_path / "crawl").mkdir()
    (tmp_path / "crawl" / "0.warc.gz").write_bytes(members([warc(i, http(page(i))) for i in range(3)]))
    # processes of a pipeline begin by running its script once more
    main = "if __name__ == '__main__': LocalPipelineExecutor(pipeline).run()"
    (tmp_path / "script.py").write_text(
        f"{script}\nfrom datatrove.executor import LocalPipelineExecutor\n{main}\n"
    )
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, check=True, timeout=120)
    written = b"".join(gzip.decompress(path.read_bytes()) for path in (tmp_path / "clean").iterdir())
    rows = [json.loads(line) for line in written.splitlines()]
    assert [row["text"] for row in rows] == [Cleaner().clean(page(i)) for i in range(3)]


def lacks_reader() -> str:
    """Why datatrove's reader of WARC cannot run here; empty if it can."""
    for name in ("faust-cchardet", "python-magic"):
        try:
            version(name)
        except PackageNotFoundError:
            return f"datatrove's WarcReader needs {name}, which docs/scale.md describes"
    return ""
