#!/usr/bin/env python3
"""Write `examples/town.warc.gz`: a small crawl of sites with several pages each, for surveys and duplicates.

Six sites that do not exist share a region: a newspaper, its syndicate, a forum, a shop, and two towns that write
German and French. Pages of a site repeat what such sites repeat; some texts are on two pages. All text is written
for this project. The same script gives the same bytes.

    python scripts/make_town_crawl.py            # write the archive
    python scripts/make_town_crawl.py --check    # exit 1 when it is not what the script gives
"""

# sentences stay whole
# ruff: noqa: E501
from __future__ import annotations

import argparse
import html
import sys
from collections.abc import Iterator
from pathlib import Path

from make_example_crawl import Capture, archive_of, is_current

ARCHIVE = Path(__file__).resolve().parent.parent / "examples" / "town.warc.gz"

# title, author, day, paragraphs
COURIER = (
    ("Harbour wall to close for nine weeks", "Nell Fairweather", "2026-03-02", (
        "The outer harbour wall will be closed to walkers from Monday while divers repair the foundations that last winter's storms uncovered. The council expects the work to take nine weeks, or eleven if the weather turns.",
        "Engineers first noticed the damage in December, when a fisherman reported that his mooring ring had moved by the width of a hand. A survey found that the sea had washed out about forty tonnes of stone below the third lamp.",
        "Boats can still use the inner basin. The ferry keeps its timetable, but passengers have to board from the fish quay, and anyone with a wheelchair is asked to ring the office the day before.",
        "“I have walked out to that lamp every morning since 1981,” said Edda Marsh, who lives in Capstan Row. “The dog will not understand it at all.”")),
    ("The night the library stayed open", "Owen Tarrant", "2026-03-05", (
        "Forty people spent Friday night between the shelves of the Quay Street library, with sleeping bags, flasks and, in one case, a cello. The library had invited them to bring the longest book they had never finished.",
        "By midnight most of them were reading aloud to each other. By three in the morning eleven were asleep under Geography, and the two librarians on duty were playing chess with a retired pilot.",
        "Nobody finished a book. The library counts the night as a success all the same: nineteen visitors came back on Saturday to borrow what they had started.",
        "A second night is planned for the autumn. There are thirty places, and the cello has already asked for one.")),
    ("Bus 14 finds its way back to Sallow Hill", "Nell Fairweather", "2026-03-09", (
        "After two years without a connection, the villages on Sallow Hill have a bus again. The 14 runs five times a day from the station, the last time at twenty past ten in the evening.",
        "The old line was cut when the operator lost its only driver with a permit for the narrow road. The new one has trained three, and bought a bus that is twenty centimetres less wide.",
        "On the first morning every seat was taken, mostly by people who wanted to see whether it would fit through the gate at Pound Lane. It did, with room for a hand on either side.",
        "The council pays for the line until the end of next year, and will then count the passengers.")),
    ("A cheese that takes its time", "Ines Calloway", "2026-03-12", (
        "In the cellar below the old customs house, four hundred wheels of cheese lie in the dark and do nothing at all. That, says Bram Oakes, is the hardest part to explain to a bank.",
        "Oakes gave up his job as a surveyor to make a cheese that nobody could sell for eighteen months. He buys the milk from two farms on the marsh, where the grass has a little salt in it.",
        "Each week he turns every wheel by hand and brushes it with brine. He has tried music, which made no difference to the cheese, and silence, which made a difference to him.",
        "The first twelve wheels go on sale at Easter. Most of them are promised already, and one is for the bank.")),
    ("School choir sings to the lighthouse", "Owen Tarrant", "2026-03-16", (
        "The children of St Brannoc's school have been writing to the last lighthouse keeper on this coast since September. Last week they took the boat out and sang for him on the rocks.",
        "Keeper Joss Venning has been alone on the light for six years. He answers every letter, in pencil, and corrects the spelling of the names of ships.",
        "The choir had practised in the swimming hall, because the echo there comes closest to that of the tower. In the event the wind was so strong that nothing echoed, and the songs arrived in pieces.",
        "“I heard the ends of the lines,” wrote Venning afterwards. “They were very good ends.”")),
    ("Plan for a warm pool divides the lido", "Ines Calloway", "2026-03-19", (
        "A plan to heat the sea lido with waste water from the ice works has split its swimmers into two camps. The committee votes on Thursday, and expects the largest meeting in its history.",
        "Heating the smaller basin to twenty-two degrees would cost nothing in fuel, since the ice works throws its warm water away. It would, however, take four months to lay the pipe.",
        "The early swimmers, who meet at six and call themselves the Blues, fear crowds. The others have collected nine hundred signatures, most of them from people over seventy.",
        "The ice works would be glad either way. Its manager says that he has warmed the harbour for thirty years, and that not even the crabs have thanked him.")),
    ("Clock on the corn exchange gains a minute a week", "Nell Fairweather", "2026-03-23", (
        "The clock on the corn exchange is fast, and the people who live by it are late for nothing any more. It gains about a minute a week, and has done so since its restoration in January.",
        "The clockmaker, who lives two valleys away, blames the new weights, which are three grams heavier than the old ones. The council blames the clockmaker.",
        "Shopkeepers on the square have begun to open by the clock and close by their telephones. The baker calls it the best half hour of her day.",
        "A repair is promised for May, when the clock should be a quarter of an hour ahead, and easier to notice.")),
)  # fmt: skip
# question, posts: (who, text)
FORUM = (
    ("Which rope for a swinging mooring?", (
        ("saltbin", "I have a small day boat on a swinging mooring off the east beach. The old rope has gone hairy where it passes the fairlead. Three strand nylon again, or is there something that chafes less?"),
        ("Marlow", "Three strand nylon, but put a length of leather hose over the part in the fairlead. Mine has lasted four seasons, and you can see when the hose is worn through."),
        ("edda_m", "Polyester stretches less, which sounds good until the first gale pulls the cleat out. Nylon gives. Go one size up rather than buying anything clever."),
        ("saltbin", "Thanks both. Hose ordered, and one size up it is. I will report after the winter."))),
    ("Lamp at the third bollard is out again", (
        ("Joss V.", "The lamp at the third bollard has been dark since Sunday. Coming in with the last of the light I nearly put my bow through the fish quay. Has anyone told the harbour office?"),
        ("harbourhand", "Told them on Monday. They are waiting for a part that is made by one man in another country, who is on holiday until the tenth."),
        ("Marlow", "Until then there is a cyclist's lamp tied to the bollard. It is mine, please leave it there, the battery is changed every second evening."))),
    ("What do you do with green crabs?", (
        ("pottedplant", "My pots bring up twenty green crabs for each brown one. I throw them back, and I am sure that I catch the same twenty again. What do you do with yours?"),
        ("edda_m", "Soup. Roast the shells until they smell of toast, then an onion, a carrot and water to cover. Strain it twice, it is full of sand."),
        ("Joss V.", "Compost, a spade deep, and nowhere near the house. The roses are twice the size and the fox is furious."),
        ("pottedplant", "Tried the soup. It is the best thing that has come out of that pot since I bought it."))),
    ("Anyone sailing to the islands at Whitsun?", (
        ("kitewright", "Thinking of going out to the islands for the long weekend, two nights at anchor in the north bay. Would feel better with another boat in sight. Anyone going?"),
        ("saltbin", "Yes, if the wind has any south in it. The holding in the north bay is sand over rock, so bring more chain than you think."),
        ("Marlow", "We leave on the Friday tide at about five. Listen on channel eight when you are past the bell buoy."))),
)  # fmt: skip
# name, price, paragraphs, properties
SHOP = (
    ("Storm lantern No. 3", "£48", ("A lantern for paraffin, made by hand in our workshop behind the slipway. The globe is borosilicate glass and comes out without a tool, so that you can clean it in the dark.", "It burns for twenty hours on one filling and has stayed alight in a wind of fifty knots, which is more than can be said of the person who tested it."), ("Height 31 cm", "Tank 0.4 litres", "Tin-plated steel")),
    ("Storm lantern No. 5", "£62", ("The larger sister of our No. 3, for a porch, a hut or a boat that has room for it. Globe and burner are the same, so one set of spare parts serves both.", "The tank holds enough for two winter nights. Fill it outdoors, let it stand for ten minutes, and trim the wick straight across."), ("Height 38 cm", "Tank 0.9 litres", "Tin-plated steel")),
    ("Oiled canvas bag", "£75", ("A bag that has to be dropped on a wet quay now and then to look its best. We oil the canvas twice and sew the bottom from two layers, with the seam turned inwards.", "When it has gone stiff after some years, send it back. We oil it again for the price of the postage."), ("Volume 24 litres", "Canvas of 500 grams", "Strap of bridle leather")),
    ("Net-mender's knife", "£29", ("A short blade with a rounded tip that cuts twine and not the hand behind it. The steel is plain and rusts if you let it; a wipe with an oily rag is all it asks for.", "The handle is ash from the estate above the town. Each one has a different grain, and we cannot send pictures of all of them."), ("Blade 7 cm", "Carbon steel", "Weight 60 grams")),
)  # fmt: skip
ALTWENDEN = (
    ("Freibad öffnet am ersten Mai", ("Das Freibad am Mühlbach öffnet in diesem Jahr schon am ersten Mai. Die neue Filteranlage ist eingebaut, und das Wasser hat nach Auskunft des Bademeisters neunzehn Grad.", "Wer am ersten Tag vor acht Uhr kommt, zahlt keinen Eintritt. Im vergangenen Jahr nutzten das elf Schwimmer, von denen neun nach wenigen Minuten wieder am Ofen saßen.", "Die Rutsche bleibt bis Pfingsten gesperrt, weil zwei Bretter der Treppe erneuert werden müssen.")),
    ("Der Wochenmarkt zieht um", ("Wegen der Bauarbeiten auf dem Kirchplatz findet der Wochenmarkt ab dem zwölften April hinter der alten Molkerei statt. Dort ist Platz für alle achtzehn Stände.", "Die Händler bauen wie bisher um sieben Uhr auf. Parken können Besucher auf der Wiese am Bahndamm, solange sie trocken ist.", "Der Umzug dauert voraussichtlich bis September. Die Bäckerei Holm verspricht, dass ihre Schnecken auch dort um neun Uhr ausverkauft sein werden.")),
    ("Neue Sirenen auf dem Rathausdach", ("Am kommenden Samstag um elf Uhr werden die neuen Sirenen zum ersten Mal geprüft. Der Ton dauert eine Minute und steigt dreimal an; niemand muss etwas tun.", "Die alten Sirenen stammten aus dem Jahr 1964 und waren am Stadtrand kaum noch zu hören. Die neuen laufen mit Batterien und melden selbst, wenn sie defekt sind.", "Tierhalter bittet die Stadt, ihre Hunde um diese Zeit ins Haus zu nehmen.")),
    ("Zwei Störche am Klärwerk", ("Auf dem Mast am Klärwerk brütet seit vergangener Woche ein Paar Störche. Es ist das erste seit achtunddreißig Jahren, und es hat sich den unbequemsten Platz der Stadt ausgesucht.", "Die Mitarbeiter haben den Weg unter dem Mast gesperrt und essen ihr Brot jetzt auf der anderen Seite des Beckens.", "Beobachten lässt sich das Nest am besten vom Radweg aus. Ein Fernrohr steht dort an den Sonntagen von zwei bis fünf Uhr.")),
)  # fmt: skip
VALSEREIN = (
    ("La passerelle du moulin rouvre", ("La passerelle du moulin, fermée depuis la crue de novembre, rouvrira aux piétons le premier samedi d'avril. Les planches ont été remplacées par du mélèze de la forêt communale.", "Les cyclistes devront encore mettre pied à terre : la rampe de la rive gauche ne sera prête qu'en juin.", "Une petite fête est prévue à onze heures, avec la fanfare, si le vent ne souffle pas trop fort sur les partitions.")),
    ("Collecte du verre : ce qui change", ("À partir du mois prochain, le verre ne sera plus ramassé devant les maisons. Quatre conteneurs seront installés près de l'école, de la gare, du cimetière et du terrain de boules.", "Ce changement permet d'économiser deux tournées par semaine. Les personnes qui ne peuvent pas se déplacer sont invitées à appeler la mairie : un agent passera le jeudi.", "Les bouchons et les couvercles se jettent avec le métal.")),
    ("Un atelier pour réparer plutôt que jeter", ("Chaque deuxième samedi, une dizaine de bénévoles réparent à la salle des fêtes ce que les habitants leur apportent : grille-pain, chaises, fermetures éclair, lampes.", "La réparation est gratuite, mais celui qui apporte l'objet doit rester et tenir la lampe. C'est ainsi que l'on apprend, dit Lucien Garde, horloger à la retraite.", "L'an dernier, sept objets sur dix sont repartis en état de marche. Les trois autres ont servi de pièces de rechange.")),
    ("Les chèvres reviennent au château", ("Depuis lundi, onze chèvres broutent les talus du château, où aucune machine ne tient debout. Elles resteront jusqu'à la fin de l'été, sous la garde d'une bergère et de deux chiens.", "La commune avait essayé, l'an dernier, une tondeuse commandée à distance. On l'a retrouvée dans l'étang.", "Les promeneurs sont priés de tenir leurs chiens en laisse et de ne rien donner aux chèvres, qui ont déjà mangé une affiche et la moitié d'un banc.")),
)  # fmt: skip

