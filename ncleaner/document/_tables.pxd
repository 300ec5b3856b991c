"""The rows of a Document's tables, and the state of the builder that fills them.

This file is the interface between all compiled modules: the dumper of a page writes these structs, and the code for
scores and features reads them. NumPy's structured dtypes (`_tables.RUN` …) are made of these structs. The rows have no
padding.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport realloc

from ncleaner.document._hashes cimport mix
from ncleaner.document._tags cimport MAX_CONTEXTS, MAX_CUES

# The text between two tags. Offsets are bytes in the document's UTF-8 buffer.
ctypedef struct run_t:
    uint32_t start
    uint32_t end
    int32_t segment
    int32_t element      # innermost block element, -1 in a plain-text dump
    uint32_t context     # inline context, bits as in _tags.pxd
    uint32_t words       # number of words, separated by white space, that begin in this run
    uint32_t tags        # number of all tags of the tree since the previous run, including the parts left out
    uint32_t markup      # length in bytes of these tags
    uint16_t opened      # number of these tags that open an element that is not left out, at most 65,535
    uint16_t closed      # likewise for tags that close an element

# The text that a reader sees as one paragraph, heading or list item.
ctypedef struct segment_t:
    uint32_t start
    uint32_t end
    int32_t first_run    # runs [first_run, last_run]
    int32_t last_run
    int32_t element
    uint32_t chars       # number of code points, without white space
    uint32_t words       # number of words, separated by white space
    uint32_t link_chars  # number of the code points in `chars` that are inside <a>
    uint16_t opened      # number of blocks opened since the previous segment, at most 65,535
    uint16_t closed      # number of blocks closed since the previous segment, at most 65,535
    uint8_t kind         # 'p', 'h' or 'l'
    uint8_t breaks       # number of <br> and of preformatted line ends inside, at most 255
    uint8_t zone         # HEADLINE … RELATED, 0 for none
    uint8_t flags        # bits PREFORMATTED, HIDDEN, HEADER, STATE, STATED

# One block element of the tree, in document order.
ctypedef struct element_t:
    int32_t parent       # -1 for the root
    int32_t first_run    # runs [first_run, last_run); the two are equal if the element contains no text
    int32_t last_run
    uint32_t style       # hash of tag and class
    uint32_t cues        # cues from class, id and role, bits as in tags.py; and the bit CONCEALED
    uint32_t names       # index into the table of names, where the list of words of class, id and role begins
    uint32_t chars       # number of code points inside the element, without white space
    uint32_t tags        # number of elements inside, without line breaks, rules, images and parts left out
    uint16_t tag         # code as in _tags.pxd
    uint16_t depth

# What only formats with structure need of a page, in the order of the page: see `_marks.pxd`.
ctypedef struct mark_t:
    uint32_t run         # the first run after it
    int32_t element      # innermost block element around it, or the one that it describes; -1 for none
    uint32_t kind        # MARK_…
    uint32_t value       # a number, or where its text begins among the values
    uint32_t length      # of its text in bytes

# The tables of a document, wherever they are: what compiled code reads.
ctypedef struct tables_t:
    const uint8_t* text      # UTF-8 of all segments, each followed by a newline
    size_t length            # of the text in bytes
    const run_t* runs
    Py_ssize_t n_runs
    const segment_t* segments
    Py_ssize_t n_segments
    const element_t* elements
    Py_ssize_t n_elements
    const uint16_t* names
    Py_ssize_t n_names
    const mark_t* marks
    Py_ssize_t n_marks
    const uint8_t* values    # UTF-8 of the marks' texts
    size_t n_values          # in bytes

cdef enum:
    CACHED_STYLES = 512
    # Most words that are read from the class, id and role of one element.
    MAX_NAMES = 32
    # Zones of segments, in the order of `tables.ZONES`.
    HEADLINE = 1
    BYLINE = 2
    STANDFIRST = 3
    CAPTION = 4
    COMMENT = 5
    RELATED = 6
    # Bits of a segment's flags.
    PREFORMATTED = 1
    HIDDEN = 2           # inside an element that is not shown when the page opens
    HEADER = 4           # a field of the header of a message
    STATE = 8            # from the data of scripts; the page's markup does not have it
    STATED = 16          # the data of scripts has it as an ingredient, a step or an answer
    # Bit of an element's cues: an attribute or an inline style hides the element.
    CONCEALED = 1 << MAX_CUES
    # Not of an element: its class may be one of code without <pre>, of a callout, or of an overlay.
    SPECIAL = 2 << MAX_CUES

ctypedef struct builder_t:
    char* text
    size_t text_len      # end of the text written so far
    size_t text_cap
    size_t base          # start of the current segment
    size_t line          # start of the last line of the segment; <br> begins a new line
    size_t mark          # end of the last character of the segment that is not white space
    run_t* runs
    size_t n_runs
    size_t cap_runs
    segment_t* segments
    size_t n_segments
    size_t cap_segments
    size_t max_segments  # the builder keeps no more
    size_t surplus       # number of the segments that it has dropped
    element_t* elements
    size_t n_elements
    size_t cap_elements
    uint16_t* names      # lists of hashed words; each list begins with its length; the first list is empty
    size_t n_names
    size_t cap_names
    int32_t element      # innermost open block element
    uint32_t context
    int32_t inside[MAX_CONTEXTS]  # number of open elements for each context bit
    int32_t headings     # number of open h1 … h6
    int32_t pres         # number of open elements with preformatted text
    int32_t concealed    # number of open blocks that are not shown when the page opens
    bint item            # the next segment is the first one of a list item
    bint open            # a segment has begun
    bint space           # the last character written was white space
    bint object          # an image or control has been shown since the last character
    int32_t breaks       # number of <br> since the last character
    bint verse           # a single <br> ends a paragraph, whatever follows
    uint32_t seg_breaks
    uint32_t seg_words
    uint32_t run_words   # number of words of the segment in the runs that have ended
    uint32_t seg_chars
    uint32_t seg_links
    int32_t seg_first_run
    uint32_t tags_opened  # since the last run
    uint32_t tags_closed  # since the last run
    uint32_t markup      # length in bytes of the tags since the last run
    int32_t unheard      # tags of the parts left out, minus 1 for each void element that was opened and closed
    uint16_t blocks_opened
    uint16_t blocks_closed
    bint no_memory
    uint64_t cached_styles[CACHED_STYLES]
    uint32_t cached_cues[CACHED_STYLES]
    uint32_t cached_names[CACHED_STYLES]
    bint marking         # marks are wanted
    int32_t styled       # number of open elements with a mark of their style
    int32_t blanks       # number of empty lines of preformatted text since the last segment
    int32_t blanks_before  # that number at the beginning of the innermost block or row
    mark_t* marks
    size_t n_marks
    size_t cap_marks
    uint8_t* values
    size_t n_values
    size_t cap_values


cpdef enum:
    # The places of the tables in `Tables`.
    TEXT = 0
    RUNS = 1
    SEGMENTS = 2
    ELEMENTS = 3
    NAMES = 4
    MARKS = 5
    VALUES = 6
    COUNT = 7

cdef class Tables:
    cdef tables_t t
    cdef readonly Py_ssize_t tags_behind
    cdef void* rows[COUNT]
    cdef Py_ssize_t sizes[COUNT]
    cdef void* own[COUNT]    # memory to free; NULL for a table that belongs to an object in `arrays`
    cdef list arrays         # the tables that this was made of, or that people have asked for
    cdef void _point(self) noexcept
    cdef void take(self, int which, void** rows, size_t size) noexcept
    cdef uint8_t[::1] kept(self, mask)


cdef inline bint grow(void** rows, size_t* cap, size_t needed, size_t size, bint* no_memory) noexcept nogil:
    """Makes room for `needed` rows of `size` bytes each, at least twice as many as before.

    A failed allocation sets `no_memory` and returns False: what does not fit is dropped, and the owner of the array
    raises the MemoryError later."""
    cdef size_t want
    cdef void* moved
    if needed <= cap[0]:
        return True
    want = cap[0] * 2 if cap[0] * 2 > needed else needed
    moved = realloc(rows[0], want * size)
    if moved == NULL:
        no_memory[0] = True
        return False
    rows[0] = moved
    cap[0] = want
    return True


# Styles of blocks, by which segments are compared: the tags and classes from the root down.

cdef inline uint64_t chain(uint64_t above, uint64_t own) noexcept nogil:
    """Returns the hash of a value of a block together with those of all blocks above it; 0 is above the root."""
    return mix((above if above else 7) * 31 + own)


cdef inline void fill_styles(const element_t* elements, Py_ssize_t m, uint64_t* styles) noexcept nogil:
    """Writes the style of each element from the root down."""
    cdef Py_ssize_t i
    for i in range(m):
        styles[i] = chain(styles[elements[i].parent] if elements[i].parent >= 0 else 0, elements[i].style)


cdef inline uint64_t style_of(const uint64_t* styles, const segment_t* s) noexcept nogil:
    """Returns the style of a segment's block; all segments without a block share one."""
    return styles[s.element] if s.element >= 0 else 3
