from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ncleaner
from ncleaner import Cleaner, InputError, Limits, ModelError, Page

PAGES = sorted((Path(__file__).parent.parent / "examples" / "pages").glob("*.html"))
PROSE = "The ferry was late again this morning, and those who had come early stood on the pier for an hour."
MENU = "Home | Contact | Terms of use | Privacy policy"
MORE = "Nobody on the quay could say when the next one would leave, or whether it would be there before dark."
HTML = f"<title>T</title><div>{MENU}</div><p>{PROSE}</p><p>{MORE}</p><p>© 2024 | Imprint | Jobs</p>"
CLEAN = f"{PROSE}\n{MORE}"


def test_clean() -> None:
    assert ncleaner.clean(HTML) == CLEAN
    assert ncleaner.clean(HTML.encode("utf-16")) == CLEAN
    assert ncleaner.clean("") == ""


def test_document_and_keep() -> None:
    cleaner = Cleaner()
    document = cleaner.document(HTML)
    kept = cleaner.keep(document)
    assert [segment.text for segment in document] == [MENU, PROSE, MORE, "© 2024 | Imprint | Jobs"]
    assert kept.mask.tolist() == [False, True, True, False]
    assert "Cleaner hybrid" in repr(cleaner)


@pytest.mark.parametrize("method", ["hybrid", "ngram"])
def test_comments_may_be_left_out(method: str) -> None:
    said = "We waited on the pier for an hour too, and nobody told us anything about the ferry either."
    html = f"<h1>The ferry was late</h1><p>{PROSE}</p><p>{MORE}</p><div id=comments><p>{said}</p></div>"
    everything = Cleaner("everything", comments=False).clean(html)
    assert everything == f"The ferry was late\n{PROSE}\n{MORE}"
    with_, without = (Cleaner(method, comments=comments) for comments in (True, False))
    assert without.clean(html) == with_.clean(html).removesuffix(f"\n{said}")
    assert said not in without.clean(html)
    assert pickle.loads(pickle.dumps(without)).clean(html) == without.clean(html)


@pytest.mark.untraced
def test_same_page_same_text_whatever_came_before_and_in_any_thread() -> None:
    bodies = [path.read_bytes() for path in PAGES]
    alone = [Cleaner().clean(body) for body in bodies]
    cleaner = Cleaner()
    assert [cleaner.clean(body) for body in reversed(bodies)][::-1] == alone
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(cleaner.clean, bodies * 8)) == alone * 8


def test_pickles() -> None:
    cleaner = pickle.loads(pickle.dumps(Cleaner("ngram", "nonlexical", threshold=-0.5)))
    assert cleaner.clean(HTML) == Cleaner("ngram", "nonlexical", threshold=-0.5).clean(HTML)


@pytest.mark.parametrize("method", ["hybrid", "ngram", "bte"])
def test_decisions_pickle(method: str) -> None:
    cleaner = Cleaner(method)
    kept = cleaner.keep(cleaner.document(HTML))
    again = pickle.loads(pickle.dumps(kept))
    assert (again.mask.tolist(), again.remarks, again.kinds) == (kept.mask.tolist(), kept.remarks, kept.kinds)


def test_models_by_name_file_and_object(tmp_path: Path) -> None:
    model = ncleaner.load_model("en")
    model.save(tmp_path / "copy.ncm")
    texts = {
        Cleaner(model=which).clean(HTML)
        for which in ("en", model, tmp_path / "copy.ncm", str(tmp_path / "copy.ncm"))
    }
    assert texts == {CLEAN}
    with pytest.raises(ModelError, match="no model 'xx'"):
        Cleaner(model="xx")
    # a method without a model does not ask for one
    assert Cleaner("everything", "xx").clean("<p>a") == "a"


def test_page_uses_the_http_header() -> None:
    body = f"<p>{PROSE} Привет.".encode("windows-1251")
    document, kept = Cleaner("everything").page(Page(body, content_type="text/html; charset=windows-1251"))
    assert document.encoding == "windows-1251"
    assert "Привет" in document.text
    assert kept.mask.all()


def test_encoding_and_alt_text_are_options() -> None:
    cleaner = Cleaner("everything", encoding="koi8-r", alt_text=True)
    assert cleaner.clean("<meta charset=utf-8><p>да <img alt='нет'>".encode("koi8-r")) == "да нет"
    with pytest.raises(InputError, match="unknown encoding"):
        Cleaner("everything", encoding="klingon").clean(b"x")


@pytest.mark.untraced
def test_limits_hold_in_the_api() -> None:
    with pytest.raises(InputError, match="more than the limit of 100"):
        Cleaner(limits=Limits(bytes=100)).clean(HTML)
    deep = b"<div>" * 100_000 + PROSE.encode()
    document = Cleaner().document(deep)
    assert document.text == PROSE + "\n"
    assert document.dropped_tags > 90_000
    assert document.elements["depth"].max() < 600
    with pytest.raises(ValueError, match="nesting has to be a whole number of at least 16, not 1"):
        Limits(nesting=1)
