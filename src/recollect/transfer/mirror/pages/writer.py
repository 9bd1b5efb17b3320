"""Writes the pages: one for each memo in use, none for the others; edited pages are left for `PageSync`."""

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
from recollect.transfer.mirror.pages.markdown import loses_edits, rerender
from recollect.transfer.mirror.pages.paths import PagePaths, in_category
from recollect.transfer.mirror.pages.state import Key, Record, Records
from recollect.workspace.disk import create, make_folder

log = logging.getLogger("recollect.mirror")

UNIT = "page"
_MAX_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class _PageState:
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

    def __init__(self, store: Store, paths: PagePaths) -> None:
        self._store = store
        self._paths = paths
        self.records = Records()
        self._warned: set[Path] = set()

    async def write(self, unit: str) -> None:
        """Write what an event named."""
        scope, memo_id = json.loads(unit)
        subject = Subject.of_scope(scope)
        ids = [memo_id] if memo_id else await self._store.read(partial(self._all_of, subject=subject))
        for page_memo in ids:
            await self.place((subject, page_memo))

    async def place(self, key: Key) -> None:
        """Bring the page of one memo up to date; raises BlockingIOError while another process keeps writing it."""
        for _ in range(_MAX_ATTEMPTS - 1):
            with suppress(BlockingIOError):
                await self._place(key)
                return
        await self._place(key)

    async def _place(self, key: Key) -> None:
        state = await self._store.read(partial(self._read_state, key=key))
        memo, owner = state.memo, state.owner
        if memo is None or not memo.active:
            await self._remove(key, state.record)
            return
        # The first person with a page owns the folder's top level, whichever process comes first.
        if owner is None and not key[0].is_lore and not self._paths.per_user:
            owner = await self._store.write(partial(self.records.claim, user=key[0].id))
        await self._update(memo, state.record, owner)

    def path(self, relative: str) -> Path:
        return self._paths.folder / relative

    async def _remove(self, key: Key, record: Record | None) -> None:
        if record is None:
            return
        path = self.path(record.path)
        current = await asyncio.to_thread(disk.read, path)
        if current is not None and not record.knows(current):
            self._warn_edited(path)
            return
        if current is not None:
            await asyncio.to_thread(_remove_file, path, current, None)
        await self._store.write(partial(self.records.drop, key=key))

    async def _update(self, memo: Memo, record: Record | None, owner: str | None) -> None:
        if record is None:
            await self._create_page(memo, owner)
            return
        before, after = record.path, self._moved(record.path, memo)
        current = await asyncio.to_thread(disk.read, self.path(before))
        target = rerender(memo, current)
        # Not our content: somebody edited it, and only a sync may decide between the two.
        if current is not None and current != target and not record.knows(current):
            self._warn_edited(self.path(before))
            return
        if current != target or before != after:
            await asyncio.to_thread(self._replace, before, after, current, target)
        if before != after or not record.knows(target) or record.updated != to_ms(memo.updated):
            await self._store.write(lambda tx: self.records.note(tx, memo, after, target))

    async def _create_page(self, memo: Memo, owner: str | None) -> None:
        """Give a memo its page; when another process was faster with another name, that one is the page."""
        content = rerender(memo, None)
        # The file comes first: a record without a file would look like a deletion by its owner.
        path = await asyncio.to_thread(self._create, memo, owner, content)
        first = await self._store.write(lambda tx: self._note_first(tx, memo, path, content))
        if first != path:
            await asyncio.to_thread(disk.remove, self.path(path))

    def _create(self, memo: Memo, owner: str | None, content: bytes) -> str:
        for path in self._paths.names(memo, owner):
            file = self.path(path)
            make_folder(file.parent)
            if create(file, content) or disk.read(file) == content:
                return path
        raise AssertionError("names don't end")  # pragma: no cover

    def _note_first(self, tx: Tx, memo: Memo, path: str, data: bytes) -> str:
        record = self.records.get(tx, (memo.subject, memo.id))
        if record is None:
            self.records.note(tx, memo, path, data)
        return path if record is None else record.path

    def _replace(self, before: str, after: str, current: bytes | None, target: bytes) -> None:
        # Between reading and replacing, an editor may have saved.
        if disk.read(self.path(before)) != current:
            raise BlockingIOError(f"{before} is being edited")
        if before != after:
            disk.replace(self.path(after), target)
            _remove_file(self.path(before), current, target)
        else:
            if current is not None and loses_edits(current, target):
                _keep_copy(self.path(before))
            disk.replace(self.path(before), target)

    def _moved(self, path: str, memo: Memo) -> str:
        """Where the page goes when its category has become another; its name stays."""
        target = in_category(path, to_category(memo.kind))
        if target == path or not self._is_used(target):
            return target
        stem = target.removesuffix(".md")
        names = (f"{stem}-{index}.md" for index in range(2, 1000))
        return next((name for name in names if not self._is_used(name)), path)

    def _is_used(self, path: str) -> bool:
        return self.path(path).exists()

    def _warn_edited(self, path: Path) -> None:
        if path not in self._warned:
            log.warning("%s was edited and is left as it is; 'recollect sync-files' takes the change over", path)
        self._warned.add(path)

    def _read_state(self, tx: Tx, key: Key) -> _PageState:
        return _PageState(tx.memos.get(*key), self.records.get(tx, key), self.records.owner(tx))

    def _all_of(self, tx: Tx, subject: Subject) -> list[str]:
        recorded = [memo_id for (owner, memo_id), _ in self.records.all(tx) if owner == subject]
        active = [memo.id for memo in tx.memos.list(subject, [Status.ACTIVE])]
        return list(dict.fromkeys([*recorded, *active]))


def _remove_file(path: Path, current: bytes | None, target: bytes | None) -> None:
    if current is not None and loses_edits(current, target):
        _keep_copy(path)
    disk.remove(path)


def _keep_copy(path: Path) -> None:
    log.warning("%s has a person's own words; that version is kept as %s", path, disk.set_aside(path).name)
