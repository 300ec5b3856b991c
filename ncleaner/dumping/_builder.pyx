"""Fills a Document's tables: white space, segments, runs and elements, one event at a time.

All rules about what a segment is are in this module, and only here. The walk over the parser's structs (`_walk.pyx`)
and the reader of text dumps call the same functions.
"""

from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcpy

from ncleaner.document._hashes cimport letters_hash
from ncleaner.document._marks cimport MARK_BLANK, MARK_BREAK, MARK_RULE, add_mark
from ncleaner.document._tables cimport (
    CONCEALED, ELEMENTS, HIDDEN, MARKS, NAMES, PREFORMATTED, RUNS, SEGMENTS, STATE, STATED, TEXT, VALUES,
    Tables, builder_t, element_t, grow, mark_t, run_t, segment_t,
)
from ncleaner.document._tags cimport (
    CONTEXT_LINK, FORM_HEADING, FORM_ITEM, FORM_PLAIN, FORM_PREFORMATTED, TAG_BODY, TAG_HTML, TAG_TD, TAG_TH, TAG_TR,
)
from ncleaner.dumping._zones cimport assign_kinds, assign_zones
from ncleaner.parsing._cues cimport style_hash
from ncleaner.text._letters cimport LOWER, NO_LETTER, UNCASED, decode_utf8, is_final, last_mark, letter_case

from ncleaner.document._hashes import name_hash
from ncleaner.document._tags import check as _check_tags
from ncleaner.text.wordlists import word_lists

cdef enum:
    # The numbers of segments and runs have 32 bits.
    MAX_SEGMENTS = 1 << 30
    # If a line has more code points than this, the author may have wrapped it by hand with the <br> after it.
    SHORT_LINE = 55
    # Most segments that are one line of the page's data.
    PARTS = 3

_check_tags()

cdef inline void _count(uint16_t* counter) noexcept nogil:
    if counter[0] != 65535:
        counter[0] += 1


# --------------------------------------------------------------------------------------------------
# Characters. Each byte has one class, so that the most frequent case needs only one look-up and one store.

cdef enum:
    PLAIN = 0
    SPACE = 1      # ASCII white space
    NEWLINE = 2
    DROPPED = 3    # C0 controls and DEL
    CONTINUATION = 4
    LEAD_C2 = 5    # U+0080 … U+00BF: C1 controls, no-break space, soft hyphen
    LEAD_E2 = 6    # U+2000 … U+2FFF: typographic spaces, line separators, zero-width spaces
    LEAD_E3 = 7    # U+3000: ideographic space
    LEAD_E1 = 8    # U+1680: ogham space
    LEAD_EF = 9    # U+FEFF: byte-order mark in the text

cdef unsigned char byte_class[256]


cdef void _classify_bytes():
    cdef int c
    for c in range(256):
        if c in (0x20, 0x09, 0x0C, 0x0D):
            byte_class[c] = SPACE
        elif c == 0x0A:
            byte_class[c] = NEWLINE
        elif c < 0x20 or c == 0x7F:
            byte_class[c] = DROPPED
        elif 0x80 <= c <= 0xBF:
            byte_class[c] = CONTINUATION
        else:
            byte_class[c] = {0xC2: LEAD_C2, 0xE1: LEAD_E1, 0xE2: LEAD_E2, 0xE3: LEAD_E3, 0xEF: LEAD_EF}.get(c, PLAIN)

_classify_bytes()


