"""An event that discord.py can't parse is skipped, rather than ending the connection of all servers."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import discord

from recollect.faces.discord.permissions import forget_servers

log = logging.getLogger("recollect.discord")

SKIPPED = ("MESSAGE_CREATE", "MESSAGE_UPDATE", "INTERACTION_CREATE", "TYPING_START", "PRESENCE_UPDATE")
"""Events that may be skipped. After any other one, such as a server's channels, later events would be misread, so the
bot reconnects.
"""

Payload = TypeVar("Payload", bound=Mapping[str, Any])


def without_nulls(payload: Payload) -> Payload:
    """A payload without the fields that are null: compatible servers send null where Discord sends nothing."""
    return {name: value for name, value in payload.items() if value is not None}  # type: ignore[return-value]


def read_message(channel: Any, payload: Mapping[str, Any]) -> discord.Message:
    """A message from what Discord's API returned. They are parsed one by one, as `history()` stops at the first that
    discord.py does not understand.
    """
    return discord.Message(state=channel._state, channel=channel, data=without_nulls(payload))  # type: ignore[arg-type]


def guard_parsers(client: discord.Client) -> None:
    """Let an event that can't be parsed be tried without its nulls, and then be skipped."""
    connection = client._connection  # pyright: ignore[reportPrivateUsage] there is no public way
    for event, parse in list(connection.parsers.items()):
        guarded = partial(_parse, event, parse)
        is_about_servers = event.startswith(("GUILD_", "CHANNEL_"))
        connection.parsers[event] = partial(_change_server, connection, guarded) if is_about_servers else guarded


def _change_server(connection: object, parse: Callable[[Any], None], payload: dict[str, Any]) -> None:
    """Parse an event that may change permissions at once: the next event may be a message that they apply to."""
    try:
        parse(payload)
    finally:
        forget_servers(connection)


def _parse(event: str, parse: Callable[[Any], None], payload: dict[str, Any]) -> None:
    try:
        try:
            parse(payload)
        except (TypeError, AttributeError):  # raised for unexpected nulls
            parse(without_nulls(payload))
    except Exception:
        if event not in SKIPPED:
            raise
        log.exception("%s %s can't be read, and is skipped", event, payload.get("id", ""))
