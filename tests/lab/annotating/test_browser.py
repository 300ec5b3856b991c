"""The web page in a real browser: by keyboard from the first page to a trained model, and against hostile pages."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("playwright", reason="Playwright is not installed")
pytest.importorskip("starlette", reason="Starlette is not installed")

from ncleaner.lab.annotating.project import letters_of_runs, open_project
from ncleaner.lab.annotating.server import Serving, serving
from ncleaner.lab.annotating.session import Session
from ncleaner.lab.training.annotations import labels_from_alignment
from ncleaner.lab.training.curve import fit
from ncleaner.lab.training.pairs import read_pairs

from ...browser import PATH, browser
from . import made
from .test_learning import PAIRS, project

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PATH, reason="there is no Chromium (scripts/browser.sh installs one)"),
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


@contextmanager
def served(folder: Path, name: str = "me", **options: Any) -> Iterator[Serving]:
    session = Session(open_project(folder), name, **{"every": 0, **options})
    try:
        with serving(session) as found:
            yield found
    finally:
        session.close()


@pytest.fixture
def tab(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1300, "height": 800})
    page = context.new_page()
    page.set_default_timeout(20_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.problems = problems
    yield page
    context.close()
    assert problems == []


def enter(tab: Any, server: Serving) -> None:
    tab.goto(server.url)
    tab.wait_for_selector("body[data-ready]")
    assert tab.is_hidden("#alert"), tab.inner_text("#alert")


def press(tab: Any, *keys: str) -> None:
    for key in keys:
        tab.keyboard.press(key)


def drawn(tab: Any) -> Any:
    """The frame with the drawn page, which comes after the page around it."""
    for _ in range(100):
        if (frame := tab.frame(url=lambda url: "/drawn" in url)) is not None:
            return frame
        tab.wait_for_timeout(100)
    raise AssertionError("no page is drawn")


def shown(tab: Any) -> str:
    return str(tab.evaluate("document.getElementById('list').dataset.page"))


def wait_for_page(tab: Any, page: str) -> None:
    tab.wait_for_function("page => document.getElementById('list').dataset.page === page", arg=page)


def letters(tab: Any) -> str:
    return str(
        tab.evaluate("[...document.querySelectorAll('.seg')].map(part => part.dataset.label).join('')")
    )


def wait_for_save(tab: Any, revision: int) -> None:
    tab.wait_for_function(
        "wanted => Number(document.getElementById('list').dataset.saved) >= wanted", arg=revision
    )


def wait_until_saved(tab: Any) -> None:
    tab.wait_for_function(
        "() => !sessionStorage.getItem(`pending ${document.getElementById('list').dataset.page}`)"
    )


def stored(folder: Path, page: str, name: str = "me") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "labels" / name / f"{page}.json").read_text())
    return found


def labelled(tab: Any, truth: str) -> None:
    """Gives each segment its label, with keys alone."""
    tab.keyboard.press("Home")
    at = 0
    for row, letter in enumerate(truth):
        if letters(tab)[row] != letter:
            for _ in range(row - at):
                tab.keyboard.press("ArrowDown")
            tab.keyboard.press("n" if letter == "o" else letter)
            at = min(row + 1, len(truth) - 1)
    assert letters(tab) == truth


def test_five_pages_by_keyboard_until_a_model_is_trained(tab: Any, tmp_path: Path) -> None:
    project(tmp_path, 0)
    with served(tmp_path, every=2, model="nonlexical") as server:
        enter(tab, server)
        done = []
        for number in range(5):
            page = shown(tab)
            done.append(page)
            document = open_project(tmp_path).document(page)
            truth = letters_of_runs(document, labels_from_alignment(PAIRS[page]))
            labelled(tab, truth)
            if number == 1:
                # in the middle of a page
                before = letters(tab)
                wait_until_saved(tab)
                tab.reload()
                tab.wait_for_selector("body[data-ready]")
                assert (shown(tab), letters(tab)) == (page, before)
            tab.keyboard.press("Enter")
            if "not looked at" in tab.inner_text("#status"):
                tab.keyboard.press("Enter")
            tab.wait_for_function("page => document.getElementById('list').dataset.page !== page", arg=page)
            assert stored(tmp_path, page)["labels"] == truth and stored(tmp_path, page)["done"]
        assert len(set(done)) == 5
        tab.wait_for_function("() => Number(document.body.dataset.trained) >= 4")
        tab.keyboard.press("m")
        tab.wait_for_selector(".chart")
        assert "5 of 8" in tab.inner_text("#dialog-body") and "F of words" in tab.get_attribute(
            ".chart", "aria-label"
        )
        tab.keyboard.press("Escape")
    pairs = read_pairs(tmp_path / "raw", tmp_path / "clean")
    assert sorted(pair.name for pair in pairs) == sorted(done)
    assert fit(pairs).to_bytes()


def test_undo_also_after_a_reload(tab: Any, tmp_path: Path) -> None:
    made.project(tmp_path)
    with served(tmp_path) as server:
        enter(tab, server)
        first = letters(tab)
        press(tab, "Home", "Shift+ArrowDown", "Shift+ArrowDown", "h")
        assert letters(tab) == "hhh" + first[3:]
        tab.keyboard.press("p")
        assert letters(tab) == "hhhp" + first[4:]
        wait_for_save(tab, 2)
        tab.reload()
        tab.wait_for_selector("body[data-ready]")
        tab.keyboard.press("u")
        assert letters(tab) == "hhh" + first[3:]
        tab.keyboard.press("Control+z")
        assert letters(tab) == first
        tab.keyboard.press("u")
        assert "Nothing to undo" in tab.inner_text("#status")
        press(tab, "r", "Control+y")
        assert letters(tab) == "hhhp" + first[4:]
        wait_until_saved(tab)
        assert stored(tmp_path, "p0")["labels"] == "hhhp...."


def test_keys(tab: Any, tmp_path: Path) -> None:
    made.project(tmp_path)
    with served(tmp_path) as server:
        enter(tab, server)
        press(tab, "End", "k", "a")
        assert tab.locator(".seg[aria-selected=true]").count() == 3
        tab.keyboard.press("l")
        assert letters(tab)[4:7] == "lll"
        press(tab, "Home", " ", " ", "v")
        assert tab.is_hidden("#right")
        tab.keyboard.press("v")
        for key, title in (("?", "Keys"), ("o", "3 pages"), ("g", "Agreement"), ("m", "Progress")):
            tab.keyboard.press(key)
            tab.wait_for_function(
                "title => document.getElementById('dialog-title').textContent.startsWith(title)", arg=title
            )
            tab.keyboard.press("Escape")
        # every key of the help does something: its names are those of the terminal, too
        tab.keyboard.press("Shift+Enter")
        wait_for_page(tab, "p1")
        tab.keyboard.press("b")
        wait_for_page(tab, "p0")
        tab.keyboard.press("o")
        tab.click("#dialog-body td button >> text=p2")
        wait_for_page(tab, "p2")


def test_doubts(tab: Any, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    for name in ("allotment-forum-thread", "slow-gears-blog"):
        source = made.EXAMPLES / "pages" / f"{name}.html"
        (tmp_path / "raw" / source.name).write_bytes(source.read_bytes())
    with served(tmp_path) as server:
        enter(tab, server)
        page = shown(tab)
        doubts = tab.evaluate(
            "[...document.querySelectorAll('.seg')].filter(part => / % sure/.test(part.lastChild.innerText))"
            ".map(part => part.id)"
        )
        here = "document.getElementById('list').getAttribute('aria-activedescendant')"
        assert len(doubts) > 4
        # it opens at the first one, and goes from each to the next
        assert tab.evaluate(here) == doubts[0]
        tab.keyboard.press(".")
        assert tab.evaluate(here) == doubts[1] and "% sure" in tab.inner_text("#status")
        tab.keyboard.press(",")
        assert tab.evaluate(here) == doubts[0]
        # those that nobody has been at are not finished by the way
        tab.keyboard.press("Enter")
        assert tab.evaluate(here) == doubts[2] and shown(tab) == page
        left = f"Not finished: {len(doubts) - 2} doubtful segments not looked at. Enter finishes the page all the same"
        assert tab.inner_text("#status") == left
        for expected in doubts[3:]:
            tab.keyboard.press(".")
            assert tab.evaluate(here) == expected
        tab.keyboard.press(".")
        assert "No doubtful segment left" in tab.inner_text("#status")
        tab.keyboard.press("Enter")
        tab.wait_for_function("page => document.getElementById('list').dataset.page !== page", arg=page)
        # a second Enter finishes all the same
        page = shown(tab)
        press(tab, "Enter", "Enter")
        wait_for_page(tab, "")
        assert stored(tmp_path, page)["done"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_toolbar_has_one_line_and_the_page_our_ground(scheme: str, chromium: Any, tmp_path: Path) -> None:
    made.project(tmp_path)
    with served(tmp_path) as server:
        context = chromium.new_context(color_scheme=scheme, viewport={"width": 1280, "height": 800})
        tab = context.new_page()
        enter(tab, server)
        tops = tab.evaluate("[...document.querySelectorAll('.tools button')].map(part => part.offsetTop)")
        assert len(tops) == 8 and len(set(tops)) == 1
        ground = "getComputedStyle(document.getElementById('scroller')).backgroundColor"
        assert tab.evaluate(ground) == ("rgb(244, 245, 247)" if scheme == "light" else "rgb(16, 19, 25)")
        context.close()


def test_the_drawn_page_and_the_list_show_each_other(tab: Any, tmp_path: Path) -> None:
    made.project(tmp_path)
    with served(tmp_path) as server:
        enter(tab, server)
        frame = drawn(tab)
        frame.wait_for_selector("x-seg[data-here]")
        # the page's own style sheet
        assert frame.eval_on_selector(".menu", "part => getComputedStyle(part).color") == "rgb(0, 128, 0)"
        box = frame.locator("x-seg[data-seg='5']").bounding_box()
        tab.mouse.click(box["x"] + 5, box["y"] + 5)
        assert tab.get_attribute("#list", "aria-activedescendant") == "s5"
        assert tab.evaluate("document.activeElement.id") == "list"
        tab.keyboard.press("ArrowUp")
        frame.wait_for_selector("x-seg[data-seg='4'][data-here]")
        tab.keyboard.press("l")
        frame.wait_for_selector("x-seg[data-seg='4'][data-label=l]")


def test_two_tabs(chromium: Any, tmp_path: Path) -> None:
    made.project(tmp_path)
    with served(tmp_path) as server:
        context = chromium.new_context()
        one, other = context.new_page(), context.new_page()
        for tab in (one, other):
            enter(tab, server)
        press(one, "Home", "h")
        wait_for_save(one, 1)
        # another segment: both changes are kept
        press(other, "End", "l")
        wait_for_save(other, 2)
        assert stored(tmp_path, "p0")["labels"] == "h......l"
        assert letters(other)[0] == "h" and "Both changes are kept" in other.inner_text("#alert")
        other.click("#alert button")
        # the same segment: the person decides
        press(one, "End", "p")
        one.wait_for_selector("#alert button >> text=Take mine")
        assert letters(one)[7] == "l"
        one.click("#alert button >> text=Take mine")
        wait_for_save(one, 3)
        assert stored(tmp_path, "p0")["labels"] == "h......p"
        press(other, "End", "c")
        other.wait_for_selector("#alert button >> text=Keep theirs")
        other.click("#alert button >> text=Keep theirs")
        assert letters(other)[7] == "p" and other.is_hidden("#alert")
        assert stored(tmp_path, "p0")["labels"] == "h......p"
        # a page that has been changed is not finished unseen
        press(one, "Home", "c")
        wait_for_save(one, 4)
        other.keyboard.press("Enter")
        other.wait_for_selector("#alert >> text=changed in another tab")
        other.keyboard.press("Enter")
        wait_for_page(other, "p1")
        assert stored(tmp_path, "p0")["labels"][0] == "c"
        context.close()


def test_a_disk_that_fills_loses_nothing(tab: Any, tmp_path: Path) -> None:
    made.project(tmp_path)
    with served(tmp_path) as server:
        enter(tab, server)
        (tmp_path / "labels").write_text("a file in the way")
        press(tab, "Home", "h")
        tab.wait_for_selector("#alert >> text=Not saved")
        assert "cannot write" in tab.inner_text("#alert") and letters(tab)[0] == "h"
        tab.keyboard.press("l")
        # not even with a reload
        tab.on("dialog", lambda dialog: dialog.accept())
        tab.reload()
        tab.wait_for_selector("#alert >> text=Not saved")
        assert letters(tab)[:2] == "hl"
        (tmp_path / "labels").unlink()
        tab.wait_for_selector("#alert", state="hidden")
        assert stored(tmp_path, "p0")["labels"] == "hl......"


def test_a_server_that_has_ended(tab: Any, tmp_path: Path) -> None:
    made.project(tmp_path)
    with served(tmp_path) as server:
        enter(tab, server)
    tab.keyboard.press("h")
    tab.wait_for_selector("#alert >> text=the server does not answer")
    tab.on("dialog", lambda dialog: dialog.accept())


def test_settling(tab: Any, tmp_path: Path) -> None:
    found = made.project(tmp_path)
    for page, ben in (("p0", "oooopppl"), ("p1", made.WANTED), ("p2", "ooohpppp")):
        made.label(found, "anna", page, made.WANTED)
        made.label(found, "ben", page, ben)
    with served(tmp_path, "carl", settling=True) as server:
        enter(tab, server)
        assert letters(tab) == "ooo?ppp?"
        assert "1 anna: heading" in tab.inner_text("#s3") and "2 ben: drop" in tab.inner_text("#s3")
        assert tab.get_attribute("#list", "aria-activedescendant") == "s3"
        tab.keyboard.press("Enter")
        assert "2 left to settle" in tab.inner_text("#status")
        press(tab, "Home", ".", "1", ".", "2")
        assert letters(tab) == "ooohpppl"
        tab.keyboard.press("Enter")
        wait_for_page(tab, "p2")
        assert stored(tmp_path, "p0", "carl")["settles"] == ["anna", "ben"]
        press(tab, "n", "Enter")
        wait_for_page(tab, "")
        assert "All pages are finished" in tab.inner_text("#title")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme: str, chromium: Any, tmp_path: Path) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe-playwright-python is not installed"
    )
    project(tmp_path, 6)
    found = open_project(tmp_path)
    made.label(found, "ben", "kettle-product", "o" * len(found.document("kettle-product")))
    with served(tmp_path, every=2) as server:
        context = chromium.new_context(
            color_scheme=scheme, viewport={"width": 1300, "height": 800}, bypass_csp=True
        )
        tab = context.new_page()
        enter(tab, server)
        for _ in range(4):
            press(tab, "h", "c", "l")
        tab.wait_for_function("Number(document.body.dataset.trained) >= 6")
        for key in ("", "?", "o", "m", "g"):
            if key:
                tab.keyboard.press(key)
                tab.wait_for_selector("dialog[open]")
            tab.wait_for_timeout(300)
            # colours of the drawn page are those of its author
            result = axe.Axe().run(tab, context={"exclude": [["#frame"]]})
            assert result.violations_count == 0, result.generate_report()
            if key:
                tab.keyboard.press("Escape")
                tab.wait_for_selector("dialog[open]", state="hidden")
        context.close()


def test_right_to_left_and_cjk(tab: Any, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "he.html").write_text(
        "<html lang=he dir=rtl><h1>המגדלור נצבע שוב</h1><p>השומר אומר שהצבע הלבן יחזיק מעמד עשר שנים (PVC 3.0).</p>"
    )
    (tmp_path / "raw" / "ja.html").write_text(
        "<html lang=ja><h1>灯台</h1><p>灯台は去年の春に白く塗り直された。</p>"
    )
    with served(tmp_path) as server:
        enter(tab, server)
        assert tab.evaluate("getComputedStyle(document.querySelector('#s1 .text')).direction") == "rtl"
        frame = drawn(tab)
        frame.wait_for_selector("x-seg[data-here]")
        tab.keyboard.press("Shift+Enter")
        wait_for_page(tab, "ja")
        assert tab.get_attribute("#s1 .text", "lang") == "ja"


def test_a_page_of_three_thousand_segments_is_not_built_again(tab: Any, tmp_path: Path) -> None:
    (tmp_path / "raw").mkdir()
    body = "".join(
        f"<div class=c{number % 7}><p>Row {number} of the long list of boats.</p></div>"
        for number in range(3000)
    )
    (tmp_path / "raw" / "long.html").write_text(f"<html lang=en><h1>Boats</h1>{body}")
    with served(tmp_path) as server:
        enter(tab, server)
        assert tab.locator(".seg").count() == 3001
        tab.evaluate(
            "window.changes = 0; new MutationObserver(found => window.changes += found.length)"
            ".observe(document.getElementById('list'), {subtree: true, childList: true, attributes: true})"
        )
        # the page is drawn again in the frame, which leaves the list as it is
        tab.keyboard.press("s")
        tab.wait_for_function(
            "frame => frame.contentDocument.URL.endsWith('styles=0')"
            " && frame.contentDocument.querySelectorAll('x-seg[data-label]').length === 3001",
            arg=tab.query_selector("#frame"),
        )
        for _ in range(10):
            tab.keyboard.press("h")
        wait_for_save(tab, 1)
        # a handful of changes to the tree for each key, whatever the length of the page
        assert tab.evaluate("window.changes") < 10 * 20
        press(tab, "Shift+End", "n")
        assert letters(tab) == "h" * 10 + "o" * 2991
        wait_for_save(tab, 2)


# hostile pages ------------------------------------------------------------------------------------


class _Outside(http.server.BaseHTTPRequestHandler):
    """Somebody else's server, which remembers who asks."""

    asked: list[str]

    def do_GET(self) -> None:
        type(self).asked.append(self.path)
        self.send_response(200)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.end_headers()
        self.wfile.write(b"")

    do_POST = do_GET  # noqa: N815

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def outside() -> Iterator[tuple[str, list[str]]]:
    asked: list[str] = []
    handler = type("Handler", (_Outside,), {"asked": asked})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()
    server.server_close()
    thread.join()


