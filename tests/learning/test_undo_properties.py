"""Undo leads back to where the change that it names began, and redo to where it ended, whatever was done before."""

import asyncio
import itertools
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import Audience, Memo, Redone, Undoable, Undone
from recollect.core.errors import RecollectError
from recollect.core.types import EVERYWHERE, Subject
from tests.scenes import Stage, opened

TEXTS = ("I like tea", "I like green tea", "I live in Ghent", "I live in Bruges", "I play chess")
VERBS = ("remember", "update", "pin", "unpin", "share", "private", "forget", "restore", "undo", "redo")
Story = list[tuple[str, int, str]]
STORIES = st.lists(st.tuples(st.sampled_from(VERBS), st.integers(0, 4), st.sampled_from(TEXTS)), max_size=12)

State = dict[str, tuple[object, ...]]


@dataclass
class Told:
    """A memory, and its states around each change that was offered for undo."""

    stage: Stage
    user: str
    before: dict[int, State]
    after: dict[int, State]

    async def memos(self) -> list[Memo]:
        return await self.stage.memory.store.read(
            lambda tx: sorted(tx.memos.list(Subject(self.user)), key=lambda memo: memo.key)
        )

    async def state(self) -> State:
        """What was added and taken back again is as good as never there."""
        memos = [memo for memo in await self.memos() if memo.status != "deleted"]
        return {memo.id: (memo.text, memo.status, memo.pinned, memo.audience, memo.updated) for memo in memos}

    async def offered(self) -> int | None:
        offer = await self.stage.memory.undoable(user=self.user)
        return offer.change if isinstance(offer, Undoable) else None

    async def do(self, verb: str, number: int, text: str) -> None:
        if verb in ("undo", "redo"):
            await (self.undo() if verb == "undo" else self.redo())
            return
        begin, last = await self.state(), await self.offered()
        await self._change(verb, number, text)
        change = await self.offered()
        if change is not None and change != last:
            self.before[change], self.after[change] = begin, await self.state()

    async def undo(self) -> None:
        change = await self.offered()
        outcome = await self.stage.memory.undo(user=self.user)
        assert isinstance(outcome, Undone) == (change is not None)
        if change is not None:
            assert await self.state() == self.before[change]

    async def redo(self) -> None:
        outcome = await self.stage.memory.redo(user=self.user)
        if isinstance(outcome, Redone):
            change = await self.offered()
            assert change is not None
            assert await self.state() == self.after[change]

    async def _change(self, verb: str, number: int, text: str) -> None:
        memory, memos = self.stage.memory, await self.memos()
        memo = memos[number % len(memos)].id if memos else "none"
        self.stage.clock.advance(minutes=1)
        try:
            match verb:
                case "remember":
                    await memory.remember(text, user=self.user)
                case "update":
                    await memory.update(memo, text, user=self.user)
                case "pin" | "unpin":
                    await memory.pin(memo, user=self.user, pinned=verb == "pin")
                case "share" | "private":
                    audience = EVERYWHERE if verb == "share" else Audience("dm", self.user)
                    await memory.share(memo, user=self.user, audience=audience)
                case "forget":
                    await memory.forget(memo, user=self.user)
                case _:
                    await memory.restore(memo, user=self.user)
        except RecollectError:
            pass  # such as a memo that is not in use; then nothing was changed


async def tell(story: Story, stage: Stage, user: str) -> None:
    told = Told(stage, user, {}, {})
    for step in story:
        await told.do(*step)
    while await told.offered() is not None:
        await told.undo()
    assert await told.state() == {}, "it began with nothing"


async def tell_all(stories: list[Story], store: str | None = None) -> None:
    async with opened(store=store) as stage:
        for number, story in enumerate(stories):
            await tell(story, stage, f"user-{number}")


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STORIES, max_size=6))
def test_undo_leads_back_and_redo_forth_whatever_happened(stories: list[Story]) -> None:
    asyncio.run(tell_all(stories))


@pytest.mark.slow
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_the_same_in_long_stories_on_both_stores(store: str, request: pytest.FixtureRequest) -> None:
    address = request.getfixturevalue("database") if store == "postgres" else None
    numbers = itertools.count()

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STORIES)
    def check(story: Story) -> None:
        async def run() -> None:
            async with opened(store=address) as stage:
                await tell(story, stage, f"user-{next(numbers)}")

        asyncio.run(run())

    check()
