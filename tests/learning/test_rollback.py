"""A message is edited or deleted: what rests on it changes with it."""

import pytest

from recollect import CannotUndo
from recollect.core.errors import UnknownMemo
from recollect.core.ports import ExtractionInput, ExtractionResult, Proposal, Retraction
from recollect.core.state import StateKind
from recollect.core.types import EVERYWHERE, Memo, Place, Status
from recollect.learning.message_changes import MAX_UNSEEN_DELETIONS
from recollect.testing.models import FakeModel, proposal_for, propose_nothing
from tests.scenes import DEV, DM, STAFF, Stage, opened


def rewording(hearing: ExtractionInput) -> ExtractionResult:
    """Whatever is said next rewords the first memo."""
    known = hearing.known_memos[0].id if hearing.known_memos else None
    return ExtractionResult(tuple(proposal_for(one, id=known) for one in hearing.messages))


def retracting(hearing: ExtractionInput) -> ExtractionResult:
    """What begins with "no longer" ends all that is known, anything else is learned."""
    if hearing.messages[-1].text.startswith("no longer"):
        return ExtractionResult((), tuple(Retraction("no longer so", memo.id) for memo in hearing.known_memos))
    return ExtractionResult(tuple(map(proposal_for, hearing.messages)))


async def the_memo(stage: Stage) -> Memo:
    (memo,) = (await stage.memory.show(user="ann")).memos
    return memo


async def edit(stage: Stage, message_id: str, text: str) -> None:
    assert await stage.memory.message_edited("discord", message_id, text)
    stage.clock.advance(minutes=1)
    await stage.settle()


async def delete(stage: Stage, message_id: str) -> None:
    assert await stage.memory.message_deleted("discord", message_id)
    stage.clock.advance(minutes=1)
    await stage.settle()


async def test_what_was_learned_from_a_deleted_message_is_no_longer_recalled() -> None:
    async with opened(model=FakeModel()) as stage:
        said = await stage.tell("I live in Berlin")
        (memo,) = (await stage.memory.show(user="ann", place=DEV)).memos
        await delete(stage, said.id)
        assert await stage.known() == []
        with pytest.raises(UnknownMemo):
            await stage.memory.get(memo.id, user="ann", place=DEV)
        (last, *_) = await stage.events("memo.retired")
    assert last.reason == "its message was deleted"


async def test_an_edited_message_is_learned_anew_and_its_old_words_go() -> None:
    async with opened(model=FakeModel()) as stage:
        said = await stage.tell("I live in Berlin")
        await edit(stage, said.id, "I live in Bremen")
        assert await stage.known() == ["I live in Bremen"]


async def test_what_an_edited_message_says_now_takes_the_place_of_what_its_old_words_had_replaced() -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.tell("I live in Rome")
        moved = await stage.tell("I live in Paris now")
        stage.clock.advance(hours=1)
        await edit(stage, moved.id, "I live in Lyon now")
        assert await stage.known() == ["I live in Lyon now"]
        await edit(stage, moved.id, "I like trains")
        assert sorted(await stage.known()) == ["I like trains", "I live in Rome"]


async def test_an_edit_of_an_older_message_does_not_replace_what_was_said_after_it() -> None:
    async with opened(model=FakeModel()) as stage:
        first = await stage.tell("I live in Rome")
        await stage.tell("I live in Paris now")
        stage.clock.advance(hours=1)
        await edit(stage, first.id, "I live in Lyon")
        assert await stage.known() == ["I live in Paris now"]


async def test_a_memo_whose_words_are_still_there_survives_an_edit() -> None:
    def quotes(hearing: ExtractionInput) -> ExtractionResult:
        return ExtractionResult(
            tuple(Proposal("Lives in Berlin", "fact", "I live in Berlin", one.id) for one in hearing.messages)
        )

    async with opened(model=FakeModel(quotes)) as stage:
        said = await stage.tell("I live in Berlin and it rains")
        (before,) = (await stage.memory.show(user="ann", place=DEV)).memos
        await edit(stage, said.id, "I live in Berlin and it snows")
        (after,) = (await stage.memory.show(user="ann", place=DEV)).memos
    assert before.id == after.id
    assert after.status is Status.ACTIVE


async def test_deleting_a_message_restores_the_replaced_memo() -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.tell("I live in Berlin")
        said = await stage.tell("I live in Munich now")
        assert await stage.known() == ["I live in Munich now"]
        await delete(stage, said.id)
        assert await stage.known() == ["I live in Berlin"]


