"""libdeflate's functions, of the extension module of the package `deflate`: a whole gzip member in one call.

The package exports libdeflate's public interface, which is stable, but offers Python no way to learn where a
member ends. So the functions are looked up by their names and tried on a small member; where that fails (on
Windows an extension exports nothing), `AVAILABLE` is False, and callers use a slower library.
"""

import zlib

cdef extern from *:
    """
    #ifdef _WIN32
    static void *ncleaner_symbol(const char *path, const char *name) { return 0; }
    #else
    #include <dlfcn.h>
    static void *ncleaner_symbol(const char *path, const char *name) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        return library ? dlsym(library, name) : 0;
    }
    #endif
    """
    void* ncleaner_symbol(const char* path, const char* name)

ctypedef void* (*Alloc)() noexcept nogil
ctypedef void (*Free)(void*) noexcept nogil
ctypedef int (*Member)(
    void*, const void*, size_t, void*, size_t, size_t*, size_t*
) noexcept nogil

cdef Alloc _alloc = NULL
cdef Free _free = NULL
cdef Member _member = NULL


cdef class Gunzip:
    """A decompressor; one thread at a time may use it."""

    def __cinit__(self):
        self._decompressor = NULL
        if _alloc == NULL:
            raise RuntimeError("libdeflate is not available")
        self._decompressor = _alloc()
        if self._decompressor == NULL:
            raise MemoryError

    def __dealloc__(self):
        if self._decompressor != NULL:
            _free(self._decompressor)

    cdef int member(
        self, const unsigned char* data, size_t size, unsigned char* out, size_t room,
        size_t* taken, size_t* given,
    ) noexcept nogil:
        """Inflates the member at the beginning of `data`, and compares its length and CRC-32.

        Returns DONE, BROKEN (or cut short), or TOO_SMALL: the member has more than `room` bytes. Sets the bytes
        that the member takes, and those that it gives, if it is DONE.
        """
        return _member(self._decompressor, data, size, out, room, taken, given)


cdef bint _works() except -1:
    """Whether the functions do what they are to do, with a whole and a broken member."""
    cdef bytes text = b"one line of text, and one line of text more"
    packer = zlib.compressobj(6, zlib.DEFLATED, 31)
    cdef bytes stored = packer.compress(text) + packer.flush()
    cdef bytes data = stored + b"and more"
    cdef bytearray broken = bytearray(stored)
    cdef unsigned char[64] out
    cdef size_t taken = 0, given = 0
    cdef Gunzip gunzip = Gunzip()
    cdef const unsigned char* start = data
    if gunzip.member(start, len(data), out, sizeof(out), &taken, &given) != DONE:
        return False
    if taken != <size_t> len(stored) or out[:given] != text:
        return False
    if gunzip.member(start, len(data), out, 8, &taken, &given) != TOO_SMALL:
        return False
    broken[len(broken) - 8] ^= 1
    return gunzip.member(broken, len(broken), out, sizeof(out), &taken, &given) == BROKEN


cdef bint _find() except -1:
    """Looks the functions up; returns whether they are there and work."""
    global _alloc, _free, _member
    try:
        from deflate import _deflate
    except ImportError:
        return False
    import os
    cdef bytes path = os.fsencode(_deflate.__file__ or "")
    _alloc = <Alloc> ncleaner_symbol(path, b"libdeflate_alloc_decompressor")
    _free = <Free> ncleaner_symbol(path, b"libdeflate_free_decompressor")
    _member = <Member> ncleaner_symbol(path, b"libdeflate_gzip_decompress_ex")
    if _alloc == NULL or _free == NULL or _member == NULL:
        _alloc = NULL
        return False
    return _works()


#: Whether libdeflate's functions have been found, and work.
AVAILABLE = _find()
