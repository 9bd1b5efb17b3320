"""The action `update`: one memo, by its id, gets a new text or new tags."""

import pytest

from recollect.core.errors import BadInput, UnknownMemo
from recollect.core.types import EVERYWHERE, Audience, Kind, Origin, Place, Status
from tests.scenes import DEV, DM, ELSEWHERE, GENERAL, PRIVATE_THREAD, STAFF, lines, opened

ANN = "discord:ann"
PRIVATE = Audience("dm", ANN)


async def test_the_owners_correction_keeps_id_audience_and_kind_and_is_the_owners_from_then_on():
    async with opened() as stage:
        learned = await stage.learned("I think the office is in Rome", place=DEV)
        after = await stage.memory.update(learned.id, "The office is in Lyon", user="ann", place=GENERAL)
        assert (after.id, after.audience, after.kind) == (learned.id, learned.audience, learned.kind)
        assert (after.text, after.source.origin, after.source.actor) == ("The office is in Lyon", Origin.MANUAL, ANN)
        (event, *_) = await stage.memory.history(learned.id, user="ann", place=DM)
        assert (event.kind, event.data["before"]["text"]) == ("memo.revised", learned.text)


@pytest.mark.parametrize("origin", [Origin.MANUAL, Origin.TOOL])
async def test_words_from_a_dm_take_a_public_memo_out_of_public(origin: Origin):
    async with opened() as stage:
        learned = await stage.learned("I live in Lisbon", place=DEV)
        words = "I live in Lisbon and plan a divorce"
        after = await stage.memory.update(learned.id, words, user="ann", place=DM, origin=origin)
        assert (after.id, after.audience) == (learned.id, PRIVATE)
        await stage.say("hello")
        for user in ("ann", "bob"):
            assert "divorce" not in (await stage.prompt("where does ann live?", user=user)).text
        assert await stage.known(place=DEV) == []
        assert await stage.known() == [words]


async def test_the_history_says_that_fewer_hear_it_and_undo_and_share_let_them_hear_it_again():
    async with opened() as stage:
        learned = await stage.learned("I live in Lisbon", place=DEV)
        await stage.memory.update(learned.id, "I live in Porto", user="ann", place=DM)
        reasons = [event.text for event in await stage.memory.history(learned.id, user="ann", place=DM)]
        assert "audience dm:discord:ann: it is changed where no others hear it" in reasons
        await stage.memory.undo(user=ANN)
        assert await stage.known(place=DEV) == ["I live in Lisbon"]
        await stage.memory.update(learned.id, "I live in Porto", user="ann", place=DM)
        await stage.memory.share(learned.id, user="ann", place=DM)
        assert await stage.known(place=DEV) == ["I live in Porto"]


async def test_tags_are_words_too():
    async with opened() as stage:
        learned = await stage.learned("I live in Lisbon", place=DEV)
        after = await stage.memory.update(learned.id, user="ann", place=DM, tags=["divorce"])
        assert (after.tags, after.audience) == (("divorce",), PRIVATE)
        unchanged = await stage.learned("I like tea", place=DEV)
        same = await stage.memory.update(unchanged.id, unchanged.text, user="ann", place=DM, tags=[])
        assert same.audience == DEV.audience


@pytest.mark.parametrize(
    ("audience", "place", "after"),
    [
        (EVERYWHERE, DEV, DEV.audience),
        (EVERYWHERE, STAFF, STAFF.audience),
        (EVERYWHERE, DM, PRIVATE),
        (DEV.audience, STAFF, STAFF.audience),
        (DEV.audience, PRIVATE_THREAD, PRIVATE_THREAD.audience),
        (STAFF.audience, STAFF, STAFF.audience),
        (STAFF.audience, DM, PRIVATE),
        (PRIVATE, DM, PRIVATE),
    ],
)
async def test_a_memo_is_heard_by_those_who_hear_both_it_and_its_change(
    audience: Audience, place: Place, after: Audience
):
    async with opened() as stage:
        memo = await stage.remember("The office is in Rome", place=place, audience=audience)
        tool = await stage.memory.update(memo.id, "The office is in Lyon", user="ann", place=place, origin=Origin.TOOL)
        assert tool.audience == after


