"""Projects for the tests, of pages that are written here."""

from __future__ import annotations

import json
from pathlib import Path

from ncleaner.lab.annotating.project import PageLabels, Project, digest_of, open_project

EXAMPLES = Path(__file__).parents[3] / "examples"
# those of the examples that are in English
ENGLISH = (
    "allotment-forum-thread", "harbour-gazette-ferry", "kettle-product", "lampworks-1997", "library-events-listing",
    "on-margins-essay", "slow-gears-blog", "tidepool-docs",
)  # fmt: skip

MENU = "<ul class=menu><li><a href=/>Home</a></li><li><a href=/news>News</a></li><li><a href=/mail>Mail</a></li></ul>"
PROSE = (
    "The lighthouse was painted again last spring, and the keeper says that the white will last for ten years.",
    "Nobody had asked the gulls, of course, and they went back to the gallery as soon as the ladders were gone.",
    "In the evening the lamp was lit by hand for the last time, because the motor comes from the mainland in May.",
)
# what a person would say: menu out, headline and paragraphs in, the footer out
WANTED = "ooohpppo"


def page(number: int = 0) -> str:
    body = "".join(f"<p>{text}</p>" for text in PROSE)
    return (
        f"<!doctype html><html lang=en><head><title>Paint {number}</title><style>.menu {{ color: green }}</style></head>"
        f"<body>{MENU}<h1>New paint on lighthouse {number}</h1>{body}<div class=foot>All rights reserved {number}</div>"
        "</body></html>"
    )


def project(folder: Path, pages: int = 3) -> Project:
    """A project of some pages, each of a site of its own."""
    (folder / "raw").mkdir(parents=True)
    lines = []
    for number in range(pages):
        (folder / "raw" / f"p{number}.html").write_text(page(number))
        lines.append(
            json.dumps({"id": f"p{number}", "url": f"https://site{number}.example/paint", "lang": "en"})
        )
    (folder / "manifest.jsonl").write_text("\n".join(lines) + "\n")
    return open_project(folder)


def label(project: Project, name: str, page: str, letters: str, **others: object) -> PageLabels:
    """Writes finished labels of a page."""
    document = project.document(page)
    labels = PageLabels(
        page,
        letters,
        digest_of(document),
        revision=1,
        done=True,
        finished="2026-01-01T00:00:00Z",
        **others,  # type: ignore[arg-type]
    )
    project.save(name, labels)
    return labels
