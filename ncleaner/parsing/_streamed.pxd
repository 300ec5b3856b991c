"""Parts of a page that its markup has at another place than its readers."""

from ncleaner.parsing._structs cimport attr_t, element_node_t, node_t


cdef void put_in_place(node_t* first) noexcept nogil
cdef void fill_slots(node_t* root) noexcept nogil


cdef inline bint has_id(node_t* node, unsigned char sign) noexcept nogil:
    """Returns whether the id of an element is this sign and a colon, with something after them."""
    cdef attr_t* attr = (<element_node_t*> node).attr_id
    return attr != NULL and attr.value != NULL and attr.value.length > 2 and attr.value.data[0] == sign \
        and attr.value.data[1] == c':'


cdef inline bint is_place(node_t* node) noexcept nogil:
    """Returns whether an element is the place of such a part."""
    return has_id(node, c'B') or has_id(node, c'P')
