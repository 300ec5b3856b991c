"""Victor: the quantised features of the blocks of a page, and the random field that judges them.

The features are of the text of a block, of the markup around it, and of its page. There are two passes over the
elements and two over the runs and their text, all without the GIL. `victor.py` explains the features and lists them in
the order in which this module writes them.

At the end is the linear-chain conditional random field. The marginals come from forward and backward messages in
probability space, scaled to sum to one at each position (Rabiner 1989, section V.A; Sutton and McCallum 2012, section
4.1). Their time is linear in the number of positions.
"""

from libc.math cimport exp, fmax
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from ncleaner.document._hashes cimport FNV_OFFSET, fnv, row_of, rows_for
from ncleaner.document._tables cimport Tables, element_t, run_t, segment_t, tables_t
from ncleaner.document._tags cimport (
    CONTEXT_ALT, CONTEXT_BOLD, CONTEXT_ITALIC, CONTEXT_LINK, CONTEXT_UNDERLINE, MAX_TAGS,
)
from ncleaner.text._ascii cimport is_digit
from ncleaner.text._letters cimport (
    NO_LETTER, UPPER, decode_utf8, enumeration_end, is_bullet, is_final, is_punctuation, letter_case,
)
from ncleaner.text._memory cimport zeros

import numpy as np

from ncleaner.document import tags

cdef enum:
    IN_P = 1
    IN_HEADER = 2
    IN_LIST = 4
    IN_FORM = 8
    IS_P = 16
    IS_TD = 32
    IS_DIV = 64
    INHERITED = 15
    # values are 0 to 14, see `VALUES`
    MOST = 14
    SHARES = 10

cdef enum:
    CONTAINER_P, CONTAINER_A, CONTAINER_U, CONTAINER_IMG, CLASS_HEADER, CLASS_BOLD, CLASS_ITALIC, CLASS_LIST
    CLASS_FORM, SPLIT_P, SPLIT_BR, SPLIT_INLINE, SPLIT_BLOCK, CHAR_ALPHA, CHAR_NUM, CHAR_PUNCT, CHAR_WHITE
    CHAR_OTHER, TOKEN_ALPHA_ABS, TOKEN_ALPHA_REL, TOKEN_NUM_ABS, TOKEN_NUM_REL, TOKEN_MIX_ABS, TOKEN_MIX_REL
    TOKEN_OTHER_ABS, TOKEN_OTHER_REL, SENTENCE_COUNT, SENTENCE_LENGTH, WORD_LENGTH, WORD_RUN, SENTENCE_BEGIN
    SENTENCE_END, FIRST_DUPLICATE, DUPLICATE_COUNT, REGEXP_URL, REGEXP_DATE, REGEXP_TIME, BULLET, POSITION
    DOCUMENT_WORDS, DOCUMENT_SENTENCES, DOCUMENT_BLOCKS, MAX_DIV_GROUP, MAX_TD_GROUP, TD_GROUP, DIV_GROUP
    FRAGMENTATION, FEATURES

NUMBER = FEATURES

cdef uint8_t tag_bits[MAX_TAGS]


cdef void _fill_tag_tables():
    for name, bits in (
        ("p", IN_P | IS_P), ("td", IS_TD), ("div", IS_DIV), ("form", IN_FORM), ("fieldset", IN_FORM),
        *((f"h{level}", IN_HEADER) for level in range(1, 7)),
        *((name, IN_LIST) for name in ("ul", "ol", "li", "dl", "dt", "dd", "menu", "dir")),
    ):
        tag_bits[<int> tags.CODE[name]] = bits

_fill_tag_tables()


# The place of an element: its own bits, those of all elements around it, and the innermost td and div.
ctypedef struct place_t:
    int32_t td
    int32_t div
    uint8_t bits

# The numbers of tags, opening and closing, between a block and the block before it.
ctypedef struct tags_t:
    uint32_t p
    uint32_t breaks        # <br> and <hr>
    uint32_t inline_
    uint32_t block         # also <p>

