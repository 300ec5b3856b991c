"""Drawings run nothing, load nothing and show every text as it is, whatever a page has."""

from __future__ import annotations

import shutil
import subprocess
import threading
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner import Cleaner
from ncleaner.lab.explaining.drawing import POLICY, framed, outline_of, page_of
from ncleaner.lab.explaining.explain import explain

from ...structures import PROSE, page_html

EXAMPLES = Path(__file__).parents[3] / "examples"
HOSTILE = f"""<html><head><title></title><script>alert(1)</script>&lt;/title&gt;"'</title>
<base href=BASE><link rel=stylesheet href=BASE/link.css><meta http-equiv=refresh content="0;url=BASE/refresh">
<style>@import url(BASE/import.css); body {{ background: url(BASE/back.png) }} </style>
<style>p::after {{ content: "</style"><img src=BASE/style.png onerror=alert(1)>" }}</style></head>
<body onload="alert(1)" style="background:url(BASE/body.png)">
<script>document.title = "owned"; fetch("BASE/fetch")</script>
<p onclick="alert(1)" style="background:url('BASE/p.png')" class="a'><script>alert(1)</script>">{PROSE[0]} &lt;script&gt;alert(1)&lt;/script&gt;
</p><p>{PROSE[1]} &lt;/iframe&gt;&lt;/section&gt; &quot;&gt;&lt;img src=BASE/text.png&gt; 'quoted' "twice"</p>
<p dir="x' onmouseover='alert(1)">{PROSE[2]} \u202egnp.exe</p>
<a href="javascript:alert(1)">A link to the left of the pier, where nobody stands.</a>
<img src=BASE/img.png alt="x"><iframe src=BASE/frame srcdoc="<script>alert(1)</script>"></iframe>
<object data=BASE/object></object><embed src=BASE/embed><video src=BASE/video poster=BASE/poster></video>
<svg><script>alert(1)</script><image href=BASE/svg.png /></svg><form action=BASE/form><input name=x autofocus onfocus=alert(1)>
<button formaction="javascript:alert(1)">Go</button></form><table background=BASE/table.png><tr><td>{PROSE[0]}</table>
<math><mtext><table><mglyph><style><img src=BASE/mathml.png onerror=alert(1)></style></mglyph></table></mtext></math>
<noscript><img src=BASE/noscript.png></noscript><p>{" ".join(PROSE)}</p><template><img src=BASE/template.png></template>
</body></html>"""


