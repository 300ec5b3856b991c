"""The container that every kind of model is stored in.

`magic, version, reserved, length of header, CRC of header` (little endian), a JSON header, then the arrays
one after the other, deflated, as the header lists them. The header says what kind of model it is, and its
checksum covers the arrays.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from ncleaner.errors import ModelError, OutputError
from ncleaner.modelling.card import Card
from ncleaner.storage.whole import whole_file

if TYPE_CHECKING:
    from ncleaner.modelling.decision import Preset

__all__ = [
    "FORMAT_VERSION",
    "MAGIC",
    "Stored",
    "about_of",
    "integers",
    "kind_of",
    "pack",
    "reals",
    "save",
    "unpack",
    "usable",
]

MAGIC = b"\x89NCLM\r\n\x1a"
# 2: the decision of n-gram models is recorded; files of format 1 have a threshold per character
FORMAT_VERSION = 2
_PREAMBLE = struct.Struct("<8sHHII")  # magic, version, reserved, header length, header CRC
# element types that a model's arrays may have, by the name that the header gives them
_TYPES: dict[str, np.dtype[Any]] = {
    kind.str: kind
    for kind in map(np.dtype, ("u1", "<u2", "<u4", "<u8", "i1", "<i2", "<i4", "<i8", "<f4", "<f8"))
}
# Numbers in a header beyond these are none that training writes, and would run over in reckoning. A threshold
# may be as large as its user likes.
_FARTHEST, _MOST = 1e200, 1 << 53
# what is shown of a model, and has to be a number
_FIGURES = {
    "training": ("pages", "sites", "words", "clean_characters", "dirty_characters"),
    "validation": ("precision", "recall", "f_score"),
}
# deflate makes at most so many bytes of one
_INFLATION = 1032


def pack(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """A model file. The same header and arrays give the same bytes.

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
    return _PREAMBLE.pack(MAGIC, FORMAT_VERSION, 0, len(text), zlib.crc32(text)) + text + payload


def _header_text(data: bytes, name: str) -> bytes:
    """The header, as far as its checksum answers for it."""
    if len(data) < _PREAMBLE.size or not data.startswith(MAGIC):
        raise ModelError(f"{name} is not an ncleaner model (it does not begin with the model signature)")
    _, version, _, length, crc = _PREAMBLE.unpack_from(data)
    if version > FORMAT_VERSION:
        raise ModelError(
            f"{name} has model format {version}, this version of ncleaner reads up to {FORMAT_VERSION}: "
            "install a newer ncleaner, or train the model again"
        )
    text = data[_PREAMBLE.size : _PREAMBLE.size + length]
    if len(text) < length or zlib.crc32(text) != crc:
        raise ModelError(f"{name} is damaged: its header does not match its checksum; copy or train it again")
    return text


@contextmanager
def usable(name: str) -> Iterator[None]:
    """Whatever can go wrong in reading a header and arrays that do not fit becomes a ModelError."""
    try:
        yield
    except (
        ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, zlib.error,
    ) as error:  # fmt: skip
        raise ModelError(
            f"{name} is no usable model: its header does not fit its tables ({error})"
        ) from error


def kind_of(data: bytes, name: str = "model") -> str:
    """What kind of model a file's bytes hold, by its header alone.

    Raises:
        ModelError: foreign, damaged, or of a newer format.
    """
    text = _header_text(data, name)
    with usable(name):
        return str(_header(text)["kind"])


