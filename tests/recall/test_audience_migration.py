"""Stores of earlier editions, in which everything stated was for everywhere, under the rule of today."""

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import recollect
from recollect import AsyncMemory, plugins
from recollect.core.changes import Candidate
from recollect.core.ports import Store, Tx
from recollect.core.types import EVERYWHERE, Audience, Kind, Memo, Message, Origin, Place, Provenance, Subject
from recollect.learning import changes as changes_module
from recollect.learning import undo
from recollect.learning.apply import ChangeContext, MemoLimits, apply_statement
from recollect.policy.viewer import provenance
from recollect.recall.audience_migration import NARROWED
from recollect.testing.clock import FakeClock
from tests import ground
from tests.scenes import DEV, DM, ELSEWHERE, GENERAL, STAFF

ANN = Subject("discord:ann")


def _everything(_: Memo) -> bool:
    return True


class Old:
    """A store as it was written when `everywhere` was the default."""

    def __init__(self, store: Store, clock: FakeClock) -> None:
        self.store, self._clock, self._number = store, clock, 0

    async def states(self, text: str, source: Provenance, audience: Audience = EVERYWHERE) -> Memo:
        candidate = Candidate(ANN, Kind.FACT, text, self._clock(), source, audience)
        cause = self._cause()
        changes = await self.store.write(lambda tx: apply_statement(tx, candidate, cause, MemoLimits()))
        return changes[0].memo if hasattr(changes[0], "memo") else changes[0].after

    async def says(self, text: str, place: Place) -> Memo:
        return await self.states(text, provenance("ann", place, None, Origin.MANUAL))

    async def does(self, work: Callable[[Tx, ChangeContext], object]) -> None:
        cause = self._cause()
        await self.store.write(lambda tx: work(tx, cause))

    async def shares(self, memo: Memo, audience: Audience = EVERYWHERE) -> None:
        await self.does(lambda tx, cause: changes_module.share(tx, ANN, memo.id, audience, cause, _everything))

    async def undoes(self) -> None:
        await self.does(lambda tx, cause: undo.undo(tx, ANN, cause, _everything))

    async def forgets(self, memo: Memo) -> None:
        await self.does(lambda tx, cause: changes_module.forget(tx, ANN, memo.id, cause, _everything, 0.0, every=False))

    def _cause(self) -> ChangeContext:
        self._number += 1
        return ChangeContext("ann", self._clock.advance(minutes=1), f"batch-{self._number}")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@asynccontextmanager
async def written(address: str, clock: FakeClock) -> AsyncIterator[Old]:
    store: Store = plugins.load("stores", address)
    try:
        yield Old(store, clock)
    finally:
        await store.close()


@asynccontextmanager
async def opened(address: str, clock: FakeClock, **settings: Any) -> AsyncIterator[AsyncMemory]:
    async with recollect.AsyncMemory(address, clock=clock, embedder="null", run_worker=False, **settings) as memory:
        yield memory


async def audiences(memory: AsyncMemory) -> dict[str, str]:
    memos = (await memory.list(user="discord:ann", statuses="any")).memos
    return {memo.text: str(memo.audience) for memo in memos}


async def test_what_nobody_shared_is_heard_only_where_it_was_said_from_the_first_start_on(
    tmp_path: Path, clock: FakeClock, caplog: pytest.LogCaptureFixture
) -> None:
    address = ground.at(tmp_path / "memory.db")
    async with written(address, clock) as old:
        await old.says("I am HIV positive", DM)
        await old.says("I like green tea", DEV)
        await old.says("I will be promoted in May", STAFF)
        await old.states("My cat is called Tom", Provenance(actor="operator"))
        closed = Provenance(Origin.MANUAL, "ann", "discord", "g9", "c9")
        await old.states("I play the cello", closed)
        await old.states("I speak Portuguese at home", replace(closed, thread="t9"))
        await old.shares(await old.says("I work on Falcon", DM))
        learned = await old.states("I own a boat", provenance("ann", DEV, "m1", Origin.SUMMARY), DEV.audience)
    with caplog.at_level(logging.WARNING, "recollect"):
        async with opened(address, clock) as memory:
            assert await audiences(memory) == {
                "I am HIV positive": "dm:discord:ann",
                "I like green tea": str(DEV.audience),
                "I will be promoted in May": str(STAFF.audience),
                "My cat is called Tom": "dm:discord:ann",
                "I play the cello": "channel:g9/c9",
                "I speak Portuguese at home": "channel:g9/c9/t9",
                "I work on Falcon": "everywhere",
                "I own a boat": str(DEV.audience),
            }
            (event,) = [one for one in await memory.log() if one.kind == "memory.narrowed"]
            assert event.data["memos"] == 6
            assert (await memory.get(learned.id, user="discord:ann")).updated == learned.updated
    assert [record.getMessage().split(" could")[0] for record in caplog.records] == ["6 memories"]
    caplog.clear()
    async with opened(address, clock) as memory:
        assert len([one for one in await memory.log() if one.kind == "memory.narrowed"]) == 1
    assert caplog.records == []


async def test_what_was_forgotten_before_comes_back_as_narrow_as_the_rest(tmp_path: Path, clock: FakeClock) -> None:
    address = ground.at(tmp_path / "memory.db")
    async with written(address, clock) as old:
        await old.forgets(await old.says("I am HIV positive", DM))
        kept = await old.says("I like green tea", DM)
        await old.does(lambda tx, cause: changes_module.pin(tx, ANN, kept.id, True, cause, _everything))
        made_private = await old.says("I own a boat", DEV)
        await old.shares(made_private, Audience("dm", "discord:ann"))
    async with opened(address, clock) as memory:
        for _ in range(5):  # the privacy of the boat, the boat, the pin, the tea, and the forgetting
            assert await memory.undo(user="discord:ann") is not None
        assert await audiences(memory) == {
            "I am HIV positive": "dm:discord:ann",
            "I like green tea": "dm:discord:ann",
            "I own a boat": str(DEV.audience),
        }
        (known,) = (await memory.show(user="discord:ann")).memos
        assert known.text == "I am HIV positive"


