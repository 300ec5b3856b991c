"""A tree, or plain text, to a Document."""
