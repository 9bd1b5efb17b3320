"""The command `help`: the first screen, all commands by what they are for, or one command's own help."""

import shutil
import textwrap
from typing import Annotated

import typer

from recollect.core.errors import BadInput
from recollect.faces.cli import main
from recollect.faces.cli.invocation import Invocation


def help_(
    call: Invocation,
    topic: Annotated[
        str, typer.Argument(metavar="[all|COMMAND]", help="all, or a command's name.", show_default=False)
    ] = "",
) -> None:
    """Help: 'help all' lists every command, 'help COMMAND' explains one."""
    if topic == "all":
        call.screen.say(_all_commands(shutil.get_terminal_size().columns if call.screen.is_terminal else None))
        return
    names = {name for commands in main.COMMANDS.values() for name in commands} | set(main.ALIASES)
    if topic and topic not in names:
        raise BadInput(f"there is no command {topic!r}; 'recollect help all' lists them")
    arguments = [topic, "--help"] if topic else ["--help"]
    main.build(colors=call.screen.is_terminal, arguments=[topic] if topic else ())(arguments, prog_name="recollect")


def _all_commands(columns: int | None) -> str:
    width = max(len(name) for commands in main.COMMANDS.values() for name in commands)
    lines: list[str] = []
    for panel, commands in main.COMMANDS.items():
        lines += ["", panel]
        for name in commands:
            summary = (main.function_of(name).__doc__ or "").splitlines()[0]
            wrapped = textwrap.wrap(summary, max(20, columns - width - 4)) if columns else [summary]
            lines.append(f"  {name:<{width}}  {wrapped[0]}")
            lines += [f"  {'':<{width}}  {line}" for line in wrapped[1:]]
    return "\n".join(
        [*lines[1:], "", "'recollect help COMMAND' explains one; 'recollect --help' has the options of all."]
    )
