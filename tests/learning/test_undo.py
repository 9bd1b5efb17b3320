"""Undo names the change that it takes back; one that can't be taken back is never passed over."""

from recollect import CannotUndo, Redone, Refused, Undoable, Undone
from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal
from recollect.core.reasons import Reason
from recollect.core.types import EVERYWHERE, Audience, Origin
from recollect.testing.models import FakeModel
from tests.scenes import DEV, DM, Stage, content, opened


async def offer(stage: Stage) -> Undoable:
    change = await stage.memory.undoable(user="ann")
    assert isinstance(change, Undoable)
    return change


async def undo(stage: Stage, expected: int | None = None) -> Undone:
    done = await stage.memory.undo(user="discord:ann", expected=expected)
    assert isinstance(done, Undone)
    return done


async def refused(stage: Stage, expected: int | None = None) -> str:
    done = await stage.memory.undo(user="discord:ann", expected=expected)
    assert isinstance(done, CannotUndo)
    return done.reason


async def test_after_a_deleted_message_undo_refuses_and_leaves_what_came_back_alone() -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.tell("I live in Ghent")
        moved = await stage.tell("I live in Bruges now")
        assert await stage.known() == ["I live in Bruges now"]
        await stage.memory.message_deleted("discord", moved.id)
        assert isinstance(await stage.memory.undoable(user="ann"), CannotUndo)
        assert "message that was deleted" in await refused(stage)
        assert await stage.known() == ["I live in Ghent"]
        await stage.remember("I play chess")
        assert [memo.text for memo in (await undo(stage)).removed] == ["I play chess"]
        assert "message that was deleted" in await refused(stage), "what is older stays, however often it is asked"
        assert await stage.known() == ["I live in Ghent"]


async def test_after_an_edited_message_undo_takes_back_what_was_learned_anew_and_no_more() -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.remember("I play chess")
        said = await stage.tell("I live in Ghent")
        await stage.memory.message_edited("discord", said.id, "I live in Bruges")
        await stage.settle()
        assert [memo.text for memo in (await undo(stage)).removed] == ["I live in Bruges"]
        assert "edited" in await refused(stage)
        assert await stage.known() == ["I play chess"]


async def test_undo_reverts_the_change_that_undoable_shows() -> None:
    async with opened() as stage:
        await stage.remember("I like tea")
        await stage.memory.forget("tea", user="discord:ann")
        change = await offer(stage)
        assert [memo.text for memo in change.restored] == ["I like tea"]
        assert await stage.known() == [], "to look changes nothing"
        done = await undo(stage, change.change)
        assert (done.change, done.restored, done.at) == (change.change, change.restored, change.at)
        assert await stage.known() == ["I like tea"]


async def test_what_was_changed_since_is_not_undone_in_the_place_of_what_was_offered() -> None:
    async with opened() as stage:
        await stage.remember("I like tea")
        change = await offer(stage)
        await stage.remember("I play chess")
        assert "in the meantime" in await refused(stage, change.change)
        assert await stage.known() == ["I play chess", "I like tea"]


async def test_a_change_is_taken_back_once_however_often_its_undo_is_asked_for() -> None:
    async with opened() as stage:
        await stage.remember("I like tea")
        await stage.remember("I play chess")
        change = await offer(stage)
        await undo(stage, change.change)
        assert "in the meantime" in await refused(stage, change.change)
        assert await stage.known() == ["I like tea"]


async def test_what_only_its_owner_may_hear_is_not_told_elsewhere_though_it_was_public_before() -> None:
    async with opened() as stage:
        memo = await stage.remember("I work at Acme")
        await stage.memory.update(memo, "I work at Umbrella in secret", user="discord:ann", place=DM)
        offered = await stage.memory.undoable(user="discord:ann", place=DEV)
        assert isinstance(offered, Undoable)
        assert (offered.reversals, offered.hidden) == ((), 1)
        done = await stage.memory.undo(user="discord:ann", place=DEV)
        assert isinstance(done, Undone)
        assert "Umbrella" not in content(done)
        assert memo.id not in content(done)
        assert await stage.known(place=DEV) == ["I work at Acme"]


