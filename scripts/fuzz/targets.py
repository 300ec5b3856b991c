"""What is done with each case: one target for each way that bytes from outside come into the package.

A case is one byte of options and the bytes themselves, so that a file is all it takes to see a finding again.
A check returns where the package does what it says, errors for users (`NcleanerError`) included; anything
else that it raises is a finding, and so are a crash, a report of a sanitizer, and a case that takes too long.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, get_args

import numpy as np

from fuzz.files import ANNOTATION_TOKENS, ARCHIVE_TOKENS, TEXT_TOKENS, archive, text_dump
from fuzz.invariants import BrokenRuleError, check_document, check_kept, same
from fuzz.models import loose, model_file, of_loose, small_models
from fuzz.mutate import MARKUP, UTF8, mutated
from fuzz.pages import CONTENT_TYPES, page
from fuzz.raw import PIECES, check_raw, raw_page
from fuzz.source import Source
from ncleaner.classics.victor import Victor, VictorModel
from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.dumping import _walk
from ncleaner.dumping._builder import Builder
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.errors import NcleanerError
from ncleaner.lab.training.annotations import read_annotations, write_annotations
from ncleaner.lab.training.labels import gold_of, labels_from_kept
from ncleaner.limits import Limits
from ncleaner.markup import MarkupOptions
from ncleaner.markup.render import html_of, markdown_of
from ncleaner.methods.base import Method
from ncleaner.methods.choice import load_method, read_ngrams
from ncleaner.methods.hybrid import Hybrid
from ncleaner.methods.language import page_language
from ncleaner.methods.ngram import NGram
from ncleaner.methods.registry import METHODS
from ncleaner.modelling.container import header_of
from ncleaner.modelling.hybrid import HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.notices import Notices
from ncleaner.modelling.structure import Structure, shipped_structure
from ncleaner.page import Damage, Page, Skip
from ncleaner.parsing._lexbor import parsed_within_bounds
from ncleaner.parsing.coarse import bounded, flattened
from ncleaner.reading.archive import InputFormat, read
from ncleaner.text._letters import may_compose, valid_length
from ncleaner.text.charset import decode

__all__ = ["TARGETS", "Target"]

SMALL: Final = Limits(bytes=200_000, nesting=16, tags=1000)
# above this a page is not walked a second time through Python, which takes as long as all else together
_WALKED: Final = 20_000


@dataclass(frozen=True, slots=True)
class Target:
    """One way into the package.

    Attributes:
        name: on the command line.
        case: the case of a seed.
        check: returns, or raises where something is wrong.
        tokens: what a coverage-guided fuzzer may put in.
    """

    name: str
    case: Callable[[int], bytes]
    check: Callable[[bytes], None]
    tokens: tuple[bytes, ...]


@cache
def _methods() -> dict[str, Method]:
    """Every method, with shipped models of different alphabets where it takes one of n-grams."""
    models = {"hybrid": "en"}
    return {
        name: load_method(name, models.get(name, "zh") if entry.by_language else entry.default)
        for name, entry in METHODS.items()
    }


def _judge(document: Document) -> list[bytes]:
    """What all methods say of a document, after a look at whether they may say so."""
    found = []
    for method in _methods().values():
        kept = method.keep(document)
        check_kept(document, kept)
        found += [kept.mask.tobytes(), b"" if kept.scores is None else kept.scores.tobytes()]
    found.append(page_language(document).encode())
    return found


def _check_dumped(dump: Callable[[], Document]) -> Document | None:
    """Dumps twice, and holds the two and what is said of them together."""
    try:
        document = dump()
    except NcleanerError:
        return None
    check_document(document)
    again = dump()
    if not same(document, again) or _judge(document) != _judge(again):
        raise BrokenRuleError("the same bytes give the same document and the same masks")
    return document


def _check_bounded(utf8: bytes) -> None:
    """Checks what a page over its bounds goes through, for any page."""
    tree = parsed_within_bounds(utf8, SMALL.nesting, SMALL.tags, bounding=True)
    builder = Builder(len(utf8))
    _walk.walk(tree.parser, builder)
    document = Document(builder.tables(b""), encoding="utf-8")
    check_document(document)
    if document.elements["depth"].max(initial=0) > SMALL.nesting + 2:
        raise BrokenRuleError("a bounded page is nested no deeper than the limit")
    for out, _ in (bounded(utf8, SMALL.tags), flattened(utf8, SMALL.tags)):
        if valid_length(out) != len(out):
            raise BrokenRuleError("a page that is written anew is UTF-8")


def _check_page(data: bytes) -> None:
    options, body = data[0] if data else 0, data[1:]
    limits = SMALL if options & 64 else Limits()

    def dump() -> Document:
        return dump_html(
            body,
            content_type=CONTENT_TYPES[options % 16 % len(CONTENT_TYPES)],
            encoding="gbk" if options & 192 == 192 else None,
            limits=limits,
            alt_text=bool(options & 16),
        )

    document = _check_dumped(dump)
    if document is not None and options & 8:
        _check_bounded(decode(body)[0])
    if document is not None and options & 32:
        marked = dump_html(body, limits=limits, marks=True)
        for name in ("everything", "heuristics-only"):
            _render(marked, name)


def _render(document: Document, method: str) -> None:
    """Writes what a method keeps of a document with marks as Markdown and HTML."""
    kept = _methods()[method].keep(document)
    markdown_of(document, kept, MarkupOptions(links=True, images=True)).decode()
    html_of(document, kept, MarkupOptions(links=True, images=True, spans="repeat")).decode()


def _check_text(data: bytes) -> None:
    options, body = data[0] if data else 0, data[1:]
    content_type = (
        "",
        "text/plain; charset=utf-8",
        "text/plain; charset=utf-16le",
        "text/plain; charset=koi8-r",
    )
    _check_dumped(
        lambda: dump_text(
            body, content_type=content_type[options % 4], limits=SMALL if options & 64 else Limits()
        )
    )


class _Pipe:
    """A stream that can only be read, a little at a time."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def read(self, size: int = -1) -> bytes:
        return self._data.read(min(size, 61) if size >= 0 else 61)