async def test_what_was_replaced_does_not_come_back_when_its_own_message_is_gone_too() -> None:
    async with opened(model=FakeModel()) as stage:
        first = await stage.tell("I live in Berlin")
        second = await stage.tell("I live in Munich now")
        await delete(stage, first.id)
        await delete(stage, second.id)
        assert await stage.known() == []


async def test_a_memo_that_a_deleted_message_only_reworded_gets_its_earlier_words_back() -> None:
    async with opened(model=FakeModel(rewording)) as stage:
        await stage.tell("I work at Acme")
        said = await stage.tell("I work at Acme as a gardener")
        assert await stage.known() == ["I work at Acme as a gardener"]
        await delete(stage, said.id)
        assert await stage.known() == ["I work at Acme"]


async def test_what_its_owner_wrote_down_stays_when_the_message_goes() -> None:
    async with opened(model=FakeModel(propose_nothing)) as stage:
        said = await stage.say("!memory remember I live in Berlin")
        await stage.memory.remember("I live in Berlin", user="ann", place=DEV, message=said.id)
        await delete(stage, said.id)
        assert await stage.known() == ["I live in Berlin"]


@pytest.mark.slow
async def test_a_summary_is_rebuilt_without_a_deleted_message() -> None:
    model = FakeModel(propose_nothing, lambda previous, exchange, limit: f"{previous or ''} {exchange}"[:limit])
    async with opened(model=model, summary={"every_n_turns": 1}) as stage:
        for text in ("the weather", "my embarrassing secret", "the budget"):
            asked = await stage.say(f"let us discuss {text}")
            await stage.reply("gladly", asked)
            await stage.settle()
        shown = await stage.memory.show(user="ann", place=DEV)
        assert shown.summary is not None
        assert "embarrassing" in shown.summary.text
        embarrassing = (await stage.memory.store.read(lambda tx: tx.messages.recent(DEV, 10)))[2]
        assert await stage.memory.message_deleted("discord", embarrassing.id)
        at_once = (await stage.memory.show(user="ann", place=DEV)).summary
        assert at_once is None or "embarrassing" not in at_once.text
        await stage.settle()
        rebuilt = (await stage.memory.show(user="ann", place=DEV)).summary
        history = await stage.memory.store.read(lambda tx: tx.summaries.history(DEV.session))
    assert rebuilt is not None
    assert "the weather" in rebuilt.text
    assert "the budget" in rebuilt.text
    assert not any("embarrassing" in one.text for one in history)


@pytest.mark.parametrize("platform", ["discord", "telegram"])
async def test_what_repeats_a_deleted_message_goes_from_their_dm_and_stays_in_that_of_a_longer_id(
    platform: str,
) -> None:
    async with opened(model=FakeModel(propose_nothing)) as stage:
        for user in ("ann", "annabel"):
            said = await stage.say("I live in Lisbon", user, Place(platform, dm=user))
            reply = await stage.say("You live in Lisbon.", "bot", said.place, bot=True)
            if user == "ann":
                hers, answer = said, reply
        assert await stage.memory.message_deleted(platform, hers.id)
        theirs, others = await stage.memory.store.read(
            lambda tx: (tx.messages.get(platform, answer.id), tx.messages.get(platform, reply.id))
        )
    assert theirs is None or "Lisbon" not in theirs.text
    assert others == reply


@pytest.mark.parametrize("fate", ["deleted", "edited"])
async def test_a_message_nobody_knows_changes_nothing(fate: str) -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.tell("I live in Berlin")
        if fate == "deleted":
            assert not await stage.memory.message_deleted("discord", "nobody-knows")
        else:
            assert not await stage.memory.message_edited("discord", "nobody-knows", "I live in Rome")
        assert await stage.known() == ["I live in Berlin"]


@pytest.mark.parametrize("fate", ["deleted", "edited"])
async def test_what_a_message_ended_counts_again_when_that_is_no_longer_said(fate: str) -> None:
    async with opened(model=FakeModel(retracting)) as stage:
        await stage.tell("I use Vim")
        said = await stage.tell("no longer")
        assert await stage.known() == []
        if fate == "deleted":
            await delete(stage, said.id)
            assert await stage.known() == ["I use Vim"]
        else:
            await edit(stage, said.id, "I live in Berlin")
            assert sorted(await stage.known()) == ["I live in Berlin", "I use Vim"]


