"""The rows of a Document's tables, and the state of the builder that fills them.

This file is the contract between all compiled modules: what dumps a page writes these structs, scoring and features
read them. The rows have no padding, so that NumPy's structured dtypes in `tables.py` describe the same bytes;
`_document.layout` gives the compiler's view of them, and a test holds the two together.
"""

from libc.stdint cimport int32_t, uint8_t, uint16_t, uint32_t, uint64_t

from ncleaner.document._tags cimport MAX_CONTEXTS, MAX_CUES

# The text between two tags. Offsets are bytes in the document's UTF-8 buffer.
ctypedef struct run_t:
    uint32_t start
    uint32_t end
    int32_t segment
    int32_t element      # innermost block element, -1 in a plain-text dump
    uint32_t context     # inline context, bits as in _tags.pxd
    uint32_t words       # white-space separated, that begin in this run
    uint32_t tags        # all tags of the tree since the run before, those of what is left out too
    uint16_t opened      # of these, those that are not left out: opened and closed, saturating
    uint16_t closed

# What a reader sees as one paragraph, heading or list item.
ctypedef struct segment_t:
    uint32_t start
    uint32_t end
    int32_t first_run    # runs [first_run, last_run]
    int32_t last_run
    int32_t element
    uint32_t chars       # code points, white space apart
    uint32_t words       # white-space separated
    uint32_t link_chars  # of these, inside <a>
    uint16_t opened      # block tags opened and closed since the segment before, saturating
    uint16_t closed
    uint8_t kind         # 'p', 'h' or 'l'
    uint8_t breaks       # <br> and preformatted line ends inside, saturating
    uint16_t flags       # bits PREFORMATTED, HIDDEN

# One block element of the tree, in document order.
ctypedef struct element_t:
    int32_t parent       # -1 for the root
    int32_t first_run    # runs [first_run, last_run); equal where there is no text below
    int32_t last_run
    uint32_t style       # hash of tag and class
    uint32_t cues        # what class, id and role say, bits as in tags.py; CONCEALED
    uint32_t names       # where the words of class, id and role stand in the table of names
    uint32_t chars       # code points below, white space apart
    uint32_t tags        # tags below
    uint16_t tag         # code as in _tags.pxd
    uint16_t depth

cdef enum:
    CACHED_STYLES = 512
    # most words that are read of one element's names
    MAX_NAMES = 32
    # bits of a segment's flags
    PREFORMATTED = 1
    HIDDEN = 2           # inside an element that is not shown at first
    # bit of an element's cues: it is taken off the page by attribute or inline style
    CONCEALED = 1 << MAX_CUES

ctypedef struct builder_t:
    char* text
    size_t text_len      # end of what is written
    size_t text_cap
    size_t base          # where the current segment begins
    size_t line          # where its last line begins, as <br> sets it
    size_t mark          # end of its last character that is not white space
    run_t* runs
    size_t n_runs
    size_t cap_runs
    segment_t* segments
    size_t n_segments
    size_t cap_segments
    element_t* elements
    size_t n_elements
    size_t cap_elements
    uint16_t* names      # for each list its length, then so many hashed words; the first list is empty
    size_t n_names
    size_t cap_names
    int32_t element      # innermost open block element
    uint32_t context
    int32_t inside[MAX_CONTEXTS]  # how often each context bit is open
    int32_t headings     # open h1 … h6
    int32_t pres         # open <pre>
    int32_t concealed    # open blocks that are not shown
    bint item            # the next segment is the first of a list item
    bint open            # a segment has begun
    bint space           # the last character written was white space
    bint after_link      # nothing has been written since a link ended
    int32_t breaks       # <br> since the last character
    uint32_t seg_breaks
    uint32_t seg_words
    uint32_t run_words   # of these, in the runs that have ended
    uint32_t seg_chars
    uint32_t seg_links
    int32_t seg_first_run
    uint32_t tags_opened  # since the last run
    uint32_t tags_closed
    int32_t unheard      # tags besides: of what is left out; less those of void elements that open and close
    uint16_t blocks_opened
    uint16_t blocks_closed
    bint no_memory
    uint64_t cached_styles[CACHED_STYLES]
    uint32_t cached_cues[CACHED_STYLES]
    uint32_t cached_names[CACHED_STYLES]
