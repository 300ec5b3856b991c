"""What `doctor` says: of the package itself (version, needed packages, compiled parts), and of what a run
finds around it (models, folders, cores, memory, open files, speed)."""

import os
import platform
import re
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from timeit import repeat
from typing import Any, Literal

from ncleaner.errors import MissingWingError, ModelError, NcleanerError
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
        name: of the thing that is checked.
        state: `ok`, `note` or `broken`.
        said: what was found, in words.
        remedy: what to do, in words; empty if there is nothing to do.
        values: the same for programs: {name: value}, all of them JSON.
    """

    name: str
    state: State
    said: str
    remedy: str = ""
    values: dict[str, Any] = field(default_factory=dict)

    def record(self) -> dict[str, Any]:
        """Returns the finding for JSON."""
        found = {"name": self.name, "state": self.state, "said": self.said}
        return {**found, **({"remedy": self.remedy} if self.remedy else {}), **self.values}


def _noted(name: str, fine: bool, said: str, remedy: str, values: dict[str, Any]) -> Finding:
    """Returns that something is fine, or else a note with what to do."""
    return Finding(name, FINE if fine else NOTE, said, "" if fine else remedy, values)


def guarded(check: Callable[[], Iterator[Finding]], remedy: str) -> Iterator[Finding]:
    """Yields what a check finds. Where it fails itself, for whatever reason, that is a finding, too: who asks
    why something does not work needs an answer."""
    try:
        yield from check()
    except (Exception, SystemExit) as error:
        lines = str(error).strip().splitlines()
        what = lines[0] if lines else ""
        if not isinstance(error, NcleanerError):
            what = f"{type(error).__name__}: {what}" if what else type(error).__name__
        yield Finding("check", BROKEN, what, remedy)


def findings(cores: int, speed: bool) -> Iterator[tuple[str, Finding]]:
    """Yields all findings with the heading that each is shown under, in that order; `cores`: those that this
    process may use."""
    checks: list[tuple[str, Callable[[], Iterator[Finding]], str]] = [
        ("installation", installation, _REINSTALL),
        ("installation", needed, _REINSTALL),
        ("compiled parts", compiled, _REINSTALL),
        ("optional parts", optional, _REINSTALL),
        ("models", models, _REINSTALL),
        ("folders", folders, "see which folder it is, and make it writable"),
        ("machine", lambda: machine(cores), "report it: the system is unknown to ncleaner"),
        *([("speed of one core", rate, _REINSTALL)] if speed else []),
    ]
    for part, check, remedy in checks:
        yield from ((part, finding) for finding in guarded(check, remedy))


_REINSTALL = "install it again: pip install -e . in its clone, or pip install --force-reinstall WHEEL"
# extras for those who work on the package
_OURS = ("test", "bench", "fuzz", "docs", "dev")
_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[([\w,-]+)\])?")


def installation() -> Iterator[Finding]:
    """Yields version, Python, platform and place."""
    try:
        installed = version("ncleaner")
    except PackageNotFoundError:
        yield Finding(
            "ncleaner", BROKEN, "runs from a folder in which it is not installed",
            "in a clone: pip install -e .",
        )  # fmt: skip
    else:
        yield Finding("ncleaner", FINE, installed, values={"version": installed})
    free = " free-threaded," if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield _noted(
        "Python", not free, f"{python},{free} {sys.executable}",
        "not supported: its lock is taken back at the first import",
        {"python": platform.python_version(), "free_threaded": bool(free), "executable": sys.executable},
    )  # fmt: skip
    tag = sysconfig.get_platform()
    libc = " ".join(filter(None, platform.libc_ver()))
    yield Finding(
        "platform", FINE, ", ".join(filter(None, (platform.platform(), libc))),
        values={"platform": tag, "system": platform.system(), "machine": platform.machine()},
    )  # fmt: skip
    place = str(_package())
    yield Finding("folder", FINE, place, values={"path": place})


def _package() -> Path:
    return Path(__file__).resolve().parents[1]


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
            yield Finding(name, BROKEN, "is not installed", f"pip install {name}")
    present = [f"{name} {installed}" for name, installed in found.items() if installed]
    yield Finding("packages", FINE, ", ".join(present), values={"versions": found})


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
        values = {"installed": not missing, "versions": found}
        yield _noted(extra, not missing, said, f"pip install 'ncleaner[{extra}]'", values)


def compiled() -> Iterator[Finding]:
    """Yields whether the compiled modules load, and which ways through them this machine takes."""
    suffixes = tuple(sysconfig.get_config_var("EXT_SUFFIX").split())
    package = _package()
    # each module that is compiled has a header or a description of its types beside it; old clones have
    # compiled files of modules that are elsewhere now
    described = {path.with_suffix("") for kind in ("pyi", "pxd") for path in package.rglob(f"_[a-z]*.{kind}")}
    names = sorted(
        ".".join(path.relative_to(package.parent).parts).removesuffix(suffix)
        for suffix in suffixes
        for path in package.rglob(f"*{suffix}")
        if path.with_name(path.name.removesuffix(suffix)) in {*described, package / "_cyutility"}
    )
    expected = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts)
        for path in package.rglob("_[a-z]*.pyi")
    }
    missing = sorted(expected - set(names))
    if missing:
        said = f"not compiled for this Python: {joined(missing, 3)}"
        yield Finding("modules", BROKEN, said, _REINSTALL, {"missing": missing})
        return
    for name in names:
        import_module(name)
    yield Finding("modules", FINE, f"{len(names)} load", values={"modules": len(names)})
    yield from _ways()


def _ways() -> Iterator[Finding]:
    """Yields which of two ways the compiled code takes, where another build of a library rules the fast one
    out. The results are the same."""
    from ncleaner.parsing import _lexbor, _nodes
    from ncleaner.reading import _warc

    again = "on Windows always so; else: pip install --force-reinstall --only-binary :all:"
    if not _nodes.LAYOUT_PROVED:
        yield Finding(
            "tree of Lexbor",
            BROKEN,
            f"selectolax {_version_of('selectolax')} has another layout than expected: no page can be read",
            "pip install --force-reinstall --only-binary :all: 'selectolax>=1.0,<1.1'",
        )
    fast = bool(_lexbor.PARSES_AGAIN)
    said = "used again for the next page" if fast else "new for each page: parsing takes a fifth longer"
    yield _noted("parser of Lexbor", fast, said, f"{again} 'selectolax>=1.0,<1.1'", {"fast": fast})
    fast = bool(_warc.AVAILABLE)
    said = "inflates members of gzip" if fast else "not in this deflate: zlib-ng takes twice the time"
    yield _noted("libdeflate", fast, said, f"{again} deflate", {"fast": fast})


# What is around it

# below this, many workers and remote files may run out of open files
_FEW_FILES = 256
_LITTLE_MEMORY = 500_000_000
_LITTLE_SPACE = 500_000_000


def models() -> Iterator[Finding]:
    """Yields the shipped models, and the user's own; each that is damaged in a finding of its own."""
    from ncleaner.modelling.files import own_models, shipped_names

    good: list[str] = []
    for name in shipped_names():
        yield from _loaded(name, name, good, _REINSTALL, {})
    if not good:
        yield Finding("shipped", BROKEN, "no model came with the package", _REINSTALL)
        return
    yield Finding("shipped", FINE, ", ".join(good), values={"names": good})
    try:
        own = own_models()
    except ModelError as error:
        yield Finding("your own", BROKEN, str(error), "make the folder readable")
        return
    good = []
    for name, path in own.items():
        remedy = f"ncleaner models remove {name}, then train or add it again"
        yield from _loaded(name, path, good, remedy, {"path": str(path)})
    yield Finding("your own", FINE, ", ".join(good) or "none", values={"names": good})


