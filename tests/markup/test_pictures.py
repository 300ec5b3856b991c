"""Images: which of their addresses is written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.document.kept import Kept
from ncleaner.document.tables import Fact
from ncleaner.dumping.html import dump_html
from ncleaner.markup import MarkupOptions
from ncleaner.markup.pictures import Image, names_of_own, shown
from ncleaner.markup.render import markdown_of

from .rendering import clean_html, markdown

TEXT = "<p>The ferry sails.<p>{}<p>It sails until May."
PAGES = [
    ("<img src=/a.png alt=Pier>", "![Pier](https://harbour.example/a.png)"),
    # the address that a script loads
    ("<img src=/blank.gif data-src=/a.png>", "![](https://harbour.example/a.png)"),
    ("<img src='data:image/gif;base64,R0' data-original=/a.png>", "![](https://harbour.example/a.png)"),
    # the largest of several, whose addresses may have commas
    ("<img src=/s.png srcset='/m.png 640w, /l,w_9.png 1280w, /s.png 320w'>", "![](https://harbour.example/l,w_9.png)"),
    ("<img src=/s.png data-srcset='/a.png, /b.png 2x'>", "![](https://harbour.example/b.png)"),
    ("<picture><source srcset='/a.webp 1x,/b.webp 2x'><source srcset=/c.png><img src=/d.png alt=Pier></picture>",
     "![Pier](https://harbour.example/b.webp)"),
    ("<img src=/blank.gif>", ""),
    ("<img src=/s.png srcset=' , '>", "![](https://harbour.example/s.png)"),
    # counters of readers, and icons
    ("<img src=/a.png width=1 height=1>", ""),
    ("<img src=/a.png width=24 height=24>", ""),
    ("<img src=/a.png width=24 height=240>", "![](https://harbour.example/a.png)"),
    # the ratio of an image that fills its place
    ("<img src=/a.png width=16 height=9>", "![](https://harbour.example/a.png)"),
    ("<img src=/a.png width=4 height=5>", "![](https://harbour.example/a.png)"),
    ("<img src=/a.png width=5 height=5>", ""),
    # the copy for readers without scripts, and a larger one
    ("<img src=/blank.gif alt=Pier><noscript><img src=/a.png alt=Pier></noscript>", "![Pier](https://harbour.example/a.png)"),
    ("<img src=/a-640x480.png><img src=/a.jpg>", "![](https://harbour.example/a-640x480.png)"),
    ("<img src=/a-1.png><img src=/a-2.png>", "![](https://harbour.example/a-1.png)\n\n![](https://harbour.example/a-2.png)"),
    ("<img src=/a.png.webp><img src=/a.png>", "![](https://harbour.example/a.png.webp)"),
    # others of one name: two texts tell them apart, as does the address in that of a program which makes the sizes
    ("<img src=/1/m.png alt=Pier><img src=/2/m.png alt=Sea><img src=/1/m.png alt=Dock>",
     "![Pier](https://harbour.example/1/m.png)\n\n![Sea](https://harbour.example/2/m.png)"),
    ("<img src='/p?url=%2Fa.png&amp;w=9'><img src='/p?url=%2Fb.png&amp;w=9'><img src='/p?url=%2Fa.png&amp;w=99'>",
     "![](https://harbour.example/p?url=%2Fa.png&w=9)\n\n![](https://harbour.example/p?url=%2Fb.png&w=9)"),
    # in a link
    ("<a href=/b.png><img src=/a.png alt=Pier></a>", "[![Pier](https://harbour.example/a.png)](https://harbour.example/b.png)"),
    ("<a href=/b><img src=/a.png></a><img src=/c.png>",
     "[![](https://harbour.example/a.png)](https://harbour.example/b)\n\n![](https://harbour.example/c.png)"),
    # videos, sounds and players are links; a frame that plays nothing is not there
    ("<iframe src=/e/1 title='At &lt;sea&gt;' allowfullscreen></iframe>", "[At \\<sea>](https://harbour.example/e/1)"),
    ("<iframe data-src=/e/1 allow='autoplay; camera'></iframe><iframe src=/ad allow=camera></iframe>",
     "[https://harbour.example/e/1](https://harbour.example/e/1)"),
    ("<iframe src=/t allowfullscreen width=0 height=0></iframe>", ""),
    ("<video><source src=/v.mp4>Update your browser</video>", "[https://harbour.example/v.mp4](https://harbour.example/v.mp4)"),
    ("<audio src=/a.mp3 title=Talk></audio><img src=/a.png alt=Pier>",
     "[Talk](https://harbour.example/a.mp3)\n\n![Pier](https://harbour.example/a.png)"),
    ("<video src='javascript:x()'></video><video></video><audio src='data:audio/mp3,x'></audio>", ""),
    # portraits of writers, and other counters of readers
    ("<img src=/me.png class='avatar photo'><img src=https://secure.gravatar.com/x><img src=/avatars/1.png>", ""),
    ("<img src=https://pixel.wp.com/g.gif?v=1><img src=//stats.example/i.png><img src=/stats/i.png>",
     "![](https://harbour.example/stats/i.png)"),
    # in a block of advertising or of buttons
    ("<div class=social-share><a href=/f><img src=/f.png></a></div><div class=ads><img src=/b.png></div>", ""),
    # alone in a cell
    ("<table><tr><th>Ship<th>Picture<tr><td>Alma<td><img src=/a.png><tr><td>Berta<td></table>",
     "| Ship | Picture |\n| --- | --- |\n| Alma | ![](https://harbour.example/a.png) |\n| Berta | |"),
    # a logo
    ("<a href=/><img src=/a.png></a><a href=https://o.example><img src=/b.png></a>", ""),
    ("<a href='javascript:x()'><img src=/a.png></a>", "![](https://harbour.example/a.png)"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), PAGES)
def test_the_best_address(html: str, expected: str) -> None:
    found = markdown(TEXT.format(html), links=True, images=True)
    assert found.removeprefix("The ferry sails.").removesuffix("It sails until May.").strip() == expected


NOISE = "<p>By Ann Lee</p><p>Share</p>"
STATED = "<meta property=og:image content='https://cdn.example/i/ferry-at-sea-1200x630.jpg'>"
LEADS = [
    # the image that the page states as its own, among what is removed
    (f"{NOISE}<img src=/i/ferry-at-sea-640x480.jpg>{NOISE}", "![](https://harbour.example/i/ferry-at-sea-640x480.jpg)"),
    (f"{NOISE}<img src=/i/640_ferry-at-sea.jpg>{NOISE}", "![](https://harbour.example/i/640_ferry-at-sea.jpg)"),
    (f"{NOISE}<img src='/p?url=%2Fi%2Fferry-at-sea.jpg&amp;w=9'>{NOISE}",
     "![](https://harbour.example/p?url=%2Fi%2Fferry-at-sea.jpg&w=9)"),
    (f"{NOISE}<img src=/i/portrait-of-the-author.jpg>{NOISE}", ""),
    # once
    (f"{NOISE}<img src=/i/ferry-at-sea.jpg>{NOISE}<img src=/i/ferry-at-sea.jpg>{NOISE}",
     "![](https://harbour.example/i/ferry-at-sea.jpg)"),
    # a figure is one thing, whatever is in it
    ("<figure><img src=/f.jpg><div>The pier at dawn</div><p>Photo: Ann Lee</figure>", "![](https://harbour.example/f.jpg)"),
    (f"{NOISE}<figure><img src=/f.jpg><div>The pier at dawn</div></figure>{NOISE}", ""),
]  # fmt: skip


@pytest.mark.parametrize(("between", "expected"), LEADS)
def test_images_beside_what_is_removed(between: str, expected: str) -> None:
    text = "<p>The ferry will sail until the end of May.</p>"
    document = dump_html(f"{STATED}<div>{text}{between}{text}</div>", facts=True, marks=True)
    kept = Kept(np.array([each.startswith("The ferry") for each in document.texts]))
    found = markdown_of(document, kept, MarkupOptions(images=True), "https://harbour.example/log/")
    assert (
        found.decode()
        .strip(".\n ")
        .removeprefix("The ferry will sail until the end of May.")
        .removesuffix("The ferry will sail until the end of May")
        .strip()
        == expected
    )


def test_a_logo_is_far_from_the_text() -> None:
    menu = "".join(f"<li><a href=/{number}>Part {number}</a>" for number in range(9))
    page = (
        f"{STATED}<img src=/ferry-at-sea.jpg><ul>{menu}</ul><p>The ferry will sail until the end of May.</p>"
    )
    document = dump_html(page, facts=True, marks=True)
    kept = Kept(np.array([each.startswith("The ferry") for each in document.texts]))
    assert b"![" not in markdown_of(document, kept, MarkupOptions(images=True))
    near = dump_html(page.replace(menu, "<li>Part 1"), facts=True, marks=True)
    kept = Kept(np.array([each.startswith("The ferry") for each in near.texts]))
    assert markdown_of(near, kept, MarkupOptions(images=True)).startswith(b"![](/ferry-at-sea.jpg)")


def test_media_in_html() -> None:
    html = TEXT.format("<iframe src='/e?a&amp;b' title='At &lt;sea&gt;' allowfullscreen></iframe>")
    expected = '<p><a href="https://harbour.example/e?a&amp;b">At &lt;sea&gt;</a></p>'
    assert expected in clean_html(html, images=True) and "href" not in clean_html(html, links=True)


@given(st.text(max_size=30), st.text(max_size=30))
def test_names_of_one_image(one: str, other: str) -> None:
    names = names_of_own(
        [Fact("meta", "og:image", one), Fact("meta", "description", other), Fact("link", "og:image", other)]
    )
    image = Image(0, b"", -1, one.strip().encode("utf-8", "replace"), True, 0)
    assert len(names) <= 1 and image.is_one_of(names) == bool(names)


BYTES = st.binary(max_size=40) | st.lists(
    st.sampled_from([b"/a.png", b",", b" ", b"2x", b"640w", b"1..2x", b"data:", b"("]), max_size=12
).map(b"".join)


@given(st.lists(st.tuples(BYTES, BYTES, st.integers(0, 3), st.lists(BYTES, max_size=3)), max_size=8))
def test_no_attribute_breaks_the_choice(written: list[tuple[bytes, bytes, int, list[bytes]]]) -> None:
    images = [(mark, source, alt, run, sets, -1, 2) for mark, (source, alt, run, sets) in enumerate(written)]
    found = list(shown(images))
    assert [image.mark for image in found] == sorted({image.mark for image in found})
    for image in found:
        assert isinstance(image, Image) and image.source
        assert image.source in written[image.mark][0] or any(
            image.source in each for each in written[image.mark][3]
        )


def test_a_caption_that_is_removed_takes_no_image_with_it() -> None:
    figure = "<figure><img src=/a.png><figcaption>The ferry at its pier.</figcaption></figure>"
    html = f"<article><p>The ferry sails.</p>{figure}<p>It sails until May.</p></article>"
    image = "![](https://harbour.example/a.png)"
    assert markdown(html, [0, 2], images=True) == f"The ferry sails.\n\n{image}\n\nIt sails until May."
    assert markdown(html, [0], images=True) == f"The ferry sails.\n\n{image}"
    # a link around both stays around the image; if the caption is kept, it is the text of the link
    html = f"<article><p>The ferry sails.</p><a href=/b>{figure}</a><p>It sails until May.</p></article>"
    linked = f"[{image}](https://harbour.example/b)"
    kept = markdown(html, [0, 2], images=True, links=True)
    assert kept == f"The ferry sails.\n\n{linked}\n\nIt sails until May."
    caption = "[The ferry at its pier.](https://harbour.example/b)"
    assert f"{image}\n\n{caption}" in markdown(html, images=True, links=True)


BESIDE = [
    ("<img src=/a.png><p>New mayor", True),
    ("<a href=/b/><img src=/a.png></a><aside><p>New mayor</aside>", True),
    ("<a href=/b/><img src=/a.png></a><div class=related>New mayor</div>", True),
    # a portrait, a teaser, the larger image
    ("<img src=/avatar/a.png><p>New mayor", False),
    ("<a href=/b/><img src=/a.png></a><p>New mayor", False),
    ("<a href=/b.jpg><img src=/a.png></a><p>New mayor", True),
    ("<a href=https://x.com/mayor><img src=/a.png></a>", False),
    # a button over it; a smaller copy
    ("<div><img src=/a.png><div role=tooltip>New mayor</div></div><p>of the town", True),
    ("<img src=/c0ffee2024_b.png><img src=/c0ffee2024_720w.png><p>New mayor", True),
    # alone in another block than the text before and after it
    ("<section><p>By Ann Lee</p><img src=/a.png></section><p>It sails until May.", True),
    ("<section><p>By Ann Lee</p><img src=/print.png></section><p>It sails until May.", False),
]


@pytest.mark.parametrize(("beside", "stays"), BESIDE)
def test_an_image_with_removed_text_beside_it(beside: str, stays: bool) -> None:
    page = f"<article><p>The ferry sails.</p>{beside}</article>"
    texts = dump_html(page).texts
    kept = [at for at, text in enumerate(texts) if "sails" in text]
    assert markdown(page, kept, images=True, links=True).count("![") == stays


def test_an_image_in_a_heading_without_text_stands_for_itself() -> None:
    page = "<p>a<h2><img src=b.jpg></h2><p>c<h2><img src=d.jpg>e</h2><p>f"
    folder = "https://harbour.example/log"
    assert markdown(page, images=True) == f"a\n\n![]({folder}/b.jpg)\n\nc\n\n# ![]({folder}/d.jpg) e\n\nf"
