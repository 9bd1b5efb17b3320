"""The command line: `recollect`. Translates what people type, calls `Memory`, prints what it says."""

import logging
import sys
from collections.abc import Callable
from inspect import Parameter
from io import TextIOWrapper
from typing import Annotated

import typer

from recollect.faces.chat import command, demo
from recollect.faces.cli import (
    agents,
    change,
    consolidate,
    copy,
    discord,
    erase,
    export,
    importing,
    index,
    jobs,
    maintenance,
    prompt,
    search,
    serve,
    show,
)
from recollect.faces.cli.invocation import Call, Once, accepting, called
from recollect.faces.cli.options import Options, flag
from recollect.faces.cli.welcome import welcome

COMMANDS: dict[str, list[Callable[..., None]]] = {
    "Talk": [command.chat, discord.discord, demo.demo],
    "Remember": [change.remember, change.forget, change.undo, change.observe, index.index],
    "Look": [show.show, search.search, prompt.prompt, show.list_, show.history, show.log],
    "Decide": [change.pin, change.unpin, change.share, change.private, consolidate.dream],
    "Move": [importing.import_, export.export],
    "Privacy": [erase.erase],
    "Agents": [agents.mcp, agents.tool_schema],
    "Look after": [
        serve.serve,
        serve.worker,
        jobs.jobs,
        maintenance.config,
        maintenance.doctor,
        maintenance.backup,
        copy.copy,
        maintenance.reindex,
        maintenance.version,
    ],
}
VERSION = Parameter(
    "version",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, flag("--version", meaning="Print the version.")],
)
EXIT_CODES = "Exit codes: 0 done, 1 something is broken, 2 wrong usage, 3 nothing or too much matched."


def start(context: typer.Context, options: Options, version: bool = False) -> None:
    """Long-term memory for chat assistants: nothing lost, nothing leaked, nothing made up."""
    context.obj = options
    if version:
        maintenance.version(Call(options))
        raise typer.Exit
    if context.invoked_subcommand is None:
        welcome(Call(options))


def build(*, colours: bool) -> typer.Typer:
    """The whole program; pipes get plain help and plain errors."""
    app = typer.Typer(
        name="recollect",
        rich_markup_mode="rich" if colours else None,
        pretty_exceptions_enable=False,
        epilog=EXIT_CODES,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True)(accepting(start, [VERSION]))
    for panel, functions in COMMANDS.items():
        for function in functions:
            name = function.__name__.removesuffix("_").replace("_", "-")
            app.command(name, rich_help_panel=panel)(called(function, speaks=panel != "Look after"))
    return app


def main() -> None:
    """Run the command line of this process."""
    logging.basicConfig(level=logging.WARNING, handlers=[Once()])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that can't show a character
    build(colours=sys.stdout.isatty() and sys.stderr.isatty())(prog_name="recollect")
