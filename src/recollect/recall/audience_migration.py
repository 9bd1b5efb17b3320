"""A memo is heard everywhere only by an explicit share. Earlier editions kept what people stated so by default; their
stores are narrowed once, to those who could hear the words where they were said. Nothing else of a memo changes.

Profiles whose document has one memory per person for all places keep `everywhere` as their default, and are left as
they are. A store that changes between profiles is narrowed each time it comes back from such a one: opening it there
drops the note that it is narrow, and the next opening under another profile goes through it again. So what counts is
the profile that a memo is read under, and a stray start under the wrong profile widens nothing for good.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from recollect.core import serialization
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.ports.archive import SECTIONS, Cursor
from recollect.core.types import EVERYWHERE, Memo, Subject
from recollect.policy.visibility import of_source

NARROWED = "audiences.narrowed"
"""The list whose one item is the last event of the time when `everywhere` was a default."""
SHARED = f"audience {EVERYWHERE}"
"""The reason that `share` gives."""
_ACTOR = "recollect"
_REASON = "heard only where it was said: it was never shared"
_PAGE = 200
_EVENTS = 500
_COLUMNS = SECTIONS["memos"].names + SECTIONS["memos"].rest
_AUDIENCE = _COLUMNS.index("audience")


async def narrow(store: Store, at: datetime) -> int:
    """Narrow what nobody shared; how many memos that were. Another process may do the same at once."""
    if await store.read(lambda tx: bool(tx.state.items(NARROWED)) or not tx.archive.count("memos")):
        return 0  # a store without memos stays empty: another one may be copied into it
    count, after = 0, None
    while True:
        names, after = await store.read(lambda tx, after=after: _wide(tx, after))
        if names:
            count += await store.write(lambda tx, names=names: sum(_narrow(tx, *name, at=at) for name in names))
        if after is None:
            break
    await store.write(lambda tx: _conclude(tx, count, at))
    return count


async def keep_wide(store: Store) -> None:
    """Everywhere is a default again from now on."""
    if await store.read(lambda tx: bool(tx.state.items(NARROWED))):
        await store.write(lambda tx: tx.state.clear(NARROWED))


def earlier(tx: Tx, event: Event) -> Memo:
    """The memo as it was before an event; of the time before the store was narrowed, as narrow as it would be now."""
    memo = serialization.memo_from_json(event.data["before"])
    if memo.audience != EVERYWHERE or memo.subject.is_lore:
        return memo
    narrowed = tx.state.items(NARROWED)
    if not narrowed or event.id > int(narrowed[0]) or _is_shared(tx, memo, before=event.id):
        return memo
    return replace(memo, audience=of_source(memo.source, memo.subject.id))


def _wide(tx: Tx, after: Cursor | None) -> tuple[list[tuple[str, str]], Cursor | None]:
    """Scope and id of people's memos for everywhere, of whatever status, on the next page of all memos."""
    page = tx.archive.read("memos", after, _PAGE)
    wide = [record for record in page.records if record[_AUDIENCE] == str(EVERYWHERE)]
    return [(scope, memo_id) for scope, memo_id, *_ in wide if scope.startswith("user:")], page.after


def _narrow(tx: Tx, scope: str, memo_id: str, at: datetime) -> bool:
    memo = tx.memos.get(Subject.of_scope(scope), memo_id)
    if memo is None or memo.audience != EVERYWHERE or _is_shared(tx, memo):
        return False
    audience = of_source(memo.source, memo.subject.id)
    tx.memos.put(replace(memo, audience=audience))
    # Without a batch it is no change of its owner's: undo passes it by, and still takes back what came before it.
    data = {"before": serialization.memo_to_json(memo)}
    tx.events.add(Event("memo.revised", at, _ACTOR, scope, memo_id, f"audience {audience}: {_REASON}", data))
    return True


def _conclude(tx: Tx, count: int, at: datetime) -> None:
    if tx.state.items(NARROWED):
        return  # another process was faster
    if count:
        tx.events.add(Event("memory.narrowed", at, _ACTOR, reason=_REASON, data={"memos": count}))
    newest = tx.events.list(limit=1)
    tx.state.append(NARROWED, str(newest[0].id if newest else 0))


def _is_shared(tx: Tx, memo: Memo, before: int | None = None) -> bool:
    """Whether the last decision about who hears this memo, up to an event, was its owner's to share it."""
    undone: set[object] = set()
    for event in _events(tx, memo, before):
        batch = event.data.get("batch")
        if event.kind == "memo.undone":
            undone.add(event.data.get("undoes"))
        elif batch not in undone or batch is None:
            if event.reason == SHARED or event.data.get("shared"):
                return True
            if event.data.get("before", {}).get("audience", str(EVERYWHERE)) != str(EVERYWHERE):
                return False  # here it became so, and not by a share
    return False


def _events(tx: Tx, memo: Memo, before: int | None) -> Iterator[Event]:
    """What happened to a memo, newest first."""
    while page := tx.events.list(scope=memo.subject.scope, memo=memo.id, limit=_EVENTS, before=before):
        yield from page
        before = page[-1].id
