"""What pages say of themselves, and their figures, in the formats that have them."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest

from ncleaner import Cleaner
from ncleaner.page import Page
from ncleaner.sinks.formats import Output

from ..outputs import written

PAGE = Page(
    (
        b"<title>Late again | Gazette</title><meta property=og:site_name content=Gazette>"
        b"<meta name=author content='Ann Lee &amp; Ben Moss'><meta name=date content=2024-05-01>"
        b"<h1>Late again</h1><p>The ferry was late again this morning, and nobody on the pier knew why.</p>"
    ),
    "https://gazette.example/late",
)
BOTH: dict[str, Any] = {"metadata": True, "signals": True}


def rendered(name: str, options: dict[str, Any], page: Page = PAGE) -> bytes:
    output = Output(format=name, **options)
    cleaner = Cleaner("everything", facts=output.wants_facts)
    return output.sink().render(page, *cleaner.page(page), False)


def test_jsonl() -> None:
    without, record = (json.loads(rendered("jsonl", options)) for options in ({}, BOTH))
    assert record.pop("metadata") == {
        "title": "Late again",
        "authors": ["Ann Lee", "Ben Moss"],
        "published": "2024-05-01",
        "date_source": "stated",
        "site": "Gazette",
        "hostname": "gazette.example",
        **dict.fromkeys(("modified", "description", "tags", "robots", "tdm_reservation", "tdm_policy")),
        **dict.fromkeys(("canonical", "licence", "image", "breadcrumbs")),
    }
    signals = record.pop("signals")
    assert signals["words"] == 16 and signals["heading_share"] > 0
    assert record == without
    text = json.loads(rendered("jsonl", BOTH, Page(b"By Ann Lee", kind="text")))
    assert text["metadata"]["authors"] is None and text["signals"]["words"] == 3


def test_parquet() -> None:
    plain = Page(b"", kind="text")
    every = {**BOTH, "all_pages": True}
    sink = Output(format="parquet", **every).sink()
    data = written(sink, [rendered("parquet", every), rendered("parquet", every, plain)])
    table = pq.read_table(io.BytesIO(data))
    first, second = table.select(["metadata", "signals"]).to_pylist()
    assert first["metadata"]["authors"] == ["Ann Lee", "Ben Moss"] and first["metadata"]["image"] is None
    assert first["signals"]["segments"] == 2 and first["signals"]["share_kept"] == 1
    assert second["metadata"]["title"] is None and second["signals"]["final_share"] is None
    assert (
        "metadata" not in pq.read_table(io.BytesIO(written(Output(format="parquet").sink(), []))).column_names
    )


def test_bands() -> None:
    pytest.importorskip("rensa", reason="rensa is not installed")
    options: dict[str, Any] = {"signals": True, "duplicates": True}
    bands = json.loads(rendered("jsonl", options))["signals"]["bands"]
    assert len(bands) == 14
    data = written(Output(format="parquet", **options).sink(), [rendered("parquet", options)])
    assert pq.read_table(io.BytesIO(data)).to_pylist()[0]["signals"]["bands"] == bands


def test_vertical() -> None:
    head = rendered("vertical", {"metadata": True}).decode().splitlines()[0]
    assert ' headline="Late again" authors="Ann Lee; Ben Moss" published="2024-05-01" modified="" ' in head
    assert head.startswith(rendered("vertical", {}).decode().splitlines()[0].removesuffix(">"))
    evil = Page(b"<meta name=author content='Ann \"></doc><doc x=\"'><p>One two three four five.", "u")
    assert rendered("vertical", {"metadata": True}, evil).decode().count("<doc") == 1
