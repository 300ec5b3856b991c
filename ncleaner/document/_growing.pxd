"""Arrays that grow, for builders and writers without the GIL."""

from libc.stdlib cimport realloc


cdef inline bint grow(void** rows, size_t* cap, size_t needed, size_t size, bint* no_memory) noexcept nogil:
    """Makes room for `needed` rows of `size` bytes each, at least twice as many as before.

    A failed allocation sets `no_memory` and returns False: what does not fit is dropped, and the owner of the array
    raises the MemoryError later."""
    cdef size_t want
    cdef void* moved
    if needed <= cap[0]:
        return True
    want = cap[0] * 2 if cap[0] * 2 > needed else needed
    moved = realloc(rows[0], want * size)
    if moved == NULL:
        no_memory[0] = True
        return False
    rows[0] = moved
    cap[0] = want
    return True
