"""The loop that keeps files up to date: how often it looks, what it does about failures, and two of them at once."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from recollect.core.events import Event
from recollect.core.ports import Store, Tx
from recollect.core.types import Place
from recollect.testing.models import FakeModel
from recollect.transfer.mirror.follower import MirrorTargets, MirrorWriter
from tests.scenes import DEV, DM, Stage
from tests.transfer.mirror.keeping import keeping, kept, written
from tests.waiting import eventually

T = TypeVar("T")


class Pauses:
    """Time for a keeper: each pause lasts until it is told to go on."""

    def __init__(self) -> None:
        self.asked: list[float] = []
        self._on = asyncio.Event()

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        self._on.clear()
        await self._on.wait()

    async def go_on(self) -> None:
        """Let it work, until it pauses again."""
        await eventually(lambda: bool(self.asked))
        before = len(self.asked)
        self._on.set()
        await eventually(lambda: len(self.asked) > before)


@asynccontextmanager
async def kept_by_hand(data: Path, profile: str = "unified", **folders: object) -> AsyncIterator[tuple[Stage, Pauses]]:
    """A stage and a keeper beside it, whose time is ours."""
    pauses = Pauses()
    async with keeping(data, profile, mirror__files=[], run_worker=False) as stage:
        keeper = MirrorWriter(stage.memory.store, MirrorTargets(data / "memory", **folders), stage.clock, pauses)  # type: ignore[arg-type]
        keeper.start()
        await eventually(lambda: bool(pauses.asked))
        try:
            yield stage, pauses
        finally:
            await keeper.close()


def snapshot(data: Path) -> Path:
    return data / "memory" / "MEMORY.md"


@pytest.mark.acceptance("D7")
async def test_the_snapshot_is_made_anew_at_the_start(tmp_path: Path) -> None:
    async with keeping(tmp_path, mirror__files=[]) as stage:
        place = Place("discord", "100", "200", name="hall", public=True)
        await stage.remember("I prefer tea", place=place, message="5")
    assert not snapshot(tmp_path).exists()
    async with kept_by_hand(tmp_path, snapshot=True):
        text = snapshot(tmp_path).read_text("utf-8")
    snapshot(tmp_path).write_text("somebody wrote over it", "utf-8")
    async with kept_by_hand(tmp_path, snapshot=True):  # nothing has changed since: the log alone would not make it
        assert snapshot(tmp_path).read_text("utf-8") == text
    assert "I prefer tea" in text
    assert "[↗](https://discord.com/channels/100/200/5)" in text


@pytest.mark.acceptance("D20")
async def test_changes_within_a_second_are_written_at_one_go(tmp_path: Path) -> None:
    async with kept_by_hand(tmp_path, snapshot=True) as (stage, pauses):
        before = snapshot(tmp_path).read_bytes()
        for text in ("I prefer tea", "I live in Rome", "I have a cat"):
            await stage.remember(text)
        assert snapshot(tmp_path).read_bytes() == before
        await pauses.go_on()
        text = snapshot(tmp_path).read_text("utf-8")
        assert all(fact in text for fact in ("I prefer tea", "I live in Rome", "I have a cat"))
        inode = snapshot(tmp_path).stat().st_ino
        await pauses.go_on()
        assert snapshot(tmp_path).stat().st_ino == inode, "what has not changed is not written"
    assert set(pauses.asked) == {1.0}


@pytest.mark.acceptance("D8")
async def test_every_five_minutes_the_snapshot_is_made_anew_whatever_the_log_says(tmp_path: Path) -> None:
    async with kept_by_hand(tmp_path, snapshot=True) as (stage, pauses):
        snapshot(tmp_path).unlink()
        stage.clock.advance(minutes=4)
        await pauses.go_on()
        assert not snapshot(tmp_path).exists()
        stage.clock.advance(minutes=1)
        await pauses.go_on()
        assert snapshot(tmp_path).exists()


async def test_closing_writes_what_changed_last(tmp_path: Path) -> None:
    durable = tmp_path / "durable"
    async with kept_by_hand(tmp_path, durable=durable) as (stage, _):
        await stage.remember("I prefer tea")
        assert kept(durable) == []
    assert kept(durable) == ["ann.json"]


@pytest.mark.acceptance("B72")
async def test_a_folder_that_cant_be_written_is_said_once_and_tried_again(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    durable = tmp_path / "durable"
    durable.write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        async with kept_by_hand(tmp_path, durable=durable) as (stage, pauses):
            await stage.remember("I prefer tea")
            await pauses.go_on()
            await stage.remember("I live in Rome")
            await pauses.go_on()
            assert caplog.text.count("can't be kept up to date") == 1
            assert pauses.asked == [1.0, 30.0, 30.0]
            assert await stage.known() == ["I live in Rome", "I prefer tea"]
            durable.unlink()
            await pauses.go_on()
            assert pauses.asked[-1] == 1.0
            texts = [item["text"] for item in json.loads((durable / "ann.json").read_text("utf-8"))["items"]]
            assert texts == ["I prefer tea", "I live in Rome"]


async def test_a_store_that_is_gone_does_not_end_the_keeper(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    pauses = Pauses()
    async with keeping(tmp_path, mirror__files=[], run_worker=False) as stage:
        keeper = MirrorWriter(
            stage.memory.store, MirrorTargets(tmp_path / "memory", snapshot=True), stage.clock, pauses
        )
    keeper.start()
    await pauses.go_on()
    await pauses.go_on()
    await keeper.close()
    assert caplog.text.count("can't be kept up to date") == 1


async def test_two_processes_keep_the_same_files_and_both_end_up_right(tmp_path: Path) -> None:
    def texts(user: str) -> list[str]:
        path = tmp_path / "memory" / "durable" / f"{user}.json"
        return sorted(item["text"] for item in json.loads(path.read_text("utf-8"))["items"])

    animals = "dog fish snake horse mouse sheep goat".split()
    how = {"mirror__files": ["durable", "snapshot", "journal"], "model": FakeModel()}
    async with keeping(tmp_path, **how) as one, keeping(tmp_path, **how) as other:
        for animal in animals:
            await asyncio.gather(
                one.remember(f"Keeps a {animal}", user="ann"),
                other.remember(f"Likes any {animal}", user="ann"),
                one.remember(f"Saw a {animal}", user="bob"),
                other.memory.add(other.message(f"my {animal} is fine", user="cem")),
                one.memory.mirror.catch_up(),
                other.memory.mirror.catch_up(),
            )
        other.clock.advance(minutes=1)
        one.clock.advance(minutes=1)
        await asyncio.gather(written(one), written(other))
        expected = sorted([f"Keeps a {animal}" for animal in animals] + [f"Likes any {animal}" for animal in animals])
        assert texts("ann") == expected
        assert texts("bob") == sorted(f"Saw a {animal}" for animal in animals)
    day = (tmp_path / "memory" / "2025-03-01.md").read_text("utf-8").splitlines()
    assert [line.split()[5] for line in day[2:]] == animals
    assert kept(tmp_path / "memory" / "durable") == ["ann.json", "bob.json", "cem.json"], (
        "neither took the other's for a stranger's"
    )
    assert kept(tmp_path / "memory") == ["2025-03-01.md", "MEMORY.md", "durable"]


class Interrupted:
    """A store in which something happens just before the first write."""

    def __init__(self, store: Store, happening: Callable[[], Awaitable[None]]) -> None:
        self._store = store
        self._happening: Callable[[], Awaitable[None]] | None = happening
        self.read = store.read

    async def write(self, work: Callable[[Tx], T], *, background: bool = False) -> T:
        happening, self._happening = self._happening, None
        if happening is not None:
            await happening()
        return await self._store.write(work, background=background)


async def test_one_who_writes_an_older_state_last_sets_it_right(tmp_path: Path) -> None:
    folders = MirrorTargets(tmp_path / "memory", durable=tmp_path / "durable")
    async with keeping(tmp_path, mirror__files=[], run_worker=False) as stage:
        store = stage.memory.store

        async def meanwhile() -> None:
            await stage.remember("I live in Rome")
            await MirrorWriter(store, folders, stage.clock).catch_up()

        await stage.remember("I prefer tea")
        slow = Interrupted(store, meanwhile)
        await MirrorWriter(slow, folders, stage.clock).catch_up()  # type: ignore[arg-type]
        items = json.loads((tmp_path / "durable" / "ann.json").read_text("utf-8"))["items"]
    assert [item["text"] for item in items] == ["I prefer tea", "I live in Rome"]
    assert kept(tmp_path / "durable") == ["ann.json"]


async def test_a_long_log_is_followed_to_its_end(tmp_path: Path) -> None:
    folders = MirrorTargets(tmp_path / "memory", durable=tmp_path / "durable")
    async with keeping(tmp_path, mirror__files=[], run_worker=False) as stage:
        event = Event("extract.call", stage.clock(), scope="user:bob")
        await stage.memory.store.write(lambda tx: [tx.events.add(event) for _ in range(2_500)])
        await stage.remember("I prefer tea")
        await MirrorWriter(stage.memory.store, folders, stage.clock).catch_up()
    assert kept(tmp_path / "durable") == ["ann.json"]


@pytest.mark.slow
async def test_files_follow_what_another_process_wrote(tmp_path: Path) -> None:
    async with kept_by_hand(tmp_path, durable=tmp_path / "durable") as (_, pauses):
        async with keeping(tmp_path, mirror__files=[], run_worker=False) as other:
            await other.remember("I prefer tea", user="bob")
        await pauses.go_on()
        assert kept(tmp_path / "durable") == ["bob.json"]


async def test_while_memory_is_switched_off_no_file_follows_it(tmp_path: Path) -> None:
    async with keeping(tmp_path, "discoclaw") as stage:
        await stage.remember("I prefer tea")
        await written(stage)
    (file,) = (tmp_path / "memory" / "durable").glob("*.json")
    file.unlink()
    async with keeping(tmp_path, "discoclaw", enabled=False):
        pass  # files are written at the start and at the end
    assert not file.exists()
    async with keeping(tmp_path, "discoclaw") as stage:
        await written(stage)
        assert file.exists()


async def test_nothing_is_written_where_nothing_is_kept(tmp_path: Path) -> None:
    async with keeping(tmp_path, "unified", model=FakeModel()) as stage:
        assert stage.memory.settings.mirror.files == ()
        await stage.tell("I live in Berlin", place=DM)
        await stage.remember("I prefer tea", place=DEV)
        await written(stage)
    assert [name for name in kept(tmp_path) if not name.startswith("memory.db")] == []
