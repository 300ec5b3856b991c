"""Hostile model files: small models of every kind, broken raw, or changed behind checksums that are right.

A checksum keeps out damage, not malice: whoever makes a file makes its checksums too. So header and arrays
are changed first and the sums made for what came out, which is the only way to the code behind them.
"""

from __future__ import annotations

import copy
import hashlib
import json
import struct
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from fuzz.mutate import NUMBERS, UTF8, mutated
from fuzz.source import Source
from ncleaner.classics.fiasco import FIASCO_FEATURES, FiascoModel
from ncleaner.classics.line_tree import CLASSES, LINES_FEATURES, LinesModel
from ncleaner.classics.victor import VictorModel, make_slots
from ncleaner.document.kept import KINDS
from ncleaner.dumping.plain import dump_text
from ncleaner.lab.training.counting import GramCounter, two_sides
from ncleaner.lab.training.ngrams import learned_alphabet
from ncleaner.modelling._terms import BUCKETS
from ncleaner.modelling.alphabet import alphabet
from ncleaner.modelling.container import MAGIC, ModelFile
from ncleaner.modelling.decision import Decision
from ncleaner.modelling.features import FEATURES, PAGE_FEATURES, WEIGHTS
from ncleaner.modelling.hybrid import Calibration, HybridModel
from ncleaner.modelling.ngrams import NGramModel
from ncleaner.modelling.notices import Notices
from ncleaner.modelling.structure import Stock, Structure, Trees
from ncleaner.versions import MODELS

__all__ = ["loose", "model_file", "of_loose", "opened", "remade", "small_model", "small_models", "summed"]

_PREAMBLE = struct.Struct("<8sHHII")
_TOKENS = (
    b'"',
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b",",
    b"null",
    b"true",
    b'"arrays"',
    b'"shape"',
    b"[1,1]",
    *NUMBERS,
    *UTF8,
)
_DTYPES = (
    "|u1",
    "<u2",
    "<u4",
    "<u8",
    "|i1",
    "<i2",
    "<i4",
    "<i8",
    "<f4",
    "<f8",
    ">f8",
    "|O",
    "<U4",
    "",
    "object",
)
# what stands in a header where a number, a name or a list should
_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 8, 9, 255, 65536, 2**31, 2**53, 2**63, 2**64, -(2**63), 10**30,
    1e-300, 1e300, 0.5, -0.5, float("nan"), float("inf"), "", "0", "1", "ngram", "learned", "ascii",
    "\ud800", "x" * 500, [], [0], [1, 1], {}, {"name": "learned"}, [[]], {"": None},
)  # fmt: skip
_NUMBERS = (
    0,
    1,
    -1,
    2,
    -2,
    100,
    -100,
    127,
    255,
    32767,
    65535,
    2**31 - 1,
    -(2**31),
    2**32 - 1,
    2**53,
    2**63 - 1,
    -(2**63),
)
_FLOATS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    1e38,
    -1e38,
    3.5e38,
    1e308,
    1e-308,
    float("inf"),
    float("-inf"),
    float("nan"),
)


def _ngrams(source: Source) -> NGramModel:
    raw = ["\n".join(source.text(40) for _ in range(12)), source.prose(20)]
    # as documents have it, without halves of characters
    texts = [text.encode("utf-8", "replace").decode() for text in raw]
    kind = source.choice(("ascii", "nonlexical", "learned"))
    symbols = learned_alphabet(texts, size=source.randint(1, 60)) if kind == "learned" else alphabet(kind)
    order = source.randint(1, 4)
    sides = []
    for text in texts:
        document = dump_text(text)
        counter = GramCounter(symbols, order)
        counter.add(document.data, document.segments["start"], document.segments["end"])
        sides.append(counter.tallies())
    decision = Decision(
        source.choice(("page", "segment", "character")), presets={"precision": 1.0, "recall": -1.0}
    )
    about = {"name": "small", "language": "en", "training": {"pages": 2, "words": 40}}
    return NGramModel(order, 0.8, symbols, two_sides(sides[0], sides[1], False), decision, about)


def _trees(source: Source, number: int, width: int = len(FEATURES), *, reach: int = 3) -> Trees:
    """Trees grown at random: each node of the last level becomes a leaf."""
    columns: dict[str, list[float]] = {
        name: [] for name in ("features", "rows", "thresholds", "left", "right", "sizes")
    }
    leaves: list[float] = []
    for _ in range(number):
        size = source.randint(1, 7)
        free = 0
        # node i has the children 2 i + 1 and 2 i + 2, as far as there are so many
        for node in range(size):
            for side, child in (("left", 2 * node + 1), ("right", 2 * node + 2)):
                if child < size:
                    columns[side].append(child)
                else:
                    free += 1
                    columns[side].append(-free)
            columns["features"].append(source.randrange(width))
            columns["rows"].append(source.choice((0, 0, 0, -1, 1, 3, -3)) if reach else 0)
            columns["thresholds"].append(source.uniform(-1, 10))
        columns["sizes"].append(size)
        leaves += [source.uniform(-2, 2) for _ in range(size + 1)]
    return Trees.of_columns({**columns, "leaves": leaves})


