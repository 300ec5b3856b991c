from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncleaner.text.hosts import host_of, registered_domain


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("http://www.Example.ORG/a?b", "www.example.org"),
        ("https://user:pass@blog.example.org:8080/", "blog.example.org"),
        ("http://a@b@example.org/", "example.org"),
        ("http://www.example.com./", "www.example.com"),
        ("http://example.org?x", "example.org"),
        ("http://example.org#x", "example.org"),
        ("http://example.org\\x", "example.org"),
        ("  http://example.org/ ", "example.org"),
        ("//example.org/x", "example.org"),
        ("example.org/page", "example.org"),
        ("example.org:8080", "example.org"),
        ("localhost", "localhost"),
        ("http://127.0.0.1:80/x", "127.0.0.1"),
        ("http://[2001:DB8:0:0::1]:80/", "2001:db8::1"),
        ("http://[no address]/", "no address"),
        ("http://[broken", ""),
        ("http://münchen.example/", "xn--mnchen-3ya.example"),
        ("http://MÜNCHEN.example/", "xn--mnchen-3ya.example"),
        ("http://m%C3%BCnchen.example/", "xn--mnchen-3ya.example"),
        ("http://XN--MNCHEN-3YA.example/", "xn--mnchen-3ya.example"),
        ("http://faß.example/", "xn--fa-hia.example"),  # as browsers do it, not fass
        ("http://日本語。example/", "xn--wgv71a119e.example"),
        ("http://i❤.example/", "xn--i-7iq.example"),
        ("http://￾.example/", "xn--0n7c.example"),  # refused by UTS 46
        ("dns:www.example.org", "www.example.org"),
        ("DNS:www.example.org?type=A", "www.example.org"),
        ("urn:pageinfo:https://example.org/x", "example.org"),
        ("view-source:http://example.org/", "example.org"),
        ("urn:uuid:0b1c-22", ""),
        ("filedesc://IAH-2009.arc.gz", ""),
        ("metadata://crawl.example/harvest.xml", ""),
        ("metadata:x", ""),
        ("data:text/html,http://example.org/", ""),
        ("file:///etc/motd", ""),
        ("http:///x", ""),
        ("http://../", ""),
        ("mailto:x@example.org", ""),
        ("tel:123", ""),
        ("", ""),
    ],
)
def test_host(url: str, host: str) -> None:
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.news.example.co.uk/a?b", "example.co.uk"),
        ("http://user:pass@Blog.Example.org:8080/", "example.org"),
        ("http://münchen.de/", "xn--mnchen-3ya.de"),
        ("http://one.github.io/", "one.github.io"),
        ("http://co.uk/", "co.uk"),
        ("http://127.0.0.1/x", "127.0.0.1"),
        ("http://[::1]/x", "::1"),
        ("http://localhost", "localhost"),
        ("http://www.example.com./", "example.com"),
        ("http://[broken", ""),
        ("", ""),
        ("mailto:x", ""),
    ],
)
def test_registered_domain(url: str, site: str) -> None:
    assert registered_domain(url) == site


@given(
    st.text(st.characters(codec=None), max_size=40),
    st.sampled_from(["", "http://", "//", "dns:", "urn:x:ftp://"]),
)
def test_no_url_is_refused(text: str, scheme: str) -> None:
    host = host_of(scheme + text)
    assert host == host.lower().rstrip(".")
    domain = registered_domain(scheme + text)
    assert host.endswith(domain) and bool(domain) == bool(host)


@given(st.from_regex(r"[a-z0-9]([a-z0-9-]{0,9}[a-z0-9])?(\.[a-z]{2,6}){1,3}", fullmatch=True))
def test_a_host_is_its_own_host(host: str) -> None:
    assert host_of(f"HTTPS://{host.upper()}:443/") == host_of(host) == host


@pytest.mark.untraced
def test_time_is_linear() -> None:
    for url in (
        "a:" * 1_000_000,
        "a" * 1_000_000,
        "a:" * 500_000 + "//é",
        "http://" + "é" * 1_000_000,
        "." * 1_000_000,
    ):
        host_of(url)
