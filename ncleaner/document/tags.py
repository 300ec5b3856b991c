"""The meaning of each HTML tag for the dumper, and the names of the bits in the tables.

This module contains only data, which compiled code reads once at import.
`_tags.pxd` repeats some of the numbers for compiled code, and `_tags.check` compares the two at import.

Codes of tags and numbers of bits are used only inside a Document, and no model file contains them: features,
and the groups of tags that they use, are identified by name. The numbers must satisfy these conditions: h1 …
h6 have consecutive codes, a code is below 256, a context bit is below 32, and one bit beside the cues is free
for the blocks that are not shown (`_tables.pxd`). The numbers may change. A change of the meaning of a name
needs new models: another role of a tag changes the segments of a page, and another word in `CUE_WORDS`
changes a feature.
"""

from __future__ import annotations

# Roles: what the dumper does at a tag.
INLINE = 0  # text continues across the tag; the tag may set a context bit
BLOCK = 1  # the tag separates segments, and the element gets a row in the element table
LEFT_OUT = 2  # the element and everything inside it are left out
BREAK = 3  # <br>
IMAGE = 4  # <img>: its alternative text becomes text if the user asks for it
RULE = 5  # the tag separates segments, and the element has no content

# Forms of blocks: the kind of segment that begins in a block.
PLAIN, HEADING, ITEM, PREFORMATTED = range(4)

_INLINE = {
    "a": "link", "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "cite": "italic",
    "dfn": "italic", "var": "italic", "u": "underline", "ins": "underline", "s": "strike", "strike": "strike",
    "del": "strike", "code": "code", "kbd": "code", "samp": "code", "tt": "code", "small": "small",
    "big": "big", "font": "font", "sub": "sub", "sup": "sup", "q": "quote", "abbr": "abbr",
    "acronym": "abbr", "time": "time", "label": "label", "mark": "mark", "span": "span", "nobr": None,
    "bdi": None, "bdo": None, "data": None, "output": None, "ruby": None, "rb": None, "rt": None, "rtc": None,
    "wbr": None, "blink": None, "picture": None, "slot": None, "math": None, "basefont": None, "map": None,
    "head": None,
}  # fmt: skip
_BLOCK = (
    "html body div p section article main aside header footer nav hgroup address blockquote center form "
    "fieldset legend details summary dialog figure figcaption table caption tbody thead tfoot tr td th ul ol "
    "menu dir li dl dt dd h1 h2 h3 h4 h5 h6 pre listing xmp plaintext search noscript marquee multicol"
).split()
_LEFT_OUT = (
    "title script style template svg canvas iframe object embed applet audio video noframes noembed "
    "select option optgroup datalist textarea button input meter progress area rp param source track frame "
    "frameset"
).split()

# The code of a tag is its index here: 0 for unknown inline tags, 1 for unknown block tags (custom elements),
# and then the known tags.
TAGS: tuple[str, ...] = (
    "", "-", *_BLOCK, *_INLINE, *_LEFT_OUT, "br", "img", "image", "hr", "colgroup", "col",
)  # fmt: skip
CODE: dict[str, int] = {name: code for code, name in enumerate(TAGS)}

#: The codes of h1 to h6.
HEADINGS: tuple[int, ...] = tuple(CODE[f"h{level}"] for level in range(1, 7))

ROLE: dict[str, int] = {
    **dict.fromkeys(("", *_INLINE), INLINE),
    **dict.fromkeys(("-", *_BLOCK), BLOCK),
    **dict.fromkeys((*_LEFT_OUT, "colgroup", "col"), LEFT_OUT),
    **dict.fromkeys(("img", "image"), IMAGE),
    "br": BREAK,
    "hr": RULE,
}

FORM: dict[str, int] = {
    **{f"h{level}": HEADING for level in range(1, 7)},
    **dict.fromkeys(("li", "dt", "dd"), ITEM),
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), PREFORMATTED),
}

# Elements that have only one tag: the thirteen void elements of the HTML standard, and the five that the
# standard also serializes without an end tag (basefont, bgsound, frame, keygen, param). Only the name counts,
# also inside <svg> and <math>.
VOID: frozenset[str] = frozenset(
    "area base br col embed hr img input link meta source track wbr "
    "basefont bgsound frame keygen param".split()
)  # fmt: skip