async def test_each_sort_of_change_has_its_word() -> None:
    async with opened() as stage:
        memo = await stage.remember("I like tea")
        words = [(await offer(stage)).reversals[0].change]
        await stage.memory.pin(memo.id, user="discord:ann")
        words.append((await offer(stage)).reversals[0].change)
        await stage.memory.pin(memo.id, user="discord:ann", pinned=False)
        words.append((await offer(stage)).reversals[0].change)
        await stage.memory.share(memo.id, user="discord:ann", audience=Audience("dm", "discord:ann"))
        words.append((await offer(stage)).reversals[0].change)
        await stage.memory.update(memo.id, "I like green tea", user="discord:ann")
        words.append((await offer(stage)).reversals[0].change)
        await stage.memory.update(memo.id, tags=["drink"], user="discord:ann")
        words.append((await offer(stage)).reversals[0].change)
        await stage.memory.forget("tea", user="discord:ann")
        words.append((await offer(stage)).reversals[0].change)
        await stage.memory.remember("I like green tea", user="discord:ann")
        words.append((await offer(stage)).reversals[0].change)
    changed = ["added", "pinned", "unpinned", "shared", "reworded", "changed", "retired", "brought back"]
    assert words == changed


async def test_what_was_forgotten_stays_forgotten_when_its_return_is_undone() -> None:
    async with opened(memos={"max_items": 2}) as stage:
        await stage.remember("I like tea")
        await stage.memory.forget("tea", user="discord:ann")
        await stage.remember("I like tea")
        await undo(stage)
        assert await stage.known() == []
        await stage.remember("I play chess", "I own a boat")
        assert (await stage.memory.list(user="ann", statuses="any")).total == 2, "its row has made room"
        again = await stage.memory.remember("I like tea", user="discord:ann", origin=Origin.IMPORT)
        assert again == Refused(Reason.FORGOTTEN_BY_OWNER)


async def test_of_two_facts_of_a_message_one_is_undone_alone_and_then_the_other() -> None:
    def halves(hearing: ExtractionInput) -> ExtractionResult:
        said = hearing.messages[-1]
        return ExtractionResult(tuple(Proposal(part, "fact", part, said.id) for part in said.text.split(" and ")))

    async with opened(model=FakeModel(halves)) as stage:
        await stage.remember("I play chess", audience=EVERYWHERE)
        await stage.tell("I like green tea and I have two cats")
        cats = next(memo for memo in (await stage.memory.show(user="ann")).memos if "cats" in memo.text)
        other = (await offer(stage)).change
        assert isinstance(await stage.memory.undo(user="discord:ann", memo=cats.id, expected=other - 99), CannotUndo)
        assert isinstance(await stage.memory.undo(user="ann", place=DEV, memo=cats.id), Undone)
        assert [memo.text for memo in (await undo(stage)).removed] == ["I like green tea"]
        assert [memo.text for memo in (await undo(stage)).removed] == ["I play chess"]
        assert await stage.memory.undo(user="discord:ann") is None


async def test_what_someone_stated_is_undone_by_its_memo_unless_they_changed_it_since() -> None:
    async with opened() as stage:
        await stage.remember("I play chess", "I own a boat", "I like tea")
        known = {memo.text: memo for memo in (await stage.memory.show(user="ann", place=DEV)).memos}
        await stage.memory.pin(known["I own a boat"].id, user="ann", place=DEV)
        undone = [await stage.memory.undo(user="ann", place=DEV, memo=memo.id) for memo in known.values()]
        assert dict(zip(known, map(bool, undone), strict=True)) == {
            "I play chess": True,
            "I own a boat": False,
            "I like tea": True,
        }
        assert await stage.known() == ["I own a boat"]


async def test_of_a_deleted_message_no_word_stays_in_the_record_of_changes() -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.tell("I live in Ghent")
        moved = await stage.tell("I live in Bruges now")
        (memo,) = (await stage.memory.show(user="ann")).memos
        await stage.memory.pin(memo.id, user="discord:ann")
        await undo(stage)
        await stage.memory.message_deleted("discord", moved.id)
        page = await stage.memory.store.read(lambda tx: tx.archive.read("changes", None, 1000))
        assert "Ghent" in str(page.records)
        assert "Bruges" not in str(page.records)
        assert memo.id in str(page.records), "what was changed, why and when stays"
        assert await stage.known() == ["I live in Ghent"]


async def test_a_change_that_is_named_is_undone_though_it_is_not_the_last_one() -> None:
    async with opened() as stage:
        await stage.remember("I like tea")
        tea = await offer(stage)
        await stage.remember("I play chess")
        done = await stage.memory.undo(user="discord:ann", change=tea.change)
        assert isinstance(done, Undone)
        assert [memo.text for memo in done.removed] == ["I like tea"]
        assert await stage.known() == ["I play chess"]
        assert [memo.text for memo in (await undo(stage)).removed] == ["I play chess"]


