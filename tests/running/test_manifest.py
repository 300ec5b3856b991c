from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from ncleaner.errors import OutputError
from ncleaner.page import Damage, Skip
from ncleaner.reading.inputs import Input, find_inputs
from ncleaner.running.history import read_history
from ncleaner.running.manifest import NAME, open_manifest, settings_record
from ncleaner.running.settings import Settings
from ncleaner.running.tally import Tally
from ncleaner.storage.local import RUN
from ncleaner.storage.places import folder_at
from ncleaner.versions import OUTPUTS

from ..cli.test_app import CRAWL, ncleaner
from ..runs import entries_in, settings_in, write_manifest

SETTINGS = settings_record(Settings(), "f00")


@pytest.fixture
def source(tmp_path: Path) -> Input:
    path = tmp_path / "in" / "a.html"
    path.parent.mkdir()
    path.write_text("<p>A page.")
    return find_inputs([path])[0]


def finish(folder: Path, source: Input, tally: Tally | None = None, **settings: Any) -> Path:
    output = folder / "a.txt"
    with open_manifest(folder_at(folder), {**SETTINGS, **settings}) as manifest:
        output.write_text("A page.\n")
        manifest.add(source, output.name, tally or Tally(inputs=1, pages=1, cleaned=1), 0.25)
    return output


def stands(
    folder: Path, source: Input, output: Path, **settings: Any
) -> tuple[bool, dict[str, int] | set[str]]:
    with open_manifest(folder_at(folder), {**SETTINGS, **settings}) as manifest:
        return manifest.is_finished(source, output.name), manifest.changed or manifest.others or {}


def test_what_is_finished_stays_finished(tmp_path: Path, source: Input) -> None:
    output = finish(tmp_path / "out", source)
    assert stands(tmp_path / "out", source, output) == (True, {})
    with open_manifest(folder_at(tmp_path / "out"), SETTINGS, again=True) as manifest:
        assert not manifest.is_finished(source, output.name)
    assert stands(tmp_path / "elsewhere", source, output) == (False, {})


def test_a_line_says_what_was_done(tmp_path: Path, source: Input) -> None:
    tally = Tally(inputs=1, pages=2, cleaned=1, words_kept=7)
    tally.add_item(Damage("cut off", source.path, 17))
    tally.add_lost("too large", "too large", Skip("too large", "http://x.example/", source.path, 3))
    finish(tmp_path / "out", source, tally)
    [entry] = entries_in(tmp_path / "out")
    assert settings_in(tmp_path / "out") == {entry["settings"]: SETTINGS}
    assert (entry["input"], entry["path"], entry["size"]) == ("a.html", source.path, 10)
    assert (entry["outputs"], entry["seconds"]) == ({"a.txt": 8}, 0.25)
    assert (entry["pages"], entry["cleaned"], entry["given_up"]) == (3, 1, {"too large": 1})
    assert entry["damage"] == [{"offset": 17, "what": "cut off", "file": source.path}]
    assert entry["words_kept"] == 7


def test_another_version_of_the_package_changes_nothing(tmp_path: Path, source: Input) -> None:
    output = finish(tmp_path / "out", source, version="0.0.9")
    assert stands(tmp_path / "out", source, output) == (True, {})
    assert stands(tmp_path / "out", source, output, outputs=OUTPUTS + 1) == (False, {"outputs": 1})


def test_what_has_changed_is_said(tmp_path: Path, source: Input) -> None:
    folder = tmp_path / "out"
    output = finish(folder, source)
    assert stands(folder, source, output, model_fingerprint="bad") == (False, {"model_fingerprint": 1})
    later = Input(source.path, source.relative, source.size, source.modified + 1)
    assert stands(folder, later, output) == (False, {"input": 1})
    output.write_text("Something else.\n")
    assert stands(folder, source, output) == (False, {"output": 1})
    output.unlink()
    assert stands(folder, source, output) == (False, {"output": 1})
    output.write_text("A page.\n")
    assert stands(folder, source, folder / "a.jsonl")[0] is False
    assert stands(folder, Input(source.path, "b.html", 10, source.modified), output) == (False, {})


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "pl", "threshold": 1.5}, {"--model was auto and is pl", "--threshold was not given and is 1.5"}),
        ({"news": True}, {"--news was off and is on"}),
        ({"captions": False}, {"--no-captions was off and is on"}),
        ({"headline": False}, {"--headline was not given and is off"}),
        ({"parameters": {"q": 2, "n": 3}}, {"--set was not given and is q=2, n=3"}),
        ({"attributes": ["id", "url"]}, {"--attribute was not given and is id, url"}),
        ({"format": "cleaneval"}, {"--format was text and is cleaneval"}),
        ({"markup": {"links": True, "images": False, "spans": "merge"}}, {"--links was off and is on"}),
        ({"limits": {**SETTINGS["limits"], "bytes": 7}}, {"--max-bytes was 20000000 and is 7"}),
        ({"sites": "a.ncs"}, {"--sites was not given and is a.ncs"}),
    ],
)  # fmt: skip
def test_other_options_are_refused(
    tmp_path: Path, source: Input, settings: dict[str, Any], said: set[str]
) -> None:
    folder = tmp_path / "out"
    output = finish(folder, source)
    with open_manifest(folder_at(folder), {**SETTINGS, **settings}) as manifest:
        assert not manifest.is_finished(source, output.name) and not manifest.changed
        assert manifest.others == said
        with pytest.raises(OutputError, match=f"{folder} were made with other options: .*or --again"):
            manifest.check_options()
    assert stands(folder, source, folder / "a.jsonl", **settings) == (False, {})
    output.unlink()
    assert stands(folder, source, output, **settings) == (False, {"output": 1})


