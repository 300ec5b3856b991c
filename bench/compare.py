"""Other extractors beside ncleaner: accuracy on gold directories.

    python bench/compare.py GOLD_DIR… [--tool trafilatura …] [--unit char] [--limit 100] [--jobs 2]

GOLD_DIR holds manifest.jsonl, raw/ID.html and clean/ID.txt. Every tool gets the pages as they are stored, in
the way its own documentation shows, with its default settings. Prints a table for each directory: CleanEval's
word scores over all pages, as bench/crossval.py has them, the mean of the pages' bag F1, and that mean for
each type of page where the manifest knows it. Nothing is trained here; what ncleaner's trained methods reach
on the same pages, bench/crossval.py says.

CleanEval's measure counts the mark of a segment as a word, so each line of a tool's text becomes a segment
`<p>`, whether the gold text has marks or not; ncleaner's output is measured in the same way. The bag measure
ignores marks. A page on which a tool raises, crashes or takes too long scores 0 and is counted under
*failed*, one of which it leaves nothing under *empty*. CleanEval's pages come wrapped in an element `<text>`,
which makes some tools reject them: --unwrap takes it off.

The tools are no dependencies of ncleaner. One that is not installed is listed as such.
"""

from __future__ import annotations

import importlib
import json
import logging
import multiprocessing
import re
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any, cast

import typer
from crossval import scores

from ncleaner.cleaner import Cleaner
from ncleaner.page import Page
from ncleaner.scoring.measures import BagUnit, bag_overlap
from ncleaner.sinks.choice import make_sink


@dataclass(frozen=True, slots=True)
class Sample:
    """A page of a gold directory: where it lies, and what the manifest says of it."""

    name: str
    raw: Path
    gold: Path
    url: str = ""
    language: str = ""
    page_type: str = ""
    unwrap: bool = False

    def body(self) -> bytes:
        """The page as stored; with `unwrap`, without what CleanEval's makers put around it."""
        body = self.raw.read_bytes()
        return _WRAPPING.sub(b"", body) if self.unwrap else body


