"""One Cleaner for several threads, and what the extensions say of other ways to share a process."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from fuzz.files import text_dump
from fuzz.pages import page
from fuzz.source import Source

from ncleaner import Cleaner
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text

ROOT = Path(__file__).parent.parent

THREADS = 8
PAGES = [page(Source(seed))[:30_000] for seed in range(60)]
TEXTS = [text_dump(Source(seed))[:30_000] for seed in range(40)]


@pytest.fixture(autouse=True)
def _switch_often() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def said(document: Document, kept: Kept) -> tuple[bytes, ...]:
    """All that is made of a page."""
    tables = (document.data, document.runs, document.segments, document.elements, document.names, kept.mask)
    scores = b"" if kept.scores is None else kept.scores.tobytes()
    about = f"{document.title} {document.lang} {document.encoding} {kept.remarks.model} {kept.remarks.language}".encode()
    return (*(bytes(table) for table in tables), scores, about)


def outcomes(cleaner: Cleaner, order: list[int]) -> dict[int, tuple[bytes, ...]]:
    """Of all pages and texts, in this order."""
    found = {}
    for number in order:
        if number < len(PAGES):
            document = cleaner.document(PAGES[number])
        else:
            document = dump_text(TEXTS[number - len(PAGES)])
        found[number] = said(document, cleaner.keep(document))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "model"),
    [("hybrid", "en"), ("hybrid", "auto"), ("ngram", "zh"), ("ngram", "auto"), ("victor", "en"),
     ("heuristics-only", "auto"), ("everything", "auto")],
)  # fmt: skip
def test_one_cleaner_in_eight_threads(method: str, model: str) -> None:
    numbers = list(range(len(PAGES) + len(TEXTS)))
    alone = outcomes(Cleaner(method, model, alt_text=True), numbers)
    # a new one, so that whatever is made at the first use is made by all of them at once
    shared = Cleaner(method, model, alt_text=True)
    start = threading.Barrier(THREADS)
    found: dict[int, dict[int, tuple[bytes, ...]]] = {}

    def work(thread: int) -> None:
        order = Source(thread).sample(numbers, len(numbers))
        start.wait()
        found[thread] = outcomes(shared, order)

    threads = [threading.Thread(target=work, args=(thread,)) for thread in range(THREADS)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == dict.fromkeys(range(THREADS), alone)


def test_a_document_is_read_by_several_threads_at_once() -> None:
    # nothing writes to the tables of a document that is whole
    document = dump_html(PAGES[3])
    for table in (document.runs, document.segments, document.elements, document.names):
        assert not table.flags.writeable


def _run(program: str) -> str:
    environment = {**os.environ, "RUST_BACKTRACE": "0"}
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
        check=False,
    )
    # an error is one that Python knows of; a crash would have a negative code
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this Python always has its lock")
def test_a_free_threaded_python_takes_its_lock_back() -> None:
    assert (
        _run(
            "import warnings; warnings.simplefilter('ignore')\nimport sys, ncleaner\nprint(sys._is_gil_enabled())"
        )
        == "True\n"
    )


IN_ANOTHER = """
import sys
try:
    import _interpreters as interpreters
except ImportError:
    import _xxsubinterpreters as interpreters
BEFORE
other = interpreters.create()
try:
    failed = interpreters.run_string(other, CODE)
    if failed is not None:
        print("failed", failed)
except Exception as error:
    print("failed", error)
interpreters.destroy(other)
"""
PACKAGE = """
import warnings
warnings.simplefilter("ignore")
try:
    from ncleaner import Cleaner
    print("works", Cleaner("heuristics-only").clean("<p>The ferry was late."), flush=True)
except ImportError as error:
    print("ImportError", error, flush=True)
"""
# one extension by itself: it takes nothing that has its own mind on interpreters
LETTERS = find_spec("ncleaner.text._letters")
assert LETTERS is not None
EXTENSION = f"""
from importlib.machinery import ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
loader = ExtensionFileLoader("ncleaner.text._letters", {LETTERS.origin!r})
try:
    module = module_from_spec(spec_from_loader("ncleaner.text._letters", loader))
    loader.exec_module(module)
    print("works", module.valid_length(b"ab" + bytes([255])), flush=True)
except ImportError as error:
    print("ImportError", error, flush=True)
"""


def _in_another(code: str, before: str = "") -> str:
    return _run(IN_ANOTHER.replace("BEFORE", before).replace("CODE", repr(code)))


@pytest.mark.untraced
def test_the_only_interpreter_that_imports_the_package_works_or_is_refused() -> None:
    said = _in_another(PACKAGE)
    assert said.startswith(("works The ferry was late.", "ImportError", "failed")), said
    if said.startswith("failed"):
        # NumPy and what is built on PyO3 refuse in their own ways
        assert "interpreter" in said


# where lines of Cython are traced, a module that fills tables by Python code waits for ever there
@pytest.mark.untraced
def test_a_second_interpreter_is_refused() -> None:
    # from Python 3.12 on a module has to say that it may be shared, and before that Cython minds itself
    assert _in_another(EXTENSION).startswith(("works 2\n", "ImportError"))
    first, second = _in_another(EXTENSION, EXTENSION).splitlines()
    assert first == "works 2"
    assert second.startswith("ImportError")