# The counts of a block's text. White space separates tokens: "well-known," is one token and has two strings.
ctypedef struct counts_t:
    uint32_t chars
    uint32_t alpha
    uint32_t num
    uint32_t punct
    uint32_t white
    uint32_t other
    uint32_t alpha_tokens
    uint32_t num_tokens
    uint32_t mix_tokens
    uint32_t other_tokens
    uint32_t sentences
    uint32_t strings       # sequences of letters without a digit beside them
    uint32_t string_chars  # characters in these
    uint32_t string_runs   # sequences of these with only white space between them
    bint begins            # the first word has a capital
    bint ends              # a sentence ends after the last word
    uint8_t url            # the first pattern found: 1 for a scheme, 2 for a name that begins with www
    bint numeric_date
    bint month
    bint time
    uint64_t hash          # of the letters; all other characters are ignored


cdef inline uint8_t _steps(uint32_t n) noexcept nogil:
    """Quantises a count to 0 … 14 in half octaves. The steps begin at 1, 2, 3, 4, 6, 8, 12 … 128."""
    cdef uint8_t step = 0
    if n < 4:
        return <uint8_t> n
    while n >= 8:
        n >>= 1
        step += 2
    return <uint8_t> (4 + step + (n >= 6)) if step < 10 else MOST


cdef inline uint8_t _octaves(uint64_t n) noexcept nogil:
    """Quantises a count to 0 … 14 in octaves. The steps begin at 1, 2, 4, 8 … 8192."""
    cdef uint8_t step = 0
    while n and step < MOST:
        n >>= 1
        step += 1
    return step


