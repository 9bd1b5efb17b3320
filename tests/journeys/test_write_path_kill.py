"""A process is killed anywhere between a message and what is learned from it: nothing is lost, nothing done twice."""

import asyncio
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import AsyncMemory, plugins
from recollect.core.events import Event
from recollect.core.ports.jobs import Job, NewJob
from recollect.core.reasons import Reason
from recollect.core.state import StateKind
from recollect.core.types import Memo, Message, Subject
from recollect.testing.clock import FakeClock
from tests import ground
from tests.journeys.talking import PLACES, TURNS, USERS, fact, hurry, opened, unfinished
from tests.stores.opening import faults
from tests.waiting import eventually

EVERYTHING = 1_000_000
SOURCE_GONE = (Reason.SOURCE_DELETED, Reason.SOURCE_EDITED)


def start(store: str, run: str, *steps: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.journeys.talking", store, run, *steps]
    root = Path(__file__).parents[2]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root)


def killed(process: subprocess.Popen[str], lines: int, delay: float) -> list[str]:
    """Read so many lines, wait a moment, kill; all lines that were printed before the end."""
    assert process.stdout is not None
    assert process.stderr is not None
    seen = [process.stdout.readline() for _ in range(lines)]
    time.sleep(delay)  # the blow should fall anywhere
    process.kill()
    seen += process.stdout.readlines()
    process.wait()
    errors = process.stderr.read()
    process.stdout.close()
    process.stderr.close()
    assert "Traceback" not in errors, errors
    return [line.rstrip("\n") for line in seen if line.endswith("\n")]


@dataclass
class Record:
    """What processes said they had done, or were about to do."""

    said: set[str] = field(default_factory=set[str])
    done: dict[str, set[tuple[str, str]]] = field(default_factory=dict[str, set[tuple[str, str]]])
    tried: dict[str, set[tuple[str, str]]] = field(default_factory=dict[str, set[tuple[str, str]]])

    def add(self, lines: Iterable[str]) -> None:
        for line in lines:
            word, what, user, about = line.split("\t")
            if what == "say":
                self.said.add(about)
            else:
                (self.done if word == "done" else self.tried).setdefault(what, set()).add((user, about))

    def changed(self, what: str) -> set[str]:
        return {about for _, about in self.done.get(what, ())}

    def uncertain(self, what: str) -> set[str]:
        """What was begun and not acknowledged: it may have happened or not."""
        return {about for _, about in self.tried.get(what, ())} - self.changed(what)


@dataclass
class State:
    """All that there is once nothing is left to do."""

    messages: dict[str, Message]
    memos: dict[str, list[Memo]]
    events: list[Event]

    def active(self, user: str) -> Counter[str]:
        return Counter(memo.text for memo in self.memos[user] if memo.active)


async def settled(memory: AsyncMemory) -> State:
    """Do what is left, as a process does that is started after the others died."""

    left: list[Job] = []

    async def is_done() -> bool:
        left[:] = await unfinished(memory)
        return not left

    try:
        await eventually(is_done, 120)
    except TimeoutError:
        pytest.fail(f"not done after two minutes: {left}")

    def everything(tx):
        journal = [message for place in PLACES for message in tx.messages.recent(place, EVERYTHING)]
        assert len(journal) == len({message.id for message in journal})
        memos = {user: tx.memos.list(Subject(f"discord:{user}")) for user in USERS}
        return State({message.id: message for message in journal}, memos, tx.events.list(limit=EVERYTHING))

    return await memory.store.read(everything)


async def check(store: str, record: Record) -> None:
    async with opened(store) as memory:
        hurry(memory)
        state = await settled(memory)
        check_messages(state, record)
        check_facts(state, record)
        check_events(state, record)
        await check_summaries(memory, state)
        assert not faults(await memory.store.check_health())


def check_messages(state: State, record: Record) -> None:
    gone = record.changed("delete")
    assert record.said - gone - record.uncertain("delete") <= set(state.messages)
    assert not gone & set(state.messages)
    for message_id in record.changed("edit"):
        assert state.messages[message_id].text == fact("edited", message_id)


def check_facts(state: State, record: Record) -> None:
    """Every message that stands is one memo, unless it was forgotten; nothing else is known."""
    forgotten = record.changed("forget")
    remembered = record.changed("remember")
    for user in USERS:
        active = state.active(user)
        assert set(active.values()) <= {1}, "a fact is known twice"
        assert not forgotten & set(active), "what was forgotten is back"
        stated = {message.text for message in state.messages.values() if message.author == user}
        maybe = forgotten | record.uncertain("forget")
        mine = {text for about, text in record.done.get("remember", ()) if about == user}
        assert (stated | mine) - maybe <= set(active), "something was not learned"
        left = set(active) - stated - remembered
        assert all(memo.source.message is None for memo in state.memos[user] if memo.text in left)


