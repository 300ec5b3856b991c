"""A model for each page, and pages in two languages."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from ncleaner.cleaner import Cleaner
from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.methods.choice import read_ngrams
from ncleaner.methods.language import find_language, foreign_segments

MENU = (
    "<ul>"
    + "".join(f"<li><a href=/{name}>{name}</a>" for name in ("Home", "News", "Русский", "Login"))
    + "</ul>"
)
ENGLISH = [
    "The harbour board has decided to light the north quay again, as it did before the cable failed in March.",
    "The lamps that were taken down will be put back from the first of May, and the board will pay for them.",
    "Fishermen have said for months that they would rather have the light than a new bench on the quay.",
]
RUSSIAN = [
    "Управление порта решило снова осветить северную набережную, как это было до поломки кабеля в марте.",
    "Фонари, которые были сняты, вернут на место с первого мая, и порт заплатит за них из своих средств.",
    "Рыбаки давно говорили, что свет им нужен больше, чем ещё одна скамейка на набережной.",
]
POLISH = [
    "Zarząd portu postanowił znowu oświetlić północne nabrzeże, tak jak to było przed awarią kabla w marcu.",
    "Latarnie, które zostały zdjęte, wrócą na swoje miejsce od pierwszego maja, a port za nie zapłaci.",
    "Rybacy od dawna mówili, że światło jest im bardziej potrzebne niż jeszcze jedna ławka na nabrzeżu.",
]
CHINESE = [
    "港务局决定重新点亮北码头的路灯，就像三月份电缆损坏之前那样。拆下来的路灯将从五月一日起重新安装，费用由港务局承担。",
    "渔民们几个月来一直表示，比起码头上再添一张长椅，他们更需要灯光。夜里返港的渔船将不必再等待涨潮。",
]
TEXTS = {"en": ENGLISH, "ru": RUSSIAN, "pl": POLISH, "zh": CHINESE}


def page(*paragraphs: str) -> Document:
    return dump_html(f"{MENU}<article>{''.join(f'<p>{text}' for text in paragraphs)}</article>{MENU}")


def kept_texts(cleaner: Cleaner, document: Document) -> set[str]:
    mask = cleaner.keep(document).mask
    return {segment.text for segment in document if mask[segment.index]}


@pytest.mark.parametrize("method", ["hybrid", "ngram"])
@pytest.mark.parametrize(
    ("first", "second"), [("en", "ru"), ("ru", "en"), ("zh", "en"), ("en", "zh"), ("pl", "en"), ("en", "pl")]
)
def test_both_languages_are_kept(method: str, first: str, second: str) -> None:
    # the first language has more text
    document = page(*TEXTS[first] * 2, *TEXTS[second])
    cleaner = Cleaner(method)
    assert {*TEXTS[first], *TEXTS[second]} <= kept_texts(cleaner, document)
    assert cleaner.keep(document).remarks[:2] == (first, first)


@pytest.mark.parametrize("method", ["hybrid", "ngram"])
@pytest.mark.parametrize("language", TEXTS)
def test_a_page_in_one_language_is_judged_by_one_model(method: str, language: str) -> None:
    document = page(*TEXTS[language])
    assert foreign_segments(document, find_language(document)) == {}
    auto, alone = Cleaner(method).keep(document), Cleaner(method, language).keep(document)
    np.testing.assert_array_equal(auto.scores, alone.scores)
    np.testing.assert_array_equal(auto.mask, alone.mask)
    assert auto.remarks == alone.remarks


def test_foreign_segments_have_the_scores_of_their_language() -> None:
    document = page(*ENGLISH * 2, *RUSSIAN, "ქართული ტექსტი " * 8)
    found = find_language(document)
    assert (found.language, found.mixed) == ("en", True)
    foreign = foreign_segments(document, found)
    texts = {language: {document[row].text for row in rows.tolist()} for language, rows in foreign.items()}
    # a script that several languages use, and too few frequent words of one: the non-lexical model
    assert texts["ru"] | texts[""] == {*RUSSIAN, ("ქართული ტექსტი " * 8).strip()}
    assert RUSSIAN[2] in texts["ru"]
    models = {"ru": read_ngrams("ru"), "": read_ngrams("nonlexical")}
    table = document.segments
    english = read_ngrams("en")
    _ = english.ratio
    mixed = english.with_others([(rows, models[language]) for language, rows in foreign.items()])
    sums, counts = mixed.log_odds(document.data, table["start"], table["end"])
    own, own_counts = english.log_odds(document.data, table["start"], table["end"])
    for language, rows in foreign.items():
        theirs, _ = models[language].log_odds(document.data, table["start"][rows], table["end"][rows])
        np.testing.assert_array_equal(sums[rows], theirs)
        sums[rows] = own[rows]
    np.testing.assert_array_equal(sums, own)
    np.testing.assert_array_equal(counts, own_counts)
    # the scores of the page's model are not computed again, and it does not change
    assert mixed.ratio is english.ratio
    assert not english.others and mixed.to_bytes() == english.to_bytes()


def test_the_name_of_a_language_in_a_menu_is_no_text_in_it() -> None:
    document = page(*ENGLISH, *RUSSIAN)
    rows = np.concatenate(list(foreign_segments(document, find_language(document)).values()))
    assert "Русский" not in {document[row].text for row in rows.tolist()}
    assert "Русский" not in kept_texts(Cleaner(), document)


def test_one_model_is_one_model() -> None:
    document = page(*RUSSIAN * 2, *ENGLISH)
    scores = Cleaner("ngram", "ru").keep(document).scores
    np.testing.assert_array_equal(
        scores,
        read_ngrams("ru").statistics(document.data, document.segments["start"], document.segments["end"]),
    )


def test_a_dictionary_and_a_text_dump() -> None:
    entries = [f"<dt>{english}<dd>{russian}" for english, russian in zip(ENGLISH, RUSSIAN, strict=True)]
    document = dump_html(f"{MENU}<dl>{''.join(entries)}</dl>")
    assert {*ENGLISH, *RUSSIAN} <= kept_texts(Cleaner(), document)
    dump = dump_text("\n\n".join([*RUSSIAN, *ENGLISH]))
    kept = Cleaner().keep(dump)
    assert kept.mask.all()
    assert kept.remarks.language in ("ru", "en")


def test_no_page_leaves_anything_behind() -> None:
    cleaner = Cleaner()
    document = page(*ENGLISH)
    before = cleaner.keep(document)
    for other in (page(*ENGLISH, *RUSSIAN), page(*POLISH, *ENGLISH), page()):
        cleaner.keep(other)
    for again in (cleaner, pickle.loads(pickle.dumps(cleaner))):
        kept = again.keep(document)
        np.testing.assert_array_equal(kept.scores, before.scores)
        assert kept.remarks == before.remarks
