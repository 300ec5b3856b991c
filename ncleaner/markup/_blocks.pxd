"""A page as the writers of Markdown and HTML see it: its tables, what its marks say, and the tree of kept blocks."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t

from ncleaner.document._tables cimport mark_t, tables_t

cdef enum:
    # Kinds of nodes. Those up to TERM have segments, and no nodes below them.
    # PICTURE: an image on its own; TERMS: a definition list; DETAIL: one of its definitions; NOTE: a footnote;
    # RULE: a break between two parts.
    PARAGRAPH = 0, HEADING, CODE, CAPTION, TERM, PICTURE, QUOTE, LIST, ITEM, TABLE, ROW, CELL, TERMS, DETAIL, NOTE, RULE
    # Bits of a node's flags.
    ORDERED = 1       # of a list
    LOOSE = 2         # of a list: some item is more than a paragraph and lists
    IMPLIED = 4       # of a list: the page has items without a list
    HEAD = 8          # of a cell: <th>; of a row: it is the head of the table
    ALONE = 16        # of a definition: no term before it is kept
    SINGLE = 32       # of an item, a cell or a definition: it has one node
    TITLE = 64        # of a paragraph: the name of the callout that it begins, or of the language of the code below it
    # Bits of a place's flags.
    IN_HEAD = 1       # inside <thead>
    FOR_LAYOUT = 2    # a table that says so itself
    NESTED = 4        # a table inside of which another one has kept text
    HEAVY = 8         # inside of a quotation or a heading in a cell; a cell that has kept text of this kind
    CODED = 16        # likewise preformatted text
    DATA = 32         # a table that is written as one
    HAS_VALUE = 64    # an item with a number of its own; a list that says with which one it begins
    FOR_POST = 256    # a post, or a list of posts, which is no item or list
    REVERSED = 128    # a list whose numbers go down
    # Formulas: in the line, on a line of their own, and another one than that before.
    INLINE = 1
    DISPLAY = 2
    NEXT_FORMULA = 4
    # Most columns of a table; a wider one is written cell by cell.
    MOST_COLUMNS = 1_000
    # Most nodes around a node.
    DEEPEST = 24

# What is known of an element of the page.
ctypedef struct place_t:
    int32_t box          # innermost element at or around it that may become a node, -1 for none
    int32_t frame        # 1 + its place on the stack of open nodes, 0 if it is not open
    int32_t table        # innermost table at or around it, -1 for none
    int32_t cell         # innermost cell of this table at or around it, -1 for none
    int32_t number       # of an item; a list: that of its next item; a row: its own; a table: its kept columns
    int32_t column       # of a cell: the first of its columns; a table: where its columns begin in the blocks
    int32_t columns      # number of columns of a cell, or of a table
    int32_t rows         # number of rows of a cell, or of a table
    int32_t segments     # number of kept segments of a cell, or of a table
    int32_t chars        # of these
    int32_t language     # 1 + the mark with its programming language
    int32_t note         # 1 + number of the footnote that it is
    int32_t heading      # its level, if it is a heading without a tag of one
    int32_t level        # of a list or an item that is not inside of those above it, from 1 on; else 0
    int32_t task         # of an item: 1 for one to do, 2 for one that is done
    int32_t callout      # 1 + the mark that says which callout it is
    uint8_t align
    uint16_t flags

# What is known of a run; there is one more than there are runs.
ctypedef struct extra_t:
    int32_t link         # 1 + the mark of the link around it
    int32_t image        # 1 + the first mark of an image before it
    int32_t blanks       # empty lines before it, in preformatted text
    int32_t note         # 1 + number of the footnote that it refers to, -1 for what is left out, such as a link back
    int32_t noted        # 1 + number of the footnote that its end refers to
    int32_t skip         # bytes at its beginning that are left out
    uint8_t breaks       # line breaks before it, at most 2
    bint code            # an element of code begins before it
    uint8_t style        # what a style says of bold and italic type, bits STYLE_… of _marks.pxd
    uint8_t formula      # INLINE or DISPLAY for TeX, and NEXT_FORMULA in every second formula; 0 for none

ctypedef struct column_t:
    int32_t place        # its number among the kept columns, -1 for none
    uint8_t align

ctypedef struct block_t:
    int32_t kind
    int32_t depth        # number of nodes around it
    int32_t parent       # -1 for none
    int32_t element      # -1 for none
    int32_t first        # its segments [first, last], of which those that are not kept do not count
    int32_t last
    int32_t number       # of an item or a row; level of a heading; mark of an image; note of a footnote
    int32_t flags

# A text from Python: the address of a link, the label of a footnote.
ctypedef struct given_t:
    const char* data
    Py_ssize_t length

ctypedef struct blocks_t:
    const tables_t* t
    const uint8_t* kept      # one for each segment
    place_t* places          # one for each element
    extra_t* extras          # one for each run, and one more
    block_t* nodes            # in the order of the page
    size_t n_nodes
    size_t cap_nodes
    column_t* columns
    size_t n_columns
    size_t cap_columns
    given_t* addresses        # of links and images, and TeX, by their marks; no data for those left out; or NULL
    int32_t* notes           # by segments: 1 + number of the footnote that it is; or NULL
    given_t* labels           # of footnotes
    int32_t* posts           # by segments: 2 + the element around the post that begins with it, after others; or NULL
    int64_t headline         # the segment that is a headline without a tag of one, -1 for none
    bint images              # images are written
    bint whole               # nothing is removed, so that all images and rules are of the text
    Py_ssize_t lead          # mark of an image that is written wherever it is, -1 for none
    bint repeats             # a cell over several columns or rows is written in each of them
    bint tags                # in Markdown, tables that it cannot show are HTML
    bint has_tables
    bint has_reversed
    bint has_formulas
    int32_t typeset          # 1 if a script typesets formulas in the text, 2 if a dollar sign begins one, too
    bint no_memory

# A table that is being written. All arrays have one value for each kept column.
ctypedef struct rows_t:
    int32_t columns
    int32_t* cells       # node of the cell in the row, -1 for none
    int32_t* carried     # node of the cell of a row above that goes on in this row, -1 for none
    int32_t* until       # first row that it does not cover


cdef int open_sheet(blocks_t* blocks, const tables_t* t, const uint8_t* kept) noexcept nogil
cdef void close_sheet(blocks_t* blocks) noexcept nogil
cdef void read_sheet(blocks_t* blocks) noexcept nogil
cdef bint open_rows(rows_t* rows, const blocks_t* blocks, int32_t table) noexcept nogil
cdef void close_rows(rows_t* rows) noexcept nogil
cdef void fill_row(rows_t* rows, const blocks_t* blocks, int32_t table, int32_t row) noexcept nogil
cdef int32_t end_of(const blocks_t* blocks, int32_t node) noexcept nogil
cdef int32_t columns_of(const blocks_t* blocks, int32_t table, int32_t cell, int32_t* first) noexcept nogil
cdef bint is_head(const blocks_t* blocks, int32_t row) noexcept nogil


cdef inline int32_t first_run_of(const blocks_t* blocks, Py_ssize_t segment) noexcept nogil:
    """Returns the first run of a segment, -1 if it has none, as a segment of a document that a user has made."""
    cdef int32_t run = blocks.t.segments[segment].first_run
    return run if 0 <= run < blocks.t.n_runs and blocks.t.segments[segment].last_run < blocks.t.n_runs else -1


cdef inline int32_t element_of(const blocks_t* blocks, Py_ssize_t segment) noexcept nogil:
    """Returns the innermost block around a segment, -1 for none."""
    cdef int32_t element = blocks.t.segments[segment].element
    return element if element < blocks.t.n_elements else -1
