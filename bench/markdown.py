"""How much of the marks of a page is in Markdown, against Markdown that somebody has reviewed.

    python -m bench.markdown GOLD_DIR [--show PAGE] [--kind KIND]

GOLD_DIR holds raw/ID.html, clean/ID.md and manifest.jsonl with the fields `id` and `url`. Each page is
written as Markdown with links and images. Both texts are read by markdown-it-py, and what each holds of a
kind is compared as a bag: code blocks, formulas, notes, links by their targets, images by their addresses,
headings, items of lists, rows of tables, words. Prints for each kind the mean F1 of the pages where one of
both has any of it; a heading that is the title of the page counts for neither, as gold texts have it as a
field. Then, as WebMainBench does (2025, section 4), ROUGE-5 of all words, the edit similarity of code, of
formulas and of rows, and TEDS of tables, which PubTabNet defines (2020, section 6): 1 - the edit distance of
both trees / the nodes of the larger one. Tools that are installed stand beside.
"""

from __future__ import annotations

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, zip_longest
from pathlib import Path
from typing import Annotated, Any

import typer
from apted import APTED, Config
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.footnote import footnote_plugin
from rapidfuzz.distance import Levenshtein

import ncleaner

KINDS = ("code", "formulas", "notes", "links", "images", "headings", "items", "rows", "words")
Marks = dict[str, list[str]]
Table = list[list[str]]
# the rows of a table, the cells of a row, or nothing; and the text of a cell
Node = tuple[list[Any], str]

READER = MarkdownIt("commonmark", {"maxNesting": 100}).enable("table").enable("strikethrough")
# prices are no formulas
READER.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
READER.use(footnote_plugin, inline=False)


def bare(text: str) -> str:
    """Text with single spaces, in small letters."""
    return " ".join(text.casefold().split())


def words_of(text: str) -> list[str]:
    """The words of a text; each character of a script without spaces is one."""
    return re.findall(r"[぀-鿿가-힯]|[^\W_]+", text.casefold())


def inline_text(token: Token) -> str:
    """The words of an inline token, as a reader sees them."""
    found = []
    for child in token.children or ():
        if child.type in ("text", "code_inline", "math_inline", "math_inline_double"):
            found.append(child.content)
        elif child.type in ("softbreak", "hardbreak") or child.content == "<br>":
            found.append(" ")
    return "".join(found)


def marks_of(text: str) -> Marks:
    """What a text has of each kind."""
    marks: Marks = {kind: [] for kind in KINDS}
    rows: list[list[str]] = []
    items: list[list[str]] = []
    notes: list[list[str]] = []
    is_heading = False
    for token in READER.parse(text):
        match token.type:
            case "fence" | "code_block":
                lines = token.content.strip("\n").split("\n")
                marks["code"].append("\n".join(line.rstrip() for line in lines))
                marks["words"] += words_of(token.content)
            case "math_block" | "math_block_label":
                marks["formulas"].append("".join(token.content.split()))
            case "heading_open":
                is_heading = True
            case "heading_close":
                is_heading = False
            case "list_item_open":
                items.append([])
            case "list_item_close":
                if item := bare(" ".join(items.pop())):
                    marks["items"].append(item)
            case "footnote_open":
                notes.append([])
            case "footnote_close":
                marks["notes"].append(bare(" ".join(notes.pop())))
            case "tr_open":
                rows.append([])
            case "tr_close":
                if any(row := rows.pop()):
                    marks["rows"].append(" | ".join(row))
            case "inline":
                said = inline_text(token)
                marks["words"] += words_of(said)
                if is_heading:
                    marks["headings"].append(bare(said))
                if rows:
                    rows[-1].append(bare(said))
                if items:
                    items[-1].append(said)
                if notes:
                    notes[-1].append(said)
                for child in token.children or ():
                    if child.type.startswith("math_inline"):
                        marks["formulas"].append("".join(child.content.split()))
                    elif child.type == "link_open":
                        marks["links"].append(str(child.attrGet("href")))
                    elif child.type == "image":
                        marks["images"].append(str(child.attrGet("src")))
    return marks


def agreement(ours: Sequence[str], gold: Sequence[str]) -> float:
    """F1 of two bags."""
    common = (Counter(ours) & Counter(gold)).total()
    return 2 * common / (len(ours) + len(gold))


def scores_of(ours: Marks, gold: Marks) -> dict[str, float]:
    """F1 of each kind that one of both has."""
    return {kind: agreement(ours[kind], gold[kind]) for kind in KINDS if ours[kind] or gold[kind]}


def rouge(ours: Sequence[str], gold: Sequence[str], length: int = 5) -> float:
    """F1 of the sequences of `length` words, as WebMainBench's ROUGE-N."""
    bags = []
    for words in (ours, gold):
        bags.append([" ".join(words[at : at + length]) for at in range(len(words) - length + 1)])
    return agreement(*bags) if any(bags) else 1.0


def similar(ours: Sequence[str], gold: Sequence[str]) -> float:
    """Edit similarity of what stands in two lists, one after the other."""
    return 1 - Levenshtein.normalized_distance("\n".join(ours), "\n".join(gold))


def tables_of(text: str) -> list[Table]:
    """The cells of each row of each table."""
    tables: list[Table] = []
    for token, following in pairwise(READER.parse(text)):
        match token.type:
            case "table_open":
                tables.append([])
            case "tr_open":
                tables[-1].append([])
            case "th_open" | "td_open":
                tables[-1][-1].append(bare(inline_text(following)))
    return tables


