"""Cleaned text against a gold standard."""
