"""The record of changes."""

# ruff: noqa: S101 - a contract is made of assertions

from dataclasses import replace

from recollect.core.changes import Step
from recollect.core.events import Event, EventKind
from recollect.core.ports import Store, Tx
from recollect.core.reasons import Reason
from recollect.testing.store_contract.samples import ADA, BEN, at, make_memo, put

TEA, MATE = make_memo("I like tea", id="m1", tags=("drink",)), make_memo("I like mate", id="m1")


async def record(
    store: Store, memo: str = "m1", batch: str | None = "b1", scope: str = ADA.scope, **fields: object
) -> int:
    def work(tx: Tx) -> int:
        event = tx.events.add(Event(EventKind.MEMO_REVISED, at(1), "ada", scope, memo))
        step = Step(event, scope, memo, batch, at(1), "ada", TEA, MATE, Reason.STATED_AGAIN, "why")
        tx.changes.add(replace(step, **fields))  # pyright: ignore[reportArgumentType] - any field
        return event

    return await store.write(work)


async def last(store: Store) -> int | None:
    step = await store.read(lambda tx: tx.changes.last(ADA.scope))
    return None if step is None else step.id


async def last_undo(store: Store) -> int | None:
    step = await store.read(lambda tx: tx.changes.last_undo(ADA.scope))
    return None if step is None else step.id


class ChangesContract:
    async def test_a_step_survives_whole(self, store: Store):
        [key] = await put(store, MATE)
        whole = await record(store, message="discord/1", shared=True, undoes="b0", undone=True, undoable=False)
        bare = await record(store, "m2", batch=None, before=None, after=None, reason=None, detail="")
        steps = await store.read(lambda tx: tx.changes.find([whole, bare, 99]))
        after = replace(MATE, key=key)
        step = Step(whole, ADA.scope, "m1", "b1", at(1), "ada", TEA, after, Reason.STATED_AGAIN, "why", "discord/1")
        step = replace(step, shared=True, undoes="b0", undone=True, undoable=False)
        assert steps == {whole: step, bare: Step(bare, ADA.scope, "m2", None, at(1), "ada")}

    async def test_a_step_led_to_what_the_next_one_found_or_to_the_memo_as_it_is(self, store: Store):
        await put(store, MATE)
        await record(store, before=None, after=TEA)
        await record(store, before=TEA, after=MATE)
        await record(store, scope=BEN.scope, before=make_memo("I like milk", BEN, id="m1"))

        def texts(tx: Tx) -> list[str | None]:
            return [step.after and step.after.text for step in tx.changes.of_memo(ADA.scope, "m1")]

        assert await store.read(texts) == ["I like mate", "I like tea"]
        await put(store, replace(MATE, text="I like milk"))
        assert await store.read(texts) == ["I like milk", "I like tea"]
        steps = await store.read(lambda tx: tx.changes.of_memo(ADA.scope, "m1"))
        await store.write(lambda tx: tx.changes.redact([steps[0].id], ("before",)))
        assert await store.read(texts) == ["I like milk", None], "what one step no longer tells, no other tells"
        await store.write(lambda tx: tx.memos.remove(MATE))
        assert await store.read(texts) == [None, None]

    async def test_steps_are_found_by_memo_batch_and_message_newest_first(self, store: Store):
        first = await record(store, message="discord/1")
        second = await record(store, memo="m2")
        third = await record(store, batch="b2")
        await record(store, scope=BEN.scope)

        def ids(tx: Tx) -> list[list[int]]:
            found = (tx.changes.of_memo(ADA.scope, "m1"), tx.changes.of_batch(ADA.scope, "b1"))
            return [[step.id for step in steps] for steps in (*found, tx.changes.caused_by("discord/1"))]

        assert await store.read(ids) == [[third, first], [second, first], [first]]

    async def test_the_last_change_is_nobodys_correction_no_undo_and_was_not_undone(self, store: Store):
        assert await last(store) is None
        first = await record(store)
        second = await record(store, memo="m2", batch="b2")
        await record(store, batch=None)
        await record(store, batch="b3", scope=BEN.scope)
        assert await last(store) == second
        await store.write(lambda tx: tx.changes.mark_undone([second]))
        await record(store, batch="b4", undoes="b2")
        assert await last(store) == first
        of_memo = await store.read(lambda tx: tx.changes.last_of_memo(ADA.scope, "m2"))
        assert of_memo is None
        await store.write(lambda tx: tx.changes.mark_undone([second], undone=False))
        assert await last(store) == second

    async def test_the_last_undo_counts_until_something_else_is_changed(self, store: Store):
        await record(store)
        assert await last_undo(store) is None
        undo = await record(store, batch="b2", undoes="b1")
        assert await last_undo(store) == undo
        await store.write(lambda tx: tx.changes.mark_undone([undo]))
        await record(store, batch="b3", undoes="b2", undoable=False)
        assert await last_undo(store) is None, "a redo is not undone"
        again = await record(store, batch="b4", undoes="b1")
        assert await last_undo(store) == again
        await record(store, batch="b5")
        assert await last_undo(store) is None

    async def test_causes_are_counted_once_per_message(self, store: Store):
        for batch, message in (("b1", "discord/1"), ("b2", "discord/1"), ("b3", None), ("b4", None)):
            await record(store, batch=batch, message=message)
        await record(store, reason=Reason.PINNED, batch="b5")
        await record(store, memo="m2", reason=Reason.REWORDED)
        restated = (Reason.STATED_AGAIN, Reason.REWORDED)
        counts = await store.read(lambda tx: tx.changes.count_causes(ADA.scope, restated))
        assert counts == {"m1": 3, "m2": 1}

    async def test_when_a_memo_was_last_undone(self, store: Store):
        await record(store)
        await record(store, undoes="b1", at=at(5))
        await record(store, undoes="b1", at=at(7))
        await record(store, memo="m2", undoes="b1", undone=True)
        assert await store.read(lambda tx: tx.changes.undone_at(ADA.scope)) == {"m1": at(7)}

    async def test_changed_since_lists_the_memos_changed_after_an_event(self, store: Store):
        await record(store)
        await record(store, memo="m2")
        await record(store, memo="m3", scope=BEN.scope)
        event = await store.write(lambda tx: tx.events.add(Event(EventKind.CONSOLIDATION_DONE, at(1), scope=ADA.scope)))
        await record(store, memo="m2", at=at(0))
        assert await store.read(lambda tx: tx.changes.changed_since(ADA.scope, event)) == {"m2"}

    async def test_a_redacted_step_keeps_its_cause_and_time(self, store: Store):
        [key] = await put(store, MATE)
        step = await record(store, message="discord/1")
        await store.write(lambda tx: tx.changes.redact([step], ("before",)))
        redacted = (await store.read(lambda tx: tx.changes.find([step])))[step]
        after = replace(MATE, key=key)
        assert (redacted.before, redacted.after, redacted.memo, redacted.undoable) == (None, after, "m1", False)
        await store.write(lambda tx: tx.changes.redact([step], ("memo", "message", "before", "after")))
        redacted = (await store.read(lambda tx: tx.changes.find([step])))[step]
        expected = Step(step, ADA.scope, "", "b1", at(1), "ada", reason=Reason.STATED_AGAIN, undoable=False)
        assert redacted == expected
