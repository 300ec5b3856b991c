"""Bytes to text: who is believed, and that anything at all comes out as valid UTF-8."""

from __future__ import annotations

import pytest
import webencodings
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.errors import InputError
from ncleaner.page import binary
from ncleaner.text.charset import decode

POLISH = "Zażółć gęślą jaźń. Wieczorem przyszła burza, a potem długo świeciło słońce nad rzeką. " * 4
GERMAN = "Größe, Übermut und süße Äpfel: so schön war es früher für uns alle. " * 4
RUSSIAN = "Утром на пристани было тихо, и только чайки кричали над водой у старого маяка. " * 4
GREEK = "Το πρωί το λιμάνι ήταν ήσυχο και μόνο οι γλάροι φώναζαν πάνω από το νερό. " * 4
CHINESE = "早上码头很安静，只有海鸥在旧灯塔旁的水面上鸣叫，渡船九点钟出发。" * 4
TAIWANESE = "早上碼頭很安靜，只有海鷗在舊燈塔旁的水面上鳴叫，渡船九點鐘出發。" * 4
JAPANESE = "朝の港はとても静かで、古い灯台のそばでカモメだけが鳴いていました。" * 4
KOREAN = "아침 부두는 아주 조용했고 낡은 등대 옆에서 갈매기만 울고 있었습니다. " * 4
THAI = "ตอนเช้าท่าเรือเงียบมาก มีเพียงนกนางนวลร้องอยู่ใกล้ประภาคารเก่า " * 4

# Far more markup than a detector's window holds, as on pages of today.
MARKUP = b"<html><head>" + b"<script>var state = {loaded: true};</script>\n" * 1000 + b"</head><p>"


def page(text: str, codec: str, charset: str = "") -> bytes:
    meta = f'<meta charset="{charset}">' if charset else ""
    return f"<html><head>{meta}<title>x</title></head><p>".encode() + text.encode(codec)


def read(
    body: bytes, content_type: str = "", encoding: str | None = None, html: bool = True
) -> tuple[str, str]:
    text, name = decode(body, content_type, encoding, html)
    return text.decode().rpartition("<p>")[2], name


def test_utf8_is_not_copied() -> None:
    for body in (b"", b"<p>plain", page(RUSSIAN, "utf-8"), page(GERMAN, "utf-8", "iso-8859-1")):
        assert decode(body)[0] is body
        assert decode(body)[1] == "utf-8"


# The order in which sources are believed


@pytest.mark.parametrize(
    ("mark", "codec", "name"),
    [
        (b"\xef\xbb\xbf", "utf-8", "utf-8"),
        (b"\xff\xfe", "utf-16-le", "utf-16le"),
        (b"\xfe\xff", "utf-16-be", "utf-16be"),
    ],
)
def test_byte_order_mark_comes_first(mark: bytes, codec: str, name: str) -> None:
    body = mark + page(POLISH, "utf-8", "iso-8859-2").decode().encode(codec)
    assert read(body, "text/html; charset=koi8-r") == (POLISH, name)


def test_valid_utf8_is_believed_over_declarations() -> None:
    assert read(page(GERMAN, "utf-8", "iso-8859-1"), "text/html; charset=windows-1252") == (GERMAN, "utf-8")


def test_server_is_believed_over_page() -> None:
    body = page(RUSSIAN, "koi8-r", "windows-1251")
    assert read(body, "text/html; charset=koi8-r") == (RUSSIAN, "koi8-r")
    assert read(page(RUSSIAN, "windows-1251", "windows-1251")) == (RUSSIAN, "windows-1251")


def test_forced_encoding_is_not_doubted() -> None:
    body = page(RUSSIAN, "koi8-r", "windows-1251")
    assert read(body, "text/html; charset=windows-1251", encoding="KOI8-R") == (RUSSIAN, "koi8-r")
    assert read(page(GERMAN, "utf-8"), encoding="latin1")[1] == "windows-1252"
    assert read(b"\xef\xbb\xbf<p>x", encoding="utf8") == ("x", "utf-8")
    assert decode(b"\xff\xfe" + "wide".encode("utf-16-le"), encoding="utf-16") == (b"wide", "utf-16le")
    assert decode(b"\xff", encoding="utf-8") == ("\ufffd".encode(), "utf-8")
    for label in ("klingon", "", "utf-8\ud800", "replacement", "ümlaut"):
        with pytest.raises(InputError, match="unknown encoding"):
            decode(b"", encoding=label)


