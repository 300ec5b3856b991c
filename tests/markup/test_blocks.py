"""Each kind of block and of inline element, in Markdown and in HTML."""

from __future__ import annotations

import pytest

from .rendering import clean_html, markdown

BLOCKS = [
    # paragraphs, headings, rules
    ("<p>One.<p>Two.", "One.\n\nTwo."),
    ("<h1>A</h1><h6>B</h6>", "# A\n\n###### B"),
    ("<h2><div>A</div><div>B</div></h2>", "# A B"),
    ("<h2>A<br>B</h2>", "# A B"),
    ("<h2><b>A</b> <i>b</i></h2>", "# A *b*"),
    ("<p>One.<hr>Two.", "One.\n\n* * *\n\nTwo."),
    ("<hr>One.<hr><ul><li>a<hr>b</ul><hr>", "* * *\n\nOne.\n\n* * *\n\n- a\n\n  * * *\n\n  b\n\n* * *"),
    ("<hr>", ""),
    # what reaches farther is outside, so that it is one
    ("<p><b><i>A</i> b</b> and <i><b>c</b> d</i>", "***A* b** and ***c** d*"),
    ("<p>a <del><a href=/>b</a> <b>c</b></del>", "a ~~b **c**~~"),
    # line breaks: also where one ends a segment
    ("<p>one<br>two", "one\\\ntwo"),
    ("<p>The end.<br>A new line.<br><br>A paragraph.", "The end.\\\nA new line.\n\nA paragraph."),
    ("<ul><li>one<br>two</ul>", "- one\\\n  two"),
    # lists
    ("<ul><li>a<li>b</ul>", "- a\n- b"),
    ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
    ("<ol start=9><li>a<li>b<li value=20>c<li>d</ol>", "9. a\n10. b\n20. c\n21. d"),
    ("<ol start=-1><li>a</ol>", "0. a"),
    ("<ol reversed><li>a<li>b<li>c</ol>", "3. a\n2. b\n1. c"),
    (
        "<ol start=9 reversed><li>a<li value=4>b<li>c</ol><ol reversed start=2><li>d</ol>",
        "9. a\n4. b\n3. c\n2. d",
    ),
    ("<ol start=99999999999><li>a</ol>", "999999999. a"),
    ("<ul><li>a<ol><li>b</ol><li>c</ul>", "- a\n  1. b\n- c"),
    ("<ul><li>a<ol start=4><li>b</ol></ul>", "- a\n\n  4. b"),
    ("<ul><li>a<li>b</ul><ul><li>c<li>d</ul><ul><li>e<li>f</ul>", "- a\n- b\n\n* c\n* d\n\n- e\n- f"),
    ("<ol><li>a<li>b</ol><ol><li>c</ol>", "1. a\n2. b\n\n1) c"),
    # a list for each item
    ("<ul><li>a</ul><ul><li>b</ul> <ul><li>c<li>d</ul>", "- a\n- b\n- c\n- d"),
    ("<ul><li>a<li>b</ul><ul><li>c<p>d</ul><ul><li>e</ul>", "- a\n\n- b\n\n- c\n\n  d\n\n- e"),
    ("<ol><li>a<li>b</ol><ol start=3><li>c</ol><ol start=4><li>d</ol>", "1. a\n2. b\n3. c\n4. d"),
    ("<ul><li>a</ul><p></p><ol><li>b</ol><ul><li>c</ul>d<ul><li>e</ul>", "- a\n\n1. b\n\n- c\n\nd\n\n- e"),
    ("<ol><li>a</ol><ol><li>b</ol>", "1. a\n\n1) b"),
    ("<ul><li><p>a<p>b<li>c</ul>", "- a\n\n  b\n\n- c"),
    ("<ul><li>a<ul><li>b</ul></ul>", "- a\n  - b"),
    ("<ul><li>a</li><ul><li>b</ul></ul>", "- a\n  - b"),
    ("<ul><ul><li>b</ul></ul>", "- - b"),
    ("<ul>text<li>a</ul>", "- text\n- a"),
    ("<li>a<li>b", "- a\n- b"),
    ("<ul></ul><ol><li></ol>x", "x"),
    ("<ul><li><h3>A</h3><p>b</ul>", "- # A\n\n  b"),
    # quotations
    ("<blockquote><p>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"),
    ("<blockquote>a</blockquote><blockquote>b</blockquote>", "> a\n\n> b"),
    ("<blockquote><ul><li>a</ul></blockquote>", "> - a"),
    # headings without a tag of one
    (
        "<div role=heading aria-level=3>a</div><p role=heading>b<div role=row aria-level=2>c</div>",
        "## a\n\n# b\n\nc",
    ),
    (f"<div role=heading>{'a' * 121}</div>", "a" * 121),
    ("<ul><li role=heading aria-level=2>a</ul><p><span role=heading aria-level=2>b</span> c", "- a\n\nb c"),
    # callouts; their name is not written twice
    (
        "<div class='markdown-alert markdown-alert-note'><p class=markdown-alert-title>Note<p>a<p>b</div>",
        "> [!NOTE]\n> a\n>\n> b",
    ),
    ("<div class='admonition seealso'><p>See also:<p>a</div>c", "> [!SEEALSO]\n> a\n\nc"),
    (
        "<div class=callout data-callout=tip><div>Good to know</div><p>a</div>",
        "> [!TIP]\n> Good to know\n>\n> a",
    ),
    ("<div class='alert alert-danger'><h4>Danger</h4><ul><li>a</ul></div>", "> [!DANGER]\n>\n> - a"),
    ("<ul><li>a<div class='admonition warning'><p>Warning<p>b</div></ul>", "- a\n\n  > [!WARNING]\n  > b"),
    (
        "<div class='custom-block tip'><p>a</div><div class=tip><p>b</div><div class='alert x'><p>c</div>",
        "> [!TIP]\n> a\n\nb\n\nc",
    ),
    (
        "<table class='alert alert-info'><tr><th>a<th>b<tr><td>c<td>d</table>",
        "| a | b |\n| --- | --- |\n| c | d |",
    ),
    # Starlight, Confluence, Asciidoctor, Microsoft; a class that only begins so
    (
        "<aside class='starlight-aside starlight-aside--note'><p class=title>Note<p>a</aside>",
        "> [!NOTE]\n> a",
    ),
    ("<div class='confluence-information-macro confluence-information-macro-tip'>a</div>", "> [!TIP]\n> a"),
    (
        "<div class='admonitionblock tip'><table><tr><td class=icon><div>Tip</div><td>a</table></div>",
        "> [!TIP]\n> a",
    ),
    # mdBook, MDN
    (
        "<blockquote class='blockquote-tag blockquote-tag-tip'><p class=blockquote-tag-title>Tip<p>a</blockquote>",
        "> [!TIP]\n> a",
    ),
    ("<div class='notecard warning'><p><b>Warning:</b> a</div>", "> [!WARNING]\n> **Warning:** a"),
    ("<div class=NOTE><p>Note<p>a</div><div class=NOTES><p>b</div>", "> [!NOTE]\n> a\n\nb"),
    # the first row with text is the head
    (
        "<table><thead><tr><th><th><tbody><tr><td>a<td>b<tr><td>c<td>d</table>",
        "| a | b |\n| --- | --- |\n| c | d |",
    ),
    # tasks; other boxes belong to filters
    (
        "<ul><li><input type=checkbox disabled checked> a<li><p><input type=checkbox disabled>b</ul>",
        "- [x] a\n- [ ] b",
    ),
    ("<ul><li class=task-list-item><input type=checkbox>a<ul><li>b</ul></ul>", "- [ ] a\n  - b"),
    ("<ul><li><input type=checkbox>a<li>b<input type=checkbox disabled></ul>", "- a\n- b"),
    # preformatted text is one block, with its blank lines
    ("<pre>a\n\n\n  b\n</pre>", "```\na\n\n\n  b\n```"),
    ('<pre><code class="language-python">a</code></pre>', "```python\na\n```"),
    ('<div class="highlight-source-js"><div><pre>a</pre></div></div>', "```js\na\n```"),
    (
        "<div class=language-c><div><table><tr><td class=gutter>1<td class=code><pre>a</pre></table></div></div>",
        "```c\na\n```",
    ),
    (
        "<div class=highlight-c><div class=highlight><table><tr><td class=linenos><div><pre>1</pre></div>"
        "<td class=code><div><pre>a</pre></div></table></div></div>",
        "```c\na\n```",
    ),
    (
        '<figure class="highlight js"><pre>a</pre></figure><div class="highlight js"><pre>b</pre>',
        "```js\na\n```\n\n```\nb\n```",
    ),
    ('<pre class="src src-python">a</pre>', "```python\na\n```"),
    ("<listing class=language-c>a</listing>", "```c\na\n```"),
    ("<pre><div><div>a<code class=language-c>b</code></div></div></pre>", "```c\nab\n```"),
    ('<pre class="brush: cpp; gutter: true">a</pre>', "```cpp\na\n```"),
    ('<pre class="sourceCode haskell">a</pre>', "```haskell\na\n```"),
    ('<pre class="language-none">a</pre>', "```\na\n```"),
    (
        '<pre class="highlight ruby">a</pre><pre class="highlight dark">b</pre>',
        "```ruby\na\n```\n\n```\nb\n```",
    ),
    (
        '<div class="mw-highlight mw-highlight-lang-lua"><pre>a</pre></div><p class=python>b',
        "```lua\na\n```\n\nb",
    ),
    ('<pre class="sourceCode numberSource c numberLines">a</pre>', "```c\na\n```"),
    ('<pre data-lang="c++">a</pre>', "```c++\na\n```"),
    ('<pre class="mermaid">graph TD</pre>', "```mermaid\ngraph TD\n```"),
    # code that is a block by its class, and what is shown over a name in code
    ('<code class="lean block"><a href=x>#check</a> Nat</code>', "```lean\n#check Nat\n```"),
    ('<p>a <code class="block">b</code></p>', "a `b`"),
    ('<code>#check<span class="hover-info"><code>Nat : Type</code></span> Nat</code>', "`#check Nat`"),
    (
        "<pre><span class=twoslash-hover><span class=twoslash-popup-container><code>a: number</code>"
        "<div class=twoslash-popup-docs>The</div></span>a</span> = 1</pre>",
        "```\na = 1\n```",
    ),
    ('<p>b <span class="hover-info">c</span></p>', "b c"),
    ('<pre class="EnlighterJSRAW" data-enlighter-language="php">a</pre>', "```php\na\n```"),
    ('<pre data-syntaxhighlighter-params="brush: java; gutter: false">a</pre>', "```java\na\n```"),
    ('<div class="highlight hl-ipython3"><pre>a</pre></div>', "```ipython3\na\n```"),
    ('<pre class="gatsby-code-jsx"><code>a</code></pre>', "```jsx\na\n```"),
    ('<pre class="sp-cm sp-pristine sp-javascript">a</pre>', "```javascript\na\n```"),
    # what only names the language goes
    (
        '<div><p>PHP</p><pre class="language-php">a</pre></div><p>PHP<pre>b</pre>',
        "```php\na\n```\n\nPHP\n\n```\nb\n```",
    ),
    ('<h2>PHP</h2><pre class="language-php">a</pre>', "# PHP\n\n```php\na\n```"),
    # as Writerside has it; elsewhere it is the language of a text
    ('<div class="code-block" data-lang="http">GET /a\n\n  b</div>c', "```http\nGET /a\n\n  b\n```\n\nc"),
    ('<div class="code-block" data-lang="c"><p>a<p>b</div><div data-lang="en">c\nd</div>', "a\n\nb\n\nc d"),
    ("<pre class='language-a`b'>x</pre>", "```\nx\n```"),
    # <code> with lines, and code without <pre>
    ("<p><code>a<br>&nbsp; b</code>", "```\na\n  b\n```"),
    ("<div><code style='white-space: pre'>a\n  b</code></div>", "```\na\n  b\n```"),
    ("<p>a <code>b<br>c</code>", "a `b`\\\n`c`"),
    ("<p><a href=x><code style='white-space:pre-wrap'>a</code></a> b", "`a` b"),
    (
        "<table class=crayon-table><tr><td class=crayon-nums><div class=crayon-num>1</div><div class=crayon-num>2</div>"
        "<td><div class=crayon-pre><div class=crayon-line>a</div><div class=crayon-line>  b</div></div></table>",
        "```\na\n  b\n```",
    ),
    (
        "<table class=js-file-line-container><tr><td class=blob-num><td class=blob-code>a"
        "<tr><td class=blob-num><td class=blob-code>  b</table>",
        "```\na\n  b\n```",
    ),
    (
        "<div class=CodeMirror-code><div><div class=CodeMirror-linenumber>1</div><pre class=CodeMirror-line>a</pre></div>"
        "<div><div class=CodeMirror-linenumber>2</div><pre class=CodeMirror-line>  b</pre></div></div>",
        "```\na\n  b\n```",
    ),
    # the lines of Doxygen, and of editors; other blocks of these names
    (
        "<div class=fragment><div class=line><span class=lineno>1</span>a</div>"
        "<div class=line><span class=lineno>2</span>  b</div></div>",
        "```\na\n  b\n```",
    ),
    (
        "<div class=cm-gutters><div class=cm-gutterElement>1</div></div><div class='cm-content x' data-language=c>"
        "<div class=cm-line>a</div><div class='cm-line y'>  b</div></div>",
        "```c\na\n  b\n```",
    ),
    ("<div class=fragment><p>a\n b</div><div class=cm-content><div>c\n d</div></div>", "a b\n\nc d"),
    (
        "<div class='syntaxhighlighter  python'><table><tr><td class=gutter><div>1</div><td class=code><div>"
        "<div><code>&nbsp;&nbsp;</code><code>a</code></div><div><code>b</code></div></div></table></div>",
        "```python\n  a\nb\n```",
    ),
    # rows and blocks without text are empty lines, but not those of numbers
    (
        "<pre><div>a</div><div>&nbsp;</div><div><i></i></div><div>b</div><div>c</div></pre>",
        "```\na\n\n\nb\nc\n```",
    ),
    (
        "<table class=js-file-line-container><tr><td class=blob-num><td>a<tr><td class=blob-num><td>"
        "<tr><td class=blob-num><div></div><td>\n<tr><td class=blob-num><td>b</table>",
        "```\na\n\n\nb\n```",
    ),
    (
        "<div class=CodeMirror-code><div><pre>a</pre></div><div><pre><span>&#8203;</span></pre></div>"
        "<div><pre>b</pre></div></div>",
        "```\na\n\nb\n```",
    ),
    # a label in <pre> before the code
    (
        "<pre><div><div>python</div><div><button>Copy</button></div><div><code class=language-py>a</code></div></div></pre>",
        "```py\na\n```",
    ),
    ("<pre><div>$ ls</div><div>a</div></pre>", "```\n$ ls\na\n```"),
    ("<div><pre>a</pre><div class=gist-meta><a href=x>view raw</a> hosted</div></div>", "```\na\n```"),
    # lines that only their style ends
    (
        "<pre>a\n<span class=gatsby-highlight-code-line>  b</span><span class=x-line>c</span><span class=line></span><i>d</i>\ne</pre>",
        "```\na\n  b\nc\n\nd\ne\n```",
    ),
    (
        "<pre><span class=line>a</span>\n<span class=line>b<br></span><span class='x line'>c</span><br>d</pre>",
        "```\na\nb\nc\nd\n```",
    ),
    ("<pre><span class=line>a\n</span><span class=underline>b</span> c</pre>", "```\na\nb c\n```"),
    ("<pre>a</pre><div class=line-numbers-wrapper><span>1</span><br><span>2</span></div>", "```\na\n```"),
    ("<div class=input_prompt>In [1]:</div><pre>a</pre><div class=prompt>b</div>", "```\na\n```\n\nb"),
    ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
    ("<pre><b>a</b> <a href=x>b</a></pre>", "```\na b\n```"),
    ("<ul><li><pre>a\nb</pre></ul>", "- ```\n  a\n  b\n  ```"),
    ("<table><tr><td><pre>1\n3</pre><td><pre>a\nb</pre></table>", "```\n1\n3\n```\n\n```\na\nb\n```"),
    # definition lists
    ("<dl><dt>A<dd>b<dd>c</dl>", "A\n: b\n\n: c"),
    ("<dl><dt>A<dd><p>b<p>c<dt>D<dd>e</dl>", "A\n: b\n\n  c\n\nD\n: e"),
    ("<dl><dd>b<dt>A</dl>", "b\n\nA"),
    ("<dl><div><dt>A<br>B</dt><dd>c</dd></div></dl>", "A B\n: c"),
]


