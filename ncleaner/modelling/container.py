"""The base of all kinds of model: their file format, and their cards.

A file holds `magic, version, reserved, length of header, CRC of header` (little endian), a JSON header, and
the arrays that the header lists, each deflated. The header says the kind of the model and has a checksum of
the arrays.
"""

import hashlib
import json
import math
import struct
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from ncleaner.errors import ModelError, cannot_write
from ncleaner.storage.local import atomic_file
from ncleaner.text.visible import counted
from ncleaner.versions import MODELS

if TYPE_CHECKING:
    from ncleaner.modelling.decision import Preset

MAGIC = b"\x89NCLM\r\n\x1a"
_PREAMBLE = struct.Struct("<8sHHII")  # magic, version, reserved, header length, header CRC
# element types of arrays, by the name that the header gives them
_TYPES: dict[str, np.dtype[Any]] = {
    kind.str: kind
    for kind in map(np.dtype, ("u1", "<u2", "<u4", "<u8", "i1", "<i2", "<i4", "<i8", "<f4", "<f8"))
}
# Training never writes larger numbers to a header, and larger ones would overflow. A threshold is a float, so
# that users can choose any.
_FARTHEST, _MOST = 1e200, 1 << 53
# entries of the header about the arrays of the file
_OF_ARRAYS = ("arrays", "checksum")
# Entry of the agreement of a model from raw pages: the F of the n-grams that it had before.
BEFORE = "f_score_before"
# entries of the header that cards show as numbers
_FIGURES = {
    "training": ("pages", "sites", "words", "clean_characters", "dirty_characters"),
    **dict.fromkeys(
        ("validation", "validation_precision", "validation_recall", "agreement"),
        ("precision", "recall", "f_score", "precision_error", "recall_error", "f_score_error", BEFORE),
    ),
}
# one deflated byte inflates to at most this many bytes
_INFLATION = 1032


