"""Code without <pre>, its lines, and what a page adds to code for readers on a screen."""

from ncleaner.document._tags cimport (
    FORM_PREFORMATTED, ROLE_BLOCK, ROLE_BREAK, ROLE_LEFT_OUT, TAG_CODE, TAG_PRE,
)
from ncleaner.parsing._cues cimport OF_CLASS, OF_STYLE, is_one_of, next_name, value_at
from ncleaner.parsing._nodes cimport is_alone, meaning_of, value_of
from ncleaner.parsing._structs cimport ELEMENT_NODE, TEXT_NODE, following, node_t, str_t, text_node_t
from ncleaner.text._ascii cimport begins, fill_words, find_any, is_digit, table_of, words_t
from ncleaner.text._letters cimport is_white

from ncleaner.parsing._cues import CLASSES

cdef words_t LINE_NUMBERS, CODE_BOXES, CODE_ASIDES, HOVERS, CODE_LABELS
fill_words(&LINE_NUMBERS, CLASSES["line numbers"])
fill_words(&CODE_BOXES, CLASSES["code"])
fill_words(&CODE_ASIDES, CLASSES["beside code"])
fill_words(&HOVERS, CLASSES["over code"])
fill_words(&CODE_LABELS, CLASSES["above code"])
cdef const char** CODE_CLASSES = table_of(CLASSES["code by its name"])
cdef const char** LINE_BOXES = table_of(CLASSES["code by its lines"])
cdef const char** LINES = table_of(CLASSES["lines"])


cdef bint is_over_code(const unsigned char* class_, size_t length) noexcept nogil:
    """Returns whether an element in code is shown only while the pointer is over a name, as its class says."""
    return find_any(class_, length, &HOVERS)


cdef bint is_beside_code(const unsigned char* class_, size_t length) noexcept nogil:
    """Returns whether a block is a prompt or a bar beside code, as its class says."""
    return find_any(class_, length, &CODE_ASIDES)


cdef bint is_line_number(node_t* root, const unsigned char* class_, size_t length) noexcept nogil:
    """Returns whether an element holds the numbers of lines of code: its class says so, and its text is digits."""
    cdef node_t* node = root.first_child
    cdef str_t* text
    cdef bint digits = False
    cdef size_t at
    # Chroma's classes have no other letters
    cdef bint of_chroma = (length == 2 or length == 3 and class_[2] == c't') and class_[0] == c'l' and class_[1] == c'n'
    if not of_chroma and not find_any(class_, length, &LINE_NUMBERS):
        return False
    while node != NULL:
        if node.type == TEXT_NODE:
            text = &(<text_node_t*> node).data
            for at in range(text.length):
                if is_digit(text.data[at]):
                    digits = True
                elif not is_white(text.data[at]):
                    return False
        node = following(node, root, meaning_of(node).role != ROLE_LEFT_OUT)
    return digits


cdef enum:
    LONGEST_LABEL = 24  # with white space
    NEAR_CODE = 20      # elements and texts in which code is looked for


cdef bint has_class(const unsigned char* class_, size_t length, const char** names) noexcept nogil:
    cdef size_t begin, end = 0
    while next_name(class_, length, &begin, &end):
        if is_one_of(class_ + begin, end - begin, names):
            return True
    return False


cdef bint is_code_box(node_t* node, const unsigned char* class_, size_t length) noexcept nogil:
    """Returns whether the blocks in a block are lines of code, as its class says, or that of the first of them."""
    cdef node_t* line = node.first_child
    if find_any(class_, length, &CODE_BOXES) or has_class(class_, length, CODE_CLASSES):
        return True
    if not has_class(class_, length, LINE_BOXES):
        return False
    while line != NULL and line.type != ELEMENT_NODE:
        line = line.next
    cdef str_t* of_line = value_of(line, OF_CLASS) if line != NULL else NULL
    return of_line != NULL and has_class(of_line.data, of_line.length, LINES)


