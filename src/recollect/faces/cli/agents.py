"""Commands for agents of other programs: `mcp` and `tool-schema`."""

import sys
from collections.abc import Awaitable, Callable
from typing import Annotated

import typer

from recollect.admin.tokens import AccessTokens, Role
from recollect.core.clock import now
from recollect.core.errors import BadInput, MissingExtra
from recollect.faces.cli.invocation import Invocation, warn
from recollect.faces.cli.options import flag
from recollect.faces.cli.output import safe
from recollect.faces.http.sockets import is_loopback, listen
from recollect.faces.tool.schema import FORMATS, Format, schema, skill
from recollect.memory import AsyncMemory

_FORMAT_HELP = f"Whose form: {', '.join(FORMATS)}."
_NAME_HELP = "Another name by which clients reach this host; may be repeated."


def tool_schema(
    call: Invocation,
    format_: Annotated[Format, typer.Option("--format", metavar="FORMAT", help=_FORMAT_HELP)] = "openai",
    guidance: Annotated[bool, flag("--skill", meaning="Print the guidance for an agent's prompt instead.")] = False,
) -> None:
    """Print the definition of the memory tool, or how to use it."""
    if guidance and not call.options.json:
        call.screen.say(skill().rstrip("\n"))
    elif guidance:
        call.screen.data({"name": "memory", "skill": skill()})
    else:
        call.screen.data(schema(format_))


def mcp(
    call: Invocation,
    http: Annotated[bool, flag("--http", meaning="Serve HTTP rather than standard input and output.")] = False,
    host: Annotated[str, typer.Option(metavar="HOST", help="With --http: the address to listen at.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(metavar="PORT", min=0, max=65535, help="With --http: 0 takes a free one.")
    ] = 8765,
    name: Annotated[list[str] | None, typer.Option(metavar="NAME", help=f"With --http: {_NAME_HELP}")] = None,
    open_: Annotated[bool, flag("--open", meaning="With --http: also without a token, as the user of --as.")] = False,
) -> None:
    """Serve this memory to agents by the Model Context Protocol.

    Over HTTP, 'recollect tokens create --as USER' makes the token with which USER's own memory is reached.
    """
    if call.options.json:
        raise BadInput("--json and mcp don't go together: standard output belongs to the protocol")
    call.run(_server(call, http, host, port, tuple(name or ()), open_), embeds=True)


def _server(
    call: Invocation, http: bool, host: str, port: int, names: tuple[str, ...], is_open: bool
) -> Callable[[AsyncMemory], Awaitable[None]]:
    try:
        from recollect.faces.mcp import server, transport
    except ModuleNotFoundError as error:
        raise MissingExtra("the MCP server", "mcp") from error
    user, place = call.user, call.where

    async def over_stdio(memory: AsyncMemory) -> None:
        await transport.over_stdio(server.build(memory, user=user, place=place))

    async def over_http(memory: AsyncMemory) -> None:
        listener = listen(host, port)
        tokens = AccessTokens(memory, now)
        are_tokens_made = any(token.role is Role.USER for token in await tokens.list())
        if is_open and not is_loopback(host):
            warn(f"anyone who reaches {host} can read and change what is remembered about {user}")
        elif not is_loopback(host) and not are_tokens_made:
            warn("nobody has a token yet; 'recollect tokens create --as USER' makes one")
        is_for_one = is_open or (is_loopback(host) and not are_tokens_made)
        ready = _print_address(user if is_for_one else "whoever a token is for")
        mcp_server = server.build(memory, user=user, place=place)
        await transport.over_http(mcp_server, listener, tokens, is_open=is_open, names=names, ready=ready)

    return over_http if http else over_stdio


def _print_address(user: str) -> Callable[[str], None]:
    """On the error stream: standard output belongs to the protocol."""
    return lambda address: print(
        f"recollect: serving the memory of {safe(user)} at {address}", file=sys.stderr, flush=True
    )
