"""The command line `recollect`: parses arguments, calls `AsyncMemory`, prints the outcome."""

import gc
import logging
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from inspect import Parameter
from io import TextIOWrapper
from typing import Annotated, Any, cast

import typer

from recollect.faces.cli import hints
from recollect.faces.cli.invocation import Invocation, PrintOnceHandler, command, with_options
from recollect.faces.cli.options import Options, flag

COMMANDS = {
    "Talk": {
        "chat": "recollect.faces.chat.command:chat",
        "setup": "recollect.faces.cli.setup:setup",
        "demo": "recollect.faces.chat.demo:demo",
    },
    "Look": {
        "show": "recollect.faces.cli.show:show",
        "search": "recollect.faces.cli.search:search",
        "list": "recollect.faces.cli.show:list_",
        "why": "recollect.faces.cli.show:why",
        "people": "recollect.faces.cli.people:people",
        "log": "recollect.faces.cli.show:log",
        "prompt": "recollect.faces.cli.prompt:prompt",
    },
    "Change": {
        "remember": "recollect.faces.cli.change:remember",
        "edit": "recollect.faces.cli.edit:edit",
        "forget": "recollect.faces.cli.change:forget",
        "restore": "recollect.faces.cli.change:restore",
        "undo": "recollect.faces.cli.change:undo",
        "redo": "recollect.faces.cli.change:redo",
        "pin": "recollect.faces.cli.change:pin",
        "unpin": "recollect.faces.cli.change:unpin",
        "share": "recollect.faces.cli.change:share",
        "private": "recollect.faces.cli.change:private",
        "add": "recollect.faces.cli.change:add",
        "consolidate": "recollect.faces.cli.consolidate:consolidate",
        "relearn": "recollect.faces.cli.relearn:relearn",
        "erase": "recollect.faces.cli.erase:erase",
    },
    "Move": {
        "export": "recollect.faces.cli.export:export",
        "import": "recollect.faces.cli.importing:import_",
        "sync-files": "recollect.faces.cli.index:index",
        "backup": "recollect.faces.cli.maintenance:backup",
        "copy-store": "recollect.faces.cli.copy:copy",
    },
    "Run": {
        "discord": "recollect.faces.cli.discord:discord",
        "serve": "recollect.faces.cli.serve:serve",
        "worker": "recollect.faces.cli.serve:worker",
        "mcp": "recollect.faces.cli.agents:mcp",
        "tool-schema": "recollect.faces.cli.agents:tool_schema",
        "hook": "recollect.faces.cli.hook:hook",
        "tokens": "recollect.faces.cli.tokens:tokens",
    },
    "Check": {
        "doctor": "recollect.faces.cli.maintenance:doctor",
        "config": "recollect.faces.cli.maintenance:config",
        "jobs": "recollect.faces.cli.jobs:jobs",
        "rebuild-index": "recollect.faces.cli.maintenance:reindex",
        "version": "recollect.faces.cli.maintenance:version",
        "help": "recollect.faces.cli.help:help_",
    },
}
"""Commands by help panel, each with its function, which is imported only when it may be called."""
FIRST = ("chat", "setup", "show", "search", "remember", "edit", "forget", "undo", "doctor", "help")
"""The commands of the first screen; `recollect help all` lists the others."""
SPEAKERLESS = frozenset(
    {"serve", "worker", "tool-schema", *COMMANDS["Check"], "setup", "people", "backup", "copy-store"}
)
"""Commands that don't depend on who speaks where."""
WITHOUT_JSON = frozenset({"chat", "demo", "discord", "serve", "worker", "mcp", "help", "hook", "tool-schema"})
ALIASES = {
    "dream": "consolidate",
    "observe": "add",
    "history": "why",
    "index": "sync-files",
    "reindex": "rebuild-index",
    "copy": "copy-store",
}
"""Former names of commands, which still work and are not shown."""
VERSION = Parameter(
    "version",
    Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[bool, flag("--version", meaning="Print the version.")],
)
PROBLEMS = (
    (re.compile("^Value error, "), ""),
    (re.compile("^Input should be a valid (?:integer|number).*"), "it is not a number."),
    (re.compile(r"^Input should be greater than or equal to (\S+?)\.?$"), r"it must be \1 or more."),
    (re.compile(r"^Input should be less than or equal to (\S+?)\.?$"), r"it must be \1 or less."),
)
GARBAGE_THRESHOLD = 100_000
"""Garbage collection threshold: while modules load, there is no garbage to collect."""
CONTEXT: dict[str, Any] = {"help_option_names": ["--help", "-h"]}
EXIT_CODES = (
    "All commands: recollect help all. "
    "Exit codes: 0 done, 1 something is broken, 2 wrong usage, 3 nothing or too much matched."
)


