"""What a survey keeps of a page, and how it is written: one JSON object on a line.

Signatures of the same page may come from many inputs, workers, runs and machines. A survey of them depends on
the set of different lines only, not on their order.
"""

import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ncleaner.document import Document
from ncleaner.document._kept import words_of
from ncleaner.document.kept import Kept
from ncleaner.errors import InputError
from ncleaner.surveying._texts import HASHES_VERSION, layout_hash, text_hashes
from ncleaner.surveying.duplicates import LARGEST, Sequences, Sketch, check_version, text_hash
from ncleaner.text.hosts import registered_domain

# Of a page with more different texts, those with the smallest hashes are kept, which are the same on all
# pages.
MOST_TEXTS = 2_000


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """What a survey keeps of a page.

    Attributes:
        site: registered domain, or the host without one.
        page: a hash of the URL, 0 to 2⁶³ - 1.
        layout: see `layout_hash`.
        words, kept: number of words of the page, and of those that are kept.
        language: ISO 639 code; empty if unknown.
        kind: the most probable kind of the page; empty if unknown.
        html: the page as it was read; empty if it is left out.
        encoding: WHATWG name of its encoding.
        texts: different hashes of texts, uint32, ascending, at most `MOST_TEXTS`.
        sketch: for finding duplicates of the page; None if it is left out, or the page has no clean text.
        sequences: for finding its paragraphs on later pages; None if they are left out.
    """

    site: str
    page: int
    layout: int
    words: int
    kept: int
    language: str
    kind: str
    texts: npt.NDArray[np.uint32]
    html: bytes = b""
    encoding: str = ""
    sketch: Sketch | None = None
    sequences: Sequences | None = None

    def line(self) -> bytes:
        """The line of a file of signatures, with its line end."""
        names = ("site", "page", "layout", "words", "kept", "language", "kind")
        entry = {"signature": HASHES_VERSION, **{name: getattr(self, name) for name in names}}
        entry["texts"] = self.texts.astype(">u4").tobytes().hex()
        if self.html:
            entry["html"] = b64encode(zlib.compress(self.html)).decode()
            entry["encoding"] = self.encoding
        if self.sketch is not None:
            entry["sketch"] = self.sketch.entry()
        if self.sequences is not None:
            entry["sequences"] = self.sequences.entry()
        return json.dumps(entry, separators=(",", ":")).encode() + b"\n"

    @classmethod
    def of_line(cls, line: bytes, where: str) -> "Signature":
        """Reads a line. Raises InputError: it is no signature, or one of another version; `where` is for the
        message."""
        try:
            entry: dict[str, Any] = json.loads(line)
            check_version("signatures", entry["signature"], HASHES_VERSION, where)
            texts = np.frombuffer(bytes.fromhex(entry["texts"]), ">u4").astype(np.uint32)
            words, kept, page, layout = (int(entry[name]) for name in ("words", "kept", "page", "layout"))
            if (
                not np.all(texts[1:] > texts[:-1])
                or len(texts) > MOST_TEXTS
                or not 0 <= page < LARGEST
                or not 0 <= layout < 1 << 32
                or not 0 <= kept <= words < 1 << 40
            ):
                raise ValueError("a number is out of range")
            site, language, kind = entry["site"], entry["language"], entry["kind"]
            encoding = entry.get("encoding", "")
            html = zlib.decompress(b64decode(entry["html"], validate=True)) if "html" in entry else b""
            if not all(isinstance(name, str) for name in (site, language, kind, encoding)) or not site:
                raise ValueError("a name is missing")
            sketch = Sketch.of_entry(entry["sketch"], where) if "sketch" in entry else None
            sequences = Sequences.of_entry(entry["sequences"], where) if "sequences" in entry else None
            return cls(
                site, page, layout, words, kept, language, kind, texts, html, encoding, sketch, sequences
            )
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError, zlib.error) as error:
            raise InputError(f"{where}: not the signature of a page ({error})") from error


def signature_of(
    url: str,
    document: Document,
    kept: Kept,
    html: bytes = b"",
    sketch: Sketch | None = None,
    sequences: Sequences | None = None,
) -> Signature | None:
    """The signature of a page, with the page itself, a sketch and sequences if they are given; None without a
    host in its URL."""
    site = registered_domain(url)
    if not site:
        return None
    shown = document.visible
    words = words_of(document.tables)
    return Signature(
        site, text_hash(url.encode("utf-8", "replace")), layout_hash(document.tables),
        int(words[shown].sum()), int(words[kept.mask & shown].sum()), kept.remarks.language, kept.kind,
        np.unique(text_hashes(document.tables)[shown])[:MOST_TEXTS], html, document.encoding if html else "",
        sketch, sequences,
    )  # fmt: skip