def _loaded(
    name: str, file: str | Path, good: list[str], remedy: str, values: dict[str, Any]
) -> Iterator[Finding]:
    """Loads a model: its name becomes one of the good ones, or a finding says why not."""
    from ncleaner.methods.choice import load_model

    try:
        load_model(file)
    except NcleanerError as error:
        state = NOTE if isinstance(error, MissingWingError) else BROKEN
        yield Finding(name, state, str(error), remedy, values)
    else:
        good.append(name)


def folders() -> Iterator[Finding]:
    """Yields whether the folders that commands write to can be written, and the space there."""
    from ncleaner.modelling.files import VARIABLE, own_folder

    yield _folder(
        "temporary files", Path(tempfile.gettempdir()), "set TMPDIR to a folder that can be written"
    )
    own = own_folder()
    # only `models add` writes there
    remedy = f"set {VARIABLE} to a folder that can be written, to add models"
    yield _folder("your own models", own, remedy, NOTE)
    kept = bool(list(_package().glob("__pycache__/*.pyc")))
    if not kept:
        yield Finding(
            "compiled Python", NOTE,
            "Python keeps no compiled files for the package, so each command starts in twice the time",
            "unset PYTHONDONTWRITEBYTECODE",
        )  # fmt: skip


def _folder(name: str, path: Path, remedy: str, otherwise: State = BROKEN) -> Finding:
    """Returns whether files can be made in a folder, or in the folder in which it would be made; the state
    `otherwise` if they cannot."""
    place = path
    try:
        while not place.exists() and place != place.parent:
            place = place.parent
        with tempfile.NamedTemporaryFile(dir=place):
            pass
        system = os.statvfs(place) if hasattr(os, "statvfs") else None
    except OSError as error:
        why = error.strerror or error
        return Finding(name, otherwise, f"{path}: {why}", remedy, {"path": str(path)})
    said = str(path) if place == path else f"{path} (does not exist yet)"
    if system is None:
        return Finding(name, FINE, said, values={"path": str(path)})
    free = system.f_bavail * system.f_frsize
    little = free < _LITTLE_SPACE
    said = f"{said}, {'only ' if little else ''}{_size(free)} free"
    return _noted(name, not little, said, "free some space", {"path": str(path), "free_bytes": free})