class Edits(Config):  # type: ignore[misc]
    """What the changes of a table cost: 1 for a node more or less."""

    def children(self, node: Node) -> list[Node]:
        """Rows or cells."""
        return node[0]

    def rename(self, node1: Node, node2: Node) -> float:
        """The normalised edit distance of two cells; 0 for two rows, which have no text of their own."""
        return Levenshtein.normalized_distance(node1[1], node2[1])


def tree_similarity(ours: Table, gold: Table) -> float:
    """TEDS of two tables."""
    trees: list[Node] = [
        ([([([], cell) for cell in row], "") for row in table], "") for table in (ours, gold)
    ]
    nodes = max(1 + len(table) + sum(map(len, table)) for table in (ours, gold))
    return float(1 - APTED(*trees, Edits()).compute_edit_distance() / nodes)


def as_ncleaner(html: bytes, url: str) -> str:
    """Our Markdown."""
    return ncleaner.Cleaner().markdown(html, url, links=True, images=True)


def as_trafilatura(html: bytes, url: str) -> str:
    """Markdown of trafilatura, with links, images and formatting."""
    from trafilatura import extract

    wanted: dict[str, Any] = {"include_links": True, "include_images": True, "include_formatting": True}
    return extract(html, url=url, output_format="markdown", **wanted) or ""


def as_markdownify(html: bytes, url: str) -> str:
    """Our clean HTML, written by markdownify."""
    from markdownify import markdownify

    return str(markdownify(ncleaner.Cleaner().html(html, url, links=True, images=True), heading_style="ATX"))


def as_html2text(html: bytes, url: str) -> str:
    """Our clean HTML, written by html2text."""
    from html2text import HTML2Text

    writer = HTML2Text(bodywidth=0)
    return str(writer.handle(ncleaner.Cleaner().html(html, url, links=True, images=True)))


TOOLS: dict[str, Callable[[bytes, str], str]] = {
    "ncleaner": as_ncleaner,
    "trafilatura": as_trafilatura,
    "markdownify": as_markdownify,
    "html2text": as_html2text,
}


def pages_of(gold: Path) -> Iterator[tuple[str, str, str, bytes, str]]:
    """Identifier, address, title, HTML and reviewed Markdown of each page."""
    with (gold / "manifest.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            name, clean = row["id"], gold / "clean" / f"{row['id']}.md"
            if clean.exists():
                html = (gold / "raw" / f"{name}.html").read_bytes()
                yield name, row["url"], row.get("title") or "", html, clean.read_text("utf-8")


def mean(values: Sequence[float]) -> float:
    """The mean; of nothing, none."""
    return sum(values) / len(values) if values else float("nan")


def compared(ours: str, gold: str, title: str) -> tuple[Marks, Marks, dict[str, float]]:
    """The marks of both texts, and the figures of a page."""
    mine, wanted = marks_of(ours), marks_of(gold)
    for marks in (mine, wanted):
        marks["headings"] = [each for each in marks["headings"] if each != bare(title)]
    figures = scores_of(mine, wanted)
    figures["ROUGE-5"] = rouge(mine["words"], wanted["words"])
    for kind in ("code", "formulas", "rows"):
        if mine[kind] or wanted[kind]:
            figures[f"{kind}, edits"] = similar(mine[kind], wanted[kind])
    if pairs := list(zip_longest(tables_of(ours), tables_of(gold))):
        # tables are matched in order; one without a partner counts 0
        figures["tables"] = mean([tree_similarity(*pair) if all(pair) else 0.0 for pair in pairs])
    return mine, wanted, figures


def show_page(figures: dict[str, float], ours: Marks, gold: Marks) -> None:
    """Prints what a page lacks of each kind, and what it has too much."""
    for kind, score in figures.items():
        print(f"== {kind} {score:.2f}")
        if kind in KINDS[:-1]:
            for sign, (some, others) in {"-": (gold, ours), "+": (ours, gold)}.items():
                for text in (Counter(some[kind]) - Counter(others[kind])).elements():
                    print(sign, text[:300])


def main(
    gold: Annotated[Path, typer.Argument()],
    show: Annotated[str, typer.Option(help="Show what this page has and lacks.")] = "",
    kind: Annotated[str, typer.Option(help="List the pages by this kind.")] = "",
) -> None:
    """Prints what the command line asks for."""
    warnings.simplefilter("ignore")
    for name in ["ncleaner"] if show or kind else TOOLS:
        found: dict[str, list[float]] = {}
        for page, url, title, html, clean in pages_of(gold):
            if show and page != show:
                continue
            try:
                text = TOOLS[name](html, url)
            except ImportError:
                break
            mine, wanted, figures = compared(text, clean, title)
            if show:
                show_page(figures, mine, wanted)
            if kind in figures:
                print(f"{figures[kind]:.2f} {page}")
            for each, score in figures.items():
                found.setdefault(each, []).append(score)
        if found and not show and not kind:
            kinds = {each: mean(found.get(each, [])) for each in KINDS}
            figures = {"mean": mean(list(kinds.values())), **kinds}
            figures |= {each: mean(scores) for each, scores in found.items() if each not in KINDS}
            print(f"{name}: " + ", ".join(f"{each} {score:.3f}" for each, score in figures.items()))


if __name__ == "__main__":
    typer.run(main)
