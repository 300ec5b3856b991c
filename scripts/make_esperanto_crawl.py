#!/usr/bin/env python3
"""Write `examples/esperanto`: a small crawl in a language that no shipped model knows, with its gold texts.

Six sites that do not exist, each with a layout of its own, have six pages each. The sentences are written for
this project; a page is a mixture of those of its site. The same script gives the same bytes.

    python scripts/make_esperanto_crawl.py            # write the files
    python scripts/make_esperanto_crawl.py --check    # exit 1 when they are not what the script gives
"""

# sentences stay whole
# ruff: noqa: E501
from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from make_example_crawl import Capture, archive_of, is_current

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
PAGES_OF_A_SITE = 6
NUMBERS = "dek dek-du dudek tridek kvardek sesdek cent ducent".split()
DAYS = "lundo mardo merkredo ĵaŭdo vendredo sabato dimanĉo".split()
MENU = (
    "Hejmo Novaĵoj Arkivo Kontakto Pri_ni Serĉi Ensaluti Reklamo Abonoj Helpo Regularo Kuketoj Retpoŝto "
    "Bildoj Kalendaro Forumo"
).split()


@dataclass(frozen=True)
class Site:
    """A site: its host, name, sentences, titles, and what makes a page of them."""

    host: str
    name: str
    titles: tuple[str, ...]
    sentences: tuple[str, ...]
    layout: Callable[[str, str, list[str], list[str]], str]


def _list(items: list[str]) -> str:
    return "".join(f'<li><a href="/{item.lower()}">{item.replace("_", " ")}</a></li>' for item in items)


def newspaper(name: str, title: str, paragraphs: list[str], menu: list[str]) -> str:
    """Menu above, related links beside, legal text below."""
    text = "".join(f"<p>{text}</p>" for text in paragraphs)
    return (
        f'<header><div class="logo">{name}</div><nav><ul class="mainmenu">{_list(menu)}</ul></nav></header>'
        f'<main><article class="story"><h1>{title}</h1>'
        f'<div class="byline">De nia redakcio, 3 min.</div>{text}</article>'
        f'<aside class="related"><h3>Legu ankaŭ</h3><ul>{_list(menu[:3])}</ul></aside></main>'
        f"<footer><p>© 2026 {name}. Ĉiuj rajtoj rezervitaj.</p><p>Regularo | Kuketoj | Reklamo</p></footer>"
    )


def blog(name: str, title: str, paragraphs: list[str], menu: list[str]) -> str:
    """A post with a sidebar."""
    text = "".join(f"<p>{text}</p>" for text in paragraphs)
    return (
        f'<div id="page"><div id="top"><a href="/">{name}</a></div><div class="post"><h2>{title}</h2>'
        f'<div class="entry">{text}</div><div class="share">Kunhavigi: Retpoŝto · Presi · Konservi</div></div>'
        f'<div id="sidebar"><h4>Kategorioj</h4><ul>{_list(menu)}</ul><h4>Abonu</h4><p>Ricevu novajn artikolojn.</p>'
        f'</div><div id="footer">Funkciigata de propra programo</div></div>'
    )


def table(name: str, title: str, paragraphs: list[str], menu: list[str]) -> str:
    """Laid out with tables; line breaks between paragraphs."""
    cells = "".join(f'<tr><td class="left"><a href="/{item}">{item}</a></td></tr>' for item in menu)
    text = "<br><br>".join(paragraphs)
    return (
        f'<table width="100%"><tr><td colspan="2" class="head">{name}</td></tr><tr><td valign="top"><table>{cells}'
        f'</table></td><td class="content"><h1>{title}</h1>{text}</td></tr><tr><td colspan="2" class="foot">'
        f"Lasta ŝanĝo: hodiaŭ | Presebla versio | Supren</td></tr></table>"
    )


def portal(name: str, title: str, paragraphs: list[str], menu: list[str]) -> str:
    """Cards of links and a newsletter below."""
    text = "".join(f"<p>{text}</p>" for text in paragraphs)
    cards = "".join(
        f'<div class="card"><a href="/{item}">{item}</a><span>Pli</span></div>' for item in menu[:4]
    )
    return (
        f'<div class="topbar"><span>{name}</span><form><input placeholder="Serĉi"></form></div>'
        f'<ol class="breadcrumb">{_list(menu[:2])}</ol><section class="content"><h1>{title}</h1>{text}</section>'
        f'<section class="cards">{cards}</section><div class="newsletter">Abonu nian bultenon! Enigu vian '
        f'retadreson.</div><footer class="links"><ul>{_list(menu)}</ul></footer>'
    )