# what the pages of a site repeat
_PLEDGE = "The Courier is made by six people above a bakery. We print what we have seen with our own eyes, we correct what we got wrong, and we owe nothing to anyone but our readers, who keep us going with four pounds a month."
_POSTAGE = "Everything leaves the workshop within three days, in paper and straw. If you are not happy with it, send it back within a month, and we return the price without asking for reasons."
_OFFICE = "Das Bürgerbüro im Erdgeschoss des Rathauses ist montags bis freitags von acht bis zwölf Uhr und donnerstags auch von vierzehn bis achtzehn Uhr für Sie da. Termine vergeben wir am Telefon."
_TOWN_HALL = "La mairie vous accueille du lundi au vendredi de neuf heures à midi, et le mercredi jusqu'à dix-sept heures. En cas d'urgence, un élu est joignable à toute heure par le numéro affiché sur la porte."
_RULES = "Be kind, search before you ask, and sell your boat in the section for selling boats. The moderators read everything, some of it twice, and they do this in their spare time."


# who, stars, what was said
_REVIEWS = (
    ("Tam", 5, "Exactly as described, and it smells of the workshop."),
    ("R. Holloway", 4, "One star off because my brother keeps borrowing it."),
    ("Greta", 5, "Second one we have bought. The first went overboard, which was not its fault."),
    ("anonymous", 3, "Smaller than I thought. I had not measured anything."),
    ("Piet V.", 5, "Sent back once for repair, returned within a week, no charge."),
)


