"""Lexbor's structs, up to the last field that is read here. They have the layout of Lexbor 2 and 3.

The layout belongs to Lexbor and may change. So `_nodes` and `_lexbor` compare at import what these fields say of small
pages with what is known of them.
"""

from libc.stdint cimport uintptr_t
from libc.string cimport memcmp

cdef enum:
    ELEMENT_NODE = 1
    TEXT_NODE = 3
    COMMENT_NODE = 8
    END_TAG = 1                   # bits of a token's type
    SELF_CLOSING = 2
    KNOWN_TAGS = 256              # the ids of names that HTML knows are below; others are addresses of names

# The tree: nodes, attributes, names.
cdef struct str_t:
    const unsigned char* data
    size_t length

cdef struct node_t:
    void* events
    uintptr_t local_name          # tag or attribute id; for an unknown name, the address of the name
    uintptr_t prefix
    uintptr_t ns
    void* owner_document
    node_t* next
    node_t* prev
    node_t* parent
    node_t* first_child
    node_t* last_child
    void* user
    int type

cdef struct attr_t:
    node_t node
    uintptr_t upper_name
    uintptr_t qualified_name
    str_t* value
    void* owner
    attr_t* next
    attr_t* prev

cdef struct element_node_t:
    node_t node
    uintptr_t upper_name
    uintptr_t qualified_name
    str_t* is_value
    attr_t* first_attr
    attr_t* last_attr
    attr_t* attr_id
    attr_t* attr_class

cdef struct text_node_t:          # and a comment
    node_t node
    str_t data

cdef struct name_t:               # lexbor_hash_entry_t; a name of up to 16 bytes is stored in `short_name` itself
    unsigned char short_name[24]
    size_t length

cdef struct document_t:           # its beginning
    node_t node
    unsigned int quirks           # 0: no quirks mode; Lexbor does not reset it when it parses the next page

# The parser: tokens, the stack of open elements and the list of active formatting elements, the tokenizer.
cdef struct attribute_t:          # of a token
    const char* name_begin
    const char* name_end
    const char* value_begin
    const char* value_end
    void* name
    void* value
    size_t value_size
    attribute_t* next
    attribute_t* prev
    int type

cdef struct token_t:
    const char* begin             # of a tag's name, or of a text or comment, in the page; NULL at the end of the page
    const char* end
    const char* text_start
    const char* text_end
    attribute_t* attr_first
    attribute_t* attr_last
    void* base_element
    size_t null_count
    uintptr_t tag
    int type

cdef struct array_t:
    node_t** list
    size_t size
    size_t length

cdef struct tree_t:
    void* tokenizer
    void* document
    void* fragment
    void* form
    array_t* open_elements
    array_t* active_formatting

# Called for each token; Lexbor's own function builds the tree. NULL ends the parsing.
ctypedef token_t* (*done_t)(void* tokenizer, token_t* token, void* context) noexcept nogil

cdef struct tokenizer_t:          # its beginning
    void* state                   # what the next character means
    void* state_return
    done_t done
    void* context
    void* tags
    void* attributes
    void* attribute_memory
    void* memory
    token_t* token                # the one that is being read


cdef inline bint is_same(const str_t* one, const str_t* other) noexcept nogil:
    return one.length == other.length and (one.length == 0 or memcmp(one.data, other.data, one.length) == 0)


cdef inline node_t* following(node_t* node, const node_t* root, bint into) noexcept nogil:
    """Returns the next node below `root` in document order, or NULL; with `into`, the children of `node` count."""
    if into and node.first_child != NULL:
        return node.first_child
    while node != root and node.next == NULL:
        node = node.parent
    return NULL if node == root else node.next
