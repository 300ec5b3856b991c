"""A run: work for processes, what becomes of it, and what is recorded."""
