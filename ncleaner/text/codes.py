"""Language codes: ISO 639, and the codes that pages declare."""

from __future__ import annotations

from functools import lru_cache

# All codes of ISO 639-1 with their codes in ISO 639-3, from the tables of the registration authority.
_CODES = dict(
    pair.split(":")
    for pair in (
        "aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel "
        "bg:bul bi:bis bm:bam bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces cu:chu "
        "cv:chv cy:cym da:dan de:deu dv:div dz:dzo ee:ewe el:ell en:eng eo:epo es:spa et:est eu:eus fa:fas "
        "ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau he:heb "
        "hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina id:ind ie:ile ig:ibo ii:iii ik:ipk io:ido "
        "is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan ko:kor "
        "kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit lu:lub "
        "lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob nd:nde "
        "ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss pa:pan "
        "pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus rw:kin sa:san sc:srd sd:snd se:sme "
        "sg:sag sh:hbs si:sin sk:slk sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun sv:swe "
        "sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi "
        "ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha "
        "zh:zho zu:zul"
    ).split()
)
# The bibliographic codes of ISO 639-2, which pages also declare, with their codes in ISO 639-3.
_BIBLIOGRAPHIC = dict(
    pair.split(":")
    for pair in (
        "alb:sqi arm:hye baq:eus bur:mya chi:zho cze:ces dut:nld fre:fra geo:kat ger:deu gre:ell ice:isl "
        "mac:mkd mao:mri may:msa per:fas rum:ron slo:slk tib:bod wel:cym"
    ).split()
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


# Old and wrong codes that pages declare, and codes that are treated as one language.
_ALIASES = {"iw": "he", "ji": "yi", "in": "id", "nb": "no", "nn": "no", "cn": "zh", "gr": "el", "jp": "ja"}


@lru_cache
def declared_language(lang: str) -> str:
    """Returns the language of a `lang` attribute: its first subtag in lower case, with old codes replaced.

    Empty if that is not two or three letters.
    """
    code = lang.strip().replace("_", "-").split("-")[0].lower()
    code = _ALIASES.get(code, code)
    return code if code.isalpha() and 2 <= len(code) <= 3 else ""


# what people call languages
_NAMES = dict(
    pair.split(":")
    for pair in (
        "arabic:ar bengali:bn bulgarian:bg catalan:ca chinese:zh croatian:hr czech:cs danish:da deutsch:de "
        "dutch:nl english:en esperanto:eo estonian:et finnish:fi french:fr german:de greek:el hebrew:he "
        "hindi:hi hungarian:hu indonesian:id italian:it japanese:ja korean:ko latvian:lv lithuanian:lt "
        "norwegian:no persian:fa polish:pl portuguese:pt romanian:ro russian:ru serbian:sr slovak:sk "
        "slovenian:sl spanish:es swahili:sw swedish:sv tamil:ta thai:th turkish:tr ukrainian:uk urdu:ur "
        "vietnamese:vi welsh:cy"
    ).split()
)


def named_language(name: str) -> str:
    """Returns the code of a language by its English name; empty if the name is unknown."""
    return _NAMES.get(name.strip().lower(), "")


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
    if not code:
        meant = named_language(text)
        advice = f"did you mean {meant}?" if meant else f"give a code of ISO 639, such as {such_as}"
        raise ValueError(f"{text.strip()!r} is not the code of a language: {advice}")
    return code
