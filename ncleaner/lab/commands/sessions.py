"""What `annotate` does: opens a project, serves a person's work, shows agreement. Loaded when it runs."""

import os
import shlex
import signal
import sys
import tempfile
import threading
import webbrowser
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from html import escape
from pathlib import Path

import ncleaner.lab.training.annotations as anno
from ncleaner.cli.printing import show, tell, tell_error
from ncleaner.errors import InputError, NcleanerError
from ncleaner.lab.annotating import Annotating
from ncleaner.lab.annotating.agreement import compared
from ncleaner.lab.annotating.project import Project, check_name, copy_pages, import_pages, open_project
from ncleaner.lab.annotating.session import Session
from ncleaner.lab.training.labels import labels_from_kept
from ncleaner.lab.training.pairs import Pair, read_page, read_text
from ncleaner.methods.choice import load_method
from ncleaner.methods.language import page_language
from ncleaner.modelling.files import is_path
from ncleaner.reading.inputs import find_inputs, is_page, stem
from ncleaner.recipe import Recipe
from ncleaner.storage.local import is_url, write_whole
from ncleaner.text.visible import counted, visible

# pages whose language decides that of the model
_SOME = 50
# disagreements that are listed
_LISTED = 200


def write_page(page: Path, recipe: Recipe, clean: Path | None, output: Path | None) -> None:
    """Writes the labels of one page, by a method or by its clean text, to a file of Victor."""

    document = read_page(page, recipe.encoding)
    if clean is not None:
        labels = anno.labels_from_alignment(Pair(page.name, document, read_text(clean)))
    else:
        kept = load_method(recipe.method, str(recipe.model)).keep(document)
        labels = labels_from_kept(document, kept.mask)
    target = output or page.with_suffix(anno.SUFFIX)
    write_whole(target, anno.write_annotations(document, labels, page.name))
    tell(f"{visible(target)}: {counted(len(labels), 'block')}")


def project_of(what: str, output: Path | None, most: int, encoding: str | None) -> Project:
    """Opens the directory of a project; makes it of an archive or of a directory of pages, the first time."""

    folder, has_pages = Path(what), False
    if not is_url(what) and folder.is_dir():
        has_pages = (folder / "raw").is_dir() or any(
            is_page(path.name) and path.is_file() for path in folder.iterdir()
        )
        if has_pages and output is None:
            return open_project(folder, encoding)
        if has_pages and (folder / "raw").is_dir():
            raise InputError(f"{what} has pages and labels, which stay in it: leave -o out")
    if output is None:
        if is_url(what):
            raise InputError(f"give the directory for the pages of {what} with -o")
        folder = folder.with_name(f"{stem(folder.name)}-gold")
    else:
        folder = output
    if (folder / "raw").is_dir():
        tell(f"{visible(folder)} already has pages: resuming with them")
        return open_project(folder, encoding)
    if has_pages:
        copy_pages(Path(what), folder)
        return open_project(folder, encoding)
    tell(f"reading {visible(what)} …")
    imported = import_pages(find_inputs([what], output=folder), folder, most)
    for sentence in imported.notes:
        tell_error(sentence)
    tell(f"{visible(folder)}: {imported.written:,} of {counted(imported.found, 'page')}")
    return open_project(folder, encoding)


def work(project: Project, asked: Annotating, model: str) -> None:
    """Serves a person's work until they end it, and prints what to do next."""

    check_name(asked.annotator)
    with project.lock(asked.annotator):
        session = Session(
            project, asked.annotator, model=model, settling=asked.settle, anno=asked.anno, goal=asked.goal,
            every=asked.every,
        )  # fmt: skip
        try:
            if asked.settle and not session.queue() and not session.progress()["pages"]:
                raise InputError(
                    f"there is nothing to settle in {project.folder}: no page has been finished by two other "
                    "annotators who label it differently"
                )
            for page, problem in session.problems.items():
                tell_error(f"{page}: {problem}")
            _serve(session, project, asked.port or 0, asked.browser)
        finally:
            session.close()
        _say_end(project, session)


def _serve(session: Session, project: Project, port: int, browser: bool) -> None:
    from ncleaner.lab.annotating.server import serving

    with (
        _ended() as ended,
        serving(session, port, lambda: train_command(project, session)) as served,
        _opening(served.url) if browser else nullcontext(),
    ):
        tell(f"Annotate on {served.url}")
        tell("Every change is saved at once. Stop with Ctrl C; the same command resumes.")
        while not ended.wait(0.5) and served.thread.is_alive():
            pass


