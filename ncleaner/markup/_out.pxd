"""Bytes of an output that grow."""

from libc.stdint cimport uint8_t
from libc.string cimport memcpy, strlen

from ncleaner.document._growing cimport grow

ctypedef struct out_t:
    uint8_t* data
    size_t size
    size_t cap
    bint no_memory


cdef inline void put_bytes(out_t* out, const void* data, size_t length) noexcept nogil:
    if length and grow(<void**> &out.data, &out.cap, out.size + length, 1, &out.no_memory):
        memcpy(out.data + out.size, data, length)
        out.size += length


cdef inline void put(out_t* out, const char* text) noexcept nogil:
    put_bytes(out, text, strlen(text))


cdef inline void put_byte(out_t* out, uint8_t c) noexcept nogil:
    if out.size < out.cap or grow(<void**> &out.data, &out.cap, out.size + 1, 1, &out.no_memory):
        out.data[out.size] = c
        out.size += 1


cdef void insert(out_t* out, size_t at, size_t length, const char* text) noexcept nogil
cdef void put_number(out_t* out, int number) noexcept nogil
cdef void put_escaped(out_t* out, const uint8_t* p, const uint8_t* end) noexcept nogil
cdef void put_attribute(out_t* out, const uint8_t* p, const uint8_t* end) noexcept nogil
