"""Interface of the guard."""

from libc.stdint cimport uint8_t, uint32_t, uint64_t, uintptr_t

from ncleaner.parsing._structs cimport KNOWN_TAGS, done_t, node_t, token_t, tokenizer_t, tree_t

# What a tag means to the guard.
cdef enum:
    ANY = 0                       # inline elements, and names that HTML does not know
    OF_FORMAT = 1
    OF_POINT = 2                  # elements of svg and math that may have HTML inside; the next ones separate words
    OF_ROOT = 3                   # html, head, body
    OF_BLOCK = 4, OF_HEADING, OF_ITEM
    OF_TABLE = 7                  # the parser moves text directly inside them to the place before the table
    OF_CELL = 8
    OF_VOID = 9
    OF_TEXT = 10                  # title, script and others, whose content is text up to their end tag
    OF_PLAIN = 11                 # xmp, plaintext: the same, but the content is text of the page
    OF_NOSCRIPT = 12
    OF_FRAMES = 13                # frameset, after which a page has no body
    OF_SELECT = 14                # what a bounding pass drops begins here
    OF_OPTION = 15
    OF_FOREIGN = 16               # svg, math
    OF_CONTROL = 17

# Why a pass has stopped, as bits.
cdef enum:
    COSTLY = 1                    # the tree would take too much time or memory
    CROWDED = 2                   # the tokenizer would: too many attributes or invented names
    BROKEN = 4                    # something open would swallow the rest of the page

cdef enum:
    DEEPEST = 4096                # most open elements, and most entries of the list of formatting elements
    TAG_MEMORY = 305              # bytes of the parser's tree for a tag with the text after it (Lexbor 3.1)
    MANY_ATTRIBUTES = 1_000       # most in one tag: the parser compares them in pairs
    ALL_ATTRIBUTES = 100_000      # most in the page: their names are in hash chains that do not grow shorter
    ALL_UNKNOWN = 100_000         # most tags with invented names in the page, for the same reason

# The scripts whose content is in the tree.
cdef enum:
    FORMULAS = 0                  # TeX
    STATEMENTS = 1                # TeX, and JSON-LD
    TYPESETTERS = 2               # and scripts that may typeset formulas
    ALL = 3                       # and style sheets

cdef struct saved_t:
    size_t n
    node_t* nodes[DEEPEST]

cdef struct passed_t:             # a script that was passed over
    const node_t* node
    const char* start             # of its content, in the page
    const char* end

cdef struct placed_t:             # where a text or a start tag is in the page, in bytes
    const node_t* node            # what the parser has made of it; NULL for text that is moved out of a table
    size_t start
    size_t end

cdef struct guard_t:
    done_t next                   # Lexbor's own function, and its argument
    tree_t* tree
    tokenizer_t* tokenizer
    char* end                     # of the page
    char* start                   # of the page
    placed_t* placed              # with `watch_places`: texts and start tags, in the order of the page
    size_t n_placed
    size_t placed_room
    bint no_memory                # for `placed`
    # The pass.
    bint active                   # otherwise, each token is only passed on
    bint mending                  # the page is a copy, and what is broken in it is mended
    bint bounding                 # tags that cost too much are dropped
    int scripts                   # which of them, and of style sheets, the tokenizer gets
    int patience                  # how often the bounds of the tokenizer fit: 2 for a page that was thinned
    size_t nesting                # most open elements of a pass that bounds
    uint64_t most_tags
    int found                     # why the pass must stop; 0: it goes on
    uint64_t dropped              # tags
    bint spaced                   # a space has taken the place of tags since the last text
    # What the page has cost.
    uint64_t markup               # tags and comments
    uint64_t elements             # what has become a node, of these, in a pass that bounds
    uint64_t look_ups
    uint64_t searched             # bytes that the guard itself has looked at ahead of the parser
    uint64_t deepest
    uint64_t reopened             # formatting elements that the parser creates again
    uint64_t cloned               # attributes of these elements
    uint64_t most_own             # most attributes of a formatting element
    uint64_t attributes
    uint64_t unknown
    uint64_t root_attributes      # of the tags of html, head and body
    uint64_t misplaced            # bytes of text directly inside a table
    uint64_t apart_at             # value of `misplaced` when two texts were last kept apart
    uint64_t moved                # bytes that the parser copies for this
    uint64_t select_at            # value of `markup` at the last <select>
    uint32_t skipped[KNOWN_TAGS]  # dropped start tags whose end tag has not come; [0]: of invented names
    # Raw text, and the <noscript> that is open.
    uintptr_t raw                 # the tag of text whose end tag has not come, or 0
    uintptr_t ending              # a title or textarea that a mending pass ends after its first line, or 0
    int endless                   # bits of `raw_kind`: no further end tag in the page,
    int endless_inside            # … and none in the <noscript>
    uint64_t templates            # that are open, a bit for each: whether it is a shadow root; innermost first
    bint streamed                 # there are places of parts that come at the end of the page
    void* state                   # of the tokenizer, at the beginning of raw text that is passed over
    const char* resume            # … and where that text ends
    passed_t* passed              # the scripts that were passed over
    size_t n_passed
    size_t passed_room            # number of them that there is memory for
    char* noscript_end            # where the <noscript> must end, or NULL
    bint no_noscript_ends         # no further <noscript> has an end tag
    saved_t open                  # what was open and listed when it began
    saved_t listed

# The numbers of tags, as Lexbor counts them.
cdef uintptr_t id_text, id_end_of_page, id_p, id_br, id_pre, id_wbr, id_table, id_form, id_title, id_svg, id_math
cdef uintptr_t id_div, id_template, id_code
cdef node_t* marker               # in the list of active formatting elements, where a cell or an object begins
cdef uint8_t meanings[KNOWN_TAGS]

cdef void begin(guard_t* g, char* start, char* end) noexcept nogil
cdef bint is_crowded(guard_t* g) noexcept nogil
cdef uint64_t memory_of(const guard_t* g) noexcept nogil
cdef token_t* watch(void* tokenizer, token_t* token, void* context) noexcept nogil
cdef token_t* watch_places(void* tokenizer, token_t* token, void* context) noexcept nogil
