"""Copying between an SQLite file and a PostgreSQL server, both ways."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from recollect.core.errors import BadInput
from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.ports.jobs import NewJob
from recollect.core.state import Owner, StateKind
from recollect.core.types import Exchange, Place, Provenance, Summary, Tombstone
from recollect.faces.cli.main import build
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
from recollect.transfer.copying import copy
from tests import scenes
from tests.stores import opening
from tests.stores.opening import faults
from tests.stores.postgres import in_database, made_database, opened


@pytest.fixture
async def source(tmp_path: Path) -> AsyncIterator[Store]:
    """A file that has something of everything."""
    async with opening.opened(tmp_path / "source.db") as store:
        await fill(store)
        yield store


@pytest.fixture
async def server(database: str) -> AsyncIterator[Store]:
    async with opened(database) as store:
        yield store


async def test_from_a_file_to_a_server_and_back_is_the_same(source: Store, server: Store, tmp_path: Path):
    there = await copy(source, server)
    assert there.ok
    assert all(each.source.count for each in there.sections)
    assert list(faults(await server.check_health())) == ["jobs"]  # the one that was failed
    async with opening.opened(tmp_path / "back.db") as back:
        again = await copy(server, back)
        assert again.ok
        assert [each.target for each in again.sections] == [each.source for each in there.sections]
        assert prints(await contents(back)) == prints(await contents(source))
        assert list(faults(await back.check_health())) == ["jobs"]


@pytest.mark.parametrize("odd", ["a\x00b", "a\ud800b", "\u2028 東京 \U0001f600 %s {} \\u0000 '\"", "é" * 199, "\n"])
async def test_odd_characters_pass_from_a_file_to_a_server(server: Store, tmp_path: Path, odd: str):
    memo = make_memo(
        odd, tags=(odd,), label=odd, source=Provenance(actor=odd, evidence=odd, metadata={odd: [odd, 1e300, 1, 1.0]})
    )
    async with opening.opened(tmp_path / "odd.db") as source:
        await put(source, memo)
        await say(source, make_message(odd, Place("discord", odd, odd, odd), author=odd, name=odd, source=odd))
        await source.write(lambda tx: tx.events.add(Event(odd, at(-9), odd, odd, odd, odd, {odd: odd})))
        await source.write(lambda tx: tx.jobs.add(NewJob(odd, odd, {odd: odd}, at(0), odd, odd)))
        await source.write(lambda tx: tx.summaries.save(Summary(odd, odd, 1, at(0))))
        await source.write(lambda tx: tx.exchanges.add(Exchange(odd, odd, odd, odd, odd, odd, at(0), at(9))))
        await source.write(lambda tx: tx.state.append(StateKind.OTHER, odd, odd, Owner.member(odd, odd)))
        await source.write(lambda tx: tx.memos.add_tombstone(Tombstone(odd, odd, at(0))))
        assert (await copy(source, server)).ok
        async with opening.opened(tmp_path / "back.db") as back:
            assert (await copy(server, back)).ok
            assert prints(await contents(back)) == prints(await contents(source))


async def test_from_a_server_to_another(server: Store, postgres: str, template: str):
    await fill(server)
    with made_database(postgres, template) as name:
        async with opened(in_database(postgres, name)) as other:
            assert (await copy(server, other)).ok
            assert prints(await contents(other)) == prints(await contents(server))


async def test_copying_to_a_server_again_changes_nothing(source: Store, server: Store):
    await copy(source, server)
    again = await copy(source, server)
    assert (again.ok, again.written, again.removed) == (True, 0, 0)


async def test_what_changed_in_the_file_comes_to_the_server_with_the_next_copy(source: Store, server: Store):
    await copy(source, server)

    def change(tx: Tx) -> None:
        tx.messages.add(make_message("a new line", OTHER, 50, id="new"))
        tx.messages.edit("discord", "line 4", "edited words", at(60))
        tx.messages.erase([("discord", "line 6"), ("discord", "said")], at(61))
        tea = tx.memos.get(ADA, make_memo("I like tea").id)
        assert tea is not None
        tx.memos.remove(tea)
        tx.memos.put(make_memo("I prefer coffee"), (MODEL, unit_vector(3, 2, 1)))
        tx.state.clear(StateKind.UNLEARNED_TURNS, "ada")
        tx.events.redact([event.id for event in tx.events.list()])
        tx.events.add(Event("later", at(63)))
        (job, *_) = tx.jobs.claim("w", at(99), at(199), 1)
        tx.jobs.finish(job.id, "w")

    await source.write(change)
    assert (await copy(source, server)).ok
    assert prints(await contents(server)) == prints(await contents(source))
    assert await find(server, "tea") == []
    assert await find(server, "coffee") == ["I prefer coffee"]
    assert list(faults(await server.check_health())) == ["jobs"]


async def test_a_server_that_was_used_since_is_refused_untouched(source: Store, server: Store):
    await copy(source, server)
    await put(server, make_memo("learned after the move"))
    before = await contents(server)
    with pytest.raises(BadInput, match="written to since"):
        await copy(source, server)
    assert await contents(server) == before


@pytest.mark.slow
async def test_a_copy_to_a_server_that_is_killed_goes_on_where_it_stopped(tmp_path: Path, database: str):
    async with opening.opened(tmp_path / "source.db") as source:
        await fill(source)
        await put(source, *(make_memo(f"fact number {n}") for n in range(3_000)))
        await say(source, *(make_message(f"line {n}", id=f"m{n}") for n in range(3_000)))
    for steps in (1, 5):
        await asyncio.to_thread(copy_until_killed, f"sqlite:///{tmp_path}/source.db", database, steps)
    async with opening.opened(tmp_path / "source.db") as source, opened(database) as server:
        there = sum(map(len, (await contents(server)).values()))
        assert there > 3_000
        done = await copy(source, server)
        assert done.ok
        assert done.written == sum(each.source.count for each in done.sections) - there


COPY = """
import asyncio, sys
from recollect import plugins
from recollect.transfer.copying import copy

