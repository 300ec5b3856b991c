"""The server: who gets in, what comes back, what errors say."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2 as httpx
import pytest

pytest.importorskip("starlette", reason="Starlette is not installed")
pytest.importorskip("nh3", reason="nh3 is not installed")

from starlette.testclient import TestClient

from ncleaner.errors import InputError
from ncleaner.lab.annotating.project import open_project
from ncleaner.lab.annotating.server import Guard, application, serving
from ncleaner.lab.annotating.session import Session
from ncleaner.lab.training.curve import fit

from . import made

PORT = 8123
ORIGIN = f"http://127.0.0.1:{PORT}"
POST = {"Origin": ORIGIN}


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    work = Session(made.project(tmp_path), "me", every=0)
    yield work
    work.close()


@pytest.fixture
def guard(session: Session) -> Guard:
    return Guard(application(session, lambda: "ncleaner train --raw x"), PORT)


@pytest.fixture
def stranger(guard: Guard) -> TestClient:
    """Knows the address of the server, and nothing else."""
    return TestClient(guard, base_url=ORIGIN)


@pytest.fixture
def client(guard: Guard) -> TestClient:
    """Has opened the printed address."""
    found = TestClient(guard, base_url=ORIGIN)
    assert found.get(f"/?token={guard.token}").status_code == 200
    return found


def change(client: TestClient, **others: Any) -> httpx.Response:
    body = {"id": "p0", "revision": 0, "changes": [[0, "o"]], **others}
    return client.post("/api/change", json=body, headers=POST)


# who gets in --------------------------------------------------------------------------------------

PLACES = "/ /static/app.js /api/progress /api/page?id=p0 /api/pages /api/next /drawn?id=p0".split()


@pytest.mark.parametrize("place", PLACES)
def test_nobody_without_the_token(place: str, stranger: TestClient) -> None:
    for headers in (
        {},
        {"Cookie": f"ncleaner-{PORT}=guess"},
        {"Cookie": "=;;"},
        {"Cookie": f"ncleaner-{PORT}="},
    ):
        answer = stranger.get(place, headers=headers)
        assert answer.status_code == 403
        assert "needs the address with its token" in answer.text and "set-cookie" not in answer.headers


def test_a_wrong_token(stranger: TestClient, guard: Guard) -> None:
    for token in ("", "x", guard.token[:-1], guard.token + "x", "ü"):
        answer = stranger.get("/", params={"token": token})
        assert answer.status_code == 403 and "set-cookie" not in answer.headers
    # the token is no cookie
    assert stranger.get("/api/pages", headers={"Cookie": f"ncleaner-{PORT}={guard.token}"}).status_code == 403
    # and opens only the first page
    assert stranger.get("/api/pages", params={"token": guard.token}).status_code == 403


def test_the_token_becomes_a_cookie_that_no_script_and_no_other_site_can_use(guard: Guard) -> None:
    client = TestClient(guard, base_url=ORIGIN)
    answer = client.get("/", params={"token": guard.token})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and guard.token.lower() not in cookie
    assert guard.token not in answer.text
    assert client.get("/").status_code == 200


@pytest.mark.parametrize("other", ['prefs={"a":1}', "a[0]=1", "t=\xe9", "x", "=;;", "a b=c"])
def test_cookies_of_other_programs_lock_nobody_out(other: str, guard: Guard) -> None:
    own = TestClient(guard, base_url=ORIGIN).get("/", params={"token": guard.token}).headers["set-cookie"]
    for cookies in (f"{other}; {own.partition(';')[0]}", f"{own.partition(';')[0]};{other}"):
        answer = TestClient(guard, base_url=ORIGIN).get("/", headers={b"Cookie": cookies.encode("latin-1")})
        assert answer.status_code == 200


def test_browsers_get_an_icon(client: TestClient) -> None:
    answer = client.get("/favicon.ico")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("image/svg+xml")
    assert client.get("/other.ico").status_code == 404


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        f"evil.example:{PORT}",
        "127.0.0.1",
        "127.0.0.1:1",
        "",
        f"127.0.0.1.evil.example:{PORT}",
    ],
)
def test_no_other_name_of_the_server(place: str, host: str, client: TestClient) -> None:
    answer = client.get(place, headers={"Host": host})
    assert answer.status_code == 421 and "is not this server" in answer.text


def test_localhost_is_this_machine_too(guard: Guard) -> None:
    client = TestClient(guard, base_url=f"http://localhost:{PORT}")
    assert client.get(f"/?token={guard.token}").status_code == 200
    assert client.get("/api/pages").status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "http://127.0.0.1",
        f"https://127.0.0.1:{PORT}",
        f"http://127.0.0.1:{PORT + 1}",
        "",
    ],
)
@pytest.mark.parametrize("path", ["/api/change", "/api/finish", "/api/later"])
def test_no_other_page_posts(path: str, origin: str, client: TestClient, session: Session) -> None:
    body = {"id": "p0", "revision": 0, "changes": [[0, "o"]], "labels": made.WANTED}
    answer = client.post(path, json=body, headers={"Origin": origin})
    assert answer.status_code == 403
    # without an origin, neither
    assert client.post(path, json=body).status_code == 403
    assert session.labels("p0").revision == 0 and session.queue()[0] == "p0"


def test_no_form_and_no_other_site_posts_as_ours(client: TestClient, session: Session) -> None:
    body = b'{"id": "p0", "revision": 0, "changes": [[0, "o"]]}'
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = client.post("/api/change", content=body, headers={**POST, "Content-Type": kind})
        assert answer.status_code == 415
    for site in ("cross-site", "same-site"):
        answer = client.post("/api/change", json={}, headers={**POST, "Sec-Fetch-Site": site})
        assert answer.status_code == 403
        assert (
            client.get("/api/pages", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Dest": "script"}).status_code
            == 403
        )
        assert (
            client.get("/", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Dest": "iframe"}).status_code == 403
        )
    assert session.labels("p0").revision == 0


def test_nothing_is_allowed_to_other_origins(client: TestClient) -> None:
    for answer in (
        client.get("/api/pages"),
        client.options("/api/change", headers=POST),
        client.get("/drawn?id=p0"),
    ):
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("place", [*PLACES, "/nowhere", "/static/nowhere.js"])
def test_headers(place: str, client: TestClient) -> None:
    headers = client.get(place).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy and "form-action 'none'" in policy and "base-uri 'none'" in policy
    assert "unsafe-eval" not in policy and ("unsafe-inline" in policy) == place.startswith("/drawn")
    assert ("sandbox allow-same-origin;" in policy) == place.startswith("/drawn")
    assert "allow-scripts" not in policy
    assert headers["x-content-type-options"] == "nosniff" and headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-store"
    assert headers["cross-origin-resource-policy"] == "same-origin"


def test_websockets_are_closed(client: TestClient) -> None:
    with pytest.raises(Exception), client.websocket_connect("/"):  # noqa: B017 a client says it in several ways
        pass


@pytest.mark.parametrize(
    "place",
    "/static/../session.py /static/%2e%2e/session.py /static//etc/passwd /drawn?id=../../etc/passwd /api/page?id=/etc/passwd".split(),
)
def test_no_other_files(place: str, client: TestClient) -> None:
    answer = client.get(place)
    assert answer.status_code in (400, 404) and "root:" not in answer.text and "import" not in answer.text


# what comes back ----------------------------------------------------------------------------------


def test_the_page_is_all_there_and_loads_nothing_from_outside(client: TestClient) -> None:
    index = client.get("/")
    assert index.headers["content-type"].startswith("text/html")
    for name, kind in {
        "app.js": "javascript",
        "style.css": "css",
        "icon.svg": "svg",
        "frame.js": "javascript",
    }.items():
        answer = client.get(f"/static/{name}")
        assert kind in answer.headers["content-type"]
        assert (
            "http://" not in answer.text.replace("http://www.w3.org/", "") and "https://" not in answer.text
        )
    assert "http" not in index.text.replace("http-equiv", "")


def test_annotating(client: TestClient, session: Session, tmp_path: Path) -> None:
    page = client.get("/api/next").json()["id"]
    assert page == "p0"
    found = client.get("/api/page", params={"id": page}).json()
    assert found["revision"] == 0
    assert change(client).json() == {"revision": 1, "done": False, "seconds": 0.0}
    answer = client.post(
        "/api/finish", json={"id": page, "revision": 1, "labels": made.WANTED, "seconds": 30}, headers=POST
    )
    assert answer.json() == {"revision": 2, "done": True, "seconds": 30.0, "next": "p1"}
    assert (tmp_path / "clean" / "p0.txt").exists()
    assert client.post("/api/later", json={"id": "p1"}, headers=POST).json() == {"next": "p2"}
    progress = client.get("/api/progress").json()
    assert (progress["done"], progress["goal"], progress["minutes"]) == (1, 3, 0.5)
    assert progress["command"] == "ncleaner train --raw x"
    assert [line["status"] for line in client.get("/api/pages").json()] == ["open", "open", "done"]


def test_an_old_revision_is_told(client: TestClient) -> None:
    assert change(client).status_code == 200
    answer = change(client, changes=[[0, "p"]])
    assert answer.status_code == 409
    assert answer.json() == {
        "error": "the page has been changed elsewhere (revision 1)", "revision": 1, "labels": "o.......", "done": False,
    }  # fmt: skip


def test_of_many_at_once_one_wins_each_time(client: TestClient, session: Session) -> None:
    with ThreadPoolExecutor(4) as threads:
        answers = [
            *threads.map(lambda number: change(client, changes=[[number % 8, "o"]]).status_code, range(16))
        ]
    assert sorted(answers) == [200] + [409] * 15
    assert session.labels("p0").labels.count("o") == 1


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (b"", 400, "not a JSON object"),
        (b"[]", 400, "not a JSON object"),
        (b"{", 400, "not a JSON object"),
        (b"[" * 100_000, 400, "not a JSON object"),
        (b"\xff", 400, "not a JSON object"),
        (b"{}", 400, "`changes` must be a list"),
        (b'{"id": "p0", "revision": true, "changes": []}', 400, "True is not a whole number"),
        (b'{"id": "p0", "revision": 0, "changes": {}}', 400, "must be a list"),
        (b'{"id": "p0", "revision": 0, "changes": [[0]]}', 400, "must be a list"),
        (b'{"id": "p0", "revision": 0, "changes": [["0", "o"]]}', 400, "not a whole number"),
        (b'{"id": "p0", "revision": 0, "changes": [[999, "o"]]}', 400, "no segment 999"),
        (b'{"id": "nowhere", "revision": 0, "changes": []}', 400, "no page"),
        (b'{"id": "p0", "revision": 0, "changes": [], "seconds": "many"}', 200, "revision"),
        (b'{"id": "p0", "revision": 0, "changes": [], "seconds": 1e400}', 200, "revision"),
        (b'{"id": "p0", "revision": 0, "changes": [], "seconds": 1' + b"0" * 400 + b"}", 200, "revision"),
        (b'{"id": "p0", "revision": 1e400, "changes": []}', 400, "whole number"),
        (b"x" * 9_000_000, 413, "too large"),
    ],
)
def test_requests_that_make_no_sense(body: bytes, status: int, said: str, client: TestClient) -> None:
    answer = client.post("/api/change", content=body, headers={**POST, "Content-Type": "application/json"})
    assert answer.status_code == status and said in answer.text


def test_what_cannot_be_saved(client: TestClient, session: Session, tmp_path: Path) -> None:
    (tmp_path / "labels").write_text("a file in the way")
    answer = change(client)
    assert answer.status_code == 507 and "cannot write" in answer.json()["error"]
    (tmp_path / "labels").unlink()
    assert change(client).status_code == 200


def test_a_page_that_cannot_be_read(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "raw" / "p1.html").unlink()
    for place in ("/api/page", "/drawn"):
        answer = client.get(place, params={"id": "p1"})
        assert answer.status_code == 400 and "cannot be read" in answer.json()["error"]
    line = next(line for line in client.get("/api/pages").json() if line["id"] == "p1")
    assert line["status"] == "unreadable" and "No such file" in line["problem"]


def test_a_defect_is_said_and_the_server_goes_on(
    client: TestClient, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "listing", lambda: 1 / 0)
    answer = client.get("/api/pages")
    assert answer.status_code == 500 and "internal error: ZeroDivisionError" in answer.json()["error"]
    assert client.get("/api/next").status_code == 200


def test_agreement(client: TestClient, session: Session) -> None:
    assert client.get("/api/agreement").json() == {"agreements": [], "differing": [], "number": 0}
    made.label(session.project, "anna", "p0", made.WANTED)
    made.label(session.project, "ben", "p0", "oooopppo")
    found = client.get("/api/agreement").json()
    assert found["agreements"][0]["people"] == ["anna", "ben"]
    assert found["agreements"][0]["measures"]["segments"]["keep"]["share"] == 7 / 8
    assert found["differing"] == [
        {"page": "p0", "segment": 3, "text": "New paint on lighthouse 0", "words": 5, "votes": {"anna": "h", "ben": "o"}, "settled": ""}
    ]  # fmt: skip


# a real server ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_port_in_use(session: Session) -> None:
    with serving(session) as served:
        port = int(served.origin.rpartition(":")[2])
        with pytest.raises(InputError, match=f"cannot listen on port {port}"), serving(session, port):
            pass
        # only this machine
        assert served.origin.startswith("http://127.0.0.1:")
        assert httpx.get(served.origin).status_code == 403
    assert not served.thread.is_alive()
    assert not [thread for thread in threading.enumerate() if thread.name == "annotate"]


@pytest.mark.slow
def test_a_simulated_annotator_works_until_a_model_is_trained(tmp_path: Path) -> None:
    from ncleaner.lab.annotating.project import letters_of_runs
    from ncleaner.lab.training.annotations import labels_from_alignment
    from ncleaner.lab.training.pairs import read_pairs

    from .test_learning import PAIRS, project

    project(tmp_path, 0)
    session = Session(open_project(tmp_path), "me", model="nonlexical")
    try:
        with (
            serving(session) as served,
            httpx.Client(base_url=served.origin, headers={"Origin": served.origin}, timeout=60) as client,
        ):
            client.get(served.url).raise_for_status()
            page = client.get("/api/next").json()["id"]
            seen = []
            while page:
                seen.append(page)
                found = client.get("/api/page", params={"id": page}).json()
                document = session.document(page)
                truth = letters_of_runs(document, labels_from_alignment(PAIRS[page]))
                changes = [[row, letter] for row, letter in enumerate(truth) if letter != found["guess"][row]]
                saved = client.post(
                    "/api/change", json={"id": page, "revision": found["revision"], "changes": changes}
                ).json()
                page = client.post(
                    "/api/finish", json={"id": page, "revision": saved["revision"], "labels": truth}
                ).json()["next"]
            assert sorted(seen) == sorted(PAIRS)
            while client.get("/api/progress").json()["learning"]["busy"]:
                pass
            assert client.get("/api/progress").json()["learning"]["trained"] >= 6
    finally:
        session.close()
    pairs = read_pairs(tmp_path / "raw", tmp_path / "clean")
    assert len(pairs) == 8
    assert fit(pairs).to_bytes()
