"""One user's items in one place: units of work that get, put and delete the value of a key.

Unlike statements and learned facts, items are not merged with existing memos: a get returns what was put.
"""

from dataclasses import dataclass, replace
from datetime import datetime

from recollect.core.changes import Add, Revise
from recollect.core.ports import Tx, Vector
from recollect.core.reasons import Reason
from recollect.core.types import Memo, Origin, Place, Status, Subject
from recollect.items import values
from recollect.items.values import Path, StoredItem
from recollect.learning.apply import ChangeContext, add_tombstone, remove_tombstone, write
from recollect.policy import kinds
from recollect.policy.guard.statements import kind_of_statement
from recollect.policy.merge import retire
from recollect.policy.viewer import Viewer, provenance, subject_of
from recollect.policy.visibility import VisibilityPolicy, common_audience


@dataclass(frozen=True, slots=True)
class Item:
    """A value to put under a key."""

    path: Path
    key: str
    stored: StoredItem
    expires: datetime | None = None
    vector: tuple[str, Vector] | None = None


@dataclass(frozen=True, slots=True)
class UserItems:
    """A user's items at one time, as visible in one place: what is not visible there does not exist."""

    user: str
    place: Place
    policy: VisibilityPolicy
    now: datetime

    @property
    def subject(self) -> Subject:
        return subject_of(self.user, self.place)

    def is_visible(self, memo: Memo) -> bool:
        return memo.active and Viewer(self.subject.id, self.place, self.policy, self.now)(memo)

    def is_final(self, memo: Memo) -> bool:
        """Whether no other memo takes precedence for its key: it was put here, or a put here would replace it."""
        _, key = values.address(memo)
        return self._is_own_memo(memo) or (memo.id == key and memo.audience == self.place.audience)

    def all(self, tx: Tx) -> list[Memo]:
        """Everything visible here, newest first, each key once: what was put here takes precedence."""
        visible = self._list_visible(tx)
        chosen_ids = {values.address(memo): memo.id for memo in reversed(visible)}
        chosen_ids |= {values.address(memo): memo.id for memo in visible if self.is_final(memo)}
        chosen_ids |= {values.address(memo): memo.id for memo in visible if self._is_own_memo(memo)}
        return [memo for memo in visible if chosen_ids[values.address(memo)] == memo.id]

    def get(self, tx: Tx, path: Path, key: str) -> Memo | None:
        own_memo = tx.memos.get(self.subject, self._id(path, key))
        if own_memo is not None and self.is_visible(own_memo):
            return own_memo
        by_id = self._by_id(tx, path, key)
        return by_id or next((memo for memo in self.all(tx) if values.address(memo) == (path, key)), None)

    def put(self, tx: Tx, item: Item, context: ChangeContext) -> Memo:
        """Store a value under its key, replacing what was put there before; other memos stay as they are.

        A memo with a wider audience is not replaced by its id: the value is stored beside it, for this place.
        """
        by_id = self._by_id(tx, item.path, item.key)
        own_memo = tx.memos.get(self.subject, self._id(item.path, item.key))
        before = by_id if by_id and by_id.audience == self.place.audience else own_memo
        if before is None:
            change, after = Add(new_memo := self._new(item)), new_memo
        else:
            after = self._updated(item, before) if before.active else replace(self._new(item), key=before.key)
            change = Revise(before, after, Reason.PUT_AGAIN)
        write(tx, [change], context, item.vector)
        remove_tombstone(tx, after)
        return after

    def delete(self, tx: Tx, path: Path, key: str, context: ChangeContext) -> int:
        """Forget the value of a key; `Memory.undo` restores it."""
        visible = [memo for memo in self._list_visible(tx) if values.address(memo) == (path, key)]
        write(tx, [retire(memo, self.now, Reason.FORGOTTEN, detail=context.actor) for memo in visible], context)
        for memo in visible:
            add_tombstone(tx, memo, self.now)
        return len(visible)

    def _list_visible(self, tx: Tx) -> list[Memo]:
        return [memo for memo in tx.memos.list(self.subject, [Status.ACTIVE]) if self.is_visible(memo)]

    def _id(self, path: Path, key: str) -> str:
        return values.memo_id(path, key, self.place.audience)

    def _is_own_memo(self, memo: Memo) -> bool:
        return memo.id == self._id(*values.address(memo))

    def _by_id(self, tx: Tx, path: Path, key: str) -> Memo | None:
        """A memo whose key is its own id, as it was not put as an item."""
        memo = None if path else tx.memos.get(self.subject, key)
        return memo if memo and self.is_visible(memo) and values.address(memo) == ((), key) else None

    def _new(self, item: Item) -> Memo:
        source = provenance(self.user, self.place, None, Origin.TOOL)
        return Memo(
            id=self._id(item.path, item.key),
            subject=self.subject,
            kind=kind_of_statement(kinds.infer(item.stored.text), item.stored.text),
            text=item.stored.text,
            created=self.now,
            updated=self.now,
            source=replace(source, metadata=item.stored.metadata),
            audience=self.place.audience,
            expires=item.expires,
        )

    def _updated(self, item: Item, before: Memo) -> Memo:
        """An active memo with another value: it stays the same memo, with at most this place's audience."""
        new_memo = self._new(item)
        return replace(
            before,
            text=new_memo.text,
            kind=new_memo.kind,
            source=new_memo.source,
            audience=common_audience(before, new_memo.audience),
            expires=new_memo.expires,
            created=before.created if self.is_visible(before) else self.now,
            updated=max(self.now, before.updated),
        )