def slug(title: str) -> str:
    """Returns a title as a part of an address."""
    letters = "".join(char if char.isascii() and char.isalnum() else "-" for char in title.lower())
    return "-".join(filter(None, letters.split("-")))


def page(lang: str, title: str, site: str, body: str) -> bytes:
    """Returns the bytes of a page."""
    head = f'<meta charset="utf-8"><title>{html.escape(title)} | {site}</title>'
    return f'<!DOCTYPE html>\n<html lang="{lang}"><head>{head}</head>\n<body>{body}</body></html>\n'.encode()


def prose(paragraphs: tuple[str, ...]) -> str:
    """Returns paragraphs as HTML."""
    return "\n".join(f"<p>{html.escape(text, quote=False)}</p>" for text in paragraphs)


def links(names: str) -> str:
    """Returns a menu."""
    return "".join(f'<li><a href="/{name.lower()}">{name}</a></li>' for name in names.split())


def courier() -> Iterator[tuple[str, bytes]]:
    """Yields the pages of the newspaper: a section, articles, one of them also to be printed."""
    site, host = "Wendmouth Courier", "https://www.wendmouth-courier.example"
    menu = f'<header><nav><ul class="menu">{links("News Sport Opinion Tides Weather Notices Subscribe")}</ul></nav></header>'
    foot = "<footer><p>© 2026 Wendmouth Courier. Terms, privacy, cookies.</p></footer>"
    teasers = "".join(
        f'<div class="teaser"><h3><a href="/news/{slug(title)}">{title}</a></h3><p>{texts[0].split(". ")[0]}.</p></div>'
        for title, _, _, texts in COURIER
    )
    yield f"{host}/news", page("en", "News", site, f"{menu}<main><h1>News</h1>{teasers}</main>{foot}")
    for title, author, day, texts in COURIER:
        stated = f'<p class="byline">By {author}, <time datetime="{day}">{day}</time></p>'
        story = f"<article><h1>{title}</h1>{stated}{prose(texts)}<p>{_PLEDGE}</p></article>"
        others = "".join(
            f'<li><a href="/news/{slug(other)}">{other}</a></li>' for other, *_ in COURIER if other != title
        )
        aside = f"<aside><h2>Most read</h2><ol>{others}</ol></aside>"
        yield (
            f"{host}/news/{slug(title)}",
            page("en", title, site, f"{menu}<main>{story}{aside}</main>{foot}"),
        )
    title, author, _, texts = COURIER[0]
    plain = f"<h1>{title}</h1><p>By {author}</p>{prose(texts)}<p>{_PLEDGE}</p><p>Printed from the Wendmouth Courier</p>"
    yield f"{host}/news/{slug(title)}?view=print", page("en", title, site, plain)


