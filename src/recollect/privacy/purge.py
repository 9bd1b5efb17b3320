"""Purging: moderators delete what was said in a part of their guild, by channel, author and time, and what was learned
from it; or what others said about a person.
"""

import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Protocol

from recollect.core.ports import Store, Tx
from recollect.core.text import fold
from recollect.core.types import Memo, Message
from recollect.privacy.retention import PAGE_MESSAGES, Delete

Erase = Callable[[Tx, Sequence[Memo]], object]

MIN_NAME_CHARS = 3
"""Shorter names occur inside too many other words."""


class Selection(Protocol):
    """What is to be purged in a guild."""

    @property
    def guild(self) -> str: ...
    def includes(self, message: Message) -> bool: ...
    def covers(self, memo: Memo) -> bool:
        """Whether a memo that outlasts its message, if it had one, goes too."""
        ...


@dataclass(frozen=True, slots=True)
class PurgeSelection:
    """What people said in a guild: in a channel with its threads, by a person (as `person_key`), since a time."""

    guild: str
    channel: str | None = None
    author: str | None = None
    since: datetime | None = None

    def includes(self, message: Message) -> bool:
        is_there = self.channel in (None, message.place.channel, message.place.thread)
        is_selected = is_there and self.author in (None, message.person)
        return is_selected and not message.bot and (self.since is None or message.at >= self.since)

    def covers(self, memo: Memo) -> bool:
        source = memo.source
        is_there = self.channel in (None, source.channel, source.thread)
        return is_there and self.author in (None, source.actor) and (self.since is None or memo.updated >= self.since)


@dataclass(frozen=True)
class AboutPerson:
    """What others, the assistant included, said in a guild that names someone; not what the person said themselves."""

    guild: str
    person: str
    names: frozenset[str]

    def includes(self, message: Message) -> bool:
        return message.person != self.person and self._is_named_in(message.text)

    def covers(self, memo: Memo) -> bool:
        is_own = self.person in (memo.source.actor, memo.subject.id)
        return not is_own and self._is_named_in(memo.text)

    def _is_named_in(self, text: str) -> bool:
        return self._pattern is not None and self._pattern.search(fold(text)) is not None

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        words = [re.escape(name) for name in map(fold, self.names) if len(name) >= MIN_NAME_CHARS]  # marks fold to ""
        return re.compile(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)") if words else None


@dataclass(frozen=True, slots=True)
class PurgeCounts:
    messages: int
    """Those of people."""
    memos: int


async def purge(store: Store, selection: Selection, delete: Delete, erase: Erase) -> PurgeCounts:
    """One transaction per message, so that other writers don't wait; run again after an interruption, it goes on."""
    count, messages = sum(memo.active for memo in await _covered(store, selection)), 0
    async for message in _included(store, selection):
        is_deleted = await store.write(lambda tx, said=message: delete(tx, said))
        messages += is_deleted and not message.bot  # the assistant's own may go along with what they answer
    if memos := await _covered(store, selection):  # most are gone with their messages
        await store.write(lambda tx: erase(tx, memos))
    return PurgeCounts(messages, count)


async def count_selected(store: Store, selection: Selection) -> PurgeCounts:
    """What a purge would delete."""
    messages = [message async for message in _included(store, selection) if not message.bot]
    return PurgeCounts(len(messages), sum(memo.active for memo in await _covered(store, selection)))


async def _included(store: Store, selection: Selection) -> AsyncIterator[Message]:
    position = 0
    while rows := await store.read(
        lambda tx, after=position: tx.messages.written_by(guild=selection.guild, limit=PAGE_MESSAGES, after=after)
    ):
        for _, message in rows:
            if message.text and selection.includes(message):
                yield message
        position = rows[-1][0]


async def _covered(store: Store, selection: Selection) -> list[Memo]:
    return await store.read(lambda tx: [*filter(selection.covers, tx.memos.stated_by(guild=selection.guild))])