@pytest.mark.parametrize(("html", "expected"), BLOCKS)
def test_blocks(html: str, expected: str) -> None:
    assert markdown(html) == expected


INLINES = [
    ("a <b>b</b> <strong>c</strong> d", "a **b c** d"),
    # what an inline style says counts for more than the element; that of a block is left to style sheets
    ("a <span style='font-weight: bold'>b</span> <span style='FONT-STYLE:italic'>c</span>", "a **b** *c*"),
    (
        "<b style='font-weight:normal'>a <span style='font-weight:700'>b <i>c</i></span> <b>d</b></b>",
        "a **b *c* d**",
    ),
    ("<i>a <span style='font-style:normal'>b</span></i> <em style='color:red'>c</em>", "*a* b *c*"),
    ("<span style='font-weight:400'>a <b>b</b></span> <b>c</b>", "a **b c**"),
    (
        "<span style='font-weight:599'>a</span> <span style='font-weight:600'>b</span> <span style='font-weight:x'>c</span>",
        "a **b** c",
    ),
    ("<p style='font-weight:bold'>a", "a"),
    ("a <i>b</i><em>c</em> d", "a *bc* d"),
    ("<b><i>a</i></b> <i>b <b>c</b></i>", "***a** b **c***"),
    ("a <del>b</del> <s>c</s>", "a ~~b c~~"),
    ("a<b>(b)</b>c", "a<strong>(b)</strong>c"),
    # images of characters
    ("a <img class=emoji src=b alt=🙂> c<img class='x wp-smiley' src=b alt=':-)'>", "a 🙂 c:-)"),
    ("a <img class=emoji src=b alt=Like> <img src=b alt='!'>", "a"),
    ("a<b>b</b>c", "a**b**c"),
    ("<i>a</i><b>b</b>", "*a*<strong>b</strong>"),
    ("<i>a<b>b</b></i>", "*a<strong>b</strong>*"),
    ("中<b>文。</b>字", "中<strong>文。</strong>字"),
    ("x<sup>2</sup> H<sub>2</sub>O", "x<sup>2</sup> H<sub>2</sub>O"),
    ("<code>a</code> <kbd>b</kbd>", "`a` `b`"),
    ("<code><span>a</span> <b>b</b></code>", "`a b`"),
    ("<code>a</code><code>b</code>", "`a` `b`"),
    # code in code is a part of it, and so is what is emphasised in it
    ("<code><b>a</b> <code>b</code> | <code><i>c</i></code>;</code>", "`a b | c;`"),
    ("<code><b>a</b></code> <b><code>b <i>c</i></code></b> <code>d</code>", "**`a` `b c`** `d`"),
    ("<code>a`b</code> c <tt>`</tt>", "``a`b`` c `` ` ``"),
    ("a <b>b </b>c <b> d</b>", "a **b** c **d**"),
    ("<b><code>a|b</code></b>", "**`a|b`**"),
    ("<u>a</u> <mark>b</mark> <q>c</q> <small>d</small>", "a b c d"),
]