def hostile(outside: str) -> str:
    return f"""<!doctype html><html lang=en><head><base href="{outside}/base/">
    <meta http-equiv=refresh content="0;url={outside}/refresh"><link rel=stylesheet href="{outside}/sheet.css">
    <link rel=prefetch href="{outside}/prefetch"><link rel=preload as=image href="{outside}/preload">
    <link rel=dns-prefetch href="//evil.example"><script src="{outside}/script.js"></script>
    <script>parent.document.title = 'owned'; fetch('{outside}/fetch')</script>
    <style>@import url({outside}/import.css); @font-face {{ font-family: x; src: url({outside}/font) }}
    body {{ background: url({outside}/background); font-family: x }} </style><style></style><script>top.owned = 1</script>
    <style>html, body, p {{ position: fixed; inset: 0; z-index: 99999; display: none; background: red }}
    x-seg {{ visibility: hidden }}</style></head>
    <body onload="parent.document.title = 'owned'"><h1>An honest headline about the lighthouse</h1>
    <p onclick="parent.owned = 1" onmouseover="parent.owned = 1">{made.PROSE[0]}</p>
    <a href="javascript:parent.owned = 1">Press here for the keys of the lighthouse</a>
    <a href="{outside}/link" target=_top ping="{outside}/ping">Leave the page by this way</a>
    <form action="{outside}/form" method=post><input name=a autofocus onfocus="parent.owned = 1"><button>Send it off</button></form>
    <img src="{outside}/image" onerror="parent.owned = 1"><img srcset="{outside}/srcset 1x">
    <video src="{outside}/video" poster="{outside}/poster" autoplay></video><audio src="{outside}/audio"></audio>
    <object data="{outside}/object"></object><embed src="{outside}/embed"><iframe src="{outside}/frame"></iframe>
    <iframe srcdoc="<script>top.owned = 1</script>"></iframe><svg><script>top.owned = 1</script><image href="{outside}/svg"/></svg>
    <math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=top.owned=1&gt;"></table></math>
    <div style="position: fixed; inset: 0; z-index: 2147483647; background: url({outside}/style)">Covers everything there is</div>
    <div contenteditable tabindex=1>Wants the keyboard for itself</div><dialog open>In the way of all others</dialog>
    <p>{made.PROSE[1]}</p><noscript><img src="{outside}/noscript"></noscript>"""


