"""Messages between the parent and a worker, through a socket that never holds the parent up.

A worker may be stopped at any moment, in the middle of a message too, or before it takes one. So the parent
sends and receives only what the socket takes and gives at once, and keeps the rest.
"""

from __future__ import annotations

import pickle
import socket
from collections.abc import Iterator
from contextlib import suppress
from struct import Struct
from typing import Any, Final

__all__ = ["Channel", "pair", "receive", "send"]

_LENGTH: Final = Struct("!Q")
_BLOCK: Final = 1 << 18
_BLOCKS: Final = 16


def pair() -> tuple[Channel, socket.socket]:
    """Returns the parent's end and the worker's end of a new connection."""
    ours, theirs = socket.socketpair()
    ours.setblocking(False)
    return Channel(ours), theirs


def send(end: socket.socket, message: object) -> None:
    """Sends a message from a worker. Raises OSError: the parent has closed its end."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    end.sendall(_LENGTH.pack(len(data)))
    end.sendall(data)


def receive(end: socket.socket) -> Any:
    """Waits for a message in a worker. Raises EOFError or OSError: the parent has closed its end."""
    (length,) = _LENGTH.unpack(_exactly(end, _LENGTH.size))
    return pickle.loads(_exactly(end, length))


def _exactly(end: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view = memoryview(data)
    while view:
        count = end.recv_into(view)
        if not count:
            raise EOFError
        view = view[count:]
    return data


class Channel:
    """The parent's end of a connection."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end
        self._out = b""
        self._sent = 0
        self._in = bytearray()

    def fileno(self) -> int:
        """Returns the file descriptor, for `selectors`; -1 if the channel is closed."""
        return self._end.fileno()

    @property
    def is_sending(self) -> bool:
        """Whether a part of a message has still to be sent."""
        return self._sent < len(self._out)

    def send(self, message: object) -> None:
        """Begins to send a message; the one before has been sent. Raises OSError: the worker has ended."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._out = _LENGTH.pack(len(data)) + data
        self._sent = 0
        self.send_more()

    def send_more(self) -> None:
        """Sends as much as the socket takes. Raises OSError: the worker has ended."""
        with suppress(BlockingIOError):
            while self.is_sending:
                self._sent += self._end.send(memoryview(self._out)[self._sent : self._sent + _BLOCK])
        if not self.is_sending:
            self._out = b""
            self._sent = 0

    def messages(self) -> Iterator[Any]:
        """Yields the messages that have arrived completely.

        Raises:
            EOFError, OSError: the worker has ended; all its complete messages have been yielded.
        """
        ended: BaseException | None = None
        try:
            # not for ever: other workers have messages, too
            for _ in range(_BLOCKS):
                data = self._end.recv(_BLOCK)
                self._in += data
                if not data:
                    ended = EOFError()
                if len(data) < _BLOCK:
                    break
        except BlockingIOError:
            pass
        except OSError as error:
            ended = error
        while len(self._in) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._in)
            end = _LENGTH.size + length
            if len(self._in) < end:
                break
            message = pickle.loads(memoryview(self._in)[_LENGTH.size : end])
            del self._in[:end]
            yield message
        if ended is not None:
            raise ended

    def close(self) -> None:
        """Closes this end."""
        self._end.close()
