"""Who shares a commit: all that waits at once."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from recollect.stores.sqlite.engine import Engine
from recollect.stores.sqlite.schema import migrate
from recollect.stores.sqlite.tx import SQLiteTx
from recollect.testing.store_contract.samples import make_message


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Engine[SQLiteTx]]:
    engine = Engine(folder / "memory.db", migrate, lambda db: SQLiteTx(db, None))
    try:
        yield engine
    finally:
        await engine.close()


async def say(engine: Engine[SQLiteTx], message_id: str) -> bool:
    return await engine.write(lambda tx: tx.messages.add(make_message(message_id)))


async def commits(engine: Engine[SQLiteTx]) -> int:
    return await engine.read(lambda tx: tx.generation())


@asynccontextmanager
async def busy(engine: Engine[SQLiteTx]) -> AsyncIterator[None]:
    """The writer's thread is held up by a unit of work that is not done yet."""
    entered, go_on = threading.Event(), threading.Event()

    def work(_: SQLiteTx) -> None:
        entered.set()
        go_on.wait(60)

    holding = asyncio.create_task(engine.write(work))
    await asyncio.to_thread(entered.wait, 60)
    try:
        yield
    finally:
        go_on.set()
        await holding


async def test_what_waits_together_shares_a_commit(tmp_path: Path):
    async with opened(tmp_path) as engine:
        before = await commits(engine)
        async with busy(engine):
            waiting = [asyncio.create_task(say(engine, str(number))) for number in range(5)]
            await asyncio.sleep(0)
        assert all(await asyncio.gather(*waiting))
        assert await commits(engine) == before + 2, "the one that held up the others, and they together"


async def test_what_is_queued_is_written_when_the_store_closes(tmp_path: Path):
    async with opened(tmp_path) as engine, busy(engine):
        waiting = asyncio.create_task(say(engine, "1"))
        await asyncio.sleep(0)
    assert await waiting
