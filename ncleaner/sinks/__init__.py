"""Output formats: what becomes of a Document and a mask.

A sink turns one page at a time into bytes, in the worker that cleaned it; the engine puts the bytes one
after the other into what the sink has wrapped around the output. `base.py` says what a sink is;
`choice.py` has the table of formats.
"""
