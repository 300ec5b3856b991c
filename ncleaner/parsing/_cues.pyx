"""What the words in class, id and role say of an element: cues for zones, what hides it, what a program lays over the
page; and readings of attributes that the guard and the rules of the dump share.
"""

from libc.stdint cimport uint16_t, uint32_t, uint64_t
from libc.string cimport memchr, memcmp, memcpy, memset, strlen

from ncleaner.document._hashes cimport hash_bytes, mix, packed_name_hash
from ncleaner.document._tables cimport CACHED_STYLES, CONCEALED, MAX_NAMES, SPECIAL, grow
from ncleaner.text._ascii cimport (
    begins, begins_any, fill_words, find, find_any, holds, is_digit, table_of, words_t,
)
from ncleaner.text._letters cimport is_white

from ncleaner.document import tags as _tags
from ncleaner.text.wordlists import word_lists

# What programs call their classes; the rules of the dump read it, too.
# `classes.txt` says what these are, and how to add one.
CLASSES = word_lists(
    "parsing/classes", "hides", "lies over the page", "about cookies", "states of pages", "for screen readers",
    "line numbers", "blocks of line numbers", "code", "code by its name", "code by its lines", "lines", "beside code",
    "over code", "above code", "callouts", "callouts, as written", "before callouts", "boxes of callouts", "tasks",
    "emoji", "notes beside the text", "blocks of editors", "sets its parts apart",
)
CALLOUT_CLASSES = table_of(CLASSES["callouts, as written"])


cdef bint is_one_of(const unsigned char* name, size_t length, const char** names) noexcept nogil:
    """Whether an attribute has one of these names; the last one is NULL."""
    while names[0] != NULL:
        if length == strlen(names[0]) and memcmp(name, names[0], length) == 0:
            return True
        names += 1
    return False


cdef size_t value_at(const unsigned char* style, size_t length, const char* name) noexcept nogil:
    """Returns where the value of a property begins in a style attribute; 0 if it has none."""
    cdef size_t at = find(style, length, name)
    while at and at < length and is_white(style[at]):
        at += 1
    return at if at < length else 0


cdef bint has_dollars(const unsigned char* text, size_t length) noexcept nogil:
    return holds(text, length, b"['$'", 2) or holds(text, length, b'["$"', 2)


cdef bint typesets(const unsigned char* text, size_t length) noexcept nogil:
    """Returns whether the beginning of a script says that it typesets formulas.

    The text is that of the tree, or of the page, where lines may have a carriage return, too: it is looked at so far
    that the same is found."""
    if length > SCRIPT_BYTES:
        length = min(length, <size_t> (2 * SCRIPT_BYTES if memchr(text, c'\r', SCRIPT_BYTES) != NULL else SCRIPT_BYTES))
    return has_dollars(text, length) or holds(text, length, b"MathJax", 4) or holds(text, length, b"MathInElement", 4)


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
        for word in words:
            key = int.from_bytes(word.encode()[:8], "big")
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
    cdef int i
    if letters < 2:
        return
    bits[0] |= _look_up(key)
    cdef uint16_t word = packed_name_hash(key)
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
        if not c'a' <= small <= c'z' or c != small and c'a' <= before <= c'z':
            _end_word(b, key, letters, at, &bits)
            letters = 0
            key = 0
        if c'a' <= small <= c'z':
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


cdef const char** HIDING = table_of(CLASSES["hides"])

# The lengths of those that begin with a letter, as bits: nearly all names have another one.
cdef uint32_t hiding_sizes[256]
memset(hiding_sizes, 0, sizeof(hiding_sizes))
cdef const char** _each = HIDING
while _each[0] != NULL:
    hiding_sizes[<unsigned char> _each[0][0]] |= <uint32_t> 1 << min(strlen(_each[0]), <size_t> 31)
    _each += 1

# What ends a name in a class attribute, or is inside a class for one size of screen.
cdef enum:
    GAP = 1, COLON
cdef unsigned char class_bytes[256]
memset(class_bytes, 0, sizeof(class_bytes))
class_bytes[c' '] = class_bytes[c'\n'] = class_bytes[c'\t'] = class_bytes[c'\r'] = class_bytes[c'\f'] = GAP
class_bytes[c':'] = COLON


cdef inline bint _is_hiding(const unsigned char* name, size_t length) noexcept nogil:
    return hiding_sizes[name[0]] >> min(length, <size_t> 31) & 1 and is_one_of(name, length, HIDING)


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


cdef const char** OVERLAYS = table_of(CLASSES["lies over the page"])
cdef const char** OF_COOKIES = table_of(CLASSES["about cookies"])
cdef const char** STATES = table_of(CLASSES["states of pages"])
# By the first letter of overlays, a bit for each of their third letters, capital or not.
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


# The bit SPECIAL says that one of these is in a class: what the rules of the dump look for in the classes of blocks.
cdef words_t SPECIAL_CLASSES
fill_words(&SPECIAL_CLASSES, [name for section in (
    "blocks of line numbers", "code", "code by its name", "code by its lines", "beside code", "before callouts",
    "boxes of callouts", "blocks of editors",
) for name in CLASSES[section]])


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
