"""What a page states for programs: its facts by what they say, and the objects of its JSON-LD that describe it."""

import re
from functools import lru_cache

import orjson

from ncleaner.document.fact_names import NAMES

cdef enum:
    # Nodes that are read of a page. A page has tens; JSON-LD of a shop may have thousands of offers.
    MOST = 400
    DEEPEST = 12
    # values of one key of JSON-LD
    MOST_VALUES = 50
    # How the types of what describes the text of a page end: those of articles count before those of pages; all others
    # are about something else. Dates of a thing are not those of the page, and customers write reviews beside it.
    OF_TEXT = 1
    OF_PAGE = 2
    OF_THING = 4
    OF_REVIEW = 8
    # what has a name rather than a headline
    OF_NAMED = 16

_TYPES = {
    OF_TEXT: tuple("article posting report review qapage recipe howto".split()),
    OF_PAGE: tuple("webpage itempage aboutpage faqpage product book event course podcastepisode videoobject".split()),
    OF_THING: ("product", "book", "event"),
    OF_REVIEW: ("review",),
    OF_NAMED: tuple("recipe howto product book event course podcastepisode videoobject".split()),
}
cdef Py_ssize_t LONGEST_TYPE = max([len(word) for words in _TYPES.values() for word in words])
# the days of an event, or on which an offer ends
cdef tuple DAYS = ("startDate", "endDate", "validFrom", "validThrough")
# what is read of an object besides itself: what an article is part of, or is about, does not describe it
cdef tuple INSIDE = ("mainEntity", "mainEntityOfPage", "breadcrumb", "@graph")
_CONTROLS = re.compile(r"[\x00-\x1f]+")
_OPENED = re.compile(r"\s*(?:<!--|//\s*<!\[CDATA\[|<!\[CDATA\[)")
_TRAILING = re.compile(r",\s*(?=[}\]])")


# {name of a meta tag: (what it says, its place among those that say the same)}
cdef dict MEANINGS = {
    name: (said, place)
    for said, names in NAMES.items()
    if not said.endswith(("items", "links"))
    for place, name in enumerate(names)
}


@lru_cache(1_024)
def _kinds_of(str end):
    small = end.lower()
    return sum([kind for kind, words in _TYPES.items() if small.endswith(words)])


cdef int _kinds(dict node) except -1:
    """Returns the bits of `_TYPES` for the types of an object."""
    cdef int kinds = 0
    types = node.get("@type")
    if isinstance(types, str):
        return _kinds_of((<str> types)[-LONGEST_TYPE:])
    if isinstance(types, list):
        for name in <list> types:
            if isinstance(name, str):
                kinds |= <int> _kinds_of((<str> name)[-LONGEST_TYPE:])
    return kinds


cdef str _mended(str text):
    """Mends what templates do wrong: comments around, line breaks in strings, commas before brackets."""
    if opened := _OPENED.match(text):
        text = text[opened.end() :]
    end = text.rstrip().removesuffix(";").rstrip()
    if end.endswith(("-->", "]]>")):
        text = end[:-3].rstrip().removesuffix("//")
    return _TRAILING.sub("", _CONTROLS.sub(" ", text))


cdef object _parsed(str text):
    """Returns the content of a script with JSON-LD; None if it is no JSON."""
    try:
        return orjson.loads(text)
    except (orjson.JSONDecodeError, RecursionError):
        pass
    try:
        return orjson.loads(_mended(text))
    except (orjson.JSONDecodeError, RecursionError):
        return None


cdef list _nodes(list texts):
    """Returns the objects that may describe a page, in their order."""
    cdef list waiting = [(_parsed(text), 0) for text in reversed(texts)]
    cdef list nodes = []
    cdef int depth
    while waiting and len(nodes) < MOST:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            continue
        if isinstance(node, list):
            waiting += [(each, depth + 1) for each in reversed((<list> node)[:MOST])]
        elif isinstance(node, dict):
            nodes.append(node)
            for key in INSIDE:
                if key in <dict> node:
                    waiting.append(((<dict> node)[key], depth + 1))
    return nodes


def _position(dict part not None):
    """Returns the place of a part of the breadcrumbs; without one, it stays where it is."""
    place = str(part.get("position"))
    return int(place) if place.isdecimal() and len(place) < 4 else 0


