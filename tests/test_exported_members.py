"""The public names are what `__all__` says, and nothing else leaks out of the package."""

from __future__ import annotations

import types

import ncleaner


def test_all_is_sorted_and_complete() -> None:
    public = {
        name
        for name, value in vars(ncleaner).items()
        if not name.startswith("_") and not isinstance(value, types.ModuleType)
    }
    # functions that share their name with a submodule shadow it
    assert sorted(public) == sorted(ncleaner.__all__)
    assert all(getattr(ncleaner, name) is not None for name in ncleaner.__all__)
