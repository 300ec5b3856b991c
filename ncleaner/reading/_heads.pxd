cdef object head_at(const unsigned char* block, Py_ssize_t size)
