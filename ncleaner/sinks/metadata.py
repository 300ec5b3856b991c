"""What formats say about a page besides its text: dates, languages, ids, and strings that can be written."""

from __future__ import annotations

import hashlib
import uuid
from datetime import UTC, datetime

from ncleaner.document import Document
from ncleaner.language import declared_language
from ncleaner.methods import Kept
from ncleaner.page import Page

__all__ = ["captured", "encodable", "iso_639_1", "iso_639_3", "made_id", "stated_language"]

# All codes of ISO 639-1 with their codes of ISO 639-3, as the registration authority has them.
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
# The bibliographic codes of ISO 639-2, which pages declare as well, and what ISO 639-3 has in their place.
_BIBLIOGRAPHIC = dict(
    pair.split(":")
    for pair in (
        "alb:sqi arm:hye baq:eus bur:mya chi:zho cze:ces dut:nld fre:fra geo:kat ger:deu gre:ell ice:isl "
        "mac:mkd mao:mri may:msa per:fas rum:ron slo:slk tib:bod wel:cym"
    ).split()
)
_SHORT = {three: two for two, three in _CODES.items()}
# Codes of three letters that name no language: undetermined, uncoded, several, none.
_NONE = frozenset({"und", "mis", "mul", "zxx"})

# Of all ids that are made here: the same page gets the same id wherever it is cleaned.
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "tag:ncleaner,2024:record")


def encodable(text: str) -> str:
    """A string that has a UTF-8 form: unpaired surrogates, as of file names that are no UTF-8, become `?`."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


def captured(date: str) -> datetime | None:
    """The time of a capture, in UTC and whole seconds; None when it is unknown or no date.

    Dates of WARC/1.1, with fractions of a second or a day alone, are dates, too.
    """
    try:
        found = datetime.fromisoformat(date)
        found = found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return found.replace(microsecond=0)


def iso_639_3(code: str) -> str:
    """The ISO 639-3 code for a code of any part of ISO 639; empty for what is none."""
    if len(code) == 3 and code.isascii() and code.isalpha() and code.islower() and code not in _NONE:
        return _BIBLIOGRAPHIC.get(code, code)
    return _CODES.get(code, "")


def iso_639_1(code: str) -> str:
    """The ISO 639-1 code for a code of any part of ISO 639, that of ISO 639-3 for a language that has no
    shorter one, and empty for what is none."""
    long = iso_639_3(code)
    return _SHORT.get(long, long)


def stated_language(document: Document, kept: Kept) -> str:
    """The language of a page as far as it is known without a look at the text: the one a model was chosen
    for, else the declared one; as `iso_639_1`."""
    return iso_639_1(kept.language or declared_language(document.lang))


def made_id(page: Page, text: bytes) -> uuid.UUID:
    """An id for what is made of a page: of the id of its record alone or, where that has none, of where and
    when it was captured and of its clean text."""
    where = f"{page.url}\n{page.date}\n{page.offset}"
    name = page.record_id or f"{where}\n{hashlib.sha256(text).hexdigest()}"
    return uuid.uuid5(_NAMESPACE, encodable(name))
