"""Persisted records about pages: the path of each memo's page, and digests of what was written to it.

A record is made when its page is on disk. So a missing page was deleted by a person, and one with other content was
edited.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace

from recollect.core.clock import to_ms
from recollect.core.ports import Tx
from recollect.core.state import Owner, StateKind
from recollect.core.text import digest
from recollect.core.types import Memo, Subject

Key = tuple[Subject, str]
"""A memo by whose it is and its id."""
_MAX_DIGESTS = 8
"""Contents that are recognized: processes that write a page at the same time each have their own."""


@dataclass(frozen=True, slots=True)
class Record:
    path: str
    digests: tuple[str, ...]
    updated: int
    """When the memo that the page shows was changed last, in milliseconds."""

    def knows(self, data: bytes) -> bool:
        return content_digest(data) in self.digests


class Records:
    """The records of a store: they hold wherever its folder is moved, or under whatever path it is mounted."""

    def get(self, tx: Tx, key: Key) -> Record | None:
        items = tx.state.items(StateKind.PAGE, _page_key(key))
        if not items:
            return None
        path, digests, updated = json.loads(items[-1])
        return Record(path, tuple(digests), updated)

    def all(self, tx: Tx) -> Iterator[tuple[Key, Record]]:
        for scope in tx.state.items(StateKind.PAGE_SCOPES):
            for memo_id in tx.state.items(StateKind.PAGE_MEMOS, scope):
                key = Subject.of_scope(scope), memo_id
                record = self.get(tx, key)
                if record is not None:
                    yield key, record

    def note(self, tx: Tx, memo: Memo, path: str, data: bytes) -> None:
        """The page of a memo lies there and holds this."""
        key = memo.subject, memo.id
        before = self.get(tx, key)
        digests = [digest for digest in (before.digests if before else ()) if digest != content_digest(data)]
        record = Record(path, (*digests[1 - _MAX_DIGESTS :], content_digest(data)), to_ms(memo.updated))
        if record != before:
            self._put(tx, key, record)

    def move(self, tx: Tx, key: Key, path: str) -> None:
        record = self.get(tx, key)
        if record is not None and record.path != path:
            self._put(tx, key, replace(record, path=path))

    def drop(self, tx: Tx, key: Key) -> None:
        tx.state.clear(StateKind.PAGE, _page_key(key))

    def owner(self, tx: Tx) -> str | None:
        """Whose pages lie in the folder directly."""
        return next(iter(tx.state.items(StateKind.PAGES_OWNER)), None)

    def claim(self, tx: Tx, user: str) -> str:
        """The owner; this user, if there was none."""
        owner = self.owner(tx)
        if owner is None:
            tx.state.append(StateKind.PAGES_OWNER, "", user, Owner.person(user))
        return user if owner is None else owner

    def _put(self, tx: Tx, key: Key, record: Record) -> None:
        subject, memo_id = key
        owner = Owner.of_subject(subject)
        tx.state.append(StateKind.PAGE_SCOPES, "", subject.scope, owner)
        tx.state.append(StateKind.PAGE_MEMOS, subject.scope, memo_id, owner)
        tx.state.clear(StateKind.PAGE, _page_key(key))
        item = json.dumps([record.path, record.digests, record.updated])
        tx.state.append(StateKind.PAGE, _page_key(key), item, owner)


def _page_key(key: Key) -> str:
    return f"{key[0].scope} {key[1]}"


def content_digest(data: bytes) -> str:
    return digest(data.decode("utf-8", "surrogateescape"))[:32]