def described(list texts not None):
    """Reads the JSON-LD of a page.

    Args:
        texts: the contents of its scripts.

    Returns:
        The objects that describe the page, those of articles before those of pages; {id: object} of all objects with an
        id; and the parts of its first list of breadcrumbs.
    """
    cdef list found = [], pages = [], path = []
    cdef dict ids = {}
    cdef int kinds, all_kinds = 0
    cdef dict node
    for node in _nodes(texts):
        name = node.get("@id")
        if isinstance(name, str) and len(node) > 1:
            ids.setdefault(name, node)
        kinds = _kinds(node)
        all_kinds |= kinds
        if kinds:
            (found if kinds & OF_TEXT else pages).append(node)
        elif node.get("@type") == "BreadcrumbList" and not path and isinstance(node.get("itemListElement"), list):
            path = (<list> node["itemListElement"])[:MOST_VALUES]
    found += pages
    if all_kinds & OF_THING and all_kinds & OF_REVIEW:
        found = [node for node in found if not _kinds(node) & OF_REVIEW]
    return found, ids, path


cdef class Statements:
    """The statements of a page, by what they say. Each is (where it was found, its values)."""

    cdef dict meta    # {what they say: {name: values}}
    cdef dict items
    cdef dict links
    cdef dict ids
    cdef readonly list times
    cdef readonly list authors
    cdef readonly list licences
    cdef readonly list objects
    cdef list path

    def __init__(self, facts not None):
        cdef list data = []
        cdef dict table
        cdef str kind, names, value
        self.meta, self.items, self.links = {}, {}, {}
        self.times, self.authors, self.licences = [], [], []
        for fact in <tuple?> facts:
            kind, names, value = fact
            if kind == "time":
                self.times.append(fact)
            elif kind == "author":
                self.authors.append(fact)
            elif kind == "data":
                data.append(value)
            elif kind == "licence":
                self.licences.append(value)
            elif value and not value.isspace():
                for name in names.split():
                    if kind != "meta":
                        table = self.items if kind == "item" else self.links
                    elif name in MEANINGS:
                        table = self.meta.setdefault(MEANINGS[name][0], {})
                    else:
                        continue
                    (<list> table.setdefault(name, [])).append(value)
        self.objects, self.ids, self.path = described(data)

    def meta_of(self, str said not None):
        """Returns the statements of meta tags that say something, a key of `NAMES`."""
        cdef dict found = self.meta.get(said)
        if found is None:
            return []
        names = sorted(found, key=MEANINGS.__getitem__) if len(found) > 1 else found
        return [(f"meta {name}", found[name]) for name in names]

    def items_of(self, *names):
        """Returns those of microdata."""
        return [(f"itemprop {name}", self.items[name]) for name in names if name in self.items] if self.items else []

    def links_of(self, str name not None):
        """Returns those of links."""
        return [(f"link {name}", self.links[name])] if name in self.links else []

    def json_of(self, *keys, bint of_text=False, bint of_named=False):
        """Returns those of JSON-LD, or only of its texts, or of what has a name; of an object its name or
        its address."""
        cdef list found = [], values
        cdef dict node
        for key in keys if self.objects else ():
            for node in self.objects:
                if key not in node or of_text and _kinds(node) & OF_THING or of_named and not _kinds(node) & OF_NAMED:
                    continue
                values = self._texts(node[key])
                if values:
                    found.append((f"JSON-LD {key}", values))
        return found

    cdef list _texts(self, value):
        cdef list found = []
        for each in (<list> value)[:MOST_VALUES] if isinstance(value, list) else [value]:
            if isinstance(each, dict):
                each = self._text_of(each)
            if isinstance(each, str):
                found.append(each)
        return found

    cdef object _text_of(self, dict thing):
        name = thing.get("@id")
        cdef dict node = self.ids.get(name, thing) if isinstance(name, str) else thing
        for key in ("name", "url"):
            text = node.get(key)
            if isinstance(text, str):
                return text
        # an id may be a name within the page
        return name if isinstance(name, str) and "://" in <str> name else None

    def breadcrumbs(self):
        """Returns the names of the breadcrumbs of JSON-LD and microdata."""
        path = sorted([part for part in self.path if isinstance(part, dict)], key=_position)
        parts = [part if "name" in part else part.get("item") for part in path]
        names = [self._text_of(part) for part in parts if isinstance(part, dict)]
        return [name for name in names if name] or self.items.get("itemlistelement", [])

    def days_of_things(self):
        """Returns the dates of objects that say when something takes place or is valid."""
        cdef dict node
        return [node[key] for node in self.objects for key in DAYS if isinstance(node.get(key), str)]
