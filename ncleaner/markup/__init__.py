"""Markdown and clean HTML of what a method keeps of a page."""
