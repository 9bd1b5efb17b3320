"""Who shares a commit: all that waits at once, and patient work with whoever writes in a hurry."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from recollect.stores.sqlite.engine import Engine
from recollect.stores.sqlite.schema import migrate
from recollect.stores.sqlite.tx import SQLiteTx
from recollect.testing.store_contract.samples import make_message

FOR_EVER = 3600.0


@asynccontextmanager
async def opened(folder: Path | None, linger: float) -> AsyncIterator[Engine[SQLiteTx]]:
    path = None if folder is None else folder / "memory.db"
    engine = Engine(path, migrate, lambda db: SQLiteTx(db, None), linger)
    try:
        yield engine
    finally:
        await engine.close()


async def say(engine: Engine[SQLiteTx], message_id: str, *, background: bool = False) -> bool:
    return await engine.write(lambda tx: tx.messages.add(make_message(message_id)), background=background)


async def commits(engine: Engine[SQLiteTx]) -> int:
    return await engine.read(lambda tx: tx.generation())


async def test_patient_work_goes_in_with_whoever_writes_next(tmp_path: Path):
    async with opened(tmp_path, FOR_EVER) as engine:
        await say(engine, "1")
        before = await commits(engine)
        waiting = asyncio.create_task(say(engine, "2", background=True))
        await asyncio.sleep(0)
        assert await commits(engine) == before
        assert await say(engine, "3")
        assert await waiting
        assert await commits(engine) == before + 1


async def test_patient_work_waits_for_nobody_when_nobody_was_there(tmp_path: Path):
    async with opened(tmp_path, FOR_EVER) as engine, asyncio.timeout(60):
        assert await say(engine, "1", background=True)
        assert await say(engine, "2", background=True)


async def test_in_memory_there_is_nothing_to_be_patient_for():
    async with opened(None, FOR_EVER) as engine, asyncio.timeout(60):
        await say(engine, "1")
        assert await say(engine, "2", background=True)


async def test_patient_work_does_not_wait_long(tmp_path: Path):
    async with opened(tmp_path, 0.001) as engine, asyncio.timeout(60):
        await say(engine, "1")
        assert await say(engine, "2", background=True)


async def test_patient_work_is_written_when_the_store_closes(tmp_path: Path):
    async with opened(tmp_path, FOR_EVER) as engine:
        await say(engine, "1")
        waiting = asyncio.create_task(say(engine, "2", background=True))
        await asyncio.sleep(0)
    assert await waiting