_FILES: Final = ("x.warc", "x.warc.gz", "x.arc", "x.warc.zst", "x.html", "x.txt", "x", "x.txt.gz")


def _check_archive(data: bytes) -> None:
    options, body = data[0] if data else 0, data[1:]
    formats: tuple[InputFormat, ...] = get_args(InputFormat)
    input_format = formats[options >> 4 & 3] if options & 8 else "auto"
    marker = r"^=+ ?(.*)$" if options & 192 == 192 else None

    def items(stream: Any) -> list[Page | Skip | Damage]:
        return list(
            read(stream, input_format=input_format, limits=SMALL, name=_FILES[options & 7], marker=marker)
        )

    found = items(io.BytesIO(body))
    if len(found) > len(body) + 2:
        raise BrokenRuleError("there are no more items than bytes")
    for item in found:
        if (
            item.offset > len(body)
            and input_format != "text"
            and _FILES[options & 7] in ("x.warc", "x.warc.gz")
        ):
            raise BrokenRuleError("items stand in the input")
        if (isinstance(item, Damage) and not item.what) or (isinstance(item, Skip) and not item.reason):
            raise BrokenRuleError("what is said of a record says something")
        if isinstance(item, Page) and len(item.body) > SMALL.bytes:
            raise BrokenRuleError("pages are within the limit")
        # between two marker lines there may be nothing, and in a file of no bytes
        if isinstance(item, Page) and not item.body and item.kind != "text" and body:
            raise BrokenRuleError("pages are not empty")
    if len(body) < _WALKED and items(_Pipe(body)) != found:
        raise BrokenRuleError("a pipe gives what a file does")
    cleaner = _plain_cleaner()
    for item in [item for item in found if isinstance(item, Page)][:3]:
        document, kept = cleaner.page(item)
        check_document(document)
        check_kept(document, kept)


@cache
def _plain_cleaner() -> Cleaner:
    return Cleaner("heuristics-only", limits=SMALL)


@cache
def _documents() -> tuple[Document, ...]:
    """A few documents to score: HTML with all that features look at, text, and nothing at all."""
    pages = [dump_html(page(Source(seed))[:20_000]) for seed in range(12)]
    return dump_html(b""), dump_text("A line.\n\nAnother one, longer than the first.\n"), *pages


def _hybrid_of(structure: Structure) -> Hybrid:
    return Hybrid(HybridModel(read_ngrams("nonlexical"), structure))


def _notices_of(notices: Notices) -> Hybrid:
    return Hybrid(HybridModel(read_ngrams("nonlexical"), shipped_structure()), notices)


def _check_model(data: bytes) -> None:
    options, body = data[0] if data else 0, data[1:]
    if options & 1:
        body = of_loose(body)
    loaders: dict[str, tuple[Any, Callable[[Any], Method]]] = {
        "ngram": (NGramModel, NGram),
        "hybrid": (HybridModel, Hybrid),
        "structure": (Structure, _hybrid_of),
        "notices": (Notices, _notices_of),
        "victor": (VictorModel, Victor),
    }
    try:
        kind = header_of(body)["kind"]
    except NcleanerError:
        kind = "ngram"
    for name, (cls, method) in loaders.items():
        if name != kind and len(body) > 50_000:
            continue  # it was made up once more to be refused for its kind
        try:
            model = cls.from_bytes(body)
        except NcleanerError:
            continue
        keep = method(model)
        again = method(cls.from_bytes(model.to_bytes()))
        for document in _documents():
            kept, other = keep.keep(document), again.keep(document)
            check_kept(document, kept)
            if not np.array_equal(kept.mask, other.mask):
                raise BrokenRuleError("a model that is written and read again says the same")


