"""Writes the pages: one for each memo in use, none for the others; what a person edited is left for `Index`."""

import asyncio
import json
import logging
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from recollect.core.clock import to_ms
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.types import Memo, Status, Subject
from recollect.policy.kinds import to_category
from recollect.transfer.mirror import disk
from recollect.transfer.mirror.pages.markdown import again, loses
from recollect.transfer.mirror.pages.paths import PagePaths, in_category
from recollect.transfer.mirror.pages.state import Key, Record, Records
from recollect.workspace.disk import create, make_folder

log = logging.getLogger("recollect.mirror")

UNIT = "page"
_TRIES = 3


@dataclass(frozen=True, slots=True)
class _State:
    """A memo and its page as the store knows them."""

    memo: Memo | None
    record: Record | None
    owner: str | None


def unit_of(event: Event) -> str:
    """What an event lets us write: a memo's page, or all of a subject's; empty for nothing."""
    if not event.scope.startswith(("user:", "lore:")) or not event.kind.startswith("memo."):
        return ""
    return f"{UNIT} {json.dumps([event.scope, event.memo])}"


class PageWriter:
    """Each page is written until the disk holds what the store says; several processes may do so."""

    def __init__(self, store: Store, shelves: PagePaths) -> None:
        self._store = store
        self._shelves = shelves
        self.records = Records()
        self._left: set[Path] = set()

    async def write(self, unit: str) -> None:
        """Write what an event named."""
        scope, memo_id = json.loads(unit)
        subject = Subject.of_scope(scope)
        ids = [memo_id] if memo_id else await self._store.read(partial(self._all_of, subject=subject))
        for each in ids:
            await self.place((subject, each))

    async def place(self, key: Key) -> None:
        """Bring the page of one memo up to date; raises BlockingIOError while somebody else keeps writing it."""
        for _ in range(_TRIES - 1):
            with suppress(BlockingIOError):
                await self._place(key)
                return
        await self._place(key)

    async def _place(self, key: Key) -> None:
        state = await self._store.read(partial(self._look, key=key))
        memo, owner = state.memo, state.owner
        if memo is None or not memo.active:
            await self._take_away(key, state.record)
            return
        if owner is None and not key[0].is_lore and not self._shelves.per_user:
            owner = await self._store.write(partial(self.records.claim, user=key[0].id))
        await self._put(memo, state.record, owner)

    def path(self, relative: str) -> Path:
        return self._shelves.folder / relative

    async def _take_away(self, key: Key, record: Record | None) -> None:
        if record is None:
            return
        path = self.path(record.path)
        found = await asyncio.to_thread(disk.read, path)
        if found is not None and not record.knows(found):
            self._leave(path)
            return
        if found is not None:
            await asyncio.to_thread(_clear, path, found, None)
        await self._store.write(partial(self.records.drop, key=key))

    async def _put(self, memo: Memo, record: Record | None, owner: str | None) -> None:
        if record is None:
            await self._begin(memo, owner)
            return
        before, after = record.path, self._moved(record.path, memo)
        found = await asyncio.to_thread(disk.read, self.path(before))
        wanted = again(memo, found)
        if found is not None and found != wanted and not record.knows(found):
            self._leave(self.path(before))
            return
        if found != wanted or before != after:
            await asyncio.to_thread(self._replace, before, after, found, wanted)
        if before != after or not record.knows(wanted) or record.updated != to_ms(memo.updated):
            await self._store.write(lambda tx: self.records.note(tx, memo, after, wanted))

    async def _begin(self, memo: Memo, owner: str | None) -> None:
        """Give a memo its page; when another process was faster with another name, that one is the page."""
        wanted = again(memo, None)
        path = await asyncio.to_thread(self._create, memo, owner, wanted)
        first = await self._store.write(lambda tx: self._note_first(tx, memo, path, wanted))
        if first != path:
            await asyncio.to_thread(disk.remove, self.path(path))

    def _create(self, memo: Memo, owner: str | None, wanted: bytes) -> str:
        for path in self._shelves.names(memo, owner):
            file = self.path(path)
            make_folder(file.parent)
            if create(file, wanted) or disk.read(file) == wanted:
                return path
        raise AssertionError("names don't end")  # pragma: no cover

    def _note_first(self, tx: Tx, memo: Memo, path: str, data: bytes) -> str:
        known = self.records.get(tx, (memo.subject, memo.id))
        if known is None:
            self.records.note(tx, memo, path, data)
        return path if known is None else known.path

    def _replace(self, before: str, after: str, found: bytes | None, wanted: bytes) -> None:
        if disk.read(self.path(before)) != found:
            raise BlockingIOError(f"{before} is being edited")
        if before != after:
            disk.replace(self.path(after), wanted)
            _clear(self.path(before), found, wanted)
        else:
            if found is not None and loses(found, wanted):
                _keep(self.path(before))
            disk.replace(self.path(before), wanted)

    def _moved(self, path: str, memo: Memo) -> str:
        """Where the page goes when its category has become another; its name stays."""
        wanted = in_category(path, to_category(memo.kind))
        if wanted == path or not self._taken(wanted):
            return wanted
        stem = wanted.removesuffix(".md")
        names = (f"{stem}-{number}.md" for number in range(2, 1000))
        return next((name for name in names if not self._taken(name)), path)

    def _taken(self, path: str) -> bool:
        return self.path(path).exists()

    def _leave(self, path: Path) -> None:
        if path not in self._left:
            log.warning("%s was edited and is left as it is; 'recollect index' takes the change over", path)
        self._left.add(path)

    def _look(self, tx: Tx, key: Key) -> _State:
        return _State(tx.memos.get(*key), self.records.get(tx, key), self.records.owner(tx))

    def _all_of(self, tx: Tx, subject: Subject) -> list[str]:
        known = [memo_id for (whose, memo_id), _ in self.records.all(tx) if whose == subject]
        active = [memo.id for memo in tx.memos.list(subject, [Status.ACTIVE])]
        return list(dict.fromkeys([*known, *active]))


def _clear(path: Path, found: bytes | None, wanted: bytes | None) -> None:
    if found is not None and loses(found, wanted):
        _keep(path)
    disk.remove(path)


def _keep(path: Path) -> None:
    log.warning("%s has a person's own words; that version is kept as %s", path, disk.set_aside(path).name)
