"""Methods and other programs on the same pages: what they keep, what it is worth, and what time it takes."""