def syndicate() -> Iterator[tuple[str, bytes]]:
    """Yields copies of three articles on another site, one with a sentence more."""
    for (title, author, _, texts), more in zip(
        COURIER[1:4], ("", "The Courier first told this story.", ""), strict=True
    ):
        credit = f"<p><em>{author}, Wendmouth Courier</em></p>"
        end = f"<p>{more}</p>" if more else ""
        body = f'<div id="top">Coast Wire: {links("Home Regions Partners Contact")}</div><div class="story"><h1>{title}</h1>{credit}{prose(texts)}{end}</div>'
        yield (
            f"https://coastwire.example/partner-stories/2026/{slug(title)}",
            page("en", title, "Coast Wire", body),
        )


def forum() -> Iterator[tuple[str, bytes]]:
    """Yields threads of a forum."""
    for number, (title, posts) in enumerate(FORUM, 311):
        thread = "".join(
            f'<div class="post" id="p{number}{place}"><dl class="postprofile"><dt><a href="/memberlist.php?u={len(who)}">{who}</a></dt><dd>Posts: {40 + 7 * len(who)}</dd><dd>Joined: May 2019</dd></dl>'
            f'<div class="postbody"><p class="author">by <b>{who}</b> » {place + 3} Mar 2026, 19:0{place}</p>'
            f'<div class="content"><p>{html.escape(text, quote=False)}</p></div><ul class="post-buttons"><li><a href="#">Quote</a></li><li><a href="#">Report</a></li></ul></div></div>'
            for place, (who, text) in enumerate(posts)
        )
        rules = f'<div class="rules"><p>{_RULES}</p></div>'
        menu = f'<ul class="navbar">{links("Board Search Members FAQ Register Login")}</ul>'
        bar = f'<div class="action-bar"><a href="/posting.php?t={number}">Post a reply</a> <span class="pagination">{len(posts)} posts • Page 1 of 1</span></div>'
        similar = "".join(
            f'<dl class="row"><dt><a href="?t={at}">{other}</a></dt><dd>Replies: {len(made)}</dd></dl>'
            for at, (other, made) in enumerate(FORUM, 311)
            if at != number
        )
        online = "<h3>Who is online</h3><p>Users browsing this forum: no registered users and 3 guests</p>"
        body = (
            f'<div id="wrap">{menu}{rules}<h2 class="topic-title"><a href="?t={number}">{title}</a></h2>{bar}<div class="topic">{thread}</div>{bar}'
            f'<div class="panel"><h3>Similar topics</h3>{similar}</div><div class="stat-block">{online}</div><footer><p>Powered by a board of 2004</p></footer></div>'
        )
        yield (
            f"https://forum.wendmouth.example/viewtopic.php?t={number}",
            page("en", title, "Wendmouth Boat Forum", body),
        )