def pack(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Returns a model file. The same header and arrays give the same bytes.

    Args:
        header: values that JSON can hold, among them `kind`; without `arrays` and `checksum`.
        arrays: integers or floating-point numbers, of one or two dimensions, in the order to store them.

    Raises:
        ValueError: an array of another type, or of more dimensions.
    """
    entries: list[dict[str, Any]] = []
    blocks: list[bytes] = []
    for name, values in arrays.items():
        stored = values.astype(values.dtype.newbyteorder("<"))
        if stored.dtype.str not in _TYPES or stored.ndim not in (1, 2):
            raise ValueError(f"array {name}: {stored.ndim} dimensions, {stored.dtype}: cannot be stored")
        block = zlib.compress(stored.tobytes(), 9)
        size: dict[str, Any] = {"length": len(stored)} if stored.ndim == 1 else {"shape": list(stored.shape)}
        entries.append({"array": name, "dtype": stored.dtype.str, **size, "bytes": len(block)})
        blocks.append(block)
    payload = b"".join(blocks)
    whole = {**header, "arrays": entries, "checksum": hashlib.sha256(payload).hexdigest()}
    text = json.dumps(whole, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    return _PREAMBLE.pack(MAGIC, MODELS, 0, len(text), zlib.crc32(text)) + text + payload


def _header_text(data: bytes, name: str) -> bytes:
    """Returns the text of the header after checking signature, version and checksum. Raises ModelError."""
    if len(data) < _PREAMBLE.size or not data.startswith(MAGIC):
        raise ModelError(
            f"{name} is not an ncleaner model (it does not begin with the model signature): "
            "`ncleaner models` lists those that are installed, `ncleaner train` makes one"
        )
    _, version, _, length, crc = _PREAMBLE.unpack_from(data)
    if version > MODELS:
        raise ModelError(
            f"{name} has model format {version}, this version of ncleaner reads up to {MODELS}: "
            "install a newer ncleaner, or train the model again"
        )
    text = data[_PREAMBLE.size : _PREAMBLE.size + length]
    if len(text) < length or zlib.crc32(text) != crc:
        raise ModelError(f"{name} is damaged: its header does not match its checksum; copy or train it again")
    return text


@contextmanager
def usable(name: str) -> Iterator[None]:
    """Turns every error of reading a header and arrays that do not fit together into a ModelError."""
    try:
        yield
    except (
        ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, zlib.error,
    ) as error:  # fmt: skip
        raise ModelError(
            f"{name} is not a usable model: its header does not fit its tables ({error})"
        ) from error


def header_of(data: bytes, name: str = "model") -> dict[str, Any]:
    """Reads the header alone of a model file; see `unpack`.

    Raises:
        ModelError: foreign, damaged, or of a newer format.
    """
    text = _header_text(data, name)
    with usable(name):
        header = _header(text)
        header["kind"] = str(header["kind"])
        return {key: value for key, value in header.items() if key not in _OF_ARRAYS}


def unpack(data: bytes, name: str = "model") -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """Reads a model file: its header, and its arrays, which are read-only and in the order of the file.

    Args:
        data: bytes of the file.
        name: name of the file for messages.

    Returns:
        The header, without its list of arrays and its checksum; {name: array}.

    Raises:
        ModelError: foreign, damaged, or of a newer format.
    """
    text = _header_text(data, name)
    payload = data[_PREAMBLE.size + len(text) :]
    with usable(name):
        header = _header(text)
        if hashlib.sha256(payload).hexdigest() != header["checksum"]:
            raise ModelError(
                f"{name} is damaged: its tables do not match their checksum; copy or train it again"
            )
        header["kind"] = str(header["kind"])
        arrays: dict[str, npt.NDArray[Any]] = {}
        at = 0
        for entry in header["arrays"]:
            arrays[entry["array"]] = _array(entry, payload[at : at + entry["bytes"]])
            at += entry["bytes"]
    return {key: value for key, value in header.items() if key not in _OF_ARRAYS}, arrays


def _header(text: bytes) -> dict[str, Any]:
    """Parses the header. Raises ValueError: it is not an object, or has numbers out of range or lone
    surrogates."""

    def number(digits: str) -> float:
        value = float(digits)
        if not abs(value) <= _FARTHEST:
            raise ValueError(f"the number {digits} is out of range")
        return value

    def whole(digits: str) -> int:
        value = int(digits)
        if abs(value) > _MOST:
            raise ValueError(f"the number {digits} is out of range")
        return value

    header = json.loads(text.decode(), parse_float=number, parse_int=whole, parse_constant=number)
    if not isinstance(header, dict):
        raise ValueError("expected a JSON object")
    # lone surrogates, written as `\\udc00`, would fail only when they are printed
    if b"\\u" in text:
        json.dumps(header, ensure_ascii=False).encode()
    return header


def language_of(header: Mapping[str, Any]) -> str:
    """Returns the language that a model says it is for: as pages have it (`iso_639_1`), `any`, or empty."""
    return str(header.get("language") or "")


def about_of(header: Mapping[str, Any], *own: str) -> dict[str, Any]:
    """Returns the entries of a header besides the kind and the `own` entries of the model: name, language,
    training.

    Raises:
        ValueError: training or validation is not an object, or an entry is not a number that must be one.
    """
    for part, numbers in _FIGURES.items():
        counts = header.get(part) or {}
        if not isinstance(counts, dict):
            raise ValueError(f"its {part} is not an object")
        blocks = counts.get("blocks") or {}
        if not isinstance(blocks, dict):
            raise ValueError(f"the blocks of its {part} are no object")
        for name, value in (*((name, counts.get(name, 0)) for name in numbers), *blocks.items()):
            if not isinstance(value, int | float):
                raise ValueError(f"{name} of its {part} is not a number")
    points = header.get("learning_curve") or []
    if not isinstance(points, list) or not all(
        isinstance(point, dict)
        and isinstance(point.get("pages"), int | float)
        and isinstance(point.get("f_score"), int | float)
        and isinstance(point.get("f_score_error", 0.0), int | float)
        for point in points
    ):
        raise ValueError("its learning curve is not a list of pages and figures")
    return {key: value for key, value in header.items() if key not in ("kind", *own)}


def _array(entry: Mapping[str, Any], block: bytes) -> npt.NDArray[Any]:
    dtype = _TYPES[entry["dtype"]]
    shape = tuple(entry["shape"]) if "shape" in entry else (entry["length"],)
    if not 1 <= len(shape) <= 2 or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"array {entry['array']} has no shape")
    size = math.prod(shape) * dtype.itemsize
    if size > _INFLATION * len(block):
        raise ValueError(f"array {entry['array']} is not as long as it should be")
    # inflate no more than the header promises: a small file must not fill the memory
    inflater = zlib.decompressobj()
    found = inflater.decompress(block, size + 1)
    if len(found) != size or not inflater.eof:
        raise ValueError(f"array {entry['array']} is not as long as it should be")
    return np.frombuffer(found, dtype).reshape(shape)


def integers(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Returns an array of whole numbers as int64.

    Raises:
        ValueError: it has other numbers, more dimensions, or numbers that are too large.
    """
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise ValueError("a table that has to hold whole numbers does not")
    found = values.astype(np.int64)
    if values.dtype.kind == "u" and found.min(initial=0) < 0:
        raise ValueError("a number in a table is too large")
    return found


def reals(values: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Returns an array as float32.

    Raises:
        ValueError: it has infinite values or NaN.
    """
    with np.errstate(over="ignore"):
        found = values.astype(np.float32)
    if not np.isfinite(found).all():
        raise ValueError("a number in a table is not finite")
    return found


# ------------------------------------------------------------------------------------------------
# Cards: models described as text.

# The entry with the F of models of fewer pages, by their numbers; see `lab.training.curve`.
LEARNING_CURVE = "learning_curve"
# The entry of the header of a model that is learned from raw pages alone; see `lab.training.crawl`.
AGREEMENT = "agreement"


class Table(NamedTuple):
    """A part of a card.

    Attributes:
        title: of the table.
        head: names of the columns.
        rows: their cells, as text; as many as the head has.
        left: columns whose cells are aligned to the left, by number; numbers are aligned to the right.
    """

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    left: tuple[int, ...] = (0,)


class Card(NamedTuple):
    """Description of a model.

    Attributes:
        facts: (name, text) in the order to show them.
        tables: learned parameters.
    """

    facts: Sequence[tuple[str, str]]
    tables: Sequence[Table]


def pages_of(training: Mapping[str, Any]) -> str:
    """The numbers of pages and sites of a model's training, as text."""
    return f"{counted(training.get('pages', 0), 'page')} of {counted(training.get('sites', 0), 'site')}"


def validation_of(preset: str) -> str:
    """The entry of a model's header that has the cross-validated figures of a preset."""
    return "validation" if preset == "balanced" else f"validation_{preset}"


def validated_facts(about: Mapping[str, Any], what: str) -> list[tuple[str, str]]:
    """The lines of a card about cross-validated figures, of the balanced decision and of its presets; `what`
    decides."""
    units = f"{what}: words, per cent, ± standard error"
    told = (("balanced", units), ("precision", "with --precision"), ("recall", "with --recall"))
    facts = [
        ("validated" if preset == "balanced" else preset, "P {}  R {}  F {} ({})".format(*figures, said))
        for preset, said in told
        if (figures := figures_of(about, preset)) is not None
    ]
    points = about.get(LEARNING_CURVE) or []
    if points:
        curve = [f"{point['pages']:g}: {figure_of(point, 'f_score')}" for point in points]
        facts.append(("F by pages", ", ".join(curve)))
    if AGREEMENT in about:
        agreed = figures_of({"validation": about[AGREEMENT]}) or ("-", "-", "-")
        before = figure_of(about[AGREEMENT], BEFORE) if BEFORE in about[AGREEMENT] else "-"
        facts += [
            (
                "learned",
                f"from {pages_of(about['training'])} whose text is certain: no page was cleaned by hand, and "
                "the accuracy is unknown",
            ),
            (
                "agreement",
                "P {}  R {}  F {} (n-grams with their teacher, on unseen sites; ".format(*agreed)
                + f"without this model F {before})",
            ),
        ]
    return facts or [("validated", "-")]


def figures_of(about: Mapping[str, Any], preset: str = "balanced") -> tuple[str, str, str] | None:
    """Cross-validated word precision, recall and F of a model's header, in per cent as text, each with its
    standard error if it is known; None without them."""
    validation = about.get(validation_of(preset)) or {}
    names = ("precision", "recall", "f_score")
    if not all(name in validation for name in names):
        return None
    precision, recall, f_score = (figure_of(validation, name) for name in names)
    return precision, recall, f_score


def figure_of(figures: Mapping[str, float], name: str) -> str:
    """A figure in per cent as text, with its standard error if it is known."""
    error = figures.get(f"{name}_error")
    return f"{100 * figures[name]:.1f}" + ("" if error is None else f" ± {100 * error:.1f}")


# ------------------------------------------------------------------------------------------------


Parts = tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]


class ModelFile(ABC):
    """Base of all kinds of model: a name, a card, and a file.

    Attributes:
        KIND: the kind in the header of a file.
        CALLED: the kind in messages.
        about: other entries of the header: name, language, training, validation, sources.
    """

    KIND: ClassVar[str]
    CALLED: ClassVar[str]
    about: dict[str, Any]

    @property
    def name(self) -> str:
        """The name that training recorded."""
        return str(self.about.get("name", "unnamed"))

    @abstractmethod
    def parts(self) -> Parts:
        """Returns what a model file holds besides the kind and `about`: entries of the header, and arrays."""

    def to_bytes(self) -> bytes:
        """Returns the model file. The same model gives the same bytes."""
        header, arrays = self.parts()
        return pack({"kind": self.KIND, **header, **self.about}, arrays)

    @classmethod
    @abstractmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> Self:
        """Makes the model from an unpacked file of this kind; `name` is for messages.

        Raises:
            ModelError, or an error that `usable` turns into one: header and arrays do not belong together.
        """

    @classmethod
    def of_model(cls, model: "ModelFile") -> Self:
        """Makes a model of this kind from a model of another kind; returns a model of this kind unchanged.

        Raises:
            ValueError: that kind cannot become this kind.
        """
        if isinstance(model, cls):
            return model
        raise ValueError(f"{model!r} is not {cls.CALLED}")

    def with_threshold(self, threshold: "float | Preset") -> Self:
        """Returns the model with another threshold, in bits, or with a preset.

        Raises:
            ModelError: the model has no such preset, or no threshold at all.
            ValueError: the threshold is not a finite number.
        """
        if not hasattr(self, "threshold"):
            raise ModelError(f"the model {self.name} ({self.CALLED}) has no threshold")
        if isinstance(threshold, str):
            raise ModelError(f"the model {self.name} has no preset {threshold!r}: give a threshold")
        return replace(self, threshold=threshold)  # type: ignore[type-var]

    def for_news(self) -> Self:
        """Returns the model for pages that are all articles: itself, unless its kind tells articles apart."""
        return self

    @property
    def own_ngrams(self) -> Any:
        """The n-grams of a language that it is, or has, an `NGramModel`; None for other kinds."""
        return None

    @property
    def can_estimate(self) -> bool:
        """Whether nothing in it keeps a method that estimates quality from doing so."""
        return True

    @abstractmethod
    def summary(self) -> str:
        """Describes the model in a few words."""

    def trained_facts(self, also: str) -> list[tuple[str, str]]:
        """Returns the lines of a card about name, language, form, training and sources; `also` is further
        training data, as text, besides pages and sites."""
        return [
            ("name", self.name),
            ("language", str(self.about.get("language", "-"))),
            ("model", self.summary()),
            ("training", f"{pages_of(self.about.get('training') or {})} ({also})"),
            ("sources", str(self.about.get("sources", "-"))),
        ]

    @abstractmethod
    def card(self, number: int = 20) -> Card:
        """Describes the model and what it has learned, with up to `number` rows in each table."""

    @classmethod
    def from_bytes(cls, data: bytes, name: str = "model") -> Self:
        """Reads a model file's bytes; `name` is for messages.

        Raises:
            ModelError: foreign, damaged, of a newer format, or of another kind.
        """
        header, arrays = unpack(data, name)
        if header["kind"] != cls.KIND:
            raise ModelError(f"{name} holds a model of kind {header['kind']!r}, not {cls.CALLED}")
        with usable(name):
            return cls.of_parts(header, arrays, name)

    def save(self, path: str | Path) -> None:
        """Writes the model file, whole or not at all.

        Raises:
            OutputError: it cannot be written.
        """
        data = self.to_bytes()
        try:
            with atomic_file(Path(path)) as out:
                out.write(data)
        except OSError as error:
            raise cannot_write(f"the model {path}", error) from error

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {self.summary()}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)
