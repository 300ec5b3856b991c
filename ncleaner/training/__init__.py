"""Models from pages and their cleaned text."""
