"""What `doctor` says: of the package itself (version, needed packages, compiled parts), and of what a run
finds around it (models, folders, cores, memory, open files, rates)."""

from __future__ import annotations

import os
import platform
import re
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any, Literal

from ncleaner.errors import ModelError, NcleanerError
from ncleaner.storage.local import shipped_folder
from ncleaner.text.visible import counted, joined

State = Literal["ok", "note", "broken"]
#: It works.
FINE: State = "ok"
#: It works, and there is something to know about it.
NOTE: State = "note"
#: It does not work.
BROKEN: State = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check has found out.

    Attributes:
        part: what the check is about, such as `models`; the heading that it is shown under.
        name: of the thing that is checked.
        state: `ok`, `note` or `broken`.
        said: what was found, in words.
        remedy: what to do, in words; empty if there is nothing to do.
        values: the same for programs: {name: value}, all of them JSON.
    """

    part: str
    name: str
    state: State
    said: str
    remedy: str = ""
    values: dict[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """Returns the finding for JSON."""
        found = {"part": self.part, "name": self.name, "state": self.state, "said": self.said}
        return {**found, **({"remedy": self.remedy} if self.remedy else {}), **self.values}


def guarded(part: str, check: Callable[[], Iterator[Finding]], remedy: str) -> Iterator[Finding]:
    """Yields what a check finds. Where it fails itself, for whatever reason, that is a finding, too: who asks
    why something does not work needs an answer."""
    try:
        yield from check()
    except (Exception, SystemExit) as error:
        lines = str(error).strip().splitlines()
        what = lines[0] if lines else ""
        if not isinstance(error, NcleanerError):
            what = f"{type(error).__name__}: {what}" if what else type(error).__name__
        yield Finding(part, "check", BROKEN, what, remedy)


def findings(cores: int, speed: bool) -> Iterator[Finding]:
    """Yields all findings, in the order in which they are shown; `cores`: those that this process may use."""
    yield from guarded("installation", installation, _REINSTALL)
    yield from guarded("installation", needed, _REINSTALL)
    yield from guarded("compiled parts", compiled, _REINSTALL)
    yield from guarded("optional parts", optional, _REINSTALL)
    yield from guarded("models", models, _REINSTALL)
    yield from guarded("folders", folders, "see which folder it is, and make it writable")
    yield from guarded("machine", lambda: machine(cores), "report it: the system is unknown to ncleaner")
    if speed:
        yield from guarded("speed of one core", rates, _REINSTALL)


_REINSTALL = "install it again: pip install --force-reinstall ncleaner; in a checkout: pip install -e ."
# extras for those who work on the package
_OURS = ("test", "bench", "fuzz", "docs", "dev")
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[([\w,-]+)\])?")


def installation() -> Iterator[Finding]:
    """Yields version, Python, platform and place."""
    part = "installation"
    try:
        installed = version("ncleaner")
    except PackageNotFoundError:
        yield Finding(
            part, "ncleaner", BROKEN, "runs from a folder in which it is not installed",
            "in a checkout: pip install -e .",
        )  # fmt: skip
    else:
        yield Finding(part, "ncleaner", FINE, installed, values={"version": installed})
    free = " free-threaded," if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield Finding(
        part, "Python", NOTE if free else FINE, f"{python},{free} {sys.executable}",
        "not supported: its lock is taken back at the first import" if free else "",
        {"python": platform.python_version(), "free_threaded": bool(free), "executable": sys.executable},
    )  # fmt: skip
    tag = sysconfig.get_platform()
    libc = " ".join(filter(None, platform.libc_ver()))
    yield Finding(
        part, "platform", FINE, ", ".join(filter(None, (platform.platform(), libc))),
        values={"platform": tag, "system": platform.system(), "machine": platform.machine()},
    )  # fmt: skip
    place = str(_package())
    yield Finding(part, "folder", FINE, place, values={"path": place})


def _package() -> Path:
    return Path(__file__).resolve().parent


def _declared(package: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yields (extra, name, its own extras) of what a package needs; nothing if it is not installed."""
    with suppress(PackageNotFoundError):
        for text in requires(package) or ():
            named = _REQUIREMENT.match(text)
            extra = re.search(r"extra == ['\"]([\w-]+)['\"]", text)
            if named is not None:
                yield extra[1] if extra else "", named[1], (named[2] or "").split(",")