def _structure(source: Source) -> Structure:
    weights = np.zeros(WEIGHTS, np.float32)
    weights[:: source.randint(50, 500)] = -0.5
    kinds = articles = None
    if source.odds(0.5):
        kinds = _trees(source, len(KINDS), len(PAGE_FEATURES), reach=0)
        articles = _trees(source, 4)
    stock = Stock.of({source.randint(1, 1 << 32 - 1): 1.5 for _ in range(source.randint(0, 9))})
    return Structure(weights, _trees(source, 3), _trees(source, 4), kinds, articles, stock, {"name": "small"})


def _hybrid(source: Source) -> HybridModel:
    own = source.odds(0.5)
    ngrams = _ngrams(source)
    structure = _structure(source) if own else HybridModel.of_ngrams(ngrams).structure
    return HybridModel(ngrams, structure, Calibration(1.5, 0.1), own=own, about={"name": "small"})


def _victor(source: Source) -> VictorModel:
    slots = tuple(source.sample(make_slots(), source.randint(1, 12)))
    state = np.array([[source.uniform(-1, 1) for _ in range(5)] for _ in range(16 * len(slots))], np.float32)
    moves = np.array([[source.uniform(-1, 1) for _ in range(5)] for _ in range(5)], np.float32)
    return VictorModel(slots, state, moves, 0.0, {"name": "small"})


def _notices(source: Source) -> Notices:
    weights = np.zeros(BUCKETS, np.int8)
    weights[:: source.randint(1, 500)] = source.randint(-128, 127)
    return Notices(weights, source.uniform(0.01, 1), source.uniform(-2, 2), {"name": "small"})


def _fiasco(source: Source) -> FiascoModel:
    weights = np.array([source.uniform(-1, 1) for _ in FIASCO_FEATURES], np.float32)
    keywords = tuple(sorted({source.word() for _ in range(source.randint(0, 3))}))
    return FiascoModel(weights, source.uniform(-1, 1), keywords, about={"name": "small"})


def _lines(source: Source) -> LinesModel:
    inner = source.randint(0, 3)
    size = 2 * inner + 1
    # node i has the children 2 i + 1 and 2 i + 2
    tests = [source.randrange(len(LINES_FEATURES)) if node < inner else -1 for node in range(size)]
    left, right = ([2 * node + side if node < inner else 0 for node in range(size)] for side in (1, 2))
    return LinesModel(
        np.array(tests, np.int64),
        np.array([source.uniform(0, 9) for _ in range(size)], np.float32),
        np.array(left, np.int64),
        np.array(right, np.int64),
        np.array([source.randrange(len(CLASSES)) for _ in range(size)], np.int64),
        {"name": "small"},
    )


_MAKERS: dict[str, Callable[[Source], ModelFile]] = {
    "ngram": _ngrams,
    "structure": _structure,
    "hybrid": _hybrid,
    "notices": _notices,
    "victor": _victor,
    "fiasco": _fiasco,
    "lines": _lines,
}


def small_model(kind: str, seed: int = 0) -> ModelFile:
    """A small model of a kind: the same for the same seed."""
    return _MAKERS[kind](Source(seed))


@cache
def small_models() -> tuple[bytes, ...]:
    """Files of a few small models of every kind."""
    return tuple(small_model(kind, seed).to_bytes() for kind in _MAKERS for seed in range(4))


# --------------------------------------------------------------------------------------------------
# The container, without any of the checks of `modelling.container`.


