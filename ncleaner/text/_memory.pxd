"""Memory for compiled code, which Python frees; inline for compiled modules."""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from libc.string cimport memset


cdef inline void* zeros(list memory, size_t n, size_t size) except NULL:
    """Returns the place of `n` values of `size` bytes, all zero, which lives as long as the list.

    Raises:
        MemoryError: there is not enough memory.
    """
    cdef bytearray found = PyByteArray_FromStringAndSize(NULL, <Py_ssize_t> (n * size))
    memory.append(found)
    return memset(PyByteArray_AS_STRING(found), 0, n * size)
