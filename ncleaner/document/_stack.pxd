"""Interface of the stack of open elements, from which the cost of parsing a page is estimated."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

# Bounds of what a page may cost the parser.
cdef enum:
    LOOK_UPS = 300_000_000    # most markup times nesting
    REOPENED = 500_000        # most formatting elements that the parser creates again
    MOVED_KB = 5_000_000      # most text that the parser copies again, in units of 1,000 bytes
    MANY_ATTRIBUTES = 1_000   # most in one tag: the parser compares them in pairs
    ALL_ATTRIBUTES = 100_000  # most in the page: the limit keeps the parser's hash chains of unknown names short
    ROOTS = 100               # most tags of html, head and body
    # What the parser's tree takes, in bytes: for a tag with the text after it, and for a formatting element and an
    # attribute that the parser creates again. Measured with Lexbor 3.1 on pages of each kind.
    TAG_MEMORY = 305
    REOPENED_MEMORY = 175
    CLONED_MEMORY = 190
    DEEPEST = 4096           # most entries of the stack; a deeper page is over all bounds
    ALL_UNKNOWN = 50_000     # most tags of unknown names in a page: the limit keeps the parser's hash chains short
    LOOSE = 1000             # most <noscript> that leave something open; a page with more is over all bounds
    LISTED = 2048            # most entries of the list of formatting elements; a page with more is over all bounds

cdef struct open_t:       # an open element
    uint64_t name
    const char* written   # its name as the page writes it, for its end tag in a rewritten page
    uint32_t length
    uint8_t kind

cdef struct listed_t:     # an unclosed formatting element, or a marker
    uint64_t name         # 0 for a marker
    uint32_t depth        # the smallest depth of the stack since it was opened
    bint moved            # the parser may have moved it to another place, or may have removed it
    uint64_t attributes   # of its start tag
    bint forgotten        # it may be only on the parser's stack, and not in the parser's list

cdef struct loose_t:      # the content of a <noscript>
    const char* start
    const char* end
    const char* cut       # `cut` of scan_t, or `end`
    bint open             # it leaves something open

cdef struct scan_t:
    uint64_t markup       # tags, comments and the like
    uint64_t tags         # start tags
    uint64_t deepest
    uint64_t most_listed
    uint64_t reopened     # formatting elements that the start tags of blocks reopen, total
    uint64_t cloned       # attributes of these elements; the parser copies them each time
    uint64_t attributes
    uint64_t own          # attributes of the current start tag
    uint64_t most_own     # most attributes of the start tag of a formatting element
    uint64_t crowded      # tags with more than MANY_ATTRIBUTES attributes
    uint64_t unknown      # tags whose names are not in the table of names
    uint64_t roots        # start tags of html, head and body
    uint64_t ends         # end tags of html, head and body
    uint64_t misplaced    # bytes of text directly inside a table; the parser moves this text before the table
    uint64_t moved        # bytes that the parser copies for this, total
    bint over             # a limit is exceeded, and the scan stops
    # The stack of open elements. Only those from index `sure` on are certainly the parser's innermost elements.
    open_t* stack
    size_t depth
    size_t sure
    size_t foreign        # open svg and math
    size_t island         # 1 + index of the svg or math whose content the scan follows exactly, or 0
    bint doubt            # scan and tokenizer may read the page differently from here on: all end tags are ignored
    size_t paragraphs
    size_t items
    size_t tables
    size_t selects
    size_t templates
    size_t buttons
    size_t objects        # object, applet, marquee
    bint form             # the parser's form pointer
    # The list of active formatting elements.
    listed_t* listed
    size_t n_listed
    uint64_t listed_attributes   # of all entries
    size_t last_marker    # 1 + index of the last marker, or 0; the parser reopens the entries after it
    size_t vague          # the parser may have moved or removed the entries before this index
    bint stale            # the parser may have other markers: end tags no longer remove entries
    # The rewritten page, or NULL while a page is judged.
    char* out
    size_t out_length
    size_t max_depth
    uint64_t max_tags
    uint64_t written
    uint64_t dropped
    size_t inside         # number of svg and math that are left out and still open
    bint bare             # elements inside them that look like raw text (such as <style>) are ordinary markup
    bint titled
    const char* endless      # content of the first element of raw text whose end tag is missing, or NULL
    # A <noscript>, whose content must neither leave anything open nor hide its end tag.
    bint trusting         # the scan reads the content as the parser does, and guards nothing
    bint guarded          # the scan is inside its content
    bint unended          # no further <noscript> of the page has an end tag
    size_t floor          # smallest depth of the stack since it began; afterwards, the stack must not be deeper
    size_t floor_listed   # the same for the list of formatting elements
    const char* cut       # its first tag, comment or script that does not end inside it, or NULL
    bint torn             # its end tag is hidden, or something inside it would hide it
    loose_t* loose        # those of the page that leave something open, and those that end what they did not begin
    size_t n_loose


cdef inline void write(scan_t* s, const char* p, size_t n) noexcept nogil:
    if s.out != NULL:
        memcpy(s.out + s.out_length, p, n)
        s.out_length += n


cdef int scan_init(scan_t* s, size_t max_depth, uint64_t max_tags) noexcept nogil
cdef void scan_free(scan_t* s) noexcept nogil
cdef void unsure(scan_t* s) noexcept nogil
cdef void pop_to(scan_t* s, size_t depth) noexcept nogil
cdef void unlist_to(scan_t* s, size_t length) noexcept nogil
cdef void close_paragraph(scan_t* s) noexcept nogil
cdef void text_in_table(scan_t* s, const char* p, const char* end) noexcept nogil
cdef bint start_tag(
    scan_t* s, uint64_t name, uint8_t kind, bint self_closing, const char* written, size_t length
) noexcept nogil
cdef void end_tag(scan_t* s, uint64_t name, uint8_t kind) noexcept nogil
