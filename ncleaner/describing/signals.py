"""Figures of a page by which pipelines filter and find duplicates."""

from typing import Any

import numpy as np

from ncleaner.document import Document
from ncleaner.document._kept import counts_of
from ncleaner.document.kept import Kept
from ncleaner.page import Page
from ncleaner.surveying.duplicates import sketch_of, text_hash
from ncleaner.text.words import is_final

# {name: whether it is a whole number}, in the order of `figures_of`
FILTERS = {
    **dict.fromkeys(
        (
            "repeated_lines repeated_line_chars top_2_gram top_3_gram top_4_gram "
            "repeated_5_grams repeated_6_grams repeated_7_grams repeated_8_grams repeated_9_grams "
            "repeated_10_grams mean_word_length hash_ratio ellipsis_ratio bullet_lines ellipsis_lines "
            "letter_words punctuated_lines short_lines repeated_chars newlines_a_word"
        ).split(),
        False,
    ),
    **dict.fromkeys(
        "real_words stop_words c4_lines c4_sentences c4_lorem_ipsum c4_braces c4_policies".split(), True
    ),
}
"""The figures on which the filters of Gopher, C4 and FineWeb decide."""

# the hashes are strings
SIGNALS = {
    **dict.fromkeys(("chars", "words", "segments"), True),
    **dict.fromkeys(
        "share_kept mean_score link_density list_share heading_share final_share words_a_segment".split(),
        False,
    ),
    **FILTERS,
}
_DIGITS = 4


def signals_of(
    page: Page, document: Document, kept: Kept, text: bytes, bands: bool = False, filters: bool = True
) -> dict[str, Any]:
    """Returns figures of the clean text of a page. Shares are 0 to 1, four decimal places; those of `filters`
    are not rounded.

    Keys: chars (without white space), words, segments, share_kept (of the characters of the page), mean_score
    (bits, each segment weighted by its characters), link_density (share of the characters that are inside
    links), list_share and heading_share (of the characters), final_share (of the segments that end with final
    punctuation), words_a_segment, hash (of the text: 16 hexadecimal digits), and with `bands` those of a
    sketch for near duplicates: two pages are near duplicates if they share one; with `filters`, those of
    FILTERS (docs/metadata.md). Shares of a page without clean text are None.

    Args:
        page: the captured page.
        document: its text dump.
        kept: mask and scores.
        text: the clean text, UTF-8.
        bands: add the bands; needs the extra `duplicates`.
        filters: add the figures on which the filters of Gopher, C4 and FineWeb decide.

    Raises:
        InputError: rensa is not installed.
    """
    table = document.segments
    own, kinds = table[kept.mask], kept.marks_of(document)[kept.mask]
    sizes = own["chars"].astype(np.int64)
    segments, words, _ = counts_of(document.tables, kept.mask)
    chars = int(sizes.sum())
    data = document.data
    texts = (data[start:end].decode() for start, end in own[["start", "end"]].tolist())

    def share(part: float, whole: int) -> float | None:
        return round(part / whole, _DIGITS) if whole else None

    mean = None
    if kept.scores is not None:
        # one after the other, so that the sum does not depend on how NumPy groups it
        mean = share(float(np.append(0.0, sizes * kept.scores[kept.mask]).cumsum()[-1]), chars)
    found: dict[str, Any] = {
        "chars": chars,
        "words": words,
        "segments": segments,
        "share_kept": share(chars, int(table["chars"].sum())),
        "mean_score": mean,
        "link_density": share(int(own["link_chars"].sum()), chars),
        "list_share": share(int(sizes[kinds == ord("l")].sum()), chars),
        "heading_share": share(int(sizes[kinds == ord("h")].sum()), chars),
        "final_share": share(sum(map(is_final, texts)), segments),
        "words_a_segment": share(words, segments),
        "hash": f"{text_hash(text):016x}",
    }
    if filters:
        # imported lazily: fills tables that only this needs, and others want only the names above
        from ncleaner.describing._filters import figures_of

        found |= zip(FILTERS, figures_of(text), strict=True)
    if bands:
        found["bands"] = sketch_of(page, text).names
    return found
