"""Interface of the function that recognizes the shortcodes of content managers."""

from ncleaner.document._tables cimport builder_t

cdef size_t shortcode_length(builder_t* b, const unsigned char* p, size_t length) noexcept nogil