cdef inline int _special(const unsigned char* p, size_t left) noexcept nogil:
    """Classifies a character whose first byte is of one of the LEAD_… classes.

    Returns its number of bytes if the character is white space, minus its number of bytes if the character is
    dropped, and 0 for any other character."""
    if left < 2:
        return 0
    cdef unsigned char second = p[1]
    if p[0] == 0xC2:
        if second == 0xA0 or second == 0x85:
            return 2
        return -2 if second < 0xA0 or second == 0xAD else 0
    if left < 3:
        return 0
    if p[0] == 0xE2:
        if second == 0x80 and (p[2] <= 0x8A or p[2] == 0xA8 or p[2] == 0xA9 or p[2] == 0xAF):
            return 3
        if second == 0x80 and p[2] == 0x8B:
            # U+200B separates words in the scripts from Thai to Khmer; elsewhere it only allows a line to end
            return 0 if left > 3 and (p[3] == 0xE0 or p[3] == 0xE1) else -3
        if second == 0x81 and p[2] == 0x9F:
            return 3
        # the word joiner, and signs of formulas that are not seen
        return -3 if second == 0x81 and 0xA0 <= p[2] <= 0xA4 else 0
    if p[0] == 0xE3:
        return 3 if second == 0x80 and p[2] == 0x80 else 0
    if p[0] == 0xE1:
        return 3 if second == 0x9A and p[2] == 0x80 else 0
    return -3 if p[0] == 0xEF and second == 0xBB and p[2] == 0xBF else 0


cdef inline void _begin_segment(builder_t* b) noexcept nogil:
    b.open = True
    b.line = b.base
    b.seg_first_run = <int32_t> b.n_runs
    b.seg_breaks = 0
    b.seg_words = 0
    b.run_words = 0
    b.seg_chars = 0
    b.seg_links = 0


cdef extern from *:
    """
    #define ONES 0x0101010101010101ULL
    #define HIGHS 0x8080808080808080ULL
    #define LOWS 0x7F7F7F7F7F7F7F7FULL
    """
    # each byte of a word
    const uint64_t ONES
    const uint64_t HIGHS
    const uint64_t LOWS


cdef inline uint64_t _zeros(uint64_t word) noexcept nogil:
    """Returns the highest bit of each byte that is zero."""
    return ~(((word & LOWS) + LOWS) | word) & HIGHS


cdef inline uint32_t _bits(uint64_t highs) noexcept nogil:
    """Returns how many bytes have their highest bit set; they have no others."""
    return <uint32_t> (((highs >> 7) * ONES) >> 56)


cdef enum:
    BLOCK = 32


cdef inline bint _is_simple(const unsigned char* p, bint ascii, uint32_t* spaces, uint32_t* others) noexcept nogil:
    """Returns whether nothing changes in a block of bytes. It reads one byte more.

    Counts the spaces, and the `others`, which are not the first ones of a character. With `ascii`, a block with other
    characters does not count as simple. Compilers make vectors of these loops."""
    cdef uint8_t changes = 0, space = 0, other = 0, c
    cdef size_t k
    for k in range(BLOCK):
        c = p[k]
        changes |= <uint8_t> (c == 0x7F)
        if ascii:
            changes |= <uint8_t> (<int8_t> c < 0x20)
        else:
            changes |= <uint8_t> ((c < 0x20) | (c == 0xC2) | (c == 0xEF) | (<uint8_t> (c - 0xE1) < 3))
    for k in range(BLOCK):
        changes |= <uint8_t> ((p[k] == c' ') & (p[k + 1] == c' '))
    for k in range(BLOCK):
        space += <uint8_t> (p[k] == c' ')
    if not ascii:
        for k in range(BLOCK):
            other += <uint8_t> ((p[k] & 0xC0) == 0x80)
    spaces[0] = space
    others[0] = other
    return not changes


