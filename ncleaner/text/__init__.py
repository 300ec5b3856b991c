"""Bytes, letters, words, tokens and codes of languages: what is known of text without any page."""
