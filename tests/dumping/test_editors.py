"""What editors and exports write in place of the elements of HTML."""

from __future__ import annotations

import pytest

from ncleaner.dumping.html import dump_html
from tests.markup.rendering import markdown


def of_word(text: str, mark: str, level: int = 1) -> str:
    """An item as Word saves it."""
    return (
        f"<p class=MsoListParagraph style='margin-left:36.0pt;mso-list:l0 level{level} lfo1'><![if !supportLists]>"
        f"<span style='font-family:Symbol'><span style='mso-list:Ignore'>{mark}<span style='font:7.0pt'>&nbsp;&nbsp; "
        f"</span></span></span><![endif]>{text}<o:p></o:p></p>"
    )


def of_docs(level: int, *items: str, tag: str = "ul") -> str:
    """A list as Google Docs exports it: all levels beside each other."""
    return f"<{tag} class='c5 lst-kix_a9-{level}'>{''.join(f'<li>{item}</li>' for item in items)}</{tag}>"


def of_feishu(kind: str, text: str) -> str:
    """A block of Feishu."""
    return f"<div data-block-type={kind} class=block><div class={kind}-block-content>{text}</div></div>"


def of_notion(kind: str, text: str) -> str:
    """A block of a page of Notion."""
    return f"<div class='notion-selectable notion-{kind}-block'><div>{text}</div></div>"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        (
            of_word("a", "·") + of_word("b", "o", 2) + of_word("c", "o", 2) + of_word("d", "·"),
            "- a\n  - b\n  - c\n- d",
        ),
        (
            of_word("a", "1.") + of_word("b", "2.") + "<p class=MsoNormal>x" + of_word("c", "3."),
            "1. a\n2. b\n\nx\n\n3. c",
        ),
        ("<p class=other style='mso-list:l0 level1 lfo1'>a", "a"),
        (
            of_docs(0, "a") + of_docs(1, "b", "c") + of_docs(2, "d") + of_docs(0, "e", "f"),
            "- a\n  - b\n  - c\n    - d\n- e\n- f",
        ),
        (of_docs(0, "a", tag="ol") + of_docs(1, "b"), "1. a\n   - b"),
        (
            of_feishu("heading2", "a")
            + of_feishu(
                "bullet",
                "<div class=dot>•</div><div>b</div>" + of_feishu("bullet", "<div>◦</div><div>c</div>"),
            )
            + of_feishu("ordered", "<div>3.</div><div>d</div>"),
            "# a\n\n- b\n  - c\n\n3. d",
        ),
        (of_feishu("code", "<div>a:</div><div>  b</div>") + of_feishu("text", "c"), "```\na:\n  b\n```\n\nc"),
        (of_feishu("quote_container", of_feishu("text", "a")), "> a"),
        (
            of_notion("sub_header", "a") + of_notion("bulleted_list", "b") + of_notion("text", "c"),
            "# a\n\n- b\n\nc",
        ),
        # numbers that are only in the style sheet, or letters
        (
            of_notion("bulleted_list", "a") + of_notion("numbered_list", "b") * 2 + of_notion("callout", "c"),
            "- a\n\n1. b\n2. b\n\n> c",
        ),
        (of_word("a", "1.") + of_word("b", "a)", 2) + of_word("c", "iv.", 2), "1. a\n   1. b\n   2. c"),
        ("<p class=MsoTitle>a<p class=MsoQuote>b<p class=MsoNormal>c", "# a\n\n> b\n\nc"),
        ("<ol><li><span class='ltx_tag ltx_tag_item'>(i)</span><div>a</div><li>b</ol>", "1. a\n2. b"),
        # boxes of tasks
        (
            of_notion("to_do", "<input type=checkbox checked></div><div>a")
            + of_feishu("todo", "<p class=box><input type=checkbox></p>b"),
            "- [x] a\n- [ ] b",
        ),
        ("<ul><li><span class=dot>•</span> a<li><b>2.</b> b<li>·</ul>", "- a\n- **2\\.** b\n- ·"),
        (
            "<div class=code><script type=syntaxhighlighter class='brush: java; gutter: false'><![CDATA[a <b> c\n\nd]]></script>",
            "```java\na <b> c\n\nd\n```",
        ),
        ("a<script type=syntaxhighlighter></script><script>b</script>", "a"),
        (
            "<div class='ltx_listing ltx_lstlisting'><div class=ltx_listing_data><a href=data:x>x</a></div>"
            "<div class=ltx_listingline>a:</div><div class=ltx_listingline>  b</div></div>",
            "```\na:\n  b\n```",
        ),
    ],
)
def test_markdown(html: str, text: str) -> None:
    assert markdown(html) == text


def test_styles_of_classes_in_google_docs() -> None:
    sheet = "<style>ol{margin:0;padding:0}.c1{font-weight:700}.c2{color:#000;font-weight:400;font-style:normal}.c30{font-style:italic}</style>"
    text = (
        '<p>a <span class="c2 c1">b</span> <span class="c30">c</span> <span class="c2 c9">d</span> <b>e</b>'
    )
    assert markdown(f"{sheet}{text}") == "a **b** *c* d **e**"
    assert markdown(f"{sheet.replace('ol{', 'ul{')}{text}") == "a b c d **e**"


def test_the_code_of_a_script_is_there_in_each_kind_of_dump() -> None:
    html = "<p>a</p><script type=syntaxhighlighter><![CDATA[b]]></script>"
    assert dump_html(html).texts == dump_html(html, facts=True, marks=True).texts == ["a", "b"]


def test_levels_that_are_missing_are_no_levels() -> None:
    deep = "".join(of_word(str(level), "·", level) for level in (9, 1, 9, 9))
    assert markdown(deep) == "- 9\n- 1\n  - 9\n  - 9"
    assert markdown(of_word("x", "·", 9) * 50).count("- x") == 50