cdef size_t _copy_words(builder_t* b, const unsigned char* data, size_t length, uint32_t* chars) noexcept nogil:
    """Appends text in which nothing changes, a block or eight bytes at a time, as `add_text` does byte by byte.

    The last character written is no space. Stops before the eight bytes in which there is a control, a line end, a
    second space, or a character that is dropped or is white space. Returns the number of
    bytes, and adds to `chars` and to the words of the segment.
    """
    cdef const unsigned char* p = data
    cdef const unsigned char* stop = data + length - 8
    cdef const unsigned char* block = data   # where the next block begins
    cdef char* out = b.text + b.text_len
    cdef uint64_t word, spaces, highs, leads
    cdef uint32_t words = 0, found, count = 0, others
    cdef bint space = False
    cdef int k
    while p <= stop:
        if p >= block and p + BLOCK < data + length:
            if not (space and p[0] == c' ') and (
                _is_simple(p, True, &found, &others) or _is_simple(p, False, &found, &others)
            ):
                memcpy(out, p, BLOCK)
                count += BLOCK - found - others
                words += found + (space and p[0] != c' ')
                space = p[BLOCK - 1] == c' '
                words -= space
                p += BLOCK
                out += BLOCK
                continue
            block = p + BLOCK
        memcpy(&word, p, 8)
        # a byte below 0x20, or DEL
        if ((word - ONES * 0x20) & ~word & HIGHS) or _zeros(word ^ LOWS):
            break
        spaces = _zeros(word ^ (ONES * 0x20))
        if spaces & (spaces << 8) or (space and p[0] == c' '):
            break
        highs = word & HIGHS
        if highs:
            leads = (
                _zeros(word ^ (ONES * 0xC2)) | _zeros(word ^ (ONES * 0xE1)) | _zeros(word ^ (ONES * 0xE2))
                | _zeros(word ^ (ONES * 0xE3)) | _zeros(word ^ (ONES * 0xEF))
            )
            if leads:
                for k in range(8):
                    if byte_class[p[k]] >= LEAD_C2 and _special(p + k, <size_t> (data + length - p - k)):
                        break
                else:
                    k = 8
                if k < 8:
                    break
            # bytes after the first one of a character
            count -= _bits(highs & ~(word << 1))
        memcpy(out, p, 8)
        found = _bits(spaces)
        count += 8 - found
        words += found + (space and p[0] != c' ')
        space = p[7] == c' '
        words -= space
        p += 8
        out += 8
    if p > data:
        b.text_len = <size_t> (out - b.text)
        b.mark = b.text_len - space
        b.space = space
        b.seg_words += words
        chars[0] += count
    return <size_t> (p - data)


cdef inline size_t _white(const unsigned char* data, size_t length) noexcept nogil:
    """Returns the length of ASCII white space at the beginning of a text; indents are long."""
    cdef size_t i = 0
    cdef uint64_t word
    while i < length and (byte_class[data[i]] == SPACE or byte_class[data[i]] == NEWLINE):
        i += 1
        while i + 8 <= length:
            memcpy(&word, data + i, 8)
            if word != ONES * 0x20:
                break
            i += 8
    return i


cdef inline bint _is_joiner(const unsigned char* p, size_t left) noexcept nogil:
    """Returns whether a text goes on with U+200C to U+200F: they join letters, keep them apart or give a direction."""
    return left >= 3 and p[0] == 0xE2 and p[1] == 0x80 and 0x8C <= p[2] <= 0x8F


cdef inline bint _is_empty(const unsigned char* p, size_t left) noexcept nogil:
    """Returns whether a text has only characters that act on the letters beside them; editors fill empty lines so."""
    while _is_joiner(p, left):
        p += 3
        left -= 3
    return left == 0


cdef struct unfinished_t:    # the run that is being written
    bint begun
    size_t start             # its place in the text
    uint32_t chars


cdef inline void _finish(builder_t* b, unfinished_t* run) noexcept nogil:
    if run.begun:
        _end_run(b, run.start, run.chars)
        run.begun = False
        run.chars = 0


cdef void _add_white(builder_t* b, unsigned char c, bint is_line_end, unfinished_t* run) noexcept nogil:
    """Appends a character of white space: as one space, or as it is inside <pre>, where an empty line ends the
    segment."""
    if not b.pres:
        if b.open and not b.space:
            b.text[b.text_len] = c' '
            b.text_len += 1
            b.space = True
        return
    if is_line_end and not b.open:
        b.text_len = b.base
        b.blanks += 1
    elif is_line_end and _blank_line(b):
        _finish(b, run)
        end_segment(b)
        b.blanks = 1
    elif is_line_end:
        b.text_len = b.mark
        b.text[b.text_len] = c'\n'
        b.text_len += 1
        if b.seg_breaks < 255:
            b.seg_breaks += 1
    elif c == c'\r':
        return
    else:
        b.text[b.text_len] = <char> c
        b.text_len += 1
    b.space = True


