"""Copying a store into another: nothing is lost, nothing is overwritten, and being killed costs nothing."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import apsw
import pytest

from recollect.core.errors import BadInput, NewerSchema, StoreError
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.ports.archive import SECTIONS
from recollect.core.state import StateKind
from recollect.stores.sqlite import create
from recollect.testing.models import FakeModel
from recollect.testing.store_contract.archive import MODEL, contents, fill, prints
from recollect.testing.store_contract.samples import (
    ADA,
    OTHER,
    at,
    find,
    make_memo,
    make_message,
    put,
    say,
    unit_vector,
)
from recollect.transfer.copying import CopyReport, copy
from tests import scenes
from tests.stores.opening import faults, opened

COPY = """
import asyncio, sys
from recollect.transfer.copying import copy
from recollect.stores.sqlite import create

async def main():
    source, target = create("sqlite:///" + sys.argv[1]), create("sqlite:///" + sys.argv[2])
    await copy(source, target, lambda done, total: print(done, total, flush=True))
    print("done", flush=True)

asyncio.run(main())
"""


@pytest.fixture
async def source(tmp_path: Path) -> AsyncIterator[Store]:
    """A store that has something of everything."""
    async with opened(tmp_path / "source.db") as store:
        await fill(store)
        yield store


@pytest.fixture
async def target(tmp_path: Path) -> AsyncIterator[Store]:
    async with opened(tmp_path / "target.db") as store:
        yield store


async def same(one: Store, other: Store) -> bool:
    return prints(await contents(one)) == prints(await contents(other))


def differing(done: CopyReport) -> list[str]:
    return [each.section for each in done.sections if not each.agrees]


async def test_a_copy_holds_everything_that_the_store_held(source: Store, target: Store):
    steps: list[tuple[int, int]] = []
    done = await copy(source, target, lambda *step: steps.append(step))
    found = await contents(source)
    assert (done.ok, done.disturbed, done.removed) == (True, False, 0)
    assert [(each.section, each.source.count) for each in done.sections] == [
        (section, len(found[section])) for section in SECTIONS
    ]
    assert all(each.source.count for each in done.sections)
    assert done.written == sum(map(len, found.values()))
    assert prints(await contents(target)) == prints(found)
    assert list(faults(await target.check_health())) == ["jobs"]  # the one that failed
    assert steps == sorted(steps)
    assert steps[-1][0] == steps[-1][1] == 3 * done.written


async def test_copying_again_changes_nothing(source: Store, target: Store):
    first = await copy(source, target)
    again = await copy(source, target)
    assert (again.ok, again.written, again.removed) == (True, 0, 0)
    assert again.sections == first.sections


async def test_an_empty_store_can_be_copied_too(tmp_path: Path, target: Store):
    async with opened(tmp_path / "empty.db") as empty:
        done = await copy(empty, target)
    assert (done.ok, done.written) == (True, 0)


async def test_copying_to_another_store_and_back_loses_nothing(source: Store, target: Store, tmp_path: Path):
    await copy(source, target)
    async with opened(tmp_path / "back.db") as back:
        assert (await copy(target, back)).ok
        assert await same(source, back)


async def test_what_changed_in_the_source_comes_with_the_next_copy(source: Store, target: Store):
    await copy(source, target)

    def change(tx: Tx) -> None:
        tx.messages.add(make_message("a new line", OTHER, 50, id="new"))
        tx.messages.edit("discord", "line 4", "edited words", at(60))
        tx.messages.erase([("discord", "line 6"), ("discord", "said")], at(61))
        tea = tx.memos.get(ADA, make_memo("I like tea").id)
        assert tea is not None
        tx.memos.remove(tea)
        tx.memos.put(make_memo("I prefer coffee"), (MODEL, unit_vector(3, 2, 1)))
        tx.state.clear(StateKind.UNLEARNED_TURNS, "ada")
        tx.summaries.clear("s1", at(62))
        tx.events.redact([event.id for event in tx.events.list()])
        tx.events.add(Event("later", at(63)))
        (job, *_) = tx.jobs.claim("w", at(99), at(199), 1)
        tx.jobs.finish(job.id, "w")

    await source.write(change)
    done = await copy(source, target)
    assert done.ok
    assert done.removed > 0
    assert await same(source, target)
    assert await find(target, "tea") == []
    assert await find(target, "coffee") == ["I prefer coffee"]
    assert await find(target, "line edited", [OTHER.stream], "messages") != []
    assert list(faults(await target.check_health())) == ["jobs"]
    assert (await copy(source, target)).written == 0


async def test_a_model_that_no_longer_serves_leaves_the_copy_as_well(source: Store, target: Store):
    await copy(source, target)

    def change_model(tx: Tx) -> None:
        rows = tx.index.unembedded("memos", "model-b", 99)
        tx.index.put_vectors("memos", "model-b", {key: unit_vector(1, 2) for key, _ in rows})
        tx.index.activate("memos", "model-b")

    await source.write(change_model)
    assert (await copy(source, target)).ok
    assert [each.model for each in await target.read(lambda tx: tx.index.vectors("memos"))] == ["model-b"]
    assert await same(source, target)


async def test_what_is_written_while_it_is_copied_is_noticed_and_comes_with_the_next_run(source: Store, target: Store):
    await put(source, *(make_memo(f"fact {n}") for n in range(3_000)))
    writing: list[asyncio.Task[object]] = []

    def write_meanwhile(done: int, total: int) -> None:
        del done, total
        number = len(writing)
        message = make_message(f"late {number}", OTHER, 90 + number, id=f"late {number}")
        writing.append(asyncio.create_task(say(source, message)))

    done = await copy(source, target, write_meanwhile)
    await asyncio.gather(*writing)
    assert done.disturbed
    again = await copy(source, target)
    assert (again.ok, again.disturbed) == (True, False)
    assert await same(source, target)


async def test_a_copy_that_is_killed_goes_on_where_it_stopped(tmp_path: Path):
    async with opened(tmp_path / "source.db") as source:
        await fill(source)
        await put(source, *(make_memo(f"fact number {n}") for n in range(3_000)))
        await say(source, *(make_message(f"line {n}", id=f"m{n}") for n in range(3_000)))
    there = 0
    for steps in (1, 5):
        await asyncio.to_thread(copy_until_killed, tmp_path, steps)
        async with opened(tmp_path / "target.db") as target:
            found = await contents(target)
            assert not [check for check in faults(await target.check_health()) if check != "jobs"]
        assert sum(map(len, found.values())) > there
        there = sum(map(len, found.values()))
    async with opened(tmp_path / "source.db") as source, opened(tmp_path / "target.db") as target:
        done = await copy(source, target)
        assert done.ok
        assert done.written + there == sum(each.source.count for each in done.sections)
        assert await same(source, target)


def copy_until_killed(folder: Path, steps: int) -> None:
    """Let a process copy, and kill it when it has said so often how far it is."""
    command = [sys.executable, "-c", COPY, str(folder / "source.db"), str(folder / "target.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(steps)]
        process.kill()
    assert "done\n" not in lines


async def test_a_target_with_memories_of_its_own_is_refused_untouched(source: Store, target: Store):
    await put(target, make_memo("mine"))
    before = await contents(target)
    with pytest.raises(BadInput, match="memories of its own"):
        await copy(source, target)
    assert await contents(target) == before


async def test_a_copy_that_was_used_meanwhile_is_refused_untouched(source: Store, target: Store):
    await copy(source, target)
    await put(target, make_memo("learned after the move"))
    before = await contents(target)
    with pytest.raises(BadInput, match="written to since it was copied"):
        await copy(source, target)
    assert await contents(target) == before


async def test_a_copy_of_another_store_is_refused(source: Store, target: Store, tmp_path: Path):
    await copy(source, target)
    async with opened(tmp_path / "other.db") as other:
        with pytest.raises(BadInput, match="copy of another store"):
            await copy(other, target)


async def test_a_store_is_not_copied_into_itself_however_it_is_named(source: Store, tmp_path: Path):
    (tmp_path / "link.db").symlink_to(tmp_path / "source.db")
    for name in ("source.db", "link.db"):
        async with opened(tmp_path / name) as again:
            with pytest.raises(BadInput, match="the same store"):
                await copy(source, again)


@pytest.mark.slow
async def test_half_a_copy_is_no_source(source: Store, tmp_path: Path):
    await put(source, *(make_memo(f"fact {n}") for n in range(2_000)))
    await asyncio.to_thread(copy_until_killed, tmp_path, 1)
    async with opened(tmp_path / "target.db") as half, opened(tmp_path / "third.db") as third:
        with pytest.raises(BadInput, match="not finished"):
            await copy(half, third)
        assert (await copy(source, half)).ok
        assert (await copy(half, third)).ok


async def test_a_damaged_target_is_noticed_before_anything_is_written(source: Store, target: Store, tmp_path: Path):
    await copy(source, target)
    damage(tmp_path / "target.db")
    with pytest.raises(BadInput, match="written to since"):
        await copy(source, target)


async def test_a_target_that_changes_under_the_copy_does_not_pass_the_check(
    source: Store, target: Store, tmp_path: Path
):
    damaged: list[int] = []

    def spoil(done: int, total: int) -> None:
        del total
        if not damaged:
            damaged.append(done)
            damage(tmp_path / "target.db")

    done = await copy(source, target, spoil)
    assert not done.ok
    assert differing(done) == ["messages"]
    counts = [(each.source.count, each.target.count) for each in done.sections if not each.agrees]
    assert counts[0][0] == counts[0][1]


def damage(path: Path) -> None:
    """Another program changes one letter of one message."""
    with apsw.Connection(str(path)) as connection:
        connection.execute("UPDATE messages SET text = 'saif' WHERE text = 'said'")
        assert connection.changes() == 1
    connection.close()


async def test_two_copies_into_one_target_at_a_time_do_not_mix(source: Store, target: Store):
    results = await asyncio.gather(copy(source, target), copy(source, target), return_exceptions=True)
    for result in results:
        assert isinstance(result, CopyReport | StoreError | BadInput), result
    assert any(isinstance(result, CopyReport) and result.ok for result in results), results
    assert await same(source, target)


async def test_a_store_of_a_newer_version_is_left_alone_on_either_side(tmp_path: Path):
    async with opened(tmp_path / "newer.db"):
        pass
    with apsw.Connection(str(tmp_path / "newer.db")) as connection:
        connection.pragma("user_version", 99)
    connection.close()
    before = (tmp_path / "newer.db").read_bytes()
    with pytest.raises(NewerSchema):
        create(f"sqlite:///{tmp_path}/newer.db")
    assert (tmp_path / "newer.db").read_bytes() == before


async def test_a_memory_on_the_copy_answers_as_the_first_one_and_goes_on_working(tmp_path: Path):
    paths = [tmp_path / name / "memory.db" for name in ("first", "second")]
    first, second = (f"sqlite:///{path}" for path in paths)
    async with scenes.opened(store=first, embedder="static") as stage:
        await stage.remember("I like green tea in the morning", "My sister Kim lives in Oslo", "I work at Acme")
        for text in ("The release is on Friday", "Shall we ship the parser?", "Kim visits us next week", "Tea, please"):
            await stage.say(text)
        await stage.summarise("They plan the release.")
        await stage.memory.reindex()
    async with opened(paths[0]) as source, opened(paths[1]) as target:
        assert (await copy(source, target)).ok
    seen: list[object] = []
    for store in (first, second):
        async with scenes.opened(store=store, embedder="static") as stage:
            found = [
                [
                    (each.text, each.score)
                    for each in await stage.memory.search(query, user="ann", place=scenes.DEV, over=corpus)
                ]
                for corpus in ("memos", "messages")
                for query in ("tea", "Who is Kim?", "release")
            ]
            assert all(found)
            seen.append((found, (await stage.prompt("When does Kim visit?")).text))
    assert seen[0] == seen[1]
    async with scenes.opened(store=second, model=FakeModel()) as stage:
        stage.clock.advance(hours=1)
        await stage.settle()
        assert "The release is on Friday" in await stage.known(place=scenes.DEV)


def _as_written_by_the_first_version(text: str) -> str:
    """A bookmark without a version, whose sections have their former names."""
    bookmark = json.loads(text)
    del bookmark["version"]
    bookmark["totals"]["counters"] = bookmark["totals"].pop("state")
    return json.dumps(bookmark)


@pytest.mark.parametrize("complete", [True, False])
async def test_a_copy_begun_by_the_first_version_is_refused_and_says_what_to_do(
    source: Store, target: Store, complete: bool
):
    await copy(source, target)

    def age(tx: Tx) -> None:
        bookmark = json.loads(_as_written_by_the_first_version(tx.archive.bookmark() or ""))
        tx.archive.put_bookmark(json.dumps(bookmark | {"complete": complete}))

    await target.write(age)
    before = prints(await contents(target))
    with pytest.raises(BadInput, match=r"another version of recollect made.*copy again into an empty store"):
        await copy(source, target)
    assert prints(await contents(target)) == before


async def test_a_store_that_the_first_version_copied_to_can_be_copied_from(
    source: Store, target: Store, tmp_path: Path
):
    await copy(source, target)
    await target.write(
        lambda tx: tx.archive.put_bookmark(_as_written_by_the_first_version(tx.archive.bookmark() or ""))
    )
    async with opened(tmp_path / "third.db") as third:
        assert (await copy(target, third)).ok