async def test_an_ending_that_is_still_said_after_an_edit_ends_again() -> None:
    async with opened(model=FakeModel(retracting)) as stage:
        await stage.tell("I use Vim")
        said = await stage.tell("no longer")
        await edit(stage, said.id, "no longer, really")
        assert await stage.known() == []


async def test_what_was_ended_does_not_come_back_when_its_own_message_is_gone_too() -> None:
    async with opened(model=FakeModel(retracting)) as stage:
        first = await stage.tell("I use Vim")
        second = await stage.tell("no longer")
        await delete(stage, first.id)
        await delete(stage, second.id)
        assert await stage.known() == []


async def test_what_its_owner_forgot_does_not_come_back_with_a_message_that_had_ended_it_before() -> None:
    async with opened(model=FakeModel(retracting)) as stage:
        await stage.tell("I use Vim")
        said = await stage.tell("no longer")
        stage.clock.advance(minutes=1)
        await stage.tell("I use Vim")
        assert await stage.known() == ["I use Vim"]
        await stage.memory.forget("Vim", user="ann", place=DEV)
        await delete(stage, said.id)
        assert await stage.known() == []


def selling(hearing: ExtractionInput) -> ExtractionResult:
    """Who sold something has nothing else any more."""
    gone = tuple(memo.id for memo in hearing.known_memos) if "sold" in hearing.messages[-1].text else ()
    return ExtractionResult(tuple(proposal_for(one, replaces=gone) for one in hearing.messages))


async def test_everything_that_a_deleted_message_had_replaced_counts_again() -> None:
    async with opened(model=FakeModel(selling)) as stage:
        await stage.tell("I own a cat")
        await stage.tell("I play chess")
        said = await stage.tell("I sold it all for a boat")
        assert await stage.known() == ["I sold it all for a boat"]
        await delete(stage, said.id)
        assert sorted(await stage.known()) == ["I own a cat", "I play chess"]


async def test_what_was_replaced_first_counts_again_when_all_that_took_its_place_is_gone() -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.tell("I live in Berlin")
        second = await stage.tell("I live in Munich now")
        third = await stage.tell("I live in Hamburg now")
        assert await stage.known() == ["I live in Hamburg now"]
        await delete(stage, second.id)
        assert await stage.known() == ["I live in Hamburg now"]
        await delete(stage, third.id)
        assert await stage.known() == ["I live in Berlin"]


async def test_decisions_of_its_owner_outlast_the_words_that_a_deletion_takes_back() -> None:
    async with opened(model=FakeModel(rewording)) as stage:
        await stage.tell("I work at Acme", place=DM)
        said = await stage.tell("I work at Acme as a gardener", place=DM)
        memo = await the_memo(stage)
        await stage.memory.pin(memo.id, user="discord:ann")
        await stage.memory.share(memo.id, user="discord:ann", audience=EVERYWHERE)
        await delete(stage, said.id)
        after = await the_memo(stage)
    assert (after.text, after.pinned, after.audience) == ("I work at Acme", True, EVERYWHERE)


async def test_words_said_in_private_are_not_public_because_public_ones_were_taken_back() -> None:
    async with opened(model=FakeModel(rewording)) as stage:
        await stage.tell("I work at Acme", place=STAFF)
        said = await stage.tell("I work at Acme as a gardener", place=DEV)
        assert (await the_memo(stage)).audience == DEV.audience
        await delete(stage, said.id)
        after = await the_memo(stage)
    assert (after.text, after.audience) == ("I work at Acme", STAFF.audience)


@pytest.mark.parametrize("fate", ["deleted", "edited"])
async def test_words_that_no_message_says_any_more_are_passed_over_for_those_before_them(fate: str) -> None:
    async with opened(
        model=FakeModel(
            lambda hearing: rewording(hearing) if "Acme" in hearing.messages[-1].text else ExtractionResult()
        )
    ) as stage:
        await stage.tell("I work at Acme")
        second = await stage.tell("I work at Acme as a gardener")
        third = await stage.tell("I work at Acme as a gardener in Rome")
        if fate == "deleted":
            await delete(stage, second.id)
        else:
            await edit(stage, second.id, "never mind")
        assert await stage.known() == ["I work at Acme as a gardener in Rome"]
        await delete(stage, third.id)
        assert await stage.known() == ["I work at Acme"]


