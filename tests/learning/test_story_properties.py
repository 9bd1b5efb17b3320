"""What undo offers is what it does, and nothing that was deleted comes back, whatever was said and changed."""

import asyncio
import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import Message, Redone, Restored, Undoable, Undone
from recollect.core.errors import RecollectError
from recollect.core.outcomes import Reversal
from recollect.core.ports import Tx
from recollect.core.types import EVERYWHERE, Memo, Status, Subject
from recollect.learning.rollback import is_supported
from recollect.testing.models import FakeModel
from tests.scenes import DEV, Stage, content, opened

TEXTS = ("I like tea", "I live in Ghent", "I live in Bruges now", "I play chess", "My cat is called {}", "I work at {}")
VERBS = ("say", "edit", "delete", "withdraw", "remember", "update", "tag", "pin", "share", "forget")
TRIED = ("undo", "undo named", "redo", "restore")
STORIES = st.lists(
    st.tuples(st.sampled_from(VERBS + TRIED), st.integers(0, 9), st.sampled_from(TEXTS)), min_size=1, max_size=14
)
Story = list[tuple[str, int, str]]
WORD = re.compile(r"Xu\d+mar")
State = dict[str, tuple[object, ...]]


@dataclass
class Told:
    """Someone who speaks and decides; `gone` is what they deleted, or what their edits replaced."""

    stage: Stage
    user: str
    said: list[Message] = field(default_factory=list)
    changes: list[int] = field(default_factory=list)
    gone: set[str] = field(default_factory=set)
    words: Iterator[int] = field(default_factory=itertools.count)

    async def memos(self) -> list[Memo]:
        return await self.read(lambda tx: sorted(tx.memos.list(Subject(self.user)), key=lambda memo: memo.key))

    async def read(self, work):
        return await self.stage.memory.store.read(work)

    async def state(self) -> State:
        memos = [memo for memo in await self.memos() if memo.status is not Status.DELETED]
        return {memo.id: shown(memo) for memo in memos}

    async def do(self, verb: str, number: int, text: str) -> None:
        self.stage.clock.advance(minutes=1)
        memos = await self.memos()
        memo = memos[number % len(memos)].id if memos else "none"
        match verb:
            case "undo":
                await self.undo(None)
            case "undo named":
                await self.undo(self.changes[number % len(self.changes)] if self.changes else 1)
            case "redo":
                await self.redo()
            case "restore":
                await self.restore(memo)
            case _:
                with suppress(RecollectError):  # such as a memo that is not in use; then nothing was changed
                    await self._change(verb, number, text, memo)
        await self.stage.settle()
        offer = await self.offer(None)
        if isinstance(offer, Undoable):
            self.changes.append(offer.change)
        await self.check()

    async def offer(self, change: int | None):
        return await self.stage.memory.undoable(user=self.user, change=change)

    async def undo(self, change: int | None) -> None:
        begin, offer = await self.state(), await self.offer(change)
        assert await self.state() == begin, "to look changes nothing"
        outcome = await self.stage.memory.undo(user=self.user, change=change)
        if not isinstance(offer, Undoable):
            assert outcome == offer
            assert await self.state() == begin
            return
        assert isinstance(outcome, Undone)
        assert outcome.reversals == offer.reversals
        undone = await self.state()
        assert undone == reversed_by(offer.reversals, begin)
        if isinstance(await self.stage.memory.redo(user=self.user), Redone):
            assert await self.state() == begin
            again = await self.stage.memory.undo(user=self.user, change=change)
            assert isinstance(again, Undone)
            assert await self.state() == undone

    async def redo(self) -> None:
        begin, outcome = await self.state(), await self.stage.memory.redo(user=self.user)
        reversals = outcome.reversals if isinstance(outcome, Redone) else ()
        assert await self.state() == reversed_by(reversals, begin)

    async def restore(self, memo: str) -> None:
        begin, outcome = await self.state(), await self.stage.memory.restore(memo, user=self.user)
        if not isinstance(outcome, Restored):
            assert await self.state() == begin
            return
        restored = await self.stage.memory.get(memo, user=self.user)
        assert restored.active
        assert restored.id in {memo.id for memo in await self.stage.memory.show(user=self.user)}
        before = await self.state()
        assert isinstance(await self.stage.memory.undo(user=self.user), Undone)
        assert await self.state() == {**begin, **{key: begin[key] for key in before if key in begin}}
        assert isinstance(await self.stage.memory.redo(user=self.user), Redone)
        assert await self.state() == before

    async def _change(self, verb: str, number: int, template: str, memo: str) -> None:
        memory, message = self.stage.memory, self.said[number % len(self.said)] if self.said else None
        word = f"Xu{next(self.words)}mar"
        text = template.format(word)
        match verb:
            case "say":
                self.said.append(await self.stage.tell(text, self.user.removeprefix("discord:"), DEV))
            case "edit" if message:
                self.gone.update(WORD.findall(message.text))
                await memory.message_edited("discord", message.id, text)
                self.said[self.said.index(message)] = replace(message, text=text)
            case "delete" if message:
                self.gone.update(WORD.findall(message.text))
                self.said.remove(message)
                await memory.message_deleted("discord", message.id)
            case "withdraw" if message:
                await memory.view(self.user, DEV).withdraw([message], learned=number % 2 == 0)
            case "remember":
                await memory.remember(text, user=self.user)
            case "update":
                await memory.update(memo, text, user=self.user)
            case "tag":
                await memory.update(memo, tags=[str(number)], user=self.user, metadata={"n": number})
            case "pin":
                await memory.pin(memo, user=self.user, pinned=number % 2 == 0)
            case "share":
                await memory.share(memo, user=self.user, audience=EVERYWHERE)
            case "forget":
                await memory.forget(memo, user=self.user)
            case _:
                pass  # nothing was said yet

    async def check(self) -> None:
        """What rests on a message that no longer says so is not in use, and no record of it has its words."""

        def work(tx: Tx) -> list[object]:
            memos = tx.memos.list(Subject(self.user))
            assert all(is_supported(tx, memo) for memo in memos if memo.active)
            steps = [step for memo in memos for step in tx.changes.of_memo(memo.subject.scope, memo.id)]
            return [memos, steps, tx.events.list(Subject(self.user).scope, None, 500)]

        records = content(await self.read(work))
        assert not [word for word in self.gone if word in records]


