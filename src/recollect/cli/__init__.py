"""The command line: `recollect`. Translates what people type, calls `Memory`, prints what it says."""

import logging
import sys
from collections.abc import Callable
from inspect import Parameter
from io import TextIOWrapper
from typing import Annotated

import typer

from recollect.cli import (
    agents,
    changing,
    chatting,
    copying,
    demo,
    discording,
    dreaming,
    erasing,
    exporting,
    indexing,
    jobs,
    looking,
    moving,
    prompting,
    searching,
    serving,
    upkeep,
)
from recollect.cli.calls import Call, Once, accepting, called
from recollect.cli.options import Options, flag
from recollect.cli.welcome import welcome

COMMANDS: dict[str, list[Callable[..., None]]] = {
    "Talk": [chatting.chat, discording.discord, demo.demo],
    "Remember": [changing.remember, changing.forget, changing.undo, changing.observe, indexing.index],
    "Look": [looking.show, searching.search, prompting.prompt, looking.list_, looking.history, looking.log],
    "Decide": [changing.pin, changing.unpin, changing.share, changing.private, dreaming.dream],
    "Move": [moving.import_, exporting.export],
    "Privacy": [erasing.erase],
    "Agents": [agents.mcp, agents.tool_schema],
    "Look after": [
        serving.serve,
        serving.worker,
        jobs.jobs,
        upkeep.config,
        upkeep.doctor,
        upkeep.backup,
        copying.copy,
        upkeep.reindex,
        upkeep.version,
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
        upkeep.version(Call(options))
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
