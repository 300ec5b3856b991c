"""What `evaluate` measures: pages that it cleans first, their sites, views of the worst of them, and
precision against recall at all thresholds."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.document.kept import Kept
from ncleaner.errors import EvaluationError, ModelError, NcleanerError
from ncleaner.explaining.against import with_gold
from ncleaner.explaining.explain import explain
from ncleaner.methods.baselines import Heuristics
from ncleaner.methods.table import AUTO, METHODS, SHIPPED
from ncleaner.modelling.container import header_of
from ncleaner.modelling.decision import PRESETS, Preset
from ncleaner.modelling.files import is_path, model_bytes, own_models
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.page import Damage, Page
from ncleaner.people.streams import tell_error
from ncleaner.reading.archive import read
from ncleaner.recipe import Recipe
from ncleaner.running.tally import note_of
from ncleaner.sinks.choice import Output
from ncleaner.text.hosts import registered_domain
from ncleaner.text.visible import counted
from ncleaner.training.alignment import address, align, is_marked
from ncleaner.training.calibration import Scored, curves
from ncleaner.training.examples import score_page
from ncleaner.training.pairs import Pair, find_manifest, read_bytes, read_text

if TYPE_CHECKING:
    from ncleaner.explaining.explain import Explanation


#: Where the header of a model has the digests of its training pages.
SEEN = "seen"

Progress = Callable[[int, int], None]
# files beside pages that are none
_NOT_PAGES = {".json", ".jsonl"}
# points of a curve, at equal steps of the share of words that are kept; for a method that cleans all pages at
# each of them
_STEPS, _FEWER_STEPS = 40, 25


def _digest(pair: Pair) -> str:
    return hashlib.blake2b(pair.document.data, digest_size=4).hexdigest()


def digests_of(pairs: Iterable[Pair]) -> str:
    """Returns what identifies the pages a model is trained on, with spaces between them."""
    return " ".join(sorted({*map(_digest, pairs)}))


def trained_on(recipe: Recipe, pairs: Sequence[Pair]) -> str:
    """Returns a warning if a model has been trained on the pages that it is measured on; else an empty text.

    Raises ModelError as `load_model` does.
    """
    if not isinstance(recipe.model, str) or not METHODS[recipe.method].kinds:
        return ""
    digests = [*map(_digest, pairs)]
    for name in own_models() if recipe.model == AUTO else [recipe.model]:
        if name == SHIPPED or (is_path(name) and Path(name).is_dir()):
            continue
        seen = {*str(header_of(model_bytes(name), name).get(SEEN, "")).split()}
        if number := sum(digest in seen for digest in digests):
            return (
                f"the model {name} was trained on {number:,} of these {counted(len(digests), 'page')}: the "
                "figures say how well it knows them, not how it cleans others. Measure it on other pages, or "
                "by the cross-validation that `ncleaner train` prints"
            )
    return ""


@contextmanager
def cleaned(pages: Path, gold: Path, cleaner: Cleaner, progress: Progress) -> Iterator[tuple[Path, Path]]:
    """Cleans pages and gives a directory of their text, in CleanEval's format, for as long as it is needed;
    and the gold texts to compare with it.

    A page that is given up, or cannot be read, has no text, and a message says so.

    Args:
        pages: a directory of pages, or one page.
        gold: a directory of gold texts, or one of them.
        cleaner: what cleans them.
        progress: called with the number of pages done and of all pages.

    Raises:
        EvaluationError: there is no such page or directory, or none of the pages has a gold text.
    """
    files = _pages(pages, gold)
    # marks count as words: beside a gold text without marks, they would be wrong ones
    marked, plain = Output(format="cleaneval").sink(), Output(format="text").sink()
    with TemporaryDirectory(prefix="ncleaner-") as made:
        folder = Path(made)
        for done, (name, (path, text_of)) in enumerate(sorted(files.items()), 1):
            sink = marked if _has_marks(text_of) else plain
            target = folder / f"{name}.txt"
            target.parent.mkdir(parents=True, exist_ok=True)
            text = b""
            try:
                for item in read(str(path)):
                    if isinstance(item, Page):
                        text = sink.render(item, *cleaner.page(item), True)
                        break
                    if isinstance(item, Damage) or item.lost:
                        tell_error(str(note_of(item)))
            except NcleanerError as error:
                tell_error(f"{path}: {error}")
            target.write_bytes(text)
            progress(done, len(files))
        yield (folder / f"{next(iter(files))}.txt" if pages.is_file() else folder), gold


def _has_marks(gold: Path) -> bool:
    return is_marked(read_bytes(gold).decode("utf-8", "replace")) if gold.is_file() else True


def _pages(pages: Path, gold: Path) -> dict[str, tuple[Path, Path]]:
    """Returns {relative name without suffix: (path, that of the gold text)} of the pages with a gold text."""
    if not pages.exists():
        raise EvaluationError(f"there is no directory {pages}")
    if pages.is_file():
        return {pages.stem: (pages, gold)}
    there = sorted(gold.rglob("*")) if gold.is_dir() else []
    texts = {path.relative_to(gold).with_suffix(""): path for path in there}
    found: dict[str, tuple[Path, Path]] = {}
    for path in sorted(pages.rglob("*")):
        inner = path.relative_to(pages)
        hidden = any(part.startswith(".") for part in inner.parts)
        if hidden or path.suffix in _NOT_PAGES or not path.is_file():
            continue
        if (text := texts.get(inner.with_suffix(""))) is not None:
            found.setdefault(inner.with_suffix("").as_posix(), (path, text))
    if not found:
        raise EvaluationError(
            f"no page in {pages} has a gold text in {gold}: they match by name without the suffix, page.html "
            "with page.txt"
        )
    return found


def sites_beside(gold: Path) -> dict[str, str]:
    """Returns {name without suffix: registered domain} of gold texts whose pages are not known: from a
    manifest beside them, or from their first line `URL: …`; empty for a single file."""
    if not gold.is_dir():
        return {}
    told = find_manifest(gold)
    sites = {}
    for path in sorted(gold.rglob("*")):
        if not path.is_file() or path.suffix in _NOT_PAGES:
            continue
        name = path.relative_to(gold).with_suffix("").as_posix()
        url = told.get(path.stem, {}).get("url", "")
        try:
            url = url or address(read_text(path))
        except NcleanerError:
            # the comparison is of bytes, and needs no UTF-8
            url = ""
        sites[name] = registered_domain(url) if url else ""
    return sites


def view_of(pair: Pair, predicted: str, cleaner: Cleaner | None) -> Explanation:
    """Returns what is known of a page and its cleaned text, against its gold text.

    Args:
        pair: the page.
        predicted: its cleaned text.
        cleaner: what has cleaned it; None if it is not known: then a segment is taken for kept if the cleaned
            text has at least half of its words.
    """
    if cleaner is not None:
        explanation = explain(pair.document, cleaner)
    else:
        mask = np.asarray(align(pair.document, predicted).clean, bool)
        explanation = explain(pair.document, kept=Kept(mask))
    return with_gold(explanation, pair.gold, pair.name)


@dataclass(frozen=True, slots=True)
class Point:
    """Precision and recall at one threshold.

    Attributes:
        threshold: of the method's scores, in bits for `ngram`, `hybrid` and `victor`; None for a preset that
            decides for each page as a whole.
        precision, recall, f_score: of words over all pages as one, 0 to 1.
        kept: share of the pages' words that are kept, 0 to 1.
        preset: the name of the model's preset that this is, or empty.
    """

    threshold: float | None
    precision: float
    recall: float
    f_score: float
    kept: float
    preset: str = ""


@dataclass(frozen=True, slots=True)
class Curve:
    """Points by rising threshold, then presets without one, of `pages` pages under a model called `model`, or
    several of them, with a method."""

    model: str
    pages: int
    points: tuple[Point, ...]
    method: str = "ngram"

    def to_dict(self) -> dict[str, Any]:
        """Returns everything for JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Words:
    """Numbers of words of all pages, and of their gold texts."""

    pages: float
    gold: float

    def point(self, threshold: float | None, kept: float, hits: float, preset: str = "") -> Point:
        return Point(
            threshold=threshold,
            precision=float(hits / max(kept, 1)),
            recall=float(hits / max(self.gold, 1)),
            f_score=float(2 * hits / max(kept + self.gold, 1)),
            kept=float(kept / self.pages),
            preset=preset,
        )


