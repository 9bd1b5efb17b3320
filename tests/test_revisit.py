"""A message is edited or deleted: what rests on it changes with it."""

import pytest

from recollect.ports import Hearing, Proposal, Proposed
from recollect.testing.models import FakeModel, nothing, quoting
from recollect.types import Status
from tests.scenes import DEV, Stage, opened


async def edit(stage: Stage, message_id: str, text: str) -> None:
    assert await stage.memory.edited("discord", message_id, text)
    stage.clock.advance(minutes=1)
    await stage.settle()


async def delete(stage: Stage, message_id: str) -> None:
    assert await stage.memory.deleted("discord", message_id)
    stage.clock.advance(minutes=1)
    await stage.settle()


async def test_what_was_learned_from_a_deleted_message_is_no_longer_recalled() -> None:
    async with opened(using=FakeModel()) as stage:
        said = await stage.tell("I live in Berlin")
        (memo,) = (await stage.memory.show(user="ann", place=DEV)).memos
        await delete(stage, said.id)
        assert await stage.known() == []
        gone = await stage.memory.get(memo.id, user="ann", place=DEV)
        history = await stage.memory.history(memo.id, user="ann", place=DEV)
    assert gone.status is Status.ARCHIVED
    assert history[0].reason == "its message was deleted"


async def test_an_edited_message_is_learned_anew_and_its_old_words_go() -> None:
    async with opened(using=FakeModel()) as stage:
        said = await stage.tell("I live in Berlin")
        await edit(stage, said.id, "I live in Bremen")
        assert await stage.known() == ["I live in Bremen"]


async def test_a_memo_whose_words_are_still_there_survives_an_edit() -> None:
    def quotes(hearing: Hearing) -> Proposed:
        return Proposed(tuple(Proposal("Lives in Berlin", "fact", "I live in Berlin", one.id) for one in hearing.said))

    async with opened(using=FakeModel(quotes)) as stage:
        said = await stage.tell("I live in Berlin and it rains")
        (before,) = (await stage.memory.show(user="ann", place=DEV)).memos
        await edit(stage, said.id, "I live in Berlin and it snows")
        (after,) = (await stage.memory.show(user="ann", place=DEV)).memos
    assert before.id == after.id
    assert after.status is Status.ACTIVE


async def test_what_a_deleted_message_had_replaced_counts_again() -> None:
    async with opened(using=FakeModel()) as stage:
        await stage.tell("I live in Berlin")
        said = await stage.tell("I live in Munich now")
        assert await stage.known() == ["I live in Munich now"]
        await delete(stage, said.id)
        assert await stage.known() == ["I live in Berlin"]


async def test_what_was_replaced_does_not_come_back_when_its_own_message_is_gone_too() -> None:
    async with opened(using=FakeModel()) as stage:
        first = await stage.tell("I live in Berlin")
        second = await stage.tell("I live in Munich now")
        await delete(stage, first.id)
        await delete(stage, second.id)
        assert await stage.known() == []


async def test_a_memo_that_a_deleted_message_only_reworded_gets_its_earlier_words_back() -> None:
    def learns(hearing: Hearing) -> Proposed:
        known = hearing.known[0].id if hearing.known else None
        return Proposed(tuple(quoting(one, id=known) for one in hearing.said))

    async with opened(using=FakeModel(learns)) as stage:
        await stage.tell("I work at Acme")
        said = await stage.tell("I work at Acme as a gardener")
        assert await stage.known() == ["I work at Acme as a gardener"]
        await delete(stage, said.id)
        assert await stage.known() == ["I work at Acme"]


async def test_what_its_owner_wrote_down_stays_when_the_message_goes() -> None:
    async with opened(using=FakeModel(nothing)) as stage:
        said = await stage.say("!memory remember I live in Berlin")
        await stage.memory.remember("I live in Berlin", user="ann", place=DEV, message=said.id)
        await delete(stage, said.id)
        assert await stage.known() == ["I live in Berlin"]


async def test_a_summary_is_rebuilt_without_a_deleted_message() -> None:
    model = FakeModel(nothing, lambda previous, exchange, limit: f"{previous or ''} {exchange}"[:limit])
    async with opened(using=model, summary={"every_n_turns": 1}) as stage:
        for text in ("the weather", "my embarrassing secret", "the budget"):
            asked = await stage.say(f"let us discuss {text}")
            await stage.reply("gladly", asked)
            await stage.settle()
        shown = await stage.memory.show(user="ann", place=DEV)
        assert shown.summary is not None
        assert "embarrassing" in shown.summary.text
        embarrassing = (await stage.memory.store.read(lambda tx: tx.journal.recent(DEV, 10)))[2]
        assert await stage.memory.deleted("discord", embarrassing.id)
        at_once = (await stage.memory.show(user="ann", place=DEV)).summary
        assert at_once is None or "embarrassing" not in at_once.text
        await stage.settle()
        rebuilt = (await stage.memory.show(user="ann", place=DEV)).summary
        history = await stage.memory.store.read(lambda tx: tx.summaries.history(DEV.session))
    assert rebuilt is not None
    assert "the weather" in rebuilt.text
    assert "the budget" in rebuilt.text
    assert not any("embarrassing" in one.text for one in history)


@pytest.mark.parametrize("fate", ["deleted", "edited"])
async def test_a_message_nobody_knows_changes_nothing(fate: str) -> None:
    async with opened(using=FakeModel()) as stage:
        await stage.tell("I live in Berlin")
        if fate == "deleted":
            assert not await stage.memory.deleted("discord", "nobody-knows")
        else:
            assert not await stage.memory.edited("discord", "nobody-knows", "I live in Rome")
        assert await stage.known() == ["I live in Berlin"]