def shop() -> Iterator[tuple[str, bytes]]:
    """Yields a list of what a shop sells, and a page for each thing."""
    site, host = "Marten & Daughter", "https://marten-and-daughter.example"
    menu = f"<nav><ul>{links('Lanterns Bags Knives Basket Account')}</ul></nav>"
    cards = "".join(
        f'<li class="product-card"><a href="/p/{slug(name)}"><b>{name}</b></a> <span class="price">{price}</span> <button>Add to basket</button></li>'
        for name, price, *_ in SHOP
    )
    yield (
        f"{host}/all",
        page(
            "en",
            "Everything we make",
            site,
            f'{menu}<h1>Everything we make</h1><p>4 products</p><ul class="products">{cards}</ul>',
        ),
    )
    for name, price, texts, properties in SHOP:
        listed = "".join(f"<li>{each}</li>" for each in properties)
        buy = f'<p class="price">{price}</p><p class="stock">In stock</p><form class="cart"><label>Quantity <input type="number" value="1"></label><button>Add to basket</button></form>'
        others = "".join(
            f'<li class="product-card"><a href="/p/{slug(other)}">{other}</a> <span class="price">{cost}</span></li>'
            for other, cost, *_ in SHOP
            if other != name
        )
        written = [_REVIEWS[(at + len(name)) % len(_REVIEWS)] for at in range(3)]
        reviews = "".join(
            f'<div class="review"><b>{who}</b> <span class="stars">{stars} out of 5</span><p>{said}</p></div>'
            for who, stars, said in written
        )
        body = (
            f'{menu}<ol class="breadcrumb"><li>Home</li><li>{name}</li></ol><main class="product"><h1>{name}</h1>{buy}<div class="description">{prose(texts)}'
            f'<h2>Details</h2><ul>{listed}</ul><p>{_POSTAGE}</p></div></main><section id="reviews"><h2>Customer reviews (3)</h2>{reviews}<a href="#">Write a review</a></section><section class="related"><h2>You may also like</h2><ul>{others}</ul></section>'
        )
        yield f"{host}/p/{slug(name)}", page("en", name, site, body)


