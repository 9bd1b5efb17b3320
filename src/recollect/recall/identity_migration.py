"""Finish the migration to people of platforms: move the memos of an id that was used on two platforms.

The store's own migration names those ids in the state (`stores/_sql/identities`).
"""

from dataclasses import replace
from datetime import datetime

from recollect.core.events import Event, EventKind
from recollect.core.ports import Store, Tx
from recollect.core.state import StateKind
from recollect.core.types import Subject, split_person

SPLIT = StateKind.IDENTITIES_SPLIT
_ACTOR = "recollect"


async def split(store: Store, now: datetime) -> list[str]:
    """Move memos to whom they belong; returns a line per person. Safe to run in several processes at once."""
    people = await store.read(lambda tx: tx.state.keys(SPLIT))
    moved = [await store.write(lambda tx, person=person: _move(tx, person, now)) for person in people]
    return [line for line in moved if line]


def _move(tx: Tx, person: str, now: datetime) -> str:
    if not tx.state.clear(SPLIT, person):
        return ""  # another process was faster
    platform, user = split_person(person)
    memos = [memo for memo in tx.memos.list(Subject(user)) if memo.source.platform == platform]
    for memo in sorted(memos, key=lambda memo: memo.key):
        tx.memos.remove(memo)
        tx.memos.put(replace(memo, subject=Subject(person), key=0))
    data = {"memos": len(memos), "person": person}
    tx.events.add(Event(EventKind.MEMORY_SPLIT, now, _ACTOR, Subject(person).scope, data=data))
    return f"{user} is {person} where it was said on {platform} ({len(memos)})"
