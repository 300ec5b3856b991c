"""What a run finds around it: models, folders, cores, memory, open files."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ncleaner.checking.findings import BROKEN, FINE, NOTE, Finding
from ncleaner.checking.installation import REINSTALL
from ncleaner.errors import ModelError, NcleanerError
from ncleaner.text.counted import counted

__all__ = ["folders", "machine", "models"]

# below this, many workers and remote files may run out of open files
_FEW_FILES = 256
_LITTLE_MEMORY = 500_000_000
_LITTLE_SPACE = 500_000_000


def models() -> Iterator[Finding]:
    """Yields the shipped models, and the user's own; each that is damaged in a finding of its own."""
    from ncleaner.methods.choice import load_model
    from ncleaner.modelling.files import own_models, shipped_names

    good = []
    for name in shipped_names():
        try:
            load_model(name)
        except NcleanerError as error:
            yield Finding("models", name, BROKEN, str(error), REINSTALL)
        else:
            good.append(name)
    if not good:
        yield Finding("models", "shipped", BROKEN, "no model came with the package", REINSTALL)
        return
    yield Finding("models", "shipped", FINE, ", ".join(good), values={"names": good})
    try:
        own = own_models()
    except ModelError as error:
        yield Finding("models", "your own", BROKEN, str(error), "make the folder readable")
        return
    good = []
    for name, path in own.items():
        try:
            load_model(path)
        except NcleanerError as error:
            remedy = f"ncleaner models remove {name}, then train or add it again"
            yield Finding("models", name, BROKEN, str(error), remedy, {"path": str(path)})
        else:
            good.append(name)
    yield Finding("models", "your own", FINE, ", ".join(good) or "none", values={"names": good})


def folders() -> Iterator[Finding]:
    """Yields whether the folders that commands write to can be written, and the space there."""
    from ncleaner.modelling.files import VARIABLE, own_folder

    yield _folder(
        "temporary files", Path(tempfile.gettempdir()), "set TMPDIR to a folder that can be written"
    )
    own = own_folder()
    yield _folder("your own models", own, f"set {VARIABLE} to a folder that can be written, to add models")
    kept = bool(list(Path(__file__).parent.glob("__pycache__/*.pyc")))
    if not kept:
        yield Finding(
            "folders", "compiled Python", NOTE,
            "Python keeps no compiled files for the package, so each command starts in twice the time",
            "unset PYTHONDONTWRITEBYTECODE",
        )  # fmt: skip


def _folder(name: str, path: Path, remedy: str) -> Finding:
    """Returns whether files can be made in a folder, or in the folder in which it would be made."""
    place = path
    while not place.exists() and place != place.parent:
        place = place.parent
    said = str(path) if place == path else f"{path} (does not exist yet)"
    try:
        with tempfile.NamedTemporaryFile(dir=place):
            pass
        system = os.statvfs(place) if hasattr(os, "statvfs") else None
    except OSError as error:
        return Finding(
            "folders", name, BROKEN, f"{path}: {error.strerror or error}", remedy, {"path": str(path)}
        )
    if system is None:
        return Finding("folders", name, FINE, said, values={"path": str(path)})
    free = system.f_bavail * system.f_frsize
    values = {"path": str(path), "free_bytes": free}
    if free < _LITTLE_SPACE:
        return Finding("folders", name, NOTE, f"{said}, only {_size(free)} free", "free some space", values)
    return Finding("folders", name, FINE, f"{said}, {_size(free)} free", values=values)


def machine(cores: int) -> Iterator[Finding]:
    """Yields cores, memory and the limit of open files.

    Args:
        cores: those that this process may use.
    """
    yield Finding("machine", "cores", FINE, counted(cores, "core"), values={"cores": cores})
    memory = _memory()
    if memory:
        total, free = memory
        little = free < _LITTLE_MEMORY
        yield Finding(
            "machine", "memory", NOTE if little else FINE, f"{_size(total)}, {_size(free)} free",
            "each worker takes about 100 MB: give fewer of them with --jobs" if little else "",
            {"bytes": total, "free_bytes": free},
        )  # fmt: skip
    files = _open_files()
    if files is not None:
        few = files < _FEW_FILES
        yield Finding(
            "machine", "open files", NOTE if few else FINE, f"at most {files:,}",
            "raise the limit where many workers or remote files are used: ulimit -n 4096" if few else "",
            {"limit": files},
        )  # fmt: skip


def _memory() -> tuple[int, int] | None:
    """Returns the bytes of memory that this process may use, and those that are free; None where the system
    does not tell."""
    try:
        page = os.sysconf("SC_PAGE_SIZE")
        total, free = page * os.sysconf("SC_PHYS_PAGES"), page * os.sysconf("SC_AVPHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on this system
        return None
    status = Path("/proc/meminfo")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                free = 1024 * int(line.split()[1])
    # of a container
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.exists() and (most := limit.read_text().strip()).isdigit():
        total, free = min(total, int(most)), min(free, int(most))
    return total, free


def _open_files() -> int | None:
    try:
        import resource
    except ImportError:  # Windows
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if soft == resource.RLIM_INFINITY else int(soft)


def _size(number: int) -> str:
    return f"{number / 1e9:,.1f} GB"
