"""`ncleaner models`."""

from pathlib import Path
from typing import Annotated

import typer

from ncleaner.cli.parameters import model_names, own_names, reports_errors
from ncleaner.cli.printing import show, tell
from ncleaner.cli.program import epilog
from ncleaner.text.visible import visible

command = typer.Typer(invoke_without_command=True, add_completion=False, epilog=epilog("models"))


@command.callback()
@reports_errors
def models(context: typer.Context) -> None:
    """List the models that come with the package and your own, show what one has learned, add or remove.

    Your own models are in one folder, where `clean` finds them by their names, and `--model auto` by their
    languages. The folder is in the environment variable NCLEANER_MODELS; by default it is the one that the
    list names.
    """
    from ncleaner.cli.cards import model_table

    if context.invoked_subcommand is None:
        show(model_table())


@command.command("show", epilog=epilog("models show"))
@reports_errors
def show_model(
    model: Annotated[
        str,
        typer.Argument(
            metavar="NAME|FILE", help="A model of the list, or a file.", autocompletion=model_names
        ),
    ],
    number: Annotated[
        int, typer.Option("--number", "-n", min=0, metavar="N", help="Rows of each table.")
    ] = 20,
) -> None:
    """Show a model: parameters, training, figures, and what it has learned."""
    from ncleaner.cli.cards import describe

    show(describe(model, number))


@command.command("add", epilog=epilog("models add"))
@reports_errors
def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A model file, as `train` writes it.")],
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Its new name. (default: that of the file)", show_default=False),
    ] = None,
) -> None:
    """Add a model to your own: `clean` finds it by its name, and by the language of a page."""
    from ncleaner.methods.choice import load_model
    from ncleaner.modelling.container import language_of, pack, unpack
    from ncleaner.modelling.files import add_model, model_bytes

    model = load_model(file)
    chosen = name or file.stem
    header, arrays = unpack(model_bytes(file), str(file))
    # outputs say the name that the user gives
    target = add_model(pack(header | {"name": chosen}, arrays), chosen)
    use = f"use it by its name: `--model {chosen}`"
    if language := language_of(model.about):
        use = f"`clean` takes it for pages in {visible(language)}"
    tell(f"{visible(target)}: {use}")


@command.command("remove", epilog=epilog("models remove"))
@reports_errors
def remove(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="The name of one of your own models.", autocompletion=own_names),
    ],
) -> None:
    """Remove one of your own models: its file is deleted."""
    from ncleaner.modelling.files import remove_model

    tell(f"{visible(remove_model(name))} is deleted")