async def main():
    source, target = (plugins.load("stores", spec) for spec in sys.argv[1:])
    await copy(source, target, lambda done, total: print(done, total, flush=True))

asyncio.run(main())
"""


def copy_until_killed(source: str, target: str, steps: int) -> None:
    """Let a process copy, and kill it when it has said so often how far it is."""
    with subprocess.Popen([sys.executable, "-c", COPY, source, target], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(steps)]
        process.kill()
    assert all(lines)


async def test_a_memory_that_moved_to_a_server_answers_as_before_and_goes_on_working(tmp_path: Path, database: str):
    first = f"sqlite:///{tmp_path}/memory.db"
    async with scenes.opened(store=first, embedder="static") as stage:
        await stage.remember("I like green tea in the morning", "My sister Kim lives in Oslo", "I work at Acme")
        for text in ("The release is on Friday", "Shall we ship the parser?", "Kim visits us next week", "Tea, please"):
            await stage.say(text)
        await stage.summarise("They plan the release.")
        await stage.memory.reindex()
    async with opening.opened(tmp_path / "memory.db") as source, opened(database) as server:
        assert (await copy(source, server)).ok
    seen: list[object] = []
    for store in (first, database):
        async with scenes.opened(store=store, embedder="static", data_dir=str(tmp_path)) as stage:
            found = [
                [
                    (each.text, round(each.score, 4))
                    for each in await stage.memory.search(query, user="ann", place=scenes.DEV, over=corpus)
                ]
                for corpus in ("memos", "messages")
                for query in ("tea", "Who is Kim?", "release")
            ]
            assert all(found)
            seen.append((found, (await stage.prompt("When does Kim visit?")).text))
    assert seen[0] == seen[1]
    async with scenes.opened(store=database, model=FakeModel(), data_dir=str(tmp_path)) as stage:
        stage.clock.advance(hours=1)
        await stage.settle()
        assert "The release is on Friday" in await stage.known(place=scenes.DEV)


def test_the_command_copies_to_a_server_and_never_prints_its_password(tmp_path: Path, database: str):
    def run(*args: str) -> str:
        done = CliRunner().invoke(build(colors=False), list(args), env={"RECOLLECT_EMBEDDER": "null"})
        assert done.exit_code == 0, done.output
        assert password not in done.output
        return done.stdout

    password = "hunter" + "2"
    address = database.replace("postgres@", f"postgres:{password}@")
    path = str(tmp_path / "memory.db")
    run("--store", path, "remember", "I like tea")
    assert "counts and content agree" in run("copy", path, address)
    assert "I like tea" in run("--store", address, "show")
    assert f"postgres:***@{address.partition('@')[2]}" in run("--json", "copy", address, str(tmp_path / "back.db"))
