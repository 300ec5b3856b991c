"""Pieces of long texts: where they end, and that neither blocks nor pieces show in what is cleaned."""

from __future__ import annotations

import io
from collections.abc import Iterator
from multiprocessing import get_context

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ncleaner.dumping.plain import dump_text
from ncleaner.limits import Limits
from ncleaner.page import Page
from ncleaner.pools.pool import Activity
from ncleaner.reading import archive, markers
from ncleaner.reading.markers import Piece, pieces_of
from ncleaner.recipe import Recipe
from ncleaner.running.jobs import PagesJob, WorkerState
from ncleaner.running.settings import Settings
from ncleaner.sinks.formats import Output

from ..archives import Pipe

LINES = st.sampled_from(
    ["The ferry was late again, and nobody", "on the pier minded it at all, since it", "is always late.",
     "", "", "   ", "\r", "* Home", "  indented text goes on here", "渡轮今天早上又晚点了", "Short.", "x" * 90, "1. One"]
)  # fmt: skip
LAYOUTS = st.sampled_from(["lines", "paragraphs", "wrapped"])


def cut(data: bytes, sizes: list[int]) -> Iterator[bytes]:
    at = number = 0
    while at < len(data):
        size = sizes[number % len(sizes)]
        yield data[at : at + size]
        at += size
        number += 1


def found(data: bytes, sizes: list[int], limit: int, layout: str, piece: int) -> list[Piece]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markers, "PIECE", piece)
        return list(pieces_of(b"", cut(data, sizes), limit, layout))


@settings(deadline=None)
@given(
    st.lists(LINES, max_size=60), LAYOUTS, st.integers(1, 300), st.integers(1, 3000),
    st.lists(st.integers(1, 200), min_size=1, max_size=5),
)  # fmt: skip
@example(["a", "", "b"], "wrapped", 1, 2000, [1])
def test_pieces_do_not_depend_on_blocks(
    lines: list[str], layout: str, piece: int, limit: int, sizes: list[int]
) -> None:
    data = "\n".join(lines).encode()
    whole = found(data, [1 << 20], limit, layout, piece)
    assert found(data, sizes, limit, layout, piece) == whole
    assert b"".join(part.body or b"" for part in whole) == data
    assert all(len(part.body or b"") <= max(limit, 4) for part in whole)
    at = 0
    for part in whole:
        assert part.offset == (at if len(whole) > 1 else -1)
        at += len(part.body or b"")
    if len(whole) > 1:
        flags = [(part.layout.begins, part.layout.ends) for part in whole if part.layout]
        assert flags == [(n == 0, n == len(whole) - 1) for n in range(len(whole))]


@settings(deadline=None)
@given(st.lists(LINES, max_size=60), LAYOUTS, st.integers(1, 300))
def test_pieces_have_the_segments_of_the_text(lines: list[str], layout: str, piece: int) -> None:
    data = "\n".join(lines).encode()
    parts = found(data, [1 << 20], 1 << 20, layout, piece)
    if len(parts) < 2:
        return
    known = parts[0].layout
    assert known is not None
    whole = dump_text(data.decode(), layout=known._replace(ends=True))
    assert whole.data == b"".join(dump_text(part.body or b"", encoding="utf-8", layout=part.layout or "").data
                                  for part in parts)  # fmt: skip


@pytest.mark.parametrize("output_format", ["text", "cleaneval"])
@pytest.mark.parametrize("many_pages", [False, True])
def test_text_output_has_no_trace_of_pieces(
    output_format: str, many_pages: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"The ferry was late again, and nobody minded.\nTwo lamps.\n\n" * 400
    chosen = Settings(
        Recipe("everything", text="paragraphs"), output=Output(format=output_format), many_pages=many_pages
    )
    state = WorkerState(chosen, chosen.cleaner(), chosen.output.sink(), Activity(get_context()))
    outputs = set()
    for piece in (1 << 20, 5000, 1000):
        monkeypatch.setattr(markers, "PIECE", piece)
        items = archive.read(io.BytesIO(text), name="t.txt", text=chosen.recipe.text)
        pages = tuple(item for item in items if isinstance(item, Page))
        assert (len(pages) > 1) == (piece < 1 << 20)
        outputs.add(b"".join(chunk.output for chunk in PagesJob(pages=pages).run(state)))
    assert len(outputs) == 1


def test_one_line_longer_than_the_limit() -> None:
    text = b"word " * 100_000
    items = list(archive.read(Pipe(text, 4096), name="t.txt", limits=Limits(bytes=10_000)))  # type: ignore[arg-type]
    assert b"".join(item.body for item in items if isinstance(item, Page)) == text
    assert all(isinstance(item, Page) and len(item.body) <= 10_000 for item in items)


def test_wide_text_without_a_mark_is_not_cut() -> None:
    text = ("A line of text.\n" * 100_000).encode("utf-16-le")
    (page,) = archive.read(io.BytesIO(text), name="t.txt")
    assert isinstance(page, Page) and page.body == text and page.layout is None
