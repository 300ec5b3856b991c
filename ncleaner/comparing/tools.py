"""What is compared: the methods of ncleaner, and the peers, each under one name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ncleaner.cleaner import Cleaner
from ncleaner.comparing.peers import NAMES, PEERS, Extractor
from ncleaner.errors import ModelError
from ncleaner.methods.choice import model_files
from ncleaner.methods.table import DEFAULT_MODEL, METHODS
from ncleaner.modelling.container import header_of
from ncleaner.modelling.files import as_text, model_bytes
from ncleaner.page import Page
from ncleaner.sinks.choice import Output


@dataclass(frozen=True, slots=True)
class Tool:
    """A method or a peer, as it runs on one gold standard. It pickles.

    Attributes:
        name: as users give it.
        make: makes what cleans a page; it raises ImportError if a package is missing, and ModelError if the
            method has no such model.
        arguments: of this function.
        version: of the package; empty for a method of ncleaner, and for a package that is not installed.
        settings: what is not as by default, for people.
        install: the command that installs it; empty for a method of ncleaner.
        trained: it uses a model.
    """

    name: str
    make: Callable[..., Extractor]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""
    settings: str = ""
    install: str = ""
    trained: bool = False

    @property
    def is_peer(self) -> bool:
        """It is another program."""
        return bool(self.install)

    @property
    def title(self) -> str:
        """Name, and version where there is one."""
        return f"{self.name} {self.version}".strip()

    def extractor(self) -> Extractor:
        """Returns what cleans a page. Raises as `make`."""
        return self.make(**self.arguments)


def tool_of(
    name: str,
    wishes: Mapping[str, bool] = MappingProxyType({}),
    model: str | Path = DEFAULT_MODEL,
    sites: str | None = None,
) -> Tool:
    """Returns the method or peer of a name.

    Args:
        name: one of `NAMES`.
        wishes: options of a recipe for what it should keep, as far as it has a switch.
        model: for the methods of ncleaner that use one, as `clean` takes it.
        sites: a survey of sites for the methods of ncleaner that use it.

    Raises:
        ValueError: there is no such method or peer.
    """
    if name in METHODS:
        return Tool(
            name,
            method,
            {"method": name, "model": as_text(model), "sites": sites, **wishes},
            trained=bool(METHODS[name].kinds),
        )
    if name not in PEERS:
        raise ValueError(f"no method or peer {name!r}: there are {', '.join(NAMES)}")
    peer = PEERS[name]
    arguments, settings = dict(peer.settings), [peer.about] if peer.about else []
    if peer.comments:
        arguments["comments"] = comments = wishes.get("comments")
        if comments is not None:
            settings.append("comments" if comments else "no comments")
    try:
        installed = version(peer.distribution)
    except PackageNotFoundError:
        installed = ""
    return Tool(name, peer.make, arguments, installed, ", ".join(settings), peer.install)


def with_model(tool: Tool, model: Path) -> Tool:
    """Returns a method with a model file of its own."""
    return replace(tool, arguments={**tool.arguments, "model": str(model)})


def method(**recipe: Any) -> Extractor:
    """A method of ncleaner, from the bytes of a page to its text in CleanEval's format; see `Recipe`."""
    cleaner = Cleaner(**recipe)
    sink = Output(format="cleaneval").sink()

    def extract(page: Page, language: str) -> bytes:
        return sink.render(page, *cleaner.page(page), True)

    return extract


def sources_of(tool: Tool) -> list[str]:
    """Returns what the model files of a method were trained on, as their headers tell it; the name of a file
    that does not tell. Empty for a tool without a model, and for a model that cannot be read.
    """
    found: dict[str, None] = {}
    try:
        for file in model_files(tool.name, tool.arguments["model"]) if tool.trained else []:
            header = header_of(model_bytes(file), str(file))
            told = str(header.get("sources") or f"the unknown pages of {file}")
            found |= dict.fromkeys(told.split("; "))
    except ModelError:
        return []
    return list(found)
