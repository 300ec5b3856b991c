"""Where the cases come from: seeded choices, and text in the scripts of the world, whole and broken."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

__all__ = ["CUES", "ODD", "Source"]

_WORDS = (
    "the ferry leaves at nine and whoever comes late walks along shore while fog lies over harbour until "
    "noon nobody asked why lamps had been left burning all night in a house that stood empty since March"
).split()
# first and last letter of a stretch of each script, as wide as one is apt to be found
_SCRIPTS = (
    (0x61, 0x7A), (0xC0, 0x17F), (0x370, 0x3FF), (0x410, 0x44F), (0x5D0, 0x5EA), (0x620, 0x64A),
    (0x905, 0x939), (0xE01, 0xE2E), (0x1100, 0x11FF), (0x3041, 0x3096), (0x4E00, 0x4FFF), (0xAC00, 0xAFFF),
    (0x10330, 0x1034A), (0x1F300, 0x1F5FF), (0x20000, 0x200FF),
)  # fmt: skip
# Characters that programs trip over: controls, marks that combine, zero widths, directions, spaces of all
# widths, ends of lines, surrogates, and code points that are none.
ODD = (
    "\0 \x01 \x0b \x0c \x1a \x1b \x1c \x1f \x7f \x80 \x85 \x9f \xa0 \xad \u0300 \u0301 \u034f \u0378 "
    "\u05b0 \u0600 \u061c \u0f71 \u115f \u1161 \u11a8 \u1680 \u180e \u2000 \u200a \u200b \u200d \u200e "
    "\u200f \u2028 \u2029 \u202a \u202e \u202f \u205f \u2066 \u2069 \u20e3 \u2126 \u212b \u3000 \u3099 "
    "\ud7ff \ud800 \udbff \udc00 \udfff \ue000 \ufb1d \ufb4e \ufdd0 \ufe0f \ufeff \ufff9 \ufffd \uffff "
    "\U0001f468 \U0001f3fb \U000e0001 \U000e0100 \U000f0000 \U0010ffff"
).split(" ")
_MARKS = (
    ". ",
    ", ",
    "! ",
    "? ",
    ": ",
    "; ",
    " - ",
    " | ",
    " » ",
    " · ",
    "… ",
    "。",
    "、",
    "؟ ",
    "\n",
    "\r\n",
    "\t",
    " ",
)
# words of class, id and role that the dumper and the features know
CUES = (
    "nav menu content article comment comments sidebar footer header ad share related cookie hidden main "
    "post entry breadcrumb login S:1 B:0 navSite site-nav article__body x footnote sidenote marginnote "
    "avatar fragment line cm-content cm-line gutter crayon-pre CodeMirror-code syntaxhighlighter gist-meta "
    "highlight c language-c language-math mw-highlight-lang-c math inline latex MathJax callout admonition "
    "alert tip NOTE"
).split()


class Source(random.Random):
    """A stream of choices that is the same for the same seed."""

    def odds(self, share: float) -> bool:
        """True for this share of the calls."""
        return self.random() < share

    def size(self, most: int) -> int:
        """From 1 to `most`: small numbers are as likely as large ones are at every scale."""
        return int(most ** self.random())

    def pick(self, weighed: dict[str, int]) -> str:
        """One of the names, as often as its weight says."""
        return self.choices(list(weighed), list(weighed.values()))[0]

    def several(self, make: Callable[[], str], most: int) -> str:
        """Up to `most` pieces, one behind the other."""
        return "".join(make() for _ in range(self.size(most) if self.odds(0.4) else self.randint(1, most)))

    def word(self) -> str:
        """A word in any script; at times a very long one, or one that is no word."""
        roll = self.random()
        if roll < 0.5:
            return self.choice(_WORDS)
        if roll < 0.55:
            return self.choice(ODD)
        if roll < 0.57:
            return self.choice(_WORDS) * self.size(2000)
        first, last = self.choice(_SCRIPTS)
        word = "".join(chr(self.randint(first, last)) for _ in range(self.size(12)))
        if roll < 0.65:
            word = word.capitalize() + self.choice(ODD) * self.size(3)
        return word

    def number(self) -> str:
        """A number as headers, attributes and references hold them, or what stands in its place."""
        return self.choice(
            ("0", "1", "-1", "2", "007", "65535", "65536", "2147483647", "2147483648", "4294967296", "1e9",
             "0x10", "9" * 20, "9" * self.size(3000), "", " ", "+5", "1,5", "NaN",
             str(self.randint(0, 5000)))
        )  # fmt: skip

    def prose(self, sentences: int = 6) -> str:
        """Sentences as a page has them: what has to pass for text wherever it is found."""
        return " ".join(
            " ".join(self.choices(_WORDS, k=self.randint(5, 14))).capitalize()
            + self.choice((".", ".", "?", "!"))
            for _ in range(self.randint(1, sentences))
        )

    def text(self, words: int = 20) -> str:
        """Words with marks and odd characters between them."""
        if self.odds(0.3):
            return self.prose()
        pieces: list[str] = []
        for _ in range(self.size(words)):
            pieces += self.word(), self.choice(_MARKS) if self.odds(0.3) else " "
            if self.odds(0.05):
                pieces.append(self.choice(ODD))
        return "".join(pieces)

    def any_of(self, *makers: Callable[[], str]) -> str:
        """What one of these makes."""
        return self.choice(makers)()

    def shuffled(self, items: Sequence[str]) -> list[str]:
        """All of them in any order."""
        return self.sample(items, len(items))