@pytest.mark.parametrize(("privacy", "heard"), [("dual", PRIVATE), ("user_global", EVERYWHERE)])
async def test_what_its_owner_shared_is_as_narrow_as_the_place_where_they_reword_it(privacy: str, heard: Audience):
    """Unless each person has one memory for all places."""
    async with opened(visibility=privacy) as stage:
        memo = await stage.remember("The office is in Rome", place=DM, audience=EVERYWHERE)
        revised = await stage.memory.update(memo.id, "The office is in Lyon", user="ann", place=DM)
        assert revised.audience == heard


async def test_where_all_memos_travel_with_their_owner_a_change_opens_none_to_others():
    async with opened(visibility="user_global") as stage:
        secret = await stage.learned("I live in Lisbon", place=DM)
        abroad = await stage.learned("I like tea", place=ELSEWHERE)
        for memo, text in ((secret, "I live in Porto"), (abroad, "I like coffee")):
            assert (await stage.memory.update(memo.id, text, user="ann", place=DEV)).audience == PRIVATE


async def test_private_words_end_no_public_fact_that_they_contradict():
    async with opened() as stage:
        public = await stage.learned("User lives in Rome", place=DEV)
        other = await stage.learned("User likes boats", place=DEV)
        await stage.memory.update(other.id, "User lives in Lyon", user="ann", place=DM)
        assert (await stage.memory.get(public.id, user="ann", place=DEV)).active
        assert "Lyon" not in "".join(lines(await stage.prompt(), "durable"))


async def test_what_its_owner_wrote_stays_the_owners_when_an_agent_rewords_it():
    async with opened() as stage:
        memo = await stage.remember("The office is in Rome")
        after = await stage.memory.update(memo.id, "The office is in Lyon", user=ANN, origin=Origin.TOOL)
        assert after.source.origin is Origin.MANUAL


async def test_new_words_are_found_and_old_ones_no_longer():
    async with opened() as stage:
        memo = await stage.remember("The office has a red door", tags=["door"])
        await stage.memory.update(memo.id, "The office has a blue gate", user="ann", place=DEV, tags=["gate"])
        search = stage.memory.search
        assert [one.item.text for one in await search("blue gate", user="ann", place=DEV, strict=True)] == [
            "The office has a blue gate"
        ]
        assert await search("red", user="ann", place=DEV, strict=True) == []


async def test_other_facts_that_the_new_words_contradict_give_way():
    async with opened() as stage:
        old = await stage.learned("User lives in Rome")
        other = await stage.learned("User likes boats")
        await stage.memory.update(other.id, "User lives in Lyon", user="ann", place=DEV)
        retired = await stage.memory.get(old.id, user="ann", place=DEV)
        assert (retired.status, retired.superseded_by) == (Status.SUPERSEDED, other.id)


async def test_pins_times_and_metadata_stay():
    async with opened() as stage:
        memo = await stage.remember("The office is in Rome", pinned=True, metadata={"a": 1}, kind=Kind.PROJECT)
        after = await stage.memory.update(memo.id, "The office is in Lyon", user="ann", place=DEV)
        assert (after.pinned, after.source.metadata, after.kind) == (True, {"a": 1}, Kind.PROJECT)
        assert (after.created, after.updated > memo.updated) == (memo.created, True)


async def test_secrets_and_emptiness_are_kept_out():
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    async with opened() as stage:
        memo = await stage.remember("The office is in Rome")
        after = await stage.memory.update(memo.id, f"The key {key} belongs to the Berlin team", user="ann", place=DEV)
        assert after.text == "The key [redacted: AWS key] belongs to the Berlin team"
        for nothing in ("  ", f"The key is {key}", f"The key {key} opens the office"):
            with pytest.raises(BadInput):
                await stage.memory.update(memo.id, nothing, user="ann", place=DEV)


async def test_a_memo_that_may_not_be_heard_here_or_is_somebody_elses_can_not_be_revised():
    async with opened() as stage:
        memo = await stage.learned("The raise is decided", place=STAFF)
        for user, place in (("ann", DEV), ("bob", STAFF), ("bob", None)):
            with pytest.raises(UnknownMemo):
                await stage.memory.update(memo.id, "x is y", user=user, place=place)
        assert (await stage.memory.get(memo.id, user="ann", place=STAFF)).text == "The raise is decided"


async def test_an_update_without_changes_writes_no_step():
    async with opened() as stage:
        memo = await stage.remember("The office is in Rome", tags=["office"])
        same = await stage.memory.update(memo.id, memo.text, user="ann", place=DEV, tags=["Office"])
        assert same == await stage.memory.get(memo.id, user="ann", place=DEV)
        assert len(await stage.memory.history(memo.id, user="ann", place=DEV)) == 1
