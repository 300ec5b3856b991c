"""The web server of `annotate`: the page that a person works on, its data, and the pages that are drawn."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


def application(session: Session, command: str = "") -> Starlette:
    """Returns the application, which checks no request; see `guard`.

    Args:
        session: the work that it shows.
        command: shown on the page as what to run when enough pages are finished.
    """
    static = resources.files("ncleaner.annotating") / "static"
    files = {item.name: item.read_bytes() for item in static.iterdir() if item.is_file()}

    def file(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        if name not in files:
            return Response("there is no such file", 404)
        return Response(files[name], media_type=_TYPES.get(name.rpartition(".")[2]))

    def progress(request: Request) -> Any:
        return {**session.progress(), "command": command}

    def pages(request: Request) -> Any:
        return session.listing()

    def following(request: Request) -> Any:
        asked = request.query_params.get("after")
        queue = [page for page in session.queue() if page != asked]
        return {"id": queue[0] if queue else None}

    def page(request: Request) -> Any:
        return session.page(_page_of(request))

    def agreed(request: Request) -> Any:
        measured, differing = compared(session.project)
        return {
            "agreements": [
                {
                    "people": found.people,
                    "pages": found.pages,
                    "measures": {
                        unit: {
                            what: {"units": one.units, "share": one.share, "kappa": one.kappa}
                            for what, one in kinds.items()
                        }
                        for unit, kinds in found.measures.items()
                    },
                }
                for found in measured
            ],
            "differing": differing[:2000],
            "number": len(differing),
        }

    def drawn(request: Request) -> Response:
        name = _page_of(request)
        document = session.document(name)
        path = session.project.pages[name]
        if path.suffix == ".txt":
            markup = drawn_text(document)
        else:
            markup = drawn_page(
                read_bytes(path),
                document,
                styles=request.query_params.get("styles") != "0",
                encoding=session.project.encoding,
            )
        answer = HTMLResponse(markup.encode("utf-8", "replace"))
        answer.headers["Content-Security-Policy"] = DRAWN_POLICY
        return answer

    def change(request: Request, body: dict[str, Any]) -> Any:
        changes = [(_whole(row), str(letter)) for row, letter in _listed(body.get("changes"))]
        return _told(
            session.change(
                str(body.get("id")), _whole(body.get("revision")), changes, _number(body.get("seconds"))
            )
        )

    def finish(request: Request, body: dict[str, Any]) -> Any:
        name = str(body.get("id"))
        labels = session.finish(
            name, _whole(body.get("revision")), str(body.get("labels")), _number(body.get("seconds"))
        )
        queue = [page for page in session.queue() if page != name]
        return {**_told(labels), "next": queue[0] if queue else None}

    def put_off(request: Request, body: dict[str, Any]) -> Any:
        name = str(body.get("id"))
        session.put_off(name)
        queue = [page for page in session.queue() if page != name]
        return {"next": queue[0] if queue else None}

    return Starlette(
        routes=[
            Route("/", file),
            Route("/static/{name}", file),
            Route("/drawn", _safely(drawn)),
            *(
                Route(f"/api/{name}", _safely(function))
                for name, function in (
                    ("progress", progress),
                    ("pages", pages),
                    ("next", following),
                    ("page", page),
                    ("agreement", agreed),
                )
            ),
            *(
                Route(f"/api/{name}", _posted(function), methods=["POST"])
                for name, function in (("change", change), ("finish", finish), ("later", put_off))
            ),
        ]
    )


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
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0


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
def serving(session: Session, port: int = 0, command: str = "") -> Iterator[Serving]:
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