@pytest.mark.parametrize(
    "content_type",
    [
        "text/html; charset=koi8-r",
        "text/html;charset=KOI8-R",
        'text/html; charset="koi8-r"',
        "text/html; charset = koi8-r ",
        "text/html; charset='koi8-r'; x=y",
        "charset=koi8-r",
    ],
)
def test_header_spellings(content_type: str) -> None:
    assert read(page(RUSSIAN, "koi8-r"), content_type) == (RUSSIAN, "koi8-r")


@pytest.mark.parametrize(
    "declaration",
    [
        "<meta charset=koi8-r>",
        '<META CHARSET="KOI8-R" />',
        "<meta\ncharset = 'koi8-r'>",
        '<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">',
        "<meta content='text/html;charset=koi8-r' http-equiv=content-type>",
        '<meta content="text/html; charset=koi8-r">',
        '<?xml version="1.0" encoding="koi8-r"?>',
        '<!-- <meta charset="shift_jis"> --><meta charset=koi8-r>',
        '<meta name="description" content="how charset=gbk works"><meta charset=koi8-r>',
        "<meta charset=nonsense><?x?><meta charset=koi8-r>",
        '<?xml version="1.0" encoding="gbk"?><meta charset=koi8-r>',
    ],
)
def test_declarations_in_the_page(declaration: str) -> None:
    body = declaration.encode() + MARKUP[:100] + b"<p>" + RUSSIAN.encode("koi8-r")
    assert read(body)[1] == "koi8-r"


def test_declarations_count_in_html_only() -> None:
    text = f'<meta charset="iso-8859-5"><p>{RUSSIAN}'
    assert read(text.encode("iso-8859-5"))[1] == "iso-8859-5"
    assert read(text.encode("koi8-r"), html=False) == (RUSSIAN, "koi8-r")


@pytest.mark.parametrize(
    ("label", "codec", "name"),
    [
        ("iso-8859-1", "windows-1252", "windows-1252"),
        ("us-ascii", "windows-1252", "windows-1252"),
        ("x-user-defined", "windows-1252", "windows-1252"),
        ("iso-8859-9", "windows-1254", "windows-1254"),
    ],
)
def test_labels_mean_what_browsers_mean(label: str, codec: str, name: str) -> None:
    text = "“Größe” – süß, 5 €. " * 10
    assert read(page(text, codec, label)) == (text, name)


def test_gb2312_means_gbk() -> None:
    text = "镕" + CHINESE
    assert read(page(text, "gbk", "gb2312")) == (text, "gbk")
    # Four bytes, which only GB 18030 has.
    assert read(page(text + "🙂", "gb18030", "gbk")) == (text + "🙂", "gbk")


def test_page_that_declares_utf16_in_ascii_is_utf8() -> None:
    assert read(page("Größe" * 20, "utf-8", "utf-16"))[1] == "utf-8"
    assert read(page(GERMAN, "windows-1252", "utf-16le")) == (GERMAN, "windows-1252")


# Encodings that hide behind ASCII bytes and NULs


def test_iso_2022_jp() -> None:
    assert read(page(JAPANESE, "iso2022_jp", "iso-2022-jp")) == (JAPANESE, "iso-2022-jp")
    assert read(page(JAPANESE, "iso2022_jp"), "text/html; charset=iso-2022-jp") == (JAPANESE, "iso-2022-jp")
    assert read(page(JAPANESE, "iso2022_jp")) == (JAPANESE, "iso-2022-jp")
    assert read(b"<p>an escape \x1b[1m of a terminal") == ("an escape \x1b[1m of a terminal", "utf-8")
    assert read(page("plain", "ascii", "iso-2022-jp")) == ("plain", "utf-8")


def test_hz() -> None:
    assert read(page(CHINESE, "hz", "hz-gb-2312")) == (CHINESE, "hz-gb-2312")
    assert read(page(CHINESE, "hz"), "text/html; charset=HZ-GB-2312") == (CHINESE, "hz-gb-2312")
    assert read(b"<p>a tilde ~{ in a page about hz-gb-2312") == (
        "a tilde ~{ in a page about hz-gb-2312",
        "utf-8",
    )