# Sides of a joint: what stands at either side of a place where two pieces of text touch (`_spaces.pyx`).
TEXT = 0  # the text itself
FORMAT = 1  # an element that only formats text: a word may continue across it
SHIFTED = 2  # above or below the line
LINK = 3
OTHER = 4
_FORMAT = (
    "b strong i em u s strike del ins font big small code kbd samp tt var mark abbr acronym q cite dfn nobr "
    "bdi bdo wbr ruby rb rt rtc blink basefont math"
).split()
SIDE: dict[str, int] = {
    **dict.fromkeys(TAGS, OTHER),
    **dict.fromkeys(_FORMAT, FORMAT),
    "sup": SHIFTED,
    "sub": SHIFTED,
    "a": LINK,
}
# Elements without text of the page that the page shows in the line: words before and after them are apart.
OBJECTS: frozenset[str] = frozenset(
    "img image svg canvas iframe object embed applet audio video select textarea button input meter "
    "progress".split()
)

# Bits of `runs.context`: the inline elements around a run, and the alternative text of an image.
CONTEXT: tuple[str, ...] = (
    "link", "bold", "italic", "underline", "strike", "code", "small", "big", "font", "sub", "sup", "quote",
    "abbr", "time", "label", "mark", "span", "alt",
)  # fmt: skip
CONTEXT_BIT: dict[str, int] = {tag: CONTEXT.index(name) for tag, name in _INLINE.items() if name}

# The version of the hashes of words in class, id and role. It covers the definition of a word, the use of
# its first eight letters, the function `mix`, and the choice of bits. Structure models have weights for
# these hashes and record the version. Any change to the hashes needs a new version, and new training of the
# structure model and of the hybrids that contain their own. The hashes of styles are not covered: they are
# compared only with each other on one page, and no model contains them.
HASHES_VERSION = 1

# Bits of `elements.cues`: words in class, id and role that name the function of a block in the page.
CUE_WORDS: dict[str, str] = {
    "content": "content contents maincontent pagecontent",
    "article": "article story entry post posts blogpost hentry articlebody postbody newsitem",
    "text": "body text copy richtext prose paragraph wysiwyg description desc detail details",
    "main": "main primary page",
    "title": "title headline heading subtitle lead intro standfirst",
    "header": "header hdr masthead banner topbar top",
    "footer": "footer foot bottom colophon legal copyright impressum imprint disclaimer",
    "navigation": "nav navigation navbar menu menubar submenu breadcrumb breadcrumbs crumb pager pagination "
    "toolbar tabs tab sitemap skip skiplink toc",
    "sidebar": "sidebar side aside rail column secondary complementary widget widgets panel",
    "related": "related recommended recommendations similar more popular trending latest recent teaser "
    "teasers promo promotion featured",
    "advert": "ad ads advert advertisement sponsor sponsored adsense doubleclick dfp outbrain taboola",
    "comment": "comment comments disqus reply replies respond discussion commentlist",
    "forum": "thread topic message messages forum quote signature answer answers question questions review "
    "reviews",
    "share": "share sharing social socials twitter facebook tweet linkedin pinterest whatsapp addthis",
    "consent": "cookie cookies consent gdpr ccpa privacy cmp",
    "overlay": "modal popup overlay dialog lightbox alert toast notice notification dropdown tooltip",
    "form": "form login signin signup register search searchbox newsletter subscribe subscription contact "
    "contactinfo input",
    "byline": "author byline date time published meta metadata timestamp tag tags category categories info",
    "product": "product price cart basket shop checkout sku variant shipping buy stock",
    "list": "list item items card cards grid tile tiles row feed results result listing",
    "media": "gallery image img figure caption photo video player slideshow carousel slider thumbnail",
    "code": "code highlight syntax example snippet",
    "hidden": "hidden hide invisible offscreen noprint sr screen",
    "author": "author authors byline dateline writer posted published pubdate",
    "standfirst": "standfirst subtitle subhead subheading subheadline lead intro introduction dek deck sapo "
    "summary excerpt abstract",
    "caption": "caption captions figcaption credit credits",
}
CUES: tuple[str, ...] = tuple(CUE_WORDS)