def opened(data: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """The header of a whole file, and its arrays as raw bytes."""
    length = _PREAMBLE.unpack_from(data)[3]
    header: dict[str, Any] = json.loads(data[_PREAMBLE.size : _PREAMBLE.size + length])
    blocks, at = [], _PREAMBLE.size + length
    for entry in header["arrays"]:
        blocks.append(zlib.decompress(data[at : at + entry["bytes"]]))
        at += entry["bytes"]
    return header, blocks


def summed(text: bytes, payload: bytes, version: int = MODELS) -> bytes:
    """A file of a header that is bytes, and of arrays as they are stored; the sum of the header is right."""
    return _PREAMBLE.pack(MAGIC, version, 0, len(text), zlib.crc32(text)) + text + payload


def _packed(header: Any, blocks: list[bytes]) -> bytes:
    """A file with right sums, whatever the header says of the arrays but for their size in the file."""
    stored = [zlib.compress(block, 1) for block in blocks]
    if isinstance(header, dict):
        entries = header.get("arrays")
        if isinstance(entries, list):
            for entry, block in zip(entries, stored, strict=False):
                if isinstance(entry, dict) and type(entry.get("bytes")) is int:
                    entry["bytes"] = len(block)
        header["checksum"] = hashlib.sha256(b"".join(stored)).hexdigest()
    return summed(json.dumps(header).encode(), b"".join(stored))


def remade(
    data: bytes, header: Mapping[str, Any] | None = None, arrays: Mapping[str, npt.NDArray[Any]] | None = None
) -> bytes:
    """A whole file with other values in its header, and other arrays by their names; the sums are right."""
    known, blocks = opened(data)
    known |= header or {}
    for at, entry in enumerate(known["arrays"]):
        values = (arrays or {}).get(entry["array"])
        if values is not None:
            entry.pop("length", None)
            entry |= {"dtype": values.dtype.str, "shape": list(values.shape)}
            blocks[at] = values.tobytes()
    return _packed(known, blocks)


def loose(data: bytes) -> bytes:
    """A file in a form that can be changed anywhere: length of the header, header, arrays as in memory."""
    header, blocks = opened(data)
    text = json.dumps(header).encode()
    return len(text).to_bytes(4, "little") + text + b"".join(blocks)


def of_loose(data: bytes) -> bytes:
    """The file that such bytes stand for. The arrays are parted as the header says; sums are made."""
    length = int.from_bytes(data[:4], "little")
    text, rest = data[4 : 4 + length], data[4 + length :]
    try:
        header = json.loads(text)
        blocks = []
        for entry in header["arrays"]:
            shape = entry["shape"] if "shape" in entry else [entry["length"]]
            size = max(0, min(len(rest), int(np.prod(shape)) * np.dtype(entry["dtype"]).itemsize))
            blocks.append(rest[:size])
            rest = rest[size:]
        return _packed(header, blocks)
    except (ArithmeticError, AttributeError, LookupError, RecursionError, SyntaxError, TypeError, ValueError):
        return summed(text, rest)


# --------------------------------------------------------------------------------------------------


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a header where a value stands: the container and the key."""
    found: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting:
        here = waiting.pop()
        items = (
            list(here.items())
            if isinstance(here, dict)
            else list(enumerate(here))
            if isinstance(here, list)
            else []
        )
        for key, inside in items:
            found.append((here, key))
            waiting.append(inside)
    return found


def _change_header(source: Source, header: dict[str, Any]) -> None:
    for _ in range(source.size(4)):
        places = _places(header)
        if not places:
            return
        here, key = source.choice(places)
        kind = source.randrange(5)
        if kind == 0:
            del here[key]
        elif kind == 1:
            here[key] = copy.deepcopy(source.choice([there[other] for there, other in places]))
        elif kind == 2 and type(here[key]) in (int, float):
            here[key] = source.choice(
                (here[key] + 1, here[key] - 1, -here[key], here[key] * 2, float(here[key]))
            )
        elif kind == 3 and isinstance(here[key], list):
            here[key] = source.choice((here[key][:-1], here[key] * 2, here[key][::-1]))
        else:
            here[key] = copy.deepcopy(source.choice(_VALUES))


def _change_array(source: Source, header: dict[str, Any], blocks: list[bytes]) -> None:
    at = source.randrange(len(blocks))
    entry = header["arrays"][at]
    kind = source.randrange(4)
    if kind == 0:
        blocks[at] = mutated(source, blocks[at], NUMBERS, most=4)
        return
    values = np.frombuffer(blocks[at], entry["dtype"]).copy()
    if kind == 1:
        # the same values in another type, or extreme ones that the type has room for
        entry["dtype"] = source.choice(_DTYPES[:10])
        with np.errstate(all="ignore"):
            values = values.astype(entry["dtype"])
    if kind == 3:
        # taken as they are for another type or shape
        entry["dtype"] = source.choice(_DTYPES)
        entry["shape" if source.odds(0.5) else "length"] = source.choice(
            (0, 1, -1, len(values), [len(values)], [0, 5], [1, 1, 1])
        )
    elif len(values):
        extreme = _FLOATS if values.dtype.kind == "f" else _NUMBERS
        for _ in range(source.size(5)):
            with np.errstate(all="ignore"):
                values[source.randrange(len(values))] = np.array(source.choice(extreme)).astype(values.dtype)
        if source.odds(0.2):
            values = source.choice((values[:-1], np.repeat(values, 2), values[::-1].copy(), values[:0]))
            shape = entry.get("shape")
            if shape is None:
                entry["length"] = len(values)
            else:
                shape[0] = len(values) // max(1, shape[-1])
    blocks[at] = values.tobytes()


def model_file(source: Source) -> bytes:
    """A model file that is broken, or whole and made with malice."""
    data = source.choice(small_models())
    roll = source.random()
    if roll < 0.15:
        return mutated(source, data, _TOKENS)
    header, blocks = opened(data)
    if roll < 0.25:
        text = mutated(source, json.dumps(header).encode(), _TOKENS)
        return summed(
            text, data[_PREAMBLE.size + _PREAMBLE.unpack_from(data)[3] :], source.choice((0, 1, 1, 2))
        )
    if roll < 0.3:
        return of_loose(mutated(source, loose(data), _TOKENS))
    if roll > 0.6:
        _change_header(source, header)
    if roll < 0.8 and blocks and isinstance(header.get("arrays"), list):
        for _ in range(source.size(4)):
            try:
                _change_array(source, header, blocks)
            except (IndexError, KeyError, TypeError, ValueError):
                break  # what is left of the header no longer says how to read the array
    return _packed(header, blocks)
