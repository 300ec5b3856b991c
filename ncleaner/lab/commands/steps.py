"""Progress of the laboratory's work, by the steps that are done."""

from ncleaner.cli.progress import Display
from ncleaner.text.visible import counted


class CountDisplay(Display):
    """Progress of work with a known number of steps.

    Args:
        one, many: the words for one step that is done, and for several.
        quiet: show nothing.
    """

    def __init__(self, one: str, many: str, quiet: bool) -> None:
        super().__init__(None, quiet)
        self._what = one, many

    def advance(self, done: int, total: int) -> None:
        """Shows that `done` of `total` steps are finished."""
        self._total = total
        self._show(counted(done, *self._what), done)