# An element <text id="URL" …> around the whole page. No tool could know of it, and two take a page that does
# not begin like one for something else.
_WRAPPING = re.compile(rb"\A\s*<text\b[^>]*>\s*|</text>\s*\Z", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a tool made of one page, in CleanEval's format; `failure` says why there is nothing."""

    text: bytes = b""
    failure: str = ""


Extractor = Callable[[bytes, str, str], str | bytes | None]
"""A page's bytes, URL and language (`""` when unknown) to text, a block a line; ncleaner's own
returns bytes, in CleanEval's format."""


@dataclass(frozen=True, slots=True)
class Tool:
    """An extractor under its name in the table.

    Attributes:
        name: what the table calls it; the distribution's name where there is one.
        make: returns the extractor; raises ImportError where the package is missing.
        settings: what is not as by default, for the table.
    """

    name: str
    make: Callable[[], Extractor]
    settings: str = ""

    @property
    def title(self) -> str:
        """Name, version where there is one, and settings."""
        try:
            name = f"{self.name} {version(self.name)}"
        except (PackageNotFoundError, ValueError):
            name = self.name
        return f"{name}, {self.settings}" if self.settings else name


def _load(name: str) -> Any:
    # Not by an import statement: none of these need be there, and most have no types.
    return importlib.import_module(name)


def everything() -> Extractor:
    """ncleaner's dump of the page, nothing removed."""
    cleaner, sink = Cleaner("everything"), make_sink("cleaneval")

    def extract(body: bytes, url: str, language: str) -> bytes:
        page = Page(body, url)
        return sink.render(page, *cleaner.page(page), True)

    return extract


# Where a reader sees a new line; lxml's text_content sets nothing between blocks.
_BLOCKS = frozenset(
    "address article aside blockquote body br center caption dd details div dl dt fieldset figcaption figure "
    "footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th "
    "thead tr ul".split()
)
_SPACE = re.compile(r"\s+")


def html_text(html: str) -> str:
    """Text of the HTML that an extractor returns, a block a line: lxml's text_content with line breaks."""
    if not html.strip():
        return ""
    root = _load("lxml.html").fromstring(html)
    for element in root.iter():
        text, tail = (_SPACE.sub(" ", part or "") for part in (element.text, element.tail))
        if element.tag in _BLOCKS:
            text, tail = "\n" + text, "\n" + tail
        if isinstance(element.tag, str):  # a comment's text is no text
            element.text = text
        element.tail = tail
    return cast(str, root.text_content())


def readability() -> Extractor:
    """readability-lxml: the summary's text."""
    document = _load("readability").Document
    _load("lxml.html")
    return lambda body, url, language: html_text(document(body).summary(html_partial=True))


def trafilatura(**settings: bool) -> Callable[[], Extractor]:
    """trafilatura, plain text. It includes comments and tables by default."""

    def make() -> Extractor:
        extract = _load("trafilatura").extract
        return lambda body, url, language: cast("str | None", extract(body, **settings))

    return make


# jusText's stop lists bear English names. Languages written without spaces have none.
_STOP_LISTS = {
    "cs": "Czech", "de": "German", "el": "Greek", "en": "English", "es": "Spanish", "fi": "Finnish",
    "fr": "French", "hu": "Hungarian", "it": "Italian", "nl": "Dutch", "pl": "Polish", "pt": "Portuguese",
    "ru": "Russian", "sv": "Swedish", "tr": "Turkish", "uk": "Ukrainian",
}  # fmt: skip
_NO_STOP_LIST = {"zh", "ja", "th"}


def justext(*, lists: bool = True) -> Callable[[], Extractor]:
    """jusText with the stop list of the page's language; all of them where that is unknown.

    Without a stop list, its language-independent mode: both thresholds at 0, as its command line sets them.
    """

    def make() -> Extractor:
        module = _load("justext")

        @cache
        def stop_list(language: str) -> frozenset[str]:
            names = [_STOP_LISTS[language]] if language in _STOP_LISTS else sorted(module.get_stoplists())
            return frozenset().union(*(module.get_stoplist(name) for name in names))

        def extract(body: bytes, url: str, language: str) -> str:
            if lists and language not in _NO_STOP_LIST:
                found = module.justext(body, stop_list(language))
            else:
                found = module.justext(body, frozenset(), stopwords_low=0, stopwords_high=0)
            return "\n".join(_SPACE.sub(" ", part.text) for part in found if not part.is_boilerplate)

        return extract

    return make


def resiliparse() -> Extractor:
    """resiliparse's main content, by its own detection of the encoding."""
    to_text = _load("resiliparse.extract.html2text").extract_plain_text
    detect = _load("resiliparse.parse.encoding").detect_encoding
    parse = _load("resiliparse.parse.html").HTMLTree.parse_from_bytes

    def extract(body: bytes, url: str, language: str) -> str:
        return cast(str, to_text(parse(body, detect(body) or "utf-8"), main_content=True))

    return extract


def magic_html() -> Extractor:
    """magic-html for articles, which is its default; it wants text, and has a function that decodes."""
    extractor = _load("magic_html").GeneralExtractor()
    decode = _load("magic_html.utils").decode_file
    return lambda body, url, language: html_text(extractor.extract(decode(body), base_url=url)["html"])


def rs_trafilatura() -> Extractor:
    """rs-trafilatura, which looks at the URL for the type of page."""
    extract = _load("rs_trafilatura").extract_bytes
    return lambda body, url, language: cast(str, extract(body, url=url or None).main_content)


TOOLS: dict[str, Tool] = {
    "everything": Tool("everything kept", everything),
    "readability": Tool("readability-lxml", readability),
    "trafilatura": Tool("trafilatura", trafilatura()),
    "trafilatura-nocomments": Tool("trafilatura", trafilatura(include_comments=False), "no comments"),
    "trafilatura-recall": Tool("trafilatura", trafilatura(favor_recall=True), "favor_recall"),
    "justext": Tool("jusText", justext()),
    "justext-nolist": Tool("jusText", justext(lists=False), "no stop list"),
    "resiliparse": Tool("resiliparse", resiliparse, "main content"),
    "magic-html": Tool("magic-html", magic_html),
    "rs-trafilatura": Tool("rs-trafilatura", rs_trafilatura),
}


def load_samples(folder: Path, limit: int | None = None, unwrap: bool = False) -> list[Sample]:
    """The pages of a gold directory, by name; with `limit`, so many at even distances."""
    samples = []
    for line in (folder / "manifest.jsonl").read_text("utf-8").splitlines():
        if not line.strip():
            continue
        entry = json.loads(line)
        name = str(entry["id"])
        raw, gold = folder / "raw" / f"{name}.html", folder / "clean" / f"{name}.txt"
        if raw.is_file() and gold.is_file():
            url, language, kind = (str(entry.get(key) or "") for key in ("url", "lang", "page_type"))
            samples.append(Sample(name, raw, gold, url, language, kind, unwrap))
    samples.sort(key=lambda sample: sample.name)
    if limit is not None and limit < len(samples):
        samples = [samples[i * len(samples) // limit] for i in range(limit)]
    return samples


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raises TimeoutError in Python code that takes longer, where the platform has interval timers."""
    if not seconds or not hasattr(signal, "setitimer"):
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise TimeoutError(f"more than {seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def attempt(
    extract: Extractor, body: bytes, url: str = "", language: str = ""
) -> tuple[str | bytes | None, str]:
    """What a tool makes of a page, and why it makes nothing of it."""
    try:
        return extract(body, url, language), ""
    except (KeyboardInterrupt, SystemExit):
        raise
    # A panic in Rust is no Exception, and must not end the comparison either.
    except BaseException as error:
        return None, f"{type(error).__name__}: {error}"


def apply(extract: Extractor, sample: Sample, seconds: float) -> Outcome:
    """One page through one tool."""
    body = sample.body()
    try:
        with time_limit(seconds):
            text, failure = attempt(extract, body, sample.url, sample.language)
    except TimeoutError as error:  # rung just as the tool was done
        text, failure = None, str(error)
    if failure:
        return Outcome(failure=failure)
    if isinstance(text, bytes):
        return Outcome(text)
    lines = [_SPACE.sub(" ", line).strip() for line in (text or "").splitlines()]
    return Outcome("".join(f"<p>{line}\n" for line in lines if line).encode("utf-8", "replace"))


_extractor: list[Extractor] = []


def _start(tool: str) -> None:
    # Tools log what they could not parse; the figures show it.
    logging.disable(logging.CRITICAL)
    _extractor[:] = [TOOLS[tool].make()]


def _work(sample: Sample, seconds: float) -> Outcome:
    return apply(_extractor[0], sample, seconds)


def run(tool: str, samples: Sequence[Sample], jobs: int = 1, seconds: float = 60.0) -> list[Outcome]:
    """All pages through one tool, in this process or in a pool.

    Only a pool survives a tool that takes its process down: what had not come back then is tried again, each
    page in a process of its own.

    Raises:
        ImportError: the tool is not installed.
    """
    if jobs <= 1:
        logging.disable(logging.CRITICAL)
        try:
            extract = TOOLS[tool].make()
            return [apply(extract, sample, seconds) for sample in samples]
        finally:
            logging.disable(logging.NOTSET)
    TOOLS[tool].make()
    outcomes: dict[Sample, Outcome] = {}
    _pooled(tool, samples, jobs, seconds, outcomes)
    for sample in samples:
        if sample not in outcomes:
            _pooled(tool, [sample], 1, seconds, outcomes)
    return [outcomes.get(sample, Outcome(failure="the process died")) for sample in samples]


def _pooled(
    tool: str, samples: Sequence[Sample], jobs: int, seconds: float, outcomes: dict[Sample, Outcome]
) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(tool,)) as pool:
        futures = [pool.submit(_work, sample, seconds) for sample in samples]
        for sample, future in zip(samples, futures, strict=True):
            try:
                outcomes[sample] = future.result()
            except BrokenProcessPool:
                continue


def bag(sample: Sample, outcome: Outcome, unit: BagUnit) -> float:
    """Bag F1 of a page; 0 where the tool failed."""
    return 0.0 if outcome.failure else bag_overlap(outcome.text, sample.gold.read_bytes(), unit).f_score / 100


def show(
    folder: Path,
    samples: Sequence[Sample],
    tools: Sequence[str],
    unit: BagUnit | None = None,
    jobs: int = 1,
    seconds: float = 60.0,
) -> None:
    """Prints the tables of one directory, a row as soon as it is known."""
    if not samples:
        print(f"{folder.name}: no pages\n")
        return
    if unit is None:
        unit = "char" if {sample.language for sample in samples} == {"zh"} else "word"
    print(f"{folder.name}: {len(samples)} pages, bag of {unit}s")
    print(f"{'':<36}{'P':>7}{'R':>7}{'F':>7}{'bag F1':>8}{'empty':>7}{'failed':>7}", flush=True)
    by_type: dict[str, dict[str, list[float]]] = {}
    failures: dict[str, list[tuple[str, str]]] = {}
    for name in tools:
        title = TOOLS[name].title
        try:
            outcomes = run(name, samples, jobs, seconds)
        except ImportError:
            print(f"{title:<36}not installed", flush=True)
            continue
        texts = {sample.name: outcome.text for sample, outcome in zip(samples, outcomes, strict=True)}
        words = scores(texts, folder / "clean", unit, jobs).words.micro
        bags = [bag(sample, outcome, unit) for sample, outcome in zip(samples, outcomes, strict=True)]
        failed = [(s.name, o.failure) for s, o in zip(samples, outcomes, strict=True) if o.failure]
        empty = sum(not outcome.text and not outcome.failure for outcome in outcomes)
        print(
            f"{title:<36}{words.precision:7.2f}{words.recall:7.2f}{words.f_score:7.2f}{fmean(bags):8.3f}"
            f"{empty:7}{len(failed):7}",
            flush=True,
        )
        if failed:
            failures[title] = failed
        by_type[title] = defaultdict(list)
        for sample, value in zip(samples, bags, strict=True):
            by_type[title][sample.page_type].append(value)
    types = sorted({sample.page_type for sample in samples})
    if types != [""]:
        print(f"\nbag F1 by type of page\n{'':<36}" + "".join(f"{kind or 'unknown':>14}" for kind in types))
        print(f"{'pages':<36}" + "".join(f"{sum(s.page_type == k for s in samples):14}" for k in types))
        for title, values in by_type.items():
            print(f"{title:<36}" + "".join(f"{fmean(values[kind]):14.3f}" for kind in types))
    for title, failed in failures.items():
        page, why = failed[0]
        print(f"\n{title} failed on {len(failed)}, first on {page}: {' '.join(why.split())[:120]}")
    print(flush=True)


def main(
    gold: Annotated[list[Path], typer.Argument(help="gold directories")],
    tool: Annotated[list[str], typer.Option(help=f"of {', '.join(TOOLS)}; all by default")] = [],  # noqa: B006
    unit: Annotated[
        str | None, typer.Option(help="word or char; char by default where all is Chinese")
    ] = None,
    limit: Annotated[int | None, typer.Option(help="so many pages of each directory, evenly spread")] = None,
    unwrap: Annotated[
        bool, typer.Option(help="take off the <text> around each of CleanEval's pages")
    ] = False,
    jobs: Annotated[int, typer.Option(help="processes; with one, a tool that crashes ends the run")] = 1,
    seconds: Annotated[float, typer.Option(help="a page's time, after which it has failed")] = 60.0,
) -> None:
    """Prints the tables."""
    unknown = [name for name in tool if name not in TOOLS]
    if unknown:
        raise typer.BadParameter(f"no such tool: {', '.join(unknown)}", param_hint="--tool")
    if unit not in (None, "word", "char"):
        raise typer.BadParameter("word or char", param_hint="--unit")
    for folder in gold:
        samples = load_samples(folder, limit, unwrap)
        show(folder, samples, tool or list(TOOLS), cast("BagUnit | None", unit), jobs, seconds)


if __name__ == "__main__":
    typer.run(main)
