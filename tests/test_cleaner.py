from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ncleaner
from ncleaner import Cleaner, InputError, Limits, ModelError, Page
from ncleaner.dumping.plain import dump_text
from ncleaner.methods.choice import read_ngrams
from ncleaner.methods.registry import METHODS
from ncleaner.modelling.hybrid import HybridModel

from .structures import structure

PAGES = sorted((Path(__file__).parent.parent / "examples" / "pages").glob("*.html"))
PROSE = "The ferry was late again this morning, and those who had come early stood on the pier for an hour."
MENU = "Home | Contact | Terms of use | Privacy policy"
MORE = "Nobody on the quay could say when the next one would leave, or whether it would be there before dark."
HTML = f"<title>T</title><div>{MENU}</div><p>{PROSE}</p><p>{MORE}</p><p>© 2024 | Imprint | Jobs</p>"
CLEAN = f"{PROSE}\n{MORE}"


MAIL = f"Subject: The ferry\nDate: Mon, 6 May 2024 10:00:00 +0000\nMessage-ID: <1@a.example>\n\n{PROSE}\n\n{MORE}\n"


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"site"}))
def test_no_method_keeps_the_header_of_a_mail(method: str) -> None:
    document = dump_text(MAIL)
    mask = Cleaner(method).keep(document).mask
    said = [each for each, kept in zip(document.texts, mask, strict=True) if kept]
    assert not any(each.startswith(("Subject", "Date", "Message-ID")) for each in said)


def test_extract_is_all_of_the_others_at_once() -> None:
    url = "https://harbour-gazette.example/ferry"
    for cleaner in (Cleaner(), Cleaner("ngram", comments=False)):
        for html in [path.read_bytes() for path in PAGES[:5]] + ["", MENU]:
            found = cleaner.extract(html, url, links=True)
            assert found.text == cleaner.clean(html, url)
            assert found.markdown == cleaner.markdown(html, url, links=True)
            assert found.metadata == cleaner.metadata(html, url)
            document = cleaner.document(html, url)
            kept = cleaner.keep(document)
            assert (found.language, found.kind) == (kept.remarks.language, kept.kind)
            assert found.encoding == document.encoding
            row = found.to_dict()
            assert (row["title"], row["markdown"]) == (found.metadata.title or None, found.markdown)
            pickle.loads(pickle.dumps(found))
    assert ncleaner.extract(HTML, images=True) == Cleaner().extract(HTML, images=True)
    with pytest.raises(ValueError, match="spans must be merge, repeat or html"):
        ncleaner.extract(HTML, spans="other")  # type: ignore[arg-type]


def test_what_is_extracted_shows_itself_in_short() -> None:
    found = ncleaner.extract(PAGES[0].read_bytes())
    assert found.metadata.title[:60] in repr(found) and found.text[:20] in repr(found)
    assert f"{found.kind}, {found.language}, quality {found.quality:.2f}, " in repr(found)
    assert len(repr(found)) < 250
    assert found._repr_markdown_().endswith(found.markdown)
    assert repr(ncleaner.extract("")) == "<Extracted '': fragment, 0 characters: ''…>"


def test_rows_of_what_is_extracted_have_a_schema() -> None:
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    # the first row has no author
    rows = [
        ncleaner.extract(html).to_dict() for html in ("", "<meta name=author content='Ann Lee'><h1>Back</h1>")
    ]
    schema = ncleaner.Extracted.schema()
    assert [*rows[0]] == [*rows[1]] == schema.names
    assert {*rows[0].values()} == {"", "fragment", None}
    assert pa.Table.from_pylist(rows, schema=schema).to_pylist() == rows
    kind = pl.Struct(pl.from_arrow(schema.empty_table()).schema)
    found = pl.Series([0, 1]).map_elements(lambda index: rows[index], return_dtype=kind)
    assert found.to_list() == rows


def test_an_address_with_half_a_character() -> None:
    html = f"<title>T</title><link rel=canonical href='a'><meta property=og:image content='i.png'><p>{PROSE}"
    cleaner = Cleaner()
    for url in ("http://x.example/\ud800/", "http://x\ud800.example/"):
        for said in (cleaner.metadata(html, url), cleaner.extract(html, url).metadata):
            assert said.image.isascii() and said.image.endswith("i.png")
        assert 'image: "http' in cleaner.markdown(html, url, metadata=True)


