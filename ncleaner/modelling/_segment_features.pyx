"""Features of one segment: its text, its markup, its place, and the blocks around it.

These features need no judgement of any segment; `_page_features.pyx` has the features that need one. Values are
counts, shares and differences, never logarithms: the scale is without effect on decision trees, and sums and quotients
are the same on every processor.

There is one pass over the text, one over the elements and one over the segments, all without the GIL.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memset

from ncleaner.document._hashes cimport hash_bytes, mix, row_of, rows_for
from ncleaner.document._tables cimport (
    BYLINE, HEADLINE, HIDDEN as HIDDEN_FLAG, PREFORMATTED as PREFORMATTED_FLAG, Tables, element_t, run_t, segment_t,
    tables_t,
)
from ncleaner.document._tags cimport (
    CONTEXT_BOLD, CONTEXT_CODE, CONTEXT_FONT, CONTEXT_ITALIC, CONTEXT_LABEL, CONTEXT_SMALL, CONTEXT_SPAN,
    CONTEXT_TIME, MAX_TAGS, TAG_H1, TAG_H6,
)
from ncleaner.text._ascii cimport is_digit
from ncleaner.text._letters cimport (
    LOWER as LOWER_LETTER, UNCASED, UPPER as UPPER_LETTER, decode_utf8, has_marker, is_final, last_mark, letter_case,
)

from ncleaner.document import tags as _tags

# The columns, in the order of `features.py`, which says what they are.
cpdef enum:
    # the text of the segment and its inline markup
    WORDS = 0, CHARS, WORD_LENGTH, LINK_DENSITY, LOWER, UPPER, DIGITS, PUNCTUATION, WITHOUT_CASE, CAPITALISED
    SENTENCES, COMMAS, QUESTIONS, SEPARATORS, MONEY, SIGNS, QUOTES, ENDS_SENTENCE, ENDS_COLON, BEGINS_UPPER
    BEGINS_LOWER, BEGINS_DIGIT, BULLET, HEADING, ITEM, BREAKS, PREFORMATTED, HIDDEN, RUNS, BOLD, ITALIC, SMALL
    CODE, TIME, LABEL, SPAN, FONT, OPENED, CLOSED, DUPLICATES, SEEN_BEFORE, OF_TITLE, TITLE_COVERED, ODDS
    ODDS_PER_CHAR, POSTERIOR
    # the place of the segment in the reading order and among the headings
    POSITION, CHAR_POSITION, FROM_START, FROM_END, FROM_HEADLINE, HEADLINE_ABOVE, HEADLINE_BELOW, HAS_H1
    FROM_HEADING, HEADING_LEVEL, DEPTH, LINKS_BEFORE, LINKS_AFTER, HEADING_LINKS, IN_BYLINE, IN_STANDFIRST
    IN_CAPTION, IN_COMMENT, IN_RELATED
    # learned weights of the words in class, id and role, here and above
    NAMES_OWN, NAMES_LEAST, NAMES_MOST, NAMES_SUM, NAMES_NEAR

# Then one column for each group of tags of the innermost block, one for each group of tags of the blocks above it, and
# one for each cue of tags.py: 2 if one of the innermost three blocks has the cue, 1 if a block farther up has it.
OWN_TAGS = (
    "p", "li", "td th", "h1", "h2", "h3", "h4 h5 h6", "div", "dt", "dd", "pre listing xmp", "blockquote",
    "section article main", "-", "figcaption caption", "summary", "label legend", "center address",
)  # fmt: skip
TAGS_ABOVE = (
    "article", "main", "aside", "header", "footer", "nav", "form fieldset", "table", "ul ol menu", "dl",
    "figure", "blockquote", "section", "details", "pre", "noscript", "dialog", "tr", "li", "p", "-", "script",
)  # fmt: skip

cdef enum:
    NAME_BITS = 14          # there are 2 to the power of this many weights of hashed words
    NEAR = 3                # number of innermost blocks that count as near
    # number of words of a segment and of the title that are compared
    TITLE_WORDS = 32
    CONTEXTS = 8

cdef int own_group[MAX_TAGS]
cdef int above_group[MAX_TAGS]
cdef uint32_t contexts[CONTEXTS]
cdef int n_own = len(OWN_TAGS), n_above = len(TAGS_ABOVE), n_cues = len(_tags.CUES)
FIRST_OWN = int(NAMES_NEAR) + 1
FIRST_ABOVE = FIRST_OWN + len(OWN_TAGS)
FIRST_CUE = FIRST_ABOVE + len(TAGS_ABOVE)
COLUMNS = FIRST_CUE + len(_tags.CUES)
WEIGHTS = 1 << NAME_BITS
cdef int columns = COLUMNS


cdef void _fill_tag_tables():
    for groups, table in ((OWN_TAGS, 0), (TAGS_ABOVE, 1)):
        codes = dict.fromkeys(range(MAX_TAGS), -1)
        for number, names in enumerate(groups):
            codes.update(dict.fromkeys((_tags.CODE[name] for name in names.split()), number))
        for code, number in codes.items():
            if table:
                above_group[code] = number
            else:
                own_group[code] = number

_fill_tag_tables()
# in the order of their columns
contexts[:] = [
    1 << CONTEXT_BOLD, 1 << CONTEXT_ITALIC, 1 << CONTEXT_SMALL, 1 << CONTEXT_CODE, 1 << CONTEXT_TIME,
    1 << CONTEXT_LABEL, 1 << CONTEXT_SPAN, 1 << CONTEXT_FONT,
]

# --------------------------------------------------------------------------------------------------
# Characters: a table for ASCII, the functions of _letters for all others.

cdef enum:
    IS_LOWER = 0
    IS_UPPER
    IS_DIGIT
    IS_UNCASED
    IS_SPACE
    IS_OTHER
    IS_COMMA
    IS_FINAL
    IS_QUESTION
    IS_SEPARATOR
    IS_MONEY
    IS_SIGN
    IS_QUOTE
    BEGINS_WORD             # these two count words: all, and those that begin with a capital
    BEGINS_CAPITAL

# An entry holds a 1 in the byte of the kind of its character: for the first eight kinds in one table, for the others
# in the second one. So one addition per table counts all kinds. The third table has what a character counts besides
# where a word can begin.
cdef enum:
    MOST_IN_BYTE = 255
cdef uint64_t ALL_BITS = <uint64_t> 0xFFFFFFFFFFFFFFFF
cdef uint64_t first_kinds[128]
cdef uint64_t other_kinds[128]
cdef uint64_t begins[128]
# After a character, a word can begin if one could before and the character leaves it so, or if the character is white
# space: all bits or none.
cdef uint64_t leaves[128]
cdef uint64_t opens[128]
# The characters in which words are compared: ASCII case is folded, and 0 separates words.
cdef uint8_t folded[256]


cdef void _fill_character_tables():
    for c in range(128):
        ch = chr(c)
        kind = (
            IS_LOWER if ch.islower() else IS_UPPER if ch.isupper() else IS_DIGIT if ch.isdigit()
            else IS_SPACE if ch.isspace() else IS_COMMA if ch == "," else IS_FINAL if ch == "."
            else IS_QUESTION if ch in "?!" else IS_SEPARATOR if ch in "|/>" else IS_MONEY if ch in "$%"
            else IS_SIGN if ch in "#@+=" else IS_QUOTE if ch == '"' else IS_OTHER
        )
        first_kinds[c] = 1 << 8 * kind if kind < 8 else 0
        other_kinds[c] = 1 << 8 * (kind - 8) if kind >= 8 else 0
        begins[c] = <uint64_t> 1 << 8 * (BEGINS_WORD - 8) if kind <= IS_UNCASED else 0
        if kind == IS_UPPER:
            begins[c] += <uint64_t> 1 << 8 * (BEGINS_CAPITAL - 8)
        leaves[c] = 0 if kind <= IS_UNCASED else ALL_BITS
        opens[c] = ALL_BITS if kind == IS_SPACE else 0
    for c in range(256):
        ch = chr(c)
        folded[c] = c if c >= 128 else ord(ch.lower()) if ch.isalnum() else 0

_fill_character_tables()


cdef int _kind(uint32_t code) noexcept nogil:
    """Returns the kind of a character beyond ASCII."""
    cdef int case_ = letter_case(code)
    if case_ == LOWER_LETTER:
        return IS_LOWER
    if case_ == UNCASED:
        return IS_UNCASED
    if case_ == UPPER_LETTER:
        return IS_UPPER
    if code == 0x3001 or code == 0xFF0C or code == 0x060C:
        return IS_COMMA
    if code == 0xFF1F or code == 0xFF01 or code == 0x061F:
        return IS_QUESTION
    if is_final(code):
        return IS_FINAL
    if code == 0xBB or code == 0xB7 or code == 0x2022 or code == 0x203A:
        return IS_SEPARATOR
    if code == 0x20AC or code == 0xA3 or code == 0xA5:
        return IS_MONEY
    if code == 0xA9:
        return IS_SIGN
    return IS_QUOTE if code == 0x201C or code == 0x201D or code == 0x2018 or code == 0xAB else IS_OTHER


cdef void _flush(uint32_t* counts, uint64_t* some, uint64_t* others) noexcept nogil:
    """Adds the counts in bytes to the counts in words, before a byte overflows."""
    cdef int k
    for k in range(8):
        counts[k] += some[0] >> 8 * k & 0xFF
        counts[k + 8] += others[0] >> 8 * k & 0xFF
    some[0] = others[0] = 0


cdef void _scan(const uint8_t* p, const uint8_t* end, float* x, float chars) noexcept nogil:
    """Counts the character and word classes of one segment."""
    cdef uint32_t counts[16]
    cdef uint64_t some = 0, others = 0
    # Whether a word can begin here. Punctuation before a word does not change this.
    cdef uint64_t fresh = ALL_BITS
    cdef uint32_t code
    cdef const uint8_t* begun
    cdef const uint8_t* stop
    cdef Py_ssize_t room = MOST_IN_BYTE
    cdef int kind
    memset(counts, 0, sizeof(counts))
    while p < end:
        if p[0] < 0x80:
            begun = p
            stop = p + min(room, <Py_ssize_t> (end - p))
            # No branch: a processor cannot predict where a word ends.
            while p < stop and p[0] < 0x80:
                some += first_kinds[p[0]]
                others += other_kinds[p[0]] + (begins[p[0]] & fresh)
                fresh = fresh & leaves[p[0]] | opens[p[0]]
                p += 1
            room -= p - begun
            if room == 0:
                _flush(counts, &some, &others)
                room = MOST_IN_BYTE
            continue
        p += decode_utf8(p, <size_t> (end - p), &code)
        kind = _kind(code)
        counts[kind] += 1
        if kind <= IS_UNCASED:
            if fresh:
                counts[BEGINS_WORD] += 1
                counts[BEGINS_CAPITAL] += kind == IS_UPPER
            fresh = 0
    _flush(counts, &some, &others)
    x[LOWER] = counts[IS_LOWER] / chars
    x[UPPER] = counts[IS_UPPER] / chars
    x[DIGITS] = counts[IS_DIGIT] / chars
    x[WITHOUT_CASE] = counts[IS_UNCASED] / chars
    x[COMMAS] = counts[IS_COMMA]
    x[SENTENCES] = counts[IS_FINAL] + counts[IS_QUESTION]
    x[QUESTIONS] = counts[IS_QUESTION]
    x[SEPARATORS] = counts[IS_SEPARATOR]
    x[MONEY] = counts[IS_MONEY]
    x[SIGNS] = counts[IS_SIGN]
    x[QUOTES] = counts[IS_QUOTE]
    x[PUNCTUATION] = (
        counts[IS_OTHER] + counts[IS_COMMA] + counts[IS_FINAL] + counts[IS_QUESTION] + counts[IS_SEPARATOR]
        + counts[IS_MONEY] + counts[IS_SIGN] + counts[IS_QUOTE]
    ) / chars
    x[CAPITALISED] = counts[BEGINS_CAPITAL] / <float> max(counts[BEGINS_WORD], 1)


cdef void _edges(const uint8_t* p, const uint8_t* end, float* x) noexcept nogil:
    """Writes the features of the first and the last character of the segment."""
    cdef uint32_t code, mark = last_mark(p, end)
    x[ENDS_SENTENCE] = is_final(mark)
    x[ENDS_COLON] = mark == c':' or mark == 0xFF1A
    decode_utf8(p, <size_t> (end - p), &code)
    cdef int case_ = letter_case(code)
    x[BEGINS_DIGIT] = is_digit(code)
    x[BEGINS_UPPER] = case_ == UPPER_LETTER and not is_digit(code)
    x[BEGINS_LOWER] = case_ == LOWER_LETTER
    x[BULLET] = has_marker(p, end)


# --------------------------------------------------------------------------------------------------
# Duplicates and the title.

cdef struct seen_t:
    uint64_t key
    uint32_t times
    uint32_t met


cdef int _words(const uint8_t* p, const uint8_t* end, uint64_t* out) noexcept nogil:
    """Writes the hashes of up to TITLE_WORDS words, ASCII case folded, and returns their number."""
    cdef uint64_t h = 0
    cdef int n = 0
    cdef uint8_t c
    while p <= end and n < TITLE_WORDS:
        c = folded[p[0]] if p < end else 0
        if c:
            # These bits keep words of up to twelve letters apart. One mix at the end spreads the bits.
            h = (h << 5) + h + c
        elif h:
            out[n] = mix(h)
            n += 1
            h = 0
        p += 1
    return n


cdef int _common(const uint64_t* words, int n, const uint64_t* title, int n_title) noexcept nogil:
    """Counts the words that occur in the title."""
    cdef int i, j, common = 0
    cdef uint64_t some = 0
    # A quick test: the first six bits of most words differ from the first bits of all words of the title.
    for j in range(n_title):
        some |= <uint64_t> 1 << (title[j] >> 58)
    for i in range(n):
        if some >> (words[i] >> 58) & 1:
            for j in range(n_title):
                if words[i] == title[j]:
                    common += 1
                    break
    return common


cdef void _against_title(
    const uint8_t* p, const uint8_t* end, const uint64_t* title, int n_title, float* x
) noexcept nogil:
    cdef uint64_t words[TITLE_WORDS]
    cdef int n = _words(p, end, words), common = _common(words, n, title, n_title)
    x[OF_TITLE] = common / <float> (n if n else 1)
    x[TITLE_COVERED] = common / <float> (n_title if n_title else 1)


# --------------------------------------------------------------------------------------------------
# Blocks. Values about an element and all elements above it are computed once for each element.

cdef struct block_t:
    uint32_t above        # groups of tags of this block and all blocks above
    uint32_t cues         # cues of this block and all blocks above
    uint32_t near         # cues of this block and the two above
    float names_own
    float names_least
    float names_most
    float names_sum
    float names_near
    int32_t headline_above   # levels up to the first block that holds the headline
    int32_t headline_below   # levels down from that block to the headline


# A cache of the weights of lists of names: elements of the same class share their list.
cdef enum:
    CACHED = 256

cdef struct names_t:
    uint32_t names           # the place of the list, plus 1; 0 for an empty entry
    float least
    float most
    float total


cdef void _describe_blocks(
    const element_t* elements, Py_ssize_t n, const uint16_t* names, const float* weights, int32_t headline,
    block_t* blocks
) noexcept nogil:
    cdef Py_ssize_t i
    cdef int level, _level, k
    cdef float weight
    cdef names_t cache[CACHED]
    cdef names_t* known
    cdef block_t* b
    cdef block_t* parent
    cdef const uint16_t* words
    cdef block_t root
    memset(&root, 0, sizeof(root))
    memset(cache, 0, sizeof(cache))
    for i in range(n):
        blocks[i].headline_above = -1
    cdef int32_t at = headline
    level = 0
    while at >= 0:
        blocks[at].headline_above = 0
        blocks[at].headline_below = level
        level += 1
        at = elements[at].parent
    root.headline_above = -1
    for i in range(n):
        b = &blocks[i]
        parent = &blocks[elements[i].parent] if elements[i].parent >= 0 else &root
        b.above = parent.above
        if above_group[elements[i].tag % MAX_TAGS] >= 0:
            b.above |= <uint32_t> 1 << above_group[elements[i].tag % MAX_TAGS]
        b.cues = parent.cues | elements[i].cues
        if b.headline_above < 0 and parent.headline_above >= 0:
            b.headline_above = parent.headline_above + 1
            b.headline_below = parent.headline_below
        b.near = 0
        at = <int32_t> i
        for _level in range(NEAR):
            if at < 0:
                break
            b.near |= elements[at].cues
            at = elements[at].parent
        known = &cache[elements[i].names % CACHED]
        if known.names != elements[i].names + 1:
            words = names + elements[i].names
            known.names = elements[i].names + 1
            known.least = known.most = known.total = 0
            for k in range(1, words[0] + 1):
                weight = weights[words[k] >> (16 - NAME_BITS)]
                known.total += weight
                known.least = min(known.least, weight)
                known.most = max(known.most, weight)
        b.names_own = max(-4, min(4, known.total))
        b.names_least = min(parent.names_least, known.least)
        b.names_most = max(parent.names_most, known.most)
        b.names_sum = parent.names_sum + b.names_own
        b.names_near = <float> 0.5 * parent.names_near + b.names_own


# The bits of a byte as numbers.
cdef float bits_of[256][8]
for _byte in range(256):
    for _bit in range(8):
        bits_of[_byte][_bit] = _byte >> _bit & 1


cdef inline void _write_bits(uint32_t bits, uint32_t others, int n, float* x) noexcept nogil:
    """Writes the sum of the bits at each of `n` places of two numbers, eight places at a time."""
    cdef const float* a
    cdef const float* b
    cdef int k
    while n > 0:
        a = bits_of[bits & 255]
        b = bits_of[others & 255]
        if n >= 8:
            for k in range(8):
                x[k] = a[k] + b[k]
        else:
            for k in range(n):
                x[k] = a[k] + b[k]
        bits >>= 8
        others >>= 8
        x += 8
        n -= 8


cdef void _place_in_blocks(const block_t* b, const element_t* e, float* x) noexcept nogil:
    cdef int group = own_group[e.tag % MAX_TAGS]
    x[DEPTH] = e.depth
    x[HEADLINE_ABOVE] = b.headline_above
    x[HEADLINE_BELOW] = b.headline_below
    x[NAMES_OWN] = b.names_own
    x[NAMES_LEAST] = b.names_least
    x[NAMES_MOST] = b.names_most
    x[NAMES_SUM] = b.names_sum
    x[NAMES_NEAR] = b.names_near
    x += NAMES_NEAR + 1
    if group >= 0:
        x[group] = 1
    x += n_own
    _write_bits(b.above, 0, n_above, x)
    x += n_above
    _write_bits(b.cues, b.near, n_cues, x)


# --------------------------------------------------------------------------------------------------

cdef void _inline(const run_t* runs, const segment_t* s, float* x) noexcept nogil:
    """Writes the shares of the text in inline markup."""
    cdef float size = s.end - s.start
    cdef int32_t i
    cdef int k
    cdef uint32_t context
    x[RUNS] = s.last_run - s.first_run + 1
    for i in range(s.first_run, s.last_run + 1):
        context = runs[i].context
        if context:
            for k in range(CONTEXTS):
                if context & contexts[k]:
                    x[BOLD + k] += (runs[i].end - runs[i].start) / size


cdef void _fill(
    const uint8_t* text, const run_t* runs, const segment_t* segments, Py_ssize_t n, const element_t* elements,
    const block_t* blocks, const double* odds, const double* posterior, const uint64_t* title, int n_title,
    Py_ssize_t headline, seen_t* seen, seen_t** copies, uint64_t mask, float* out, Py_ssize_t width,
) noexcept nogil:
    cdef Py_ssize_t i, heading = -1
    cdef bint has_h1 = False
    cdef float links = 0, heading_links = 0
    cdef const segment_t* s
    cdef const uint8_t* p
    cdef const uint8_t* end
    cdef seen_t* entry
    cdef float* x
    cdef float chars
    cdef double before = 0, total = 0
    cdef int level = 0, tag
    for i in range(n):
        s = &segments[i]
        total += s.chars
        # copies that are not shown, such as those for another size of screen, are only copies of each other
        copies[i] = <seen_t*> row_of(
            seen, sizeof(seen_t), mask,
            hash_bytes(s.end - s.start + ((s.flags & HIDDEN_FLAG) << 16), text + s.start, s.end - s.start) | 1,
        )
        copies[i].times += 1
        has_h1 |= s.element >= 0 and elements[s.element].tag == TAG_H1
    for i in range(n):
        s = &segments[i]
        x = out + i * width
        memset(x, 0, <size_t> width * sizeof(float))
        p = text + s.start
        end = text + s.end
        chars = s.chars if s.chars else 1
        x[WORDS] = s.words
        x[CHARS] = s.chars
        x[WORD_LENGTH] = chars / (s.words if s.words else 1)
        x[LINK_DENSITY] = s.link_chars / chars
        _scan(p, end, x, chars)
        _edges(p, end, x)
        x[HEADING] = s.kind == c'h'
        x[ITEM] = s.kind == c'l'
        x[BREAKS] = s.breaks
        x[PREFORMATTED] = s.flags & PREFORMATTED_FLAG != 0
        x[HIDDEN] = s.flags & HIDDEN_FLAG != 0
        _inline(runs, s, x)
        x[OPENED] = s.opened
        x[CLOSED] = s.closed
        entry = copies[i]
        x[DUPLICATES] = entry.times
        x[SEEN_BEFORE] = entry.met
        entry.met += 1
        if s.words <= TITLE_WORDS and n_title:
            _against_title(p, end, title, n_title, x)
        x[ODDS] = odds[i]
        x[ODDS_PER_CHAR] = odds[i] / (chars + 1)
        x[POSTERIOR] = posterior[i]
        x[POSITION] = i / <float> n
        x[CHAR_POSITION] = before / (total if total else 1)
        before += s.chars
        x[FROM_START] = i
        x[FROM_END] = n - i
        x[FROM_HEADLINE] = i - headline if headline >= 0 else 0
        x[HEADLINE_ABOVE] = -1
        x[HAS_H1] = has_h1
        x[FROM_HEADING] = i - heading if heading >= 0 else n
        x[HEADING_LEVEL] = level
        x[LINKS_BEFORE] = links
        links = x[LINK_DENSITY]
        x[LINKS_AFTER] = segments[i + 1].link_chars / <float> max(segments[i + 1].chars, 1) if i + 1 < n else 0
        x[HEADING_LINKS] = heading_links
        if s.kind == c'h':
            heading_links = links
        if s.zone >= BYLINE:
            x[IN_BYLINE + s.zone - BYLINE] = 1
        if s.element >= 0:
            _place_in_blocks(&blocks[s.element], &elements[s.element], x)
            tag = elements[s.element].tag
            if TAG_H1 <= tag <= TAG_H6:
                heading = i
                level = tag - TAG_H1 + 1


cdef bint fill_segments(
    const tables_t* t, const uint8_t* title, size_t title_length, const double* odds, const double* posterior,
    const float* weights, float* out, Py_ssize_t width
) noexcept nogil:
    """Writes the features of all segments, as `fill`. Returns False if there was not enough memory."""
    cdef Py_ssize_t n = t.n_segments, m = t.n_elements, headline = -1, i
    cdef uint64_t size = rows_for(n)
    cdef seen_t* seen = <seen_t*> calloc(size, sizeof(seen_t))
    cdef seen_t** copies = <seen_t**> calloc(n + 1, sizeof(void*))
    cdef block_t* blocks = <block_t*> calloc(m + 1, sizeof(block_t))
    cdef uint64_t words[TITLE_WORDS]
    cdef int n_title
    cdef bint done = seen != NULL and copies != NULL and blocks != NULL
    if done:
        n_title = _words(title, title + title_length, words)
        for i in range(n):
            if t.segments[i].zone == HEADLINE:
                headline = i
        _describe_blocks(
            t.elements, m, t.names, weights, t.segments[headline].element if headline >= 0 else -1, blocks
        )
        _fill(
            t.text, t.runs, t.segments, n, t.elements, blocks, odds, posterior, words, n_title, headline, seen, copies,
            size - 1, out, width,
        )
    free(seen)
    free(copies)
    free(blocks)
    return done


def fill(Tables tables not None, bytes title not None, odds, posterior, weights, float[:, ::1] out not None):
    """Writes the features of all segments of a Document.

    Args:
        tables: of the page.
        title: the page's title, UTF-8.
        odds: shape (segments,), float64: n-gram log-odds of each segment alone, in bits.
        posterior: shape (segments,), float64: n-gram log-odds given the whole page, in bits.
        weights: shape (WEIGHTS,), float32: weights of the hashed words in class, id and role.
        out: shape (segments, at least COLUMNS), float32; further columns are set to 0.

    Raises:
        ValueError: the shapes do not fit each other.
    """
    cdef Py_ssize_t n = tables.t.n_segments
    cdef const double[::1] sums = odds
    cdef const double[::1] after = posterior
    cdef const float[::1] weight = weights
    cdef const uint8_t* head = <const uint8_t*> <const char*> title
    cdef size_t length = len(title)
    cdef bint done
    if out.shape[0] != n or out.shape[1] < columns or sums.shape[0] != n or after.shape[0] != n:
        raise ValueError("the matrix does not fit the document")
    if weight.shape[0] != 1 << NAME_BITS:
        raise ValueError("the array of weights of names has another size")
    if n == 0:
        return
    with nogil:
        done = fill_segments(
            &tables.t, head, length, &sums[0], &after[0], &weight[0], &out[0, 0], out.shape[1]
        )
    if not done:
        raise MemoryError
