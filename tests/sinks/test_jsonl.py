"""JSON lines are lines for every reader."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from ncleaner.dumping.html import dump_html
from ncleaner.page import Page
from ncleaner.sinks.jsonl import JsonlSink
from ncleaner.sinks.sink import SinkOptions

from ..outputs import all_of

# what `str.splitlines` takes for the end of a line
ENDS = "\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029"


@given(st.lists(st.sampled_from(["word", "é", "“", "\\", '"', "漢", "\u2027", "\xa8", *ENDS]), max_size=30))
def test_an_object_is_one_line(pieces: list[str]) -> None:
    said = "".join(pieces)
    options = SinkOptions(segments=True, removed=True, markdown=True, metadata=True)
    body = f"<title>{said}</title><p>one{said}two<pre>{said}</pre>"
    document = dump_html(body, facts=True, marks=True)
    line = JsonlSink(options).render(Page(b"", url=said), document, all_of(document), True).decode()
    assert len(line.splitlines()) == 1
    row = json.loads(line)
    assert row["url"] == (said or None)
    assert row["text"] == "\n".join(document.texts)
