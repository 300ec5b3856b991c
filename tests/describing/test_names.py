"""Titles without the name of the site, and names of authors."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.describing.names import (
    bare_title,
    is_account,
    names_in,
    names_in_line,
    names_on_page,
    names_signed,
    names_site,
    plain_title,
    without_site,
)

URL = "https://www.harbour-gazette.example/2024/ferry"


@pytest.mark.parametrize(
    ("text", "site", "url", "wanted"),
    [
        ("The ferry is back | Harbour Gazette", "Harbour Gazette", "", "The ferry is back"),
        ("The ferry is back - News - Harbour Gazette", "Harbour Gazette", "", "The ferry is back - News"),
        ("Harbour Gazette: The ferry", "Harbour Gazette", "", "Harbour Gazette: The ferry"),
        ("Harbour Gazette | The ferry", "Harbour Gazette", "", "The ferry"),
        ("The ferry is back – The Harbour Gazette Online", "Harbour Gazette", "", "The ferry is back"),
        ("The ferry is back - Harbour Gazette", "", URL, "The ferry is back"),
        ("The ferry is back - a history", "Harbour Gazette", URL, "The ferry is back - a history"),
        ("The ferry is back | gazette.example", "", "", "The ferry is back"),
        ("Harbour Gazette", "Harbour Gazette", URL, "Harbour Gazette"),
        ("The ferry is back | HBG News", "HBG", "", "The ferry is back"),
        ("The ferry is back：港新聞", "港新聞", "", "The ferry is back"),
        ("渡轮回来了_港新聞", "港新聞", "", "渡轮回来了"),
        ("渡轮回来了-港新聞", "港新聞", "", "渡轮回来了"),
        ("배가 돌아왔다ㅣ항구일보", "항구일보", "", "배가 돌아왔다"),
        ("中国-东盟", "港新聞", "", "中国-东盟"),
        ("Trajekt je zpět - Přístavní noviny", "", "https://www.pristavninoviny.example/", "Trajekt je zpět"),
        # quotation marks, and signs of links to a heading
        ("Le ministre salue « un tournant »", "", "", "Le ministre salue « un tournant »"),
        ("The ferry is back¶", "", "", "The ferry is back"),
        ("Learning C#", "", "", "Learning C#"),
        ("Trains &amp; <b>ferries</b>\n", "", "", "Trains & ferries"),
        ("a < b > c", "", "", "a < b > c"),
        ("", "Harbour Gazette", URL, ""),
    ],
)
def test_titles(text: str, site: str, url: str, wanted: str) -> None:
    assert without_site(text, [site], url) == wanted


@given(st.text(max_size=60), st.text(max_size=20))
def test_any_title(text: str, site: str) -> None:
    title = plain_title(text)
    found = without_site(text, [site], URL)
    assert found in title and bool(found) == bool(title)


def test_many_separators_take_no_time() -> None:
    assert without_site("x | " * 2_000, ["x"])
    assert bare_title("x | " * 2_000, ["x | " * 1_000] * 100)


@pytest.mark.parametrize(
    ("title", "others", "wanted"),
    [
        ("The ferry is back – HG – 13.06.2023", ["The ferry is back"], "The ferry is back"),
        ("The ferry is back – a history", ["Another title"], "The ferry is back – a history"),
        # a label, and the name of the site
        ("Reviews | The ferry is back at last", ["Reviews"], "Reviews | The ferry is back at last"),
        ("Harbour Gazette | The ferry", ["Harbour Gazette"], "Harbour Gazette | The ferry"),
    ],
)
def test_what_another_title_leaves_out(title: str, others: list[str], wanted: str) -> None:
    assert bare_title(title, others, ["Harbour Gazette"]) == wanted


def test_names_that_are_no_people() -> None:
    assert names_site("The Harbour Gazette Online", ["Harbour Gazette"]) and names_site(
        "harbour-gazette", [], URL
    )
    assert not names_site("Ann Lee", ["Harbour Gazette"], URL)
    assert (
        is_account("a.lee") and is_account("annlee7") and not is_account("Ann Lee") and not is_account("dpa")
    )


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["Ann Lee"], ["Ann Lee"]),
        # words of other languages
        (["Door Anna de Vries en Bram Bakker"], ["Anna de Vries", "Bram Bakker"]),
        (["Tekst: Anna Nowak i Jan Kowalski"], ["Anna Nowak", "Jan Kowalski"]),
        (["Autorin/Autor Anna Lehmann"], ["Anna Lehmann"]),
        (["Από Άννα Λη"], ["Άννα Λη"]),
        (["di Anna Rossi e Marco Bianchi"], ["Anna Rossi", "Marco Bianchi"]),
        (["Av Per-Erik Lund og Dan Berg"], ["Per-Erik Lund", "Dan Berg"]),
        (["บทความโดย", "โดย แอน ลี"], ["บทความโดย", "แอน ลี"]),
        (["Anna Rossi/Marco Bianchi"], ["Anna Rossi", "Marco Bianchi"]),
        (["abc/xyz"], ["abc/xyz"]),
        (["Mia Wald » Mo"], ["Mia Wald"]),
        (["By Ann Lee, in Islands, Trade"], ["Ann Lee"]),
        (
            [
                "redaktor",
                "redaktori",
                "publisher",
                "Redaktion",
                "Foto: Ann Lee",
                "(Image: Getty/iStockphoto)",
                "Twitter",
            ],
            [],
        ),
        (["Harbour Gazette ©"], ["Harbour Gazette"]),
        (["By Ann Lee and Ben Moss"], ["Ann Lee", "Ben Moss"]),
        (["Ann Lee, Ben Moss & Carla Diaz"], ["Ann Lee", "Ben Moss", "Carla Diaz"]),
        (["Ann Lee, Ph.D., Ben Moss Jr"], ["Ann Lee, Ph.D", "Ben Moss Jr"]),
        (["Ann Lee", "ann lee", "Ben Moss"], ["Ann Lee", "Ben Moss"]),
        (["Ann &amp; Ben"], ["Ann", "Ben"]),
        (["von Anna Müller und Bernd Maier"], ["Anna Müller", "Bernd Maier"]),
        (["作者：王小明"], ["王小明"]),
        (["Της Άννας Λη", "a-paper.gr"], ["Άννας Λη"]),
        (["Анна Петрова и Иван Сидоров"], ["Анна Петрова", "Иван Сидоров"]),
        (["Posted by Ann Lee on 3 May 2024"], ["Ann Lee"]),
        # a role, an agency, a department and a day beside the name
        (["Ann Lee, Senior Editor", "Ben Moss, Trial Attorney"], ["Ann Lee", "Ben Moss"]),
        (["By ANN LEE Associated Press Writer"], ["ANN LEE"]),
        (["By: Ann Lee | World News | Thursday January 12"], ["Ann Lee"]),
        (["Autor: annlee. Data publikacji"], ["annlee"]),
        (["Prof. Ann Lee", "J. K. Moss"], ["Prof. Ann Lee", "J. K. Moss"]),
        # digits of a name, and those of a count or a date
        (["annlee77", "DJ 3000", "Ann_Lee42"], ["annlee77", "DJ 3000", "Ann_Lee42"]),
        (["By Ann Lee 3 Comments", "12 May 2024", "5mins"], ["Ann Lee"]),
        (["by annlee77 » Sat Jan 12, 2013 6:01 pm", "by mia » Sáb, 12 Ene 2013"], ["annlee77", "mia"]),
        (["By Ann Lee, CNN May 3, 2024", "By Ben Moss December 3, 2024"], ["Ann Lee", "CNN", "Ben Moss"]),
        # labels, roles and places
        (["Text: Ben Moss / Photo: Mia", "Text: Jo Day Fotos: Mia"], ["Ben Moss", "Jo Day"]),
        (
            ["김민수 기자", "이영희 선임기자 lee@gazette.example", "글·사진 박지성"],
            ["김민수", "이영희", "박지성"],
        ),
        (
            ["文・山田太郎", "取材・文＝佐藤花子", "鈴木一郎記者", "本报记者 李小明"],
            ["山田太郎", "佐藤花子", "鈴木一郎", "李小明"],
        ),
        (["Von Anna Müller, Berlin", "By Ann Lee, AFP"], ["Anna Müller", "Ann Lee", "AFP"]),
        # no people
        (["S", "gazette.example.gr", "Contributor", "5 mins read", "Founder of the Gazette"], []),
        # an address, a date and the word of Drupal beside the name
        (["By Ann Lee (ann@gazette.example)", "Submitted by Ben Moss"], ["Ann Lee", "Ben Moss"]),
        (["2024年5月3日 記者 王小明"], ["王小明"]),
        (["Uppdaterad", "Last updated", "Shop", "Authorized Dealer"], []),
        # a Turkish capital is one character, in small letters two
        (["DİĞER GALERİLER", "DAN YAZAN: İnci Ay"], ["DİĞER GALERİLER", "DAN YAZAN: İnci Ay"]),
        (["Thursday", "mon.", "May", "fri january"], []),
        (["admin", "https://a.example/ann", "ann@a.example.com", "", "—", "2024"], []),
        (["x" * 61], []),
        (["This is a sentence about the author that is too long to be a name of anybody"], []),
    ],
)
def test_names(values: list[str], wanted: list[str]) -> None:
    assert list(names_in(values)) == wanted


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (["By\nAnn Lee\nSenior Reporter\n@annlee"], ["Ann Lee"]),
        (
            ["Written by\n \nAnn Lee\n,\nBen Moss\nand\nCarla Diaz\nGuest Columnists"],
            ["Ann Lee", "Ben Moss", "Carla Diaz"],
        ),
        (["Follow", "Ann Lee"], ["Ann Lee"]),
        (["share this post", "Anna von der Heide"], ["Anna von der Heide"]),
        # posts of a forum
        ([f"user-{letter}\nMember" for letter in "abcdefg"], ["user-a"]),
    ],
)
def test_elements_of_a_page(values: list[str], wanted: list[str]) -> None:
    assert list(names_on_page(values)) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("By Ann Lee", ["Ann Lee"]),
        ("By: annlee", ["annlee"]),
        ("by annlee » Sat Jan 12, 2013 6:01 pm", ["annlee"]),
        ("by annlee77", ["annlee77"]),
        ("Posted by annlee", ["annlee"]),
        # ordinary lines
        ("By car", []),
        ("By train and bus", []),
        ("By Appointment Only", []),
        ("By Brand", []),
        ("With Ann Lee", []),
        ("with balcony and garden", []),
        ("Por favor", []),
        ("Par personne", []),
        ("Contact Us info@lee.example", []),
    ],
)
def test_lines_without_a_mark(line: str, wanted: list[str]) -> None:
    assert list(names_in_line(line)) == wanted


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("来源：海湾日报 作者：李小舟 编辑：王大江", ["李小舟"]),
        ("（责任编辑：王大江）", ["王大江"]),
        ("港湾日报记者 王建 张小文", ["王建", "张小文"]),
        ("本报记者罗小盈发自北京", ["罗小盈"]),
        ("据港湾社电（记者 李小舟）渡轮回来了", ["李小舟"]),
        ("文/李小舟 供图/王大江", ["李小舟"]),
        ("本报见习记者 王建 通讯员 李小舟", ["王建"]),
        ("港湾记者王建文", ["王建文"]),
        ("김바다 기자 bada@post.example", ["김바다"]),
        ("【ロンドン=鈴木一郎特派員】", ["鈴木一郎"]),
        # no names
        ("作者已经不在了", []),
        ("记者从港口了解到，渡轮回来了", []),
        ("本报记者", []),
        ("기자 회견", []),
        ("李小舟", []),
        ("作者：" + "李" * 100_000, []),
        ("李小 " * 50_000, []),
    ],
)
def test_signatures_of_east_asia(line: str, wanted: list[str]) -> None:
    assert list(names_signed([line])) == wanted


@given(st.lists(st.text(max_size=80), max_size=15))
def test_any_texts(values: list[str]) -> None:
    for found in (names_in(values), names_signed(values), names_on_page(values)):
        assert len(found) <= 10 and all(name.strip() and "\n" not in name for name in found)
