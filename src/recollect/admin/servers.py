"""Servers as the operator sees them: whatever has channels with messages, lore, or a name."""

from dataclasses import dataclass
from datetime import datetime

from recollect.admin.messages import Conversation, MessageAdmin, read_conversations
from recollect.admin.places import guild_places, known_guilds
from recollect.core.ports import Tx
from recollect.core.text import fold
from recollect.core.types import Status, Subject
from recollect.learning import consent
from recollect.recall.guild_names import guild_name

MAX_SERVERS = 200


@dataclass(frozen=True, slots=True)
class Server:
    """A guild, what is known of it, and where it talks."""

    guild: str
    name: str
    lore: int
    """How many entries of it are in use."""
    channels: tuple[Conversation, ...]
    paused: bool

    @property
    def last(self) -> datetime | None:
        """When something was last said there."""
        return max((channel.last.at for channel in self.channels if channel.last is not None), default=None)


class ServerAdmin(MessageAdmin):
    async def servers(self, part: str = "") -> list[Server]:
        """Servers whose id or name contains `part`, by name."""

        def work(tx: Tx) -> list[Server]:
            names = {guild: guild_name(tx, guild) for guild in known_guilds(tx)}
            folded = fold(part.strip())
            chosen = sorted(
                (guild for guild, name in names.items() if folded in fold(guild) or folded in fold(name)),
                key=lambda guild: (fold(names[guild]) or "\U0010ffff", guild),
            )
            return [_server(tx, guild) for guild in chosen[:MAX_SERVERS]]

        return await self._read(work)

    async def server(self, guild: str) -> Server:
        """One server; with nothing in it where it is not known."""
        return await self._read(lambda tx: _server(tx, guild))


def _server(tx: Tx, guild: str) -> Server:
    return Server(
        guild,
        guild_name(tx, guild),
        tx.memos.count(Subject.lore(guild), [Status.ACTIVE]),
        tuple(read_conversations(tx, guild)),
        any(consent.is_place_paused(tx, place) for place in guild_places(guild)),
    )
