"""The metadata of a page: elements that hold metadata, noted during the walk over its tree."""

from ncleaner.parsing._structs cimport node_t, str_t

cdef enum:
    MOST = 512               # nodes of a page
    READ = 14                # attributes of a node

cdef struct noted_t:
    int kind
    node_t* node
    str_t* values[READ]

cdef struct facts_t:
    size_t n
    noted_t noted[MOST]

cdef void note_fact(facts_t* facts, node_t* node) noexcept nogil
cdef list read_facts(facts_t* facts)
