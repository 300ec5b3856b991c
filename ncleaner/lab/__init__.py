"""The laboratory: training, scoring, annotating, explaining and comparing, with their commands.

Nothing here cleans. The engine does not import it: tables name its commands and public names in texts.
"""
