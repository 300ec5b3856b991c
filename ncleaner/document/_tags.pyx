"""Compares the numbers of `_tags.pxd` with `tags.py`."""

from ncleaner.document import tags


def _number(prefix, name):
    """Returns the number that `tags.py` has for an entry of `_tags.pxd`."""
    if prefix == "TAG":
        return tags.CODE[{"UNKNOWN": "", "CUSTOM": "-"}.get(name, name.lower())]
    if prefix == "CONTEXT":
        return tags.CONTEXT.index(name.lower())
    return getattr(tags, name)


def check():
    """Compares every number of `_tags.pxd` with `tags.py`.

    Raises:
        ImportError: a number differs; the message names the first such entry.
    """
    for entries in (Role, Form, Side, Tag, Context):
        for entry in entries:
            try:
                number = _number(*entry.name.split("_", 1))
            except (AttributeError, LookupError, ValueError):
                number = None
            if entry.value != number:
                raise ImportError(f"{entry.name} is {entry.value} in _tags.pxd and {number} in tags.py")
    for name, most in (("TAGS", MAX_TAGS), ("CONTEXT", MAX_CONTEXTS), ("CUES", MAX_CUES)):
        size = len(getattr(tags, name))
        if size > most:
            raise ImportError(f"tags.{name} has {size} entries, and _tags.pxd has room for {most}")