async def test_a_named_change_whose_memo_was_changed_since_is_left_alone() -> None:
    async with opened() as stage:
        memo = await stage.remember("I like tea")
        tea = await offer(stage)
        await stage.memory.pin(memo.id, user="discord:ann")
        assert await stage.memory.undo(user="discord:ann", change=tea.change) == CannotUndo(Reason.CHANGED_SINCE)
        await undo(stage)
        assert isinstance(await stage.memory.undo(user="discord:ann", change=tea.change), Undone), (
            "now it is the last one"
        )
        assert await stage.memory.undo(user="discord:ann", change=tea.change) == CannotUndo(Reason.NO_SUCH_CHANGE)


async def test_nobody_undoes_what_was_changed_in_the_memory_of_another() -> None:
    async with opened() as stage:
        await stage.remember("I like tea")
        change = (await offer(stage)).change
        assert await stage.memory.undo(user="discord:ben", change=change) == CannotUndo(Reason.NO_SUCH_CHANGE)
        assert await stage.known() == ["I like tea"]


async def redone(stage: Stage) -> Redone:
    done = await stage.memory.redo(user="discord:ann")
    assert isinstance(done, Redone)
    return done


async def test_redo_takes_back_one_undo_after_the_other() -> None:
    async with opened() as stage:
        memo = await stage.remember("I like tea")
        await stage.memory.update(memo.id, "I like green tea", user="discord:ann")
        await stage.memory.forget("tea", user="discord:ann")
        states = [await stage.known()]
        for _ in range(3):
            await undo(stage)
            states.append(await stage.known())
        assert states == [[], ["I like green tea"], ["I like tea"], []]
        for known in states[2::-1]:
            await redone(stage)
            assert await stage.known() == known
        assert await stage.memory.redo(user="discord:ann") is None
        assert [memo.text for memo in (await undo(stage)).restored] == ["I like green tea"], "it can be undone again"


async def test_redoing_a_forget_restores_the_tombstone() -> None:
    async with opened() as stage:
        await stage.remember("I like tea")
        await stage.memory.forget("tea", user="discord:ann")
        await undo(stage)
        assert [memo.text for memo in (await redone(stage)).restored] == ["I like tea"]
        assert await stage.known() == []
        again = await stage.memory.remember("I like tea", user="discord:ann", origin=Origin.IMPORT)
        assert again == Refused(Reason.FORGOTTEN_BY_OWNER)


async def test_once_something_else_was_changed_nothing_is_redone() -> None:
    async with opened() as stage:
        await stage.remember("I like tea")
        await undo(stage)
        await stage.remember("I play chess")
        assert await stage.memory.redo(user="discord:ann") is None
        await undo(stage)
        await redone(stage)
        assert await stage.memory.redo(user="discord:ann") is None, "the older undo is out of reach"
        assert await stage.known() == ["I play chess"]


async def test_redo_restores_no_memo_of_a_deleted_message() -> None:
    async with opened(model=FakeModel()) as stage:
        said = await stage.tell("I live in Ghent")
        await undo(stage)
        await stage.memory.message_deleted("discord", said.id)
        assert await stage.memory.redo(user="discord:ann") is None
        assert await stage.known() == []


async def test_the_history_tells_undo_and_redo_apart() -> None:
    async with opened() as stage:
        memo = await stage.remember("I like tea")
        await stage.memory.pin(memo.id, user="discord:ann")
        await undo(stage)
        await redone(stage)
        history = await stage.memory.history(memo.id, user="ann")
        assert [event.verb for event in history] == ["redone", "undone", "revised", "added"]
        assert [event.text for event in history[:2]] == ["redid: pinned", "undid: pinned"]


async def test_what_was_forgotten_does_not_come_back_once_its_message_is_deleted() -> None:
    async with opened(model=FakeModel()) as stage:
        said = await stage.tell("I live in Ghent")
        await stage.memory.forget("Ghent", user="discord:ann", place=DEV)
        await stage.memory.message_deleted("discord", said.id)
        await refused(stage)
        assert await stage.known() == []


async def test_what_was_replaced_does_not_come_back_once_its_message_is_deleted() -> None:
    async with opened(model=FakeModel()) as stage:
        said = await stage.tell("I live in Ghent")
        await stage.tell("I live in Bruges now")
        await stage.memory.message_deleted("discord", said.id)
        await stage.memory.undo(user="discord:ann")
        assert "I live in Ghent" not in await stage.known()