class Seen(HTMLParser):
    """What a parser finds in a page, and in the pages of its frames."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.frames: list[Seen] = []
        self.metas: list[dict[str, str]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attributes]
        given = {name: value or "" for name, value in attributes}
        if tag == "iframe":
            assert given["sandbox"] == "" and "src" not in given
            self.frames.append(Seen(given["srcdoc"]))
        if tag == "meta":
            self.metas.append(given)

    def handle_data(self, data: str) -> None:
        self.text += data

    def check(self) -> None:
        """Nothing runs, and nothing is loaded."""
        assert not {
            "script", "link", "object", "embed", "img", "image", "video", "audio", "svg", "form", "button", "frame",
            "frameset", "template", "noscript", "textarea", "select",
        } & set(self.tags)  # fmt: skip
        for tag, name, value in self.attributes:
            assert not name.startswith("on"), (tag, name)
            assert name not in ("src", "action", "formaction", "background", "poster", "data", "ping"), (
                tag,
                name,
            )
            if name == "href":
                assert value.startswith("#") or (tag, value) == ("base", "about:srcdoc"), (tag, value)
        policies = [
            meta["content"] for meta in self.metas if meta.get("http-equiv") == "Content-Security-Policy"
        ]
        assert len(policies) == 1 and policies[0].startswith("default-src 'none'; style-src 'unsafe-inline'")
        assert not [meta for meta in self.metas if meta.get("http-equiv") == "refresh"]
        for frame in self.frames:
            frame.check()


def test_a_hostile_page() -> None:
    page = HOSTILE.replace("BASE", "http://a.example")
    found = explain(page)
    html = page_of(found, page.encode())
    seen = Seen(html)
    seen.check()
    assert len(seen.frames) == 1, "the page is drawn as it is, too"
    assert POLICY in html and "\u202e" not in html
    for text in (*PROSE, "</iframe></section>", "<script>alert(1)</script>", "'quoted' \"twice\""):
        assert text in seen.text, text
        assert text in seen.frames[0].text, text
    notebook = Seen(framed(found))
    notebook.frames[0].check()


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30), min_size=1, max_size=6
    )
)
def test_any_text(texts: list[str]) -> None:
    from html import escape

    page = f"<title>{escape(texts[0])}</title>" + "".join(
        f"<p class='{escape(text)}'>{escape(text)}" for text in texts
    )
    found = explain(page, CLEANER)
    html = page_of(found, page.encode())
    seen = Seen(html)
    seen.check()
    assert seen.tags.count("article") == len(found.segments)


CLEANER = Cleaner("ngram")


@pytest.mark.parametrize("path", sorted((EXAMPLES / "pages").glob("*.html")), ids=lambda path: path.stem)
def test_the_examples_are_drawn_as_they_are(path: Path) -> None:
    body = path.read_bytes()
    found = explain(body, CLEANER)
    seen = Seen(page_of(found, body))
    seen.check()
    (frame,) = seen.frames
    painted = "".join("".join(frame.text.split()))
    for why in found.segments:
        assert "".join(why.segment.text.split())[:20] in painted
    classes = {value for tag, name, value in frame.attributes if name == "class" and value.startswith("nc-")}
    assert classes == {"nc-kept", "nc-removed"}


def test_the_structure_has_each_segment_once_with_its_text() -> None:
    for number in range(4):
        found = explain(page_html(number))
        seen = Seen("".join(outline_of(found)))
        assert [value for _, name, value in seen.attributes if name == "href"] == [
            f"#s{n}" for n in range(len(found.segments))
        ]
        assert "".join(seen.text.split()) == "".join(
            "".join(why.segment.text for why in found.segments).split()
        )
        assert seen.tags.count("div") >= 1


def test_a_page_whose_text_is_not_found_is_not_drawn_as_it_is() -> None:
    page = page_html(3)
    found = explain(page)
    assert not Seen(page_of(found, b"<p>Another page, with other words, of another site.")).frames
    assert not Seen(page_of(found)).frames
    assert not Seen(page_of(found, page.encode() + b" " * 3_000_001)).frames


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<html lang=ar dir=rtl><p>تأخرت العبارة هذا الصباح أيضا، ولم يعرف أحد السبب.", "تأخرت العبارة"),
        ("<html lang=ja><p>渡し船は今朝も遅れた。だれも理由を知らなかった。", "渡し船は今朝も遅れた"),
        ("<pre>  one\n    two\n\n  three</pre>", "    two"),
    ],
)
def test_scripts(page: str, text: str) -> None:
    found = explain(page)
    html = page_of(found, page.encode())
    seen = Seen(html)
    seen.check()
    assert text in seen.text and text in seen.frames[0].text
    assert html.count("dir=auto") >= 2
    if "pre" in page:
        assert "class='seg" in html and " pre'" in html


def test_deep_nesting_ends() -> None:
    page = "<div>" * 400 + "<section>" * 100 + f"<p>{PROSE[0]}"
    html = page_of(explain(page), page.encode())
    assert html.count("data-tag='") == 10
    Seen(html).check()


CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium to try the drawing in")
def test_a_browser_runs_and_loads_nothing(tmp_path: Path) -> None:
    asked: list[str] = []

    class Trap(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Trap) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        page = HOSTILE.replace("BASE", f"http://127.0.0.1:{server.server_port}")
        # the trap catches what a page loads
        (tmp_path / "bare.html").write_text(f"<p>x<img src=http://127.0.0.1:{server.server_port}/bare.png>")
        found = explain(page)
        drawn = page_of(found, page.encode()).replace(
            "<input type=checkbox id=as-is>", "<input type=checkbox id=as-is checked>"
        )
        (tmp_path / "drawn.html").write_text(drawn)
        (tmp_path / "notebook.html").write_text(f"<!doctype html><meta charset=utf-8>{framed(found)}")
        dumps = {}
        for name in ("bare", "drawn", "notebook"):
            dumps[name] = subprocess.run(
                [
                    str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=3000",
                    f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (tmp_path / f"{name}.html").as_uri(),
                ],
                capture_output=True, text=True, timeout=120, check=True,
            ).stdout  # fmt: skip
            if name == "bare":
                assert asked
                asked.clear()
        server.shutdown()
    assert asked == []
    assert "<title>ncleaner: " in dumps["drawn"] and "owned" not in dumps["drawn"]
    assert dumps["drawn"].count("<article") == len(found.segments)
