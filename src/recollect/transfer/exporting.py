"""Everything canonical about someone, streamed in a deterministic order; and the vectors of memos, for formats that can
hold them.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from recollect.core.clock import from_ms, to_ms
from recollect.core.errors import BadInput
from recollect.core.fingerprints import text_digest
from recollect.core.ports import Store, Tx
from recollect.core.ports.archive import Cursor
from recollect.core.ports.format import Canonical, Vectors
from recollect.core.types import Memo, Message, Status, Subject, Summary, Tombstone

ROWS_PER_READ = 500
_TOMBSTONES_PER_READ = 5_000
_ALL = 1 << 30


class ExportSelection(Protocol):
    """A person, a guild, or a person in a guild."""

    @property
    def user(self) -> str | None: ...
    @property
    def guild(self) -> str | None: ...
    @property
    def subject(self) -> Subject: ...
    def owns_session(self, session: str) -> bool: ...


def check_empty(folder: Path) -> None:
    """Raise BadInput unless a folder is empty or not there yet: an export never overwrites."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput(f"{folder} is not an empty folder")


async def iter_export(store: Store, selection: ExportSelection, memos: Sequence[Memo]) -> AsyncIterator[Canonical]:
    """Their memos, which are given, then summaries, messages with what was replied to them, and tombstones.

    Tombstones come last: a reader that takes them first would refuse the forgotten memos that they belong to.
    """
    for memo in sorted(memos, key=lambda memo: (memo.created, memo.subject.scope, memo.id)):
        yield memo
    for summary in await store.read(lambda tx: list(_summaries(tx, selection))):
        yield summary
    async for message in _messages(store, selection):
        yield message
    for tombstone in await _tombstones(store, selection, memos):
        yield tombstone


async def vectors(store: Store, memos: Sequence[Memo]) -> Vectors:
    """The vectors of these memos; none when no model serves yet."""
    sets = await store.read(lambda tx: tx.index.vectors("memos"))
    model = next((vector_set.model for vector_set in sets if vector_set.active), None)
    if model is None:
        return Vectors()
    by_memo: dict[tuple[str, str], bytes] = {}
    names = [(model, memo.subject.scope, memo.id) for memo in memos if memo.active]
    for start in range(0, len(names), ROWS_PER_READ):
        page = names[start : start + ROWS_PER_READ]
        records = await store.read(lambda tx, page=page: tx.archive.find("memo vectors", page))
        by_memo |= {(scope, memo): bytes(vector) for _, scope, memo, vector in records.values()}
    return Vectors(model, by_memo)


def _summaries(tx: Tx, selection: ExportSelection) -> Iterator[Summary]:
    """Past ones too, oldest first."""
    for session in sorted(tx.summaries.sessions()):
        if selection.owns_session(session):
            yield from tx.summaries.history(session, _ALL)[::-1]


async def _messages(store: Store, selection: ExportSelection) -> AsyncIterator[Message]:
    """By time; only their keys are held in memory."""
    order_by_key: dict[int, tuple[int, str, str]] = {}
    last = 0
    while rows := await store.read(
        lambda tx, last=last: tx.messages.written_by(selection.user, selection.guild, ROWS_PER_READ, last)
    ):
        replies = await store.read(lambda tx, rows=rows: _replies(tx, selection, rows))
        order_by_key |= {key: _order(message) for key, message in (*rows, *replies) if message.text}
        last = rows[-1][0]
    keys = sorted(order_by_key, key=order_by_key.__getitem__)
    for start in range(0, len(keys), ROWS_PER_READ):
        page = keys[start : start + ROWS_PER_READ]
        messages = await store.read(lambda tx, page=page: tx.messages.fetch(page))
        for key in page:
            if key in messages:
                yield messages[key]


def _order(message: Message) -> tuple[int, str, str]:
    return to_ms(message.at), message.place.platform, message.id


def _replies(tx: Tx, selection: ExportSelection, rows: Sequence[tuple[int, Message]]) -> list[tuple[int, Message]]:
    """Bots' replies to these messages; in a guild they are among its own messages."""
    if selection.user is None:
        return []
    ids_by_platform: dict[str, list[str]] = {}
    for _, message in rows:
        ids_by_platform.setdefault(message.place.platform, []).append(message.id)
    return [row for platform, ids in ids_by_platform.items() for row in tx.messages.replies_to(platform, ids)]


async def _tombstones(store: Store, selection: ExportSelection, memos: Sequence[Memo]) -> list[Tombstone]:
    """Of the memos that were forgotten, and of all that is theirs alone also of what was erased.

    Fingerprints of erased texts are meaningless outside this store, since its secret is not exported.
    """
    by_fingerprint = await store.read(lambda tx: _of_memos(tx, memos))
    after: Cursor | None = None
    while selection.user is None or selection.guild is None:
        page = await store.read(lambda tx, after=after: tx.archive.read("tombstones", after, _TOMBSTONES_PER_READ))
        own = [record for record in page.records if record[0] == selection.subject.scope]
        erased = await store.read(
            lambda tx, own=own: [(*record, tx.fingerprints.exported(record[1])) for record in own]
        )
        for scope, fingerprint, at, exported in erased:
            by_fingerprint.setdefault((scope, fingerprint), Tombstone(scope, exported, from_ms(at)))
        after = page.after
        if after is None:
            break
    return sorted(by_fingerprint.values(), key=lambda tombstone: (tombstone.scope, tombstone.fingerprint))


def _of_memos(tx: Tx, memos: Sequence[Memo]) -> dict[tuple[str, str], Tombstone]:
    """Tombstones by scope and stored fingerprint; the export holds the texts, so that their digests tell nothing."""
    tombstones: dict[tuple[str, str], Tombstone] = {}
    for memo in memos:
        if memo.status in (Status.DEPRECATED, Status.DELETED):
            scope, fingerprint = memo.subject.scope, tx.fingerprints.of_text(memo.text)
            tombstone = tx.memos.tombstone(scope, fingerprint)
            if tombstone is not None:
                tombstones[scope, fingerprint] = Tombstone(scope, text_digest(memo.text), tombstone.at)
    return tombstones
