"""Everything canonical about someone, in an order that the same memory always has, without holding all of it; and
the vectors of memos, for formats that have a place for them.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from recollect.core.clock import from_ms, to_ms
from recollect.core.errors import BadInput
from recollect.core.ports import Store, Tx
from recollect.core.ports.archive import Cursor
from recollect.core.ports.format import Canonical, Vectors
from recollect.core.types import Memo, Message, Status, Subject, Summary, Tombstone
from recollect.policy.merge import fingerprint

PAGE = 500
_PAGE_OF_MARKS = 5_000
_ALL = 1 << 30


class ExportSelection(Protocol):
    """A person, a guild, or a person in a guild."""

    @property
    def user(self) -> str | None: ...
    @property
    def guild(self) -> str | None: ...
    @property
    def subject(self) -> Subject: ...
    def alone_in(self, session: str) -> bool: ...


def check_empty(folder: Path) -> None:
    """Raise BadInput unless a folder is empty or not there yet: an export never overwrites."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is not an empty folder")


async def iter_export(store: Store, whose: ExportSelection, memos: Sequence[Memo]) -> AsyncIterator[Canonical]:
    """Their memos, which are given, then summaries, messages with what was replied to them, and tombstones.

    Tombstones come last: a reader that takes them first would refuse the forgotten memos that they belong to.
    """
    for memo in sorted(memos, key=lambda memo: (memo.created, memo.subject.scope, memo.id)):
        yield memo
    for summary in await store.read(lambda tx: list(_summaries(tx, whose))):
        yield summary
    async for message in _messages(store, whose):
        yield message
    for tombstone in await _tombstones(store, whose, memos):
        yield tombstone


async def vectors(store: Store, memos: Sequence[Memo]) -> Vectors:
    """The vectors of these memos; none when no model serves yet."""
    sets = await store.read(lambda tx: tx.index.vectors("memos", counted=False))
    model = next((one.model for one in sets if one.active), None)
    if model is None:
        return Vectors()
    made: dict[tuple[str, str], bytes] = {}
    names = [(model, memo.subject.scope, memo.id) for memo in memos if memo.active]
    for start in range(0, len(names), PAGE):
        page = names[start : start + PAGE]
        found = await store.read(lambda tx, page=page: tx.archive.find("memo vectors", page))
        made |= {(scope, memo): bytes(vector) for _, scope, memo, vector in found.values()}
    return Vectors(model, made)


def _summaries(tx: Tx, whose: ExportSelection) -> Iterator[Summary]:
    """Past ones too, oldest first."""
    for session in sorted(tx.summaries.sessions()):
        if whose.alone_in(session):
            yield from tx.summaries.history(session, _ALL)[::-1]


async def _messages(store: Store, whose: ExportSelection) -> AsyncIterator[Message]:
    """By time; only where each one stands is held in memory."""
    found: dict[int, tuple[int, str, str]] = {}
    last = 0
    while rows := await store.read(lambda tx, last=last: tx.messages.written_by(whose.user, whose.guild, PAGE, last)):
        replies = await store.read(lambda tx, rows=rows: _replies(tx, whose, rows))
        found |= {key: _order(message) for key, message in (*rows, *replies) if message.text}
        last = rows[-1][0]
    keys = sorted(found, key=found.__getitem__)
    for start in range(0, len(keys), PAGE):
        page = keys[start : start + PAGE]
        messages = await store.read(lambda tx, page=page: tx.messages.fetch(page))
        for key in page:
            if key in messages:
                yield messages[key]


def _order(message: Message) -> tuple[int, str, str]:
    return to_ms(message.at), message.place.platform, message.id


def _replies(tx: Tx, whose: ExportSelection, rows: Sequence[tuple[int, Message]]) -> list[tuple[int, Message]]:
    """What bots said to these messages; a guild's are messages of its own."""
    if whose.user is None:
        return []
    asked: dict[str, list[str]] = {}
    for _, message in rows:
        asked.setdefault(message.place.platform, []).append(message.id)
    return [row for platform, ids in asked.items() for row in tx.messages.replies_to(platform, ids)]


async def _tombstones(store: Store, whose: ExportSelection, memos: Sequence[Memo]) -> list[Tombstone]:
    """Of the memos that were forgotten, and of all that is theirs alone also of what was erased."""
    found = await store.read(lambda tx: _of_memos(tx, memos))
    after: Cursor | None = None
    while whose.user is None or whose.guild is None:
        page = await store.read(lambda tx, after=after: tx.archive.read("tombstones", after, _PAGE_OF_MARKS))
        found += [
            Tombstone(scope, mark, from_ms(at)) for scope, mark, at in page.records if scope == whose.subject.scope
        ]
        after = page.after
        if after is None:
            break
    unique = {(one.scope, one.fingerprint): one for one in found}
    return [unique[key] for key in sorted(unique)]


def _of_memos(tx: Tx, memos: Sequence[Memo]) -> list[Tombstone]:
    gone = [memo for memo in memos if memo.status in (Status.DEPRECATED, Status.DELETED)]
    found = (tx.memos.tombstone(memo.subject.scope, fingerprint(memo.text)) for memo in gone)
    return [one for one in found if one is not None]
