"""The check of each request, before anything else sees it.

The server listens on this machine only, but every page in the browser, and every user of the machine, can
send requests to it. So the address that is printed has a random token. It is exchanged for a cookie that no
script can read and no other site can use. Host and Origin have to be the server's own: a site whose name
leads here, or that posts here, is refused.
"""

from __future__ import annotations

import secrets
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["DRAWN_POLICY", "Guard"]

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
#: For the drawn page: no script, no form, no window, nothing from outside; only its own styles.
DRAWN_POLICY: Final = (
    "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'"
)
_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-DNS-Prefetch-Control": "off",
    "Cache-Control": "no-store",
}
_REFUSED: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>ncleaner annotate</title>"
    "<h1>Not let in</h1><p>{why}</p>"
)
_ENTER: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><title>ncleaner annotate</title>"
    '<meta http-equiv=refresh content="0;url=/"><p><a href="/">Begin</a></p>'
)
_NO_TOKEN: Final = (
    "This page needs the address with its token. Copy the whole address that `ncleaner annotate` has printed "
    "in the terminal. An address of an earlier start is no longer valid."
)


class Guard:
    """Passes on only requests from the page itself.

    Args:
        app: the application that is guarded.
        port: on which the server listens.

    Attributes:
        token: part of the address that is printed.
    """

    def __init__(self, app: ASGIApp, port: int) -> None:
        self._app = app
        self.token = secrets.token_urlsafe(24)
        self._cookie = secrets.token_urlsafe(24)
        # browsers send cookies of one port of a host to all others
        self._cookie_name = f"ncleaner-{port}"
        self._hosts = {f"{host}:{port}" for host in ("127.0.0.1", "localhost")}
        self._origins = {f"http://{host}" for host in self._hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, or passes it on."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            else:
                await send({"type": "websocket.close", "code": 1008})
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers.setdefault("Content-Security-Policy", _POLICY)
            await send(message)

        answer = self._answer(scope)
        await (self._app if answer is None else answer)(scope, receive, sent)

    def _answer(self, scope: Scope) -> Response | None:
        """Returns the answer to a request that is not passed on."""
        headers = Headers(scope=scope)
        reads = scope["method"] in ("GET", "HEAD")
        if headers.get("host", "") not in self._hosts:
            return _refused(f"The host {headers.get('host', '')!r} is not this server.", 421)
        origin = headers.get("origin")
        if origin not in self._origins and not (reads and origin is None):
            return _refused(f"Requests from {origin or 'an unknown page'} are refused.")
        enters = scope["path"] == "/" and reads
        fetched = headers.get("sec-fetch-site", "same-origin")
        navigates = enters and headers.get("sec-fetch-dest", "document") == "document"
        if fetched not in ("same-origin", "none") and not navigates:
            return _refused("Requests from other sites are refused.")
        tokens = parse_qs(scope["query_string"].decode("latin-1")).get("token", [])
        if enters and tokens:
            if not _same(tokens[0], self.token):
                return _refused(_NO_TOKEN)
            # A cookie that is `Strict` does not come with a request that another page has caused, not even
            # after a redirection: the browser asks again, from this page.
            entered = HTMLResponse(_ENTER)
            entered.set_cookie(self._cookie_name, self._cookie, httponly=True, samesite="strict", path="/")
            return entered
        if not _same(_cookie_of(headers, self._cookie_name), self._cookie):
            return _refused(_NO_TOKEN)
        return None


def _same(given: str, wanted: str) -> bool:
    return secrets.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _cookie_of(headers: Headers, name: str) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(name)
    except CookieError:
        return ""
    return found.value if found is not None else ""


def _refused(why: str, status: int = 403) -> Response:
    return HTMLResponse(_REFUSED.format(why=escape(why)), status)