def test_an_option_that_came_later_has_its_default(tmp_path: Path, source: Input) -> None:
    folder = tmp_path / "out"
    earlier = json.loads(json.dumps(SETTINGS))
    del earlier["notices"], earlier["limits"]["tags"]
    output = folder / "a.txt"
    with open_manifest(folder_at(folder), earlier) as manifest:
        output.write_text("A page.\n")
        manifest.add(source, output.name, Tally(inputs=1), 0.25)
    assert stands(folder, source, output) == (True, {})
    assert stands(folder, source, output, notices=True) == (False, {"--notices was off and is on"})


def test_what_no_output_depends_on_may_change(tmp_path: Path, source: Input) -> None:
    """The place of a file whose contents are the same; time and memory, unless they cost a page."""
    folder = tmp_path / "out"
    output = finish(folder, source, sites="sites.ncs")
    assert stands(folder, source, output, sites="/elsewhere/sites.ncs") == (True, {})
    more = {"limits": {**SETTINGS["limits"], "seconds": 90.0, "memory": 1 << 30}}
    output = finish(folder, source)
    assert stands(folder, source, output, **more) == (True, {})
    tally = Tally(inputs=1)
    tally.add_lost("time", "took too long", Skip("time", "u", source.path))
    output = finish(folder, source, tally)
    others = {"--max-seconds was 60.0 and is 90.0", "--max-memory was not given and is 1073"}
    assert stands(folder, source, output, **more) == (False, others)


def test_damage_is_remembered(tmp_path: Path, source: Input) -> None:
    tally = Tally(inputs=1)
    tally.add_item(Damage("cut off", source.path, 17))
    for number in range(2):
        tally.add_lost("too large", "too large", Skip("too large", str(number), source.path, 3))
    output = finish(tmp_path / "out", source, tally)
    with open_manifest(folder_at(tmp_path / "out"), SETTINGS) as manifest:
        assert manifest.is_finished(source, output.name)
        assert manifest.flaws(source, output.name) == "1 place of damage and 2 pages given up"


def test_a_later_line_takes_the_place_of_an_earlier_one(tmp_path: Path, source: Input) -> None:
    folder = tmp_path / "out"
    finish(folder, source)
    output = finish(folder, source, model="pl")
    assert stands(folder, source, output) == (False, {"--model was pl and is auto"})
    assert stands(folder, source, output, model="pl") == (True, {})
    assert len(entries_in(folder)) == 2


def test_outputs_of_several_formats_stand_side_by_side(tmp_path: Path, source: Input) -> None:
    folder = tmp_path / "out"
    text = finish(folder, source)
    lines = folder / "a.jsonl"
    assert stands(folder, source, lines, format="jsonl") == (False, {})
    with open_manifest(folder_at(folder), {**SETTINGS, "format": "jsonl"}) as manifest:
        lines.write_text("{}\n")
        manifest.add(source, lines.name, Tally(inputs=1, pages=1, cleaned=1), 0.25)
    assert stands(folder, source, text) == (True, {})
    assert stands(folder, source, lines, format="jsonl") == (True, {})
    history = read_history(str(folder))
    assert history.total.pages == 1 and history.formats == {"text": 1, "jsonl": 1}


def test_an_input_that_could_not_be_read_is_tried_again(tmp_path: Path, source: Input) -> None:
    tally = Tally(inputs=1)
    tally.add_item(Damage("permission denied", source.path, unread=True))
    output = finish(tmp_path / "out", source, tally)
    assert stands(tmp_path / "out", source, output) == (False, {})


def test_standard_input_is_never_finished(tmp_path: Path) -> None:
    stdin = Input("-", "-", None)
    output = finish(tmp_path / "out", stdin)
    assert stands(tmp_path / "out", stdin, output) == (False, {})


