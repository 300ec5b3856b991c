"""The table of methods. The rest of the package knows the methods only through it.

To add a method, write a module with its class and enter it here: the command line, the Python API, the
cluster and the reading of model files use only this table. The table itself imports no method; a class is
imported when the method is used.
"""

from __future__ import annotations

from ncleaner.methods.base import Entry, ModelKind

__all__ = [
    "AUTO",
    "DEFAULT_METHOD",
    "DEFAULT_MODEL",
    "FALLBACK_MODEL",
    "KINDS",
    "METHODS",
    "SHIPPED",
    "entry_of",
]

_NGRAMS = ModelKind("ngram", "ncleaner.modelling.ngrams:NGramModel")
_HYBRID = ModelKind("hybrid", "ncleaner.modelling.hybrid:HybridModel")
_STRUCTURE = ModelKind("structure", "ncleaner.modelling.structure:Structure")
_NOTICES = ModelKind("notices", "ncleaner.modelling.notices:Notices")
_FIASCO = ModelKind("fiasco", "ncleaner.modelling.classic:FiascoModel")
_LINES = ModelKind("lines", "ncleaner.modelling.classic:LinesModel")
_VICTOR = ModelKind("victor", "ncleaner.modelling.victor:VictorModel")

METHODS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            name="hybrid",
            about="n-grams and the structure of the page",
            path="ncleaner.methods.hybrid:Hybrid",
            kinds=(_HYBRID, _NGRAMS),
            by_language=True,
            by_zones=True,
            estimates=True,
            parts={"structure": _STRUCTURE, "notices": _NOTICES},
        ),
        Entry(
            name="ngram",
            about="n-grams alone",
            source="Evert 2008",
            path="ncleaner.methods.ngram:NGram",
            kinds=(_NGRAMS, _HYBRID),
            by_language=True,
            by_zones=True,
        ),
        Entry(
            name="victor",
            about="a conditional random field over blocks",
            source="Marek, Pecina & Spousta 2007",
            path="ncleaner.methods.classic:Victor",
            kinds=(_VICTOR,),
            default="victor",
        ),
        Entry(
            name="bte",
            about="the span with most words inside and most tags outside",
            path="ncleaner.methods.baselines:BodyText",
            source="Finn, Kushmerick & Smyth 2001",
        ),
        Entry(
            name="density",
            about="segments with much text for their markup, then n-grams",
            path="ncleaner.methods.density:Density",
            source="Pal 2009",
            kinds=(_NGRAMS, _HYBRID),
            by_language=True,
        ),
        Entry(
            name="kimatu",
            about="blocks of one look with much prose, and what belongs to them",
            path="ncleaner.methods.kimatu:Kimatu",
            source="Saralegi & Leturia 2007",
        ),
        Entry(
            name="webcontent",
            about="the densest element with most of the text",
            path="ncleaner.methods.webcontent:WebContent",
            source="Baisa 2009",
        ),
        Entry(
            name="site",
            about="what a page does not share with a reference page of its site",
            path="ncleaner.methods.webcontent:Site",
            source="Baisa 2009",
            needs_references=True,
        ),
        Entry(
            name="htmcleaner",
            about="runs of sentences with many function words and few links",
            path="ncleaner.methods.htmcleaner:Htmcleaner",
            source="Girardi 2007",
            kinds=(_NGRAMS, _HYBRID),
            by_language=True,
        ),
        Entry(
            name="fiasco",
            about="a support vector machine over elements",
            path="ncleaner.methods.classic:Fiasco",
            source="Bauer et al. 2007",
            kinds=(_FIASCO,),
            default="fiasco",
        ),
        Entry(
            name="genieknows",
            about="semantic blocks by a weighted average of features",
            path="ncleaner.methods.genieknows:GenieKnows",
            source="Gao & Abou-Assaleh 2007",
        ),
        Entry(
            name="lines",
            about="a decision tree over paragraphs, headings and list items, or their length",
            path="ncleaner.methods.classic:Lines",
            source="Hofmann & Weerkamp 2007",
            kinds=(_LINES,),
            default="lines",
        ),
        Entry(
            name="heuristics-only",
            about="removes only menus and copyright lines",
            source="Evert 2008",
            path="ncleaner.methods.baselines:Heuristics",
        ),
        Entry(
            name="everything",
            about="keeps all text",
            path="ncleaner.methods.baselines:Everything",
        ),
    )
}
KINDS: dict[str, ModelKind] = {
    kind.name: kind for entry in METHODS.values() for kind in (*entry.kinds, *entry.parts.values())
}
DEFAULT_METHOD = "hybrid"
# The name of a model per page, and the model for languages without one.
AUTO = "auto"
# as `auto`, but without models of the user's own
SHIPPED = "shipped"
FALLBACK_MODEL = "nonlexical"
DEFAULT_MODEL = AUTO


def entry_of(method: str) -> Entry:
    """The table's entry of a method. Raises ValueError: the method is unknown."""
    if method not in METHODS:
        # only here: few names are wrong
        from difflib import get_close_matches

        meant = [f"did you mean {name}? " for name in get_close_matches(method, METHODS, n=1)]
        raise ValueError(f"no method {method!r}: {''.join(meant)}there are {', '.join(METHODS)}")
    return METHODS[method]
