"""Short-term entries as files, `shortterm/<guild>.json`: which of them have to be written again, and what they hold.

Entries come without an event in the log and expire with time alone, so the store is compared with what was written
last. Quotes of forgotten statements are left out, as in prompts.
"""

from datetime import datetime
from pathlib import Path

from recollect.core.clock import Clock
from recollect.core.ports import Tx
from recollect.core.types import Exchange
from recollect.recall import withheld
from recollect.transfer.mirror.json_files import exchanges_name, render_exchanges
from recollect.transfer.mirror.state import MirrorState

Entries = tuple[Exchange, ...]


class ExchangeFiles:
    """Knows what the files were last written from."""

    def __init__(self, folder: Path, state: MirrorState, clock: Clock) -> None:
        self._folder = folder
        self._state = state
        self._clock = clock
        self._pending: dict[str, Entries] = {}
        self._next_expiry: datetime | None = None
        self.reset()

    def reset(self) -> None:
        """Compare every file with the store again, as after a change of memos: it may hide or show entries anywhere."""
        self._written: dict[str, Entries] = {}
        self._generation: int | None = None

    def path(self, guild: str) -> Path:
        return self._folder / exchanges_name(guild)

    def stale(self, tx: Tx) -> list[str]:
        """Guilds whose file may have to be written again."""
        now, generation = self._clock(), tx.generation()
        has_expired = self._next_expiry is not None and self._next_expiry <= now
        if generation == self._generation and not self._pending and not has_expired:
            return []
        guilds = {*tx.exchanges.guilds(), *self._written}
        if self._generation is None:
            guilds |= set(self._state.guilds(tx))
        current = {guild: _current(tx, guild, now) for guild in sorted(guilds)}
        self._generation = generation
        self._next_expiry = min((entry.expires for entries in current.values() for entry in entries), default=None)
        self._pending = {guild: entries for guild, entries in current.items() if self._differs(guild, entries)}
        return list(self._pending)

    def mark_written(self, guild: str) -> None:
        self._written[guild] = self._pending.pop(guild)

    def render(self, tx: Tx, guild: str) -> bytes | None:
        """The content of a guild's file; None when it has none."""
        return render_exchanges(_visible(tx, guild, _current(tx, guild, self._clock())))

    def _differs(self, guild: str, entries: Entries) -> bool:
        # an erasure removes a file together with other people's entries, which come back
        return entries != self._written.get(guild) or (bool(entries) and not self.path(guild).exists())


def _current(tx: Tx, guild: str, now: datetime) -> Entries:
    return tuple(exchange for exchange in tx.exchanges.by_author(guild=guild) if exchange.expires > now)


def _visible(tx: Tx, guild: str, entries: Entries) -> list[Exchange]:
    place = withheld.guild_place(guild)
    by_author = {author: withheld.collect(tx, place, [author]) for author in {entry.author for entry in entries}}
    return [entry for entry in entries if not by_author[entry.author].quotes(entry.text, entry.author)]
