from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document import Document
from ncleaner.dumping.html import dump_html
from ncleaner.dumping.plain import dump_text
from ncleaner.methods._sample import OF_LANGUAGE, Sampler
from ncleaner.methods.language import _LISTED, _code, _sampler, find_language, foreign_segments, page_language
from ncleaner.modelling.alphabet import scripts

TEXTS = {
    "en": "The harbour board has decided to light the north quay again, as it did before the cable failed.",
    "pl": "Zarząd portu postanowił znowu oświetlić północne nabrzeże, jak przed awarią kabla.",
    "de": "Der Hafenrat hat beschlossen, den Nordkai wieder zu beleuchten, wie vor dem Ausfall des Kabels.",
    "ru": "Управление порта решило снова осветить северную набережную, как было до поломки кабеля.",
    "uk": "Управління порту вирішило знову освітити північну набережну, як було до поломки кабелю.",
    "el": "Το λιμεναρχείο αποφάσισε να φωτίσει ξανά τη βόρεια προκυμαία.",
    "zh": "港务局决定重新点亮北码头的路灯，就像电缆损坏之前那样。",
    "ja": "港湾局は北埠頭の街灯をふたたびともすことを決めた。",
    "ko": "항만청은 북쪽 부두의 가로등을 다시 켜기로 결정했다.",
    "th": "การท่าเรือตัดสินใจเปิดไฟที่ท่าเรือเหนืออีกครั้งหลังจากสายไฟชำรุด",
    "ar": "قررت هيئة الميناء إنارة الرصيف الشمالي من جديد كما كان الحال قبل تلف الكابل.",
    "he": "הנהלת הנמל החליטה להאיר שוב את הרציף הצפוני כפי שהיה לפני התקלה בכבל.",
}


def page(text: str, lang: str = "") -> Document:
    return dump_html(f"<html lang='{lang}'><ul><li>Home<li>Login</ul><p>{text}")


@pytest.mark.parametrize("language", TEXTS)
def test_language_of_a_page_that_declares_none(language: str) -> None:
    assert page_language(page(TEXTS[language])) == language


@pytest.mark.parametrize(
    ("declared", "text", "language"),
    [
        ("pl-PL", "pl", "pl"),
        ("zh_TW", "zh", "zh"),
        ("eng", "en", "en"),  # ISO 639-3
        ("ukr", "uk", "uk"),
        ("iw", "he", "he"),
        ("yue", "zh", "yue"),
        ("zu", "en", "zu"),  # a language that the identifier does not know
        # the text contradicts: another script
        ("EN-us", "ru", "ru"),
        ("ru", "en", "en"),
        ("en", "ja", "ja"),
        ("de", "el", "el"),
        # the same script, but surely another language
        ("de", "en", "en"),
        ("en", "pl", "pl"),
        ("en", "de", "de"),
        ("bg", "ru", "ru"),
        ("ru", "uk", "uk"),
        # no language
        ("x-klingon", "en", "en"),
        ("xy", "en", "en"),
        ("  ", "el", "el"),
    ],
)
def test_the_declared_language_counts_unless_the_text_contradicts(
    declared: str, text: str, language: str
) -> None:
    assert page_language(page(TEXTS[text], declared)) == language


@pytest.mark.parametrize("declared", ["en", "fr", "de-AT", ""])
@pytest.mark.parametrize(
    "text",
    [
        "Umfana uya esikoleni namhlanje ngoba ufuna ukufunda incwadi entsha. Umama wakhe uthenge ukudla emakethe izolo, "
        "kanti ubaba usebenza edolobheni. Izingane zidlala ngaphandle uma izulu lilihle, futhi ugogo uxoxa izindaba.",
        "Mukomana ari kuenda kuchikoro nhasi nokuti anoda kuverenga bhuku idzva. Amai vake vakatenga chikafu kumusika "
        "nezuro, baba vanoshanda mudhorobha. Vana vanotamba panze kana kunze kwakanaka, uye ambuya vanotaura ngano.",
        "Yaron yana zuwa makaranta yau saboda yana son karanta sabon littafi. Mahaifiyarsa ta sayi abinci a kasuwa jiya, "
        "mahaifinsa kuma yana aiki a gari. Yara suna wasa a waje idan yanayi ya yi kyau, kuma kakarsu tana ba da labarai.",
    ],
)
def test_a_language_that_a_page_only_claims(declared: str, text: str) -> None:
    """Zulu, Shona and Hausa, which the identifier does not know."""
    assert find_language(page(text, declared))[::3] == ("", None)
    # a few words say too little
    assert page_language(page(" ".join(text.split()[:9]), declared or "en")) == (declared or "en")[:2]