def _spread(values: np.ndarray, words: np.ndarray, steps: int) -> np.ndarray:
    """Returns scores at equal steps of the share of words that are kept.

    Raises:
        EvaluationError: there are no words.
    """
    if not words.sum():
        raise EvaluationError("the pages hold no words, so there is no curve")
    order = np.argsort(values, kind="stable")
    shares = np.cumsum(words[order]) / words.sum()
    found: np.ndarray = values[order][np.searchsorted(shares, np.linspace(0, 1, steps + 1)[:-1])]
    return found


def precision_recall(pairs: Sequence[Pair], model_of: Callable[[Document], NGramModel]) -> Curve:
    """Computes precision and recall of words at thresholds over the whole range and at the model's presets.

    Each page has the model that `model_of` gives. If they are several, the curve has no presets, because each
    model has its own.

    A word counts as right when it stands in the gold text in order (by the longest common subsequence of page
    and gold text). Segments that the heuristics remove are removed at every threshold.

    Raises:
        EvaluationError: no pages, or none of them has any words.
    """
    pages: list[Scored] = []
    statistics = []
    models: dict[str, NGramModel] = {}
    for pair in pairs:
        model = model_of(pair.document)
        models[model.name] = model
        scored = score_page(pair, model)
        values = model.decision.statistics(scored.sums, scored.counts)
        values[Heuristics().remove(pair.document)] = -np.inf
        pages.append(scored)
        statistics.append(values)
    words = np.concatenate([page.words for page in pages]) if pages else np.zeros(0)
    spread = _spread(np.concatenate(statistics) if pages else words, words, _STEPS)
    names = {}
    if len(models) == 1:
        decision = next(iter(models.values())).decision
        names = {decision.threshold: "balanced"}
        names |= {value: name for name, value in decision.presets.items() if name in PRESETS}
    thresholds = np.unique(np.concatenate((np.round(spread[np.isfinite(spread)], 2), list(names))))
    kept, hits, gold = curves(pages, statistics, thresholds)
    counts = _Words(words.sum(), gold.sum())
    points = (
        counts.point(threshold, kept[:, column].sum(), hits[:, column].sum(), names.get(threshold, ""))
        for column, threshold in enumerate(thresholds.tolist())
    )
    return Curve(", ".join(sorted(models)), len(pages), tuple(points))


