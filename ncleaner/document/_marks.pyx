"""Notes the marks of a page, and reads the words of class, id and role: which attributes say what.

The walk gives attributes as written; all rules about them are here.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy, memset, strlen

from ncleaner.document._hashes cimport hash_bytes, mix
from ncleaner.document._tables cimport CACHED_STYLES, CONCEALED, MAX_NAMES, SPECIAL, grow, mark_t
from ncleaner.document._tags cimport (
    TAG_A, TAG_CODE, TAG_FIGURE, TAG_LI, TAG_OL, TAG_PLAINTEXT, TAG_PRE, TAG_TABLE, TAG_TD, TAG_TH,
)
from ncleaner.text._ascii cimport begins, begins_any, fill_words, find, find_any, holds, is_digit, is_letter, words_t
from ncleaner.text._letters cimport is_white

from ncleaner.document import tags as _tags

# The version of the hashes of words in class, id and role. It covers the definition of a word, the use of its first
# eight letters, the function `mix`, and the choice of bits. Structure models have weights for these hashes and record
# the version. Any change to the hashes needs a new version, and new training of the structure model and of the
# hybrids that contain their own structure model. The hashes of styles are not covered: they are compared only with
# each other on one page, and no model contains them.
HASHES_VERSION = 1

cdef enum:
    LONGEST = 4_000          # bytes of a text; a longer one is left out
    LONGEST_ID = 200
    LONGEST_LANGUAGE = 24
    MOST_SPAN = 65_534       # as in the HTML standard
    LANGUAGE_PREFIXES = 12
    OF_CODE = 9              # the first of them that only <pre> and <code> may have
    NO_LANGUAGES = 17
    SCRIPT = 8_000           # bytes of a script that are looked at
    LONGEST_SET = 16_000     # bytes of a `srcset`
    DOT = 2                  # pixels of an image that only counts readers
    ICON = 32

# What stands before the name of a language in a class. After `brush:`, `sourceCode` and `hljs` it may be the next name.
cdef const char** PREFIXES = [
    b"language-", b"lang-", b"highlight-source-", b"highlight-text-", b"highlight-", b"brush:", b"lang:",
    b"mw-highlight-lang-", b"hl-", b"code-", b"src-", b"gatsby-code-",
]
cdef const char** NAMED_NEXT = [b"brush:", b"sourceCode", b"hljs", b"highlight"]
# What stands there without being a language.
cdef const char** NONE = [
    b"none", b"plain", b"plaintext", b"text", b"default", b"auto", b"undefined", b"null", b"block", b"wrapper",
    b"container", b"toolbar", b"inline", b"box", b"nohighlight", b"numbersource", b"numberlines",
]
# Languages that a class of code has without anything before them.
cdef const char** LANGUAGES = [
    b"bash", b"c", b"clojure", b"cpp", b"csharp", b"css", b"dart", b"diff", b"dockerfile", b"elixir", b"erlang", b"go",
    b"groovy", b"haskell", b"html", b"ini", b"java", b"javascript", b"js", b"json", b"julia", b"kotlin", b"lean",
    b"lua", b"makefile", b"math", b"matlab", b"mermaid", b"objectivec", b"perl", b"php", b"powershell", b"python",
    b"r", b"ruby", b"rust", b"scala", b"scss", b"shell", b"sql", b"swift", b"toml", b"ts", b"typescript", b"xml",
    b"yaml", NULL,
]

# Kinds of callouts; names before them in a class, and names of a class that has one of them as another name.
cdef const char** CALLOUTS = [
    b"note", b"info", b"tip", b"hint", b"important", b"warning", b"caution", b"danger", b"error", b"success",
    b"question", b"example", b"abstract", b"todo", b"bug", b"failure", b"attention", b"seealso", NULL,
]
cdef const char** CALLOUT_PREFIXES = [
    b"markdown-alert-", b"theme-admonition-", b"starlight-aside--", b"confluence-information-macro-", b"callout-",
    b"callout_", b"admonition-", b"alert-", b"blockquote-tag-", NULL,
]
cdef const char** CALLOUT_BOXES = [
    b"admonition", b"admonitionblock", b"callout", b"alert", b"custom-block", b"hint-container", b"notecard", NULL,
]
# Classes that are a callout by themselves, as Microsoft's documentation has them.
cdef const char** CALLOUT_CLASSES = [b"NOTE", b"TIP", b"IMPORTANT", b"WARNING", b"CAUTION", NULL]

# Attributes with the address of an image that a script loads when it is seen, and with addresses by size.
cdef const char** LATE_SOURCES = [
    b"data-src", b"data-original", b"data-lazy-src", b"data-lazy", b"data-actualsrc", b"data-orig-file", NULL,
]
cdef const char** SOURCE_SETS = [b"srcset", b"data-srcset", b"data-lazy-srcset", NULL]

# Few classes of elements other than <pre> and <code> have one of these: some part of each name above.
cdef words_t HINTS
fill_words(&HINTS, (b"lang", b"highlight", b"brush", b"hl-", b"hljs", b"sourcecode"))


cdef void add_mark(builder_t* b, int kind, uint32_t number) noexcept nogil:
    """Notes a mark at the end of the text so far."""
    cdef mark_t* mark
    if not grow(<void**> &b.marks, &b.cap_marks, b.n_marks + 1, sizeof(mark_t), &b.no_memory):
        return
    mark = &b.marks[b.n_marks]
    mark.run = <uint32_t> b.n_runs
    mark.element = b.element
    mark.kind = <uint32_t> kind
    mark.value = number
    mark.length = 0
    b.n_marks += 1


cdef void add_text_mark(builder_t* b, int kind, const unsigned char* text, size_t length) noexcept nogil:
    """Notes a mark with a text; a text that is too long is left out with its mark."""
    if length <= (LONGEST_SET if kind == MARK_SOURCES else LONGEST):
        add_mark(b, kind, <uint32_t> b.n_values)
        lengthen_mark(b, text, length)


cdef void lengthen_mark(builder_t* b, const unsigned char* text, size_t length) noexcept nogil:
    """Adds to the text of the last mark."""
    if not b.no_memory and length and grow(
        <void**> &b.values, &b.cap_values, b.n_values + length, 1, &b.no_memory
    ):
        memcpy(b.values + b.n_values, text, length)
        b.n_values += length
        b.marks[b.n_marks - 1].length += <uint32_t> length


cdef bint _number(const unsigned char* text, size_t length, int32_t* number) noexcept nogil:
    """Reads a whole number of at most nine digits, as browsers do; further digits are as the largest number."""
    cdef size_t i = 0
    cdef bint minus = False
    cdef int digits = 0
    cdef int32_t found = 0
    while i < length and is_white(text[i]):
        i += 1
    if i < length and (text[i] == c'-' or text[i] == c'+'):
        minus = text[i] == c'-'
        i += 1
    while i < length and is_digit(text[i]):
        found = found * 10 + text[i] - c'0' if digits < 9 else 999_999_999
        digits += found > 0
        i += 1
        number[0] = -found if minus else found
        if i == length or not is_digit(text[i]):
            return True
    return False


cdef void _span(builder_t* b, int kind, const unsigned char* value, size_t length, int32_t none) noexcept nogil:
    cdef int32_t number
    if not _number(value, length, &number) or number < 0:
        return
    if number == 0:
        number = none
    if number != 1:
        add_mark(b, kind, <uint32_t> min(number, MOST_SPAN))


cdef void _align(builder_t* b, const unsigned char* value, size_t length) noexcept nogil:
    while length and is_white(value[0]):
        value += 1
        length -= 1
    if begins(value, length, b"left"):
        add_mark(b, MARK_ALIGN, ALIGN_LEFT)
    elif begins(value, length, b"center") or begins(value, length, b"middle"):
        add_mark(b, MARK_ALIGN, ALIGN_CENTER)
    elif begins(value, length, b"right"):
        add_mark(b, MARK_ALIGN, ALIGN_RIGHT)


cdef inline bint _is_of_language(uint8_t c) noexcept nogil:
    """Whether a character may be in the name of a language: `c++`, `objective-c`, `f#`."""
    return is_letter(c) or is_digit(c) or c == c'+' or c == c'#' or c == c'-' or c == c'_' or c == c'.'


cdef bint _language(builder_t* b, const unsigned char* name, size_t length) noexcept nogil:
    """Notes the name of a language, if it is one; returns whether it is."""
    cdef size_t n = 0
    cdef int i
    cdef int32_t element
    while n < length and _is_of_language(name[n]):
        n += 1
    if not n or n > LONGEST_LANGUAGE or not is_letter(name[0]) or (n < length and name[n] != c';'):
        return False
    for i in range(NO_LANGUAGES):
        if n == strlen(NONE[i]) and begins(name, n, NONE[i]):
            return False
    add_text_mark(b, MARK_LANGUAGE, name, n)
    if b.pres and b.n_marks:
        # below <pre>, it is that of the whole
        element = b.element
        while element >= 0 and not TAG_PRE <= b.elements[element].tag <= TAG_PLAINTEXT:
            element = b.elements[element].parent
        b.marks[b.n_marks - 1].element = element
    return True


cdef void _language_of_class(builder_t* b, int tag, const unsigned char* value, size_t length) noexcept nogil:
    """Looks for a programming language among the names of a class attribute."""
    cdef size_t start, end = 0, n
    cdef int k
    cdef bint is_next = False, is_code = tag == TAG_PRE or tag == TAG_CODE
    if not is_code and not find_any(value, length, &HINTS):
        return
    while next_name(value, length, &start, &end):
        n = end - start
        for k in range(LANGUAGE_PREFIXES):
            if begins(value + start, n, PREFIXES[k]):
                if (k < OF_CODE or is_code) and _language(
                    b, value + start + strlen(PREFIXES[k]), n - strlen(PREFIXES[k])
                ):
                    return
                break
        else:
            if is_next and _language(b, value + start, n):
                return
        # elsewhere than in Hexo's figures, names of a design follow `highlight`
        for k in range(4 if tag == TAG_FIGURE else 3):
            # `sourceCode` has a capital in it
            if n == strlen(NAMED_NEXT[k]) and memcmp(value + start, NAMED_NEXT[k], n) == 0:
                is_next = True
    end = 0
    while is_code and next_name(value, length, &start, &end):
        if begins(value + start, end - start, b"sp-"):
            # Sandpack
            start += 3
        if is_one_of(value + start, end - start, LANGUAGES):
            _language(b, value + start, end - start)
            return


cdef void mark_callout(builder_t* b, const unsigned char* class_, size_t length) noexcept nogil:
    """Notes the kind of callout that is among the names of a class attribute, if there is one."""
    cdef size_t begin, end = 0, size, prefix
    cdef const unsigned char* kind = NULL
    cdef size_t kind_length = 0
    cdef bint is_box = False
    cdef const char** each
    while next_name(class_, length, &begin, &end):
        size = end - begin
        if is_one_of(class_ + begin, size, CALLOUT_BOXES):
            is_box = True
        elif is_one_of(class_ + begin, size, CALLOUTS):
            kind = class_ + begin
            kind_length = size
        elif is_one_of(class_ + begin, size, CALLOUT_CLASSES):
            kind = class_ + begin
            kind_length = size
            is_box = True
        each = CALLOUT_PREFIXES
        while each[0] != NULL:
            prefix = strlen(each[0])
            if begins(class_ + begin, size, each[0]) and is_one_of(class_ + begin + prefix, size - prefix, CALLOUTS):
                kind = class_ + begin + prefix
                kind_length = size - prefix
                is_box = True
            each += 1
    if is_box and kind != NULL:
        add_text_mark(b, MARK_CALLOUT, kind, kind_length)


cdef void mark_attribute(
    builder_t* b, int tag, int which, const unsigned char* value, size_t length
) noexcept nogil:
    """Notes what an attribute of the element that was opened last says.

    Args:
        tag: code of its tag.
        which: OF_…
        value: as written.
    """
    cdef int32_t number
    cdef size_t at
    if which == OF_HREF:
        if tag == TAG_A:
            add_text_mark(b, MARK_LINK, value, length)
    elif which == OF_BASE:
        add_text_mark(b, MARK_BASE, value, length)
    elif which == OF_ID or which == OF_NAME and tag == TAG_A:
        if 0 < length <= LONGEST_ID:
            add_text_mark(b, MARK_ID, value, length)
    elif which == OF_CLASS:
        _language_of_class(b, tag, value, length)
    elif which == OF_ROLE and tag < TAG_FIGURE:
        if length == 7 and begins(value, length, b"heading"):
            add_mark(b, MARK_HEADING, 2)
    elif which == OF_LEVEL:
        if b.n_marks and length == 1 and c'1' <= value[0] <= c'6' and b.marks[b.n_marks - 1].kind == MARK_HEADING \
                and b.marks[b.n_marks - 1].element == b.element:
            b.marks[b.n_marks - 1].value = value[0] - c'0'
    elif which == OF_CALLOUT:
        if is_one_of(value, length, CALLOUTS):
            add_text_mark(b, MARK_CALLOUT, value, length)
    elif which == OF_LANGUAGE:
        # Confluence has the words of a class here
        if not _language(b, value, length):
            _language_of_class(b, tag, value, length)
    elif which == OF_START and tag == TAG_OL:
        if _number(value, length, &number):
            add_mark(b, MARK_START, <uint32_t> number)
    elif which == OF_VALUE and tag == TAG_LI:
        if _number(value, length, &number):
            add_mark(b, MARK_VALUE, <uint32_t> number)
    elif which == OF_ROLE and tag == TAG_TABLE:
        if begins(value, length, b"presentation") or begins(value, length, b"none"):
            add_mark(b, MARK_LAYOUT, 0)
    elif tag == TAG_TD or tag == TAG_TH:
        if which == OF_COLSPAN:
            _span(b, MARK_COLUMNS, value, length, 1)
        elif which == OF_ROWSPAN:
            _span(b, MARK_ROWS, value, length, MOST_SPAN)
        elif which == OF_ALIGN:
            _align(b, value, length)
        elif which == OF_STYLE:
            at = find(value, length, b"text-align:")
            if at:
                _align(b, value + at, length - at)


cdef void open_picture(picture_t* picture) noexcept nogil:
    picture.source = picture.alt = NULL
    picture.late = False
    picture.width = picture.height = -1


cdef bint is_one_of(const unsigned char* name, size_t length, const char** names) noexcept nogil:
    """Whether an attribute has one of these names; the last one is NULL."""
    while names[0] != NULL:
        if length == strlen(names[0]) and memcmp(name, names[0], length) == 0:
            return True
        names += 1
    return False


cdef void picture_attribute(
    builder_t* b, picture_t* picture, int which, const unsigned char* name, size_t length, const str_t* value
) noexcept nogil:
    """Reads an attribute of an <img>, or of a <source> before it: its number, or its name if it has none."""
    if which == OF_ALT:
        picture.alt = value
    elif which == OF_SRC:
        if not picture.late:
            picture.source = value
    elif which == OF_WIDTH:
        _number(value.data, value.length, &picture.width)
    elif which == OF_HEIGHT:
        _number(value.data, value.length, &picture.height)
    elif is_one_of(name, length, LATE_SOURCES):
        picture.source = value
        picture.late = True
    elif is_one_of(name, length, SOURCE_SETS):
        add_text_mark(b, MARK_SOURCES, value.data, value.length)


cdef inline bint _is_ratio(int32_t width, int32_t height) noexcept nogil:
    """Whether a size is not in pixels, but the ratio of an image that fills its place."""
    cdef int32_t longer = max(width, height), shorter = min(width, height)
    return longer == 16 and shorter == 9 or longer == 3 and shorter == 2 or longer == 4 and shorter == 3 \
        or longer == 5 and shorter == 4


cdef void mark_picture(builder_t* b, const picture_t* picture, bint media) noexcept nogil:
    """Notes an image, or with `media` a video, a sound or a player.

    One is left out whose size says that it only counts readers, or is an icon. An image without an address that can be
    shown has an empty one: those of its `srcset` may be known."""
    cdef const str_t* source = picture.source
    if not _is_ratio(picture.width, picture.height) and (
        0 <= picture.width <= DOT or 0 <= picture.height <= DOT
        or 0 <= picture.width <= ICON and 0 <= picture.height <= ICON
    ):
        return
    if media:
        add_mark(b, MARK_MEDIA, 0)
    if source == NULL or source.length > LONGEST or begins(source.data, source.length, b"data:"):
        add_text_mark(b, MARK_IMAGE, b"", 0)
    else:
        add_text_mark(b, MARK_IMAGE, source.data, source.length)
    if picture.alt == NULL or picture.alt.length > LONGEST:
        add_text_mark(b, MARK_ALT, b"", 0)
    else:
        add_text_mark(b, MARK_ALT, picture.alt.data, picture.alt.length)


cdef inline bint _has_dollars(const unsigned char* text, size_t length) noexcept nogil:
    return holds(text, length, b"['$'", 2) or holds(text, length, b'["$"', 2)


cdef bint typesets(const unsigned char* text, size_t length) noexcept nogil:
    """Returns whether the beginning of a script says that it typesets formulas.

    The text is that of the tree, or of the page, where lines may have a carriage return, too: it is looked at so far
    that the same is found."""
    if length > SCRIPT:
        length = min(length, <size_t> 2 * SCRIPT) if memchr(text, c'\r', SCRIPT) != NULL else <size_t> SCRIPT
    return _has_dollars(text, length) or holds(text, length, b"MathJax", 4) or holds(text, length, b"MathInElement", 4)


cdef void mark_script(builder_t* b, const str_t* source, const str_t* text) noexcept nogil:
    """Notes whether a script typesets the formulas in the text: MathJax, or KaTeX by itself."""
    cdef size_t address = min(source.length, <size_t> LONGEST)
    if (
        typesets(text.data, text.length)
        or find(source.data, address, b"mathjax") or find(source.data, address, b"auto-render")
    ):
        add_mark(b, MARK_TYPESET, <uint32_t> _has_dollars(text.data, min(text.length, <size_t> SCRIPT)))


cdef size_t value_at(const unsigned char* style, size_t length, const char* name) noexcept nogil:
    """Returns where the value of a property begins in a style attribute; 0 if it has none."""
    cdef size_t at = find(style, length, name)
    while at and at < length and is_white(style[at]):
        at += 1
    return at if at < length else 0


cdef uint32_t style_of(const unsigned char* style, size_t length) noexcept nogil:
    """Returns what a style attribute says about bold and italic type, as bits STYLE_…"""
    cdef uint32_t bits = 0
    cdef int32_t weight
    cdef size_t at = value_at(style, length, b"font-weight:")
    if at:
        if begins(style + at, length - at, b"bold"):
            bits = STYLE_BOLD
        elif begins(style + at, length - at, b"normal") or begins(style + at, length - at, b"lighter"):
            bits = STYLE_LIGHT
        elif _number(style + at, min(length - at, <size_t> 3), &weight):
            # from this weight on, a font without this weight is shown in bold type
            bits = STYLE_BOLD if weight >= 600 else STYLE_LIGHT
    at = value_at(style, length, b"font-style:")
    if at:
        if begins(style + at, length - at, b"italic") or begins(style + at, length - at, b"oblique"):
            bits |= STYLE_ITALIC
        elif begins(style + at, length - at, b"normal"):
            bits |= STYLE_UPRIGHT
    return bits


cdef bint says_display(int which, const unsigned char* value, size_t length) noexcept nogil:
    """Whether an attribute says that a formula stands on a line of its own."""
    if which == OF_DISPLAY:
        return begins(value, length, b"block") or begins(value, length, b"true")
    if which == OF_CLASS:
        return (
            find(value, length, b"katex-display") > 0 or find(value, length, b"mathjax_display") > 0
            or find(value, length, b"mjxc-display") > 0 or find(value, length, b"fallback-image-display") > 0
            or find(value, length, b"math-element-block") > 0
            or find(value, length, b"math display") > 0 or find(value, length, b"math-display") > 0
        )
    return which == OF_TYPE and find(value, length, b"mode=display") > 0


# --------------------------------------------------------------------------------------------------
# Words in class, id and role. The cues are in a small open-addressing hash table, which is filled once from
# tags.CUE_WORDS. The key of a word is its first eight letters, packed into one integer: no cue needs more letters,
# and `navigational` counts as `navigation`.

cdef enum:
    CUE_SLOTS = 1024
    RELATED = 7               # letters of the word
    MORE = 4

cdef uint64_t cue_keys[CUE_SLOTS]
cdef uint32_t cue_bits[CUE_SLOTS]


cdef void _fill_cues():
    cdef uint64_t key
    cdef size_t slot
    for bit, words in enumerate(_tags.CUE_WORDS.values()):
        for word in words.split():
            key = 0
            for c in word.encode()[:8]:
                key = key << 8 | <uint64_t> c
            slot = mix(key) % CUE_SLOTS
            while cue_bits[slot] and cue_keys[slot] != key:
                slot = (slot + 1) % CUE_SLOTS
            cue_keys[slot] = key
            cue_bits[slot] |= <uint32_t> 1 << bit

memset(cue_bits, 0, sizeof(cue_bits))
_fill_cues()


cdef inline uint32_t _look_up(uint64_t key) noexcept nogil:
    cdef size_t slot = mix(key) % CUE_SLOTS
    while cue_bits[slot]:
        if cue_keys[slot] == key:
            return cue_bits[slot]
        slot = (slot + 1) % CUE_SLOTS
    return 0


cdef void _end_word(builder_t* b, uint64_t key, int letters, uint32_t at, uint32_t* bits) noexcept nogil:
    """Adds the cue bits of one word to `bits`, and its hash to the list at `at` if it is not there yet."""
    cdef uint16_t* list_ = b.names + at
    cdef uint16_t word
    cdef int i
    if letters < 2:
        return
    bits[0] |= _look_up(key)
    word = <uint16_t> (mix(key) >> 48)
    for i in range(1, list_[0] + 1):
        if list_[i] == word:
            return
    if list_[0] < MAX_NAMES:
        list_[0] += 1
        list_[list_[0]] = word
        b.n_names = at + list_[0] + 1


cdef inline int _letters_of_none(const unsigned char* value, size_t i, size_t length) noexcept nogil:
    """Returns the number of letters of a word at `i` that says nothing about its element, 0 for other words.

    It is that of `h2-related`, as Writerside calls text below a heading, or of Tailwind's `contrast-more:`, before
    styles for readers who see little."""
    if value[i] == c'r':
        if i > 2 and value[i - 1] == c'-' and value[i - 3] == c'h' and is_digit(value[i - 2]) \
                and length - i >= RELATED and memcmp(value + i, b"related", RELATED) == 0:
            return RELATED
    elif value[i] == c'm' and i > 8 and length - i > MORE and memcmp(value + i - 9, b"contrast-more:", 14) == 0:
        return MORE
    return 0


cdef uint32_t read_names(
    builder_t* b, const unsigned char* value, size_t length, uint32_t* names
) noexcept nogil:
    """Appends the words of an attribute value to the list at index `names[0]`, and returns their cue bits.

    If the list is not the last one in the table, it is first copied to the end of the table, and `names[0]`
    becomes the index of the copy. A word ends at a non-letter, and before a capital that follows a small letter,
    so that `nav` is found in `site-nav`, `siteNav` and `site_nav`."""
    cdef uint32_t bits = 0, at = names[0]
    cdef uint64_t key = 0
    cdef size_t i
    cdef int letters = 0
    cdef unsigned char c, small, before = 0
    if not length:
        return 0
    if not grow(<void**> &b.names, &b.cap_names, b.n_names + 2 * MAX_NAMES + 2, sizeof(uint16_t), &b.no_memory):
        return 0
    if not at or at + b.names[at] + 1 != b.n_names:
        memcpy(b.names + b.n_names, b.names + at, (b.names[at] + 1) * sizeof(uint16_t))
        at = <uint32_t> b.n_names
        b.n_names += b.names[at] + 1
    for i in range(length):
        c = value[i]
        small = c | 0x20
        if not c'a' <= small <= c'z':
            _end_word(b, key, letters, at, &bits)
            letters = 0
            key = 0
        else:
            if c != small and c'a' <= before <= c'z':
                _end_word(b, key, letters, at, &bits)
                letters = 0
                key = 0
            if not letters:
                # the letters of what is no word are counted from below
                letters = -_letters_of_none(value, i, length)
            if letters < 8:
                key = key << 8 | small
            letters += 1
        before = c
    _end_word(b, key, letters, at, &bits)
    names[0] = at
    return bits


cdef uint64_t style_hash(int tag, const unsigned char* name, size_t length) noexcept nogil:
    """Returns a hash of the tag's code and its class attribute, computed eight bytes at a time."""
    return hash_bytes(mix(<uint64_t> tag ^ <uint64_t> length << 16), name, length)