def _check_annotations(data: bytes) -> None:
    options, body = data[0] if data else 0, data[1:]
    document = _documents()[options % len(_documents())]
    try:
        labels = read_annotations(body, "x.anno", document)
    except NcleanerError:
        return
    if labels.shape != (len(document.runs),) or np.any(labels > 4):
        raise BrokenRuleError("there is a label for each run")
    gold = gold_of(document, labels)
    if gold.kept.shape != (len(document),) or not np.isin(gold.kinds, list(b"phl")).all():
        raise BrokenRuleError("labels say of each segment whether it is kept, and its kind")


@cache
def _scorers() -> tuple[NGramModel, ...]:
    """A table, a hash table for each order, and an alphabet of its own."""
    small = [NGramModel.from_bytes(data) for data in small_models()[:4]]
    return read_ngrams("en"), read_ngrams("nonlexical"), read_ngrams("zh"), *small


def _check_ngram(data: bytes) -> None:
    """The n-gram core on bytes as they come, UTF-8 or not, and segments that may lie anywhere."""
    options, body = data[0] if data else 0, data[5:]
    places = np.frombuffer(data[1:5].ljust(4, b"\0"), np.uint8).astype(np.uint32)
    size = len(body)
    starts, ends = np.array([0, *places[:2]], np.uint32), np.array([size, *places[2:]], np.uint32)
    inside = bool(np.all(starts <= ends) and np.all(ends <= size))
    length = valid_length(body)
    if (
        length != len(body.decode("utf-8", "replace").split("\ufffd")[0].encode())
        and b"\xef\xbf\xbd" not in body
    ):
        raise BrokenRuleError("valid UTF-8 is found as far as Python finds it")
    may_compose(body)
    model = _scorers()[options % len(_scorers())]
    kinds: tuple[Literal["score", "encode"], ...] = ("score", "encode")
    for kind in kinds:
        try:
            if kind == "score":
                sums, counts = model.ratio.score(model.alphabet.encoder, body, starts, ends)
                if not np.isfinite(sums).all() or np.any(counts > ends - starts + 1):
                    raise BrokenRuleError("sums are finite, and there are no more characters than bytes")
            else:
                symbols, where = model.alphabet.encoder.encode(body, starts, ends, model.order)
                if len(where) != 3 or symbols.max(initial=0) >= model.alphabet.size:
                    raise BrokenRuleError("symbols are of the alphabet")
        except ValueError:
            if inside:
                raise
    for end in (size, length):
        model.ratio.values(model.alphabet.encoder, body[:end])


# --------------------------------------------------------------------------------------------------


def _with_options(make: Callable[[Source], bytes]) -> Callable[[int], bytes]:
    def case(seed: int) -> bytes:
        source = Source(seed)
        return bytes([source.randrange(256)]) + make(source)

    return case


def _model_with_options(seed: int) -> bytes:
    """Files as they are, and one in eight in the form that can be changed anywhere."""
    source = Source(seed)
    if source.odds(0.125):
        return b"\1" + loose(source.choice(small_models()))
    return b"\0" + model_file(source)


def _annotations_case(seed: int) -> bytes:
    source = Source(seed)
    number = source.randrange(len(_documents()))
    document = _documents()[number]
    mask = np.array([source.odds(0.5) for _ in range(len(document))], bool)
    whole = write_annotations(document, labels_from_kept(document, mask), source.word())
    return bytes([number]) + (
        mutated(source, whole, ANNOTATION_TOKENS, most=4) if source.odds(0.9) else whole
    )


def _ngram_case(source: Source) -> bytes:
    text = source.text(60).encode("utf-8", "surrogatepass")
    places = bytes(source.randrange(min(256, len(text) + 2)) for _ in range(4))
    return places + (mutated(source, text, UTF8) if source.odds(0.7) else text)


TARGETS: Final = {
    target.name: target
    for target in (
        Target("page", _with_options(page), _check_page, MARKUP),
        Target(
            "raw", lambda seed: raw_page(Source(seed)), check_raw, tuple(piece.encode() for piece in PIECES)
        ),
        Target("text", _with_options(text_dump), _check_text, TEXT_TOKENS),
        Target("archive", _with_options(archive), _check_archive, ARCHIVE_TOKENS),
        Target(
            "model", _model_with_options, _check_model, (b'"arrays"', b'"shape"', b'"dtype"', b'"length"')
        ),
        Target("annotations", _annotations_case, _check_annotations, ANNOTATION_TOKENS),
        Target("ngram", _with_options(_ngram_case), _check_ngram, UTF8),
    )
}
