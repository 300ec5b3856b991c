"""Messages between the parent and a worker, through a socket that never holds the parent up.

A worker may be stopped at any moment, in the middle of a message too, or before it takes one. So the parent
sends and receives only what the socket takes and gives at once, and keeps the rest.
"""

import pickle
import socket
from collections.abc import Iterator
from contextlib import suppress
from struct import Struct
from typing import Any, Final

_LENGTH: Final = Struct("!Q")
_BLOCK: Final = 1 << 18
_BLOCKS: Final = 16
_ROOM: Final = 1 << 20


def pair() -> "tuple[Channel, socket.socket]":
    """Returns the parent's end and the worker's end of a new connection."""
    ours, theirs = socket.socketpair()
    for end in (ours, theirs):
        # a job or a result of the usual size goes in one piece, so that both sides wake up once
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _ROOM)
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
        # what has still to be sent: the length of a message, and the message
        self._out: list[memoryview] = []
        # what is being received: a length, or a message
        self._in = bytearray(_LENGTH.size)
        self._received = 0
        self._is_length = True

    def fileno(self) -> int:
        """Returns the file descriptor, for `selectors`; -1 if the channel is closed."""
        return self._end.fileno()

    @property
    def is_sending(self) -> bool:
        """Whether a part of a message has still to be sent."""
        return bool(self._out)

    def send(self, message: object) -> None:
        """Begins to send a message; the one before has been sent. Raises OSError: the worker has ended."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self._out = [memoryview(_LENGTH.pack(len(data))), memoryview(data)]
        self.send_more()

    def send_more(self) -> None:
        """Sends as much as the socket takes. Raises OSError: the worker has ended."""
        with suppress(BlockingIOError):
            while self._out:
                part = self._out[0]
                sent = self._end.send(part[:_BLOCK])
                if sent < len(part):
                    self._out[0] = part[sent:]
                else:
                    del self._out[0]

    def messages(self) -> Iterator[Any]:
        """Yields the messages that have arrived completely.

        Raises:
            EOFError, OSError: the worker has ended; all its complete messages have been yielded.
        """
        found: list[Any] = []
        ended: BaseException | None = None
        # not for ever: other workers have messages, too
        left = _BLOCKS * _BLOCK
        try:
            while left > 0:
                with memoryview(self._in) as place:
                    count = self._end.recv_into(place[self._received :])
                if not count:
                    ended = EOFError()
                    break
                left -= count
                self._received += count
                if self._received == len(self._in) and (message := self._completed()):
                    found.append(message[0])
        except BlockingIOError:
            pass
        except OSError as error:
            ended = error
        yield from found
        if ended is not None:
            raise ended

    def _completed(self) -> tuple[Any] | None:
        """Returns the message that has been received; None after its length."""
        message = None if self._is_length else (pickle.loads(self._in),)
        size = _LENGTH.unpack(self._in)[0] if self._is_length else _LENGTH.size
        self._in = bytearray(size)
        self._received = 0
        self._is_length = not self._is_length
        return message

    def close(self) -> None:
        """Closes this end."""
        self._end.close()
