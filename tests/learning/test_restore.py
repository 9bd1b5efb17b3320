"""Restore brings a retired memo back, whatever happened since, unless its message no longer says so."""

from dataclasses import replace
from datetime import timedelta

from recollect import Place
from recollect.admin import Admin
from recollect.core.outcomes import (
    AlreadyActive,
    Ambiguous,
    NotFound,
    Restored,
    RestoreOutcome,
    Undoable,
    Undone,
)
from recollect.core.ports import Tx
from recollect.core.types import Memo, Status
from recollect.privacy.target import ErasureTarget
from recollect.testing.models import FakeModel
from tests.scenes import DEV, DM, STAFF, Stage, lines, opened


async def restore(stage: Stage, what: str, place: Place = DM) -> RestoreOutcome:
    return await stage.memory.restore(what, user="ann", place=place)


async def restored(stage: Stage, what: str, place: Place = DM) -> Restored:
    outcome = await restore(stage, what, place)
    assert isinstance(outcome, Restored), outcome
    return outcome


async def stored(stage: Stage, memo: Memo) -> Memo:
    return await stage.memory.get(memo.id, user="ann", place=DM)


async def test_a_forgotten_memo_is_restored_after_many_other_changes() -> None:
    async with opened() as stage:
        tea = await stage.remember("I like tea")
        await stage.memory.forget("tea", user="ann", place=DM)
        await stage.remember("I play chess", "My sister is Nora")
        await stage.memory.forget("chess", user="ann", place=DM)
        outcome = await restored(stage, tea.id)
        assert (outcome.memo.text, outcome.memo.status, outcome.replaced) == ("I like tea", Status.ACTIVE, ())
        assert await stage.known() == ["I like tea", "My sister is Nora"]


async def test_a_memo_is_named_by_its_number_among_the_retired_or_by_a_part_of_its_text() -> None:
    async with opened() as stage:
        await stage.remember("I like tea", "I like green hats", "I play chess")
        await stage.memory.forget("I like", user="ann", place=DM, every=True)
        assert isinstance(await restore(stage, "I like"), Ambiguous)
        retired = await stage.memory.forgotten(user="ann", place=DM)
        assert (await restored(stage, "#2")).memo.id == retired.memos[1].id
        assert (await restored(stage, retired.memos[0].text[-4:])).memo.id == retired.memos[0].id
        assert isinstance(await restore(stage, "spoons"), NotFound)
        assert isinstance(await restore(stage, "1"), NotFound), "a number names a retired memo, and none is left"


async def test_restoring_what_is_in_use_says_so() -> None:
    async with opened() as stage:
        tea = await stage.remember("I like tea")
        assert await restore(stage, tea.id) == AlreadyActive(await stored(stage, tea))
        assert await restore(stage, "tea") == AlreadyActive(await stored(stage, tea))


async def test_what_contradicts_the_restored_memo_is_superseded_and_links_are_mended() -> None:
    async with opened() as stage:
        ghent = await stage.remember("I live in Ghent")
        bruges = await stage.remember("I live in Bruges")
        assert (await stored(stage, ghent)).superseded_by == bruges.id
        outcome = await restored(stage, ghent.id)
        assert [memo.text for memo in outcome.replaced] == ["I live in Bruges"]
        assert await stage.known() == ["I live in Ghent"]
        old, new = await stored(stage, bruges), await stored(stage, ghent)
        assert (old.status, old.superseded_by, old.supersedes) == (Status.SUPERSEDED, ghent.id, None)
        assert (new.superseded_by, new.supersedes) == (None, bruges.id)


async def test_a_successor_that_does_not_contradict_stays_and_replaces_it_no_longer() -> None:
    async with opened() as stage:
        cat = await stage.remember("I have a cat")
        tom = await stage.remember("My garden has four apple trees")
        now = stage.clock()

        def merge(tx: Tx) -> None:
            tx.memos.put(replace(cat, status=Status.SUPERSEDED, superseded_by=tom.id, updated=now))
            tx.memos.put(replace(tom, supersedes=cat.id))

        await stage.memory.store.write(merge)
        assert (await restored(stage, cat.id)).replaced == ()
        assert sorted(await stage.known()) == ["I have a cat", "My garden has four apple trees"]
        assert (await stored(stage, tom)).supersedes is None