# Classes whose only purpose is to hide, in the style sheets that most sites use (Bootstrap, Tailwind, WordPress,
# Drupal, XenForo, MediaWiki).
cdef const char** HIDING = [
    b"hidden", b"hide", b"is-hidden", b"d-none", b"sr-only", b"visually-hidden", b"visuallyhidden",
    b"screen-reader-text", b"screen-reader-only", b"element-invisible", b"mw-jump-link", b"mw-editsection", NULL,
]
cdef enum:
    LONGEST_HIDING = 18

# The lengths of those that begin with a letter, as bits: nearly all names have another one.
cdef uint32_t hiding_sizes[256]
memset(hiding_sizes, 0, sizeof(hiding_sizes))
cdef const char** _each = HIDING
while _each[0] != NULL:
    hiding_sizes[<unsigned char> _each[0][0]] |= <uint32_t> 1 << strlen(_each[0])
    _each += 1

# What ends a name in a class attribute, or stands inside a class for one size of screen.
cdef enum:
    GAP = 1
    COLON = 2
cdef unsigned char class_bytes[256]
memset(class_bytes, 0, sizeof(class_bytes))
class_bytes[c' '] = class_bytes[c'\n'] = class_bytes[c'\t'] = class_bytes[c'\r'] = class_bytes[c'\f'] = GAP
class_bytes[c':'] = COLON


