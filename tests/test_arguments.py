"""What callers of the Python API give: the error says at once what is wrong with it."""

from __future__ import annotations

import gzip
import io
import math
import re
import warnings
from collections.abc import Callable, Iterator
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selectolax.lexbor import LexborHTMLParser

import ncleaner
from ncleaner import Cleaner, InputError, InputWarning, Limits, Recipe
from ncleaner.options import options_of

ROOT = Path(__file__).parent.parent
PROSE = "The ferry will sail until the end of May, the harbour board decided on Monday."


class NAType:
    """As that of pandas calls itself."""


class Response:
    """As that of requests, which gives its lines if it is gone through."""

    @property
    def content(self) -> bytes:
        raise AssertionError("it may must be downloaded")

    def __iter__(self) -> Iterator[bytes]:
        return iter(())


class URL:
    """As that of yarl."""


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (None, "not None: leave it out, with dropna()"),
        (math.nan, "not nan: leave it out"),
        (np.float64("nan"), "leave it out"),
        (NAType(), "not a NAType: leave it out"),
        (Path("page.html"), r"Path: give .read_bytes\(\) of it"),
        (io.StringIO("<p>"), r"not a StringIO: give .read\(\) of it, of a file that is open with 'rb'"),
        (Response(), "not a Response: give .content of it"),
        (URL(), "not a URL: give its bytes or its text"),
        (LexborHTMLParser("<p>"), "not a LexborHTMLParser: give its markup, such as str"),
        (["<p>"], "not a list: give one page after the other"),
        ({"html": "<p>"}, "not a dict: give one page after the other"),
        (np.array(["<p>"]), "not a ndarray: give one page after the other"),
        (7, "not 7: give its bytes or its text"),
    ],
)
def test_what_is_no_page(given: Any, said: str) -> None:
    cleaner = Cleaner()
    for function in (ncleaner.clean, cleaner.clean, cleaner.document):
        with pytest.raises(TypeError, match=f"^a page must be bytes or str, .*{said}"):
            function(given)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            b"%PDF-1.4\n1 0 obj",
            r"the page is not text \(PDF\): .* convert it first, for example with pdftotext",
        ),
        (
            b"\x89PNG\r\n\x1a\n",
            r"the page is not text \(PNG image\): HTML, text, web archives and tables are read",
        ),
        (
            gzip.compress(PROSE.encode(), mtime=0),
            r"not text \(gzip\): decompress it first; `ncleaner.pages` .* read",
        ),
        (b"PK\x03\x04\x14\0", r"not text \(ZIP, as are docx, odt and epub\): .*; unpack or convert it first"),
        (bytes(range(256)), "the page is not text: HTML, text, web archives and tables are read"),
    ],
)
def test_a_binary_file_is_no_page(body: bytes, said: str) -> None:
    cleaner = Cleaner()
    given: tuple[Any, ...] = (body, bytearray(body))
    # text may have any characters, unless it begins as a known format does
    if "not text:" not in said:
        given += (body.decode("latin-1"),)
    for function in (ncleaner.clean, ncleaner.metadata, cleaner.document, cleaner.markdown, cleaner.metadata):
        for page in given:
            with pytest.raises(InputError, match=said):
                function(page)
    with pytest.raises(InputError, match=said):
        cleaner.page(ncleaner.Page(body))


def test_text_in_an_encoding_that_is_named_is_no_binary_file() -> None:
    prose = "港务局周一决定，渡轮将继续航行到五月底。" * 4
    assert Cleaner("everything", encoding="utf-16le").clean(f"<p>{prose}".encode("utf-16-le")) == prose