def test_a_line_cut_off_at_any_byte(tmp_path: Path, source: Input) -> None:
    folder = tmp_path / "out"
    finish(folder, source)
    path = folder / NAME
    line = path.read_bytes()
    for end in (0, 1, len(line) // 2, len(line) - 1):
        path.write_bytes(line + line[:end])
        output = finish(folder, source, model="pl")
        assert path.read_bytes().startswith(line)
        settings = settings_in(folder)
        assert [settings[entry["settings"]]["model"] for entry in entries_in(folder)] == ["auto", "pl"]
        assert stands(folder, source, output, model="pl") == (True, {})


@pytest.mark.parametrize(
    "junk", ["{}\n", "[1]\n", "no JSON\n", "\n", '{"input": 1, "settings": 2}\n', "\xff\n"]
)
def test_lines_of_others_are_passed_over(tmp_path: Path, source: Input, junk: str) -> None:
    output = finish(tmp_path / "out", source)
    with (tmp_path / "out" / NAME).open("ab") as file:
        file.write(junk.encode("latin-1"))
    assert stands(tmp_path / "out", source, output) == (True, {})


@pytest.mark.parametrize(
    "change",
    [{"seconds": math.inf}, {"seconds": 10**400}, {"seconds": 1e300}, {"seconds": -1}, {"size": math.inf},
     {"finished": "0001-01-01T00:00:00+00:00"}, {"finished": "2024-05-01"}],
)  # fmt: skip
def test_numbers_that_are_none_are_passed_over(tmp_path: Path, source: Input, change: dict[str, Any]) -> None:
    output = finish(tmp_path / "out", source)
    settings, line = (tmp_path / "out" / NAME).read_text().splitlines()
    write_manifest(tmp_path / "out", settings, json.dumps({**json.loads(line), **change}))
    assert stands(tmp_path / "out", source, output) == (False, {})
    assert read_history(str(tmp_path / "out")).foreign == 1


def test_each_run_writes_its_settings_once(tmp_path: Path, source: Input) -> None:
    folder = tmp_path / "out"
    for model in ("auto", "pl", "auto", "pl"):
        output = finish(folder, source, model=model)
    assert len(settings_in(folder)) == 2 and len((folder / NAME).read_text().splitlines()) == 8
    assert stands(folder, source, output, model="pl") == (True, {})


@pytest.mark.parametrize("damage", ["", "{", '{"key": 1}', '{"key": "x", "settings": {}}', "other"])
def test_lines_whose_settings_are_damaged(tmp_path: Path, source: Input, damage: str) -> None:
    """Their inputs are cleaned again, and settings are written again, before the next line."""
    folder = tmp_path / "out"
    output = finish(folder, source)
    settings, line = (folder / NAME).read_text().splitlines()
    damage = settings.replace("hybrid", "everything") if damage == "other" else damage
    write_manifest(folder, damage, line)
    history = read_history(str(folder))
    assert (history.foreign, history.lines) == (2, [])
    assert stands(folder, source, output) == (False, {})
    assert finish(folder, source) == output
    assert stands(folder, source, output) == (True, {})
    assert read_history(str(folder)).foreign == 2 and json.loads(settings) in map(
        json.loads, (folder / NAME).read_text().splitlines()[2:]
    )


@pytest.mark.slow
@pytest.mark.traced
@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this system cannot refuse links")
@pytest.mark.parametrize("name", [NAME, ".a.txt.part"])
def test_links_are_not_followed(tmp_path: Path, source: Input, name: str) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    other.write_text("of somebody else")
    (out / RUN).mkdir(parents=True)
    (out / name).symlink_to(other)
    for _ in range(2):
        result = ncleaner("clean", source.path, "-o", out)
        assert result.returncode == 1
        assert (
            "cannot write" in result.stderr.decode()
            and "it is a symbolic link: remove it" in result.stderr.decode()
        )
        assert other.read_text() == "of somebody else" and (out / name).is_symlink()
    (out / name).unlink()
    assert ncleaner("clean", source.path, "-o", out).returncode == 0


def test_names_that_are_not_utf8(tmp_path: Path) -> None:
    source = Input("in/\udcff.html", "\udcff.html", 10, 5)
    output = finish(tmp_path / "out", source)
    assert stands(tmp_path / "out", source, output) == (True, {})


@pytest.mark.slow
def test_one_run_at_a_time(tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    with open_manifest(folder_at(tmp_path), SETTINGS):
        second = ncleaner("clean", CRAWL, "-o", tmp_path)
    assert second.returncode == 1
    assert second.stderr.startswith(b"ncleaner: another run is writing")
    assert ncleaner("clean", CRAWL, "-o", tmp_path).returncode == 0


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write"):
        open_manifest(folder_at(tmp_path / "file"), SETTINGS).__enter__()
