"""Worker processes: their start, their messages, their replacement, and the signals that end a run."""