def test_a_document_is_no_page() -> None:
    with pytest.raises(TypeError, match=r"use Cleaner\.keep"):
        ncleaner.clean(Cleaner().document("<p>a"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given",
    [
        PROSE,
        PROSE.encode(),
        bytearray(PROSE.encode()),
        memoryview(PROSE.encode()),
        np.str_(PROSE),
        np.bytes_(PROSE.encode()),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_is_a_page(given: Any) -> None:
    assert ncleaner.clean(given) == PROSE
    assert ncleaner.clean(b"") == ncleaner.clean("") == ""


@pytest.mark.parametrize(
    "text",
    ["page.html", "a/b c/page.htm", r"C:\pages\one page.html", "https://a.example/x?y=1", "s3://crawl/x", "x.warc.gz",
     str(ROOT / "README.md"), " page.html\n"],
)  # fmt: skip
def test_a_text_that_looks_like_the_place_of_a_page(text: str) -> None:
    """It is cleaned as the text that it is, since a crawl has pages with such text; the caller is warned."""
    cleaner = Cleaner(method="everything")
    for function in (
        *(ncleaner.clean, ncleaner.extract, ncleaner.metadata, cleaner.clean, cleaner.document, cleaner.html),
        *(cleaner.extract, cleaner.markdown, cleaner.metadata),
    ):
        with pytest.warns(InputWarning, match="looks like the path or the address of a page") as found:
            function(text)
        # at the line of the caller
        assert found[0].filename == __file__
    with pytest.warns(InputWarning):
        assert cleaner.clean(text) == text.strip()


@pytest.mark.parametrize(
    "text",
    [PROSE, "See https://a.example/ for more.", "<p>page.html", "one\npage.html", "We moved to page.html", "Word", "/",
     "and/or", "3.5", b"page.html", "\0", "a" * 5000, "page.html" * 500],
)  # fmt: skip
def test_a_text_that_looks_like_text(text: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ncleaner.clean(text)


@pytest.mark.parametrize(
    ("parameters", "error", "said"),
    [
        ({"method": "x"}, ValueError, "no method 'x': there are hybrid, "),
        ({"method": None}, TypeError, "method must be the name of a method"),
        ({"model": 3}, TypeError, "model must be a name, a path or a loaded model, not 3"),
        ({"threshold": "a"}, ValueError, "threshold must be precision or recall, not 'a'"),
        ({"threshold": math.nan}, ValueError, "threshold must be a number of bits, .* not nan"),
        ({"threshold": True}, TypeError, "threshold must be a number of bits"),
        ({"threshold": [1]}, TypeError, "not a list"),
        ({"headline": "no"}, TypeError, "headline must be True or False, not 'no'"),
        ({"comments": "no"}, TypeError, "comments must be True or False, not 'no'"),
        ({"captions": 0}, TypeError, "captions must be True or False, not 0"),
        ({"news": "yes"}, TypeError, "news must be True or False"),
        ({"notices": 1}, TypeError, "notices must be True or False"),
        ({"alt_text": "on"}, TypeError, "alt_text must be True or False"),
        ({"parameters": ["x"]}, TypeError, "parameters must be a mapping"),
        ({"parameters": {"x": 1}}, ValueError, "has no parameter 'x'"),
        ({"method": "kimatu", "parameters": {"sure": None}}, ValueError, "sure must be a number from -2 to 1, not None"),
        ({"sites": 3}, TypeError, "sites must be a survey or its path, not 3"),
        ({"limits": {"bytes": 3}}, TypeError, r"limits must be Limits\(…\), not a dict"),
        ({"encoding": 3}, TypeError, "encoding must be the name of an encoding, not 3"),
        ({"encoding": "latin-99"}, InputError, "unknown encoding 'latin-99'"),
    ],
)  # fmt: skip
def test_parameters_of_a_cleaner(parameters: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Cleaner(**parameters)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("favor_precision", "did you mean threshold='precision'?"),
        ("include_comments", "did you mean comments?"),
        ("target_language", "did you mean language?"),
        ("include_links", "give links to `markdown`, `html` or `extract`"),
        ("base_url", "give url to `extract` or a method of a Cleaner"),
        ("prune_xpath", "it stays in the text: filter segments by their path"),
        ("markdown", "`extract` returns .text, .markdown and .metadata"),
        ("workers", "give jobs to `clean_many` or `extract_many`"),
        ("colour", "method, model, "),
    ],
)
def test_options_as_other_programs_name_them(name: str, said: str) -> None:
    options: dict[str, Any] = {name: True}
    for kind in (Cleaner, Recipe):
        with pytest.raises(TypeError, match=re.escape(f"{kind.__name__} has no option {name!r}: {said}")):
            kind(**options)


@pytest.mark.parametrize(
    ("function", "name", "said"),
    [
        (ncleaner.extract, "output_format", "`extract` returns .text, .markdown and .metadata"),
        (ncleaner.extract, "include_links", "did you mean links?"),
        (ncleaner.extract, "favor_precision", "give threshold='precision' to `Cleaner`"),
        (ncleaner.clean, "include_comments", "give comments to `Cleaner`"),
        (ncleaner.clean, "url", "give url to `extract` or a method of a Cleaner"),
        (ncleaner.clean, "main_content", "this is what it does"),
        (ncleaner.clean, "stoplist", "this needs no stop list"),
        (ncleaner.metadata, "htlm", "did you mean html?"),
        (ncleaner.rows, "with_metadata", "`extract` returns"),
        (ncleaner.rows, "signal", "did you mean signals?"),
        (ncleaner.clean_many, "n_jobs", "did you mean jobs?"),
        (Cleaner().markdown, "metadat", "did you mean metadata?"),
        (Cleaner().clean, "colour", "html, url"),
    ],
)
def test_functions_name_the_option_that_is_meant(function: Any, name: str, said: str) -> None:
    with pytest.raises(TypeError, match=re.escape(f"{function.__qualname__} has no option {name!r}: {said}")):
        function("examples", **{name: True})


def test_hints_leave_signatures_as_they_are() -> None:
    assert [*signature(ncleaner.clean).parameters] == ["html"]
    assert [*signature(Recipe).parameters] == [each.name for each in options_of(Recipe)]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'html'"):
        ncleaner.extract()  # type: ignore[call-arg]


def test_a_wrong_value_is_an_error_about_options() -> None:
    for base in (ncleaner.NcleanerError, ValueError):
        with pytest.raises(base, match="min_quality must be a number from 0 to 1, not 80"):
            Cleaner(min_quality=80)


def test_booleans_and_numbers_of_numpy_will_do() -> None:
    cleaner = Cleaner(comments=np.bool_(False), threshold=np.float32(0.5))  # type: ignore[call-overload]
    assert cleaner.clean(f"<p>{PROSE}") == PROSE
    assert repr(Limits(bytes=np.int64(5000))) == repr(Limits(bytes=5000))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("limits", "error", "said"),
    [
        ({"bytes": 0}, ValueError, "bytes must be a whole number from 1 to 2,147,483,647, not 0"),
        ({"bytes": 2**31}, ValueError, "bytes must be a whole number from 1 to 2,147,483,647"),
        ({"bytes": "1000"}, TypeError, "bytes must be a whole number from 1 to 2,147,483,647, not '1000'"),
        ({"nesting": 2**64}, ValueError, "nesting must be a whole number from 16 to"),
        ({"tags": 2**64}, ValueError, "tags must be a whole number from 1,000 to"),
        ({"segments": 2**64}, ValueError, "segments must be a whole number from 1 to"),
        ({"memory": 2**64}, ValueError, "memory must be a whole number from 1 to"),
        ({"bytes": 1e6}, TypeError, "bytes must be a whole number"),
        ({"nesting": 15}, ValueError, "nesting must be a whole number from 16 to 2,147,483,647, not 15"),
        ({"tags": True}, TypeError, "tags must be a whole number from 1,000 to"),
        ({"segments": None}, TypeError, "segments must be a whole number"),
        ({"seconds": 0}, ValueError, "seconds must be a number above 0, not 0"),
        ({"seconds": math.nan}, ValueError, "seconds must be a number above 0, not nan"),
        ({"seconds": "60"}, TypeError, "seconds must be a number above 0, not '60'"),
        ({"memory": 0.5}, TypeError, "memory must be a whole number from 1 to"),
    ],
)
def test_limits(limits: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Limits(**limits)


@pytest.mark.parametrize("function", [ncleaner.read, ncleaner.pages])
@pytest.mark.parametrize(
    ("arguments", "parameters", "error", "said"),
    [
        ([None], {}, TypeError, "source must be a path, a URL, or a file that is open with 'rb', not None"),
        ([["a.warc"]], {}, TypeError, "not a list"),
        (
            [f"\n<p>{PROSE}</p>"],
            {},
            InputError,
            "the source is a page, not the path of one: `ncleaner.clean`",
        ),
        ([PROSE * 99], {}, InputError, "the source is a page"),
        (["x"], {"input_format": "pdf"}, InputError, "unknown input format 'pdf'"),
        (["x"], {"limits": 3}, TypeError, "limits must be Limits"),
        (["x"], {"name": 3}, TypeError, "name must be a str, not 3"),
        (["x"], {"marker": 3}, TypeError, "marker must be a str, not 3"),
        (["x"], {"marker": "("}, InputError, "regular expression"),
    ],
)
def test_readers_say_it_before_the_first_item(
    function: Callable[..., Any],
    arguments: list[Any],
    parameters: dict[str, Any],
    error: type[Exception],
    said: str,
) -> None:
    with pytest.raises(error, match=said):
        function(*arguments, **parameters)


@pytest.mark.parametrize(
    ("function", "arguments", "parameters", "error", "said"),
    [
        (ncleaner.read_pairs, (None, "x"), {}, TypeError, "raw must be a path, as str or Path, not None"),
        (ncleaner.read_pairs, ("x", "x"), {"encoding": "nix"}, InputError, "unknown encoding 'nix'"),
        (ncleaner.read_pairs, ("x", "x"), {"manifest": 3}, TypeError, "manifest must be a path"),
        (ncleaner.train, ("examples",), {}, TypeError, "pairs must be pairs of pages .*, not 'examples'"),
        (ncleaner.train, (["a"],), {}, TypeError, "each of pairs must be .*, not 'a'"),
        (ncleaner.train, ([],), {"order": 9}, ValueError, "order must be a whole number from 1 to 8, not 9"),
        (ncleaner.train, ([],), {"q": "a"}, TypeError, "q must be a number from 1e-06 to .*, not 'a'"),
        (ncleaner.train, ([],), {"q": 2.0}, ValueError, "q must be a number from 1e-06 to 0.999999, not 2"),
        (ncleaner.train, ([],), {"alphabet": "abc"}, ValueError, "alphabet must be .* not 'abc'"),
        (ncleaner.train, ([],), {"size": 0}, ValueError, "size must be a whole number from 1 to 200"),
        (ncleaner.train, ([],), {"cased": "no"}, TypeError, "cased must be True or False"),
        (ncleaner.train, ([],), {"scheme": "x"}, ValueError, "scheme must be aligned or differential"),
        (
            ncleaner.train,
            ([],),
            {"statistic": "x"},
            ValueError,
            "statistic must be page, segment or character",
        ),
        (ncleaner.train, ([],), {"threshold": "x"}, TypeError, "threshold must be a number of bits"),
        (ncleaner.train, ([],), {"more_clean": "x"}, TypeError, "more_clean must be documents, not 'x'"),
        (
            ncleaner.train,
            ([],),
            {"base": "en"},
            TypeError,
            "base must be an n-gram model or a hybrid, not 'en'",
        ),
        (ncleaner.train, ([],), {"about": "me"}, TypeError, "about must be a mapping"),
        (ncleaner.evaluate, (3, "x"), {}, TypeError, "pred_dir must be a path"),
        (ncleaner.evaluate, ("x", "x"), {"jobs": 0}, ValueError, "jobs must be a whole number of at least 1"),
        (ncleaner.evaluate, ("x", "x"), {"ascii_only": 1}, TypeError, "ascii_only must be True or False"),
        (ncleaner.load_model, (None,), {}, TypeError, "name must be the name of a model"),
    ],
)
def test_functions(
    function: Callable[..., Any], arguments: tuple[Any, ...], parameters: dict[str, Any], error: type[Exception],
    said: str,
) -> None:  # fmt: skip
    with pytest.raises(error, match=said):
        function(*arguments, **parameters)


def test_addresses_and_pages_of_a_cleaner() -> None:
    cleaner = Cleaner()
    with pytest.raises(TypeError, match="url must be an address as str, not None"):
        cleaner.clean("<p>a", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"page must be a Page, .*: `clean` takes bytes and str"):
        cleaner.page(b"<p>a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("fields", "error", "said"),
    [
        ({"body": PROSE}, TypeError, "body must be bytes, not 'The ferry"),
        ({"url": None}, TypeError, "url must be a str, which is empty if it is unknown, not None"),
        ({"content_type": b"text/html"}, TypeError, "content_type must be a str, .* not b'text/html'"),
        ({"kind": "plain"}, ValueError, "kind must be html or text, not 'plain'"),
    ],
)
def test_a_page_that_a_caller_makes(fields: dict[str, Any], error: type[Exception], said: str) -> None:
    page = ncleaner.Page(PROSE.encode())._replace(**fields)
    cleaner = Cleaner()
    for function in (ncleaner.clean, ncleaner.extract, cleaner.page, ncleaner.explain):
        with pytest.raises(error, match=said):
            function(page)


def test_the_recipes_for_a_data_frame() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"html": [f"<p>{PROSE}", None, pandas.NA, math.nan]})
    for texts in (
        frame["html"].dropna().map(ncleaner.clean),
        frame["html"].map(ncleaner.clean, na_action="ignore"),
    ):
        frame["text"] = texts
        assert frame["text"][0] == PROSE and frame["text"].isna().tolist() == [False, True, True, True]
