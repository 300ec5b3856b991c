"""`ncleaner inspect`, by its real command line."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from ...cli.test_app import CRAWL, EXAMPLES, ncleaner
from ..explaining.test_drawing import Seen

PAGE = EXAMPLES / "pages" / "slow-gears-blog.html"
GOLD = EXAMPLES / "gold"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
# other settings of whoever runs the tests
PLAIN = {"FORCE_COLOR": "", "TTY_COMPATIBLE": "", "NO_COLOR": "", "COLUMNS": "100", "TERM": "xterm-256color"}


def shown(*arguments: str | Path, **environment: str) -> str:
    """What a terminal gets."""
    result = ncleaner("inspect", *arguments, env={**PLAIN, "FORCE_COLOR": "1", **environment})
    assert result.returncode == 0, result.stderr
    return result.stdout.decode()


def piped(*arguments: str | Path) -> list[str]:
    result = ncleaner("inspect", *arguments, env=PLAIN)
    assert result.returncode == 0, result.stderr
    return result.stdout.decode().splitlines()


@pytest.mark.slow
@pytest.mark.traced
def test_a_pipe_gets_a_line_for_each_segment() -> None:
    lines = piped(PAGE)
    assert not any("\x1b" in line for line in lines)
    head = next(number for number, line in enumerate(lines) if line.startswith("keep "))
    rows = lines[head + 1 : -1]
    assert [int(row.split()[1]) for row in rows] == list(range(len(rows)))
    assert {row.split()[0] for row in rows} == {"+", "-"}
    kept = sum(row.split()[0] == "+" for row in rows)
    assert lines[-1].startswith(f"{kept} of {len(rows)} segments kept")
    with_reasons = piped(PAGE, "--why")
    assert [line for line in with_reasons if not line.startswith("         ")] == lines
    assert any("against it: " in line for line in with_reasons)


@pytest.mark.slow
@pytest.mark.traced
def test_the_page_of_a_row_by_its_place() -> None:
    rows = ncleaner("clean", CRAWL, "-f", "jsonl", "-q").stdout.splitlines()
    row = json.loads(rows[4])
    by_offset, by_id = (piped(CRAWL, "--at", str(row[key])) for key in ("offset", "id"))
    assert by_offset == by_id and by_offset[0].startswith(row["url"])
    for at, said in (("0", "record type warcinfo"), ("1", "no page at 1"), ("urn:x", "no page at urn:x")):
        result = ncleaner("inspect", CRAWL, "--at", at)
        assert result.returncode == 1 and said in result.stderr.decode()
    result = ncleaner("inspect", "-", "--at", str(row["offset"]), stdin=Path(CRAWL).read_bytes())
    assert result.stdout.decode().splitlines() == by_offset


@pytest.mark.slow
@pytest.mark.parametrize(
    "width", [24, 140, *(pytest.param(width, marks=pytest.mark.slow) for width in (40, 60, 80))]
)
def test_a_terminal_of_any_width(width: int) -> None:
    said = shown(PAGE, "--against", GOLD, COLUMNS=str(width))
    lines = [ESCAPE.sub("", line) for line in said.splitlines()]
    assert "\x1b[" in said
    # all characters of this page are one column wide
    assert max(map(len, lines)) <= width
    assert any("▼" in line for line in lines) and any("keep" in line for line in lines)
    assert "▼" not in shown(PAGE, "--no-why", COLUMNS=str(width))


@pytest.mark.slow
@pytest.mark.traced
def test_wide_characters_fit_too() -> None:
    from rich.cells import cell_len

    said = shown(EXAMPLES / "pages" / "yuki-nikki-ja.html", COLUMNS="60")
    assert max(cell_len(ESCAPE.sub("", line)) for line in said.splitlines()) <= 60


@pytest.mark.untraced
@pytest.mark.slow
def test_no_colour() -> None:
    coloured, plain = shown(PAGE), shown(PAGE, NO_COLOR="1")
    colours = re.compile(r"\x1b\[(?:\d;)*3\d(?:;\d+)*m")
    assert colours.search(coloured) and not colours.search(plain)
    assert ESCAPE.sub("", coloured) == ESCAPE.sub("", plain)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_real_terminal() -> None:
    import pty
    import subprocess

    ours, theirs = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in PLAIN} | {"TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "ncleaner", "inspect", str(PAGE), "--method", "ngram"],
        stdout=theirs, env=environment,
    )  # fmt: skip
    os.close(theirs)
    said = b""
    while True:
        try:
            some = os.read(ours, 1 << 16)
        except OSError:
            break
        if not some:
            break
        said += some
    os.close(ours)
    assert process.wait(60) == 0
    assert b"\x1b[" in said and "its n-grams" in " ".join(ESCAPE.sub("", said.decode()).split())


@pytest.mark.slow
@pytest.mark.traced
def test_long_texts_are_folded() -> None:
    page = f"<p>{'The ferry was late again this morning. ' * 40}".encode()
    short = ncleaner("inspect", "-", stdin=page, env={**PLAIN, "FORCE_COLOR": "1"}).stdout.decode()
    whole = ncleaner("inspect", "-", "--whole", stdin=page, env={**PLAIN, "FORCE_COLOR": "1"}).stdout.decode()
    assert "…" in short and "…" not in whole and whole.count("morning") == 40


@pytest.mark.untraced
@pytest.mark.slow
def test_one_segment() -> None:
    lines = piped(PAGE, "-s", "3", "--against", GOLD)
    assert lines[1].split()[2] == "3"
    bits = [float(line.split()[0]) for line in lines[5:] if re.match(r" +[+-]\d+\.\d\d  ", line)]
    total = next(number for number, line in enumerate(lines[5:]) if line.split()[1:2] == ["score;"])
    assert abs(sum(bits[:total]) - bits[total]) < 0.05 * total
    assert any("By words:" in line for line in lines) and any("At first sight" in line for line in lines)
    wrong = ncleaner("inspect", PAGE, "-s", "999")
    assert wrong.returncode == 2 and b"the page has the segments 0 to " in wrong.stderr
    assert b"the page has no segments" in ncleaner("inspect", "-", "-s", "0", stdin=b"<p></p>").stderr


@pytest.mark.slow
@pytest.mark.traced
def test_against_gold() -> None:
    lines = piped(EXAMPLES / "pages" / "lampworks-1997.html", "--against", GOLD)
    assert any(line.split()[:2] == ["+", "FP"] for line in lines)
    assert "wrongly kept" in lines[-1]
    wrong = piped(EXAMPLES / "pages" / "lampworks-1997.html", "--against", GOLD, "--wrong")
    assert wrong == [line for line in lines if line[:2] != "  " or line.split()[1] in ("FP", "FN")]
    assert ncleaner("inspect", PAGE, "--wrong").returncode == 2
    foreign = piped(PAGE, "--against", GOLD / "tidepool-docs.gold")
    assert any("does not seem to belong to this page" in line for line in foreign)
    lacking = ncleaner("inspect", PAGE, "--against", EXAMPLES / "pages" / "none.txt")
    assert (lacking.returncode, b"cannot read" in lacking.stderr) == (1, True)
    assert ncleaner("inspect", CRAWL, "--against", GOLD).returncode == 1


@pytest.mark.slow
@pytest.mark.traced
def test_differences() -> None:
    lines = piped(PAGE, "--diff", "everything", "hybrid", "--against", GOLD)
    assert any("against it" in line for line in lines) and "two verdicts" in lines[-1]
    assert not any("against it" in line for line in piped(PAGE, "--diff", "everything", "hybrid", "--no-why"))
    assert piped(PAGE, "--diff", "hybrid", "hybrid")[-1] == "hybrid and hybrid keep the same segments"
    assert "two verdicts" in piped(PAGE, "--diff", "en", "nonlexical", "-m", "ngram")[-1]
    # a model is for the side that uses one
    assert piped(PAGE, "--diff", "bte", "hybrid", "--model", "en")
    drawn = ESCAPE.sub("", shown(PAGE, "--diff", "everything", "hybrid", "--against", GOLD))
    assert "everything:" in drawn and "hybrid" in drawn
    told = json.loads("\n".join(piped(PAGE, "--diff", "everything", "hybrid", "--json")))
    assert told["differ"] and told["names"] == ["everything", "hybrid"]
    assert ncleaner("inspect", PAGE, "--diff", "no-such", "hybrid").returncode == 1
    assert ncleaner("inspect", PAGE, "--diff", "site", "hybrid").returncode == 2
    assert ncleaner("inspect", PAGE, "--diff", "ngram", "hybrid", "-s", "1").returncode == 2


def test_json() -> None:
    told = json.loads("\n".join(piped(PAGE, "--json", "--against", GOLD)))
    assert told["explained"] and told["kept_segments"] == sum(part["kept"] for part in told["segments"])
    assert {"features", "steps", "rulings", "ngrams", "against"} <= set(told["segments"][0])


@pytest.mark.slow
@pytest.mark.traced
def test_html(tmp_path: Path) -> None:
    result = ncleaner("inspect", PAGE, "--html", tmp_path / "a.html", "--against", GOLD)
    assert result.returncode == 0 and b"written: " in result.stderr
    seen = Seen((tmp_path / "a.html").read_text("utf-8"))
    seen.check()
    assert len(seen.frames) == 1 and "wrongly removed" in seen.text
    piped(PAGE, "--diff", "everything", "hybrid", "--html", tmp_path / "b.html")
    Seen((tmp_path / "b.html").read_text("utf-8")).check()
    assert ncleaner("inspect", PAGE, "--html", tmp_path / "none" / "a.html").returncode == 1
    again = tmp_path / "again.html"
    piped(PAGE, "--html", again, "--against", GOLD)
    assert again.read_bytes() == (tmp_path / "a.html").read_bytes()


@pytest.mark.slow
def test_options_of_cleaning() -> None:
    lines = piped(PAGE, "-m", "everything", "--no-headline", "--why")
    assert any("headlines are not wanted" in line for line in lines)
    assert any(
        "readers' comments are not wanted" in line
        for line in piped(
            EXAMPLES / "pages" / "harbour-gazette-ferry.html", "-m", "everything", "--no-comments", "--why"
        )
    )
    assert ncleaner("inspect", PAGE, "--precision", "--recall").returncode == 2
    assert piped(PAGE, "-m", "bte")[-1] != piped(PAGE, "-m", "everything")[-1]


@pytest.mark.untraced
@pytest.mark.slow
def test_text_that_would_act_on_a_terminal() -> None:
    page = "<title>\x1b]0;owned\x07</title><p>The ferry \x9b31m was \u202egnp.exe late again this morning.".encode()
    for arguments in (["--why"], ["-s", "0"], ["--diff", "everything", "ngram"]):
        for force in ("", "1"):
            out = ncleaner(
                "inspect", "-", *arguments, stdin=page, env={**PLAIN, "FORCE_COLOR": force}
            ).stdout.decode()
            assert not re.search("[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202e]", ESCAPE.sub("", out))


def test_cleaning_imports_none_of_it(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import atexit, sys\nfrom ncleaner.cli.app import main\n"
        "show = lambda: print(sorted(name for name in sys.modules if 'explaining' in name or name.split('.')[0] == 'rich'), file=sys.stderr)\n"
        "atexit.register(show)\nmain()"
    )
    result = subprocess.run(
        [sys.executable, "-P", "-c", code, "clean", str(PAGE), "-q", "-m", "hybrid"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert result.stderr.strip().endswith("[]"), result.stderr