@pytest.mark.parametrize(("html", "expected"), INLINES)
def test_inline_elements(html: str, expected: str) -> None:
    assert markdown(f"<p>{html}") == expected


LINKS = [
    ('<p><a href="b.html">a <b>b</b></a>', "[a **b**](https://harbour.example/log/b.html)"),
    ('<p><b>x <a href="/b">y</a></b>', "**x [y](https://harbour.example/b)**"),
    ('<base href="https://o.example/d/"><p><a href="b">a</a>', "[a](https://o.example/d/b)"),
    ('<p><a href="b">a</a><a href="c">b</a>', "[a](https://harbour.example/log/b) [b](https://harbour.example/log/c)"),
    ('<p><a href="b (c) d">a]</a>', "[a\\]](https://harbour.example/log/b%20(c)%20d)"),
    ('<p><a href="b)(c">a</a>', "[a](https://harbour.example/log/b\\)\\(c)"),
    ('<p><a href="b((c))">a</a>', "[a](https://harbour.example/log/b\\(\\(c\\)\\))"),
    # an exclamation mark before a link would make an image of it
    ('<p>So it is!<a href="b">a!</a> Sail!', "So it is\\![a!](https://harbour.example/log/b) Sail!"),
    ('<p><a href="#top">a</a> <a href="">b</a> <a>c</a>', "a b c"),
    ('<p><a href="mailto:a@b.example">a</a>', "[a](mailto:a@b.example)"),
    ('<a href="b"><h2>A</h2><p>c</a>', "# [A](https://harbour.example/log/b)\n\n[c](https://harbour.example/log/b)"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), LINKS)
