cdef object head_at(const unsigned char* block, Py_ssize_t size)
cdef bint begins(
    const unsigned char* p, Py_ssize_t size, const char* word, Py_ssize_t length
) noexcept nogil
