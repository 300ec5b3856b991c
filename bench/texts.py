"""Text dumps that are made of paragraphs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

__all__ = ["as_lynx", "marked"]

# Lines of a dump that Lynx wraps have at most so many characters.
_WIDTH = 76


def as_lynx(text: list[str]) -> bytes:
    """Writes paragraphs as Lynx does: indented by three columns, wrapped; short ones as items of a list."""
    lines = []
    for paragraph in text:
        first, margin = ("     * ", "       ") if len(paragraph) < 60 else ("   ", "   ")
        line = first
        for word in _words(paragraph):
            if len(line) + len(word) > _WIDTH and line.strip() not in ("", "*"):
                lines.append(line.rstrip())
                line = margin
            line += word
        lines += [line.rstrip(), ""]
    return "\n".join(lines).encode()


def _words(paragraph: str) -> Iterator[str]:
    """Yields the words with the space after them; texts without spaces in pieces of twenty characters."""
    for word in paragraph.split():
        rest = f"{word} "
        while len(rest) > _WIDTH // 2:
            yield rest[:20]
            rest = rest[20:]
        yield rest


def marked(documents: Iterable[bytes]) -> bytes:
    """Joins documents, each after a line with its URL."""
    return b"".join(
        b"CURRENT URL http://text%d.example/\n%s\n" % (number, document)
        for number, document in enumerate(documents, 1)
    )
