"""One user's items in one place: units of work that find, put and take away what lies under a key.

Other than what is stated or learned, items are not merged with what is known: what was put is what is got.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.adapters.langgraph import items
from recollect.adapters.langgraph.items import Path, StoredItem
from recollect.core.changes import Add, Revise
from recollect.core.ports import Tx, Vector
from recollect.core.types import Memo, Origin, Place, Status, Subject
from recollect.learning.apply import ChangeContext, add_tombstone, remove_tombstone, write
from recollect.policy import kinds
from recollect.policy.merge import retire
from recollect.policy.viewer import Viewer, provenance, subject_of
from recollect.policy.visibility import VisibilityPolicy, common_audience


@dataclass(frozen=True, slots=True)
class Item:
    """A value to be put under a key."""

    path: Path
    key: str
    kept: StoredItem
    expires: datetime | None = None
    vector: tuple[str, Vector] | None = None


@dataclass(frozen=True, slots=True)
class ItemStore:
    """Whose items they are and who listens, at one moment: what may not be heard here is not there."""

    user: str
    place: Place
    policy: VisibilityPolicy
    at: datetime

    @property
    def subject(self) -> Subject:
        return subject_of(self.user, self.place)

    def hears(self, memo: Memo) -> bool:
        return memo.active and Viewer(self.user, self.place, self.policy, self.at)(memo)

    def settles(self, memo: Memo) -> bool:
        """Whether no other memo goes before it under its key: it was put here, or would be put over here."""
        _, key = items.address(memo)
        return self._is_own(memo) or (memo.id == key and memo.audience == self.place.audience)

    def all(self, tx: Tx) -> list[Memo]:
        """Everything that is heard here, newest first, each key once: what was put here goes before."""
        heard = self._heard(tx)
        here = {items.address(memo): memo.id for memo in reversed(heard)}
        here |= {items.address(memo): memo.id for memo in heard if self.settles(memo)}
        here |= {items.address(memo): memo.id for memo in heard if self._is_own(memo)}
        return [memo for memo in heard if here[items.address(memo)] == memo.id]

    def get(self, tx: Tx, path: Path, key: str) -> Memo | None:
        own = tx.memos.get(self.subject, self._id(path, key))
        if own is not None and self.hears(own):
            return own
        by_id = self._by_id(tx, path, key)
        return by_id or next((memo for memo in self.all(tx) if items.address(memo) == (path, key)), None)

    def put(self, tx: Tx, item: Item, cause: ChangeContext) -> Memo:
        """Keep a value under its key, in place of what was put there before; other memos stay as they are.

        A memo that others hear too is not put over by its id: the value is kept beside it, for those who hear it here.
        """
        named = self._by_id(tx, item.path, item.key)
        own = tx.memos.get(self.subject, self._id(item.path, item.key))
        before = named if named and named.audience == self.place.audience else own
        if before is None:
            change, after = Add(new := self._new(item)), new
        else:
            after = self._again(item, before) if before.active else replace(self._new(item), key=before.key)
            change = Revise(before, after, "put again")
        write(tx, [change], cause, item.vector)
        remove_tombstone(tx, after)
        return after

    def take(self, tx: Tx, path: Path, key: str, cause: ChangeContext) -> int:
        """Forget what lies under a key; `Memory.undo` brings it back."""
        heard = [memo for memo in self._heard(tx) if items.address(memo) == (path, key)]
        write(tx, [retire(memo, self.at, f"forgotten by {cause.actor}") for memo in heard], cause)
        for memo in heard:
            add_tombstone(tx, memo, self.at)
        return len(heard)

    def _heard(self, tx: Tx) -> list[Memo]:
        return [memo for memo in tx.memos.list(self.subject, [Status.ACTIVE]) if self.hears(memo)]

    def _id(self, path: Path, key: str) -> str:
        return items.memo_id(path, key, self.place.audience)

    def _is_own(self, memo: Memo) -> bool:
        return memo.id == self._id(*items.address(memo))

    def _by_id(self, tx: Tx, path: Path, key: str) -> Memo | None:
        """A memo that nobody put under a key, or that was put under its id."""
        memo = None if path else tx.memos.get(self.subject, key)
        return memo if memo and self.hears(memo) and items.address(memo) == ((), key) else None

    def _new(self, item: Item) -> Memo:
        source = provenance(self.user, self.place, None, Origin.TOOL)
        return Memo(
            id=self._id(item.path, item.key),
            subject=self.subject,
            kind=kinds.infer(item.kept.text),
            text=item.kept.text,
            created=self.at,
            updated=self.at,
            source=replace(source, metadata=item.kept.metadata),
            audience=self.place.audience,
            expires=item.expires,
        )

    def _again(self, item: Item, before: Memo) -> Memo:
        """Another value for a memo in use: it stays the same memo, heard here at the most."""
        new = self._new(item)
        return replace(
            before,
            text=new.text,
            kind=new.kind,
            source=new.source,
            audience=common_audience(before, new.audience),
            expires=new.expires,
            created=before.created if self.hears(before) else self.at,
            updated=max(self.at, before.updated),
        )
