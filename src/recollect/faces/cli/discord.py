"""The command `discord`: runs the assistant as a Discord bot, or checks whether it could run."""

import asyncio
from dataclasses import replace
from typing import Annotated

import typer

from recollect.core.errors import BadInput, ConfigError, MissingExtra
from recollect.faces.cli.doctor import Finding, report
from recollect.faces.cli.invocation import Invocation
from recollect.faces.cli.log_format import LogFormat, write_log
from recollect.faces.cli.options import flag
from recollect.memory import AsyncMemory
from recollect.settings import secret

TOKEN_VARIABLE = "DISCORD_TOKEN"  # noqa: S105 - the name of a variable
MISSING_TOKEN = (
    f"{TOKEN_VARIABLE} is not set: it is the bot's token, "
    "from https://discord.com/developers/applications (Bot, Reset Token)"
)


def discord(
    call: Invocation,
    check: Annotated[bool, flag("--check", meaning="Check token, intents, permissions and commands only.")] = False,
    shard: Annotated[
        str | None,
        typer.Option(metavar="N/COUNT", help="Be one of several processes: this shard of so many.", show_default=False),
    ] = None,
    logs: Annotated[LogFormat, typer.Option(metavar="FORM", help="How the log is written: plain or json.")] = "plain",
) -> None:
    """Run the assistant as a Discord bot, until stopped."""
    try:
        from recollect.faces.discord import run
    except ModuleNotFoundError as error:
        raise MissingExtra("the Discord bot", "discord") from error
    token = secret(TOKEN_VARIABLE)
    if token is None:
        raise ConfigError(MISSING_TOKEN)
    if check:
        _check(call, token)
        return
    if call.options.json:
        raise BadInput("--json and discord don't go together; --logs json writes the log so")
    write_log(logs, call.options.debug)
    asyncio.run(run.serve(call.load(discord__shard=shard), token))


def _check(call: Invocation, token: str) -> None:
    from recollect.faces.discord import check as checking

    loaded = Invocation(replace(call.options, store="sqlite://")).load("null")  # a check stores nothing

    async def run_checks() -> list[Finding]:
        async with AsyncMemory.from_settings(loaded, run_worker=False) as memory:
            return [
                Finding(result.check, result.state, result.detail, result.advice)
                for result in await checking.check(memory, token)
            ]

    report(call, asyncio.run(run_checks()))