cdef inline size_t _copy_plain(
    builder_t* b, const unsigned char* data, size_t length, unsigned char kind, uint32_t* chars
) noexcept nogil:
    """Copies a character of this kind and all plain characters that follow it; returns their bytes.

    Nothing in the builder changes meanwhile: a byte may be part of any field for the compiler, which would write and
    read them again for each."""
    cdef char* begin = b.text + b.text_len
    cdef char* end = begin
    cdef size_t i = 0
    while True:
        end[0] = <char> data[i]
        end += 1
        chars[0] += kind != CONTINUATION
        i += 1
        if i == length:
            break
        kind = byte_class[data[i]]
        if kind != PLAIN and kind != CONTINUATION:
            break
    b.text_len += <size_t> (end - begin)
    b.mark = b.text_len
    return i


cdef void add_text(builder_t* b, const unsigned char* data, size_t length) noexcept nogil:
    """Appends one text node of `length` bytes of UTF-8.

    Each sequence of white space becomes one space; inside <pre>, line ends are kept. Control characters and
    similar ones (DROPPED, `_special`) are dropped. The remaining text becomes one run."""
    cdef size_t i = 0, size
    cdef unsigned char c, kind
    cdef int width
    # Every step below writes at most as many bytes as it reads.
    if not grow(<void**> &b.text, &b.text_cap, b.text_len + length + 8, 1, &b.no_memory):
        return
    cdef unfinished_t run = unfinished_t(False, 0, 0)
    while i < length:
        c = data[i]
        kind = byte_class[c]
        width = 1
        if kind >= LEAD_C2:
            width = _special(data + i, length - i)
            if width < 0:
                i += <size_t> -width
                continue
            if width > 0:
                kind = SPACE
                c = c' '
            elif kind == LEAD_E2 and not b.open and _is_empty(data + i, length - i):
                return
            else:
                kind = PLAIN
        if kind == SPACE or kind == NEWLINE:
            i += <size_t> width
            _add_white(b, c, kind == NEWLINE, &run)
            if not b.pres:
                i += _white(data + i, length - i)
            continue
        if kind == DROPPED:
            i += 1
            continue
        if b.breaks == 1 and b.open and _ends_paragraph(b, data + i, length - i):
            end_segment(b)
        if not b.open:
            if b.marking and b.pres and b.blanks:
                add_mark(b, MARK_BLANK, <uint32_t> b.blanks)
            b.blanks = 0
            _begin_segment(b)
            b.space = True
        if not run.begun:
            run.begun = True
            run.start = b.text_len
        if b.space:
            b.seg_words += 1
            b.space = False
        b.breaks = 0
        b.object = False
        if not b.pres and length - i >= 8:
            size = _copy_words(b, data + i, length - i, &run.chars)
            if size:
                i += size
                if b.space or i == length:
                    continue
                kind = byte_class[data[i]]
                if kind != PLAIN and kind != CONTINUATION:
                    continue
        i += _copy_plain(b, data + i, length - i, kind, &run.chars)
    _finish(b, &run)


cdef bint _ends_paragraph(builder_t* b, const unsigned char* data, size_t length) noexcept nogil:
    """Returns whether the single <br> between the current segment and the character at `data` ends a paragraph.

    It does so after the end of a sentence and after a short line, unless the following text begins in lower case.
    A long line that ends in the middle of a sentence is treated as wrapped by hand, if it is not of a verse."""
    cdef const unsigned char* p = <const unsigned char*> b.text + b.line
    cdef const unsigned char* end = <const unsigned char*> b.text + b.mark
    cdef uint32_t code
    cdef size_t width
    cdef int beginning = NO_LETTER, chars = 0
    if b.verse:
        return True
    # Finds the first letter or digit of the following text; quotes and brackets before it are skipped.
    while length and beginning == NO_LETTER:
        width = decode_utf8(data, length, &code)
        beginning = letter_case(code)
        data += width
        length -= width
    if beginning == LOWER:
        return False
    code = last_mark(p, end)
    if is_final(code) or code == c':' or code == 0xFF1A:
        return True
    while p < end and chars <= SHORT_LINE:
        chars += (p[0] & 0xC0) != 0x80
        p += 1
    return beginning != UNCASED and chars <= SHORT_LINE


