"""Pages that hold nothing but a notice: how many come out empty, and how much real text is lost for it.

    python -m bench.notices                     # our own test pages, with the shipped model
    python -m bench.notices --gold GOLD         # and gold directories, cross-validated by site

The test pages are the texts of `bench/notices.txt`, which no model was trained on, in skeletons of several
kinds. `--gold` takes the folder of the gold directories. It trains the model of notices five times, each time
without a fifth of the sites and of the texts in `scripts/notices`, and measures on that fifth: the share of
the words of fragments that are kept, the gold pages that become empty, and the notices that are found.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Annotated, NamedTuple

import numpy as np
import typer

from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.lab.training.examples import folds
from ncleaner.lab.training.fragments import fragment_of
from ncleaner.lab.training.pairs import read_pairs
from ncleaner.methods.choice import load_method
from ncleaner.modelling import FOLDS
from ncleaner.modelling.notices import Notices, shipped_notices

sys.path.append(str(Path(__file__).parent.parent / "scripts"))
from notice_training import Small, Text, read_texts, small_parts, terms_of_texts, train_notices

HERE = Path(__file__).parent
TEXTS = HERE / "notices.txt"
TRAINING = HERE.parent / "scripts" / "notices"

_NAV = {
    "en": ("Home", "Products", "News", "About us", "Careers", "Contact"),
    "de": ("Start", "Produkte", "Aktuelles", "Über uns", "Kontakt"),
    "fr": ("Accueil", "Boutique", "Actualités", "À propos", "Contact"),
    "es": ("Inicio", "Tienda", "Noticias", "Quiénes somos", "Contacto"),
    "el": ("Αρχική", "Προϊόντα", "Νέα", "Σχετικά", "Επικοινωνία"),
    "pl": ("Start", "Oferta", "Aktualności", "O nas", "Kontakt"),
    "ru": ("Главная", "Каталог", "Новости", "О компании", "Контакты"),
    "zh": ("首页", "产品", "新闻", "关于我们", "联系我们"),
}
_FOOT = {
    "en": ("Privacy policy", "Terms of use", "Imprint", "Site map"),
    "de": ("Datenschutz", "AGB", "Impressum"),
    "fr": ("Mentions légales", "Confidentialité"),
    "es": ("Aviso legal", "Política de privacidad"),
    "el": ("Όροι χρήσης", "Προσωπικά δεδομένα"),
    "pl": ("Regulamin", "Polityka prywatności"),
    "ru": ("Политика конфиденциальности", "Условия использования"),
    "zh": ("隐私政策", "使用条款"),
}


def _of(words: dict[str, tuple[str, ...]], text: Text) -> tuple[str, ...]:
    return words.get(text.language, words["en"])


def _links(names: Iterable[str], tag: str = "li") -> str:
    return "".join(f"<{tag}><a href='/{n}'>{escape(name)}</a></{tag}>" for n, name in enumerate(names))


def _paragraphs(text: Text, before: str = "<p>", after: str = "</p>") -> str:
    return "".join(f"{before}{escape(line)}{after}" for line in text.lines)


def _bare(text: Text) -> str:
    """As a server writes it."""
    title = escape(text.title)
    return (
        f"<html><head><title>{title}</title></head><body><center><h1>{title}</h1></center>"
        f"{_paragraphs(text)}<hr><center>nginx</center></body></html>"
    )


def _plain(text: Text) -> str:
    """A headline and paragraphs, and nothing else."""
    return f"<h1>{escape(text.title)}</h1>{_paragraphs(text)}"


def _card(text: Text) -> str:
    """A box in the middle of the page."""
    title = escape(text.title)
    buttons = "".join(f"<a class=btn href='/{n}'>{escape(b)}</a> " for n, b in enumerate(text.buttons))
    return (
        f"<!DOCTYPE html><html lang={text.language}><head><title>{title}</title></head><body>"
        f"<div class=wrapper><div class='error-box'><h2>{title}</h2>{_paragraphs(text)}{buttons}</div></div>"
        "</body></html>"
    )


def _site(text: Text) -> str:
    """A site with navigation and footer."""
    title = escape(text.title)
    actions = f"<ul class=actions>{_links(text.buttons)}</ul>" if text.buttons else ""
    return (
        f"<!DOCTYPE html><html lang={text.language}><head><title>{title} | Northlight</title></head><body>"
        f"<header><a href=/ class=logo>Northlight</a><nav><ul>{_links(_of(_NAV, text))}</ul></nav></header>"
        f"<main id=content><h1>{title}</h1>{_paragraphs(text)}{actions}</main>"
        f"<footer><ul>{_links(_of(_FOOT, text))}</ul><p>© 2024 Northlight</p></footer></body></html>"
    )


def _table(text: Text) -> str:
    """An old page, by tables."""
    title = escape(text.title)
    links = " | ".join(f"<a href=/{n}>{escape(b)}</a>" for n, b in enumerate(text.buttons or _of(_NAV, text)))
    rows = _paragraphs(text, "<tr><td><font size=2>", "</font></td></tr>")
    return (
        f"<html><head><title>{title}</title></head><body bgcolor=white><table width=600><tr><td>"
        f"<font size=5><b>{title}</b></font></td></tr>{rows}<tr><td>{links}</td></tr></table></body></html>"
    )


def _app(text: Text) -> str:
    """A web application: headings by classes only, a long footer, and a title that says nothing."""
    lines = _paragraphs(text, "<div class='state-text'>", "</div>")
    buttons = "".join(f"<button>{escape(button)}</button>" for button in text.buttons)
    return (
        f"<!DOCTYPE html><html lang={text.language}><head><title>Harbour Street</title></head><body>"
        f"<div id=root><div class='nav-bar'>{_links(_of(_NAV, text), 'span')}</div>"
        f"<section class='state-view'><div class='state-title'>{escape(text.title)}</div>"
        f"{lines}{buttons}</section><div class='bottom'>"
        f"{_links(_of(_NAV, text) + _of(_FOOT, text), 'div')}<div>© Harbour Street Ltd.</div></div></div>"
        "</body></html>"
    )


def _links_below(text: Text, number: int = 30) -> str:
    """A page full of links."""
    title, nav, foot = escape(text.title), _of(_NAV, text), _of(_FOOT, text)
    names = (f"{a} {b} {n}" for n in range(1, number) for a, b in zip(nav, foot, strict=False))
    return (
        f"<!DOCTYPE html><html lang={text.language}><head><title>{title} - Meadow Post</title></head><body>"
        f"<div class=menu><ul>{_links(nav)}</ul></div><div class=content><h1>{title}</h1>{_paragraphs(text)}"
        f"<h3>{escape(nav[2])}</h3><ul class=links>{_links(names)}</ul></div>"
        f"<div class=footer>{_links(foot, 'span')}</div></body></html>"
    )


SKELETONS: dict[str, Callable[[Text], str]] = {
    "bare": _bare,
    "plain": _plain,
    "card": _card,
    "site": _site,
    "table": _table,
    "app": _app,
    "links": _links_below,
}
_WITHOUT_SKELETON = ("bare", "plain")


class Outcome(NamedTuple):
    """What becomes of a test page."""

    text: Text
    skeleton: str
    empty: bool

    @property
    def full(self) -> bool:
        """Tells whether the page has a skeleton around the text."""
        return self.skeleton not in _WITHOUT_SKELETON


def pages(texts: Iterable[Text]) -> Iterator[tuple[Text, str, str]]:
    """Yields each text in each skeleton: text, name of the skeleton, HTML."""
    for text in texts:
        for name, skeleton in SKELETONS.items():
            yield text, name, skeleton(text)


def _share(flags: list[bool]) -> str:
    return f"{100 * sum(flags) / len(flags):5.1f} % of {len(flags):4}" if flags else f"{'-':>15}"


def _table_of(title: str, groups: dict[str, list[Outcome]]) -> None:
    print(f"\n{title:14} {'full pages':>16} {'bare':>16}")
    for name in sorted(groups, key=lambda name: -len(groups[name])):
        parts = ([o.empty for o in groups[name] if o.full is full] for full in (True, False))
        print(f"{name:14} " + " ".join(map(_share, parts)))


def _report(outcomes: list[Outcome]) -> None:
    by: dict[str, dict[str, list[Outcome]]] = defaultdict(lambda: defaultdict(list))
    for outcome in outcomes:
        by["all"]["all"].append(outcome)
        by["kind"][outcome.text.kind].append(outcome)
        by["language"][outcome.text.language].append(outcome)
        by["skeleton"][outcome.skeleton].append(outcome)
    for title, groups in by.items():
        _table_of(title, groups)


def _own_pages() -> None:
    """Measures the shipped model on our own test pages."""
    texts = read_texts(TEXTS)
    notices = [text for text in texts if text.kind != "text"]
    ordinary = [text for text in texts if text.kind == "text"]
    before, after = Cleaner(notices=True), Cleaner()
    kept = [not before.clean(html) for _, _, html in pages(notices)]
    print(f"{len(notices)} notices, {len(kept)} pages; empty with notices=True: {_share(kept)}")
    outcomes = [Outcome(text, name, not after.clean(html)) for text, name, html in pages(notices)]
    _report(outcomes)
    lost = [Outcome(text, name, not after.clean(html)) for text, name, html in pages(ordinary)]
    print(f"\n{len(ordinary)} ordinary short texts, {len(lost)} pages; wrongly empty:")
    _table_of("", {"ordinary": lost})
    for outcome in lost:
        if outcome.empty:
            print(f"    {outcome.skeleton}: {outcome.text.title or outcome.text.lines[0]}")


def _long_pages() -> None:
    """Prints what becomes of error pages of 2,000 words."""
    cleaner = Cleaner()
    text = Text(
        "en", "error", "404 Not Found", ("The page that you asked for is not on this server any more.",), ()
    )
    prose = tuple(
        f"Case {n}: the address was typed by hand, and letter {n} of it is wrong, or the page was moved to "
        f"folder {n} when the site was built again, and nobody has left a sign at the old place."
        for n in range(60)
    )
    long_pages = {
        "a message and 2,000 words of links": _links_below(text, 150),
        "a message and 2,000 words of prose about it": _site(replace(text, lines=(*text.lines, *prose))),
    }
    print("\nLong error pages")
    for name, html in long_pages.items():
        words = int(cleaner.document(html).segments["words"].sum())
        print(f"  {name}: {words:,} words, {len(cleaner.clean(html).split()):,} kept")


class _Page(NamedTuple):
    """A gold page: its fragments, and the text that the hybrid keeps of it."""

    folder: str
    name: str
    site: str
    parts: list[Small]
    fragments: list[Document]
    document: Document
    mask: np.ndarray[tuple[int], np.dtype[np.bool_]]


def _read(gold: Path) -> list[_Page]:
    hybrid = load_method("hybrid")
    found = []
    for folder in sorted(path for path in gold.iterdir() if (path / "raw").is_dir()):
        for pair in read_pairs(folder / "raw", folder / "clean"):
            clean = pair.alignment.shares >= 0.9
            # others than those of training
            made = (
                [fragment_of(pair.document, clean, f"{pair.name} {n}") for n in range(2)]
                if pair.alignment.found >= 0.5
                else []
            )
            mask = hybrid.keep(pair.document).mask
            fragments = [fragment.document for fragment in made if fragment is not None]
            site = pair.site or pair.name
            found.append(
                _Page(folder.name, pair.name, site, small_parts(pair), fragments, pair.document, mask)
            )
    return found


def _is_notice(model: Notices, document: Document, mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> bool:
    return model.probability(document, mask) > 0.5


def _gold_pages(gold: Path) -> None:
    """Cross-validates the model of notices."""
    found = _read(gold)
    notices, ordinary = (read_texts(TRAINING / f"{part}.txt") for part in ("notices", "ordinary"))
    hybrid = load_method("hybrid")
    words: dict[str, int] = defaultdict(int)
    lost: dict[str, int] = defaultdict(int)
    pieces: dict[str, list[bool]] = defaultdict(list)
    outcomes: list[Outcome] = []
    wrong: list[str] = []
    for number, held in enumerate(folds([page.site for page in found], FOLDS)):
        inside = set(held)
        others = [part.terms for row, page in enumerate(found) if row not in inside for part in page.parts]
        taught = [
            [text for n, text in enumerate(texts) if n % FOLDS != number] for texts in (notices, ordinary)
        ]
        model = train_notices(terms_of_texts(taught[0]), [*terms_of_texts(taught[1]), *others])
        for row in held:
            page = found[row]
            for fragment in page.fragments:
                mask = np.ones(len(fragment), bool)
                size = int(fragment.segments["words"].sum())
                gone = _is_notice(model, fragment, mask)
                words[page.folder] += size
                lost[page.folder] += size * gone
                pieces[page.folder].append(gone)
            if _is_notice(model, page.document, page.mask):
                shown = " | ".join(str(s) for s in page.document if page.mask[s.index])
                wrong.append(f"{page.folder} {page.name}: {shown[:70]}")
        for text, name, html in pages(notices[number::FOLDS]):
            document = dump_html(html)
            kept = hybrid.keep(document).mask
            outcomes.append(Outcome(text, name, not kept.any() or _is_notice(model, document, kept)))
    print("\nNotices of the training texts, each found by a model that has not seen it")
    _report(outcomes)
    print(f"\n{'fragments':20} {'words kept':>12} {'fragments lost':>20}")
    for folder in [*words, "all"]:
        total, away = (sum(c.values()) if folder == "all" else c[folder] for c in (words, lost))
        flags = [flag for part in pieces.values() for flag in part] if folder == "all" else pieces[folder]
        print(f"{folder:20} {100 - 100 * away / max(total, 1):10.2f} % {_share(flags):>20}")
    share = 100 * len(wrong) / len(found)
    print(f"\n{len(wrong)} of {len(found):,} gold pages become empty ({share:.2f} %)")
    print("\n".join(f"    {line}" for line in wrong))


def main(
    gold: Annotated[Path | None, typer.Option(help="the folder of the gold directories")] = None,
) -> None:
    """Prints tables of shares of pages and words."""
    if gold is not None and not gold.is_dir():
        sys.exit(f"{gold} is no folder")
    print(f"the shipped model: {shipped_notices().summary()}")
    _own_pages()
    _long_pages()
    if gold is not None:
        _gold_pages(gold)


if __name__ == "__main__":
    typer.run(main)