def test_languages_have_codes_of_today() -> None:
    assert not {"sh", "iw", "in"} & {_code(f"__label__{label}") for label in ("sh", "iw", "in", "sr", "hr")}


@pytest.mark.parametrize("declared", ["en-US", ""])
def test_one_sentence_does_not_make_a_page_of_its_language(declared: str) -> None:
    # as on pages whose theme declares English and shows its notice about cookies
    text = "<p>".join(f"{TEXTS['de']} {TEXTS['de']} {number}" for number in range(4))
    notice = "<p>You agree that we store cookies with the help of your browser."
    assert page_language(page(text + notice, declared)) == "de"


@pytest.mark.parametrize("declared", ["", "en", "ru"])
def test_a_page_without_letters_has_the_declared_language(declared: str) -> None:
    for body in ("", "<p>12 | 34 — 56", "<p>…</p><p>→"):
        assert page_language(dump_html(f"<html lang='{declared}'>{body}")) == declared


def test_text_in_no_language() -> None:
    for body in ("<p>OK", "<p>v1.2.3-rc4 sha256:abcdef<p>0x7f"):
        assert page_language(dump_html(body)) == ""
        assert page_language(dump_html(f"<html lang=pl>{body}")) == "pl"
    assert page_language(dump_text(b"")) == ""


@pytest.mark.parametrize(("word", "language"), [("Фонари", "uk ru bg"), ("灯", "zh"), ("λύχνος", "el")])
def test_a_single_word_is_in_its_script(word: str, language: str) -> None:
    assert page_language(dump_html(f"<p>{word}")) in (*language.split(), "")
    assert page_language(dump_html(f"<html lang={language.split()[0]}><p>{word}")) == language.split()[0]


def test_links_hidden_text_and_code_do_not_decide() -> None:
    english = " ".join([TEXTS["en"]] * 5)
    for other in (f"<p><a href=/>{english}</a>", f"<div hidden><p>{english}</div>"):
        assert page_language(dump_html(f"<p>{TEXTS['pl']}{other}")) == "pl"
        # unless there is no other text
        assert page_language(dump_html(other)) == "en"
    code = f"<pre>{TEXTS['en']} {TEXTS['en']}</pre>"
    assert page_language(dump_html(f"<p>{TEXTS['pl']}" * 4 + code)) == "pl"
    assert page_language(dump_html(code)) == "en"


def test_one_long_segment_does_not_decide() -> None:
    paragraphs = "".join(f"<p>{TEXTS['el'] * 2}" for _ in range(4))
    assert page_language(dump_html(f"<p>{TEXTS['en'] * 20}{paragraphs}")) == "el"
    # of two languages with as many letters, the one that is not in the Latin script
    assert page_language(dump_html(f"<p>{TEXTS['en'][:80]}<p>{TEXTS['ru'][:80]}")) == "ru"


@pytest.mark.untraced
def test_a_text_dump_of_any_size() -> None:
    text = "\n\n".join([TEXTS["ru"]] * 5_000).encode()
    assert page_language(dump_text(text)) == "ru"


SAMPLER = _sampler()[0]
NAMES = _sampler()[1]


def take(*texts: str) -> tuple[str, bytes, int, str, int, int]:
    document = dump_html("<p>" + "<p>".join(texts))
    script, text, words, language, listed, others, _ = SAMPLER.take(document.tables)
    return NAMES[script] if script else "", text, words, _LISTED[language] if listed else "", listed, others


