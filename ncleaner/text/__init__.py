"""Text apart from any page: character encodings, letters, words, tokens and language codes."""
