"""The package itself: its version and place, what it needs, and its compiled parts."""

from __future__ import annotations

import platform
import re
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from ncleaner.checking.findings import BROKEN, FINE, NOTE, Finding

__all__ = ["REINSTALL", "compiled", "installation", "needed", "optional", "requirements"]

REINSTALL = "install it again: pip install --force-reinstall ncleaner; in a checkout: pip install -e ."
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
    return Path(__file__).resolve().parent.parent


@cache
def requirements() -> dict[str, list[str]]:
    """Returns {extra: names of packages} as the package itself declares them; the key of what it always needs
    is empty. Extras that consist of others have the packages of these."""
    found: dict[str, list[str]] = {"": []}
    inner: dict[str, list[str]] = {}
    for text in requires("ncleaner") or ():
        named = _REQUIREMENT.match(text)
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", text)
        if named is None:
            continue
        key = extra[1] if extra else ""
        found.setdefault(key, [])
        if named[1] == "ncleaner":
            inner.setdefault(key, []).extend((named[2] or "").split(","))
        else:
            found[key].append(named[1])
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
        shown = ", ".join(missing[:3]) + (" …" if len(missing) > 3 else "")
        yield Finding(
            part, "modules", BROKEN, f"not compiled for this Python: {shown}", REINSTALL, {"missing": missing}
        )
        return
    for name in names:
        import_module(name)
    yield Finding(part, "modules", FINE, f"{len(names)} load", values={"modules": len(names)})
    yield from _ways()


def _ways() -> Iterator[Finding]:
    """Yields which of two ways the compiled code takes, where another build of a library rules the fast one
    out. The results are the same."""
    from ncleaner.document import _dump, _lexbor
    from ncleaner.reading import _libdeflate

    again = "else: pip install --force-reinstall --only-binary :all:"
    if not _dump.LAYOUT_PROVED:
        yield Finding(
            "compiled parts",
            "tree of Lexbor",
            BROKEN,
            f"selectolax {_version_of('selectolax')} has another layout than expected: no page can be read",
            "pip install --force-reinstall --only-binary :all: 'selectolax>=1.0,<2'",
        )
    ways = (
        (
            "parser of Lexbor",
            _lexbor.PARSES_AGAIN,
            "used again for the next page, and watched",
            "a new one for each page, so parsing takes a fifth longer: this build of selectolax hides "
            "Lexbor's functions",
            f"on Windows always so; {again} 'selectolax>=1.0,<2'",
        ),
        (
            "libdeflate",
            _libdeflate.AVAILABLE,
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
