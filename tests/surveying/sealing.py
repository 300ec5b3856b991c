"""Surveys that a test has changed."""

from __future__ import annotations

from pathlib import Path

from ncleaner.surveying.survey import _SEAL, seal


def sealed_again(path: Path) -> None:
    """Gives a survey whose database was changed the right checksum."""
    path.write_bytes(path.read_bytes()[: -_SEAL.size])
    seal(path)
