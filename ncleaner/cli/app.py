"""The command `ncleaner`, from its first instruction to its exit status.

Exit status: 0 all inputs read whole; 1 some input damaged or some page given up, or an error in the data;
2 usage; 130 and 143 ended by SIGINT and SIGTERM; 141 the reader of its output has closed the pipe, as for
programs that die of SIGPIPE.

Loading all of the package takes some tenths of a second, so this module imports nothing at its top that
Python has not loaded already: an interrupt must find it in charge.
"""

import gc
import os
import sys


def main() -> None:
    """Entry point of the `ncleaner` command."""
    # modules stay: no need to look for garbage among them while they are loaded (until `reports_errors`)
    gc.disable()
    # NumPy's library of linear algebra takes memory for each thread, and ends the process where there is too
    # little; nothing here gains by its threads
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        import signal

        # the program that starts this process may want interrupts ignored
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _interrupted)
        status = _status()
        # everything is written: an interrupt while Python ends would deny that
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    except KeyboardInterrupt:
        _interrupted()
    _end(status)


def _end(status: int) -> None:
    """Ends the process when all is written, as `sys.exit` does, but takes no module apart: a short run would
    spend a tenth of its time on that."""
    import atexit
    from contextlib import suppress

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)


def _interrupted(*_: object) -> None:
    """Ends the process at once. An exception would not do: native modules that are being loaded drop some,
    and make others of them. Nothing has been written yet; commands have a handler of their own."""
    try:
        os.write(2, b"ncleaner: interrupted\n")
    finally:
        os._exit(130)


def _status() -> int:
    """Runs the command line; returns the exit status."""
    try:
        from ncleaner.cli.printing import discard, finish, open_missing, tell_error

        open_missing()
        try:
            from ncleaner.cli.program import run

            status = run()
            finish()
            return status
        except BrokenPipeError:
            discard(sys.stdout, sys.stderr)
            return 141
        except Exception as error:
            told = _told(error)
            if not told:
                raise
            discard(sys.stdout)
            tell_error(told)
            return 1
    except (ImportError, MemoryError):
        # the memory is not even enough for these few lines
        os.write(2, b"ncleaner: not enough memory, or not all of its files are there\n")
        os._exit(1)


def _told(error: Exception) -> str:
    """Returns what to say of an exception that is not a defect of this package; empty for others."""
    from ncleaner.errors import NcleanerError

    if isinstance(error, NcleanerError):
        return str(error)
    root: BaseException = error
    # a library that cannot be loaded tells it at length, and first of all what has happened
    while following := root.__cause__ or root.__context__:
        root = following
    lines = str(root).strip().splitlines()
    what = lines[0] if lines else type(root).__name__
    if isinstance(error, MemoryError) or _memory_is_limited():
        return f"not enough memory ({what})"
    return f"cannot load what it needs: {what}" if isinstance(error, ImportError) else ""


def _memory_is_limited() -> bool:
    try:
        import resource
    except ImportError:  # Windows
        return False
    bounds = (resource.RLIMIT_AS, resource.RLIMIT_DATA)
    return any(resource.getrlimit(bound)[0] != resource.RLIM_INFINITY for bound in bounds)