cdef inline bint _is_hiding(const unsigned char* name, size_t length) noexcept nogil:
    return length <= LONGEST_HIDING and hiding_sizes[name[0]] >> length & 1 and is_one_of(name, length, HIDING)


cdef bint class_conceals(const unsigned char* value, size_t length) noexcept nogil:
    """Returns whether a class attribute hides its element.

    Beside a class for one size of screen, such as `md:block` or `d-lg-flex`, a class hides only on the others. The
    colon of `brush: html` is none of these."""
    cdef size_t i = 0, start
    cdef bint found = False
    while i < length:
        start = i
        while i < length and not class_bytes[value[i]]:
            i += 1
        if i < length and class_bytes[value[i]] == COLON and i + 1 < length and class_bytes[value[i + 1]] != GAP:
            return False
        if i == start:
            i += 1
        elif _is_hiding(value + start, i - start):
            found = True
        elif i - start > 2 and value[start] == c'd' and value[start + 1] == c'-':
            return False
    return found


# How the names of blocks begin that a program lays over the page: questions about cookies (CookieYes, OneTrust,
# Complianz, Cookiebot, Quantcast, Didomi, Usercentrics, iubenda, Sourcepoint and others); then what Substack and
# MediaWiki put into the text. 129 of 2,417 gold pages have some; three gold texts have their words.
cdef const char** OVERLAYS = [
    b"cookie-law-info", b"cli-modal", b"cli-bar", b"wt-cli-", b"cky-", b"onetrust-", b"ot-sdk", b"optanon",
    b"cmplz-cookiebanner", b"cmplz-manage", b"cybotcookiebot", b"qc-cmp", b"didomi-", b"usercentrics-", b"iubenda-cs",
    b"sp_message_container", b"cmpbox", b"truste-", b"truste_", b"osano-cm", b"borlabscookie", b"borlabs-cookie",
    b"moove-gdpr", b"moove_gdpr", b"termly-", b"tarteaucitron", b"axeptio", b"eu-cookie", b"sd-cmp", b"fc-consent",
    b"hs-eu-cookie", b"catapult-cookie", b"gdpr-cookie", b"gdpr-consent", b"subscription-widget", b"sitesub",
    b"shortdescription", NULL,
]
# What follows `cookie`, an `s` and a hyphen in names that sites give such blocks by themselves; and what follows that
# in the name of a page that has one, such as `cookie-bar-visible`.
cdef const char** OF_COOKIES = [
    b"alert", b"banner", b"bar", b"box", b"compliance", b"consent", b"dialog", b"disclaimer", b"law", b"message",
    b"modal", b"notice", b"overlay", b"popup", b"pref", b"prompt", b"script", b"warning", NULL,
]
cdef const char** STATES = [
    b"accept", b"active", b"clos", b"dismiss", b"display", b"enabled", b"given", b"has", b"hidden", b"is", b"loaded",
    b"off", b"on", b"open", b"page", b"present", b"ready", b"set", b"show", b"visible", NULL,
]
# By the first letter of these names, a bit for each of their third letters, capital or not.
cdef uint32_t may_lie_over[256]
memset(may_lie_over, 0, sizeof(may_lie_over))
_each = OVERLAYS
while _each[0] != NULL:
    may_lie_over[<unsigned char> _each[0][0]] |= <uint32_t> 1 << (_each[0][2] & 31)
    _each += 1
