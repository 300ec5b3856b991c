"""The web server of `annotate`: the page that a person works on, its data, and the pages that are drawn."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from importlib import resources
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from ncleaner.annotating.agreement import compared
from ncleaner.annotating.drawing import drawn_page, drawn_text
from ncleaner.annotating.guard import DRAWN_POLICY, Guard
from ncleaner.annotating.labels import PageLabels
from ncleaner.annotating.session import ConflictError, RequestError, Session
from ncleaner.errors import InputError, NcleanerError, OutputError
from ncleaner.training.pairs import read_bytes

__all__ = ["Serving", "application", "serving"]

_TYPES: Final = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
_MOST_BYTES: Final = 8_000_000
# of other errors, the page shows only that they are internal
_STATUS: Final = {RequestError: 400, OutputError: 507}


def application(session: Session, command: Callable[[], str] = str) -> Starlette:
    """Returns the application, which checks no request; see `guard`.

    Args:
        session: the work that it shows.
        command: returns what the page shows as the command to run when enough pages are finished.
    """
    api = _Api(session, command)
    asked = {
        "progress": api.progress, "pages": api.pages, "next": api.following, "page": api.page,
        "agreement": api.agreed,
    }  # fmt: skip
    changing = {"change": api.change, "finish": api.finish, "later": api.put_off}
    return Starlette(
        routes=[
            Route("/", _file),
            Route("/static/{name}", _file),
            Route("/drawn", _safely(api.drawn)),
            *(Route(f"/api/{name}", _safely(function)) for name, function in asked.items()),
            *(
                Route(f"/api/{name}", _posted(function), methods=["POST"])
                for name, function in changing.items()
            ),
        ]
    )


@cache
def _files() -> dict[str, bytes]:
    """Returns {name: contents} of the files of the web page."""
    static = resources.files("ncleaner.annotating") / "static"
    return {item.name: item.read_bytes() for item in static.iterdir() if item.is_file()}


def _file(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    if name not in _files():
        return Response("there is no such file", 404)
    return Response(_files()[name], media_type=_TYPES.get(name.rpartition(".")[2]))


class _Api:
    """The answers to the requests of the web page."""

    def __init__(self, session: Session, command: Callable[[], str]) -> None:
        self._session = session
        self._command = command

    def progress(self, request: Request) -> Any:
        """Progress, and the command that comes next."""
        return {**self._session.progress(), "command": self._command()}

    def pages(self, request: Request) -> Any:
        """All pages."""
        return self._session.listing()

    def following(self, request: Request) -> Any:
        """The page that comes next."""
        return {"id": self._next(request.query_params.get("after"))}

    def _next(self, page: str | None) -> str | None:
        return next((other for other in self._session.queue() if other != page), None)

    def page(self, request: Request) -> Any:
        """A page with its segments."""
        return self._session.page(_page_of(request))

    def agreed(self, request: Request) -> Any:
        """Agreement of the annotators, and the disagreements."""
        measured, differing = compared(self._session.project)
        return {
            "agreements": [asdict(found) for found in measured],
            "differing": differing[:2000],
            "number": len(differing),
        }

    def drawn(self, request: Request) -> Response:
        """A page as a browser draws it."""
        name = _page_of(request)
        document = self._session.document(name)
        project = self._session.project
        path = project.pages[name]
        if path.suffix == ".txt":
            markup = drawn_text(document)
        else:
            styles = request.query_params.get("styles") != "0"
            markup = drawn_page(read_bytes(path), document, styles=styles, encoding=project.encoding)
        answer = HTMLResponse(markup.encode("utf-8", "replace"))
        answer.headers["Content-Security-Policy"] = DRAWN_POLICY
        return answer

    def change(self, request: Request, body: dict[str, Any]) -> Any:
        """Changes labels."""
        changes = [(_whole(row), str(letter)) for row, letter in _listed(body.get("changes"))]
        revision, seconds = _whole(body.get("revision")), _number(body.get("seconds"))
        return _told(self._session.change(str(body.get("id")), revision, changes, seconds))

    def finish(self, request: Request, body: dict[str, Any]) -> Any:
        """Finishes a page."""
        name, revision = str(body.get("id")), _whole(body.get("revision"))
        labels = self._session.finish(name, revision, str(body.get("labels")), _number(body.get("seconds")))
        return {**_told(labels), "next": self._next(name)}

    def put_off(self, request: Request, body: dict[str, Any]) -> Any:
        """Puts a page off."""
        name = str(body.get("id"))
        self._session.put_off(name)
        return {"next": self._next(name)}


def _page_of(request: Request) -> str:
    return request.query_params.get("id", "")


def _told(labels: PageLabels) -> dict[str, Any]:
    return {"revision": labels.revision, "done": labels.done, "seconds": labels.seconds}


def _listed(value: Any) -> list[tuple[Any, Any]]:
    if not isinstance(value, list) or not all(isinstance(one, list) and len(one) == 2 for one in value):
        raise RequestError("`changes` has to be a list of [segment, label]")
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


def _posted(function: Callable[[Request, dict[str, Any]], Any]) -> Callable[[Request], Any]:
    async def endpoint(request: Request) -> Response:
        if request.headers.get("content-type", "").partition(";")[0] != "application/json":
            return JSONResponse({"error": "the request has to be JSON"}, 415)
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
        return await run_in_threadpool(_answer, lambda: function(request, found))

    return endpoint


class Serving:
    """A running server.

    Attributes:
        url: the address with its token.
        origin: the address without it.
        thread: in which it runs.
    """

    def __init__(self, app: Starlette, listening: socket.socket) -> None:
        port = listening.getsockname()[1]
        guard = Guard(app, port)
        self.origin = f"http://127.0.0.1:{port}"
        self.url = f"{self.origin}/?token={guard.token}"
        config = uvicorn.Config(guard, log_level="critical", access_log=False, server_header=False)
        self._server = uvicorn.Server(config)
        self.thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [listening]}, name="annotate", daemon=True
        )
        self.thread.start()

    def stop(self) -> None:
        """Ends the server, after the requests that it is answering."""
        self._server.should_exit = True
        self.thread.join(10)


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
    served = Serving(application(session, command), listening)
    try:
        yield served
    finally:
        served.stop()
        listening.close()