def reversed_by(reversals: Sequence[Reversal], begin: State) -> State:
    """The state that they lead to."""
    state = dict(begin)
    for reversal in reversals:
        state.pop(reversal.before.id, None)
        if reversal.after is not None and reversal.after.status is not Status.DELETED:
            state[reversal.after.id] = shown(reversal.after)
    return state


def shown(memo: Memo) -> tuple[object, ...]:
    return memo.text, memo.status, memo.pinned, memo.audience, memo.tags, dict(memo.source.metadata)


async def tell(story: Story, stage: Stage, user: str) -> None:
    told = Told(stage, user)
    for step in story:
        await told.do(*step)


async def tell_alone(story: Story, store: str | None = None, user: str = "discord:ann", said: int = 0) -> None:
    async with opened(model=FakeModel(), store=store) as stage:
        stage.said = said  # in a store that has earlier stories, ids of messages go on
        await tell(story, stage, user)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(STORIES)
def test_undo_does_what_it_offers_and_nothing_deleted_comes_back(story: Story) -> None:
    asyncio.run(tell_alone(story))


@pytest.mark.slow
@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_the_same_in_many_stories_on_both_stores(store: str, request: pytest.FixtureRequest) -> None:
    address = request.getfixturevalue("database") if store == "postgres" else None
    numbers = itertools.count()

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STORIES)
    def check(story: Story) -> None:
        number = next(numbers)
        asyncio.run(tell_alone(story, address, f"discord:user-{number}", said=100 * number))

    check()