async def test_a_private_memo_that_is_restored_replaces_nothing_that_more_people_know() -> None:
    async with opened() as stage:
        ghent = await stage.remember("I live in Ghent", place=STAFF)
        await stage.memory.forget(ghent.id, user="ann", place=DM)
        await stage.remember("I live in Bruges", place=DEV)
        assert (await restored(stage, ghent.id)).replaced == ()
        assert await stage.known(place=DEV) == ["I live in Bruges"]


async def test_restore_does_not_find_memos_hidden_in_the_place() -> None:
    async with opened() as stage:
        secret = await stage.remember("I collect rare stamps", place=DM)
        await stage.memory.forget(secret.id, user="ann", place=DM)
        assert isinstance(await restore(stage, secret.id, DEV), NotFound)
        assert isinstance(await restore(stage, "stamps", DEV), NotFound)


async def test_what_was_withheld_with_a_forgotten_memo_is_shown_again() -> None:
    async with opened(model=FakeModel()) as stage:
        said = await stage.tell("I live in Ghent")
        await stage.reply("Ghent it is, then: you live in Ghent.", said)
        [memo] = (await stage.memory.show(user="ann", place=DM)).memos
        assert any("Ghent" in line for line in lines(await stage.prompt(), "history"))
        await stage.memory.forget(memo.id, user="ann", place=DM)
        assert not any("Ghent" in line for line in lines(await stage.prompt(), "history"))
        await stage.say("What a fine day")
        await restored(stage, memo.id)
        assert len([line for line in lines(await stage.prompt(), "history") if "Ghent" in line]) == 2


async def test_what_was_restored_may_be_learned_again_from_the_same_message() -> None:
    async with opened() as stage:
        memo = await stage.learned("I live in Ghent")
        await stage.memory.forget(memo.id, user="ann", place=DM)
        await restored(stage, memo.id)
        await stage.memory.store.write(lambda tx: tx.memos.remove(memo))
        assert (await stage.learned("I live in Ghent")).active, "its tombstone is gone"


async def test_the_summary_is_rebuilt_with_what_counts_again() -> None:
    async with opened() as stage:
        said = await stage.say("I live in Ghent")
        memo = await stage.remember("I live in Ghent", message=said.id)
        await stage.memory.forget(memo.id, user="ann", place=DM)
        await stage.summarise("They talked about the weather.")
        resets = len(await stage.events("summary.reset"))
        await restored(stage, memo.id)
        assert len(await stage.events("summary.reset")) == resets + 1


async def test_a_memo_whose_message_was_deleted_or_edited_is_not_restored() -> None:
    async with opened(model=FakeModel()) as stage:
        for change in ("deleted", "edited"):
            said = await stage.tell(f"My {change} bike is green")
            [memo] = [memo for memo in (await stage.memory.show(user="ann", place=DM)).memos if change in memo.text]
            await stage.memory.forget(memo.id, user="ann", place=DM)
            if change == "deleted":
                await stage.memory.message_deleted("discord", said.id)
            else:
                await stage.memory.message_edited("discord", said.id, "Never mind")
            assert (await stage.memory.forgotten(user="ann", place=DM)).memos == ()
            assert isinstance(await restore(stage, memo.id), NotFound)
            assert isinstance(await restore(stage, f"{change} bike"), NotFound)
            assert memo.text not in await stage.known()


async def test_an_erased_memo_is_as_unknown_as_one_that_never_was() -> None:
    async with opened() as stage:
        memo = await stage.remember("I live in Ghent")
        await stage.memory.forget(memo.id, user="ann", place=DM)
        await stage.memory.privacy.erase(ErasureTarget("discord:ann"), asked_by="ann")
        assert isinstance(await restore(stage, memo.id), NotFound)


async def test_an_expired_memo_comes_back_for_good() -> None:
    async with opened() as stage:
        memo = await stage.remember("I am in Rome this week", expires=stage.clock() + timedelta(days=7))
        stage.clock.advance(days=8)
        assert await stage.known() == []
        assert (await restored(stage, memo.id)).memo.expires is None
        assert await stage.known() == ["I am in Rome this week"]