def precision_recall_of(
    pairs: Sequence[Pair],
    cleaner_of: Callable[[float | Preset | None], Cleaner],
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Curve:
    """Computes precision and recall of words of any method with scores and a threshold.

    All pages are cleaned at each threshold, with everything that the method and the wishes of the user do
    besides. A word counts as right as in `precision_recall`.

    Args:
        pairs: the pages.
        cleaner_of: gives the cleaner for a threshold, a preset, or (None) the threshold of the model.
        progress: called with the number of thresholds done and of all thresholds.

    Raises:
        EvaluationError: there are no pages or none has words; or the method has no scores, or no threshold.
    """
    own = cleaner_of(None)
    name = own.method.name
    kept = [own.keep(pair.document) for pair in pairs]
    scores = [each.scores for each in kept if each.scores is not None]
    if len(scores) < len(kept):
        raise EvaluationError(f"the method {name} has no scores, so there is no curve")
    words = [np.asarray(pair.alignment.words, np.float64) for pair in pairs]
    hits = [pair.alignment.shares * pair.alignment.words for pair in pairs]
    all_words = np.concatenate(words) if pairs else np.zeros(0)
    spread = _spread(np.concatenate(scores) if pairs else all_words, all_words, _FEWER_STEPS)
    counts = _Words(float(all_words.sum()), float(sum(pair.alignment.gold_words for pair in pairs)))

    def point(threshold: float | Preset | None, preset: str = "") -> Point:
        decided = kept
        if threshold is not None:
            cleaner = cleaner_of(threshold)
            decided = [cleaner.keep(pair.document) for pair in pairs]
        masks = [each.mask for each in decided]
        all_kept = float(sum(each[mask].sum() for each, mask in zip(words, masks, strict=True)))
        hit = float(sum(each[mask].sum() for each, mask in zip(hits, masks, strict=True)))
        return counts.point(threshold if isinstance(threshold, float) else None, all_kept, hit, preset)

    thresholds: list[float] = np.unique(np.round(spread, 2)).tolist()
    total = len(thresholds) + len(PRESETS)
    points = []
    for done, threshold in enumerate(thresholds, 1):
        points.append(point(threshold))
        progress(done, total)
    if len(thresholds) > 1 and points[0].kept == points[-1].kept:
        raise EvaluationError(f"the method {name} has scores, but no threshold, so there is no curve")
    points.append(point(None, "balanced"))
    for preset in ("precision", "recall"):
        # models of some methods have no presets
        with suppress(ModelError):
            points.append(point(preset, preset))
    progress(total, total)
    models = sorted({each.remarks.model for each in kept} - {""})
    return Curve(", ".join(models) or name, len(pairs), tuple(points), name)
