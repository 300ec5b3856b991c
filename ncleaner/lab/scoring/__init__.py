"""Scores of cleaned text against a gold standard."""