def unpack(data: bytes, name: str = "model") -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    """The header and the arrays of a model file; the arrays are read-only, in the order of the file.

    Args:
        data: of the file.
        name: for messages.

    Returns:
        The header, with the `kind` of the model and without what describes the arrays; {name: array}.

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
    return {key: value for key, value in header.items() if key not in ("arrays", "checksum")}, arrays


def _header(text: bytes) -> dict[str, Any]:
    """The header as an object; ValueError for numbers that are out of range, and for halves of characters."""

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
        raise ValueError("it is no object")
    # written as `\\udc00` they pass for text until they are to be printed
    if b"\\u" in text:
        json.dumps(header, ensure_ascii=False).encode()
    return header


def about_of(header: Mapping[str, Any], *own: str) -> dict[str, Any]:
    """What a header says besides the kind of the model and its `own` parts: name, language, training.

    Raises:
        ValueError: training or validation are no objects, or have something else where a number belongs.
    """
    for part, numbers in _FIGURES.items():
        said = header.get(part) or {}
        if not isinstance(said, dict):
            raise ValueError(f"its {part} is no object")
        blocks = said.get("blocks") or {}
        if not isinstance(blocks, dict):
            raise ValueError(f"the blocks of its {part} are no object")
        for name, value in (*((name, said.get(name, 0)) for name in numbers), *blocks.items()):
            if not isinstance(value, int | float):
                raise ValueError(f"{name} of its {part} is no number")
    return {key: value for key, value in header.items() if key not in ("kind", *own)}


def _array(entry: Mapping[str, Any], block: bytes) -> npt.NDArray[Any]:
    dtype = _TYPES[entry["dtype"]]
    shape = tuple(entry["shape"]) if "shape" in entry else (entry["length"],)
    if not 1 <= len(shape) <= 2 or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"array {entry['array']} has no shape")
    size = math.prod(shape) * dtype.itemsize
    if size > _INFLATION * len(block):
        raise ValueError(f"array {entry['array']} is not as long as it should be")
    # no more than the header promises: a small file cannot fill the memory
    inflater = zlib.decompressobj()
    found = inflater.decompress(block, size + 1)
    if len(found) != size or not inflater.eof:
        raise ValueError(f"array {entry['array']} is not as long as it should be")
    return np.frombuffer(found, dtype).reshape(shape)


def integers(values: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Whole numbers of an array, as int64.

    Raises:
        ValueError: it holds others, is not of one dimension, or has numbers that are too large.
    """
    if values.dtype.kind not in "iu" or values.ndim != 1:
        raise ValueError("a table that has to hold whole numbers does not")
    found = values.astype(np.int64)
    if values.dtype.kind == "u" and found.min(initial=0) < 0:
        raise ValueError("a number in a table is too large")
    return found


def reals(values: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """An array as float32.

    Raises:
        ValueError: it has infinite numbers, or what is none.
    """
    with np.errstate(over="ignore"):
        found = values.astype(np.float32)
    if not np.isfinite(found).all():
        raise ValueError("a number in a table is not finite")
    return found


def save(data: bytes, path: str | Path) -> None:
    """Writes a model file, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        with whole_file(Path(path)) as out:
            out.write(data)
    except OSError as error:
        raise OutputError(f"cannot write the model {path}: {error.strerror}") from error


class Stored(ABC):
    """What all kinds of model have in common: a name, a card, and a file that they are written to and read
    from.

    Attributes:
        KIND: the kind as the header of a file says it.
        CALLED: words for the kind in messages.
        about: what the header says besides: name, language, training, validation, sources.
    """

    KIND: ClassVar[str]
    CALLED: ClassVar[str]
    about: dict[str, Any]

    @property
    def name(self) -> str:
        """The name it was trained under."""
        return str(self.about.get("name", "unnamed"))

    @abstractmethod
    def to_bytes(self) -> bytes:
        """The model file. The same model gives the same bytes."""

    @classmethod
    @abstractmethod
    def of_parts(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], name: str) -> Self:
        """The model of an unpacked file of this kind; `name` is for messages.

        Raises:
            ModelError, or what `usable` turns into one: header and arrays do not belong together.
        """

    @classmethod
    def of_model(cls, model: Stored) -> Self:
        """A model of this kind from one of another kind; itself where it is of this kind already.

        Raises:
            ValueError: this kind cannot be made of that one.
        """
        if isinstance(model, cls):
            return model
        raise ValueError(f"{model!r} is not {cls.CALLED}")

    @abstractmethod
    def with_threshold(self, threshold: float | Preset) -> Self:
        """The same model with another threshold, in bits, or a preset.

        Raises:
            ModelError: the model has no such preset, or no threshold at all.
            ValueError: the threshold is not a finite number.
        """

    @abstractmethod
    def summary(self) -> str:
        """What the model is, in a few words, for people."""

    @abstractmethod
    def card(self, number: int = 20) -> Card:
        """What the model is and what it has learned: up to `number` rows in each table."""

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
        save(self.to_bytes(), path)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)