cdef bint has_code(node_t* root) noexcept nogil:
    """Returns whether an element is <code>, or has one among the first elements and texts in it."""
    cdef node_t* node = root
    cdef int left = NEAR_CODE
    while node != NULL and left:
        if meaning_of(node).code == TAG_CODE:
            return True
        node = following(node, root, True)
        left -= 1
    return False


cdef bint _is_before_code(node_t* node) noexcept nogil:
    """Returns whether a block, in <pre> or in a box in it, is before the box of the code."""
    cdef node_t* around = node.parent
    cdef int left = NEAR_CODE
    if meaning_of(node).role != ROLE_BLOCK or around == NULL or (
        meaning_of(around).code != TAG_PRE and (around.parent == NULL or meaning_of(around.parent).code != TAG_PRE)
    ) or has_code(node):
        return False
    while node != NULL and left:
        if node.type == ELEMENT_NODE and has_code(node):
            return True
        node = node.next
        left -= 1
    return False


cdef bint is_code_label(node_t* root, const unsigned char* class_, size_t length) noexcept nogil:
    """Returns whether an element in <pre> is a label of the code: its class or place says so, and it has a word or
    two."""
    cdef node_t* node = root.first_child
    cdef size_t chars = 0
    if not (class_ != NULL and find_any(class_, length, &CODE_LABELS)) and not _is_before_code(root):
        return False
    while node != NULL and chars <= LONGEST_LABEL:
        if node.type == TEXT_NODE:
            chars += (<text_node_t*> node).data.length
        node = following(node, root, meaning_of(node).role != ROLE_LEFT_OUT)
    return chars <= LONGEST_LABEL


cdef bint is_line(node_t* node) noexcept nogil:
    """Returns whether an inline element of preformatted text is a line that only its style ends.

    One of its classes is `line` or ends with `-line`, and what follows in it and after it is no end of a line."""
    cdef node_t* next_ = node.next
    cdef node_t* last = node.last_child
    cdef str_t* class_ = value_of(node, OF_CLASS)
    cdef str_t* text
    cdef size_t begin, end = 0
    if class_ == NULL or next_ == NULL or next_.type == ELEMENT_NODE and meaning_of(next_).role == ROLE_BREAK \
            or last != NULL and last.type == ELEMENT_NODE and meaning_of(last).role == ROLE_BREAK:
        return False
    if next_.type == TEXT_NODE:
        text = &(<text_node_t*> next_).data
        if text.length and (text.data[0] == c'\n' or text.data[0] == c'\r'):
            return False
    while next_name(class_.data, class_.length, &begin, &end):
        if end - begin >= 4 and begins(class_.data + end - 4, 4, b"line") and (
            end - begin == 4 or class_.data[end - 5] == c'-'
        ):
            return True
    return False


# The class of an element that is shown as a block, whatever its tag is.
cdef const char** DISPLAYED = [b"block", NULL]


cdef bint is_code_block(node_t* node) noexcept nogil:
    """Returns whether a <code> outside of <pre> has lines: by `<br>` inside, or by a style that keeps ends of lines; or
    is a block by its class, as in Tailwind and Verso."""
    cdef node_t* around = node.parent
    cdef node_t* inside = node.first_child
    cdef str_t* style = value_of(node, OF_STYLE)
    cdef str_t* class_ = value_of(node, OF_CLASS)
    cdef size_t at
    cdef bint has_lines = class_ != NULL and has_class(class_.data, class_.length, DISPLAYED)
    if style != NULL:
        at = value_at(style.data, style.length, b"white-space:")
        has_lines |= at > 0 and begins(style.data + at, style.length - at, b"pre")
    while inside != NULL and not has_lines:
        has_lines = inside.type == ELEMENT_NODE and meaning_of(inside).role == ROLE_BREAK and inside.next != NULL
        inside = inside.next
    if not has_lines or around == NULL or meaning_of(around).role != ROLE_BLOCK:
        return False
    while around != NULL:
        if meaning_of(around).form == FORM_PREFORMATTED:
            return False
        around = around.parent
    return is_alone(node)
