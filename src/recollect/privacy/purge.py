"""Purging: moderators delete what was said in a part of their guild, by channel, author and time, and what was learned
from it; or what others said about a person.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from recollect.core.ports import Store, Tx
from recollect.core.text import fold
from recollect.core.types import Memo, Message
from recollect.privacy import delete_rows
from recollect.privacy.retention import PAGE_MESSAGES, Delete

MIN_NAME_CHARS = 3
"""Shorter names occur inside too many other words."""


@dataclass(frozen=True, slots=True)
class PurgeSelection:
    """What was said in a guild: in a channel with its threads, by a person (as `person_key`), since a time."""

    guild: str
    channel: str | None = None
    author: str | None = None
    since: datetime | None = None

    def includes(self, message: Message) -> bool:
        is_there = self.channel in (None, message.place.channel, message.place.thread)
        return is_there and self.author in (None, message.person) and (self.since is None or message.at >= self.since)

    def covers(self, memo: Memo) -> bool:
        """Whether a memo comes from what was said there."""
        source = memo.source
        is_there = self.channel in (None, source.channel, source.thread)
        return is_there and self.author in (None, source.actor) and (self.since is None or memo.updated >= self.since)


@dataclass(frozen=True, slots=True)
class PurgeCounts:
    messages: int
    memos: int


async def purge(store: Store, selection: PurgeSelection, delete: Delete, now: datetime) -> PurgeCounts:
    """One transaction per message, so that other writers don't wait; run again after an interruption, it goes on."""

    def covered(tx: Tx) -> list[Memo]:
        return [*filter(selection.covers, tx.memos.stated_by(guild=selection.guild))]

    count = sum(memo.active for memo in await store.read(covered))  # most are gone with their messages
    messages, position = 0, 0
    while rows := await store.read(
        lambda tx, after=position: tx.messages.written_by(guild=selection.guild, limit=PAGE_MESSAGES, after=after)
    ):
        for _, message in rows:
            if message.text and not message.bot and selection.includes(message):
                messages += await store.write(lambda tx, said=message: delete(tx, said))
        position = rows[-1][0]
    if memos := await store.read(covered):
        await store.write(lambda tx: delete_rows.erase_expired(tx, memos, now))
    return PurgeCounts(messages, count)


def memos_about(tx: Tx, guild: str, person: str, names: Collection[str]) -> list[Memo]:
    """What others stated in a guild that names someone, lore included; not what the person said themselves."""
    words = [re.escape(name) for name in map(fold, names) if len(name) >= MIN_NAME_CHARS]  # marks alone fold to nothing
    if not words:
        return []
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)")
    return [
        memo
        for memo in tx.memos.stated_by(guild=guild)
        if memo.source.actor != person and memo.subject.id != person and pattern.search(fold(memo.text))
    ]
