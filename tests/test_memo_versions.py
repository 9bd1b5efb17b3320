"""A memo counts its changes, so that of two concurrent changes only one succeeds: no update is lost."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from recollect import EVERYWHERE, AsyncMemory, Audience, Forgotten, Memo, Restored, VersionConflict
from recollect.admin import Admin
from recollect.core.types import Subject
from recollect.testing.clock import FakeClock
from tests import ground
from tests.scenes import opened

ANN = Subject("ann")
DM = Audience("dm", "ann")

Change = Callable[[AsyncMemory, Memo, str], Awaitable[object]]
OWNERS: dict[str, Change] = {
    "update": lambda memory, memo, text: memory.update(memo.id, text, user="ann", version=memo.version),
    "tags": lambda memory, memo, text: memory.update(memo.id, user="ann", tags=[text], version=memo.version),
    "forget": lambda memory, memo, _: memory.forget(memo.id, user="ann", version=memo.version),
    "pin": lambda memory, memo, _: memory.pin(memo.id, user="ann", version=memo.version),
    "unpin": lambda memory, memo, _: memory.pin(memo.id, user="ann", pinned=False, version=memo.version),
    "share": lambda memory, memo, _: memory.share(memo.id, user="ann", version=memo.version),
}
OPERATORS: dict[str, Callable[[Admin, Memo, str], Awaitable[object]]] = {
    "update": lambda admin, memo, text: admin.update(ANN, memo.id, text, version=memo.version),
    "retire": lambda admin, memo, _: admin.retire(ANN, memo.id, memo.version),
    "pin": lambda admin, memo, _: admin.pin(ANN, memo.id, version=memo.version),
    "share": lambda admin, memo, _: admin.share(ANN, memo.id, DM, memo.version),
}


async def both(*changes: Awaitable[object]) -> VersionConflict:
    """Make two changes at once; the conflict of the one that lost."""
    results = await asyncio.gather(*changes, return_exceptions=True)
    conflicts = [result for result in results if isinstance(result, BaseException)]
    assert [type(conflict) for conflict in conflicts] == [VersionConflict], results
    return conflicts[0]  # type: ignore[return-value]


def memory_at(path: Path) -> AsyncMemory:
    return AsyncMemory(ground.at(path), clock=FakeClock(), embedder="null", model="null", run_worker=False)


async def test_every_change_of_a_memo_raises_its_version_and_no_use_of_it_does() -> None:
    async with opened() as stage:
        memory, memo = stage.memory, await stage.remember("I like tea")
        assert memo.version == 1
        changes: list[Callable[[], Awaitable[object]]] = [
            lambda: memory.update(memo.id, "I like green tea", user="discord:ann"),
            lambda: memory.update(memo.id, user="discord:ann", tags=["drink"]),
            lambda: memory.pin(memo.id, user="discord:ann"),
            lambda: memory.pin(memo.id, user="discord:ann", pinned=False),
            lambda: memory.share(memo.id, user="discord:ann"),
            lambda: memory.forget(memo.id, user="discord:ann"),
            lambda: memory.restore(memo.id, user="discord:ann"),
            lambda: memory.undo(user="discord:ann"),
            lambda: memory.redo(user="discord:ann"),
            lambda: memory.remember("I like green tea", user="discord:ann", audience=EVERYWHERE),
        ]
        version = 1
        for number, change in enumerate(changes):
            told = await change()
            stored = await memory.get(memo.id, user="ann")
            assert stored.version > version, number
            shown = told if isinstance(told, Memo) else getattr(told, "memo", stored)
            assert shown.version == stored.version, number
            version = stored.version
        await memory.search("tea", user="ann")
        await memory.engine.usage.close()
        assert (await memory.get(memo.id, user="ann")).hits == 1
        await memory.update(memo.id, "I like green tea", user="discord:ann", version=version)
        assert (await memory.get(memo.id, user="ann")).version == version, "what changes nothing is no change"


@pytest.mark.parametrize("verb", OWNERS)
async def test_of_two_changes_of_what_both_have_seen_exactly_one_is_made(verb: str, tmp_path: Path) -> None:
    """In two processes, as far as the store can tell."""
    async with memory_at(tmp_path / "memory.db") as one, memory_at(tmp_path / "memory.db") as other:
        memo = (await one.remember("I like tea", user="ann", pinned=verb == "unpin")).memo
        conflict = await both(OWNERS[verb](one, memo, "I like mate"), OWNERS[verb](other, memo, "I like coffee"))
        stored = await one.get(memo.id, user="ann")
        assert (conflict.memo, conflict.version, conflict.text) == (memo.id, stored.version, stored.text)
        assert f"repeat your change with version {stored.version}" in str(conflict)
        assert len(await one.history(memo.id, user="ann")) == 2, "the other change left no trace"


@pytest.mark.parametrize("verb", OPERATORS)
async def test_the_operator_does_not_overwrite_what_the_owner_has_just_changed(verb: str, tmp_path: Path) -> None:
    async with memory_at(tmp_path / "memory.db") as memory:
        admin = Admin(memory, FakeClock())
        memo = (await memory.remember("I like tea", user="ann")).memo
        mine = await memory.update(memo.id, "I like mate", user="ann")
        with pytest.raises(VersionConflict):
            await OPERATORS[verb](admin, memo, "I like coffee")
        assert await memory.get(memo.id, user="ann") == mine
        await OPERATORS[verb](admin, mine, "I like coffee")
        assert (await memory.get(memo.id, user="ann")).version == mine.version + 1


async def test_what_was_brought_back_since_is_not_restored_or_forgotten_by_its_old_version() -> None:
    async with opened() as stage:
        memory, memo = stage.memory, await stage.remember("I like tea")
        assert isinstance(await memory.forget(memo.id, user="discord:ann", version=memo.version), Forgotten)
        with pytest.raises(VersionConflict):
            await memory.forget(memo.id, user="discord:ann", version=memo.version)
        gone = await memory.get(memo.id, user="discord:ann")
        assert isinstance(await memory.restore(memo.id, user="discord:ann", version=gone.version), Restored)
        with pytest.raises(VersionConflict):
            await memory.restore(memo.id, user="discord:ann", version=gone.version)


async def test_the_version_is_shown_to_nobody_who_may_not_see_the_memo() -> None:
    async with opened() as stage:
        memo = await stage.remember("I like tea")
        for verb in ("update", "pin", "share"):
            with pytest.raises(Exception, match="there is no memory"):
                await getattr(stage.memory, verb)(memo.id, user="ben", version=7)
