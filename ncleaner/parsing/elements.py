"""HTML tags by what they mean for the parser; `elements.txt` says what its sections are."""

from ncleaner.text.wordlists import word_lists

ELEMENTS = word_lists(
    "parsing/elements", "root", "text", "format", "table", "cell", "block", "item", "heading", "void",
    "control", "point",
)  # fmt: skip
