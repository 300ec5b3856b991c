"""A survey in shards: the same as in one file, and refused unless it is whole."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document.kept import Kept
from ncleaner.dumping.html import dump_html
from ncleaner.errors import InputError, ModelError, OutputError
from ncleaner.page import Page
from ncleaner.running.settings import Settings
from ncleaner.running.surveys import survey, surveyed
from ncleaner.surveying.duplicates import sequences_on, sketch_of
from ncleaner.surveying.shards import is_survey, range_of, shard_of
from ncleaner.surveying.signatures import signature_of
from ncleaner.surveying.survey import Contents, Survey, portrait_of

from .test_surveying import page

ALL = Contents(pages=4, duplicates=True, paragraphs=True)


def captured(number: int) -> Page:
    """A page of one of 23 sites. Every third has the text of an earlier one under another address."""
    of = number // 2 if number % 3 == 0 else number
    body = page(of, f"<p>{'word ' * (number % 5)}").encode()
    day = number % 28 + 1
    return Page(body, url=f"http://s{number % 23}.example/{number:b}", date=f"2024-05-{day:02}T10:00:00Z")


def lines(numbers: range) -> Iterator[bytes]:
    for number in numbers:
        each = captured(number)
        document = dump_html(each.body)
        kept = Kept(document.visible)
        sketch = sketch_of(each, b"\n".join(text.encode() for text in document.texts))
        signed = signature_of(
            each.url, document, kept, sketch=sketch, sequences=sequences_on(each, document, kept.mask)
        )
        assert signed is not None
        yield signed.line()


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Five files of signatures of 200 pages."""
    folder = tmp_path_factory.mktemp("signed")
    files = [folder / f"{number}.signatures.jsonl" for number in range(5)]
    for number, file in enumerate(files):
        file.write_bytes(b"".join(lines(range(number * 40, number * 40 + 40))))
    return files


