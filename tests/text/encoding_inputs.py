"""Bytes that hold a decoder to the WHATWG Encoding Standard: every pointer of its indexes, and random ones."""

from __future__ import annotations

import random

import webencodings.labels

__all__ = ["LABELS", "NAMES", "inputs"]

LABELS = sorted(webencodings.labels.LABELS)
SEVERAL = ["big5", "euc-jp", "euc-kr", "gb18030", "gbk", "iso-2022-jp", "shift_jis"]
#: All encodings of the standard but UTF-8 and those that it replaces.
NAMES = sorted({*webencodings.labels.LABELS.values(), "utf-16le", "utf-16be"} - {"utf-8", "replacement"})

_RANDOM = 10_000
# Bytes at the bounds of ranges, which decide what a sequence is.
_BOUNDS = bytes.fromhex(
    "000a0e1b202428 2d30393f4041424 94a5c7e7f808184 8587 8e8f959fa0a1a2c6c9d7d8dfe0e3fcfdfeff".replace(
        " ", ""
    )
)


def _pointers(name: str) -> list[bytes]:
    """All sequences of two bytes, and the longer ones that an encoding has."""
    pairs = [bytes([first, second]) for first in range(256) for second in range(256)]
    if name == "euc-jp":
        return pairs + [b"\x8f" + pair for pair in pairs]
    if name == "iso-2022-jp":
        modes = [b"\x1b$B", b"\x1b$@", b"\x1b(J", b"\x1b(I"]
        return pairs + [mode + pair + b"\x1b(B" for mode in modes for pair in pairs]
    if name in ("gbk", "gb18030"):
        # four bytes count from 0x81308130; all of the first plane, and some of the others
        linear = [*range(39_620), *range(188_900, 1_238_000, 997), *range(1_237_400, 1_240_000)]
        return pairs + [
            bytes([0x81 + n // 12600, 0x30 + n // 1260 % 10, 0x81 + n // 10 % 126, 0x30 + n % 10])
            for n in linear
            if 0x81 + n // 12600 < 0xFF
        ]
    return pairs


def inputs(name: str) -> dict[str, bytes]:
    """Returns the inputs for an encoding: `pointers`, one sequence a line, and `random` strings, one a line."""
    if name not in SEVERAL and not name.startswith("utf-16"):
        return {"pointers": bytes(range(256))}
    end = {"utf-16le": b"\n\0", "utf-16be": b"\0\n"}.get(name, b"\n")
    dice = random.Random(name)
    strings = []
    for _ in range(_RANDOM):
        length = dice.randint(1, 12)
        anything = dice.randbytes(length)
        strings.append(bytes(dice.choice(_BOUNDS) if dice.random() < 0.4 else byte for byte in anything))
    return {"pointers": end.join(_pointers(name)), "random": end.join(strings)}
