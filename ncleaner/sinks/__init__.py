"""Output formats, which write a Document and its mask.

A sink turns one page at a time into bytes, in the worker that has cleaned it. The engine writes the bytes, in
order, to the wrapper that the sink puts around the output. `sink.py` defines a sink; `formats.py` has the
table of formats.
"""
