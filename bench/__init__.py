"""Measurements: of speed by `python -m bench`, of accuracy by the other modules."""
