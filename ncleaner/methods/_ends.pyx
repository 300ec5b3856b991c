"""Rules of `hybrid` after the judgement: the first and last lines of the text.

Each takes segments from a mask: shape (segments,), bool, changed in place, in time linear in the page.

*Last headings.* A heading at the end, of which all text is removed, is that of what follows the text: “Related
stories”, “Share your thoughts”.
"""

from libc.stdint cimport uint8_t

from ncleaner.document._tables cimport HEADLINE, Tables, segment_t, tables_t
from ncleaner.document._tags cimport TAG_H2, TAG_H6
from ncleaner.methods._rules cimport ends_in_colon, is_link, kept_words, own_style
from ncleaner.text._ascii cimport begins, begins_any, fill_words, find_any, is_digit, words_t
from ncleaner.text._letters cimport is_white

cdef enum:
    # Most words of a heading at the end that is removed without its text, and most of such headings.
    HEADING_WORDS = 8
    LAST_HEADINGS = 2
    # Fewest links at the end of a text, most words of a copyright line there, and fewest words before them.
    LAST_LINKS = 3
    COPYRIGHT_WORDS = 30
    LAST_WORDS = 12
    RIGHTS_CHARS = 250
    CRUMBS_WORDS = 25
    WORDS_BEFORE = 30


cdef inline size_t _sign(const uint8_t* p, size_t size) noexcept nogil:
    """Returns the bytes of the copyright sign that a longer text begins with, © or (c); 0 for none."""
    return 2 if size > 2 and p[0] == 0xC2 and p[1] == 0xA9 else 3 if begins(p, size, b"(c)") else 0


cdef bint _is_copyright(const tables_t* t, const segment_t* s) noexcept nogil:
    cdef const uint8_t* p = <const uint8_t*> t.text + s.start
    cdef size_t size = s.end - s.start
    return s.words <= COPYRIGHT_WORDS and (_sign(p, size) or begins(p, size, b"copyright"))


def drop_last_links(Tables tables not None, mask not None):
    """Takes from a mask the links to other pages at its end, and the copyright lines among them.

    These are three links or more, seven of ten in one style, behind 30 words. They stay below a heading or a colon,
    which say what they are.

    Args:
        tables: of the page.
        mask: shape (segments,), bool, changed in place.

    Raises:
        ValueError: the mask does not fit the document.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const segment_t* s = tables.t.segments
    cdef const segment_t* link = NULL
    cdef Py_ssize_t last = kept.shape[0] - 1, i
    cdef int links = 0, alike = 0
    while last >= 0 and (not kept[last] or is_link(&s[last]) or _is_copyright(&tables.t, &s[last])):
        if kept[last] and is_link(&s[last]):
            link = &s[last]
            links += 1
        last -= 1
    if links < LAST_LINKS or last < 0 or s[last].kind == c'h':
        return
    if ends_in_colon(&tables.t, &s[last]):
        return
    for i in range(last + 1, kept.shape[0]):
        if kept[i] and is_link(&s[i]):
            alike += own_style(&tables.t, &s[i]) == own_style(&tables.t, link)
    if kept_words(s, &kept[0], 0, last + 1) >= WORDS_BEFORE and 10 * alike >= 7 * links:
        for i in range(last + 1, kept.shape[0]):
            kept[i] = False


# What stands between the parts of a breadcrumb: > / | › » →
cdef words_t CRUMBS
fill_words(&CRUMBS, (b" > ", b" / ", b" | ", b" \xE2\x80\xBA ", b" \xC2\xBB ", b" \xE2\x86\x92 "))


cdef bint _has_sign_and_year(const uint8_t* p, size_t size) noexcept nogil:
    """Returns whether a text begins like `© 2024` or `Copyright (c) 2024`."""
    cdef size_t at = 9 if begins(p, size, b"copyright") else 0, sign
    while at < size and is_white(p[at]):
        at += 1
    sign = _sign(p + at, size - at)
    if not sign:
        return False
    at += sign
    while at < size and is_white(p[at]):
        at += 1
    return (begins(p + at, size - at, b"19") or begins(p + at, size - at, b"20")) \
        and size - at >= 4 and is_digit(p[at + 2]) and is_digit(p[at + 3])


# What sites say at the end of a page, in small letters and in whatever sentence: "not the opinion of this site", "no
# reprint without permission", "all rights reserved", "for subscribers". In English, agencies say it in what gold texts
# keep.
cdef list _OF_RIGHTS = [text.encode() for text in (
    "不代表本网", "不代表本網", "不代表本站", "不代表本报", "不代表本報", "未经授权", "未經授權", "版权所有", "版權所有", "禁止转载",
    "不得转载", "不得轉載", "谢绝转载", "请勿转载", "文责自负", "文責自負", "书面授权", "書面授權", "版权均属", "版权归",
    "免责声明", "免責聲明", "無断転載", "転載を禁", "무단전재", "무단 전재", "재배포 금지",
    "lle rechte vorbehalten", "ous droits réservés", "odos los derechos reservados", "utti i diritti riservati",
    "odos os direitos reservados", "се права защищены", "szelkie prawa zastrzeżone",
    "会員限定の有料記事", "suite est réservée aux abonnés", "be the first to comment",
)]
cdef words_t OF_RIGHTS
fill_words(&OF_RIGHTS, tuple(_OF_RIGHTS))


# How lines about the site begin.
cdef const char** BEGINNINGS = [
    b"powered by ", b"all rights reserved", b"design by ", b"designed by ", b"filed under", b"posted in ", b"follow us",
    b"sign up ", b"subscribe ", b"click here", b"share this", b"rate this", b"back to home", b"back to top",
    b"we use cookies", NULL,
]


cdef bint _is_last_line(const tables_t* t, const segment_t* s) noexcept nogil:
    cdef const uint8_t* p = <const uint8_t*> t.text + s.start
    cdef size_t size = s.end - s.start
    if s.words <= LAST_WORDS and (_has_sign_and_year(p, size) or begins_any(p, size, BEGINNINGS)):
        return True
    return s.chars <= RIGHTS_CHARS and find_any(p, size, &OF_RIGHTS)


def drop_last_lines(Tables tables not None, mask not None):
    """Takes from a mask the lines at its end that are a copyright such as `© 2024 Name` or about the site (`Powered by
    …`), of up to twelve words, or a sentence about rights.

    Other text stays before them, so that the mask is never empty afterwards. Arguments and errors as `drop_last_links`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef Py_ssize_t last = kept.shape[0], i
    for i in range(kept.shape[0] - 1, -1, -1):
        if kept[i]:
            if last < kept.shape[0]:
                kept[last] = False
            if not _is_last_line(&tables.t, &tables.t.segments[i]):
                return
            last = i


