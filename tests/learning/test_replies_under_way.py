"""A reply that is stored in the same moment as its question is deleted does not repeat it: on PostgreSQL, where two
transactions write at once and neither sees the other.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from recollect import AsyncMemory, Message, Place
from recollect.learning.recently_removed import RecentlyRemoved

AT = datetime(2026, 11, 18, 12, 0, tzinfo=UTC)
PLACE = Place(channel="dev", guild="lab", platform="discord")
QUESTION = Message("1", "ann", PLACE, "I live in Lisbon, in Rua Augusta. Where is that?", AT, "Ann")
ANSWER = Message("2", "bot", PLACE, "You live in Lisbon.", AT + timedelta(seconds=2), "Bot", bot=True, reply_to="1")


class _Held(RecentlyRemoved):
    """Holds a transaction between its look at what was removed and its commit."""

    def __init__(self) -> None:
        super().__init__(lambda: AT + timedelta(seconds=1))
        self.has_looked, self.may_go_on = threading.Event(), threading.Event()

    def without_removed(self, tx: object, reply: Message) -> str:
        text = super().without_removed(tx, reply)  # pyright: ignore[reportArgumentType]
        if not self.has_looked.is_set():
            self.has_looked.set()
            assert self.may_go_on.wait(30)
        return text


@pytest.fixture
async def memory(database: str) -> AsyncIterator[AsyncMemory]:
    async with AsyncMemory(database, embedder="null", model="local", profile="unified", clock=lambda: AT) as opened:
        yield opened


async def meanwhile(memory: AsyncMemory, stores: Awaitable[object], removes: Callable[[], Awaitable[object]]) -> None:
    """Remove something after the other transaction has looked at what was removed, and before it commits."""
    held = memory.engine.removed = _Held()
    storing = asyncio.ensure_future(stores)
    assert await asyncio.to_thread(held.has_looked.wait, 30)
    await removes()
    held.may_go_on.set()
    await storing


async def kept(memory: AsyncMemory) -> str:
    messages = await memory.store.read(lambda tx: tx.messages.recent(PLACE, 10))
    exchanges = await memory.store.read(lambda tx: tx.exchanges.recent("discord:lab", AT, 10))
    return str([message.text for message in messages] + [exchange.text for exchange in exchanges])


async def test_a_reply_that_is_added_while_its_question_is_deleted(memory: AsyncMemory) -> None:
    await memory.add(QUESTION)
    await meanwhile(memory, memory.add(ANSWER), lambda: memory.message_deleted("discord", "1"))
    assert "Lisbon" not in await kept(memory)


async def test_a_reply_that_grows_while_its_question_is_deleted(memory: AsyncMemory) -> None:
    await memory.add([QUESTION, Message("2", "bot", PLACE, "Let me see.", AT, "Bot", bot=True, reply_to="1")])
    growing = memory.message_edited("discord", "2", "Let me see. You live in Lisbon.", AT + timedelta(seconds=2))
    await meanwhile(memory, growing, lambda: memory.message_deleted("discord", "1"))
    assert "Lisbon" not in await kept(memory)


async def test_a_reply_that_is_added_while_its_question_is_edited(memory: AsyncMemory) -> None:
    await memory.add(QUESTION)
    edit = AT + timedelta(seconds=3)
    await meanwhile(
        memory, memory.add(ANSWER), lambda: memory.message_edited("discord", "1", "Where is Rua Augusta?", edit)
    )
    assert "Lisbon" not in await kept(memory)


async def test_a_reply_that_is_added_while_its_asker_is_erased(memory: AsyncMemory) -> None:
    await memory.add(QUESTION)
    await meanwhile(memory, memory.add(ANSWER), lambda: memory.erase(user="discord:ann", place=PLACE))
    assert "Lisbon" not in await kept(memory)


async def test_a_reply_stays_as_it_is_when_something_else_is_deleted_meanwhile(memory: AsyncMemory) -> None:
    await memory.add([QUESTION, Message("3", "bea", PLACE, "I have two cats", AT, "Bea")])
    await meanwhile(memory, memory.add(ANSWER), lambda: memory.message_deleted("discord", "3"))
    assert "You live in Lisbon." in await kept(memory)