@contextmanager
def _ended() -> Iterator[threading.Event]:
    """Yields an event that SIGINT and SIGTERM set: here they are the normal way to end."""
    ended = threading.Event()
    before = {}
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            before[number] = signal.signal(number, lambda *_: ended.set())
    try:
        yield ended
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _opening(url: str) -> Iterator[None]:
    """Opens an address in a browser, by way of a file that only this user can read: other users of the
    machine see the arguments of the browser's process."""

    if sys.platform.startswith("linux") and not (
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    ):
        yield
        return
    # not below /tmp: browsers in a container of their own, as Ubuntu has them, have another one
    home = Path.home() if os.access(Path.home(), os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="ncleaner-", dir=home) as folder:
        path = Path(folder, "annotate.html")
        path.touch(0o600)
        path.write_text(
            f'<!doctype html><meta charset=utf-8><meta http-equiv=refresh content="0;url={escape(url)}">'
        )
        with suppress(webbrowser.Error):
            webbrowser.open(path.as_uri())
        yield


def train_command(project: Project, session: Session) -> str:
    """Returns the command that trains a model of the finished pages, for their most frequent language.

    A model file that has guessed is the base of the new one.
    """

    learned = session.learning.learned.pages
    done = [page for page in project.pages if session.is_done(page)]

    def language_of(page: str) -> str:
        known = learned.get(page, {}).get("language") or project.languages.get(page)
        # a page that cannot be read has no language
        with suppress(NcleanerError):
            return str(known) if known else page_language(session.document(page))
        return ""

    languages = Counter(filter(None, map(language_of, (done or [*project.pages])[:_SOME])))
    # without a language, `clean` would not find the model by itself
    language = next((name for name, _ in languages.most_common(1)), "LANGUAGE")
    base = ["--from", session.model] if is_path(session.model) and Path(session.model).is_file() else []
    parts = ["ncleaner", "train", *base, "--raw", str(project.raw), "--clean", str(project.clean)]
    return shlex.join([*parts, "--language", language, "-o", f"{language}.ncm"])


def _say_end(project: Project, session: Session) -> None:
    now = session.progress()
    pace = now["minutes"]
    tell(
        f"{visible(project.folder)}: {now['done']:,} of {counted(now['pages'], 'page')} "
        f"{'settled' if session.settling else 'finished'}"
        + f", {pace:.1f} minutes a page" * (pace >= 1)
        + f", {counted(round(60 * pace), 'second')} a page" * (0 < pace < 1)
        + f", {now['changed']:,} of {now['segments']:,} guesses changed" * (now["segments"] > 0)
    )
    if now["learning"]["advice"] and not session.settling:
        tell(now["learning"]["advice"])
    if now["done"]:
        tell("Train a model with:")
        tell(f"  {visible(train_command(project, session))}")


def show_agreement(project: Project) -> None:
    """Prints how far the annotators of a project agree, and a line for each disagreement."""

    measured, differing = compared(project)
    if not measured:
        raise InputError(
            f"no page of {project.folder} has been finished by two annotators: each gives a name with "
            "--annotator"
        )
    heads = f"{'annotators':<24}{'pages':>6}  {'of':<10}{'agree about':<14}"
    show(f"{heads}{'number':>9}{'percent':>9}{'kappa':>8}")
    for found in measured:
        names = visible(" and ".join(found.people), 23)
        for unit, kinds in found.measures.items():
            for what, one in kinds.items():
                about = "keep or drop" if what == "keep" else "label"
                show(
                    f"{names:<24}{found.pages:>6,}  {unit:<10}{about:<14}{one.units:>9,}"
                    f"{100 * one.share:>9.1f}{one.kappa:>8.3f}"
                )
    settled = sum(bool(place["settled"]) for place in differing)
    show(f"\n{counted(len(differing), 'disagreement')}, {settled:,} settled")
    for place in differing[:_LISTED]:
        votes = ", ".join(f"{who} {letter}" for who, letter in place["votes"].items())
        end = f", settled {place['settled']}" if place["settled"] else ""
        where = f"{place['page']}, segment {place['segment'] + 1}"
        show(f"{visible(where)}: {visible(votes)}{end}: {visible(place['text'], 60)}")
    if len(differing) > _LISTED:
        show(f"… and {len(differing) - _LISTED:,} more")
