"""Options that are declared once: what they check, and what is made of them."""

from __future__ import annotations

import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from ncleaner import Cleaner, Limits, Recipe
from ncleaner.cli.parameters import Given, part, with_options
from ncleaner.options import REQUIRED, Declared, Option, OptionError, option, options_of, record_of, words_of
from ncleaner.sinks.formats import FORMATS, Output

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Size(Declared):
    """A class of options within another one."""

    width: int = option(3, "Width.", low=1, high=9, flags="--width -w")
    height: float | None = option(None, "Height, in thousands.", kind=float, unit=1000)


@dataclass(frozen=True, slots=True)
class Shape(Declared):
    """Options of all kinds."""

    name: str = option(REQUIRED, "Name.", kind=str)
    colour: str = option("red", "Colour.", choices=("red", "blue"), panel="Looks")
    round: bool = option(False, "Round it.", panel="Looks")
    shadow: bool = option(True, "Leave the shadow out.", panel="Looks")
    fill: bool | None = option(None, "Fill it or not.", kind=bool, flags="--fill/--empty")
    tags: tuple[str, ...] = option((), "Tags.", flags="--tag")
    corner: tuple[int, int] | None = option(None, "A corner.", kind=tuple, each=int, length=2)
    more: dict[str, str] = option({}, "More.", flags="--set")
    bits: float | str | None = option(
        None, "Bits.", kind=float, check=lambda *_: None, presets=(("least", "Few."),)
    )
    size: Size = option(Size(), "Its size.", what="Size(…)")
    hidden: int = option(7, "Not on the command line.", flags=None)


def called(*words: str) -> tuple[Shape | None, Given | None, str]:
    found: list[Any] = []

    @with_options({"colour": {"default": "blue"}}, shape=part(Shape, without="hidden"))
    def command(*, shape: Shape, given: Given) -> None:
        if shape.name == "bad":
            raise OptionError("tags", "no tag will do")
        found.extend((shape, given))

    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})
    shape, given = found or (None, None)
    return shape, given, result.output


def test_options_of_the_command_line_make_a_value() -> None:
    shape, given, _ = called("--name", "x")
    assert shape == Shape(name="x", colour="blue") and given is not None and given["shape"] == ("--name",)
    words = [
        "--name",
        "x",
        "--round",
        "--no-shadow",
        "--empty",
        "--tag",
        "a",
        "--tag",
        "b",
        "--corner",
        "1",
        "2",
    ]
    words += ["--set", "k = v", "--least", "-w", "4", "--height", "2.5", "--colour", "red"]
    shape, given, _ = called(*words)
    assert shape == Shape(
        name="x", round=True, shadow=False, fill=False, tags=("a", "b"), corner=(1, 2), more={"k": "v"},
        bits="least", size=Size(width=4, height=2500.0),
    )  # fmt: skip
    assert given is not None and given["shape"][:2] == ("--name", "--colour")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "Missing option '--name'"),
        (["--name", "x", "-w", "0"], "0 is not in the range 1<=x<=9"),
        (["--name", "x", "--colour", "green"], "'green' is not one of 'red', 'blue'"),
        (["--name", "x", "--set", "k"], "'k' is not NAME=VALUE"),
        (["--name", "x", "--bits", "1", "--least"], "--bits and --least exclude each other"),
        (["--name", "bad"], "--tag: no tag will do"),
    ],
)
def test_a_wrong_option_is_named(words: list[str], said: str) -> None:
    shape, _, output = called(*words)
    assert shape is None and said in " ".join(output.replace("│", " ").split())


def test_help_has_groups_and_no_hidden_option() -> None:
    said = called("--help")[2]
    assert "─ Looks ─" in said and "--no-shadow" in said and "--fill" in said and "hidden" not in said


