"""Codes and names of languages."""

from __future__ import annotations

import pytest

from ncleaner.modelling.files import shipped_models
from ncleaner.text.codes import _NAMES, iso_639_1, iso_639_3, language_in, languages_in, named_language


def test_codes_of_languages() -> None:
    assert [iso_639_3(code) for code in ("de", "deu", "ger", "ceb", "zh")] == [
        "deu",
        "deu",
        "deu",
        "ceb",
        "zho",
    ]
    assert [iso_639_1(code) for code in ("de", "deu", "ger", "ceb", "zh")] == ["de", "de", "de", "ceb", "zh"]
    for none in ("", "xx", "und", "zxx", "mul", "DEU", "d1u", "дё", "ééé", "\ud800a", "german"):
        assert iso_639_3(none) == iso_639_1(none) == ""


def test_lists_of_codes() -> None:
    assert languages_in("fr, deu,de") == ["de", "fr"]
    assert languages_in("zh-TW,ger,nb,tlh") == ["de", "no", "tlh", "zh"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("german", "'german' is not the code of a language: did you mean de?"),
        ("de,Greek", "'Greek' is not the code of a language: did you mean el?"),
        ("klingon", "'klingon' is not .*: give a code of ISO 639, such as de or de,fr"),
        ("", "'' is not"),
        ("und", "'und' is not"),
        ("xx", "'xx' is not"),
        ("foo", "'foo' is not .*: give a code"),
    ],
)
def test_what_is_no_code(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        languages_in(text)


def test_codes_of_rare_languages() -> None:
    # of ISO 639-3, of the identifier of languages, and for local use
    assert languages_in("szl,nah,eml,qaa") == ["eml", "nah", "qaa", "szl"]


def test_one_code() -> None:
    assert [language_in(code) for code in ("el", "ell", "gre", "el_GR", " EL ")] == ["el"] * 5
    with pytest.raises(ValueError, match=r"'el,de' is not .*, such as de$"):
        language_in("el,de")


def test_names_of_languages() -> None:
    assert (named_language(" German"), named_language("Klingon")) == ("de", "")
    assert all(iso_639_1(code) == code for code in _NAMES.values())
    # those that users of a shipped model may name
    assert {*shipped_models("ngram")} - {"nonlexical"} <= {*_NAMES.values()}
