"""Which files are inputs, what they are called, and what is in them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ncleaner.errors import InputError
from ncleaner.reading.archive import read
from ncleaner.reading.inputs import Input, find_inputs, sniff, stem


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("crawl.warc.gz", "crawl"),
        ("crawl.warc", "crawl"),
        ("crawl.WARC.GZ", "crawl"),
        ("crawl.warc.zst", "crawl"),
        ("old.arc.gz", "old"),
        ("text.warc.wet.gz", "text"),
        ("text.wet", "text"),
        ("a.b.html", "a.b"),
        ("page.htm.zst", "page"),
        ("dump.txt", "dump"),
        ("crawl.arc.bz2", "crawl"),
        ("page.HTML.xz", "page"),
        ("noise.gz", "noise"),
        ("index.php", "index.php"),
        ("README", "README"),
        (".warc", ".warc"),
        (".gz", ".gz"),
    ],
)
def test_stem(name: str, expected: str) -> None:
    assert stem(name) == expected


def make(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"x" * len(name))


def test_directory_is_walked_in_order(tmp_path: Path) -> None:
    make(
        tmp_path,
        "b/2.warc.gz",
        "b/10.html",
        "a/x.txt",
        "a.arc",
        "c.wet.zst",
        "B.xhtml",
        "d.html.bz2",
        "e.txt.xz",
        ".hidden.html",
        ".git/x.html",
        "_run/quarantine/a-txt.warc.gz",
        "b/_run/x.html",
        "notes.pdf",
        "page.gz",
        "a/archive.tar.gz",
    )
    found = find_inputs([tmp_path])
    assert [item.relative for item in found] == [
        "B.xhtml",
        "a/x.txt",
        "a.arc",
        "b/10.html",
        "b/2.warc.gz",
        "c.wet.zst",
        "d.html.bz2",
        "e.txt.xz",
    ]
    assert [item.stem for item in found] == ["B", "a/x", "a", "b/10", "b/2", "c", "d", "e"]
    assert all(item.size == len(item.relative) for item in found)
    assert all(Path(item.path) == tmp_path / item.relative for item in found)


def test_what_is_passed_over_in_a_directory_is_said(tmp_path: Path) -> None:
    make(tmp_path, "crawl/a.html", "crawl/below/b.html", "other/c.html")
    crawl = tmp_path / "crawl"
    (crawl / "gone.html").symlink_to(tmp_path / "nowhere.html")
    (crawl / "loop.html").symlink_to(crawl / "loop.html")
    (crawl / "gone").symlink_to(tmp_path / "nowhere")
    (crawl / "other").symlink_to(tmp_path / "other")
    (crawl / "below" / "above").symlink_to(crawl)
    os.mkfifo(crawl / "pipe.html")
    notes: list[str] = []
    found = find_inputs([crawl], note=notes.append)
    # the run reports what cannot be read
    assert [item.relative for item in found] == ["a.html", "below/b.html", "gone.html", "loop.html"]
    assert sorted(note.removeprefix(f"{crawl}/") for note in notes) == [
        "below/above: is a link to a directory, and not followed; give it as an input of its own",
        "gone: is a link to what does not exist",
        "other: is a link to a directory, and not followed; give it as an input of its own",
        "pipe.html: is neither a file nor a directory",
    ]


def test_the_parts_of_a_saved_page_are_no_pages(tmp_path: Path) -> None:
    """Browsers write the frames of a page, such as adverts, into a directory beside it."""
    make(tmp_path, "a.html", "a_files/advert.html", "b.htm", "b_files/style.css", "my_files/c.html")
    notes: list[str] = []
    found = find_inputs([tmp_path], note=notes.append)
    assert [item.relative for item in found] == ["a.html", "b.htm", "my_files/c.html"]
    said = "passes over 2 directories `…_files`, in which browsers save the parts of a page"
    assert notes == [f"{tmp_path}: {said}"]


def test_files_with_other_names_are_counted(tmp_path: Path) -> None:
    for name in ("a.html", "b.php?id=1", "c.php", "README", ".hidden"):
        (tmp_path / name).write_text("<p>Text")
    notes: list[str] = []
    assert [item.relative for item in find_inputs([tmp_path], note=notes.append)] == ["a.html"]
    others = "3 files with other names (.php 2, without suffix 1): give them by name to read them"
    assert notes == [f"{tmp_path}: passes over {others}"]
    (tmp_path / "a.html").unlink()
    with pytest.raises(InputError, match=r"in this directory, but 3 files with other names \(\.php 2, "):
        find_inputs([tmp_path])


def test_the_output_is_no_input(tmp_path: Path) -> None:
    make(tmp_path, "crawl/a.html", "crawl/out/a.txt", "crawl/all.txt", "crawl/b/c.html")
    crawl = tmp_path / "crawl"
    relative = [item.relative for item in find_inputs([crawl], output=crawl / "out")]
    assert relative == ["a.html", "all.txt", "b/c.html"]
    relative = [item.relative for item in find_inputs([crawl], output=tmp_path / "crawl" / "all.txt")]
    assert relative == ["a.html", "b/c.html", "out/a.txt"]
    (tmp_path / "link").symlink_to(crawl)
    for output in (crawl, f"{crawl}/", tmp_path / "link", tmp_path / "crawl" / "b" / ".."):
        with pytest.raises(InputError, match="is also the output directory"):
            find_inputs([crawl], output=output)
    assert len(find_inputs([crawl], output=tmp_path)) == 4


def test_named_file_is_an_input_whatever_its_name(tmp_path: Path) -> None:
    make(tmp_path, "index.php", "x.warc.gz")
    path = str(tmp_path / "index.php")
    os.utime(path, ns=(5, 7))
    assert find_inputs([path, "-"]) == [Input(path, "index.php", 9, 7), Input("-", "-", None)]
    assert find_inputs(["-"])[0].stem == "stdin"
    assert find_inputs([]) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe_has_no_size(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert find_inputs([tmp_path / "pipe"])[0].size is None


def test_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nothing\.warc: No such file"):
        find_inputs([tmp_path / "nothing.warc"])
    make(tmp_path, "notes.pdf")
    with pytest.raises(InputError, match="no archives"):
        find_inputs([tmp_path])


@pytest.mark.skipif(getattr(os, "geteuid", lambda: 0)() == 0, reason="root may read everything")
def test_unreadable(tmp_path: Path) -> None:
    make(tmp_path, "x.html", "below/y.html")
    (tmp_path / "x.html").chmod(0)
    with pytest.raises(InputError, match="permission denied"):
        find_inputs([tmp_path / "x.html"])
    # below a directory it does not stop a run over all others, which reports it
    (tmp_path / "below").chmod(0)
    assert [item.relative for item in find_inputs([tmp_path])] == ["below", "x.html"]
    for name in ("below", "x.html"):
        with pytest.raises(InputError, match="Permission denied"):
            list(read(tmp_path / name))
    with pytest.raises(InputError, match="Permission denied"):
        find_inputs([tmp_path / "below"])
    (tmp_path / "below").chmod(0o700)


@pytest.mark.parametrize(
    ("head", "name", "expected"),
    [
        (b"WARC/1.0\r\nWARC-Type: warcinfo\r\n", "", "warc"),
        (b"\r\nWARC/1.1\r\n", "page.html", "warc"),
        (b"filedesc://x.arc 0.0.0.0 20010101000000 text/plain 76\n1 0 x\n", "", "arc"),
        (b"http://e.org/ 192.0.2.1 20010101000000 text/html 123\nHTTP/1.0 200 OK\n", "", "arc"),
        (b"broken beginning", "x.warc.gz", "warc"),
        (b"broken beginning", "x.wet", "warc"),
        (b"broken beginning", "x.ARC.zst", "arc"),
        (b"<!DOCTYPE html><title>x</title>", "", "html"),
        (b"  \n<html lang=en>", "", "html"),
        (b'<text id="http://example.org/" title="A page">\n<html>', "", "html"),
        (b'<text id="http://example.org/" title="A page">\n<html>', "page.txt", "html"),
        (b"<?xml version='1.0'?><html>", "", "html"),
        (b"\xef\xbb\xbf<html>", "", "html"),
        ("<html>".encode("utf-16"), "", "html"),
        ("<html>".encode("utf-16-le"), "", "html"),
        (b"<!-- a comment --> <p>text", "", "html"),
        (b"some text first <body bgcolor=white>", "", "html"),
        (b"just words", "page.html", "html"),
        (b"just words", "page.shtml.gz", "html"),
        (b"   Home | News\n\n   A page as Lynx shows it\n\n   * [1]Link", "", "text"),
        (b"URL: http://example.org/\n\nText", "", "text"),
        (b"if a < b and c > d then <e>", "", "text"),
        (b"<p>A paragraph that a person cleaned\n<h>A heading", "page.txt", "text"),
        (b"<!doctype HTML><p>", "page.txt", "html"),
        (b"", "", "text"),
        (b"http://example.org/ is a page\n", "", "text"),
    ],
)
def test_sniff(head: bytes, name: str, expected: str) -> None:
    assert sniff(head, name) == expected