@cache
def requirements() -> dict[str, list[str]]:
    """Returns {extra: names of packages} as the package itself declares them; the key of what it always needs
    is empty. Extras that consist of others have the packages of these."""
    found: dict[str, list[str]] = {"": []}
    inner: dict[str, list[str]] = {}
    for key, name, extras in _declared("ncleaner"):
        found.setdefault(key, [])
        if name == "ncleaner":
            inner.setdefault(key, []).extend(extras)
        else:
            # fsspec[http] is of no use without what it is for
            further = [more for extra, more, _ in _declared(name) if extra and extra in extras]
            found[key] += [name, *further]
    for key, others in inner.items():
        found[key] = [
            *dict.fromkeys([*found[key], *(name for other in others for name in found.get(other, []))])
        ]
    return found


def _version_of(name: str) -> str:
    """Returns the installed version of a package; empty if it is not installed."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def needed() -> Iterator[Finding]:
    """Yields the packages that are always needed, in one finding; each that is missing in one of its own."""
    found = {name: _version_of(name) for name in requirements()[""]}
    for name, installed in found.items():
        if not installed:
            yield Finding("installation", name, BROKEN, "is not installed", f"pip install {name}")
    present = [f"{name} {installed}" for name, installed in found.items() if installed]
    yield Finding("installation", "packages", FINE, ", ".join(present), values={"versions": found})


def optional() -> Iterator[Finding]:
    """Yields what each extra of users has, and the command that installs it."""
    for extra, names in requirements().items():
        if not extra or extra in _OURS:
            continue
        found = {name: _version_of(name) for name in names}
        present = [f"{name} {installed}" for name, installed in found.items() if installed]
        missing = [name for name, installed in found.items() if not installed]
        said = ", ".join(present)
        if missing:
            said = f"{said}; " if said else ""
            said += f"not installed: {', '.join(missing)}" if present else "not installed"
        yield Finding(
            "optional parts", extra, NOTE if missing else FINE, said,
            f"pip install 'ncleaner[{extra}]'" if missing else "",
            {"installed": not missing, "versions": found},
        )  # fmt: skip


def compiled() -> Iterator[Finding]:
    """Yields whether the compiled modules load, and which ways through them this machine takes."""
    part = "compiled parts"
    suffixes = tuple(sysconfig.get_config_var("EXT_SUFFIX").split())
    package = _package()
    names = sorted(
        ".".join(path.relative_to(package.parent).parts).removesuffix(suffix)
        for suffix in suffixes
        for path in package.rglob(f"*{suffix}")
    )
    # each module that is compiled has a header or a description of its types beside it
    expected = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts) for path in package.rglob("_*.pyi")
    }
    missing = sorted(expected - set(names))
    if missing:
        yield Finding(
            part,
            "modules",
            BROKEN,
            f"not compiled for this Python: {joined(missing, 3)}",
            _REINSTALL,
            {"missing": missing},
        )
        return
    for name in names:
        import_module(name)
    yield Finding(part, "modules", FINE, f"{len(names)} load", values={"modules": len(names)})
    yield from _ways()


def _ways() -> Iterator[Finding]:
    """Yields which of two ways the compiled code takes, where another build of a library rules the fast one
    out. The results are the same."""
    from ncleaner.document import _lexbor, _nodes
    from ncleaner.reading import _warc

    again = "else: pip install --force-reinstall --only-binary :all:"
    if not _nodes.LAYOUT_PROVED:
        yield Finding(
            "compiled parts",
            "tree of Lexbor",
            BROKEN,
            f"selectolax {_version_of('selectolax')} has another layout than expected: no page can be read",
            "pip install --force-reinstall --only-binary :all: 'selectolax>=1.0,<1.1'",
        )
    ways = (
        (
            "parser of Lexbor",
            _lexbor.PARSES_AGAIN,
            "used again for the next page, and watched",
            "a new one for each page, so parsing takes a fifth longer: this build of selectolax hides "
            "Lexbor's functions",
            f"on Windows always so; {again} 'selectolax>=1.0,<1.1'",
        ),
        (
            "libdeflate",
            _warc.AVAILABLE,
            "inflates members of gzip as a whole",
            "not found in the package deflate: zlib-ng inflates, in about twice the time",
            f"on Windows always so; {again} deflate",
        ),
    )
    for name, fast, well, slow, remedy in ways:
        yield Finding(
            "compiled parts", name, FINE if fast else NOTE, well if fast else slow, "" if fast else remedy,
            {"fast": bool(fast)},
        )  # fmt: skip


# What is around it

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
            yield Finding("models", name, BROKEN, str(error), _REINSTALL)
        else:
            good.append(name)
    if not good:
        yield Finding("models", "shipped", BROKEN, "no model came with the package", _REINSTALL)
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


# seconds for each rate, after a first round that is not counted; all of it has to take less than ten
_SECONDS = 1.5
_METHODS = ("hybrid", "ngram")
# bytes of the text that is cleaned
_TEXT = 1 << 20


def rates() -> Iterator[Finding]:
    """Yields rates of one core: pages from the archive to JSON lines, and plain text.

    Raises:
        OSError: the sample crawl is not there.
    """
    from io import BytesIO

    from ncleaner.cleaner import Cleaner
    from ncleaner.document._document import reuse_memory
    from ncleaner.page import Page
    from ncleaner.reading.archive import read
    from ncleaner.sinks.choice import Output

    stored = (shipped_folder("examples") / "crawl.warc.gz").read_bytes()
    sink = Output(format="jsonl").sink()
    reuse_memory()
    pages = [page for page in read(BytesIO(stored), name="crawl.warc.gz") if isinstance(page, Page)]
    size = sum(len(page.body) for page in pages)
    text = b""
    for method in _METHODS:
        cleaner = Cleaner(method)
        text = text or "\n".join(cleaner.clean(page.body) for page in pages).encode()

        def once(cleaner: Cleaner = cleaner) -> None:
            for page in read(BytesIO(stored), name="crawl.warc.gz"):
                if isinstance(page, Page):
                    sink.render(page, *cleaner.page(page), single=False)

        seconds = _seconds(once)
        per_second, megabytes = len(pages) / seconds, size / seconds / 1e6
        yield Finding(
            "speed of one core", f"clean -m {method}", FINE,
            f"{per_second:,.0f} pages/s, {megabytes:,.1f} MB/s ({size / len(pages) / 1e3:.0f} kB a page)",
            values={"pages_per_second": round(per_second, 1), "megabytes_per_second": round(megabytes, 2)},
        )  # fmt: skip
    cleaner = Cleaner("ngram")
    plain = Page(text * (_TEXT // len(text) + 1), kind="text")
    seconds = _seconds(lambda: cleaner.page(plain))
    yield Finding(
        "speed of one core", "plain text", FINE, f"{len(plain.body) / seconds / 1e6:,.1f} MB/s",
        values={"megabytes_per_second": round(len(plain.body) / seconds / 1e6, 2)},
    )  # fmt: skip


def _seconds(work: Callable[[], object]) -> float:
    """Returns the seconds of one round of work: of the shortest of all rounds that there is time for."""
    work()
    shortest = float("inf")
    end = time.perf_counter() + _SECONDS
    while (now := time.perf_counter()) < end:
        work()
        shortest = min(shortest, time.perf_counter() - now)
    return shortest
