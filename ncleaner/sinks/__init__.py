"""Output formats, which write a Document and its mask.

A sink turns one page at a time into bytes, in the worker that has cleaned it. The engine writes the bytes, in
order, to the wrapper that the sink puts around the output. `base.py` defines a sink; `choice.py` has the
table of formats.
"""