# Headings above readers' comments, where no class says so; numbers and marks do not count: “Comments (25):”.
COMMENT_HEADINGS: tuple[str, ...] = tuple(
    heading.strip()
    for line in """
    comments | reader comments | readers comments | user comments | all comments | latest comments
    recent comments | newest comments | view comments | view all comments | read comments | show comments
    add comments | post comment
    your comments | have your say | add comment | add a comment | add your comment
    post a comment | post your comment | post your comments | post new comment | leave a comment
    leave comment | leave your comment | write a comment | submit a comment | comments on this article
    comments on this story | comments to this article | comments so far | comments posted | leave a reply
    please add comments | join the conversation | join the discussion
    kommentare | leserkommentare | alle kommentare | neueste kommentare | kommentare lesen
    kommentar schreiben | kommentar verfassen | kommentar hinzufügen | einen kommentar schreiben
    kommentare zu diesem artikel
    ihr kommentar | schreiben sie einen kommentar | schreibe einen kommentar | diskutieren sie mit
    commentaires | vos commentaires | tous les commentaires | laisser un commentaire | ajouter un commentaire
    les commentaires | commentaires des lecteurs | réagir à cet article | vos réactions
    comentarios | deja un comentario | dejar un comentario | comentarios de los lectores
    escribe un comentario | añadir comentario | deja una respuesta
    comentários | deixe um comentário | deixe o seu comentário | comentários dos leitores
    todos os comentários
    commenti | lascia un commento | i commenti dei lettori | commenti dei lettori | tutti i commenti
    reacties | alle reacties | plaats reactie | geef een reactie | laat een reactie achter
    kommentarer | alla kommentarer | läsarkommentarer | skriv en kommentar | skriv kommentar | lämna ett svar
    legg igjen en kommentar | læserkommentarer | kommentit | lukijoiden kommentit | kirjoita kommentti
    komentarze | komentarzy | dodaj komentarz | dodaj swój komentarz | wasze komentarze | wszystkie komentarze
    komentarze internautów | komentarze użytkowników
    komentáře | přidat komentář | komentáre | pridať komentár | hozzászólások | új hozzászólás
    comentarii | comentariile cititorilor | adaugă comentariu | adaugă un comentariu | lasă un comentariu
    комментарии | комментариев | комментария | добавить комментарий | оставить комментарий | ваш комментарий
    ваши комментарии | все комментарии | комментарии читателей | комментарии к статье | комментарии к новости
    коментарі | коментарів | додати коментар | залишити коментар | коментари | добави коментар
    σχόλια | προσθήκη σχολίου | σχόλια αναγνωστών | αφήστε σχόλιο | αφήστε ένα σχόλιο | τα σχόλιά σας
    προσθέστε σχόλιο | όλα τα σχόλια
    yorumlar | yorum yap | yorum yaz | yorum ekle | okuyucu yorumları | tüm yorumlar
    评论 | 網友評論 | 网友评论 | 最新评论 | 发表评论 | 發表評論 | 全部评论 | 热门评论 | 查看评论 | 评论列表
    評論 | 讀者評論 | 读者评论 | 相關評論 | 相关评论 | 网友留言 | 我要评论 | 我要評論
    コメント | コメント一覧 | コメントを書く | コメントする | コメントを残す | みんなのコメント
    読者のコメント
    댓글 | 전체 댓글 | 댓글 쓰기 | تعليقات | التعليقات | أضف تعليق | اترك تعليقا | תגובות | הוסף תגובה
    bình luận | ý kiến bạn đọc | gửi bình luận | tulis komentar | komentar pembaca
    """.strip().splitlines()
    for heading in line.split("|")
)


def bit_names(bits: int, names: tuple[str, ...]) -> list[str]:
    """Returns the names of the bits that are set in `bits`, for human readers."""
    return [name for position, name in enumerate(names) if bits >> position & 1]