def town(
    lang: str, site: str, host: str, menu: str, news: tuple[tuple[str, tuple[str, ...]], ...], repeated: str
) -> Iterator[tuple[str, bytes]]:
    """Yields the news of a town, laid out with tables."""
    for number, (title, texts) in enumerate(news, 1):
        left = f'<td class="left"><ul>{links(menu)}</ul></td>'
        body = f'<table><tr>{left}<td class="text"><h1>{title}</h1>{prose(texts)}<p>{repeated}</p></td></tr></table>'
        yield f"https://{host}/{number}.html", page(lang, title, site, body)


def captures() -> list[Capture]:
    """Returns all pages, site by site in turns, as a crawler meets them."""
    sites = [
        list(courier()), list(forum()), list(shop()), list(syndicate()),
        list(town("de", "Stadt Altwenden", "www.altwenden.example", "Rathaus Bürgerbüro Termine Vereine Kontakt", ALTWENDEN, _OFFICE)),
        list(town("fr", "Mairie de Valserein", "mairie-valserein.example", "Accueil Démarches Écoles Agenda Contact", VALSEREIN, _TOWN_HALL)),
    ]  # fmt: skip
    turns = [site[turn] for turn in range(max(map(len, sites))) for site in sites if turn < len(site)]
    return [
        Capture(slug(url), url, f"2026-04-01T09:{number:02}:00Z", "200 OK", "text/html; charset=utf-8", body)
        for number, (url, body) in enumerate(turns)
    ]


def main() -> int:
    """Writes the archive, or checks it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--check", action="store_true", help="exit 1 when the archive is not what the script gives"
    )
    data = archive_of(captures())
    if parser.parse_args().check:
        return int(not is_current(ARCHIVE, data))
    ARCHIVE.write_bytes(data)
    return 0


if __name__ == "__main__":
    sys.exit(main())
