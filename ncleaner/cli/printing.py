"""Standard output and standard error: everything that the command line says goes through here.

In what people read, nothing from a crawl acts on the terminal (`text.visible`). Data for programs,
`show_bytes`, stays as it is.
"""

import errno
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from ncleaner.errors import InputError, stdout_error
from ncleaner.text.visible import json_text, visible, visible_lines

if TYPE_CHECKING:
    from rich.console import Console


# with these, rich takes for a terminal what is none
_FORCING = ("FORCE_COLOR", "TTY_COMPATIBLE")
# whether the caller of the process has closed it
_stdin_is_closed = False


def open_missing() -> None:
    """Opens the standard streams that the caller of the process has closed.

    Otherwise the first file that is opened gets the number of such a stream, and Python has none. What is
    written to a closed standard output, or read from a closed standard input, is an error then; what is
    written to a closed standard error is lost. Characters that an output cannot encode are escaped.
    """
    global _stdin_is_closed
    _stdin_is_closed = sys.stdin is None
    # a number is given to the next file, so they are taken in this order
    for number, mode in enumerate((os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            # opened the wrong way round, so that reading and writing fail
            os.open(os.devnull, mode)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")


def check_stdin(names: Iterable[str]) -> None:
    """Raises InputError: one of these inputs is standard input, and the caller of the process has closed
    it."""
    if "-" in names and _stdin_is_closed:
        raise InputError("cannot read standard input: it is closed")


@contextmanager
def output_errors() -> Iterator[None]:
    """Turns an OSError into an OutputError about standard output; leaves a BrokenPipeError unchanged."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError(error.strerror) from error
        discard(sys.stdout)
        raise stdout_error(error) from error


def show(text: str) -> None:
    """Writes lines of text to standard output.

    Raises:
        OutputError: the disk is full, or standard output is closed.
        BrokenPipeError: its reader has ended.
    """
    with output_errors():
        print(visible_lines(text), flush=True)


def show_json(value: Any) -> None:
    """Writes JSON to standard output. Raises as `show` does."""
    with output_errors():
        print(json_text(value), flush=True)


def show_bytes(data: bytes) -> None:
    """Writes data to standard output. Raises as `show` does."""
    with output_errors():
        sys.stdout.buffer.write(data)


def terminal() -> "Console | None":
    """Returns a console of rich if standard output is a terminal, or FORCE_COLOR says so; None otherwise.

    It has the width of the terminal, or COLUMNS, and shows no colours where NO_COLOR is set.
    """
    if not (sys.stdout.isatty() or any(os.environ.get(name) for name in _FORCING)):
        return None
    from rich.console import Console

    console = Console(highlight=False, emoji=False, markup=False)
    return console if console.is_terminal else None


def show_drawn(console: "Console", drawing: Any) -> None:
    """Draws on a console that `terminal` gives. The texts of the drawing are safe already. Raises as `show`
    does."""
    with output_errors():
        console.print(drawing)


def tell(text: str) -> None:
    """Writes lines of text to standard error."""
    tell_raw(visible_lines(text))


def tell_error(what: object) -> None:
    """Writes an error to standard error, on one line."""
    tell_raw(f"ncleaner: {visible(what)}")


def tell_raw(line: str) -> None:
    """Writes a line that is safe already.

    Raises:
        BrokenPipeError: the reader of standard error has ended.
    """
    try:
        print(line, file=sys.stderr, flush=True)
    except BrokenPipeError:
        raise
    except OSError:
        # there is no other place to tell of it
        discard(sys.stderr)


def may_be_terminal() -> bool:
    """Whether standard error may be a terminal; rich, which knows for sure, takes long to load."""
    return sys.stderr.isatty() or any(os.environ.get(name) for name in _FORCING)


def finish() -> None:
    """Writes what standard output still holds. Raises as `show` does."""
    with output_errors():
        sys.stdout.flush()


def discard(*streams: Any) -> None:
    """Sends what these streams still hold nowhere, so that nothing is said about it at the end."""
    for stream in streams:
        # a stream that a test has put there has no number
        with suppress(OSError, ValueError, AttributeError):
            number = stream.fileno()
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, number)
            os.close(nowhere)