def test_iso_2022_kr() -> None:
    assert read(page(KOREAN, "iso2022_kr", "iso-2022-kr"))[1] == "iso-2022-kr"


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf16_without_mark(order: str) -> None:
    body = page(GERMAN, "utf-8").decode().encode(f"utf-16-{order}")
    assert read(body) == (GERMAN, f"utf-16{order}")
    assert read(page("plain text", "utf-8").decode().encode(f"utf-16-{order}"))[1] == f"utf-16{order}"
    body = f"<p>{CHINESE} {CHINESE}".encode(f"utf-16-{order}")
    assert read(body, "text/html; charset=utf-16") == (f"{CHINESE} {CHINESE}", f"utf-16{order}")


def test_server_that_says_utf16_of_ascii() -> None:
    assert read(b"<p>plain", "text/html; charset=utf-16") == ("plain", "utf-8")
    assert read(b"<p>one \0 NUL in a page" + b"x" * 50, "text/html; charset=utf-16")[1] == "utf-8"


# Declarations that are wrong


def test_few_broken_sequences_leave_utf8() -> None:
    body = page(RUSSIAN, "utf-8", "utf-8")
    assert read(body[:-2])[1] == "utf-8"
    text, name = read(body + b" \xff\xfe " + RUSSIAN.encode())
    assert name == "utf-8" and text.count("\ufffd") == 2
    # Undeclared, or declared as something else, when nearly all of it is valid.
    assert read(page(RUSSIAN * 4, "utf-8")[:-2])[1] == "utf-8"
    assert read(page(RUSSIAN * 4, "utf-8", "iso-8859-1")[:-2])[1] == "utf-8"


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (RUSSIAN, "windows-1251", "windows-1251"),
        (CHINESE, "gbk", "gb18030"),
        (GERMAN, "windows-1252", "windows-1252"),
        (JAPANESE, "shift_jis", "shift_jis"),
    ],
)
def test_declared_utf8_that_is_not(text: str, codec: str, name: str) -> None:
    assert read(page(text, codec, "utf-8")) == (text, name)
    assert read(page(text, codec), "text/html; charset=utf-8") == (text, name)


def test_wrong_multi_byte_declaration_falls_through() -> None:
    assert read(page(GERMAN, "windows-1252", "euc-jp")) == (GERMAN, "windows-1252")
    assert read(page(GERMAN, "windows-1252"), "text/html; charset=utf-16") == (GERMAN, "windows-1252")


# The detector


@pytest.mark.parametrize(
    ("text", "codec", "names"),
    [
        (RUSSIAN, "windows-1251", {"windows-1251"}),
        (RUSSIAN, "koi8-r", {"koi8-r"}),
        (RUSSIAN, "ibm866", {"ibm866"}),
        (GREEK, "iso-8859-7", {"iso-8859-7", "windows-1253"}),
        (POLISH, "windows-1250", {"windows-1250"}),
        (POLISH, "iso-8859-2", {"iso-8859-2"}),
        (GERMAN, "windows-1252", {"windows-1252"}),
        (CHINESE, "gbk", {"gbk", "gb18030"}),
        (TAIWANESE, "big5", {"big5"}),
        (JAPANESE, "euc-jp", {"euc-jp"}),
        (JAPANESE, "shift_jis", {"shift_jis"}),
        (KOREAN, "euc-kr", {"euc-kr"}),
        (THAI, "cp874", {"windows-874"}),
    ],
)
def test_detection_behind_markup(text: str, codec: str, names: set[str]) -> None:
    found, name = read(MARKUP + text.encode(codec))
    assert name in names
    assert found == text


@pytest.mark.parametrize(
    "text",
    [
        "It’s “easy” – isn’t it? " * 30,
        "© 2024 · all rights reserved",
        "café",
        "a  b  c • d • e • f • g",
        "naïve façade",
    ],
)
def test_signs_and_single_letters_are_western(text: str) -> None:
    assert read(b"<p>" + text.encode("windows-1252")) == (text, "windows-1252")


# Anything


NAMES = {
    encoding.name for encoding in (webencodings.lookup(label) for label in webencodings.LABELS) if encoding
}