cdef inline bint _blank_line(builder_t* b) noexcept nogil:
    """Returns whether the current line of preformatted text is blank.

    It is blank if the buffer has a line end after the segment's last character that is not white space."""
    return memchr(b.text + b.mark, c'\n', b.text_len - b.mark) != NULL


cdef inline uint32_t _tags_since(const builder_t* b) noexcept nogil:
    """Returns the number of all tags of the tree since the last run.

    It cannot overflow: the parser would need 100 GB for 2³⁰ elements."""
    return b.tags_opened + b.tags_closed + <uint32_t> b.unheard


cdef inline void _end_run(builder_t* b, size_t start, uint32_t chars) noexcept nogil:
    if not grow(<void**> &b.runs, &b.cap_runs, b.n_runs + 1, sizeof(run_t), &b.no_memory):
        return
    cdef run_t* run = &b.runs[b.n_runs]
    run.start = <uint32_t> start
    run.end = <uint32_t> b.mark
    run.segment = <int32_t> b.n_segments
    run.element = b.element
    run.context = b.context
    run.words = b.seg_words - b.run_words
    run.tags = _tags_since(b)
    run.markup = b.markup
    run.opened = <uint16_t> (b.tags_opened if b.tags_opened < 65535 else 65535)
    run.closed = <uint16_t> (b.tags_closed if b.tags_closed < 65535 else 65535)
    b.n_runs += 1
    b.tags_opened = 0
    b.tags_closed = 0
    b.unheard = 0
    b.markup = 0
    b.seg_chars += chars
    b.run_words = b.seg_words
    if b.context >> CONTEXT_LINK & 1:
        b.seg_links += chars
    if b.element >= 0:
        b.elements[b.element].chars += chars


cdef void end_segment(builder_t* b) noexcept nogil:
    """Ends the current segment, if one is open."""
    cdef segment_t* s
    if b.open:
        b.open = False
        if b.n_segments >= b.max_segments:
            b.surplus += 1
            b.n_runs = <size_t> b.seg_first_run
            b.text_len = b.mark = b.base
            b.space = True
            b.breaks = 0
            return
        b.text_len = b.mark
        # without memory, a run of this segment may be missing
        if b.no_memory or not (
            grow(<void**> &b.segments, &b.cap_segments, b.n_segments + 1, sizeof(segment_t), &b.no_memory)
            and grow(<void**> &b.text, &b.text_cap, b.text_len + 8, 1, &b.no_memory)
        ):
            return
        s = &b.segments[b.n_segments]
        s.start = <uint32_t> b.base
        s.end = <uint32_t> b.mark
        s.first_run = b.seg_first_run
        s.last_run = <int32_t> b.n_runs - 1
        s.element = b.runs[b.seg_first_run].element
        s.chars = b.seg_chars
        s.words = b.seg_words
        s.link_chars = b.seg_links
        s.opened = b.blocks_opened
        s.closed = b.blocks_closed
        s.kind = c'h' if b.headings else c'l' if b.item else c'p'
        s.breaks = <uint8_t> b.seg_breaks
        s.zone = 0
        s.flags = (PREFORMATTED if b.pres else 0) | (HIDDEN if b.concealed else 0)
        b.n_segments += 1
        b.item = False
        b.blocks_opened = 0
        b.blocks_closed = 0
        b.text[b.text_len] = c'\n'
        b.text_len += 1
    else:
        b.text_len = b.base
    b.base = b.text_len
    b.mark = b.text_len
    b.space = True
    b.breaks = 0


cdef void add_segment(builder_t* b, uint8_t kind, const unsigned char* text, size_t length) noexcept nogil:
    """Adds a complete segment of a plain text; its line ends become spaces."""
    b.headings = kind == c'h'
    b.item = kind == c'l'
    add_text(b, text, length)
    end_segment(b)
    b.headings = 0
    b.item = False


cdef void add_space(builder_t* b) noexcept nogil:
    """Adds a space between two pieces of text that touch in the source; nothing at the beginning of a segment."""
    if b.open and not b.space and grow(<void**> &b.text, &b.text_cap, b.text_len + 8, 1, &b.no_memory):
        b.text[b.text_len] = c' '
        b.text_len += 1
        b.space = True