def test_clean() -> None:
    assert ncleaner.clean(HTML) == CLEAN
    assert ncleaner.clean(HTML.encode("utf-16")) == CLEAN
    assert ncleaner.clean("") == ""


def test_code_has_any_form() -> None:
    code = "using Int = int;\n\nassert([x, y]() { return x &lt; y; }() == 1);\n&& || !;\n[] {} ();"
    found = ncleaner.clean(
        f"<h1>A new kind of assertion</h1><p>Here is an example of it for all of us:</p><pre>{code}</pre>"
        "<p>The assertion now gives better reasons for a failure.</p>"
    )
    assert "return x < y" in found and "[] {} ();" in found


def test_document_and_keep() -> None:
    cleaner = Cleaner()
    document = cleaner.document(HTML)
    kept = cleaner.keep(document)
    assert [segment.text for segment in document] == [MENU, PROSE, MORE, "© 2024 | Imprint | Jobs"]
    assert kept.mask.tolist() == [False, True, True, False]
    assert "Cleaner hybrid" in repr(cleaner)


def cleaned(cleaner: Cleaner, text: str) -> str:
    document, kept = cleaner.page(Page(text.encode(), kind="text"))
    return "\n".join(str(segment) for segment, keep in zip(document, kept.mask, strict=True) if keep)


@pytest.mark.parametrize("text", ["Das ist ein Test.", "Привет, мир!", "Ez egy rövid szöveg."])
def test_a_text_of_one_short_line_stays(text: str) -> None:
    cleaner = Cleaner()
    assert cleaned(cleaner, text) == text
    assert cleaned(cleaner, "Home | About | Contact") == ""


def test_the_limit_of_a_page_is_in_bytes_for_text_too() -> None:
    cleaner = Cleaner(limits=Limits(bytes=1000))
    assert cleaner.clean("<p>" + "語" * 300)
    with pytest.raises(InputError, match="2,703 bytes, more than the limit of 1,000"):
        cleaner.clean("<p>" + "語" * 900)


@pytest.mark.slow
@pytest.mark.traced
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


def test_comments_that_are_not_wanted_are_no_discussion() -> None:
    assert not Cleaner().wanted.comments and not Cleaner().wanted.news
    assert Cleaner(comments=False).wanted.news and not Cleaner(comments=True).wanted.news


def test_quality_is_estimated_and_may_decide() -> None:
    cleaner = Cleaner()
    document = cleaner.document(HTML)
    kept = cleaner.keep(document)
    assert kept.quality is not None and 0.5 < kept.quality <= 1
    assert Cleaner(min_quality=kept.quality).clean(HTML) == cleaner.clean(HTML)
    strict = Cleaner(min_quality=1.0)
    doubtful = strict.keep(document)
    assert strict.clean(HTML) == "" and not doubtful.mask.any()
    assert doubtful.remarks.left_out == "doubtful" and doubtful.quality == kept.quality
    # nothing is kept
    empty = strict.keep(strict.document("<nav><a href=/>Home</a></nav>"))
    assert empty.quality is not None and 0 < empty.quality < 1 and not empty.remarks.left_out
    assert cleaner.keep(cleaner.document("")).quality is None
    text = Page(f"{MENU}\n{PROSE}\n{MORE}\n".encode(), kind="text")
    quality = cleaner.page(text)[1].quality
    assert quality is not None and 0 < quality < 1
    assert not strict.page(text)[1].mask.any()
    assert Cleaner("ngram").keep(document).quality is None


def test_pages_that_do_not_want_to_be_in_a_corpus() -> None:
    reserved = f"<meta name=tdm-reservation content=1>{HTML}"
    cleaner = Cleaner(respect_tdm=True)
    assert (
        Cleaner().clean(reserved) == CLEAN and cleaner.clean(reserved) == "" and cleaner.clean(HTML) == CLEAN
    )
    assert cleaner.markdown(reserved) == "" and cleaner.markdown(HTML) == CLEAN.replace("\n", "\n\n")
    _, kept = cleaner.page(Page(HTML.encode(), rights="X-Robots-Tag: noarchive"))
    assert kept.remarks.left_out == "reserved" and not kept.mask.any()


