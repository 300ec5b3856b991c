"""The web server of `annotate`: the page that a person works on, its data, and the pages that are drawn.

The server listens on this machine only, but every page in the browser, and every user of the machine, can
send requests to it. So `Guard` checks each request before anything else sees it. The address that is printed
has a random token, which is exchanged for a cookie that no script can read and no other site can use. Host
and Origin must be the server's own: a site whose name leads here, or that posts here, is refused.
"""

import json
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ncleaner.errors import InputError, NcleanerError, OutputError
from ncleaner.lab.annotating.agreement import compared
from ncleaner.lab.annotating.project import PageLabels
from ncleaner.lab.annotating.rendering import drawn_page, drawn_text
from ncleaner.lab.annotating.session import ConflictError, RequestError, Session
from ncleaner.lab.training.pairs import read_bytes

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# For the drawn page: no script, no form, no window, nothing from outside; only its own styles.
_DRAWN_POLICY: Final = (
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
    # those of other programs on this machine come, too, and may be in forms that Python's parser refuses
    cookies = ";".join(headers.getlist("cookie")).split(";")
    return dict(cookie.strip().split("=", 1) for cookie in cookies if "=" in cookie).get(name, "")


def _refused(why: str, status: int = 403) -> Response:
    return HTMLResponse(_REFUSED.format(why=escape(why)), status)


_TYPES: Final = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_MOST_BYTES: Final = 8_000_000
# of other errors, the page shows only that they are internal
_STATUS: Final = {RequestError: 400, OutputError: 507}


def application(session: Session, command: Callable[[], str]) -> Starlette:
    """Returns the application, which checks no request; see `Guard`.

    Args:
        session: the work that it shows.
        command: returns what the page shows as the command to run when enough pages are finished.
    """

    def following(after: str | None) -> str | None:
        return next((page for page in session.queue() if page != after), None)

    def change(body: dict[str, Any]) -> Any:
        changes = [(_whole(row), str(letter)) for row, letter in _listed(body.get("changes"))]
        revision, seconds = _whole(body.get("revision")), _number(body.get("seconds"))
        return _told(session.change(str(body.get("id")), revision, changes, seconds))

    def finish(body: dict[str, Any]) -> Any:
        name, revision = str(body.get("id")), _whole(body.get("revision"))
        labels = session.finish(name, revision, str(body.get("labels")), _number(body.get("seconds")))
        return {**_told(labels), "next": following(name)}

    def later(body: dict[str, Any]) -> Any:
        name = str(body.get("id"))
        session.put_off(name)
        return {"next": following(name)}

    asked: dict[str, Callable[[Request], Any]] = {
        "/drawn": lambda request: _drawn(session, request),
        "/api/progress": lambda request: {**session.progress(), "command": command()},
        "/api/pages": lambda request: session.listing(),
        "/api/next": lambda request: {"id": following(request.query_params.get("after"))},
        "/api/page": lambda request: session.page(_page_of(request)),
        "/api/agreement": lambda request: _agreed(session),
    }
    changing = {"/api/change": change, "/api/finish": finish, "/api/later": later}
    return Starlette(
        routes=[
            Route("/", _file),
            Route("/{name}.ico", _file),
            Route("/static/{name}", _file),
            *(Route(path, _safely(function)) for path, function in asked.items()),
            *(Route(path, _posted(function), methods=["POST"]) for path, function in changing.items()),
        ]
    )


@cache
def _files() -> dict[str, bytes]:
    """Returns {name: contents} of the files of the web page."""
    static = Path(__file__).with_name("static")
    return {item.name: item.read_bytes() for item in static.iterdir() if item.is_file()}


def _file(request: Request) -> Response:
    name = request.path_params.get("name", "index.html").replace("favicon", "icon.svg")
    if name not in _files():
        return Response("there is no such file", 404)
    return Response(_files()[name], media_type=_TYPES.get(name.rpartition(".")[2]))


def _agreed(session: Session) -> Any:
    """Returns the agreement of the annotators, and the disagreements."""
    measured, differing = compared(session.project)
    return {
        "agreements": [asdict(found) for found in measured],
        "differing": differing[:2000],
        "number": len(differing),
    }


def _drawn(session: Session, request: Request) -> Response:
    """Returns a page as a browser draws it."""
    name = _page_of(request)
    document, project = session.document(name), session.project
    path = project.pages[name]
    if path.suffix == ".txt":
        markup = drawn_text(document)
    else:
        styles = request.query_params.get("styles") != "0"
        markup = drawn_page(read_bytes(path), document, styles=styles, encoding=project.encoding)
    answer = HTMLResponse(markup.encode("utf-8", "replace"))
    answer.headers["Content-Security-Policy"] = _DRAWN_POLICY
    return answer


def _page_of(request: Request) -> str:
    return request.query_params.get("id", "")


def _told(labels: PageLabels) -> dict[str, Any]:
    return {"revision": labels.revision, "done": labels.done, "seconds": labels.seconds}


def _listed(value: Any) -> list[tuple[Any, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, list) and len(one) == 2 for one in value):
        raise RequestError("`changes` must be a list of [segment, label]")
    return [(one[0], one[1]) for one in value]


def _whole(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise RequestError(f"{value!r} is not a whole number")
    return value


def _number(value: Any) -> float:
    # a number of any length is JSON
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e9
    return float(value) if is_number else 0.0


def _answer(call: Callable[[], Any]) -> Response:
    """Calls, and returns the answer; an error is a sentence in it."""
    try:
        found = call()
    except ConflictError as error:
        newer = error.labels
        return JSONResponse(
            {"error": str(error), "revision": newer.revision, "labels": newer.labels, "done": newer.done}, 409
        )
    except NcleanerError as error:
        return JSONResponse({"error": str(error)}, _STATUS.get(type(error), 422))
    except OSError as error:
        what = error.strerror or str(error)
        return JSONResponse({"error": f"{error.filename}: {what}" if error.filename else what}, 507)
    except Exception as error:
        # a defect of this program: the page shows it, keeps its changes, and tries again
        return JSONResponse({"error": f"internal error: {error!r}"}, 500)
    return found if isinstance(found, Response) else JSONResponse(found)


def _safely(function: Callable[[Request], Any]) -> Callable[[Request], Response]:
    return lambda request: _answer(lambda: function(request))


def _posted(function: Callable[[dict[str, Any]], Any]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return JSONResponse({"error": "the request must be JSON"}, 415)
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > _MOST_BYTES:
                return JSONResponse({"error": "the request is too large"}, 413)
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            return JSONResponse({"error": "the request is not a JSON object"}, 400)
        return await run_in_threadpool(_answer, lambda: function(found))

    return endpoint


class Serving(NamedTuple):
    """A running server.

    Attributes:
        origin: the address without its token.
        url: the address with it.
        thread: in which it runs.
    """

    origin: str
    url: str
    thread: threading.Thread


@contextmanager
def serving(session: Session, port: int = 0, command: Callable[[], str] = str) -> Iterator[Serving]:
    """Serves a session on this machine only, in a thread.

    Args:
        session: the work.
        port: the port; 0 for a free one.
        command: as for `application`.

    Raises:
        InputError: the port is in use, or may not be used.
    """
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", port))
        # a second server finds the port in use only when the first one listens
        listening.listen(128)
    except OSError as error:
        listening.close()
        raise InputError(
            f"cannot listen on port {port}: {error.strerror}; give another one with --port, or none for "
            "a free one"
        ) from error
    port = listening.getsockname()[1]
    guard = Guard(application(session, command), port)
    server = uvicorn.Server(
        uvicorn.Config(guard, log_level="critical", access_log=False, server_header=False)
    )
    thread = threading.Thread(
        target=server.run, kwargs={"sockets": [listening]}, name="annotate", daemon=True
    )
    thread.start()
    origin = f"http://127.0.0.1:{port}"
    try:
        yield Serving(origin, f"{origin}/?token={guard.token}", thread)
    finally:
        # after the requests that it is answering
        server.should_exit = True
        thread.join(10)
        listening.close()
