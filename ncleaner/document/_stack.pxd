"""Contract of the stack of open elements that a page's bound is judged by."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef enum:
    DEEPEST = 4096           # entries of the stack; deeper pages are over any bound
    ALL_UNKNOWN = 50_000     # tags of unknown names in a page: they are found through short hash chains
    LISTED = 2048            # entries of the list of unclosed formatting elements, likewise

cdef struct open_t:       # an open element
    uint64_t name
    const char* written   # its name as written, for its end tag
    uint32_t length
    uint8_t kind

cdef struct listed_t:     # an unclosed formatting element, or a marker
    uint64_t name         # 0 for a marker
    uint32_t depth        # of the stack when it was opened, or the least since
    bint moved            # it may stand elsewhere since, or nowhere
    bint forgotten        # it may not be in the parser's list, only on its stack

cdef struct scan_t:
    uint64_t markup       # tags, comments and the like
    uint64_t tags         # start tags
    uint64_t deepest
    uint64_t most_listed
    uint64_t reopened     # formatting elements that blocks would reopen, summed
    uint64_t attributes
    uint64_t crowded      # tags with more than MANY_ATTRIBUTES
    uint64_t unknown      # tags of names not in the table
    uint64_t roots        # start tags of html, head and body
    uint64_t ends         # and their end tags
    uint64_t misplaced    # bytes of text right inside a table, where the parser puts it before the table
    uint64_t moved        # bytes that are moved for that, summed
    bint over             # nested too deep to go on
    # the stack of open elements; only those from `sure` on are certain to be the parser's innermost
    open_t* stack
    size_t depth
    size_t sure
    size_t foreign        # open svg and math
    size_t island         # 1 + index of the svg or math whose content has held no surprise, or 0
    bint doubt            # scan and tokenizer may have come apart: no end tag is trusted any more
    size_t paragraphs
    size_t items
    size_t tables
    size_t selects
    size_t templates
    size_t buttons
    size_t objects        # object, applet, marquee
    bint form             # the parser's form pointer
    # the list of active formatting elements
    listed_t* listed
    size_t n_listed
    size_t last_marker    # entries since then are reopened
    size_t vague          # entries before may stand elsewhere, or nowhere
    bint stale            # the parser's markers may be others: no entry is taken out any more
    # where the page is written anew, or NULL
    char* out
    size_t out_length
    size_t max_depth
    uint64_t max_tags
    uint64_t written
    uint64_t dropped
    size_t inside         # svg and math that are left out around this
    bint bare             # what looks like raw text in them is none
    bint titled


cdef inline void write(scan_t* s, const char* p, size_t n) noexcept nogil:
    if s.out != NULL:
        memcpy(s.out + s.out_length, p, n)
        s.out_length += n


cdef int scan_init(scan_t* s, size_t max_depth, uint64_t max_tags) noexcept nogil
cdef void scan_free(scan_t* s) noexcept nogil
cdef void unsure(scan_t* s) noexcept nogil
cdef void close_paragraph(scan_t* s) noexcept nogil
cdef void text_in_table(scan_t* s, const char* p, const char* end) noexcept nogil
cdef bint start_tag(
    scan_t* s, uint64_t name, uint8_t kind, bint self_closing, const char* written, size_t length
) noexcept nogil
cdef void end_tag(scan_t* s, uint64_t name, uint8_t kind) noexcept nogil
