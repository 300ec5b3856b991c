"""Interface of the guard."""

from libc.stdint cimport uint8_t, uint64_t, uintptr_t

from ncleaner.document._structs cimport KNOWN_TAGS, done_t, node_t, token_t, tree_t

# What a tag means to the guard.
cdef enum:
    ANY = 0
    OF_ROOT = 1                   # html, head, body
    OF_TABLE = 2                  # the parser moves text directly inside them to the place before the table
    OF_TEXT = 3                   # title, script and others, whose content is text up to their end tag
    OF_FORMAT = 4
    OF_NOSCRIPT = 5
    OF_FRAMES = 6                 # frameset, after which a page has no body

cdef enum:
    SAVED = 256                   # most open elements around a <noscript> that the guard compares

cdef struct guard_t:
    done_t next                   # Lexbor's own function, and its argument
    tree_t* tree
    const char* end               # of the page
    uint64_t most_memory
    bint active                   # otherwise, each token is only passed on
    bint stopped                  # the page has to be judged, and perhaps rewritten
    uint64_t markup               # tags and comments
    uint64_t look_ups
    uint64_t deepest
    uint64_t reopened             # see `judge`; also the elements that a misplaced end tag makes again
    uint64_t cloned               # attributes of these elements
    uint64_t most_own             # most attributes of a formatting element
    uint64_t attributes
    uint64_t unknown
    uint64_t roots
    uint64_t misplaced
    uint64_t moved
    uintptr_t raw                 # the tag of text whose end tag has not come, or 0
    const char* noscript_end      # where the <noscript> that is open has to end, or NULL
    bint endless                  # no further <noscript> has an end tag
    # What was open and listed when it began.
    size_t n_open
    size_t n_listed
    node_t* open[SAVED]
    node_t* listed[SAVED]

cdef uintptr_t id_text, id_end_of_page
cdef node_t* marker               # in the list of active formatting elements, where a cell or an object begins
cdef uint8_t meanings[KNOWN_TAGS]

cdef void begin(guard_t* g, const char* end, uint64_t most_memory) noexcept nogil
cdef uint64_t memory_of(const guard_t* g) noexcept nogil
cdef token_t* watch(void* tokenizer, token_t* token, void* context) noexcept nogil