def test_links(html: str, expected: str) -> None:
    assert markdown(html, links=True) == expected
    assert "](" not in markdown(html).replace("\\]", "")


def test_what_reaches_farther_is_outside_of_a_link() -> None:
    page = "<p><b><a href=/a>A</a> b</b> and <a href=/c><b>c</b> d</a>"
    assert markdown(page, links=True) == (
        "**[A](https://harbour.example/a) b** and [**c** d](https://harbour.example/c)"
    )


def test_a_page_that_is_kept_whole_has_all_of_its_images_and_rules() -> None:
    page = "<p>a</p><hr><footer><p>c</p><img src=i.png alt=b><hr></footer>"
    image = "![b](https://harbour.example/log/i.png)"
    assert markdown(page, images=True) == f"a\n\n* * *\n\nc\n\n{image}\n\n* * *"
    assert markdown(page, [0], images=True) == "a"
    assert markdown("<img src=i.png alt=b><hr>", images=True) == image


IMAGES = [
    ('<p>a <img src="i.png" alt="An  [i]"> b', "a ![An \\[i\\]](https://harbour.example/log/i.png) b"),
    ('<p>a</p><img src="i.png" data-src="j.png"><p>b</p>', "a\n\n![](https://harbour.example/log/j.png)\n\nb"),
    ('<figure><img src="i.png"><figcaption>A view.</figcaption></figure>',
     "![](https://harbour.example/log/i.png)\n\nA view."),
    ('<p>a</p><img src="data:image/gif;base64,AA"><p>b</p>', "a\n\nb"),
    ('<ul><li>a <img src="i.png"><li>b</ul>', "- a\n\n  ![](https://harbour.example/log/i.png)\n\n- b"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), IMAGES)