@given(
    st.binary(max_size=400),
    st.sampled_from(
        ["", "utf-8", "utf-16", "iso-2022-jp", "gbk", "hz-gb-2312", "x-user-defined", "big5", "?"]
    ),
    st.booleans(),
)
def test_anything_becomes_valid_utf8(body: bytes, charset: str, html: bool) -> None:
    for beginning in (
        b"",
        b'<?xml encoding="%s"?><meta charset=%s>' % (charset.encode(), charset.encode()),
        b"\x1b$B",
    ):
        text, name = decode(beginning + body, f"text/html; charset={charset}" if html else "", None, html)
        text.decode()
        assert name in NAMES | {"hz-gb-2312", "iso-2022-kr"}
        assert decode(beginning + body, f"text/html; charset={charset}" if html else "", None, html) == (
            text,
            name,
        )


@pytest.mark.parametrize("label", sorted(webencodings.LABELS))
def test_any_label_decodes_anything(label: str) -> None:
    encoding = webencodings.lookup(label)
    if encoding.name == "replacement" and label not in ("hz-gb-2312", "iso-2022-kr", "csiso2022kr"):
        with pytest.raises(InputError):
            decode(b"x", encoding=label)
        return
    text, _ = decode(bytes(range(256)) * 3, encoding=label)
    text.decode()


@pytest.mark.parametrize(
    "body",
    [
        b"\xff" + b"<meta " * 500_000,
        b"\xff" + b"<!--" * 500_000,
        b"<?xml " * 500_000 + b"\xff",
        b" " * 3_000_000 + b"\xff",
        b"\xff a" * 500_000,
        b"\xff" * 500_000,
    ],
)
def test_hostile_pages_take_linear_time(body: bytes) -> None:
    """No time is measured: in quadratic time this would not end."""
    text, _ = decode(body)
    assert text


def test_text_has_no_encoding() -> None:
    assert decode("über", "text/html; charset=koi8-r", "gbk") == ("über".encode(), "")
    assert decode("one \ud800 alone") == (b"one ? alone", "")


UKRAINIAN = "Вранці на пристані тихо, а її ґанок і їхній дім стояли поруч біля маяка. " * 4


@pytest.mark.parametrize("text", [CHINESE, JAPANESE, KOREAN, RUSSIAN, GREEK])
@pytest.mark.parametrize("spaces", ["", " "])
@pytest.mark.parametrize(
    ("codec", "label", "name"),
    [
        ("utf-16-le", "utf-16", "utf-16le"),
        ("utf-16-le", "utf-16le", "utf-16le"),
        ("utf-16-be", "utf-16be", "utf-16be"),
        ("utf-16-be", "utf-16", "utf-16be"),
    ],
)
def test_declared_utf16_without_ascii(text: str, spaces: str, codec: str, label: str, name: str) -> None:
    text = text.replace(" ", spaces)
    body = text.encode(codec)
    assert decode(body, f"text/plain; charset={label}", html=False) == (text.encode(), name)


@pytest.mark.parametrize("text", [CHINESE, JAPANESE, KOREAN, RUSSIAN, GREEK, GERMAN])
def test_a_false_declaration_of_utf16(text: str) -> None:
    for codec in {
        CHINESE: ("utf-8", "gbk"),
        JAPANESE: ("utf-8", "euc-jp", "shift_jis"),
        KOREAN: ("utf-8", "euc-kr"),
        RUSSIAN: ("utf-8", "windows-1251"),
        GREEK: ("utf-8", "iso-8859-7"),
        GERMAN: ("utf-8", "windows-1252"),
    }[text]:
        assert read(page(text, codec), "text/html; charset=utf-16")[0] == text


def test_koi8_u_is_told_from_koi8_r() -> None:
    assert read(page(UKRAINIAN, "koi8-u")) == (UKRAINIAN, "koi8-u")
    framed = "┌──┐│Тест│└──┘ " + RUSSIAN
    assert read(page(framed, "koi8-r")) == (framed, "koi8-r")


def test_an_unknown_label_does_not_end_the_search() -> None:
    body = b"<meta charset=klingon><meta name=x><meta http-equiv=content-type content='text/html; charset=koi8-r'>"
    assert read(body + b"<p>" + RUSSIAN.encode("koi8-r"))[1] == "koi8-r"
    assert read(b"<meta charset=klingon><p>" + POLISH.encode("iso-8859-2"))[1] == "iso-8859-2"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        (RUSSIAN, "windows-1251"),
        (RUSSIAN, "koi8-r"),
        (GREEK, "iso-8859-7"),
        (CHINESE, "gbk"),
        (TAIWANESE, "big5"),
        (JAPANESE, "euc-jp"),
        (JAPANESE, "shift_jis"),
        (KOREAN, "euc-kr"),
    ],
)
def test_a_false_declaration_of_latin(text: str, codec: str) -> None:
    """Servers declare ISO-8859-1 for all their pages."""
    for declared in ("", "iso-8859-1", codec):
        assert read(page(text, codec, declared), "text/html; charset=iso-8859-1")[0] == text