def start(context: typer.Context, options: Options, version: bool = False) -> None:
    """Long-term memory for chat assistants: nothing lost, nothing leaked, nothing made up."""
    context.obj = options
    if version:
        function_of("version")(Invocation(options))
        raise typer.Exit
    if context.invoked_subcommand is None:
        from recollect.faces.cli.welcome import welcome  # it reads the store, and most calls name a command

        welcome(Invocation(options))


def build(*, colors: bool, arguments: Sequence[str] = ()) -> typer.Typer:
    """The program: every command, or only those that the arguments name. Pipes get plain help and plain errors."""
    names = {name for commands in COMMANDS.values() for name in commands} | set(ALIASES)
    # A value of an option may equal a command's name, so each argument that could be the command counts.
    requested = names.intersection(arguments) or names
    app = typer.Typer(
        name="recollect",
        cls=hints.Group,
        rich_markup_mode="rich" if colors else None,
        pretty_exceptions_enable=False,
        epilog=EXIT_CODES,
        context_settings=CONTEXT,
    )
    app.callback(invoke_without_command=True)(with_options(start, [VERSION]))
    for panel, commands in COMMANDS.items():
        for name in (name for name in commands if name in requested):
            _register(app, name, name, panel, hidden=name not in FIRST)
        for alias, name in ALIASES.items():
            if alias in requested and name in commands:
                _register(app, alias, name, panel, hidden=True)
    return app


def _register(app: typer.Typer, name: str, original: str, panel: str, *, hidden: bool) -> None:
    run = command(function_of(original), speaks=original not in SPEAKERLESS, tells_json=original not in WITHOUT_JSON)
    app.command(name, cls=hints.Command, rich_help_panel=panel, hidden=hidden)(run)


def function_of(name: str) -> Callable[..., None]:
    """The function of a command."""
    module, _, function = next(commands[name] for commands in COMMANDS.values() if name in commands).partition(":")
    return getattr(import_module(module), function)


def main() -> None:
    """Run the command line of this process."""
    gc.set_threshold(GARBAGE_THRESHOLD)
    logging.basicConfig(level=logging.WARNING, handlers=[PrintOnceHandler()])
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # for terminals that can't show a character
    app = build(colors=sys.stdout.isatty() and sys.stderr.isatty(), arguments=sys.argv[1:])
    program = typer.main.get_command(app)
    _skip_default_conversion(program)
    program(prog_name="recollect")


def _skip_default_conversion(command: Any) -> None:
    """Leave defaults and texts as they are: typer (0.20 and later) converts every value with pydantic, and loading that
    takes longer than most commands.
    """
    for parameter in command.get_params(typer.Context(command, **CONTEXT)):
        if hasattr(parameter, "type_descriptor"):
            parameter.process_value = partial(_converted, parameter, parameter.process_value)
    for subcommand in getattr(command, "commands", {}).values():
        _skip_default_conversion(subcommand)


def _converted(parameter: Any, convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    kind, is_list = parameter.type_descriptor.annotation, parameter.multiple or parameter.nargs == -1
    match value:
        case None | ():
            return convert(context, value) if parameter.required else () if is_list else None
        case str() if kind is str and not is_list:
            return value
        case tuple() | list() if kind == list[str]:
            return list(cast("list[str]", value))
        case _ if value is parameter.default and (not isinstance(kind, type) or isinstance(value, kind)):
            return value
        case _:
            return _convert_or_report(convert, context, value)


def _convert_or_report(convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    """The converted value; an invalid one is reported in our own words instead of pydantic's."""
    try:
        return convert(context, value)
    except typer.BadParameter as error:
        for theirs, ours in PROBLEMS:
            error.message = theirs.sub(ours, error.message)
        raise