may_lie_over[<unsigned char> c'c'] |= <uint32_t> 1 << (c'o' & 31)  # cookie
for _k in range(26):
    may_lie_over[c'A' + _k] = may_lie_over[c'a' + _k]


cdef bint _is_of_cookies(const unsigned char* name, size_t length) noexcept nogil:
    """Returns whether a name is that of a question about cookies, such as `cookie-bar`, or of a part of one."""
    cdef size_t at = 6, size
    if not begins(name, length, b"cookie"):
        return False
    at += at < length and name[at] | 0x20 == c's'
    at += at < length and (name[at] == c'-' or name[at] == c'_')
    size = begins_any(name + at, length - at, OF_COOKIES)
    at += size
    if not size or at == length or class_bytes[name[at]] == GAP:
        return size > 0
    while at < length and (name[at] == c'-' or name[at] == c'_'):
        at += 1
    return not begins_any(name + at, length - at, STATES)


cdef bint names_overlay(const unsigned char* value, size_t length) noexcept nogil:
    """Returns whether a class or id is that of a block that a program lays over the page."""
    cdef size_t i = 0
    while i + 5 < length:
        if may_lie_over[value[i]] >> (value[i + 2] & 31) & 1:
            if begins_any(value + i, length - i, OVERLAYS) or _is_of_cookies(value + i, length - i):
                return True
        while i < length and class_bytes[value[i]] != GAP:
            i += 1
        i += 1
    return False