@pytest.mark.parametrize(
    "text", [GERMAN, "L’été où l’on a créé la fée à la forêt dépouillée, « ÉÉÉ » — là. " * 4]
)
def test_a_true_declaration_of_latin(text: str) -> None:
    assert read(page(text, "windows-1252"), "text/html; charset=iso-8859-1") == (text, "windows-1252")


FERRY = "渡轮将一直运行到五月底，市议会周一晚上说，没有人感到惊讶。"


@pytest.mark.parametrize("number", [1, 5, 20, 59, 200])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("declared", ["utf-16le", "utf-16be", "utf-16"])
def test_a_letter_with_a_zero_byte_does_not_turn_utf16_around(number: int, codec: str, declared: str) -> None:
    # U+4E00 is the commonest Chinese character
    text = "<p>" + FERRY * number
    name = codec.replace("-", "").replace("utf16", "utf-16")
    assert decode(text.encode(codec), f"text/html; charset={declared}") == (text.encode(), name)


@pytest.mark.parametrize("number", [1, 5, 20, 59])
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    "sentence",
    [
        FERRY,
        "フェリーは五月末まで運航する、と決めた。",
        "여객선은 오월 말까지 운항한다.",
        "Паром будет ходить до мая.",
    ],
)
def test_utf16_that_nobody_declares_is_text(number: int, codec: str, sentence: str) -> None:
    body = ("<p>" + sentence * number).encode(codec)
    assert binary(body) is None
    assert decode(body)[0].decode() == "<p>" + sentence * number
    # of a dump, white space is the evidence
    text = f"{sentence}\n" * number
    assert binary(text.encode(codec)) is None and decode(text.encode(codec), html=False)[0].decode() == text


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_chinese_utf16_that_nobody_declares_is_known_by_its_tags(codec: str) -> None:
    text = "<p>" + f"<b>{FERRY}</b>" * 9
    assert decode(text.encode(codec))[0] == text.encode()
    # rare characters, of which both orders have some
    text = "<p>" + "ꀀꊈꌠꁱꂷ ꊿꂵꋊꏂ " * 30
    body = text.encode(codec)
    assert decode(body, f"text/html; charset={codec.replace('-16-', '-16')}")[0] == text.encode()


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"caf\xc3\xa9 it\x92s", "café it’s"),
        (b"caf\xc3\xa9 \xc3\xa9t\xc3\xa9 \x93it\x92s\x94", "café été “it’s”"),
        (b"caf\xc3\xa9 d\xe9j\xe0 l\x92\xe9t\xe9 caf\xe9", "café déjà l’été café"),
        (b"\xe2\x82\xac 5 \x80 6 \x85\x94", "€ 5 € 6 …”"),
    ],
)
def test_single_bytes_in_declared_utf8_are_mended_one_by_one(body: bytes, text: str) -> None:
    assert decode(b"<p>" + body, "text/html; charset=utf-8") == (f"<p>{text}".encode(), "utf-8")
    assert decode(b"<meta charset=utf-8>" + body)[0].decode() == f"<meta charset=utf-8>{text}"


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("café déjà l’été, naïve", "cp1252"),
        ("ÉCOLE É… “À” ÉTÉ", "cp1252"),
        (RUSSIAN, "cp1251"),
        (CHINESE, "gbk"),
        (JAPANESE, "shift_jis"),
        (KOREAN, "euc_kr"),
    ],
)
def test_a_false_declaration_of_utf8(text: str, codec: str) -> None:
    body = f"<p>{text}".encode(codec)
    assert decode(body, "text/html; charset=utf-8")[0].decode() == f"<p>{text}"


def test_mac_cyrillic_that_nobody_declares() -> None:
    body = f"<p>{RUSSIAN}".encode("mac_cyrillic")
    assert decode(body) == (f"<p>{RUSSIAN}".encode(), "x-mac-cyrillic")
