from __future__ import annotations

from ncleaner.text._lines import lines_with


def test_lines_that_begin_with_bytes() -> None:
    text = "ab\nabc\n\ufeffab\n ab\n\ufeff\nab".encode()
    assert lines_with(text, len(text), b"ab") == [
        (0, b"ab\n"), (3, b"abc\n"), (7, "\ufeffab\n".encode()), (21, b"ab")
    ]  # fmt: skip
    assert lines_with(text, 6, b"ab") == [(0, b"ab\n"), (3, b"abc")]
    assert lines_with(text, 5, b"abc") == [] == lines_with(b"", 0, b"ab")
    assert lines_with(text, len(text) + 9, b"ab")[-1] == (21, b"ab")