def test_images(html: str, expected: str) -> None:
    assert markdown(html, images=True) == expected
    assert "![" not in markdown(html)


def test_alternative_texts_are_not_written_twice() -> None:
    from ncleaner.dumping.html import dump_html
    from ncleaner.markup import MarkupOptions
    from ncleaner.markup.render import markdown_of

    from .rendering import kept_of

    document = dump_html('<p>a <img src="http://x.example/i.png" alt="view"> b', alt_text=True, marks=True)
    assert markdown_of(document, kept_of(document)).decode() == "a view b"
    text = markdown_of(document, kept_of(document), MarkupOptions(images=True)).decode()
    assert text == "a ![view](http://x.example/i.png) b"


TEX = "<span class='katex'><math{}><semantics><mi>x</mi><annotation encoding='application/x-tex'>{}</annotation></semantics></math></span>"
FORMULAS = [
    ("<p>a " + TEX.format("", "x^2_i") + " b", "a $x^2_i$ b"),
    ("<p>" + TEX.format(" display=block", "a * b"), "$$a * b$$"),
    ("<p><span class='katex-display'>" + TEX.format("", "a") + "</span>", "$$a$$"),
    ("<p>" + TEX.format("", "a") + TEX.format("", "b"), "$a$ $b$"),
    ("<p>" + TEX.format("", "a$b") + " costs $5", "a\\$b costs \\$5"),
    ("<p>" + TEX.format("", "a\\"), "a\\\\"),
    ("<p>" + TEX.format("", "a") + "5", "a5"),
    ("<p>" + TEX.format("", "a&lt;b"), "$a< b$"),
    ("<p><math><mi>a</mi><mo>=</mo><msqrt><mi>b</mi></msqrt></math>", "$a = \\sqrt{b}$"),
    ("<p>a<math display=block><mtext> </mtext></math> b", "a b"),
    ("<p><mjx-container display=true><mjx-math><mjx-mfrac><mjx-num><mjx-mi><mjx-c>a</mjx-c></mjx-mi></mjx-num><mjx-dbox>"
     "<mjx-den><mjx-mn><mjx-c>2</mjx-c></mjx-mn></mjx-den></mjx-dbox></mjx-mfrac></mjx-math></mjx-container>",
     "$$\\frac{a}{2}$$"),
    ("<p>\\(a_1\\) $5 \\(b\\)", "$a_1$ $5 $b$"),
    # a regular expression
    ("<p>\\(and\\) $$100$$", "\\\\(and\\\\) $$100$$"),
    ("<p>\\begin{equation*} a \\end{equation*}\\begin{align}b &= c\\end{align}",
     "$$a$$$$\\begin{aligned}b &= c\\end{aligned}$$"),
    ("<p>\\begin{cases}a\\end{cases} \\begin{theorem}a\\end{theorem} \\begin{align}b",
     "$$\\begin{cases}a\\end{cases}$$ \\begin{theorem}a\\end{theorem} \\begin{align}b"),
    # without delimiters: of Pandoc, remark, Discourse; a text about mathematics
    ("<p>a <span class='math inline'>b_1</span><p><span class='math display'>c</span>", "a $b_1$\n\n$$c$$"),
    ("<p>a <code class='language-math math-inline'>b</code> <span class=math>\\pi</span>", "a $b$ $\\pi$"),
    ("<pre><code class='language-math math-display'>a\nb</code></pre><p class=math>c_d", "$$\na\nb\n$$\n\nc_d"),
    ("<script type='math/tex; mode=display'>% <![CDATA[\na<b %]]></script>", "$$a< b$$"),
    # images: alone in a paragraph, by a class, by the title
    ("<p><img src='/latex.php?latex=a' alt='a^2'><p>b <img class=math src=x alt='c^2'>", "$$a^2$$\n\nb $c^2$"),
    ("<p>b <img src='https://latex.codecogs.com/svg.image?c' title='c^2'>", "b $c^2$"),
    ("<p>a <span class=math>\\(b=1\\)</span> <math-renderer class=js-inline-math>$c$</math-renderer> <i class=math>d</i>", "a $b=1$ $c$ *d*"),
    ("<span class='math display'>\\[a=b\\]</span>", "$$a=b$$"),
    ("<p><b data-tex='a^2'>a2</b> <b data-tex=yes>c</b><div data-latex='b_1'>b1</div>", "$a^2$ **c**\n\n$$b_1$$"),
    ("<p>so <img src='//x.example/equation?tex=a' alt='a^2'> <img src=/i.png alt='b_2'> c", "so $a^2$ c"),
    ("<script src=MathJax.js></script><p>\\(a_1\\) \\[b\\] $$c$$ $d$ \\(e", "$a_1$ $$b$$ $$c$$ \\$d\\$ \\\\(e"),
    ("<script>MathJax = {tex: {inlineMath: [['$', '$']]}}</script><p>$a_1$ and $5", "$a_1$ and \\$5"),
    ("<script type='math/tex; mode=display'>a</script>", "$$a$$"),
    ("<table><tr><th>A<th>B<tr><td>" + TEX.format("", "|a|") + "<td>b</table>",
     "| A | B |\n| --- | --- |\n| $\\vert a\\vert$ | b |"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), FORMULAS)