@pytest.mark.parametrize(
    ("values", "error", "said"),
    [
        ({"name": 3}, TypeError, "name must be a str, not 3"),
        ({"name": "x", "colour": "green"}, ValueError, "colour must be red or blue, not 'green'"),
        ({"name": "x", "round": 1}, TypeError, "round must be True or False"),
        ({"name": "x", "tags": "ab"}, TypeError, "tags must be values of type str, not 'ab'"),
        ({"name": "x", "tags": [1]}, TypeError, "tags must be a str, not 1"),
        ({"name": "x", "size": 3}, TypeError, r"size must be Size\(…\), not 3"),
        ({}, TypeError, "name must be a str"),
    ],
)
def test_wrong_values_in_python(values: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        Shape(**values)


NUMBER = Option("Share.", float, 0.5, low=0, high=1, name="share")
WHOLE = Option("Words.", int, 10, low=1, name="words")
SWITCH = Option("Tree.", bool, True, name="tree")


def test_values_are_read_in_the_type_of_the_option() -> None:
    assert NUMBER.read("0.25") == 0.25 and isinstance(NUMBER.read(1), float)
    assert WHOLE.read("3") == 3 and isinstance(WHOLE.read("3"), int)
    assert [SWITCH.read(text) for text in ("yes", "No", "true", False)] == [True, False, True, False]
    assert Option("Rule.", str, "both").read("one") == "one"


@pytest.mark.parametrize(
    ("declared", "given", "message"),
    [
        (NUMBER, "2", "share must be a number from 0 to 1, not 2"),
        (NUMBER, "nan", "share must be a number from 0 to 1, not nan"),
        (NUMBER, "much", "share must be a number from 0 to 1, not 'much'"),
        (WHOLE, "1.5", "words must be a whole number of at least 1, not '1.5'"),
        (WHOLE, "0", "words must be a whole number of at least 1, not 0"),
        (SWITCH, "maybe", "tree must be True or False, not 'maybe'"),
    ],
)
def test_what_no_value_can_be_read_from(declared: Option, given: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declared.read(given)


def test_records_and_command_lines() -> None:
    shape = Shape(name="x", shadow=False, fill=True, size=Size(width=5))
    assert record_of(shape)["size"] == {"width": 5, "height": None}
    assert words_of(Shape, {"shadow": False, "fill": True, "round": True, "colour": "red"}) == [
        "--round", "--no-shadow", "--fill",
    ]  # fmt: skip


def test_a_cleaner_of_a_recipe_is_that_of_its_options() -> None:
    recipe = Recipe("ngram", comments=False, limits=Limits(bytes=1000))
    assert Cleaner(recipe).recipe == Cleaner("ngram", comments=False, limits=Limits(bytes=1000)).recipe
    with pytest.raises(TypeError):
        Cleaner(recipe, comments=True)  # type: ignore[call-overload]


def test_every_option_of_a_format_names_formats() -> None:
    for each in options_of(Output):
        assert set(each.of) <= set(FORMATS)
        assert each.of or each.name in ("format", "markup")


@pytest.mark.parametrize("name", ["python-reference.md", "command-line.md"])
def test_a_table_in_the_documentation_is_that_of_the_declarations(name: str) -> None:
    tables = pytest.importorskip("option_tables", reason="scripts/ is not here")
    page = tables.DOCS / name
    if not page.exists():
        pytest.skip("docs/ is not here")
    assert tables.with_table(page) == page.read_text("utf-8")


def test_an_error_can_be_sent_to_another_process() -> None:
    with pytest.raises(OptionError) as told:
        Size(width=10)
    sent = pickle.loads(pickle.dumps(told.value))
    assert (str(sent), sent.option) == (str(told.value), "width")


def test_both_bounds_of_a_number() -> None:
    with pytest.raises(ValueError, match=r"min_quality must be a number from 0 to 1, not 1\.5"):
        Recipe(min_quality=1.5)
    with pytest.raises(ValueError, match=r"min_quality must be a number from 0 to 1, not -0\.5"):
        Recipe(min_quality=-0.5)
