"""The table of methods. The rest of the package knows the methods only through it.

To add a method, write a module with its class and enter it here: the command line, the Python API, the
cluster and the reading of model files use only this table. The table itself imports no method; a class is
imported when the method is used.
"""

from ncleaner.methods.base import Entry, ModelKind

_NGRAMS = ModelKind("ngram", "ncleaner.modelling.ngrams:NGramModel")
_HYBRID = ModelKind("hybrid", "ncleaner.modelling.hybrid:HybridModel")
_STRUCTURE = ModelKind("structure", "ncleaner.modelling.structure:Structure")
_NOTICES = ModelKind("notices", "ncleaner.modelling.notices:Notices")
_FIASCO = ModelKind("fiasco", "ncleaner.classics.fiasco:FiascoModel")
_LINES = ModelKind("lines", "ncleaner.classics.line_tree:LinesModel")
_VICTOR = ModelKind("victor", "ncleaner.classics.victor:VictorModel")

METHODS: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        Entry(
            "hybrid", "n-grams and the structure of the page",
            "ncleaner.methods.hybrid:Hybrid", kinds=(_HYBRID, _NGRAMS), by_language=True, by_zones=True,
            estimates=True, parts={"structure": _STRUCTURE, "text": _STRUCTURE, "notices": _NOTICES},
        ),
        Entry(
            "ngram", "n-grams alone",
            "ncleaner.methods.ngram:NGram", "Evert 2008",
            kinds=(_NGRAMS, _HYBRID), by_language=True, by_zones=True,
        ),
        Entry(
            "victor", "a conditional random field over blocks",
            "ncleaner.classics.victor:Victor", "Marek, Pecina & Spousta 2007",
            kinds=(_VICTOR,), default="victor", trainer="ncleaner.classics.trainers:train_victor",
        ),
        Entry(
            "bte", "the span with most words inside and most tags outside",
            "ncleaner.classics.bte:BodyText", "Finn, Kushmerick & Smyth 2001",
        ),
        Entry(
            "density", "segments with much text for their markup, then n-grams",
            "ncleaner.classics.density:Density", "Pal 2009", kinds=(_NGRAMS, _HYBRID), by_language=True,
        ),
        Entry(
            "kimatu", "blocks of one look with much prose, and what belongs to them",
            "ncleaner.classics.kimatu:Kimatu", "Saralegi & Leturia 2007",
        ),
        Entry(
            "webcontent", "the densest element with most of the text",
            "ncleaner.classics.webcontent:WebContent", "Baisa 2009",
        ),
        Entry(
            "site", "what a page does not share with a reference page of its site",
            "ncleaner.classics.webcontent:SiteReferences", "Baisa 2009", needs_references=True,
        ),
        Entry(
            "htmcleaner", "runs of sentences with many function words and few links",
            "ncleaner.classics.htmcleaner:Htmcleaner", "Girardi 2007",
            kinds=(_NGRAMS, _HYBRID), by_language=True,
        ),
        Entry(
            "fiasco", "a support vector machine over elements",
            "ncleaner.classics.fiasco:Fiasco", "Bauer et al. 2007", kinds=(_FIASCO,), default="fiasco",
            trainer="ncleaner.classics.trainers:train_fiasco",
        ),
        Entry(
            "genieknows", "semantic blocks by a weighted average of features",
            "ncleaner.classics.genieknows:GenieKnows", "Gao & Abou-Assaleh 2007",
        ),
        Entry(
            "lines", "a decision tree over paragraphs, headings and list items, or their length",
            "ncleaner.classics.line_tree:Lines", "Hofmann & Weerkamp 2007", kinds=(_LINES,), default="lines",
            trainer="ncleaner.classics.trainers:train_lines",
        ),
        Entry(
            "heuristics-only", "removes only menus and copyright lines",
            "ncleaner.methods.baselines:Heuristics", "Evert 2008",
        ),
        Entry("everything", "keeps all text", "ncleaner.methods.baselines:Everything"),
    )
}  # fmt: skip
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