cdef void add_break(builder_t* b) noexcept nogil:
    """Handles a <br>. A single one is white space; a second one with no text between them ends the segment.
    Inside <pre>, a <br> is an ordinary line end."""
    cdef unsigned char newline = c'\n'
    b.tags_opened += 1
    if b.pres:
        add_text(b, &newline, 1)
        return
    b.breaks += 1
    if b.marking:
        add_mark(b, MARK_BREAK, 0)
    if b.breaks > 1:
        end_segment(b)
        b.breaks = 2
    elif b.open:
        if b.seg_breaks < 255:
            b.seg_breaks += 1
        add_space(b)
        b.line = b.text_len


cdef void end_line(builder_t* b, bint is_empty) noexcept nogil:
    """Ends a line of preformatted text that has text, or of which it is known that it `is_empty`."""
    cdef unsigned char newline = c'\n'
    if is_empty or b.open and not _blank_line(b):
        add_text(b, &newline, 1)


cdef void add_rule(builder_t* b) noexcept nogil:
    """Handles an <hr>: ends the segment. An <hr> has no content and no end tag."""
    end_segment(b)
    b.tags_opened += 1
    if b.marking:
        add_mark(b, MARK_RULE, 0)


cdef void open_inline(builder_t* b, int bit) noexcept nogil:
    """Opens an inline element. `bit` is the tag's context bit, or negative if the tag has no context bit."""
    b.tags_opened += 1
    if bit >= 0:
        b.inside[bit] += 1
        b.context |= <uint32_t> 1 << bit
    if b.element >= 0:
        b.elements[b.element].tags += 1


cdef void close_inline(builder_t* b, int bit) noexcept nogil:
    b.tags_closed += 1
    if bit >= 0:
        b.inside[bit] -= 1
        if b.inside[bit] == 0:
            b.context &= ~(<uint32_t> 1 << bit)


cdef inline bint _is_of_cell(const builder_t* b, int tag, int32_t parent) noexcept nogil:
    """Returns whether an element is a cell, or directly in one."""
    return tag == TAG_TD or tag == TAG_TH or parent >= 0 and (
        b.elements[parent].tag == TAG_TD or b.elements[parent].tag == TAG_TH
    )


cdef inline void _close_line(builder_t* b, const element_t* e) noexcept nogil:
    """Counts a block of preformatted text without text as an empty line: a row, or a block without others."""
    if <size_t> e.first_run == b.n_runs and b.blanks == b.blanks_before \
            and (e.tag == TAG_TR or e == &b.elements[b.n_elements - 1] and not _is_of_cell(b, e.tag, e.parent)):
        b.blanks += 1
        b.blanks_before = b.blanks


cdef void open_block(
    builder_t* b, int tag, int form, uint32_t style, uint32_t cues, uint32_t names
) noexcept nogil:
    """Opens a block element. `form` is the kind of segment that begins inside it (FORM_…)."""
    cdef int32_t parent = b.element
    end_segment(b)
    b.tags_opened += 1
    _count(&b.blocks_opened)
    if form == FORM_HEADING:
        b.headings += 1
    elif form == FORM_ITEM:
        b.item = True
    elif form == FORM_PREFORMATTED:
        b.pres += 1
        if b.pres == 1:
            b.blanks = 0
    if b.pres and not _is_of_cell(b, tag, parent):
        b.blanks_before = b.blanks
    if not grow(<void**> &b.elements, &b.cap_elements, b.n_elements + 1, sizeof(element_t), &b.no_memory):
        return
    if parent >= 0:
        b.elements[parent].tags += 1
    if tag == TAG_HTML or tag == TAG_BODY:
        # a script shows what a page hides as a whole
        cues &= ~<uint32_t> CONCEALED
    if cues & CONCEALED:
        b.concealed += 1
    cdef element_t* e = &b.elements[b.n_elements]
    e.parent = parent
    e.first_run = <int32_t> b.n_runs
    e.last_run = e.first_run
    e.style = style
    e.cues = cues
    e.names = names
    e.chars = 0
    e.tags = 0
    e.tag = <uint16_t> tag
    e.depth = 0 if parent < 0 else <uint16_t> min(b.elements[parent].depth + 1, 65535)
    b.element = <int32_t> b.n_elements
    b.n_elements += 1