def test_a_hostile_page_does_nothing(tab: Any, tmp_path: Path, outside: tuple[str, list[str]]) -> None:
    address, asked = outside
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "a.html").write_text(hostile(address))
    (tmp_path / "raw" / "b.html").write_text(made.page())
    with served(tmp_path) as server:
        requests: list[str] = []
        # those that the policy has stopped are announced, too, but never finished
        tab.on("requestfinished", lambda request: requests.append(request.url))
        popups: list[Any] = []
        tab.context.on("page", lambda found: popups.append(found))
        enter(tab, server)
        frame = drawn(tab)
        frame.wait_for_selector("x-seg[data-here]", state="attached")
        # everything on it is clicked
        height = tab.evaluate("document.getElementById('scroller').scrollHeight")
        box = tab.locator("#scroller").bounding_box()
        for y in range(0, int(min(height, box["height"])), 25):
            for x in (10, 60, 200):
                tab.mouse.click(box["x"] + x, box["y"] + y)
        tab.wait_for_timeout(500)
        assert tab.evaluate("window.owned") is None and tab.title().startswith("a ") and popups == []
        assert [url for url in requests if not url.startswith(server.origin)] == []
        assert asked == []
        assert tab.url.startswith(server.origin) and frame.url.startswith(server.origin)
        # the controls are where they were, and the keys go to them
        for place in ("#b-pages", "#b-finish", ".tools button"):
            tab.locator(place).first.click(trial=True)
        press(tab, "Home", "n")
        assert letters(tab)[0] == "o"
        # alone in a tab it is as harmless
        alone = tab.context.new_page()
        alone.goto(f"{server.origin}/drawn?id=a")
        alone.wait_for_timeout(300)
        assert asked == [] and alone.title() != "owned"