@pytest.mark.parametrize("pinned", [False, True])
async def test_earlier_words_are_heard_no_further_than_they_were_said(pinned: bool) -> None:
    async with opened(model=FakeModel(rewording)) as stage:
        await stage.tell("I work at Acme", place=STAFF)
        wider = await stage.tell("I work at Acme as a gardener", place=DEV)
        assert (await the_memo(stage)).audience == DEV.audience
        if pinned:  # a decision of its owner, and none about who may hear it
            await stage.memory.pin((await the_memo(stage)).id, user="ann", place=DEV)
        await delete(stage, wider.id)
        assert await stage.known(place=DEV) == []
        assert await stage.known(place=STAFF) == ["I work at Acme"]
        assert (await the_memo(stage)).pinned is pinned


async def test_words_that_their_owner_undid_do_not_come_back_by_a_deletion() -> None:
    async with opened(model=FakeModel(rewording)) as stage:
        first = await stage.tell("I work at Acme")
        await stage.tell("I work at Acme as a gardener")
        await stage.memory.undo(user="ann", place=DEV)
        assert await stage.known() == ["I work at Acme"]
        await delete(stage, first.id)
        assert await stage.known() == []


async def test_deleting_a_message_restores_a_manual_memos_wording() -> None:
    async with opened(model=FakeModel(rewording)) as stage:
        await stage.remember("I work at Acme", audience=DEV.audience)
        said = await stage.tell("I work at Acme as a gardener")
        assert await stage.known() == ["I work at Acme as a gardener"]
        await delete(stage, said.id)
        assert await stage.known() == ["I work at Acme"]


async def test_a_pinned_memo_that_nothing_else_says_goes_with_its_message_and_the_log_says_so() -> None:
    async with opened(model=FakeModel()) as stage:
        said = await stage.tell("I live in Berlin")
        memo = await the_memo(stage)
        await stage.memory.pin(memo.id, user="ann", place=DEV)
        await delete(stage, said.id)
        assert await stage.known() == []
        (last, *_) = await stage.events("memo.retired")
    assert last.reason == "its message was deleted; it was pinned, but nothing else said so"


async def test_undo_does_not_bring_back_what_went_with_its_message() -> None:
    async with opened(model=FakeModel()) as stage:
        await stage.remember("I play chess")
        said = await stage.tell("I live in Berlin")
        await delete(stage, said.id)
        assert isinstance(await stage.memory.undo(user="ann", place=DEV), CannotUndo)
        assert await stage.known() == ["I play chess"]


async def test_undo_does_not_bring_back_what_was_forgotten_before_its_message_was_deleted() -> None:
    async with opened(model=FakeModel()) as stage:
        said = await stage.tell("I live in Berlin")
        await stage.memory.forget("Berlin", user="ann", place=DEV)
        await delete(stage, said.id)
        assert isinstance(await stage.memory.undo(user="ann", place=DEV), CannotUndo)
        assert await stage.known() == []


async def test_undo_does_not_put_words_that_are_gone_in_the_place_of_its_owners() -> None:
    async with opened(model=FakeModel()) as stage:
        said = await stage.tell("I live in Berlin")
        memo = await the_memo(stage)
        await stage.memory.update(memo.id, "I live in Potsdam", user="ann", place=DEV)
        await delete(stage, said.id)
        assert isinstance(await stage.memory.undo(user="ann", place=DEV), CannotUndo)
        assert await stage.known() == ["I live in Potsdam"]


async def test_a_message_that_was_deleted_before_it_came_is_not_taken_in() -> None:
    async with opened(model=FakeModel()) as stage:
        late = stage.message("I live in Berlin")
        assert not await stage.memory.message_deleted("discord", late.id)
        assert not await stage.memory.add(late)
        await stage.settle()
        assert await stage.known() == []
        assert await stage.memory.store.read(lambda tx: tx.messages.recent(DEV, 10)) == []
        assert await stage.memory.add(stage.message("I play chess"))


async def test_only_so_many_messages_nobody_had_seen_are_remembered_as_deleted() -> None:
    async with opened(model=FakeModel(propose_nothing)) as stage:
        for number in range(MAX_UNSEEN_DELETIONS + 1):
            await stage.memory.message_deleted("discord", f"gone-{number}")
        kept = await stage.memory.store.read(lambda tx: tx.state.keys(StateKind.UNSEEN_DELETION))
    assert len(kept) == MAX_UNSEEN_DELETIONS // 2 + 1
    assert f"discord/gone-{MAX_UNSEEN_DELETIONS}" in kept
    assert "discord/gone-0" not in kept