def test_formulas(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_html() -> None:
    html = (
        "<div class=x onclick=y><h2 id=a>A <script>b</script></h2><p style=c>D <b>e</b> &lt;f&gt; &amp; "
        "<u>g</u> <mark>h</mark> <q>i</q><br>j</p><ol start=3><li>k<li value=7>l</ol>"
        "<pre class=lang-c>m &lt;\n\n\nn</pre><dl><dt>o<dd>p</dl><blockquote>q</blockquote>"
    )
    assert clean_html(html) == (
        "<h1>A</h1>\n"
        "<p>D <strong>e</strong> &lt;f&gt; &amp; <u>g</u> <mark>h</mark> <q>i</q><br>\nj</p>\n"
        '<ol start="3">\n<li>k</li>\n<li value="7">l</li>\n</ol>\n'
        '<pre><code class="language-c">m &lt;\n\n\nn</code></pre>\n'
        "<dl>\n<dt>o</dt>\n<dd>p</dd>\n</dl>\n"
        "<blockquote>\n<p>q</p>\n</blockquote>\n"
    )


def test_html_has_links_and_images() -> None:
    html = (
        "<p><a href='b\"c' onclick=x>d</a> <img src=e.png alt='\"<f>' width=3> g <a href='javascript:h'>i</a>"
    )
    assert clean_html(html, links=True, images=True) == (
        '<p><a href="https://harbour.example/log/b%22c">d</a> '
        '<img src="https://harbour.example/log/e.png" alt="&quot;&lt;f&gt;"> g i</p>\n'
    )


def test_what_is_not_kept_leaves_nothing_behind() -> None:
    html = "<h2>A</h2><ul><li>b<li>c</ul><blockquote>d</blockquote><ol><li>e<li>f<li>g</ol><pre>h\n\ni\n\nj</pre>"
    assert markdown(html, []) == ""
    assert markdown(html, [2]) == "- c"
    assert markdown(html, [4, 6]) == "1. e\n3. g"
    assert markdown(html, [0, 3]) == "# A\n\n> d"
    assert markdown(html, [7, 9]) == "```\nh\n\nj\n```"
    assert clean_html(html, []) == ""
    assert clean_html(html, [6]) == '<ol start="3">\n<li>g</li>\n</ol>\n'


def test_headings_carry_no_sign_that_links_to_themselves() -> None:
    assert markdown("<h2 id=a>A<a href='#a'>§</a></h2><p>b <a href='#a'>§</a>") == "# A\n\nb §"


def test_callouts_and_tasks_as_html() -> None:
    page = (
        "<div class='admonition note'><p>Note<p>a</div><ul><li><input type=checkbox disabled checked>b</ul>"
    )
    assert clean_html(page) == "<blockquote>\n<p>Note</p>\n<p>a</p>\n</blockquote>\n<ul>\n<li>b</li>\n</ul>\n"


def test_a_headline_without_a_tag_of_one() -> None:
    page = (
        "<title>Ferry late again | The Gazette</title><div>Ferry late again</div>" + 3 * f"<p>{'word ' * 40}."
    )
    assert markdown(page).startswith("# Ferry late again\n\nword")
    assert clean_html(page).startswith("<h1>Ferry late again</h1>\n<p>word")
    for title, line in (("The Gazette", "Ferry late again"), ("The ferry sails.", "The ferry sails.")):
        assert markdown(page.replace("Ferry late again |", title).replace("Ferry late again", line))[0] != "#"


@pytest.mark.parametrize(
    ("html", "keep", "expected"),
    [
        ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", [1, 2, 3], "- b\n- c\n- d"),
        ("<ol><li>a<ol><li>b<ol><li>c</ol></ol><li>d</ol>", [0, 2], "1. a\n   1. c"),
        ("<ul><li>a<ul><li>b</ul><p>c</ul>", [1, 2], "- b\n\n  c"),
        # not a list of another kind, and not where the page has no text either
        ("<ul><li>a<ol><li>b</ol></ul>", [1], "- 1. b"),
        ("<ul><li><ul><li>a</ul><li>b</ul>", [0, 1], "- - a\n- b"),
    ],
)
def test_items_take_the_place_of_the_removed_text_around_them(
    html: str, keep: list[int], expected: str
) -> None:
    assert markdown(html, keep) == expected


@pytest.mark.parametrize(
    ("html", "keep", "expected"),
    [
        ("<dl><dt>A<dd>b<dt>C<dd>d<dd>e<dt>F<dd>g</dl>", [0, 1, 3, 4, 5, 6], "A\n: b\n\nd\n\ne\n\nF\n: g"),
        ("<dl><dt>A<dd>b<dt>C<dd>d</dl>", [0, 3], "A\n\nd"),
        ("<dl><div><dt>A</dt><dd>b</dd></div><div><dt>C</dt><dd>d</dd></div></dl>", [0, 1, 3], "A\n: b\n\nd"),
        # one of two terms, and a list in a definition
        ("<dl><dt>A<dt>B<dd>c</dl>", [0, 2], "A\n: c"),
        ("<dl><dt>A<dd>b<dl><dt>C<dd>d</dl><dd>e</dl>", [0, 1, 3, 4], "A\n: b\n\n  d\n\n: e"),
    ],
)
def test_a_definition_without_its_term_is_none_of_another(html: str, keep: list[int], expected: str) -> None:
    assert markdown(html, keep) == expected


@pytest.mark.parametrize(
    ("html", "text"),
    [
        # the highest level of the headings is the first one
        ("<h3>A</h3><h5>B</h5><h4>C", "# A\n\n### B\n\n## C"),
        ("<h4>A</h4><h1>B", "#### A\n\n# B"),
        # what a quotation is from is its last line
        ("<figure><blockquote><p>a</blockquote><figcaption>b</figcaption></figure>c", "> a\n>\n> b\n\nc"),
        ("<blockquote><p>a</blockquote><figcaption>b</figcaption>", "> a\n>\n> b"),
        ("<figure><figcaption>b</figcaption><blockquote><p>a</blockquote></figure>", "b\n\n> a"),
        # the first row of a table of keys and values is no head
        (
            "<table><tr><td><b>a</b><td>1<tr><td><b>b</b><td>2</table>",
            "| | |\n| --- | --- |\n| **a** | 1 |\n| **b** | 2 |",
        ),
        ("<table><tr><th>a<td>1<tr><th>b<td>2</table>", "| | |\n| --- | --- |\n| a | 1 |\n| b | 2 |"),
        (
            "<table><tr><td><b>a</b><td><b>1</b><tr><td>b<td>2</table>",
            "| **a** | **1** |\n| --- | --- |\n| b | 2 |",
        ),
    ],
)
def test_heads_and_sources(html: str, text: str) -> None:
    assert markdown(html) == text
