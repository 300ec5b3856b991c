"""The names of facts: what pages call their title, date or author in meta tags and microdata."""

from ncleaner.text.wordlists import word_lists

# By what they say, the most reliable first. Most statements of a page have other names.
# `fact_names.txt` says what these are, and how to add one.
NAMES = word_lists(
    "document/fact_names", "published", "published items", "modified", "modified items", "authors", "title",
    "other titles", "site", "other sites", "description", "tags", "licence", "image", "address",
    "path items", "links", "rights",
)  # fmt: skip