@pytest.fixture(scope="module")
def whole(signed: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The survey of one file."""
    path = tmp_path_factory.mktemp("whole") / "one.ncs"
    sums = survey([], signed, path, Settings(), contents=ALL)[1]
    assert sums["pages"] == 200 and sums["duplicates"] > 40
    return path


def made(path: Path, parts: list[Path], shards: int, jobs: int = 1) -> Path:
    survey([], parts, path, Settings(), contents=ALL, shards=shards, jobs=jobs)
    return path


def answers(known: Survey) -> list[object]:
    """What a survey says of each page, and of a page that it does not have."""
    found: list[object] = []
    for number in range(210):
        each = captured(number)
        document = dump_html(each.body)
        site = known.look_up(each.url, document)
        seen = known.shares_seen(each, document, Kept(document.visible).mask)
        found.append((site and (site.pages, site.texts.tolist()), known.duplicate_of(each), str(seen)))
    return found


@given(st.data())
def test_a_number_is_in_the_range_of_its_shard(data: st.DataObject) -> None:
    bits, shards = data.draw(st.sampled_from([32, 55, 63])), data.draw(st.integers(1, 256))
    number = data.draw(st.integers(0, 2**bits - 1))
    place = shard_of(number, bits, shards)
    first, last = range_of(place, bits, shards)
    assert first <= number <= last and 0 <= place < shards
    assert first == 0 if place == 0 else range_of(place - 1, bits, shards)[1] == first - 1
    assert (last == 2**bits - 1) == (place == shards - 1)


@pytest.mark.untraced
@pytest.mark.parametrize(("shards", "jobs"), [(2, 1), pytest.param(7, 2, marks=pytest.mark.slow), (16, 1)])
def test_the_same_as_in_one_file(
    signed: list[Path], whole: Path, tmp_path: Path, shards: int, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    # each file is a part by itself, two files are one, all are one
    monkeypatch.setattr("ncleaner.running.surveys._PART", shards * signed[0].stat().st_size // 2)
    many = made(tmp_path / "many", signed, shards, jobs)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many"]
    assert [path.name for path in sorted(many.iterdir())] == [
        f"shard-{each:03}.ncs" for each in range(shards)
    ]
    assert answers(Survey(many)) == answers(Survey(whole))
    assert portrait_of(Survey(many)).to_dict() == portrait_of(Survey(whole)).to_dict()
    # merged they are one file again, and the other way round; parts and surveys give the same
    merged = tmp_path / "merged.ncs"
    survey([], [many], merged, Settings(), contents=ALL)
    assert merged.read_bytes() == whole.read_bytes()
    half = tmp_path / "half.ncs"
    survey([], signed[:2], half, Settings(), contents=ALL)
    again = made(tmp_path / "again", [half, *signed[2:]], shards)
    assert [each.read_bytes() for each in sorted(again.iterdir())] == [
        each.read_bytes() for each in sorted(many.iterdir())
    ]
    # fewer shards in the same place
    made(many, [again], 2)
    assert len(list(many.iterdir())) == 2 and answers(Survey(many)) == answers(Survey(whole))


def test_bytes_are_read_once(signed: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the number of shards, a part is compared with its checksum at most once."""
    read: list[Path] = []
    half = tmp_path / "half.ncs"
    survey([], signed[:2], half, Settings(), contents=ALL)
    monkeypatch.setattr("ncleaner.surveying.survey.check_whole", lambda path, *_: read.append(path))
    made(tmp_path / "many", [half, *signed[2:]], 5)
    assert set(read) == {half} and len(read) <= 2


def test_shards_that_are_no_whole_survey(signed: list[Path], tmp_path: Path) -> None:
    many = made(tmp_path / "many", signed, 4)
    other = made(tmp_path / "other", signed[:3], 4)

    def refused(match: str, path: Path) -> None:
        with pytest.raises(ModelError, match=match):
            Survey(path)

    refused("is one shard of a survey .give its directory., or damaged", many / "shard-001.ncs")
    refused("there is no survey", tmp_path)
    data = (many / "shard-001.ncs").read_bytes()
    for changed in (None, (other / "shard-001.ncs").read_bytes(), (many / "shard-002.ncs").read_bytes()):
        (many / "shard-001.ncs").unlink(missing_ok=True)
        if changed is not None:
            (many / "shard-001.ncs").write_bytes(changed)
        refused("many is not complete, or of several surveys: make it again", many)
    for changed in (data[:-1], data[:-5000], b"", b"text"):
        (many / "shard-001.ncs").write_bytes(changed)
        refused(r"shard-001\.ncs", many)
    # the bytes of all shards are only read when they are merged
    at = len(data) // 2
    (many / "shard-001.ncs").write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
    Survey(many)
    for shards in (1, 2):
        with pytest.raises(ModelError, match=r"shard-001\.ncs is damaged"):
            survey([], [many], tmp_path / f"merged{shards}", Settings(), contents=ALL, shards=shards)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many", "other"]


def test_places_that_cannot_be_used(signed: list[Path], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("text")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_text("text")
    for name in ("file", "folder"):
        with pytest.raises(OutputError, match=f"{name} exists already and is no survey in shards"):
            made(tmp_path / name, signed, 2)
    with pytest.raises(OutputError, match="cannot make the directory"):
        made(tmp_path / "file" / "many", signed, 2)
    (tmp_path / "empty").mkdir()
    assert is_survey(made(tmp_path / "empty", signed, 2))
    with pytest.raises(OutputError, match="is a directory: give the name of a file, or --shards"):
        survey([], signed, tmp_path / "empty", Settings(), contents=ALL)
    with pytest.raises(InputError, match="at most 4 pages of a site, not 8"):
        survey([], [tmp_path / "empty"], tmp_path / "eight", Settings(), contents=Contents(8), shards=2)
    assert not (tmp_path / "eight").exists()


def test_an_end_between_two_shards(
    signed: list[Path], whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = made(tmp_path / "many", signed[:3], 4)
    replace = Path.replace

    def fails(self: Path, target: Path) -> Path:
        if target.name == "shard-002.ncs":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", fails)
        with pytest.raises(OutputError, match=r"cannot write the survey .*many: .*No space left"):
            made(many, signed, 4)
    with pytest.raises(ModelError, match="not complete"):
        Survey(many)
    assert answers(Survey(made(many, signed, 4))) == answers(Survey(whole))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["many"]


@pytest.mark.slow
@pytest.mark.parametrize("after", [0.0, 0.2, 0.5])
def test_a_survey_that_is_killed(signed: list[Path], whole: Path, tmp_path: Path, after: float) -> None:
    shutil.copytree(signed[0].parent, tmp_path / "signed")
    command = [
        sys.executable,
        "-m",
        "ncleaner",
        "survey",
        "signed",
        "-o",
        "many",
        "--shards",
        "32",
        "-j",
        "2",
    ]
    command += ["-q", "--pages", "4", "--duplicates", "--paragraphs"]
    running = subprocess.Popen(command, cwd=tmp_path)
    while not (tmp_path / ".many.working").exists() and running.poll() is None:
        time.sleep(0.01)
    time.sleep(after)
    running.send_signal(signal.SIGKILL)
    running.wait()
    assert subprocess.run(command, cwd=tmp_path, check=False).returncode == 0
    assert answers(Survey(tmp_path / "many")) == answers(Survey(whole))
    assert not list(tmp_path.glob(".*"))


@pytest.mark.slow
def test_a_full_disk(signed: list[Path], tmp_path: Path) -> None:
    program = """
import resource, signal, sys
from ncleaner.cli.app import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (30_000, 30_000))
sys.argv = ["ncleaner", "survey", *sys.argv[1:]]
main()
"""
    given = [str(signed[0].parent), "-o", "many", "--shards", "3", "-j", "2", "--duplicates", "--paragraphs"]
    done = subprocess.run(
        [sys.executable, "-c", program, *given], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (
        done.returncode == 1 and "cannot write the survey" in done.stderr and "Traceback" not in done.stderr
    )
    assert not list(tmp_path.iterdir())


def test_a_large_crawl_gets_shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ncleaner.reading.inputs import find_inputs
    from ncleaner.recipe import Recipe

    for number in range(6):
        (tmp_path / f"{number}.html").write_text(page(number))
    inputs = list(find_inputs([str(tmp_path)]))
    monkeypatch.setattr("ncleaner.running.surveys._SHARD", sum(each.size or 0 for each in inputs) // 5)
    settings = Settings(Recipe(sites="auto"))
    with surveyed(inputs, settings, tmp_path / "out") as found:
        assert found.recipe.sites == tmp_path / "out" / "_run" / "sites"
        assert len(list((tmp_path / "out" / "_run" / "sites").iterdir())) == 6
