"""The public names are what `__all__` says, and nothing else leaks out of the package."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

import pytest

import ncleaner

ROOT = Path(ncleaner.__file__).parent
REFERENCE = Path(__file__).parent.parent / "docs" / "python-reference.md"
MODULES = [
    ".".join(("ncleaner", *path.relative_to(ROOT).with_suffix("").parts))
    for path in sorted(ROOT.rglob("*.py"))
    if path.name not in ("__init__.py", "__main__.py", "datatrove.py") and path.parent.name != "spark"
]


def test_dir_shows_the_public_names_alone() -> None:
    assert dir(ncleaner) == sorted(ncleaner.__all__) == sorted(ncleaner._MODULES)


def test_the_version() -> None:
    assert ncleaner.__version__ == version("ncleaner")


@pytest.mark.parametrize("name", ncleaner.__all__)
def test_each_name_is_found_and_has_a_docstring(name: str) -> None:
    value = getattr(ncleaner, name)
    assert value.__doc__
    assert value.__name__ == name
    assert not isinstance(value, ModuleType)


@pytest.mark.skipif(not REFERENCE.exists(), reason="the documents are not here")
def test_the_reference_has_each_name() -> None:
    named = re.findall(
        r"^\.\. auto(?:class|function):: ncleaner\.(\w+)$", REFERENCE.read_text("utf-8"), re.MULTILINE
    )
    errors = {name for name in ncleaner.__all__ if name.endswith(("Error", "Warning"))}
    assert sorted(named) == sorted(set(ncleaner.__all__) - errors)


def test_a_name_that_there_is_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'scrub'"):
        _ = ncleaner.scrub  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", MODULES)
def test_no_name_hides_a_module(name: str) -> None:
    module = import_module(name)
    package, _, leaf = name.rpartition(".")
    assert getattr(import_module(package), leaf) is module
    assert all(hasattr(module, public) for public in getattr(module, "__all__", ()))


def test_importing_the_package_loads_nothing_but_itself() -> None:
    code = "import sys, ncleaner; print(*(name for name in sys.modules if name.startswith('ncleaner')))"
    found = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["ncleaner"]
