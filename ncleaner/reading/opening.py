"""Opens inputs, and undoes their compression layer by layer."""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO, Final

from ncleaner.errors import InputError
from ncleaner.page import Damage
from ncleaner.reading.inflating import TELLING, Codec, codec_of, is_skippable, zstd_dictionary
from ncleaner.reading.inputs import STDIN
from ncleaner.reading.records import archive_kind
from ncleaner.reading.streams import Members, Source
from ncleaner.storage.places import open_binary

_COMPRESSED: Final = re.compile(
    r"\.(?:warc|arc|wet)(\.gz|\.zst|\.lz4|\.bz2|\.xz)\Z|(\.wacz)\Z", re.IGNORECASE
)
_CODECS: Final[dict[str, Codec]] = {
    ".gz": "gzip", ".zst": "zstd", ".lz4": "lz4", ".bz2": "bz2", ".xz": "xz", ".wacz": "gzip",
}  # fmt: skip


@contextmanager
def opened(source: str | os.PathLike[str] | BinaryIO, pipes: bool = True) -> Iterator[tuple[BinaryIO, str]]:
    """Opens an input; yields it with its name. `pipes`: see `open_binary`. Raises InputError."""
    if not isinstance(source, str | os.PathLike):
        yield source, STDIN
    elif os.fspath(source) == STDIN:
        yield sys.stdin.buffer, STDIN
    else:
        path = os.fspath(source)
        try:
            stream = open_binary(path, pipes)
        except IsADirectoryError as error:
            raise InputError(f"{path}: is a directory: give a file in it") from error
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from error
        with stream:
            yield stream, path


def compression_of(head: bytes, name: str) -> Codec:
    """Returns the compression of a stream, by the name for an archive whose first bytes are broken."""
    codec = codec_of(head)
    match = _COMPRESSED.search(name)
    named = _CODECS[match[match.lastindex or 0].lower()] if match else codec
    if (codec == "plain" and not archive_kind(head)) or (named == "lz4" and is_skippable(head)):
        return named
    return codec


def layers_of(source: Source, codec: Codec) -> list[Members]:
    """Returns the stream without its compression as a layer, and a second layer if it is compressed twice."""
    start = source.tell()
    dictionary = zstd_dictionary(source)
    # if the first member gives nothing, the next record decides whether it is an archive
    for begins_record in (None, lambda head: archive_kind(head) is not None):
        members = Members(source, codec, begins_record, dictionary)
        if dictionary.damage:
            members.pending.append(Damage(dictionary.damage, source.name, start))
        members.next_member()
        if members.to_content() or source.rewind(start) != start:
            # a pipe may have forgotten its beginning, and nothing is in it
            break
    layers = [members]
    inner = codec_of(members.peek(TELLING))
    if codec != "plain" and inner != "plain":
        members = Members(Source(members, source.name, 1 << 20), inner)
        members.next_member()
        members.to_content()
        layers.append(members)
    return layers
