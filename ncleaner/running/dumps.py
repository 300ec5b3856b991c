"""Text dumps that the survey of a run has made, kept in files until the run cleans their pages.

Each worker of the survey writes a file, and each worker of the run reads all of them. A page whose dump is
not there, since there was no room or a worker has died, is dumped again: nothing else depends on them.
"""

import os
import pickle
import shutil
import tempfile
from contextlib import suppress
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from struct import Struct
from typing import BinaryIO

from zlib_ng.zlib_ng import crc32

from ncleaner.document import Document
from ncleaner.page import Page

# Most bytes of all dumps of a run, enough for 100,000 pages; they take at most an eighth of the free disk.
_ROOM, _SHARE = 8 << 30, 8
# what is before a dump in its file: the hash of its page, and its bytes
_HEAD = Struct("<16sQ")


class Dumps:
    """The dumps of a run; picklable until it has written or read one.

    Args:
        folder: where they get a folder of their own; those that a killed run has left there are deleted.
        writers: number of processes that write.
        wants: what the run needs of a dump, by the names of fields of `Recipe`.
    """

    def __init__(self, folder: Path, writers: int, wants: dict[str, bool]) -> None:
        for left in folder.glob("dumps-*"):
            shutil.rmtree(left, ignore_errors=True)
        self._folder, self.wants = Path(tempfile.mkdtemp(prefix="dumps-", dir=folder)), wants
        self._room = min(_ROOM, shutil.disk_usage(folder).free // _SHARE) // writers

    def close(self) -> None:
        """Deletes the files."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def finish(self) -> None:
        """Ends the writing: from now on they are read."""
        self._room = 0

    def add(self, page: Page, document: Document) -> None:
        """Keeps the dump of a page, while there is room."""
        if self._room > 0:
            data = pickle.dumps(document, pickle.HIGHEST_PROTOCOL)
            data = _HEAD.pack(_hash(page), len(data)) + data
            self._room -= len(data)
            # a disk that is full is no error of the survey
            with suppress(OSError):
                if self._file.write(data) < len(data):
                    self._room = 0

    def get(self, page: Page) -> Document | None:
        """Returns the dump of a page; None if it was not kept, or another run has deleted it."""
        if not self._room and self._places and (place := self._places.get(_hash(page))):
            path, start, size = place
            with suppress(OSError, EOFError), path.open("rb", 0) as file:
                file.seek(start)
                found: Document = pickle.loads(file.read(size))
                return found
        return None

    @cached_property
    def _file(self) -> BinaryIO:
        return (self._folder / str(os.getpid())).open("xb", 0)

    @cached_property
    def _places(self) -> dict[bytes, tuple[Path, int, int]]:
        found: dict[bytes, tuple[Path, int, int]] = {}
        for path in self._folder.glob("*"):
            with suppress(OSError), path.open("rb", 0) as file:
                while len(head := file.read(_HEAD.size)) == _HEAD.size:
                    key, size = _HEAD.unpack(head)
                    end = file.seek(size, os.SEEK_CUR)
                    # the last one of a worker that was killed is cut short
                    if end <= os.fstat(file.fileno()).st_size:
                        found[key] = path, end - size, size
        return found


def _hash(page: Page) -> bytes:
    what = f"{page._replace(body=b'')!r} {len(page.body)} {crc32(page.body)}"
    return blake2b(what.encode("utf-8", "surrogatepass"), digest_size=16).digest()
