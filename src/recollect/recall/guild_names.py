"""Display names of guilds, as clients report them; the rest of the program knows guilds by id."""

from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind
from recollect.core.text import clip, collapse_spaces
from recollect.policy.redaction import redact_name

MAX_NAME_CHARS = 100


def note_guild_name(tx: Tx, guild: str, name: str) -> None:
    """Store the name of a guild, by its `guild_key`; nothing is written if it is unchanged."""
    tidy = clip(collapse_spaces(redact_name(name)), MAX_NAME_CHARS)
    if tidy and tx.state.items(StateKind.GUILD_NAME, guild) != [tidy]:
        tx.state.clear(StateKind.GUILD_NAME, guild)
        tx.state.append(StateKind.GUILD_NAME, guild, tidy, Owner.guild(guild))


def guild_name(tx: Tx, guild: str) -> str:
    """The name of a guild; empty if it was never reported."""
    return next(iter(tx.state.items(StateKind.GUILD_NAME, guild)), "")


def named_guilds(tx: Tx) -> list[str]:
    """The guilds whose names are known."""
    return tx.state.keys(StateKind.GUILD_NAME)