# Parts of the classes of blocks that show code without <pre>, of the numbers of its lines, of Jupyter's prompts, and of
# callouts.
cdef words_t SPECIAL_CLASSES
fill_words(&SPECIAL_CLASSES, (
    b"line-number", b"gutter", b"crayon-", b"codemirror-", b"file-line", b"code-line", b"syntaxhighlighter",
    b"fragment", b"cm-content", b"view-lines", b"text-layer", b"gist-meta", b"prompt", b"admonition", b"callout",
    b"alert", b"custom-block", b"hint-container", b"starlight-", b"information-macro", b"blockquote-tag", b"notecard",
))


cdef uint32_t read_class(
    builder_t* b, uint64_t style, const unsigned char* value, size_t length, uint32_t* names
) noexcept nogil:
    """Does the same as `read_names` for a class attribute, and caches the result by the style hash.

    The result has the bit CONCEALED if the class hides its element, and SPECIAL for a few others. The cache is useful
    because the same classes occur many times on a page."""
    cdef size_t slot = style % CACHED_STYLES
    if b.cached_styles[slot] != style:
        b.cached_styles[slot] = style
        b.cached_names[slot] = 0
        b.cached_cues[slot] = 0
        if length:
            b.cached_cues[slot] = read_names(b, value, length, &b.cached_names[slot])
            if class_conceals(value, length):
                b.cached_cues[slot] |= CONCEALED
            if find_any(value, length, &SPECIAL_CLASSES) or names_overlay(value, length) \
                    or is_one_of(value, length, CALLOUT_CLASSES):
                b.cached_cues[slot] |= SPECIAL
        if b.cached_names[slot] and not b.no_memory:
            # An empty list follows, so that the shared list is never the last one in the table. `read_names`
            # then copies it before it adds the words of an id.
            b.names[b.n_names] = 0
            b.n_names += 1
    names[0] = b.cached_names[slot]
    return b.cached_cues[slot]
