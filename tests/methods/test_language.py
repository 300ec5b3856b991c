from __future__ import annotations

import pytest

from ncleaner.document import Document
from ncleaner.document.html import dump_html
from ncleaner.methods.language import page_language, sample

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
        ("de", "en", "de"),  # the script agrees, so the declaration counts
        ("pl-PL", "pl", "pl"),
        ("zh_TW", "zh", "zh"),
        ("EN-us", "ru", "ru"),  # a template's declaration
        ("ru", "en", "en"),
        ("bg", "ru", "bg"),
        ("iw", "he", "he"),
        ("x-klingon", "en", "en"),
        ("  ", "el", "el"),
        ("en", "ja", "ja"),
    ],
)
def test_the_declaration_counts_where_the_script_agrees(declared: str, text: str, language: str) -> None:
    assert page_language(page(TEXTS[text], declared)) == language


def test_nothing_tells() -> None:
    assert page_language(dump_html("")) == ""
    assert page_language(dump_html("<p>12 | 34 — 56")) == ""


def test_the_sample_is_bounded_and_of_the_longest_segments() -> None:
    long = "word " * 1000
    assert sample(dump_html(f"<p>short<p>{long}")) == long.encode()[:200]
    many = "".join(f"<p>{number} {'x' * 100}" for number in range(50))
    assert 0 < len(sample(dump_html(many))) <= 208
