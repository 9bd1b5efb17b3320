"""`Memory.revise`: one memo, by its id, gets other words or other tags."""

import pytest

from recollect.errors import BadInput, UnknownMemo
from recollect.types import Kind, Origin, Status
from tests.scenes import DEV, DM, STAFF, opened


async def test_the_owners_correction_keeps_id_audience_and_kind_and_is_the_owners_from_then_on():
    async with opened() as stage:
        learned = await stage.learned("I think the office is in Rome", place=DEV)
        after = await stage.memory.revise(learned.id, "The office is in Lyon", user="ann", place=DM)
        assert (after.id, after.audience, after.kind) == (learned.id, learned.audience, learned.kind)
        assert (after.text, after.source.origin, after.source.actor) == ("The office is in Lyon", Origin.MANUAL, "ann")
        (event, *_) = await stage.memory.history(learned.id, user="ann", place=DM)
        assert (event.kind, event.data["before"]["text"]) == ("memo.revised", learned.text)


async def test_what_its_owner_wrote_stays_the_owners_when_an_agent_rewords_it():
    async with opened() as stage:
        memo = await stage.remember("The office is in Rome")
        after = await stage.memory.revise(memo.id, "The office is in Lyon", user="ann", origin=Origin.TOOL)
        assert after.source.origin is Origin.MANUAL


async def test_new_words_are_found_and_old_ones_no_longer():
    async with opened() as stage:
        memo = await stage.remember("The office has a red door", tags=["door"])
        await stage.memory.revise(memo.id, "The office has a blue gate", user="ann", place=DEV, tags=["gate"])
        search = stage.memory.search
        assert [one.what.text for one in await search("blue gate", user="ann", place=DEV, strict=True)] == [
            "The office has a blue gate"
        ]
        assert await search("red", user="ann", place=DEV, strict=True) == []


async def test_other_facts_that_the_new_words_contradict_give_way():
    async with opened() as stage:
        old = await stage.remember("User lives in Rome")
        other = await stage.remember("User likes boats")
        await stage.memory.revise(other.id, "User lives in Lyon", user="ann", place=DEV)
        retired = await stage.memory.get(old.id, user="ann", place=DEV)
        assert (retired.status, retired.superseded_by) == (Status.SUPERSEDED, other.id)


async def test_pins_times_and_metadata_stay():
    async with opened() as stage:
        memo = await stage.remember("The office is in Rome", pinned=True, metadata={"a": 1}, kind=Kind.PROJECT)
        after = await stage.memory.revise(memo.id, "The office is in Lyon", user="ann", place=DEV)
        assert (after.pinned, after.source.metadata, after.kind) == (True, {"a": 1}, Kind.PROJECT)
        assert (after.created, after.updated > memo.updated) == (memo.created, True)


async def test_secrets_and_emptiness_are_kept_out():
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    async with opened() as stage:
        memo = await stage.remember("The office is in Rome")
        after = await stage.memory.revise(memo.id, f"The key is {key}", user="ann", place=DEV)
        assert key not in after.text
        with pytest.raises(BadInput):
            await stage.memory.revise(memo.id, "  ", user="ann", place=DEV)


async def test_a_memo_that_may_not_be_heard_here_or_is_somebody_elses_can_not_be_revised():
    async with opened() as stage:
        memo = await stage.learned("The raise is decided", place=STAFF)
        for user, place in (("ann", DEV), ("bob", STAFF), ("bob", None)):
            with pytest.raises(UnknownMemo):
                await stage.memory.revise(memo.id, "x is y", user=user, place=place)
        assert (await stage.memory.get(memo.id, user="ann", place=STAFF)).text == "The raise is decided"


async def test_nothing_new_changes_nothing():
    async with opened() as stage:
        memo = await stage.remember("The office is in Rome", tags=["office"])
        same = await stage.memory.revise(memo.id, memo.text, user="ann", place=DEV, tags=["Office"])
        assert same == await stage.memory.get(memo.id, user="ann", place=DEV)
        assert len(await stage.memory.history(memo.id, user="ann", place=DEV)) == 1
