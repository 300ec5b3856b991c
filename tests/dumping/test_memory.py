"""A page within the default limits takes little memory, whatever it is made of."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no peak of resident memory"),
]

# Runs in a process of its own, whose peak nothing else has set. The first page loads models and modules.
MEASURE = """
import sys
import ncleaner.errors

def peak():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1000

cleaner = ncleaner.Cleaner()
cleaner.clean("<p>The ferry was late again this morning, and nobody on the pier knew why.")
before = peak()
try:
    cleaner.clean(sys.stdin.buffer.read())
except ncleaner.errors.InputError:
    print("given up", file=sys.stderr)
print(peak() - before)
"""
ATTRIBUTES = b" ".join(b"a%d=1" % number for number in range(900))


def numbered(piece: bytes, times: int) -> bytes:
    return b"".join(piece.replace(b"#", b"%d" % number) for number in range(times))


PAGES = {
    "cells": b"<table>" + b"<td>word " * 890_000,
    "paragraphs": b"<p>x" * 2_000_000,
    "nested": b"<div>w " * 1_100_000,
    "tables in paragraphs": b"<p><table><td>x</table>" * 350_000,
    "comments": b"<!---->x" * 1_000_000,
    "ends of paragraphs": b"</p>" * 2_000_000,
    "attributes": b"<p a=1 b=2 c=3 d=4 e=5 f=6>x" * 290_000,
    "classes and ids of their own": numbered(b"<p class=c# id=d#>x", 300_000),
    "attributes created again": b"<p><b " + ATTRIBUTES + b"></p>" + b"<p>x</p>" * 100_000,
    "text": b"<p>" + b"word " * 1_600_000,
    "preformatted lines": b"<pre>" + b"ab\n\n" * 990_000,
    "more segments than the builder keeps": b"<pre>" + b"a\n\n" * 2_600_000,
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_of_eight_megabytes_takes_less_than_300(name: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", MEASURE], input=PAGES[name], capture_output=True, check=True
    )
    assert bool(result.stderr) == (name == "more segments than the builder keeps")
    assert float(result.stdout) < 300


def test_documents_are_freed() -> None:
    # every page, its tables seen as arrays
    program = MEASURE.replace(
        "cleaner.clean(sys.stdin.buffer.read())",
        "text = sys.stdin.buffer.read()\n"
        "    for _ in range(40):\n"
        "        cleaner.keep(cleaner.document(text)), cleaner.page(ncleaner.Page(text, kind='text'))",
    )
    text = b"<p>A line of some words.\n" * 40_000
    result = subprocess.run([sys.executable, "-c", program], input=text, capture_output=True, check=True)
    assert float(result.stdout) < 100
