"""Worker processes: their start, their messages, their replacement, and the signals that end a run."""

import os


def cores() -> int:
    """Returns the number of cores that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not available on this system
        return os.cpu_count() or 1
