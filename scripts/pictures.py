"""Draws the pictures of inspect, evaluate, survey and report in docs/ from the examples; needs Chromium.

python scripts/pictures.py
"""

from __future__ import annotations

import html
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

import ncleaner
from ncleaner.lab.commands.terminal import explanation_drawing
from ncleaner.lab.explaining.against import gold_of, with_gold
from ncleaner.lab.explaining.drawing import page_of
from ncleaner.lab.explaining.explain import explain

ROOT = Path(__file__).parents[1]
OUT, RUNS = ROOT / "docs" / "inspect", ROOT / "docs" / "runs"
EXAMPLES = ROOT / "examples"
PAGES, GOLD = EXAMPLES / "pages", EXAMPLES / "gold"


def terminal(name: str, width: int, rows: slice) -> None:
    """Draws what a terminal shows of some segments of a page."""
    path = PAGES / f"{name}.html"
    explanation = with_gold(
        explain(path.read_bytes(), url=f"{name}.html"), gold_of(GOLD, str(path))[1], "gold"
    )
    console = Console(
        record=True, width=width, file=sys.stderr, force_terminal=True, color_system="truecolor"
    )
    shown = explanation.segments[rows]
    console.print(explanation_drawing(explanation, width, reasons=True, whole=False, only=shown))
    svg = console.export_svg(title=f"ncleaner inspect {name}.html --against gold", unique_id="t")
    # the sheet asks for letters from elsewhere
    (OUT / "terminal.svg").write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.S))


def browser(name: str, picture: str, opened: int, flags: Sequence[str] = (), as_it_is: bool = False) -> None:
    """Draws what a browser shows of the HTML form, with the reasons of one segment."""
    path = PAGES / f"{name}.html"
    body = path.read_bytes()
    explanation = with_gold(explain(body, url=f"{name}.html"), gold_of(GOLD, str(path))[1], "gold")
    look = f"#s{opened} .why {{ display: block }} #s{opened} .t {{ white-space: normal }}"
    drawn = page_of(explanation, body).replace("</style></head>", f"{look}</style></head>")
    if as_it_is:
        drawn = drawn.replace("<input type=checkbox id=as-is>", "<input type=checkbox id=as-is checked>")
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        page.write_text(drawn)
        shoot(page, OUT / f"{picture}.png", flags)


def shoot(page: Path, picture: Path, flags: Sequence[str], size: str = "1300,860") -> None:
    """Takes a picture of a page."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("there is no chromium on the PATH")
    arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--window-size={size}"]
    arguments += [*flags, "--virtual-time-budget=2000", f"--screenshot={picture}"]
    subprocess.run([chromium, *arguments, page.as_uri()], check=True, capture_output=True)


def command(*words: str | Path) -> None:
    """Runs a command of ncleaner where the examples are."""
    subprocess.run(["ncleaner", *words], check=True, cwd=EXAMPLES, capture_output=True)


def runs() -> None:
    """Draws the pages that survey and report write of the sample crawls."""
    RUNS.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        # its title is in the picture
        survey, page = Path(folder) / "sites.ncs", Path(folder) / "page.html"
        command("survey", "town.warc.gz", "--duplicates", "-o", survey, "--html", page)
        page.write_text(page.read_text().replace(str(survey), survey.name))
        shoot(page, RUNS / "survey.png", [], "1100,760")
        corpus = Path(folder) / "corpus"
        command("clean", "crawl.warc.gz", "town.warc.gz", "pages", "-o", corpus, "-f", "jsonl")
        command("report", corpus, "--html", page)
        page.write_text(page.read_text().replace(str(corpus), corpus.name))
        shoot(page, RUNS / "report.png", [], "1100,900")


def beside(name: str) -> None:
    """Draws a page beside its Markdown."""
    path = PAGES / f"{name}.html"
    framed = html.escape(path.read_text("utf-8"), quote=True)
    written = html.escape(ncleaner.Cleaner().markdown(path.read_bytes()))
    look = (
        "body { margin: 0; display: grid; grid-template-columns: 1fr 1fr; font: 15px/1.45 sans-serif } "
        "iframe { border: 0; width: 100%; height: 1266px; zoom: 0.6 } "
        "pre { margin: 0; padding: 18px 22px; white-space: pre-wrap; background: #f6f8fa; height: 724px; "
        "overflow: hidden; font-size: 13px; border-left: 1px solid #d0d7de }"
    )
    with TemporaryDirectory() as folder:
        page = Path(folder) / "beside.html"
        page.write_text(
            f'<!doctype html><meta charset=utf-8><style>{look}</style><iframe srcdoc="{framed}"></iframe>'
            f"<pre>{written}</pre>"
        )
        shoot(page, ROOT / "docs" / "index.png", [], "1280,760")


def main() -> None:
    """Draws all pictures."""
    beside("tidepool-docs")
    OUT.mkdir(exist_ok=True)
    runs()
    terminal("harbour-gazette-ferry", 96, slice(11, 16))
    browser("harbour-gazette-ferry", "structure", 0)
    browser("lampworks-1997", "page", 8, as_it_is=True)
    browser("mayak-novosti-ru", "dark", 4, ["--blink-settings=preferredColorScheme=0"])
    with TemporaryDirectory() as folder:
        page = Path(folder) / "evaluation.html"
        command("evaluate", PAGES, GOLD, "--method", "hybrid", "--html", page, "-j1", "-q")
        shoot(page, OUT / "evaluation.png", [], "900,1300")


if __name__ == "__main__":
    main()
