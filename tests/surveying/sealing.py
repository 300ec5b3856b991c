"""Surveys that a test has changed."""

from __future__ import annotations

from pathlib import Path

from ncleaner.surveying.shards import _SEAL, digest_of, seal


def sealed_again(path: Path) -> None:
    """Gives a survey whose database was changed the right checksum."""
    database = path.read_bytes()[: -_SEAL.size]
    path.write_bytes(database)
    digest = digest_of(path, len(database))
    seal(path, digest, [digest])