def plain(name: str, title: str, paragraphs: list[str], menu: list[str]) -> str:
    """Links between rules; paragraphs are never closed."""
    text = "".join(f"<p>{text}" for text in paragraphs)
    links = " | ".join(f'<a href="{item}.html">{item.replace("_", " ")}</a>' for item in menu)
    return f"<center>{links}</center><hr><h1>{title}</h1>{text}<hr><center>{name} · {links}</center>"


def divs(name: str, title: str, paragraphs: list[str], menu: list[str]) -> str:
    """Nothing but `div`, also for paragraphs."""
    text = "".join(f'<div class="par">{text}</div>' for text in paragraphs)
    return (
        f'<div class="wrap"><div class="nav">{"".join(f"<a href=/{item}>{item}</a> " for item in menu)}</div>'
        f'<div class="title">{title}</div><div class="body">{text}</div><div class="tags">Etikedoj: '
        f'{" ".join(menu[:4])}</div><div class="comments">Komentoj (0) · Aldonu komenton</div>'
        f'<div class="legal">Ni uzas kuketojn. Akcepti ĉion. Rifuzi.</div></div>'
    )


SITES = (
    Site(
        "kajo.example", "La Kajo",
        (
            "Pramo denove malfruas", "Nova horaro por la haveno", "La ponto restas fermita",
            "Kiu pagos la novan motoron?", "Somera trafiko komenciĝas", "Malnova lumturo ricevas lampon",
        ),
        (
            "La pramo al la norda insulo malfruis denove {day}n, ĉar la motoro haltis meze de la golfo.",
            "Proksimume {n} vojaĝantoj atendis sur la kajo ĝis la noktomezo, kaj neniu sciis, kiam ili revenos hejmen.",
            "La estro de la haveno diris, ke oni mendis novan parton antaŭ tri monatoj, sed ke ĝi ankoraŭ ne alvenis.",
            "Laŭ la urba konsilio la somera horaro komenciĝos nur en la dua semajno de majo.",
            "Fiŝkaptistoj de la insulo plendas, ke ili perdas {n} eŭrojn ĉiutage, kiam la pramo ne veturas.",
            "La ĵurnalo demandis la kompanion pri la kosto de la riparo, sed ricevis neniun respondon.",
            "Antaŭ {n} jaroj la sama ŝipo jam staris du semajnojn en la haveno pro la sama difekto.",
            "Se la vetero permesos, la unua ŝipo ekveturos {day}n je la sesa horo matene.",
        ),
        newspaper,
    ),
    Site(
        "kuirejo.example", "Simpla kuirejo",
        (
            "Pano sen hasto", "Supo el la ĝardeno", "Kuko por dimanĉo", "Kion fari per restaĵoj",
            "Brasiko kaj pomoj", "La unua ĵelo de la jaro",
        ),
        (
            "Bona pano bezonas tempon, kaj preskaŭ nenion alian, kion oni povus aĉeti per mono.",
            "Miksu la farunon kun la akvo kaj lasu la paston ripozi dum {n} minutoj, antaŭ ol vi aldonas la salon.",
            "Mia avino kuiris tiun supon ĉiun {day}n, kiam la legomoj de la semajno devis esti manĝataj.",
            "Ne maltrankviliĝu, se la pasto gluiĝas al viaj manoj: ju pli malseka ĝi estas, des pli aera fariĝos la pano.",
            "Tranĉu la pomojn en maldikajn pecojn kaj miksu ilin kun la suko de unu citrono, por ke ili ne bruniĝu.",
            "Kiu ne havas fornon, povas baki la kukon en peza poto kun kovrilo dum {n} minutoj.",
            "La restaĵoj de la hieraŭa vespermanĝo fariĝas bonega tagmanĝo, se oni aldonas iom da ajlo kaj freŝan panon.",
            "Lasu la ĵelon malvarmiĝi dum la tuta nokto, kaj ne malfermu la vitrojn antaŭ la sekva mateno.",
        ),
        blog,
    ),
    Site(
        "montaro.example", "Klubo de la montmigrantoj",
        (
            "Tra la malluma valo", "Vintra kabano malfermita", "Kiel ni perdis la vojon", "Novaj signoj sur la pado",
            "Nokto sub la steloj", "Al la fontoj de la rivero",
        ),
        (
            "Ni ekiris frue matene, kiam la nebulo ankoraŭ kuŝis en la valo kaj la herbo estis malseka.",
            "La pado supreniras dum {n} minutoj tra densa arbaro, ĝis oni subite staras antaŭ la vasta ebenaĵo.",
            "La kabano havas litojn por {n} personoj, kaj la gardanto petas, ke oni anoncu sin antaŭ {day}.",
            "Ĉe la dua kruciĝo ni iris maldekstren, kio estis eraro, kiel ni rimarkis nur du horojn poste.",
            "Kiu volas vidi la fonton, devas transiri la rivereton trifoje, kaj tio eblas nur en seka vetero.",
            "Dum la nokto la temperaturo falis sub nulon, sed neniu el ni volis reveni en la tendon.",
            "Volontuloj de la klubo pentris {n} novajn signojn sur la arbojn, por ke neniu plu perdiĝu en la nebulo.",
            "Bonvolu kunporti sufiĉe da akvo, ĉar inter la vilaĝo kaj la pinto troviĝas neniu fonto.",
        ),
        table,
    ),
    Site(
        "urbo.example", "Urba informejo",
        (
            "Biblioteko dum la somero", "Rubkolektado ŝanĝiĝas", "Novaj benkoj en la parko", "Lernejo serĉas helpantojn",
            "La bazaro translokiĝas", "Kiel peti novan karton",
        ),
        (
            "La urba biblioteko estos malfermita dum la tuta somero, krom la {day}oj, kiam oni ordigas la librojn.",
            "De la venonta monato oni kolektos paperon kaj vitron nur ĉiun duan {day}n.",
            "La konsilio decidis meti {n} novajn benkojn en la parkon, ĉar multaj maljunuloj petis pri tio.",
            "Gepatroj, kiuj volas helpi en la lernejo, povas anonci sin ĉe la sekretariejo ĝis la fino de la monato.",
            "Pro la laboroj sur la placo la bazaro okazos dum {n} semajnoj malantaŭ la malnova preĝejo.",
            "Por peti novan karton vi bezonas foton, kiu ne aĝas pli ol ses monatojn, kaj vian malnovan karton.",
            "La oficejo petas pardonon pro la longaj atendotempoj, kiuj estiĝis pro la nova komputila programo.",
            "Kiu ne povas veni persone, rajtas sendi alian personon kun subskribita letero.",
        ),
        portal,
    ),
    Site(
        "steloj.example", "Amikoj de la astronomio",
        (
            "Kial la luno ŝajnas granda", "Kometo videbla en aprilo", "Teleskopo el malnovaj lensoj", "La longa nokto de la planedoj",
            "Ringoj ĉirkaŭ fora mondo", "Kion diras la koloroj de steloj",
        ),
        (
            "Kiam la luno staras proksime al la horizonto, ĝi ŝajnas multe pli granda, sed tio estas nur iluzio de nia menso.",
            "La kometo, kiun oni malkovris antaŭ {n} jaroj, estos videbla per simpla binoklo ĝis la fino de aprilo.",
            "Por konstrui malgrandan teleskopon sufiĉas du malnovaj lensoj, kartona tubo kaj iom da pacienco.",
            "Ruĝaj steloj estas pli malvarmaj ol bluaj, kvankam oni ĉiutage lernas la malon ĉe la akvokrano.",
            "Nia societo invitas {day}n al la observejo, kie {n} membroj klarigos la movojn de la planedoj.",
            "La lumo de tiu stelo bezonas {n} jarojn, ĝis ĝi atingas niajn okulojn, tiel ke ni vidas ĝian pasintecon.",
            "Nuboj estas la plej granda malamiko de ĉiu observanto, kaj kontraŭ ili helpas neniu aparato.",
            "Ringoj konsistas el glacio kaj ŝtonoj, kelkaj malgrandaj kiel sablo, aliaj grandaj kiel domoj.",
        ),
        plain,
    ),
    Site(
        "metiejo.example", "La malgranda metiejo",
        (
            "Seĝo kun tri kruroj", "Kiel akrigi tranĉilon", "Horloĝo, kiu iras malantaŭen", "Gluo el kazeo",
            "Tirkesto, kiu ne plu blokiĝas", "Lampo el vitra botelo",
        ),
        (
            "Seĝo kun tri kruroj neniam ŝanceliĝas, kio estas simpla geometrio kaj tamen mirigas ĉiun vizitanton.",
            "Por akrigi tranĉilon oni bezonas ŝtonon, akvon kaj dek minutojn, dum kiuj neniu parolas al vi.",
            "La horloĝo staris {n} jarojn en la subtegmento, antaŭ ol mia najbaro alportis ĝin al mi.",
            "Gluon el kazeo oni faris jam antaŭ {n} generacioj, kaj ĝi tenas lignon pli bone ol multaj modernaj rimedoj.",
            "Se tirkesto blokiĝas en malseka vetero, frotu ĝiajn randojn per seka sapo, kaj ĝi denove glitos.",
            "Neniam tranĉu vitron sen ŝirmaj okulvitroj, eĉ se vi jam faris tion cent fojojn sen akcidento.",
            "Mi aĉetis la lignon {day}n de maljuna segisto, kiu konis la arbon, el kiu ĝi venis.",
            "La plej malfacila parto estas atendi, ĝis la lako vere sekiĝis, ĉar la fingroj ĉiam volas provi tro frue.",
        ),
        divs,
    ),
)  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A page with its gold text."""

    name: str
    url: str
    body: bytes
    gold: str


def pages() -> list[Made]:
    """Returns all pages, in the order of a crawl: now of this site, now of that."""
    made = []
    for number in range(PAGES_OF_A_SITE):
        for site in SITES:
            draw = random.Random(f"{site.host} {number}")
            sentences = draw.sample(site.sentences, len(site.sentences))
            filled = [text.format(n=draw.choice(NUMBERS), day=draw.choice(DAYS)) for text in sentences]
            sizes = draw.choice(((2, 3, 3), (1, 2, 2, 3), (3, 1, 4), (2, 2, 2, 2)))
            paragraphs, at = [], 0
            for size in sizes:
                paragraphs.append(" ".join(filled[at : at + size]))
                at += size
            title = site.titles[number]
            menu = random.Random(site.host).sample(MENU, 9)
            url = f"https://{site.host}/{number + 1}.html"
            html = (
                f'<!DOCTYPE html>\n<html><head><meta charset="utf-8"><title>{title} – {site.name}</title>'
                f'<link rel="canonical" href="{url}"></head>\n<body>{site.layout(site.name, title, paragraphs, menu)}'
                "</body></html>\n"
            )
            gold = "\n".join([f"<h>{title}", *(f"<p>{text}" for text in paragraphs)]) + "\n"
            made.append(Made(f"{site.host.split('.')[0]}-{number + 1}", url, html.encode(), gold))
    return made


def files() -> dict[Path, bytes]:
    """Returns the files of the example with their bytes."""
    folder = EXAMPLES / "esperanto"
    found = {folder / "gold" / f"{page.name}.gold": page.gold.encode() for page in pages()}
    captures = [
        Capture(
            page.name, page.url, f"2026-03-01T10:{number:02}:00Z", "200 OK", "text/html; charset=utf-8", page.body
        )
        for number, page in enumerate(pages())
    ]  # fmt: skip
    found[folder / "crawl.warc.gz"] = archive_of(captures)
    manifest = [json.dumps({"id": page.name, "url": page.url, "lang": "eo"}) for page in pages()]
    found[folder / "manifest.jsonl"] = ("\n".join(manifest) + "\n").encode()
    return found


def _is_as_it_should_be(path: Path, data: bytes) -> bool:
    if path.suffix == ".gz":
        return is_current(path, data)
    return path.is_file() and path.read_bytes() == data


def main() -> int:
    """Writes the files, or checks them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--check", action="store_true", help="exit 1 when the files are not what the script gives"
    )
    if parser.parse_args().check:
        return int(not all(_is_as_it_should_be(path, data) for path, data in files().items()))
    for path, data in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
