"""What Lexbor's nodes mean: the elements and attributes that the walk reads."""

from libc.stdint cimport uint8_t, uint32_t, uintptr_t

from ncleaner.document._tags cimport (
    FORM_PLAIN, ROLE_BLOCK, ROLE_INLINE, ROLE_RULE, SIDE_OTHER, TAG_CUSTOM, TAG_UNKNOWN,
)
from ncleaner.parsing._cues cimport NO_ATTRIBUTE
from ncleaner.parsing._structs cimport (
    KNOWN_TAGS, TEXT_NODE, attr_t, element_node_t, name_t, node_t, str_t, text_node_t,
)
from ncleaner.text._letters cimport is_blank

cdef enum:
    ROLE_TITLE = ROLE_RULE + 1   # <title>, only in the walk: left out of the text, but returned separately

# The meaning of Lexbor's tag ids. It is read from parsed documents at import, because Lexbor's versions have
# different ids.
cdef struct meaning_t:
    uint8_t role
    uint8_t code
    uint8_t form
    uint8_t side             # of a joint
    bint object              # one of tags.OBJECTS
    uint8_t length           # of its name, in bytes
    signed char bit          # bit of the inline context, or NO_BIT or VOID

cdef enum:
    NO_BIT = -1
    VOID = -2                # no bit, and the element has only one tag (tags.VOID)
    SHORT_NAME = 16          # bytes of a name that is in its entry

cdef meaning_t meanings[KNOWN_TAGS]
# Lexbor's ids of names.
cdef uintptr_t id_html, id_body, id_button, id_span
cdef uintptr_t id_math, id_script, id_ruby, id_rt, id_rtc, id_annotation_xml
cdef uintptr_t id_base, id_source, id_iframe, id_video, id_audio, id_input, id_slot

# The attributes that are read (OF_…). Lexbor identifies some of them by an id, and the others by the address of a name
# that is stored with the document.
cdef uint8_t attributes[KNOWN_TAGS]

# The lengths of the names of attributes that Lexbor identifies by an id, in bytes.
cdef uint8_t name_lengths[KNOWN_TAGS]


cdef int of_name(const unsigned char* name, size_t length) noexcept nogil
cdef str_t* value_of(node_t* node, int which) noexcept nogil
cdef str_t* text_of(node_t* node) noexcept nogil
cdef bint is_in_sentence(node_t* node) noexcept nogil
cdef bint is_alone(node_t* node) noexcept nogil


cdef inline const unsigned char* letters_of(name_t* entry) noexcept nogil:
    if entry.length <= SHORT_NAME:
        return entry.short_name
    return (<const unsigned char**> entry)[0]


cdef inline int attribute_of(uintptr_t name) noexcept nogil:
    if name < KNOWN_TAGS:
        return attributes[name]
    return of_name(letters_of(<name_t*> name), (<name_t*> name).length)


cdef inline bint is_custom(uintptr_t name) noexcept nogil:
    """Returns whether an unknown tag is a custom element: whether its name has a hyphen.

    In practice, pages display custom elements as blocks, but in sentences; other unknown tags (`<o:p>`, `<st1:place>`)
    occur in running text."""
    cdef name_t* entry = <name_t*> name
    cdef const unsigned char* text = letters_of(entry)
    cdef size_t i
    for i in range(entry.length):
        if text[i] == c'-':
            return True
    return False


cdef inline meaning_t meaning_of(node_t* node) noexcept nogil:
    cdef meaning_t m
    if node.local_name < KNOWN_TAGS:
        return meanings[node.local_name]
    m.bit = NO_BIT
    m.form = FORM_PLAIN
    m.side = SIDE_OTHER
    m.object = False
    m.length = 0
    if is_custom(node.local_name) and not is_in_sentence(node):
        m.role = ROLE_BLOCK
        m.code = TAG_CUSTOM
    else:
        m.role = ROLE_INLINE
        m.code = TAG_UNKNOWN
    return m


cdef inline int own_tags(node_t* node) noexcept nogil:
    """Returns the number of tags of an element: 1 for a void element, 2 for any other."""
    return 1 if node.local_name < KNOWN_TAGS and meanings[node.local_name].bit == VOID else 2


cdef inline uint32_t name_length(node_t* node) noexcept nogil:
    """Returns the length of an element's name in bytes."""
    if node.local_name < KNOWN_TAGS:
        return meanings[node.local_name].length
    return <uint32_t> (<name_t*> node.local_name).length


cdef inline uint32_t start_tag(node_t* node) noexcept nogil:
    """Returns the length of an element's start tag in bytes, as `tables.Document` defines it."""
    cdef uint32_t length = name_length(node)
    cdef attr_t* attr = (<element_node_t*> node).first_attr
    cdef uintptr_t name
    while attr != NULL:
        name = attr.qualified_name if attr.qualified_name else attr.node.local_name
        length += 1 + (name_lengths[name] if name < KNOWN_TAGS else <uint32_t> (<name_t*> name).length)
        if attr.value != NULL and attr.value.length:
            length += 3 + <uint32_t> attr.value.length
        attr = attr.next
    return length


cdef inline uint32_t end_tag(node_t* node) noexcept nogil:
    """Returns the length of an element's end tag in bytes; 0 for a void element."""
    return 0 if own_tags(node) == 1 else 1 + name_length(node)


cdef inline bint is_bare_text(node_t* node) noexcept nogil:
    """Returns whether a node is text that is not only white space. NULL is not one."""
    return node != NULL and node.type == TEXT_NODE and not is_blank(
        (<text_node_t*> node).data.data, (<text_node_t*> node).data.length
    )
