cdef enum Result:
    DONE = 0
    BROKEN = 1
    TOO_SMALL = 3


cdef class Gunzip:
    cdef void* _decompressor

    cdef int member(
        self, const unsigned char* data, size_t size, unsigned char* out, size_t room,
        size_t* taken, size_t* given,
    ) noexcept nogil