cdef void close_block(builder_t* b, int form) noexcept nogil:
    cdef element_t* parent
    end_segment(b)
    b.tags_closed += 1
    _count(&b.blocks_closed)
    if b.pres and b.element >= 0:
        _close_line(b, &b.elements[b.element])
    if form == FORM_HEADING:
        b.headings -= 1
    elif form == FORM_ITEM:
        b.item = False
    elif form == FORM_PREFORMATTED:
        b.pres -= 1
    if b.element < 0:
        return
    cdef element_t* e = &b.elements[b.element]
    if e.cues & CONCEALED:
        b.concealed -= 1
    e.last_run = <int32_t> b.n_runs
    if e.parent >= 0:
        parent = &b.elements[e.parent]
        parent.chars += e.chars
        parent.tags += e.tags
    b.element = e.parent


# --------------------------------------------------------------------------------------------------

# The hashes of words of class, id or role on pages whose data may state lines; `lines.txt` says how to add one.
cdef bint[1 << 16] around_lines
for _word in word_lists("dumping/lines", "stated")["stated"]:
    around_lines[name_hash(_word)] = True


cdef uint64_t _letters_of(const char* text, size_t length):
    return letters_hash(<const uint8_t*> text, <const uint8_t*> text + length, True, 0)


cdef class Builder:
    """The owner of one builder's memory, which compiled code fills.

    `expected` is an estimate of the text's length in bytes. Of more than `max_segments` segments, the rest is
    counted and dropped, so that a page above the limit takes no memory before it is given up. With `marking`, the table
    of marks is filled, too.

    `tables()` returns the `Tables` of the Document.
    """

    def __cinit__(self, size_t expected=4096, size_t max_segments=MAX_SEGMENTS, bint marking=False):
        # the memory of a new object is zero
        cdef builder_t* b = &self.b
        b.element = -1
        b.max_segments = min(max_segments, <size_t> MAX_SEGMENTS)
        b.marking = marking
        if not (grow(<void**> &b.text, &b.text_cap, expected + 64, 1, &b.no_memory)
                and grow(<void**> &b.runs, &b.cap_runs, 256, sizeof(run_t), &b.no_memory)
                and grow(<void**> &b.segments, &b.cap_segments, 128, sizeof(segment_t), &b.no_memory)
                and grow(<void**> &b.elements, &b.cap_elements, 512, sizeof(element_t), &b.no_memory)
                and grow(<void**> &b.names, &b.cap_names, 1024, sizeof(uint16_t), &b.no_memory)):
            raise MemoryError
        b.names[0] = 0
        b.n_names = 1

    def __dealloc__(self):
        free(self.b.text)
        free(self.b.runs)
        free(self.b.segments)
        free(self.b.elements)
        free(self.b.names)
        free(self.b.marks)
        free(self.b.values)

    def text(self, bytes data not None):
        """Appends one text node, which must be valid UTF-8."""
        add_text(&self.b, <const unsigned char*> <char*> data, len(data))

    def open_block(self, int tag):
        """Opens a block element without attributes, by the code of its tag."""
        open_block(&self.b, tag, FORM_PLAIN, <uint32_t> style_hash(tag, NULL, 0), 0, 0)

    def close_block(self):
        """Closes the innermost block element."""
        close_block(&self.b, FORM_PLAIN)

    def segment(self, str kind, bytes text not None):
        """Appends a complete segment of a plain text; `kind` is `p`, `h` or `l`."""
        end_segment(&self.b)
        add_segment(&self.b, <uint8_t> ord(kind), <const unsigned char*> <char*> text, len(text))

    def count_segments(self):
        """Ends the current segment and returns the number of all segments, including those that were dropped."""
        end_segment(&self.b)
        return self.b.n_segments + self.b.surplus

    def dumped(self):
        """Ends the current segment and returns the text so far as UTF-8, with one segment on each line."""
        end_segment(&self.b)
        return (<char*> self.b.text)[: self.b.text_len]

    def shown(self, size_t line):
        """Returns (bytes outside links, bytes in segments of at least `line` bytes) of the text shown at first."""
        cdef builder_t* b = &self.b
        cdef const segment_t* s
        cdef size_t i, size, long_ = 0
        cdef double own = 0
        end_segment(b)
        for i in range(b.n_segments):
            s = &b.segments[i]
            if not s.flags & HIDDEN:
                size = s.end - s.start
                own += size * (1 - s.link_chars / <double> s.chars) if s.chars else 0
                if size >= line:
                    long_ += size
        return own, long_

    def mark_state(self, size_t first):
        """Ends the current segment and marks all segments from the one with this number as text from scripts."""
        cdef size_t i
        end_segment(&self.b)
        for i in range(first, self.b.n_segments):
            self.b.segments[i].flags |= STATE

    def may_be_stated(self):
        """Returns whether a class or id says that the data of the page may state some of its lines."""
        cdef size_t i
        for i in range(self.b.n_names):
            if around_lines[self.b.names[i]]:
                return True
        return False

    def mark_stated(self, lines):
        """Ends the current segment, and marks the segments that are one of these lines: alone, or two or three, which
        become one, such as an amount and what it is of."""
        cdef builder_t* b = &self.b
        cdef segment_t* s
        cdef size_t i = 0, k, r, n = 0
        cdef set known = {_letters_of(text, len(text)) for text in map(str.encode, lines)} - {_letters_of(b"", 0)}
        end_segment(b)
        while known and i < b.n_segments:
            s = &b.segments[n]
            s[0] = b.segments[i]
            for k in range(i, min(i + PARTS, b.n_segments)):
                if _letters_of(b.text + s.start, b.segments[k].end - s.start) in known:
                    s.flags |= STATED
                    while i < k:
                        i += 1
                        b.text[s.end] = c' '
                        s.end, s.last_run = b.segments[i].end, b.segments[i].last_run
                        s.chars += b.segments[i].chars
                        s.words += b.segments[i].words
                        s.link_chars += b.segments[i].link_chars
                    break
            for r in range(<size_t> s.first_run, <size_t> s.last_run + 1):
                b.runs[r].segment = <int32_t> n
            n += 1
            i += 1
        b.n_segments = n if known else b.n_segments

    def tables(self, bytes title not None=b""):
        """Ends the current segment, assigns the kinds and zones of segments, and returns the finished tables.

        The builder is empty afterwards; only its names stay, since its cache of classes points to them.

        `title`: the title of the page, UTF-8.

        Raises MemoryError if there was not enough memory for a table."""
        cdef builder_t* b = &self.b
        end_segment(b)
        if not b.no_memory:
            assign_kinds(b)
            assign_zones(b, <const uint8_t*> <char*> title, len(title))
        if b.no_memory:
            raise MemoryError("not enough memory for the document's tables")
        cdef Tables found = Tables.__new__(Tables)
        found.tags_behind = _tags_since(b)
        cdef void* names = malloc(b.n_names * sizeof(uint16_t))
        if names == NULL:
            raise MemoryError
        memcpy(names, b.names, b.n_names * sizeof(uint16_t))
        found.take(TEXT, <void**> &b.text, b.text_len)
        found.take(RUNS, <void**> &b.runs, b.n_runs * sizeof(run_t))
        found.take(SEGMENTS, <void**> &b.segments, b.n_segments * sizeof(segment_t))
        found.take(ELEMENTS, <void**> &b.elements, b.n_elements * sizeof(element_t))
        found.take(NAMES, &names, b.n_names * sizeof(uint16_t))
        if b.marking:
            found.take(MARKS, <void**> &b.marks, b.n_marks * sizeof(mark_t))
            found.take(VALUES, <void**> &b.values, b.n_values)
        found._point()
        b.text_len = b.text_cap = b.base = b.line = b.mark = 0
        b.n_runs = b.cap_runs = b.n_segments = b.cap_segments = b.n_elements = b.cap_elements = b.surplus = 0
        b.n_marks = b.cap_marks = b.n_values = b.cap_values = 0
        b.element = -1
        return found