async def test_a_memo_that_undo_took_back_can_be_restored() -> None:
    async with opened() as stage:
        memo = await stage.remember("I like tea")
        await stage.memory.undo(user="ann", place=DM)
        assert (await stored(stage, memo)).status is Status.DELETED
        await restored(stage, memo.id)
        assert await stage.known() == ["I like tea"]


async def test_an_archived_memo_makes_another_one_leave_where_the_limit_is_reached() -> None:
    async with opened(memos={"max_active": 2}) as stage:
        tea = await stage.remember("I like tea")
        await stage.memory.forget(tea.id, user="ann", place=DM)
        await stage.remember("I play chess", "My sister is Nora")
        outcome = await restored(stage, tea.id)
        assert [memo.text for memo in outcome.archived] == ["I play chess"]
        assert await stage.known() == ["I like tea", "My sister is Nora"]


async def test_a_restore_is_undone_as_one_change() -> None:
    async with opened() as stage:
        ghent = await stage.remember("I live in Ghent")
        bruges = await stage.remember("I live in Bruges")
        await restored(stage, ghent.id)
        offer = await stage.memory.undoable(user="ann", place=DM)
        assert isinstance(offer, Undoable)
        assert [reversal.change for reversal in offer.reversals] == ["retired", "brought back"]
        assert isinstance(await stage.memory.undo(user="ann", place=DM), Undone)
        assert await stage.known() == ["I live in Bruges"]
        assert (await stored(stage, ghent)).superseded_by == bruges.id


async def test_undoing_a_restore_withholds_what_was_forgotten_again() -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.tell("I live in Ghent")
        [memo] = (await stage.memory.show(user="ann", place=DM)).memos
        await stage.memory.forget(memo.id, user="ann", place=DM)
        await restored(stage, memo.id)
        await stage.summarise("They talked about the weather.", sequence=99)
        resets = len(await stage.events("summary.reset"))
        await stage.memory.undo(user="ann", place=DM)
        assert not any("Ghent" in line for line in lines(await stage.prompt(place=DEV), "history"))
        assert len(await stage.events("summary.reset")) == resets + 1, "and the summary is made without it"


async def test_what_is_pending_is_neither_recalled_nor_listed_unless_asked_for() -> None:
    async with opened() as stage:
        memo = await stage.remember("I like tea")
        await stage.memory.store.write(lambda tx: tx.memos.put(replace(memo, status=Status.PENDING)))
        assert await stage.known() == []
        assert await stage.memory.search("tea", user="ann") == []
        assert (await stage.memory.list(user="ann", statuses="any")).memos == ()
        assert (await stage.memory.forgotten(user="ann")).memos == ()
        (pending,) = (await stage.memory.list(user="ann", statuses=[Status.PENDING])).memos
        assert pending.id == memo.id
        assert isinstance(await restore(stage, memo.id), NotFound), "to bring it back would approve it"
        assert isinstance(await Admin(stage.memory, stage.clock).restore(memo.subject, memo.id), NotFound)


async def test_a_message_that_is_shown_again_is_not_listed_as_forgotten() -> None:
    async with opened() as stage:
        await stage.memory.add("The weather in Porto was great", user="ann", place=DM)
        view = stage.memory.view("ann", DM)
        said = await stage.memory.store.read(lambda tx: tx.messages.written_by(view.subject.id))
        await view.withdraw([message for _, message in said])
        [hidden] = (await view.forgotten()).memos
        await view.undo()
        assert not (await view.forgotten()).memos
        assert isinstance(await restore(stage, hidden.id), NotFound)
        assert isinstance(await restore(stage, "Porto"), NotFound)
        await view.redo()
        assert [memo.id for memo in (await view.forgotten()).memos] == [hidden.id]


async def test_a_memo_that_was_undone_is_listed_as_forgotten() -> None:
    async with opened() as stage:
        tea = await stage.remember("I like tea")
        await stage.memory.undo(user="ann", place=DM)
        assert [memo.id for memo in (await stage.memory.forgotten(user="ann", place=DM)).memos] == [tea.id]
