"""The published methods besides NCleaner's own, with their models and their training.

The engine does not import them: the table of methods names them in texts.
"""
