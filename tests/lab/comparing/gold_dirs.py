"""Small gold directories, and tools made up for tests, in a module that the process of a tool can import."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from ncleaner.errors import NcleanerError
from ncleaner.lab.comparing.gold import GoldPage
from ncleaner.lab.comparing.peers import PEERS, Peer
from ncleaner.lab.comparing.tools import Outcome, Tool, ToolError

PAGES = {
    "rain": (
        "article",
        "en",
        "<title>Rain</title><nav>Home</nav><p>Rain fell on the hills.<p>It fell all night.",
    ),
    "bread": ("product", "en", "<nav>Home</nav><p>Bread of rye, a loaf.<footer>Terms</footer>"),
    "tea": ("article", "", "<p>Tea is drunk hot."),
}
GOLD = {
    "rain": "Rain fell on the hills.\nIt fell all night.\n",
    "bread": "<p>Bread of rye, a loaf.\n",
    "tea": "Tea is drunk hot.\n",
}

FAKES = r'''
import ctypes, os, re, signal, sys, time

def paragraphs():
    """Finds what it should on the pages of GOLD."""
    return lambda page, language: "\n\n".join(re.findall(b"<p>([^<]*)".decode(), page.body.decode()))

def nothing():
    return lambda page, language: None

def told():
    return lambda page, language: f"{page.kind} {page.url} {language}"

def raises():
    def extract(page, language):
        if b"Rain" in page.body:
            raise ValueError("no rain,\nplease")
        return paragraphs()(page, language)
    return extract

class Panic(BaseException):
    pass

def panics():
    def extract(page, language):
        raise Panic("overflow")
    return extract

def leaves():
    return lambda page, language: sys.exit(3)

def dies():
    """Takes its process down on one page, as native code does."""
    def extract(page, language):
        if b"Rain" in page.body:
            os.kill(os.getpid(), signal.SIGKILL)
        return paragraphs()(page, language)
    return extract

def ends():
    return lambda page, language: os._exit(5)

def hangs():
    """Never ends on one page."""
    def extract(page, language):
        while b"Rain" in page.body:
            time.sleep(0.01)
        return paragraphs()(page, language)
    return extract

def prints():
    def extract(page, language):
        print("noise")
        os.write(1, b"noise")
        print("noise", file=sys.stderr)
        return paragraphs()(page, language)
    return extract

def counts():
    calls = []
    def extract(page, language):
        calls.append(page)
        return f"call {len(calls)}"
    return extract

def broken():
    raise RuntimeError("out of\norder")

def dies_at_start():
    os._exit(7)

def absent():
    import no_such_module_here
'''


def write(folder: Path, entries: list[dict[str, Any]], raw: dict[str, str], clean: dict[str, str]) -> Path:
    """Makes a gold directory; without entries it has no manifest."""
    for kind in ("raw", "clean"):
        (folder / kind).mkdir(parents=True)
    if entries:
        lines = "".join(json.dumps(entry) + "\n" for entry in entries)
        (folder / "manifest.jsonl").write_text(lines, "utf-8")
    for name, text in raw.items():
        (folder / "raw" / f"{name}.html").write_text(text, "utf-8")
    for name, text in clean.items():
        (folder / "clean" / f"{name}.txt").write_text(text, "utf-8")
    return folder


def little(folder: Path) -> Path:
    """Three pages of three sites."""
    entries = [
        {"id": name, "url": f"http://{name}.example/", "page_type": kind, "lang": language or None}
        for name, (kind, language, _) in PAGES.items()
    ]
    return write(folder, entries, {name: page for name, (_, _, page) in PAGES.items()}, GOLD)


def enter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *names: str) -> None:
    """Enters made-up tools in the table of peers, and lets processes import them."""
    (tmp_path / "modules").mkdir(exist_ok=True)
    (tmp_path / "modules" / "made_up_tools.py").write_text(FAKES)
    monkeypatch.syspath_prepend(tmp_path / "modules")
    for name in names:
        made_up = Peer(name, resolve_name(f"made_up_tools:{name}"), f"{name}-package")
        monkeypatch.setitem(PEERS, name, made_up)


def run_here(tool: Tool, pages: Sequence[GoldPage], progress: Callable[[], None], **_: Any) -> list[Outcome]:
    """Takes the place of `processes.run` where processes do not matter: they take half a second each."""
    try:
        extract = tool.extractor()
    except NcleanerError as error:
        raise ToolError(str(error)) from None
    except Exception as error:
        raise ToolError(repr(error)) from None
    found = []
    for page in pages:
        progress()
        try:
            text = extract(page.page(), page.source.language) or ""
        except ValueError as error:
            found.append(Outcome(failure=f"ValueError: {error}"))
            continue
        if not isinstance(text, bytes):
            text = "".join(f"<p>{line}\n" for line in text.splitlines() if line).encode()
        found.append(Outcome(text, seconds=(0.001 * len(page.name),)))
    return found
