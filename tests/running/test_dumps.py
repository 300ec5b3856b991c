"""The run cleans the dumps that its survey has made; it gives what it gives without them."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

import ncleaner
from ncleaner.cleaner import Cleaner
from ncleaner.markup import MarkupOptions
from ncleaner.page import Page
from ncleaner.reading.inputs import find_inputs
from ncleaner.recipe import Recipe
from ncleaner.running import dumps, engine
from ncleaner.running.dumps import Dumps
from ncleaner.running.settings import Settings
from ncleaner.running.surveys import surveyed
from ncleaner.sinks.formats import Output

CRAWL = Path(__file__).parents[2] / "examples" / "town.warc.gz"
OUTPUTS = {
    "text": Output(),
    "markdown": Output(format="markdown", markup=MarkupOptions(True, True)),
    "rows": Output(format="jsonl", metadata=True, posts=True, segments=True, source=True, all_pages=True),
}


def cleaned(settings: Settings, out: Path, jobs: int = 1) -> bytes:
    """The output of a run that surveys its inputs first."""
    inputs = find_inputs([CRAWL])
    with surveyed(inputs, settings, out, jobs=jobs) as known:
        engine.run(inputs, known, output=out, jobs=jobs)
    (found,) = (path for path in out.iterdir() if path.is_file())
    return found.read_bytes()


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("output", OUTPUTS.values(), ids=OUTPUTS)
def test_the_same_with_and_without(output: Output, jobs: int, tmp_path: Path) -> None:
    settings = Settings(Recipe(sites="auto", respect_tdm=True, alt_text=True), output=output)
    found = cleaned(settings, tmp_path / "with", jobs)
    with patch.object(dumps, "_ROOM", 0):
        assert cleaned(settings, tmp_path / "without", jobs) == found


def test_a_page_is_cleaned_by_its_dump() -> None:
    cleaner = Cleaner("everything")
    page = Page(b"<p>The ferry sails.", "http://a.example/")
    other = cleaner.page(page._replace(body=b"<p>It does not sail."))[0]
    document, kept = cleaner.page(page, other)
    assert document.data.strip() == b"It does not sail." and kept.mask.all()


def test_the_dump_of_each_page_is_kept_and_goes_with_the_run(tmp_path: Path) -> None:
    settings = Settings(Recipe(sites="auto"))
    inputs = find_inputs([CRAWL])
    with surveyed(inputs, settings, tmp_path / "out.txt", jobs=2) as known:
        assert known.dumps is not None
        folder = known.dumps._folder
        assert len(list(folder.iterdir())) > 0
        for page in ncleaner.pages(CRAWL):
            found = known.dumps.get(page)
            assert found is not None
            assert found.data == Cleaner("everything").page(page)[0].data
            assert known.dumps.get(page._replace(body=page.body + b" ")) is None
    assert not folder.exists()


def test_room_is_bounded_and_what_is_cut_short_is_no_dump(tmp_path: Path) -> None:
    kept = Dumps(tmp_path, 1, {})
    kept._room = 60_000
    listed = list(ncleaner.pages(CRAWL))
    for page in listed:
        kept.add(page, Cleaner("everything").page(page)[0])
    kept._file.close()
    (path,) = kept._folder.iterdir()
    assert 60_000 < path.stat().st_size < 200_000
    # a worker was killed while it wrote
    path.write_bytes(path.read_bytes()[:-1])
    kept.finish()
    held = [kept.get(page) is not None for page in listed]
    assert 1 < sum(held) < len(listed) and held.index(False) == sum(held)


def test_a_full_disk_costs_no_survey(tmp_path: Path) -> None:
    kept = Dumps(tmp_path, 1, {})
    page = Page(b"<p>The ferry sails until May.")
    kept.close()
    kept.add(page, Cleaner("everything").page(page)[0])
    kept.finish()
    assert kept.get(page) is None


def test_a_later_run_uses_the_survey_and_dumps_for_itself(tmp_path: Path) -> None:
    settings = Settings(Recipe(sites="auto"), output=Output(format="jsonl"))
    out = tmp_path / "out"
    inputs = find_inputs([CRAWL])
    rows = []
    for _ in range(2):
        with surveyed(inputs, settings, out, jobs=1) as known:
            engine.run(inputs, known, output=out, jobs=1, again=True)
        rows.append(b"".join(path.read_bytes() for path in sorted(out.glob("*.jsonl"))))
        assert not list((out / "_run").glob("dumps-*"))
    assert rows[0] == rows[1] and rows[0].count(b"\n") == 29


def test_another_run_deletes_dumps_and_costs_no_page(tmp_path: Path) -> None:
    """It is refused after that, or has been killed."""
    settings = Settings(Recipe(sites="auto"))
    inputs = find_inputs([CRAWL])
    with surveyed(inputs, settings, tmp_path / "out", jobs=1) as known:
        assert known.dumps is not None
        page = next(iter(ncleaner.pages(CRAWL)))
        assert known.dumps.get(page) is not None
        Dumps(tmp_path / "out" / "_run", 1, {})
        assert known.dumps.get(page) is None
        tally = engine.run(inputs, known, output=tmp_path / "out", jobs=1)
    assert tally.complete and tally.pages == 29
