"""Two people, several places and two memories on one store: nothing private shows in public, whatever was done."""

import asyncio
import itertools
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect import AlreadyActive, AsyncMemory, Audience, Message, Place, Restored, Undone
from recollect.core.errors import RecollectError
from recollect.core.types import EVERYWHERE, Memo, Status, Subject
from recollect.learning.rollback import is_supported
from recollect.testing.clock import FakeClock
from recollect.testing.models import FakeModel
from tests import ground
from tests.scenes import DEV, GENERAL, STAFF, at_once, content

TEXTS = ("I like tea", "I live in Ghent", "I live in Bruges now", "I play chess", "My cat is called {}", "I work at {}")
VERBS = (
    "say",
    "edit",
    "delete",
    "remember",
    "update",
    "pin",
    "share",
    "private",
    "forget",
    "forget all",
    "consolidate",
)
TRIED = ("undo", "redo", "restore", "say", "remember")
STEP = st.tuples(
    st.sampled_from(VERBS + TRIED), st.sampled_from("ab"), st.integers(0, 9), st.sampled_from(TEXTS), st.integers(0, 3)
)
STORIES = st.lists(STEP, min_size=3, max_size=16)
Step = tuple[str, str, int, str, int]


@dataclass
class World:
    memories: list[AsyncMemory]
    clock: FakeClock
    tag: str = ""
    said: dict[str, list[Message]] = field(default_factory=lambda: {"a": [], "b": []})
    versions: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=itertools.count)

    def name(self, who: str) -> str:
        return f"{who}{self.tag}"

    async def memos(self, who: str) -> list[Memo]:
        subject = Subject(f"discord:{self.name(who)}")
        return await self.memories[0].store.read(lambda tx: tx.memos.list(subject))

    async def do(self, verb: str, who: str, number: int, template: str, where: int) -> None:
        self.clock.advance(minutes=1)
        user, memory = self.name(who), self.memories[number % 2]
        place = (DEV, GENERAL, STAFF, Place("discord", dm=user))[where]
        others = [content(memo) for memo in await self.memos("b" if who == "a" else "a")]
        with suppress(RecollectError):  # such as a memo that is not visible there; then nothing was changed
            await self._do(memory, verb, who, number, template.format(f"Xu{next(self.numbers)}mar"), place)
        for each in self.memories:
            assert await each.worker.wait_idle(60)
        assert [content(memo) for memo in await self.memos("b" if who == "a" else "a")] == others
        for person in "ab":
            await self.check(person)

    async def _do(self, memory: AsyncMemory, verb: str, who: str, number: int, text: str, place: Place) -> None:
        view, memos, said = memory.view(self.name(who), place), await self.memos(who), self.said[who]
        memo = memos[number % len(memos)].id if memos else "none"
        message = said[number % len(said)] if said else None
        match verb:
            case "say":
                said.append(Message(f"m{self.tag}{next(self.numbers)}", view.user, place, text, self.clock()))
                await memory.add(said[-1])
            case "edit" if message:
                await memory.message_edited("discord", message.id, text)
                said[said.index(message)] = replace(message, text=text)
            case "delete" if message:
                said.remove(message)
                await memory.message_deleted("discord", message.id)
            case "remember":
                await view.remember(text)
            case "update":
                await view.update(memo, text)
            case "pin":
                await view.pin(memo, pinned=number % 3 > 0)
            case "share" | "private":
                await view.share(memo, EVERYWHERE if verb == "share" else Audience("dm", view.user))
            case "forget":
                await view.forget(memo)
            case "forget all":
                await view.forget_all((await view.show()).memos[:3])
            case "consolidate":
                await view.consolidate()
            case "undo":
                offer, outcome = await view.undoable(), await view.undo()
                if isinstance(outcome, Undone):
                    assert (outcome.reversals, outcome.hidden) == (offer.reversals, offer.hidden)  # type: ignore[union-attr]
            case "redo":
                await view.redo()
            case "restore":
                await view.restore(memo)
            case _:
                pass  # nothing was said yet

    async def check(self, who: str) -> None:
        memos = await self.memos(who)
        for memo in memos:
            now = content((memo.text, memo.status, memo.pinned, memo.audience, memo.tags, memo.superseded_by))
            before, version = self.versions.get((who, memo.id), (now, 0))
            assert memo.version >= version + (now != before), "a changed memo has another version"
            self.versions[who, memo.id] = now, memo.version
        private = [memo.id for memo in memos if memo.audience.level == "dm"]
        for place in (DEV, GENERAL):
            view = self.memories[1].view(self.name(who), place)
            visible = (await view.list(statuses="any")).memos
            told = [visible, await view.undoable(), await view.forgotten(), await view.search("tea cat work live")]
            told += [(await view.history(memo), await view.why(memo)) for memo in visible]
            records = content(told)
            assert not [memo for memo in private if re.search(rf"{memo}(?![0-9a-f])", records)]

    async def end(self) -> None:
        """Whatever is still supported can be brought back."""
        for who in "ab":
            view = self.memories[0].view(self.name(who), Place("discord", dm=self.name(who)))
            for memo in await self.memos(who):
                if memo.status in (Status.SUPERSEDED, Status.ARCHIVED, Status.DEPRECATED):
                    is_due = await view.engine.store.read(lambda tx, memo=memo: is_supported(tx, memo))
                    assert isinstance(await view.restore(memo), Restored | AlreadyActive) == is_due
            await self.check(who)


async def tell(story: list[Step], store: str, tag: str = "") -> None:
    clock, options = FakeClock(), {"model": FakeModel(), "embedder": "null", **at_once({})}
    folder = ground.folder(store)
    options |= {} if folder is None else {"data_dir": str(folder)}
    async with AsyncMemory(store, clock=clock, **options) as one, AsyncMemory(store, clock=clock, **options) as two:
        world = World([one, two], clock, tag)
        for step in story:
            await world.do(*step)
        await world.end()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_nothing_private_shows_in_public_and_all_can_be_restored(
    kind: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> None:
    database = request.getfixturevalue("database") if kind == "postgres" else None
    numbers = itertools.count()

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(STORIES)
    def check(story: list[Step]) -> None:
        store = database or f"sqlite:///{tmp_path_factory.mktemp('story')}/memory.db"
        asyncio.run(tell(story, store, str(next(numbers))))

    check()