@pytest.mark.parametrize("method", ["hybrid", "bte"])
def test_pages_in_other_languages(method: str) -> None:
    cleaner, every = Cleaner(method, language="deu, fr"), Cleaner(method)
    german = f"<html lang=de><p>{'Die Fähre fährt bis Ende Mai und kommt nicht mehr zurück. ' * 3}"
    assert cleaner.recipe.language == "de,fr"
    assert cleaner.clean(german) == every.clean(german) != ""
    assert cleaner.clean(HTML) == "" and every.clean(HTML) != ""
    for page, language, left_out in ((german, "de", ""), (HTML, "en", "foreign")):
        kept = cleaner.keep(cleaner.document(page))
        assert (kept.remarks.language, kept.remarks.left_out) == (language, left_out)
    # of a text without letters no language is known
    assert cleaner.keep(cleaner.document("<p>1998")).remarks.left_out == "foreign"


def test_quality_that_cannot_be_estimated(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ngram does not estimate"):
        Cleaner("ngram", min_quality=0.8)
    for language, advice in (("German", "did you mean de"), ("klingon", "such as de"), ("de,,fr", "such as")):
        with pytest.raises(ValueError, match=rf"is not the code of a language: .*{advice}"):
            Cleaner(language=language)
    with pytest.raises(ValueError, match=r"min_quality must be a number from 0 to 1, not 1\.5"):
        Cleaner(min_quality=1.5)
    with pytest.raises(TypeError, match="min_quality"):
        Cleaner(min_quality="high")  # type: ignore[call-overload]
    own = HybridModel(read_ngrams("en"), structure(), own=True)
    with pytest.raises(ValueError, match="structure model of its own"):
        Cleaner(model=own, min_quality=0.8)
    assert Cleaner(model=own).keep(Cleaner().document(HTML)).quality is None


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
    # a method without a model takes none
    with pytest.raises(ValueError, match="the method everything uses no model: leave it out"):
        Cleaner("everything", "xx")
    assert Cleaner("everything", "auto").clean("<p>a") == "a"


def test_page_uses_the_http_header() -> None:
    body = f"<p>{PROSE} Привет.".encode("windows-1251")
    document, kept = Cleaner("everything").page(Page(body, content_type="text/html; charset=windows-1251"))
    assert document.encoding == "windows-1251"
    assert "Привет" in document.text
    assert kept.mask.all()


def test_all_methods_take_a_page_of_an_archive() -> None:
    url = "https://harbour-gazette.example/ferry"
    markup = f"<title>Паром</title><h1>Паром</h1><p>{PROSE} <a href=timetable>Привет</a>.<p>{MORE}"
    page = Page(markup.encode("koi8-r"), url, "2024-05-01T10:00:00Z", "text/html; charset=koi8-r")
    for cleaner in (Cleaner(), Cleaner("ngram", model="en")):
        assert cleaner.clean(page) == cleaner.clean(markup)
        assert cleaner.extract(page)._replace(encoding="") == cleaner.extract(markup, url)
        assert cleaner.metadata(page) == cleaner.metadata(markup, url)
        assert cleaner.html(page, links=True) == cleaner.html(markup, url, links=True)
        assert cleaner.markdown(page, links=True) == cleaner.markdown(markup, url, links=True)
        # which has the date of the capture, too
        front = cleaner.markdown(page, metadata=True)
        assert front.replace('date: "2024-05-01T10:00:00Z"\n', "") == cleaner.markdown(
            markup, url, metadata=True
        )
        assert cleaner.document(page).text == cleaner.page(page)[0].text
    assert ncleaner.clean(page) == ncleaner.clean(markup)
    assert ncleaner.metadata(page, "https://other.example/") == ncleaner.metadata(
        markup, "https://other.example/"
    )
    reserved = page._replace(rights="TDM-Reservation: 1")
    assert Cleaner(respect_tdm=True).clean(reserved) == ""
    with pytest.raises(InputError, match="PDF"):
        ncleaner.clean(Page(b"%PDF-1.4 1 0 obj"))


def test_a_page_of_plain_text() -> None:
    text = Page(f"{PROSE}\n\n{MORE} 1 < 2".encode(), kind="text")
    assert ncleaner.clean(text) == f"{PROSE}\n{MORE} 1 < 2"
    found = ncleaner.extract(text)
    assert found.markdown == f"{PROSE}\n\n{MORE} 1 < 2"
    assert found.metadata == ncleaner.metadata(text) == ncleaner.metadata("")
    assert "date" not in Cleaner().markdown(text, metadata=True)


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
    with pytest.raises(ValueError, match="nesting must be a whole number from 16 to"):
        Limits(nesting=1)
