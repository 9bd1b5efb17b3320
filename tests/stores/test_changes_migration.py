"""Changes that earlier versions had logged are recorded when their store is opened, and undone as they were there."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recollect import AsyncMemory, CannotUndo, Memo, Place, Undone
from recollect.core.ports.archive import SECTIONS
from recollect.core.reasons import Reason
from tests.stores.test_upgrade import old_store, opened

__all__ = ["old_store"]

UNDONE = {
    "1001": [
        [], ["I speak Portuguese"], ["I am left-handed"], ["I speak Portuguese"], ["I speak Portuguese"],
        ["I am left-handed"], ["Uses Rust for the release tool"], ["Prefers tea over coffee"],
        ["Lives in Lisbon", "Lives in Porto"], ["Their sister Nora lives in Lyon"], ["Lives in Lisbon", "Uses Helix"],
    ],
    "1002": [["Plays chess every Friday"]],
    "1003": [["I own a cat called Miso"], ["Is allergic to peanuts"]],
    "1004": [],
}  # fmt: skip
"""What the version before the record took back of these stores, undo by undo; the first memo is hidden in a DM."""
REMAINING = {
    "1002": {
        *("Works at Porr", "Lives in Graz", "Birthday is 4 July", "Prefers tabs over spaces"),
        *("Building a crawler called Magpie", "I keep bees"),
    }
}
CHANGES = ("memo.added", "memo.revised", "memo.retired", "memo.undone")


@pytest.mark.parametrize("user", UNDONE)
async def test_every_change_of_an_earlier_version_is_undone_as_it_was_there(old_store: str, tmp_path: Path, user: str):
    texts: list[list[str]] = []
    place = Place("discord", dm=user)
    async with opened(old_store, tmp_path) as memory:
        while isinstance(outcome := await memory.undo(user=user, place=place), Undone):
            texts.append(sorted(memo.text for memo in (*outcome.restored, *outcome.removed)))
        assert texts == UNDONE[user]
        if user in ("1002", "1004"):
            assert outcome == CannotUndo(Reason.MESSAGE_GONE)
        shown = await memory.show(user=user, place=place)
        assert {memo.text for memo in shown.memos} == REMAINING.get(user, set())


async def test_the_record_has_every_change_and_the_log_no_copy_of_a_memo(old_store: str, tmp_path: Path):
    async with opened(old_store, tmp_path) as memory:
        log = await memory.store.read(lambda tx: tx.events.list(limit=1000, kinds=CHANGES))
        events = [event for event in log if event.memo is not None]  # of what was erased only the event is left
        steps = await memory.store.read(lambda tx: tx.changes.find([event.id for event in events]))
        assert events
        assert not [event for event in events if "before" in event.data]
        assert {event.id: (event.memo, event.actor, event.reason, event.at) for event in events} == {
            step.id: (step.memo, step.actor, step.reason, step.at) for step in steps.values()
        }
        for event in events:
            step = steps[event.id]
            assert (step.before is None) == (event.kind in ("memo.added", "memo.undone")), event
        by_memo = {(step.scope, step.memo): step for _, step in sorted(steps.items())}
        now = {(memo.subject.scope, memo.id): memo async for memo in _memos(memory)}
        for name, step in by_memo.items():
            if step.undoes is None and name in now:
                assert step.after is not None
                assert (step.after.text, step.after.status) == (now[name].text, now[name].status)


async def _memos(memory: AsyncMemory) -> AsyncIterator[Memo]:
    for subject in await memory.store.read(lambda tx: list(tx.memos.subjects())):
        for memo in await memory.store.read(lambda tx, subject=subject: tx.memos.list(subject)):
            yield memo


async def test_what_a_change_led_to_is_not_stored_where_the_next_one_or_the_memo_tells_it(
    old_store: str, tmp_path: Path
):
    async with opened(old_store, tmp_path) as memory:
        records = (await memory.store.read(lambda tx: tx.archive.read("changes", None, 1000))).records
        column = SECTIONS["changes"].names + SECTIONS["changes"].rest
        after = [record[column.index("after")] for record in records]
        assert len(after) > 20
        assert not any(after)
        versions = {memo.version async for memo in _memos(memory)}
        assert versions <= {1, 2}, "one of them narrows the audience when it is opened"