def test_another_site_gets_nothing(chromium: Any, tmp_path: Path, outside: tuple[str, list[str]]) -> None:
    made.project(tmp_path)
    address, _ = outside
    with served(tmp_path) as server:
        context = chromium.new_context()
        tab, evil = context.new_page(), context.new_page()
        enter(tab, server)
        # the same browser, which has the cookie; `localhost` is another site than 127.0.0.1
        evil.goto(address.replace("127.0.0.1", "localhost"))
        tries = """async origin => {
          const told = [];
          const body = JSON.stringify({id: "p0", revision: 0, changes: [[0, "h"]]});
          for (const options of [{}, {mode: "no-cors"}, {credentials: "include"}, {method: "POST", body},
              {method: "POST", body, mode: "no-cors", credentials: "include", headers: {"Content-Type": "text/plain"}},
              {method: "POST", body, credentials: "include", headers: {"Content-Type": "application/json"}}])
            for (const path of ["/", "/api/page?id=p0", "/api/change", "/drawn?id=p0"])
              try { told.push(await (await fetch(origin + path, options)).text()); } catch (error) { told.push(""); }
          const form = document.createElement("form");
          Object.assign(form, {action: origin + "/api/change", method: "post", enctype: "text/plain", target: "hidden"});
          const frame = document.createElement("iframe");
          frame.name = "hidden"; document.body.append(frame, form); form.submit();
          const inside = document.createElement("iframe");
          inside.src = origin + "/"; document.body.append(inside);
          await new Promise(resolve => setTimeout(resolve, 800));
          return told;
        }"""
        told = evil.evaluate(tries, server.origin)
        assert not any("lighthouse" in one for one in told)
        assert not (tmp_path / "labels").exists()
        assert letters(tab) and tab.is_hidden("#alert")
        context.close()
