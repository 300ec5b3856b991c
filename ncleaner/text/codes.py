"""Language codes: ISO 639, and the codes that pages declare."""

from functools import cache, lru_cache

from ncleaner.text.wordlists import pairs_of, word_lists

# `codes.txt` says what these are, and how to add a name.
_CODES, _BIBLIOGRAPHIC, _ALIASES, _NAMES = map(
    pairs_of, word_lists("text/codes", "two letters", "bibliographic", "aliases", "names").values()
)
_SHORT = {three: two for two, three in _CODES.items()}
# Codes of three letters that name no language: undetermined, uncoded, several languages, no language.
_NONE = frozenset({"und", "mis", "mul", "zxx"})


def iso_639_3(code: str) -> str:
    """Returns the ISO 639-3 code for a code of any part of ISO 639; empty if `code` is no ISO 639 code."""
    if len(code) == 3 and code.isascii() and code.isalpha() and code.islower() and code not in _NONE:
        return _BIBLIOGRAPHIC.get(code, code)
    return _CODES.get(code, "")


def iso_639_1(code: str) -> str:
    """Returns the ISO 639-1 code for a code of any part of ISO 639.

    A language without a code in ISO 639-1 gets its ISO 639-3 code. Empty if `code` is no ISO 639 code.
    """
    long = iso_639_3(code)
    return _SHORT.get(long, long)


@lru_cache
def declared_language(lang: str) -> str:
    """Returns the language of a `lang` attribute: its first subtag in lower case, with old codes replaced.

    Empty if that is not two or three letters.
    """
    code = lang.strip().replace("_", "-").split("-")[0].lower()
    code = _ALIASES.get(code, code)
    return code if code.isalpha() and 2 <= len(code) <= 3 else ""


def named_language(name: str) -> str:
    """Returns the code of a language by its English name; empty if the name is unknown."""
    return _NAMES.get(name.strip().lower(), "")


@cache
def _assigned() -> dict[str, str]:
    """{first two letters: third letters} of the codes of ISO 639-3; read where a user names a language."""
    return pairs_of(word_lists("text/assigned", "codes")["codes"])


def languages_in(text: str) -> list[str]:
    """Returns the languages that a list of codes names, with commas between them.

    >>> languages_in("fr, deu")
    ['de', 'fr']

    Returns:
        Codes as `iso_639_1` has them, each once, sorted.

    Raises:
        ValueError: a part is no code of ISO 639.
    """
    return sorted({language_in(part, "de or de,fr") for part in text.split(",")})


def language_in(text: str, such_as: str = "de") -> str:
    """Returns the language that a code names, as `iso_639_1` has it; `such_as` is for the error.

    >>> language_in("ell"), language_in("pt_BR"), language_in("nb")
    ('el', 'pt', 'no')

    Raises:
        ValueError: the text is no code of ISO 639.
    """
    code = iso_639_1(declared_language(text))
    if not code or code[2:] not in _assigned().get(code[:2], ""):
        meant = named_language(text)
        advice = f"did you mean {meant}?" if meant else f"give a code of ISO 639, such as {such_as}"
        raise ValueError(f"{text.strip()!r} is not the code of a language: {advice}")
    return code
