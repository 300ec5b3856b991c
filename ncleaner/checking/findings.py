"""What a check finds out: a name, a state, a sentence, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ncleaner.errors import NcleanerError

__all__ = ["BROKEN", "FINE", "NOTE", "Finding", "State", "guarded"]

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
