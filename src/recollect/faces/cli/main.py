"""The command line `recollect`: parses arguments, calls `AsyncMemory`, prints the outcome."""

import logging
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from inspect import Parameter
from io import TextIOWrapper
from typing import Annotated

import typer

from recollect.faces.cli.invocation import Invocation, PrintOnceHandler, command, with_options
from recollect.faces.cli.options import Options, flag
from recollect.faces.cli.welcome import welcome

COMMANDS = {
    "Talk": {
        "chat": "recollect.faces.chat.command:chat",
        "discord": "recollect.faces.cli.discord:discord",
        "demo": "recollect.faces.chat.demo:demo",
    },
    "Remember": {
        "remember": "recollect.faces.cli.change:remember",
        "forget": "recollect.faces.cli.change:forget",
        "restore": "recollect.faces.cli.change:restore",
        "undo": "recollect.faces.cli.change:undo",
        "redo": "recollect.faces.cli.change:redo",
        "add": "recollect.faces.cli.change:add",
        "index": "recollect.faces.cli.index:index",
    },
    "Look": {
        "show": "recollect.faces.cli.show:show",
        "search": "recollect.faces.cli.search:search",
        "prompt": "recollect.faces.cli.prompt:prompt",
        "list": "recollect.faces.cli.show:list_",
        "history": "recollect.faces.cli.show:history",
        "log": "recollect.faces.cli.show:log",
    },
    "Decide": {
        "pin": "recollect.faces.cli.change:pin",
        "unpin": "recollect.faces.cli.change:unpin",
        "share": "recollect.faces.cli.change:share",
        "private": "recollect.faces.cli.change:private",
        "consolidate": "recollect.faces.cli.consolidate:consolidate",
        "relearn": "recollect.faces.cli.relearn:relearn",
    },
    "Move": {
        "import": "recollect.faces.cli.importing:import_",
        "export": "recollect.faces.cli.export:export",
    },
    "Privacy": {"erase": "recollect.faces.cli.erase:erase"},
    "Agents": {
        "mcp": "recollect.faces.cli.agents:mcp",
        "tool-schema": "recollect.faces.cli.agents:tool_schema",
        "hook": "recollect.faces.cli.hook:hook",
    },
    "Look after": {
        "serve": "recollect.faces.cli.serve:serve",
        "worker": "recollect.faces.cli.serve:worker",
        "jobs": "recollect.faces.cli.jobs:jobs",
        "config": "recollect.faces.cli.maintenance:config",
        "doctor": "recollect.faces.cli.maintenance:doctor",
        "backup": "recollect.faces.cli.maintenance:backup",
        "copy": "recollect.faces.cli.copy:copy",
        "reindex": "recollect.faces.cli.maintenance:reindex",
        "version": "recollect.faces.cli.maintenance:version",
    },
}
"""Commands by help panel, each with its function, which is imported only when it may be called."""
ALIASES = {"dream": "consolidate", "observe": "add"}
"""Former names of commands, which still work and are not shown."""
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
        _function(COMMANDS["Look after"]["version"])(Invocation(options))
        raise typer.Exit
    if context.invoked_subcommand is None:
        welcome(Invocation(options))


def build(*, colors: bool, arguments: Sequence[str] = ()) -> typer.Typer:
    """The program: every command, or only those that the arguments name. Pipes get plain help and plain errors."""
    names = {name for commands in COMMANDS.values() for name in commands} | set(ALIASES)
    # A value of an option may equal a command's name, so each argument that could be the command counts.
    requested = names.intersection(arguments) or names
    app = typer.Typer(
        name="recollect",
        rich_markup_mode="rich" if colors else None,
        pretty_exceptions_enable=False,
        epilog=EXIT_CODES,
        context_settings={"help_option_names": ["--help", "-h"]},
    )
    app.callback(invoke_without_command=True)(with_options(start, [VERSION]))
    for panel, commands in COMMANDS.items():
        for name in (name for name in commands if name in requested):
            app.command(name, rich_help_panel=panel)(command(_function(commands[name]), speaks=panel != "Look after"))
        for alias, name in ALIASES.items():
            if alias in requested and name in commands:
                app.command(alias, hidden=True)(command(_function(commands[name]), speaks=panel != "Look after"))
    return app


def _function(path: str) -> Callable[..., None]:
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def main() -> None:
    """Run the command line of this process."""
    logging.basicConfig(level=logging.WARNING, handlers=[PrintOnceHandler()])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for terminals that can't show a character
    build(colors=sys.stdout.isatty() and sys.stderr.isatty(), arguments=sys.argv[1:])(prog_name="recollect")
