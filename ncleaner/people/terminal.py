"""`ncleaner annotate --terminal`: the segments of a page in the terminal, with the keys of the web page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rich.text import Text
from textual import events
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from ncleaner.annotating.compared import compared
from ncleaner.annotating.session import UNDECIDED, RequestError, Session
from ncleaner.annotating.work import NAMES, Work
from ncleaner.errors import NcleanerError
from ncleaner.text.visible import visible, visible_lines

__all__ = ["KEYS", "AnnotateApp", "run_terminal"]

#: What keys do, as the web page has them; `v` and `s` are about the drawn page, which no terminal has.
KEYS: Final = {
    "↓ j": "next segment", "↑ k": "segment before", "Page ↓ Page ↑": "ten segments",
    "Home End": "first, last segment",
    ".": "next doubtful segment, the least certain one first", ",": "back to the doubtful segment before",
    "y": "keep, as the kind that it has in the page", "n x": "drop",
    "Space": "keep or drop: the other one",
    "p": "paragraph", "h": "header", "l": "list item", "c": "continues the kept segment before",
    "Enter": "finish the page, go to the next one", "Shift Enter": "put the page off (w does, too)",
    "Shift ↓ Shift ↑": "make the range longer or shorter (J and K do, too)",
    "a": "all segments of this style",
    "Ctrl a": "all segments", "Esc": "only this one", "u Ctrl z": "undo", "r Ctrl y": "do it again",
    "1": "as the first person says", "2": "as the second person says", "o": "pages",
    "b": "back to the page before", "m": "progress and learning curve", "g": "agreement", "?": "these keys",
    "q": "end",
}  # fmt: skip
_TAGS: Final = {"p": "P", "h": "H", "l": "L", "c": "↳", "o": "–", UNDECIDED: "?"}
_COLOURS: Final = {
    "p": "green", "h": "dodger_blue1", "l": "medium_purple1", "c": "green", "o": "grey62",
    UNDECIDED: "yellow",
}  # fmt: skip
_STEPS: Final = {
    "down": 1, "j": 1, "J": 1, "up": -1, "k": -1, "K": -1, "pagedown": 10, "pageup": -10, "home": -1_000_000,
    "end": 1_000_000,
}  # fmt: skip


class _Panel(ModalScreen[None]):
    """A text above the segments, until a key is pressed."""

    DEFAULT_CSS = """
    _Panel { align: center middle }
    _Panel VerticalScroll { width: 90%; max-width: 100; height: auto; max-height: 90%; border: round $accent;
      padding: 0 2; background: $panel }
    """

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """Makes the parts."""
        with VerticalScroll():
            yield Static(Text(self._title, "bold"))
            yield Static(Text(self._text))

    def on_key(self, event: events.Key) -> None:
        """Closes it; the arrows scroll."""
        if event.key not in ("up", "down", "pageup", "pagedown", "home", "end"):
            event.stop()
            self.dismiss()


class AnnotateApp(App[None]):
    """The terminal's face of a session.

    Args:
        session: the work.
        command: what to run when enough pages are finished.
    """

    CSS = """
    #top { height: 2; padding: 0 1; background: $panel }
    #list { height: 1fr; border: none; padding: 0 }
    #bottom { height: 2; padding: 0 1; background: $panel }
    """
    ENABLE_COMMAND_PALETTE = False
    # the keys below are handled before any widget sees them
    BINDINGS = []  # noqa: RUF012

    def __init__(self, session: Session, command: str = "") -> None:
        super().__init__()
        self._session = session
        self._command = command
        self.work: Work | None = None
        self._before: list[str] = []
        self._painted: set[int] = set()

    def compose(self) -> ComposeResult:
        """Makes the parts."""
        yield Static(id="top")
        yield OptionList(id="list", markup=False)
        yield Static(id="bottom")

    def on_mount(self) -> None:
        """Shows the first page."""
        self.set_interval(2, self._regularly)
        self._next()

    def _regularly(self) -> None:
        self._session.poll()
        if self.work is not None and self.work.pending:
            self.work.save()
            self._say()

    # showing ----------------------------------------------------------------------------------------

    @property
    def _list(self) -> OptionList:
        return self.query_one("#list", OptionList)

    def _row(self, row: int) -> Text:
        work = self.work
        assert work is not None
        letter = work.letter(row)
        colour = _COLOURS[letter]
        text = Text(no_wrap=False, overflow="fold")
        text.append("▌" if row in work.chosen and len(work.chosen) > 1 else " ", "bold yellow")
        style = f"bold {colour}" + (" reverse" if work.labels[row] != "." else "")
        text.append(f" {_TAGS[letter]} ", style)
        text.append(" ")
        body = "dim" if letter == "o" else "bold" if letter == "h" else ""
        text.append(visible_lines(work.about["texts"][row]).replace("\n", " "), body)
        if work.is_doubtful(row) and letter != UNDECIDED:
            text.append(f"  {work.about['certainty'][row]:.0%} sure", "yellow")
        if letter == UNDECIDED:
            for number, (name, letters) in enumerate(work.about["votes"].items(), 1):
                text.append(f"  {number} {name}: {NAMES[letters[row]]}", "yellow")
        return text

    def open_page(self, page: str) -> None:
        """Shows a page."""
        try:
            found = Work(self._session, page)
        except RequestError as error:
            self._session.put_off(page)
            self.notify(visible(error), severity="error", timeout=15)
            return
        if self.work is not None and self.work.page != page:
            self._before.append(self.work.page)
        self.work = found
        self._list.clear_options()
        self._list.add_options([Option(self._row(row)) for row in range(len(found.labels))])
        self._painted = set(found.chosen)
        self._paint()

    def _next(self) -> None:
        for page in self._session.queue():
            self.open_page(page)
            if self.work is not None and self.work.page == page:
                return
        self.work = None
        self._list.clear_options()
        self.query_one("#top", Static).update(Text("All pages are finished. q ends.", "bold"))
        self._say()

    def _paint(self, rows: set[int] | None = None) -> None:
        """Draws what has changed."""
        work = self.work
        if work is None:
            return
        for row in (rows or set()) | (self._painted ^ work.chosen):
            self._list.replace_option_prompt_at_index(row, self._row(row))
        self._painted = set(work.chosen)
        if work.labels:
            self._list.highlighted = work.here
        about = work.about
        top = Text(visible(about["title"], 200), "bold")
        facts = (work.page, about["site"], about["language"], about["kind"])
        top.append(f"\n{visible(' · '.join(filter(None, facts)))}")
        self.query_one("#top", Static).update(top)
        self._say()

    def _say(self) -> None:
        now, work = self._session.progress(), self.work
        bottom = Text()
        if work is not None:
            bottom.append(f"{work.here + 1 if work.labels else 0} of {len(work.labels)}  ")
            bottom.append(visible(work.trouble) or work.told, "bold red" if work.trouble else "bold")
        minutes = f", {now['minutes']:.1f} min a page" if now["minutes"] else ""
        bottom.append(
            f"\n{now['done']} of {now['goal']} pages{minutes}   ? keys  . doubt  Enter finish  q end", "dim"
        )
        self.query_one("#bottom", Static).update(bottom)

    # keys -------------------------------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Takes the keys of this face before the list sees them."""
        if (
            isinstance(event, events.Key)
            and not isinstance(self.screen, _Panel)
            and self.pressed(event.key, event.character)
        ):
            event.stop()
            event.prevent_default()
            return
        await super().on_event(event)

    def pressed(self, key: str, character: str | None) -> bool:
        """Does what a key stands for; returns whether it stands for anything."""
        work = self.work
        if character == "q":
            self.exit()
            return True
        panel = {"?": self._help, "o": self._pages, "m": self._progress, "g": self._agreement}.get(
            character or ""
        )
        if panel is not None:
            panel()
            return True
        if work is None:
            return False
        work.tick()
        before = list(work.labels)
        bare = key.removeprefix("shift+")
        name = character if character in _STEPS else bare
        if name in _STEPS:
            work.move(work.here + _STEPS[name], extend=key != bare or name in ("J", "K"))
        elif key == "enter":
            if work.finish():
                self._next()
                return True
        elif key == "shift+enter" or character == "w":
            self._session.put_off(work.page)
            self._next()
            return True
        elif character == "b":
            if self._before:
                self.open_page(self._before.pop())
                self._before and self._before.pop()
                return True
        else:
            does = self._does(work, key, character)
            if does is None:
                return False
            does()
        self._paint({row for row, letter in enumerate(work.labels) if letter != before[row]})
        return True

    def _does(self, work: Work, key: str, character: str | None) -> Callable[[], object] | None:
        keys: dict[str, Callable[[], object]] = {
            "y": work.keep, "n": work.drop, "x": work.drop, "delete": work.drop, "space": work.toggle,
            "a": work.same_style, "ctrl+a": work.choose_all, "escape": lambda: work.move(work.here),
            ".": work.next_doubt, ",": work.last_doubt, "u": work.undo, "ctrl+z": work.undo, "r": work.redo,
            "ctrl+y": work.redo, "1": lambda: work.settle(0), "2": lambda: work.settle(1),
        }  # fmt: skip
        if character and character in "phlc":
            return lambda: work.label(lambda row: character)
        return keys.get(character or "") or keys.get(key)

    # panels -----------------------------------------------------------------------------------------

    def _help(self) -> None:
        self.push_screen(_Panel("Keys", "\n".join(f"{keys:>16}  {what}" for keys, what in KEYS.items())))

    def _pages(self) -> None:
        lines = [
            f"{visible(page['id'], 30):<30} {page['status']:<10} {visible(page['site'], 24):<24} "
            f"{page['words']:>6}" + (f" {visible(page['problem'])}" if page["problem"] else "")
            for page in self._session.listing()
        ]
        self.push_screen(_Panel("Pages, the one that teaches most first", "\n".join(lines)))

    def _progress(self) -> None:
        now = self._session.progress()
        learning = now["learning"]
        lines = [
            f"{now['done']} of {now['goal']} pages, {now['words']:,} words",
            f"{now['minutes']:.1f} minutes a page, {now['left']:.0f} minutes left",
            learning["advice"],
            *(
                f"{point['pages']:>6.1f} pages: F {100 * point['f']:.1f}"
                + (f" ± {100 * point['error']:.1f}" if point["error"] is not None else "")
                for point in learning["curve"]
            ),
            "",
            "When you have enough:",
            self._command,
        ]
        self.push_screen(_Panel("Progress", "\n".join(lines)))

    def _agreement(self) -> None:
        try:
            measured, differing = compared(self._session.project)
        except NcleanerError as error:
            self.notify(visible(error), severity="error")
            return
        lines = [
            f"{' and '.join(found.people)}, {unit}, {what}: {one.share:.1%}, kappa {one.kappa:.3f}"
            for found in measured
            for unit, kinds in found.measures.items()
            for what, one in kinds.items()
        ] or ["No page has been finished by two people yet."]
        lines += [
            f"{one['page']}, {one['segment'] + 1}: {visible(one['text'], 60)}" for one in differing[:200]
        ]
        self.push_screen(_Panel("Agreement", visible_lines("\n".join(lines))))


def run_terminal(session: Session, command: str) -> None:
    """Runs the terminal's face until the person ends it."""
    AnnotateApp(session, command).run()