cdef inline uint8_t _share(uint64_t part, uint64_t whole) noexcept nogil:
    """Quantises a share: 0 for 0, and 1 to 10 for tenths."""
    if not part or not whole:
        return 0
    return <uint8_t> (1 + (SHARES - 1 if part * SHARES >= whole * SHARES else part * SHARES // whole))


cdef inline int _digits(const uint8_t** p, const uint8_t* end) noexcept nogil:
    """Passes over digits; returns their number."""
    cdef const uint8_t* start = p[0]
    while p[0] < end and is_digit(p[0][0]):
        p[0] += 1
    return <int> (p[0] - start)


cdef void _numbers(const uint8_t* p, const uint8_t* end, counts_t* found) noexcept nogil:
    """Looks for a date (1.2.2003, 2003-02-01, 1/2/03) or a time (12:30) that begins with the digit at `p`."""
    cdef const uint8_t* q = p
    cdef int first = _digits(&q, end)
    if first > 4 or q >= end:
        return
    cdef uint8_t sign = q[0]
    q += 1
    cdef int second = _digits(&q, end)
    if sign == c':':
        found.time |= first <= 2 and second == 2
        return
    if not (sign == c'.' or sign == c'/' or sign == c'-') or not 1 <= second <= 2 or q >= end or q[0] != sign:
        return
    q += 1
    cdef int third = _digits(&q, end)
    found.numeric_date |= (third == 2 or third == 4) if first <= 2 else (first == 4 and 1 <= third <= 2)


cdef bint _is_month(const uint8_t* p, size_t length) noexcept nogil:
    """Whether a word is the name of an English month, or at least its first three letters."""
    cdef const char* names = (
        "january   february  march     april     may       june      "
        "july      august    september october   november  december  "
    )
    cdef size_t m, k
    if not 3 <= length <= 9:
        return False
    for m in range(12):
        k = 0
        while k < length and (p[k] | 0x20) == <uint8_t> names[10 * m + k]:
            k += 1
        if k == length:
            return True
    return False


# Kinds of bullets and enumerations. Each form of an enumeration has its own value: ENUMERATED + 3 * kind + form.
cdef enum:
    NO_BULLET = 0
    DASH = 1
    BULLET_SIGN = 2
    ENUMERATED = 3
    WITH_DOT = 0         # forms: "1.", "1)" and "(1)"
    WITH_BRACKET = 1
    IN_BRACKETS = 2


cdef uint8_t _bullet(const uint8_t* start, const uint8_t* end) noexcept nogil:
    """Returns the kind of bullet or enumeration with which a block begins: up to 11, NO_BULLET if with none.

    After it comes a space or the end of the block: there may be a tag between a bullet and its text."""
    cdef const uint8_t* p = start
    cdef uint32_t code = 0
    cdef int kind, form
    if p == end:
        return NO_BULLET
    p += decode_utf8(p, <size_t> (end - p), &code)
    if is_bullet(code) and (p < end and p[0] == c' ' or p == end and code != c'o'):
        return DASH if code == c'-' or code == 0x2013 or code == 0x2014 else BULLET_SIGN
    p = enumeration_end(start, end, &kind)
    if p == NULL or p < end and p[0] != c' ':
        return NO_BULLET
    if p[-1] == c')':
        form = IN_BRACKETS if start[0] == c'(' else WITH_BRACKET
    elif start[0] == c'(':
        return NO_BULLET
    else:
        form = WITH_DOT
    return <uint8_t> (ENUMERATED + 3 * kind + form)


cdef bint _is_mark(uint32_t c) noexcept nogil:
    """Whether a character is punctuation that ends no sentence (Unicode's classes P of ASCII, Latin and CJK)."""
    if c < 0x80:
        return (
            0x21 <= c <= 0x23 or 0x25 <= c <= 0x2A or 0x2C <= c <= 0x2F or c == c':' or c == c';' or c == c'?'
            or c == c'@' or 0x5B <= c <= 0x5D or c == c'_' or c == c'{' or c == c'}'
        )
    return is_punctuation(c) or c == 0xA7 or c == 0xB6 or c == 0xB7


cdef void _end_token(bint letters, bint digits, counts_t* found) noexcept nogil:
    if letters and digits:
        found.mix_tokens += 1
    elif letters:
        found.alpha_tokens += 1
    elif digits:
        found.num_tokens += 1
    else:
        found.other_tokens += 1


cdef void _read(const uint8_t* start, const uint8_t* end, counts_t* found) noexcept nogil:
    cdef const uint8_t* p = start
    cdef const uint8_t* piece = start      # letters and digits, or other characters, of one token
    cdef const uint8_t* at
    cdef uint32_t code = 0, length = 0
    cdef bint in_string = False, letters = False, digits = False, final = False, after_string = False
    cdef bint any_string = False, capital = False, white
    cdef bint in_token = False, token_letters = False, token_digits = False
    cdef int case
    cdef uint64_t hash = FNV_OFFSET
    memset(found, 0, sizeof(counts_t))
    while True:
        at = p
        white = False
        case = NO_LETTER
        if p < end:
            p += decode_utf8(p, <size_t> (end - p), &code)
            found.chars += 1
            case = letter_case(code)
            if case != NO_LETTER and not is_digit(code):
                found.alpha += 1
            elif case != NO_LETTER:
                found.num += 1
                if not digits:
                    _numbers(at, end, found)
            elif code <= 0x20:
                found.white += 1
                white = True
            elif is_final(code) or _is_mark(code):
                found.punct += 1
                if code == c':' and end - at > 2 and at[1] == c'/' and at[2] == c'/':
                    found.url = 1
            else:
                found.other += 1
        # a piece ends
        if at > piece and (at == end or white or (case != NO_LETTER) != in_string):
            if in_string:
                token_letters |= letters
                token_digits |= digits
                if letters and not digits:
                    found.strings += 1
                    found.string_chars += length
                    found.string_runs += not after_string
                    found.month |= _is_month(piece, <size_t> (at - piece))
                    if not any_string:
                        found.begins = capital
                    if not found.url and at - piece == 3 and end - at > 1 and at[0] == c'.' and (
                        piece[0] | 0x20 == c'w' and piece[1] | 0x20 == c'w' and piece[2] | 0x20 == c'w'
                    ):
                        found.url = 2
                    any_string = True
                    found.ends = False
                after_string = letters and not digits
            else:
                # A mark inside a word or number, as in 3.14, does not end a sentence.
                if final and (at == end or white):
                    found.sentences += 1
                    found.ends = any_string
                after_string = False
            letters = digits = final = False
            length = 0
        if in_token and (at == end or white):
            _end_token(token_letters, token_digits, found)
            in_token = token_letters = token_digits = False
        if at == end:
            break
        if white:
            piece = p
            in_string = False
            continue
        in_token = True
        if length == 0:
            piece = at
            in_string = case != NO_LETTER
            capital = case == UPPER
        length += 1
        if case == NO_LETTER:
            final |= is_final(code)
        elif is_digit(code):
            digits = True
        else:
            letters = True
            hash = fnv(hash, code)
    found.hash = hash


cdef void _find_places(const element_t* elements, Py_ssize_t n, place_t* places) noexcept nogil:
    """Finds the place of each element. In the table of elements a parent precedes its children."""
    cdef Py_ssize_t i
    cdef place_t* place
    cdef uint8_t bits
    for i in range(n):
        place = &places[i]
        bits = tag_bits[elements[i].tag] if elements[i].tag < MAX_TAGS else 0
        if 0 <= elements[i].parent < i:
            place[0] = places[elements[i].parent]
        else:
            place[0] = place_t(-1, -1, 0)
        place.bits |= bits & INHERITED
        if bits & IS_TD:
            place.td = <int32_t> i
        if bits & IS_DIV:
            place.div = <int32_t> i


cdef inline int _bits_set(uint32_t bits) noexcept nogil:
    cdef int n = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


cdef void _count_p(
    const element_t* elements, Py_ssize_t n, Py_ssize_t n_runs, uint32_t* tags_of_p
) noexcept nogil:
    """Counts the tags <p> and </p> before each run. An element opens before its first run and closes after its last."""
    cdef Py_ssize_t i
    for i in range(n):
        if (
            elements[i].tag < MAX_TAGS and tag_bits[elements[i].tag] & IS_P
            and 0 <= elements[i].first_run <= elements[i].last_run <= n_runs
        ):
            tags_of_p[elements[i].first_run] += 1
            tags_of_p[elements[i].last_run] += 1


cdef void _add_tags(
    const run_t* runs, const segment_t* segments, const element_t* elements, Py_ssize_t i, tags_t* found
) noexcept nogil:
    """Adds the tags between a run and the run before it, except those of <p>."""
    cdef const run_t* run = &runs[i]
    cdef const segment_t* segment = &segments[run.segment]
    cdef int here = elements[run.element].depth + 1 if run.element >= 0 else 0
    cdef int before = 0, blocks = 0, inline_, breaks
    cdef uint32_t context = 0
    if i:
        before = elements[runs[i - 1].element].depth + 1 if runs[i - 1].element >= 0 else 0
        context = runs[i - 1].context
    if segment.first_run == i:
        blocks = segment.opened + segment.closed
    # <br> and <hr> open but never close. So their number is the rest after all other tags are counted.
    breaks = <int> run.opened - <int> run.closed - (here - before) - (
        _bits_set(run.context) - _bits_set(context)
    )
    breaks = breaks if breaks > 0 else 0
    # The rest also has inline elements without a bit of their own in the context, such as <nobr> or the second of two
    # nested <font>. Inside a segment it cannot be more than the segment's <br>.
    if segment.first_run != i and breaks > segment.breaks:
        breaks = segment.breaks
    inline_ = <int> run.opened + <int> run.closed - blocks - breaks
    found.breaks += <uint32_t> breaks
    found.block += <uint32_t> blocks
    found.inline_ += <uint32_t> (inline_ if inline_ > 0 else 0)


cdef struct seen_t:
    uint64_t key
    uint32_t times

# What is known of a page while its blocks are described.
cdef struct page_t:
    place_t* places      # of the elements
    uint64_t* by_td      # words outside links by innermost td; entry 0: outside of any td
    uint64_t* by_div     # the same by innermost div
    uint32_t* tags_of_p  # tags <p> before each run
    seen_t* seen         # texts of blocks
    seen_t** copies      # the text of each block
    size_t slots         # of `seen`
    uint64_t words
    uint64_t sentences


cdef inline void _write_markup(
    uint8_t* row, const run_t* run, const place_t* place, const tags_t* found
) noexcept nogil:
    """Writes the features of the markup around a block."""
    row[CONTAINER_P] = place.bits & IN_P != 0
    row[CONTAINER_A] = run.context >> CONTEXT_LINK & 1
    row[CONTAINER_U] = run.context >> CONTEXT_UNDERLINE & 1
    row[CONTAINER_IMG] = run.context >> CONTEXT_ALT & 1
    row[CLASS_HEADER] = place.bits & IN_HEADER != 0
    row[CLASS_BOLD] = run.context >> CONTEXT_BOLD & 1
    row[CLASS_ITALIC] = run.context >> CONTEXT_ITALIC & 1
    row[CLASS_LIST] = place.bits & IN_LIST != 0
    row[CLASS_FORM] = place.bits & IN_FORM != 0
    row[SPLIT_P] = _steps(found.p)
    row[SPLIT_BR] = _steps(found.breaks)
    row[SPLIT_INLINE] = _steps(found.inline_)
    row[SPLIT_BLOCK] = _steps(found.block)


cdef inline void _write_text(uint8_t* row, const counts_t* text) noexcept nogil:
    """Writes the features of the text of a block."""
    cdef uint32_t tokens = text.alpha_tokens + text.num_tokens + text.mix_tokens + text.other_tokens, length
    row[CHAR_ALPHA] = _share(text.alpha, text.chars)
    row[CHAR_NUM] = _share(text.num, text.chars)
    row[CHAR_PUNCT] = _share(text.punct, text.chars)
    row[CHAR_WHITE] = _share(text.white, text.chars)
    row[CHAR_OTHER] = _share(text.other, text.chars)
    row[TOKEN_ALPHA_ABS] = _steps(text.alpha_tokens)
    row[TOKEN_ALPHA_REL] = _share(text.alpha_tokens, tokens)
    row[TOKEN_NUM_ABS] = _steps(text.num_tokens)
    row[TOKEN_NUM_REL] = _share(text.num_tokens, tokens)
    row[TOKEN_MIX_ABS] = _steps(text.mix_tokens)
    row[TOKEN_MIX_REL] = _share(text.mix_tokens, tokens)
    row[TOKEN_OTHER_ABS] = _steps(text.other_tokens)
    row[TOKEN_OTHER_REL] = _share(text.other_tokens, tokens)
    row[SENTENCE_COUNT] = _steps(text.sentences)
    row[SENTENCE_LENGTH] = _steps(text.alpha_tokens // text.sentences) if text.sentences else 0
    row[WORD_LENGTH] = 0
    if text.strings:
        length = (2 * text.string_chars + text.strings) // (2 * text.strings)
        row[WORD_LENGTH] = <uint8_t> length if length < MOST else MOST
    row[WORD_RUN] = _steps(text.strings // text.string_runs) if text.string_runs else 0
    row[SENTENCE_BEGIN] = text.begins
    row[SENTENCE_END] = text.ends
    row[REGEXP_URL] = text.url
    row[REGEXP_DATE] = 1 if text.numeric_date else (2 if text.month and text.num_tokens + text.mix_tokens else 0)
    row[REGEXP_TIME] = text.time


cdef void _fill_blocks(
    const tables_t* t, const int32_t* rows, Py_ssize_t n, uint8_t* values, page_t* page
) noexcept nogil:
    """Writes the features of each block alone, and counts words, sentences and copies of texts."""
    cdef Py_ssize_t block, i, next_run = 0
    cdef const run_t* run
    cdef const place_t* place
    cdef place_t nowhere = place_t(-1, -1, 0)
    cdef uint8_t* row
    cdef counts_t text
    cdef tags_t found
    for block in range(n):
        i = rows[block]
        run = &t.runs[i]
        place = &page.places[run.element] if run.element >= 0 else &nowhere
        row = values + block * FEATURES
        # the tags of the runs between two chosen ones count too
        found = tags_t(0, 0, 0, 0)
        while next_run <= i:
            found.p += page.tags_of_p[next_run]
            _add_tags(t.runs, t.segments, t.elements, next_run, &found)
            next_run += 1
        _write_markup(row, run, place, &found)
        _read(t.text + run.start, t.text + run.end, &text)
        _write_text(row, &text)
        row[BULLET] = _bullet(t.text + run.start, t.text + run.end)
        page.words += text.alpha_tokens
        page.sentences += text.sentences
        if not run.context >> CONTEXT_LINK & 1:
            page.by_td[place.td + 1] += text.alpha_tokens
            page.by_div[place.div + 1] += text.alpha_tokens
        page.copies[block] = <seen_t*> row_of(page.seen, sizeof(seen_t), page.slots - 1, text.hash | 1)
        row[FIRST_DUPLICATE] = page.copies[block].times == 0
        page.copies[block].times += 1


cdef void _fill_of_page(
    const tables_t* t, const int32_t* rows, Py_ssize_t n, uint8_t* values, const page_t* page
) noexcept nogil:
    """Writes the features that need the whole page."""
    cdef Py_ssize_t block, group
    cdef uint64_t most_td = 0, most_div = 0
    cdef place_t nowhere = place_t(-1, -1, 0)
    cdef const run_t* run
    cdef const place_t* place
    cdef uint8_t* row
    for group in range(t.n_elements + 1):
        most_td = page.by_td[group] if page.by_td[group] > most_td else most_td
        most_div = page.by_div[group] if page.by_div[group] > most_div else most_div
    for block in range(n):
        run = &t.runs[rows[block]]
        place = &page.places[run.element] if run.element >= 0 else &nowhere
        row = values + block * FEATURES
        # a block that is there only once is in no group of duplicates
        row[FIRST_DUPLICATE] &= page.copies[block].times > 1
        row[DUPLICATE_COUNT] = _steps(page.copies[block].times)
        row[POSITION] = <uint8_t> (1 + block * SHARES // n)
        row[DOCUMENT_WORDS] = _octaves(page.words)
        row[DOCUMENT_SENTENCES] = _octaves(page.sentences)
        row[DOCUMENT_BLOCKS] = _octaves(<uint64_t> n)
        row[MAX_DIV_GROUP] = _share(most_div, page.words)
        row[MAX_TD_GROUP] = _share(most_td, page.words)
        row[TD_GROUP] = _share(page.by_td[place.td + 1], page.words)
        row[DIV_GROUP] = _share(page.by_div[place.div + 1], page.words)
        row[FRAGMENTATION] = _steps(<uint32_t> (page.words // <uint64_t> n))


def features(Tables tables not None, rows):
    """Returns the features of some of a document's runs. The other runs are ignored.

    Args:
        tables: of the Document.
        rows: shape (blocks,), int32: the numbers of the runs, ascending.

    Returns:
        Shape (blocks, NUMBER), uint8: values from 0 to 14.

    Raises:
        IndexError: a row is not the number of a run.
    """
    chosen = np.ascontiguousarray(rows, np.int32)
    values = np.zeros((len(chosen), FEATURES), np.uint8)
    if not len(chosen):
        return values
    if chosen.min() < 0 or chosen.max() >= tables.t.n_runs:
        raise IndexError(f"there are {tables.t.n_runs} runs")
    cdef const int32_t[::1] r = chosen
    cdef uint8_t[:, ::1] v = values
    cdef const tables_t* t = &tables.t
    cdef Py_ssize_t n = r.shape[0]
    cdef size_t slots = rows_for(<uint64_t> n)
    cdef list memory = []
    cdef page_t page = page_t(
        <place_t*> zeros(memory, t.n_elements + 1, sizeof(place_t)),
        <uint64_t*> zeros(memory, t.n_elements + 1, sizeof(uint64_t)),
        <uint64_t*> zeros(memory, t.n_elements + 1, sizeof(uint64_t)),
        <uint32_t*> zeros(memory, t.n_runs + 1, sizeof(uint32_t)),
        <seen_t*> zeros(memory, slots, sizeof(seen_t)),
        <seen_t**> zeros(memory, n, sizeof(void*)),
        slots, 0, 0,
    )
    with nogil:
        _find_places(t.elements, t.n_elements, page.places)
        _count_p(t.elements, t.n_elements, t.n_runs, page.tags_of_p)
        _fill_blocks(t, &r[0], n, &v[0, 0], &page)
        _fill_of_page(t, &r[0], n, &v[0, 0], &page)
    return values


# --------------------------------------------------------------------------------------------------
# The conditional random field.

cdef enum:
    MAX_LABELS = 8
    # The number of values of a feature. The last value is that of a position outside the sequence.
    VALUES = 16
    OUTSIDE = 15
    # The bound of a difference of scores (natural logarithm): a product of two probabilities never underflows to 0.
    LIMIT = 300


cdef void _state_scores(
    const uint8_t* values, Py_ssize_t n, Py_ssize_t features, const int32_t* slots, const int32_t* first,
    const float* weights, int labels, double* scores
) noexcept nogil:
    """Adds the weights of each position's features to its scores.

    `slots` holds pairs of slot number and offset, sorted by feature: the pairs of feature f are
    `first[f]` … `first[f + 1] - 1`.
    """
    cdef Py_ssize_t t, f, k, at, ahead
    cdef int y
    cdef uint8_t value
    cdef const float* row
    cdef double* sums
    for t in range(n):
        for f in range(features):
            value = values[t * features + f] & 15
            # Value 0 has no weight, and most values are 0.
            if value == 0:
                continue
            for k in range(first[f], first[f + 1]):
                at = t - slots[2 * k + 1]
                if 0 <= at < n:
                    row = weights + (slots[2 * k] * VALUES + value) * labels
                    sums = scores + at * labels
                    for y in range(labels):
                        sums[y] += row[y]
    # A position near an end reads positions outside the sequence.
    for k in range(first[features]):
        ahead = slots[2 * k + 1]
        row = weights + (slots[2 * k] * VALUES + OUTSIDE) * labels
        for t in range(max(0, n - ahead) if ahead > 0 else 0, n if ahead > 0 else min(n, -ahead)):
            sums = scores + t * labels
            for y in range(labels):
                sums[y] += row[y]


cdef void _scaled(const double* scores, int labels, double* psi) noexcept nogil:
    """Computes exp(score − largest score) of each label."""
    cdef double largest = scores[0]
    cdef int y
    for y in range(1, labels):
        largest = fmax(largest, scores[y])
    for y in range(labels):
        psi[y] = exp(fmax(scores[y] - largest, -LIMIT))


cdef void _marginals(
    const double* scores, Py_ssize_t n, const double* moves, int labels, double* result
) noexcept nogil:
    """`moves[a * labels + b]` is the factor of the transition from a to b."""
    cdef double[MAX_LABELS] psi
    cdef double[MAX_LABELS] message
    cdef double[MAX_LABELS] next
    cdef double total
    cdef Py_ssize_t t
    cdef int a, b
    # Forward: the evidence up to and including this position.
    for t in range(n):
        _scaled(scores + t * labels, labels, psi)
        total = 0
        for b in range(labels):
            if t:
                next[b] = 0
                for a in range(labels):
                    next[b] += result[(t - 1) * labels + a] * moves[a * labels + b]
                next[b] *= psi[b]
            else:
                next[b] = psi[b]
            total += next[b]
        for b in range(labels):
            result[t * labels + b] = next[b] / total
    # Backward: the evidence after this position.
    for a in range(labels):
        message[a] = 1
    for t in range(n - 1, -1, -1):
        total = 0
        for a in range(labels):
            result[t * labels + a] *= message[a]
            total += result[t * labels + a]
        for a in range(labels):
            result[t * labels + a] /= total
        _scaled(scores + t * labels, labels, psi)
        total = 0
        for a in range(labels):
            next[a] = 0
            for b in range(labels):
                next[a] += moves[a * labels + b] * psi[b] * message[b]
            total += next[a]
        for a in range(labels):
            message[a] = next[a] / total


def state_scores(values, slots, weights):
    """Returns the state score of every label at every position: the sum of the weights of its features.

    Args:
        values: shape (positions, features), uint8, 0 to 14. The value 0 means "absent" and has no weight.
        slots: shape (slots, 2), int32: the number of a feature, and the offset at which it is read (in
            positions; positive is ahead).
        weights: shape (16 * slots, labels), float32: for each slot one row per value. The last row is for
            positions outside the sequence.

    Returns:
        Shape (positions, labels), float64.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    values, slots = np.ascontiguousarray(values, np.uint8), np.ascontiguousarray(slots, np.int32)
    weights = np.ascontiguousarray(weights, np.float32)
    if not (
        values.ndim == slots.ndim == weights.ndim == 2
        and slots.shape[1] == 2
        and len(weights) == VALUES * len(slots)
        and (not len(slots) or 0 <= slots[:, 0].min() <= slots[:, 0].max() < values.shape[1])
    ):
        raise ValueError(
            f"values, slots and weights do not belong together: {values.shape}, {slots.shape}, {weights.shape}"
        )
    scores = np.zeros((len(values), weights.shape[1]))
    order = np.argsort(slots[:, 0], kind="stable")
    by_feature = np.column_stack((order, slots[order, 1])).astype(np.int32)
    starts = np.searchsorted(slots[order, 0], np.arange(values.shape[1] + 1)).astype(np.int32)
    cdef const uint8_t[:, ::1] v = values
    cdef const int32_t[:, ::1] s = by_feature
    cdef const int32_t[::1] f = starts
    cdef const float[:, ::1] w = weights
    cdef double[:, ::1] result = scores
    if scores.size and len(slots):
        with nogil:
            _state_scores(
                &v[0, 0], v.shape[0], v.shape[1], &s[0, 0], &f[0], &w[0, 0], <int> w.shape[1], &result[0, 0]
            )
    return scores


def marginals(scores, transitions):
    """Returns the probability of every label at every position, given the whole sequence.

    Args:
        scores: shape (positions, labels), float64, finite, natural logarithm. At most eight labels.
        transitions: shape (labels, labels), float64, finite: the score of the transition from the first label
            to the second.

    Returns:
        Shape (positions, labels), float64; rows sum to one.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    scores = np.ascontiguousarray(scores, np.float64)
    transitions = np.asarray(transitions, np.float64)
    if scores.ndim != 2 or not 1 <= scores.shape[1] <= MAX_LABELS or transitions.shape != (scores.shape[1],) * 2:
        raise ValueError(f"scores and transitions do not belong together: {scores.shape}, {transitions.shape}")
    result = np.empty_like(scores)
    if not len(scores):
        return result
    factors = np.exp(np.maximum(transitions - transitions.max(), -LIMIT))
    cdef const double[:, ::1] s = scores
    cdef const double[:, ::1] f = factors
    cdef double[:, ::1] r = result
    with nogil:
        _marginals(&s[0, 0], s.shape[0], &f[0, 0], <int> s.shape[1], &r[0, 0])
    return result