def machine(cores: int) -> Iterator[Finding]:
    """Yields cores, memory and the limit of open files.

    Args:
        cores: those that this process may use.
    """
    yield Finding("cores", FINE, counted(cores, "core"), values={"cores": cores})
    memory = _memory()
    if memory:
        total, free = memory
        yield _noted(
            "memory", free >= _LITTLE_MEMORY, f"{_size(total)}, {_size(free)} free",
            "each worker takes about 100 MB: give fewer of them with --jobs",
            {"bytes": total, "free_bytes": free},
        )  # fmt: skip
    files = _open_files()
    if files is not None:
        yield _noted(
            "open files", files >= _FEW_FILES, f"at most {files:,}",
            "raise the limit where many workers or remote files are used: ulimit -n 4096",
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


# of the sample crawl, all of them in less than two seconds; the first one loads the models
_ROUNDS = 50


def rate() -> Iterator[Finding]:
    """Yields how many pages a second one core cleans, from the archive to the decision.

    Raises:
        InputError: the sample crawl is not there.
    """
    from ncleaner.cleaner import Cleaner
    from ncleaner.page import Page
    from ncleaner.reading.archive import read

    cleaner = Cleaner()

    def clean() -> int:
        pages = [
            item for item in read(shipped_folder("examples") / "crawl.warc.gz") if isinstance(item, Page)
        ]
        return len([cleaner.page(page) for page in pages])

    per_second = clean() / min(repeat(clean, number=1, repeat=_ROUNDS))
    values = {"pages_per_second": round(per_second, 1)}
    yield Finding("clean", FINE, f"{per_second:,.0f} pages/s of the sample crawl", values=values)