def check_events(state: State, record: Record) -> None:
    added = Counter((event.scope, event.memo) for event in state.events if event.kind == "memo.added")
    assert set(added.values()) <= {1}
    kept = {(memo.subject.scope, memo.id) for memos in state.memos.values() for memo in memos}
    assert kept <= set(added)
    gone = {(event.scope, event.memo) for event in state.events if event.reason in SOURCE_GONE}
    assert set(added) - kept <= gone, "a memo goes only with its message"
    calls = Counter(event.data["message"] for event in state.events if event.kind == "extract.call")
    touched = record.changed("edit") | record.uncertain("edit")
    for message_id, message in state.messages.items():
        if not message.bot and message_id not in touched:
            assert calls[f"discord/{message_id}"] == 1, "a message is learned from once"
    assert not [event for event in state.events if event.kind in ("job.failed", "extract.error", "summarize.error")]


async def check_summaries(memory: AsyncMemory, state: State) -> None:
    for place in PLACES:
        replies = sum(message.bot for message in state.messages.values() if message.place.session == place.session)
        counted = await memory.store.read(lambda tx, place=place: tx.state.items(StateKind.TURNS, place.session))
        assert len(counted) == replies % TURNS
        past = await memory.store.read(lambda tx, place=place: tx.summaries.history(place.session, EVERYTHING))
        sequences = [summary.sequence for summary in past]
        assert sequences == sorted(set(sequences), reverse=True)
        summary = await memory.store.read(lambda tx, place=place: tx.summaries.get(place.session))
        assert summary is not None or replies < TURNS


async def kill(store: str, rounds: int, seed: int, every: int) -> None:
    dice, record = random.Random(seed), Record()
    for number in range(rounds):
        process = start(store, f"r{number}")
        lines, delay = dice.randint(1, 120), dice.random() * 0.02
        record.add(await asyncio.to_thread(killed, process, lines, delay))
        if number % every == every - 1 or number == rounds - 1:
            print(f"seed {seed}, round {number}: killed after {lines} lines and {delay * 1000:.1f} ms")
            await check(store, record)
    assert len(record.said) >= rounds
    assert record.changed("edit")
    assert record.changed("forget")


@pytest.mark.acceptance("B76")
@pytest.mark.parametrize("profile", ["unified", pytest.param("dnam", marks=pytest.mark.slow)])
async def test_a_process_killed_anywhere_on_the_write_path_loses_and_repeats_nothing(
    tmp_path: Path, profile: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RECOLLECT_PROFILE", profile)
    await kill(ground.at(tmp_path / "memory.db"), rounds=6, seed=4, every=3)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_a_process_killed_a_hundred_times_on_the_write_path_loses_and_repeats_nothing(tmp_path: Path):
    await kill(ground.at(tmp_path / "memory.db"), rounds=110, seed=5, every=11)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_of_two_processes_on_one_store_the_other_takes_over_when_one_is_killed(tmp_path: Path):
    store, record = ground.at(tmp_path / "memory.db"), Record()
    lives = start(store, "lives", "40")
    dies = start(store, "dies")
    try:
        record.add(await asyncio.to_thread(killed, dies, 60, 0.005))
        out, errors = await asyncio.to_thread(lives.communicate)
    finally:  # threads that still read from them would hold up the end of a test that failed
        dies.kill()
        lives.kill()
    assert lives.returncode == 0, errors
    record.add(out.splitlines())
    async with opened(store) as memory:
        assert await unfinished(memory) == [], "the one that lived has done the work of both"
    await check(store, record)
    async with opened(store) as memory:
        check_order(await settled(memory), record)


def check_order(state: State, record: Record) -> None:
    """What a user said in one process was learned in that order; what was edited is learned anew, later."""
    edited = record.changed("edit") | record.uncertain("edit")
    for user in USERS:
        for run in ("lives", "dies"):
            calls = [event.data["message"] for event in reversed(state.events) if event.kind == "extract.call"]
            mine = [call.removeprefix("discord/") for call in calls if call.startswith(f"discord/{run}-{user}-")]
            numbers = [int(name.rpartition("-")[2]) for name in mine if name not in edited]
            assert numbers == sorted(numbers)
            assert numbers


async def test_jobs_that_waited_behind_the_one_in_work_are_not_blamed_for_a_dead_process():
    store = plugins.load("stores", ground.new())
    clock = FakeClock()
    try:
        await store.write(lambda tx: [tx.jobs.add(NewJob("note", "user:ann", {}, clock())) for _ in range(3)])
        for _ in range(4):
            until = clock() + timedelta(seconds=30)
            claimed = await store.write(lambda tx, until=until: tx.jobs.claim("dies", clock(), until, 1, depth=3))
            clock.advance(seconds=31)
    finally:
        await store.close()
    assert [job.attempts for job in claimed] == [4, 1, 1]
