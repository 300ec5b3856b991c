"""A survey in shards: time, memory and disk for many pages, which are made of the signatures of real ones.

    python -m bench.shards SIGNATURES [--pages 2000000] [--shards 16] [--jobs 2] [--one]

SIGNATURES are of `ncleaner clean ARCHIVE -f signatures --duplicates --paragraphs -o SIGNATURES`. A hundred
copies of a page are on one site; one copy in five repeats the text of the page. With --one, the survey of one
file is made, too, and the shards, merged to one file, must have its bytes.
"""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from ncleaner.surveying.duplicates import LARGEST, text_hash
from ncleaner.surveying.signatures import Signature

_IN_A_FILE = 50_000
_KEPT = ("--duplicates", "--paragraphs", "--quiet")


def copied(page: Signature, number: int) -> Signature:
    """Returns the signature of another page like it."""
    assert page.sketch is not None and page.sequences is not None
    chance = random.Random(number)
    name = text_hash(f"{number} {page.page}".encode())
    sketch = replace(page.sketch, capture=name >> 8, url=f"http://{number % 100}.example/{name % 10**9}")
    sequences = replace(page.sequences, capture=name >> 8, moment=name)
    if number % 5:
        sketch = replace(sketch, text=name, bands=chance.randbytes(len(sketch.bands)))
        mixed = (sequences.hashes * np.uint64(2 * (name % 2**40) + 1)) % np.uint64(LARGEST)
        sequences = replace(sequences, hashes=np.unique(mixed))
    site = f"{number // 100}.{page.site}"
    return replace(page, site=site, page=name, sketch=sketch, sequences=sequences)


def write(folder: Path, real: list[Signature], pages: int) -> int:
    """Writes signatures of so many pages into files; returns their bytes."""
    size = 0
    for first in range(0, pages, _IN_A_FILE):
        with (folder / f"{first:09}.signatures.jsonl").open("wb") as file:
            for number in range(first, min(first + _IN_A_FILE, pages)):
                size += file.write(copied(real[number % len(real)], number // len(real)).line())
    return size


def survey(*given: str) -> dict[str, float]:
    """Runs `ncleaner survey`; returns seconds, seconds of CPU time, and MB of the largest process."""
    began, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "ncleaner", "survey", *given, *_KEPT], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    megabytes = after.ru_maxrss / 1024
    return {"seconds": time.monotonic() - began, "CPU": cpu, "largest process, MB": megabytes}


def main(
    signatures: Annotated[Path, typer.Argument(help="signatures of real pages, with sketches and sequences")],
    pages: Annotated[int, typer.Option(min=1)] = 2_000_000,
    shards: Annotated[int, typer.Option(min=2)] = 16,
    jobs: Annotated[int, typer.Option(min=1)] = 2,
    one: Annotated[bool, typer.Option(help="make the survey of one file, too")] = False,
    folder: Annotated[Path | None, typer.Option(help="where there is room")] = None,
) -> None:
    """Makes the pages and the survey, and prints what they take."""
    with signatures.open("rb") as file:
        real = [Signature.of_line(line, str(signatures)) for line in file]
    real = [each for each in real if each.sketch is not None and each.sketch.bands]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        parts, many, single, merged = (
            str(Path(place, name)) for name in ("parts", "many", "one.ncs", "merged.ncs")
        )
        Path(parts).mkdir()
        found: dict[str, object] = {
            "pages": pages,
            "signatures, bytes a page": write(Path(parts), real, pages) / pages,
        }
        found |= survey(parts, "-o", many, "--shards", str(shards), "-j", str(jobs))
        sizes = [each.stat().st_size for each in Path(many).iterdir()]
        found |= {"bytes a page": sum(sizes) / pages, "largest shard": max(sizes) / sum(sizes) * shards}
        if one:
            found["one file"] = survey(parts, "-o", single)
            survey(many, "-o", merged)
            found["the same"] = Path(merged).read_bytes() == Path(single).read_bytes()
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    typer.run(main)