def drop_breadcrumbs(Tables tables not None, mask not None):
    """Takes from a mask the lines before the headline that lead to the page: `Home > News > Title`, with links.

    Arguments and errors as `drop_last_links`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const segment_t* s = tables.t.segments
    cdef Py_ssize_t headline = 0, i
    while headline < kept.shape[0] and s[headline].zone != HEADLINE:
        headline += 1
    if headline == kept.shape[0]:
        return
    for i in range(headline):
        if kept[i] and s[i].words <= CRUMBS_WORDS and 5 * s[i].link_chars >= s[i].chars and find_any(
            <const uint8_t*> tables.t.text + s[i].start, s[i].end - s[i].start, &CRUMBS
        ):
            kept[i] = False


cdef bint _announces(const tables_t* t, const segment_t* s) noexcept nogil:
    """Returns whether a segment is a short heading, or a line that ends in a colon."""
    if s.words <= HEADING_WORDS and 0 <= s.element < t.n_elements \
            and TAG_H2 <= t.elements[s.element].tag <= TAG_H6:
        return True
    return s.words <= LAST_WORDS and ends_in_colon(t, s)


def drop_last_headings(Tables tables not None, mask not None):
    """Takes from a mask the headings at its end, h2 to h6 of up to eight words, and lines of up to twelve that end in a
    colon, if something after them is removed.

    More than two of them are the items of a list. Other kept text before them stays, so that the mask is never empty
    afterwards. Arguments and errors as `drop_last_links`.
    """
    cdef uint8_t[::1] kept = tables.kept(mask)
    cdef const tables_t* t = &tables.t
    cdef Py_ssize_t at = kept.shape[0] - 1
    cdef Py_ssize_t headings[LAST_HEADINGS + 1]
    cdef int n = 0, k
    while at >= 0 and not kept[at]:
        at -= 1
    if at == kept.shape[0] - 1:
        return
    while at >= 0 and n <= LAST_HEADINGS:
        if kept[at]:
            if not _announces(t, &t.segments[at]):
                break
            headings[n] = at
            n += 1
        at -= 1
    if 0 < n <= LAST_HEADINGS and at >= 0:
        for k in range(n):
            kept[headings[k]] = False