async def test_a_share_counts_when_it_is_the_last_word_about_it(tmp_path: Path, clock: FakeClock) -> None:
    address = ground.at(tmp_path / "memory.db")
    async with written(address, clock) as old:
        taken_back = await old.says("I am looking for a job", DM)
        await old.shares(taken_back)
        await old.undoes()
        restated = await old.says("I own a boat", DM)
        await old.shares(restated)
        await old.shares(restated, Audience("dm", "discord:ann"))
        await old.says("I own a boat", DM)
        narrowed_first = await old.says("I work on Falcon", DM)
        await old.shares(narrowed_first, Audience("dm", "discord:ann"))
        await old.shares(narrowed_first)
    async with opened(address, clock) as memory:
        assert await audiences(memory) == {
            "I am looking for a job": "dm:discord:ann",
            "I own a boat": "dm:discord:ann",
            "I work on Falcon": "everywhere",
        }


async def test_an_earlier_wording_comes_back_as_narrow_as_it_was_said(tmp_path: Path, clock: FakeClock) -> None:
    """A message that reworded a memo is deleted: the memo has its older words again, and no more hear them."""
    address = ground.at(tmp_path / "memory.db")
    async with written(address, clock) as old:
        await old.says("I live in Bern", DM)
        said = Message("m1", "ann", DEV, "I live in Bern with my dog Rex", clock())
        await old.store.write(lambda tx: tx.messages.add(said))
        source = replace(provenance("ann", DEV, "m1", Origin.SUMMARY), evidence="I live in Bern with my dog Rex")
        await old.states("I live in Bern with my dog Rex", source)
    async with opened(address, clock) as memory:
        assert await memory.message_deleted("discord" if DEV.platform == "discord" else DEV.platform, "m1")
        assert await audiences(memory) == {"I live in Bern": "dm:discord:ann"}


async def test_designs_with_one_memory_per_person_are_left_as_they_are_until_another_profile_opens_the_store(
    tmp_path: Path, clock: FakeClock
) -> None:
    address = ground.at(tmp_path / "memory.db")
    async with written(address, clock) as old:
        await old.says("I am HIV positive", DM)
    async with opened(address, clock, profile="dnam", data_dir=str(tmp_path)) as memory:
        await memory.remember("I like green tea", user="ann", place=DEV)
        shared = await memory.remember("I own a boat", user="ann", place=DEV)
        await memory.share(shared.memo.id, user="ann", place=DEV)
        assert set((await audiences(memory)).values()) == {"everywhere"}
        assert {memo.text for memo in (await memory.show(user="ann", place=ELSEWHERE)).memos} > {"I am HIV positive"}
    async with opened(address, clock) as memory:
        assert await audiences(memory) == {
            "I am HIV positive": "dm:discord:ann",
            "I like green tea": str(DEV.audience),
            "I own a boat": "everywhere",
        }
    async with opened(address, clock, profile="dnam", data_dir=str(tmp_path)) as memory:
        await memory.remember("I play chess", user="ann", place=DM)
        assert (await audiences(memory))["I play chess"] == "everywhere"
    async with opened(address, clock) as memory:
        assert (await audiences(memory))["I play chess"] == "dm:discord:ann"
        assert (await audiences(memory))["I own a boat"] == "everywhere"


async def test_a_new_store_has_nothing_to_narrow(tmp_path: Path, clock: FakeClock) -> None:
    address = ground.at(tmp_path / "memory.db")
    async with opened(address, clock) as memory:
        assert await memory.store.read(lambda tx: tx.archive.count("state")) == 0, "it can be copied into"
        done = await memory.remember("I own a boat", user="ann", place=DM, audience=EVERYWHERE)
        assert done.memo.audience == EVERYWHERE
    async with opened(address, clock) as memory:
        assert await memory.store.read(lambda tx: len(tx.state.items(NARROWED))) == 1
        assert await memory.store.read(lambda tx: tx.events.list(kinds=["memory.narrowed"])) == []
    async with opened(address, clock, visibility="user_global"), opened(address, clock) as memory:
        assert await audiences(memory) == {"I own a boat": "everywhere"}, "it was said with it that all may hear it"


@pytest.mark.parametrize("place", [DM, STAFF, GENERAL])
async def test_a_statement_is_heard_by_those_who_hear_the_place(place: Place, clock: FakeClock) -> None:
    async with opened(ground.new(), clock) as memory:
        done = await memory.remember("I own a boat", user="ann", place=place)
        assert done.memo.audience == place.audience
        assert (await memory.remember("I play chess", user="discord:ann")).memo.audience == Audience(
            "dm", "discord:ann"
        )


async def test_nobody_is_told_what_another_keeps_private_where_each_has_one_memory(clock: FakeClock) -> None:
    """Under a global policy all is for everywhere: for its owner, not for those around."""
    settings = {"visibility": "user_global", "layers": ("durable", "history", "people")}
    async with opened(ground.new(), clock, **settings) as memory:
        await memory.remember("I am HIV positive", user="ann", place=DM)
        await memory.remember("I like green tea", user="ann", place=DEV)
        await memory.add(Message("m1", "ann", GENERAL, "good morning", clock(), name="Ann"))
        clock.advance(minutes=1)
        prompt = str(await memory.context(Message("m2", "bob", GENERAL, "who is here?", clock(), name="Bob")))
        assert "green tea" in prompt
        assert "HIV" not in prompt
