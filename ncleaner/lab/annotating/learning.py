"""Guesses of a model, learning in the background, and the order of the pages that follows from it.

`learn` runs in a separate process, so that the annotator does not wait. It trains a model of the finished
pages, draws its learning curve, and measures how sure the better model is of all other pages. It writes two
files to the directory of the person: the model, and `learned.json` with everything else.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import islice
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import numpy as np

from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.document.tables import ZONES
from ncleaner.errors import ModelError, NcleanerError, TrainingError
from ncleaner.lab.annotating.project import Project, gold_lines, kinds_of, open_project, write_bytes
from ncleaner.lab.training.curve import LearningCurve, fit, learning_curve, verdict
from ncleaner.lab.training.pairs import Pair
from ncleaner.lab.training.validation import mean_and_error, page_figures
from ncleaner.methods.language import page_language
from ncleaner.pools.pool import STOPPED_AFTER, is_stopped, start

_HEADLINE: Final = ZONES.index("headline")
_BY_RULE: Final = 0.9
# number of blocks that make the style of a segment: its own, and those around it
_LEVELS: Final = 3


@dataclass(frozen=True, slots=True)
class Guess:
    """The labels of a page by a model.

    Attributes:
        letters: one label for each segment.
        certainty: the probability that keeping or dropping the segment is right, 0 to 1, for each.
        doubt: expected share of the page's characters that are judged wrong, 0 to 1.
        language: of the page; empty if unknown.
        kind: of the page; empty if unknown.
        model: name of the model.
    """

    letters: str
    certainty: list[float]
    doubt: float
    language: str
    kind: str
    model: str


def guesser(model: str | Path) -> Cleaner:
    """Returns what guesses the labels of pages, with `auto`, the name of a model, or a model file."""
    return Cleaner(model=model, notices=True)


def guess_of(document: Document, cleaner: Cleaner) -> Guess:
    """Guesses the labels of a page."""
    kept = cleaner.keep(document)
    scores = np.zeros(len(document)) if kept.scores is None else np.asarray(kept.scores, np.float64)
    clean = 1 / (1 + np.exp2(-np.clip(np.nan_to_num(scores), -60, 60)))
    certainty = np.where(kept.mask, clean, 1 - clean)
    # the headline is kept by rule, not by its score
    ruled = kept.mask & (document.segments["zone"] == _HEADLINE)
    certainty[ruled] = np.maximum(certainty[ruled], _BY_RULE)
    kinds = np.frombuffer(kinds_of(document).encode(), np.uint8).copy()
    kinds[~kept.mask] = ord("o")
    chars = document.segments["chars"].astype(np.float64)
    total = float(chars.sum())
    return Guess(
        kinds.tobytes().decode("ascii"), [round(value, 3) for value in certainty.tolist()],
        round(float((chars * (1 - certainty)).sum()) / total, 6) if total else 0.0, kept.remarks.language,
        kept.kind, kept.remarks.model,
    )  # fmt: skip


def styles_of(document: Document) -> list[int]:
    """Returns a number for each segment: the same for segments of the same kind whose block, and the two
    blocks around it, have the same tags and classes."""
    elements = document.elements
    parents, hashes = elements["parent"].tolist(), elements["style"].tolist()
    numbers: dict[tuple[int, ...], int] = {}
    found = []
    for element, kind in document.segments[["element", "kind"]].tolist():
        key = [kind]
        for _ in range(_LEVELS):
            if element < 0:
                break
            key.append(hashes[element])
            element = parents[element]
        found.append(numbers.setdefault(tuple(key), len(numbers)))
    return found


MODEL: Final = "model.ncm"
_LEARNED: Final = "learned.json"
# number of pages that are judged ahead of the annotator
_MOST: Final = 2000
# least number of finished pages of which a model is trained
_LEAST: Final = 4
# a learned alphabet is for pages of one language
_MAIN: Final = 0.8
# The first pages are typical ones: a model of a few pages learns little from odd ones (docs/training.md).
_TYPICAL: Final = 8
# Then a page counts as doubtful at most as this multiple of the mean.
_MOST_DOUBT: Final = 3.0


# What is known of a page: site, kind, language, doubt and words; the site alone if it has not been read.
Entry = Mapping[str, Any]


def in_order(pages: Mapping[str, Entry], done: Iterable[Entry]) -> list[str]:
    """Returns the ids of unfinished pages, the one that teaches most first.

    The first few pages are typical ones, as sure or unsure as most. After them a page teaches more the less
    sure the model is of it. It teaches less the more pages of its site and of its kind are finished: two
    pages of one site have the same menus.

    Args:
        pages: {id: what is known of it} of the unfinished pages.
        done: what is known of the finished pages.
    """
    finished = list(done)
    sites = Counter(page["site"] for page in finished if page.get("site"))
    kinds = Counter(page["kind"] for page in finished if page.get("kind"))
    # a page that has not been read is taken to be like the others
    known = sorted(page["doubt"] for page in pages.values() if page.get("words"))
    usual = known[len(known) // 2] if known else 1.0
    mean = sum(known) / len(known) if known else 1.0

    def value(page: Entry) -> float:
        doubt = page.get("doubt", usual)
        if "doubt" in page and not page.get("words"):
            return 0.0
        if len(finished) < _TYPICAL:
            worth = min(doubt, usual) / max(doubt, usual, 1e-9)
        else:
            worth = min(doubt, _MOST_DOUBT * mean)
        seen = sites[page.get("site", "")]
        alike = kinds[page.get("kind", "")] / len(finished) if finished else 0.0
        return float(worth / ((1 + seen) ** 2 * (1 + alike)))

    return [name for _, name in sorted((-value(page), name) for name, page in pages.items())]


@dataclass(slots=True)
class Learned:
    """Results of learning in the background.

    Attributes:
        pages: {id: site, kind, language, doubt, words, error} of the pages that have been read.
        trained: number of finished pages that it has learned from.
        own: the model trained on them guesses better than the one at the start, and is used.
        curve: points {pages, f, error}, from few pages to all.
        start: F and error of the model at the start on the same pages; empty if unknown.
        enough: more pages would hardly help.
        advice: a sentence on that.
    """

    pages: dict[str, dict[str, Any]] = field(default_factory=dict)
    trained: int = 0
    own: bool = False
    curve: list[dict[str, float]] = field(default_factory=list)
    start: dict[str, float] = field(default_factory=dict)
    enough: bool = False
    advice: str = ""


def read_learned(folder: Path) -> Learned:
    """Reads what was learned before; nothing if there is no file, or it is of another version."""
    try:
        return Learned(**json.loads((folder / _LEARNED).read_bytes()))
    except (OSError, ValueError, TypeError):
        return Learned()


def finished_pairs(project: Project, name: str) -> list[Pair]:
    """Returns the pages that a person has finished, and those whose clean text comes from elsewhere.

    Pages that other people have finished here are not among them: each person judges independently.
    """
    found = []
    for page in project.pages:
        with suppress(NcleanerError):
            labels = project.all_labels(page)
            own = labels.get(name)
            letters = None
            if own is not None and own.done:
                document = project.document(page)
                letters = own.labels if len(own.labels) == len(document) else None
            elif project.has_gold(page) and not any(other.finished for other in labels.values()):
                document = project.document(page)
                letters = project.given(page, document)
            if letters is not None:
                found.append(Pair(page, document, gold_lines(document, letters), project.site(page)))
    return found


def learn(folder: str, encoding: str | None, name: str, model: str) -> None:
    """Learns from the pages that a person has finished.

    Args:
        folder: of the project.
        encoding: of its pages.
        name: the person.
        model: the model at the start.
    """
    project = open_project(Path(folder), encoding)
    own = project.own(name)
    start = guesser(model)
    found = Learned()
    pairs = [pair for pair in finished_pairs(project, name) if len(pair.document.elements)]
    found.trained = len(pairs)
    found.advice = verdict(LearningCurve([], np.zeros(0), 0.0, 0.0), len(pairs))[1]
    if len(pairs) >= _LEAST:
        _train(pairs, start, own, found)
    better = start
    if found.own:
        with suppress(ModelError):
            better = guesser(own / MODEL)
    _look_at_pages(project, {pair.name for pair in pairs}, better, found)
    write_bytes(own / _LEARNED, json.dumps(asdict(found), ensure_ascii=False).encode())


def _learn_behind_the_page(told: Connection, *arguments: Any) -> None:
    """The process: learns when nothing else has work for the processor; tells why it cannot."""
    with suppress(OSError, AttributeError):
        os.nice(10)
    try:
        learn(*arguments)
    except NcleanerError as error:
        told.send(str(error))


def _train(pairs: list[Pair], start: Cleaner, own: Path, found: Learned) -> None:
    languages = Counter(page_language(pair.document) for pair in pairs)
    (_, most) = languages.most_common(1)[0]
    alphabet = "learned" if most >= _MAIN * len(pairs) else "nonlexical"
    curve = learning_curve(pairs, alphabet)
    before = np.array([page_figures(pair, start.keep(pair.document).mask)[2] for pair in pairs])
    found.curve = [asdict(point) for point in curve.points]
    mean, error = mean_and_error(before, [pair.site for pair in pairs])
    found.start = {"f": round(mean, 4), "error": round(error or 0.0, 4)}
    found.enough, found.advice = verdict(curve, len(pairs))
    known = ~np.isnan(curve.scores)
    with suppress(TrainingError):
        trained = fit(pairs, alphabet)
        found.own = bool(known.any() and curve.scores[known].mean() > before[known].mean())
        own.mkdir(parents=True, exist_ok=True)
        trained.save(own / MODEL)


def _look_at_pages(project: Project, done: set[str], cleaner: Cleaner, found: Learned) -> None:
    entries: dict[str, Entry] = {page: {"site": project.urls.get(page, "")} for page in project.pages}
    spread = in_order(
        {page: entry for page, entry in entries.items() if page not in done}, (entries[page] for page in done)
    )
    for page in islice((*sorted(done), *spread), _MOST):
        try:
            document = project.document(page)
            guess = guess_of(document, cleaner)
            found.pages[page] = {
                "site": project.site(page),
                "kind": guess.kind,
                "language": guess.language,
                "doubt": guess.doubt,
                "words": int(document.segments["words"].sum()),
                "segments": len(document),
            }
        except NcleanerError as error:
            found.pages[page] = {"error": str(error), "doubt": 0.0}


class Learning:
    """Learns in a separate process, one at a time.

    Args:
        project: the project.
        name: the person.
        model: the model at the start.
    """

    def __init__(self, project: Project, name: str, model: str) -> None:
        self._arguments = (str(project.folder), project.encoding, name, model)
        self._folder = project.own(name)
        self._process: Any = None
        self._told: Any = None
        # when it was seen last and was not stopped
        self._ran = 0.0
        self._again = False
        self.learned = read_learned(self._folder)
        self.failed = ""

    @property
    def model(self) -> str | Path:
        """The model that guesses now."""
        path = self._folder / MODEL
        return path if self.learned.own and path.is_file() else self._arguments[3]

    @property
    def busy(self) -> bool:
        """Whether it is learning now."""
        return self._process is not None

    def begin(self) -> None:
        """Begins to learn, or to learn again after what is going on."""
        if self._process is not None:
            self._again = True
            return
        self._told, told = Pipe(duplex=False)
        self._process = start(_learn_behind_the_page, told, *self._arguments)
        # the end of the process is the end of what it tells
        told.close()
        self._ran = time.monotonic()

    def poll(self) -> bool:
        """Returns whether something new has been learned since the last call."""
        process = self._process
        if process is None:
            return False
        if process.is_alive():
            if not is_stopped(process):
                self._ran = time.monotonic()
            elif time.monotonic() - self._ran > STOPPED_AFTER:
                # by another process; it would wait for ever, and nothing would be learned again
                process.kill()
            return False
        process.join()
        self._process = None
        self.failed = "" if process.exitcode == 0 else f"learning has ended with status {process.exitcode}"
        with self._told, suppress(EOFError):
            self.failed = f"learning has ended: {self._told.recv()}"
        if not self.failed:
            self.learned = read_learned(self._folder)
        if self._again:
            self._again = False
            self.begin()
        return not self.failed

    def end(self) -> None:
        """Ends the process."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            self._told.close()