def test_a_sample_has_the_beginnings_of_the_longest_segments() -> None:
    assert take("one", "three two", "f", "seven") == ("Latin", b"three two seven one f", 5, "", 0, 0)
    assert take("word " * 1000)[1] == b"word " * 48
    assert take("word " * 1000, "ж" * 90)[:2] == ("Latin", b"word " * 24)
    # never a part of a character
    assert take(*["ж" * 900] * 3, "x" * 901)[1].decode().replace(" ", "") == "ж" * 90
    # text of the other script is left out
    assert take("жук " * 8, "a word or two", "словарь " * 4)[1].isascii() is False
    assert b"word" not in take("жук " * 8, "a word or two", "словарь " * 4)[1]
    assert take("12 34", "...")[:2] == ("", b"")


def test_frequent_words_are_counted() -> None:
    assert take("The end, THE end! they")[2:] == (5, "en", 3, 0)
    assert take("the się się oraz")[2:] == (4, "pl", 3, 1)
    assert take("a" * 955 + " the and")[2:] == (2, "en", 1, 0)
    # words of more than eight bytes, too, and no others that begin or end as they do
    assert take("который только чтобы")[2:] == (3, "ru", 3, 0)
    assert take("который коый которыйт тоторый которыйкоторый")[2:] == (5, "ru", 1, 0)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        # two words of eighteen to twenty
        ("Рыбаки вышли рано утром, едва ветер стих, и вернулись на закате, когда улов был продан в порту.", "ru"),
        ("Рыбаки вышли рано утром и вернулись на закате, когда улов почти продали в порту у маяка.", ""),
        # letters of other languages, none of Russian alone
        ("Рыбаки вышли рано утром, едва ветер стих, і вернулись на закате, когда улов был продан в порту.", ""),
        ("Рано утром лодки ушли, едва ветер стих, и вернулись на закате, когда улов лежал надо льдом.", ""),
    ],
)  # fmt: skip
def test_letters_of_russian_make_two_words_enough(
    text: str, language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncleaner.methods.language._identify", lambda *_: ("", None))
    assert page_language(dump_text(text.encode())) == language


@given(st.lists(st.text(st.sampled_from("abжя文かé1.\n "), max_size=400), max_size=9))
def test_any_sample_is_bounded_and_valid(texts: list[str]) -> None:
    found = take(*texts)
    assert found == take(*texts)
    assert len(found[1]) <= 240 + 3
    assert "\n" not in found[1].decode()
    assert bool(found[1]) <= bool(found[0])


def test_a_sampler_refuses_what_it_cannot_do() -> None:
    classes = scripts()
    with pytest.raises(ValueError, match="too long"):
        Sampler(classes.index, classes.pages, 3, 11, [[b"seventeen_letters"]])
    with pytest.raises(ValueError, match="twice"):
        Sampler(classes.index, classes.pages, 3, 11, [[b"one"], [b"one"]])
    with pytest.raises(ValueError, match="words"):
        Sampler(classes.index, classes.pages, 3, 11, [[b"%d" % number for number in range(201)]])
    with pytest.raises(ValueError, match="classes"):
        Sampler(classes.index[1:], classes.pages, 3, 11)


def test_the_identifier_loads_nothing_but_its_model() -> None:
    code = (
        "import sys; from ncleaner.methods.language import _identify\n"
        "assert _identify('Der Hafenrat hat beschlossen, den Nordkai zu beleuchten.'.encode(), 'Latin', '', 9)[0] == 'de'\n"
        "assert 'fasttext' in sys.modules and 'requests' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_segments_in_another_script_or_with_words_of_another_language() -> None:
    texts = "слово слово", "the and with this", "się jest że są", "12 34 56 78", "many other words", "the and"
    long = "".join(f"<p>{(text + ' ') * 6}" for text in texts)
    document = dump_html(f"<p>short<p>the and with this{long}")
    found = SAMPLER.foreign(document.tables, NAMES.index("Latin"), 13).tolist()
    cyrillic, english, polish = NAMES.index("Cyrillic"), OF_LANGUAGE, OF_LANGUAGE + 1
    assert found == [0, 0, cyrillic, english, polish, 0, 0, 0]


@given(st.lists(st.text(st.sampled_from("abжя文かé1.\n "), max_size=40), max_size=9))
def test_any_text_has_foreign_segments(texts: list[str]) -> None:
    document = dump_html("<p>" + "<p>".join(texts))
    found = find_language(document)
    rows = foreign_segments(document, found)
    assert found.language not in rows
    assert all(0 <= row < len(document) for part in rows.values() for row in part.tolist())
