"""Write the stores in this folder; runs with commit a1fb06d only, in its own environment:

    python make.py sqlite:////tmp/second/memory.db /tmp/second
    python make.py postgresql://… /tmp/second-postgres

Everything that version could leave behind is in there once: memos of every status and audience, edited, deleted and
erased messages, threads, a summary, exchanges, tombstones, undo steps, pauses, a planned erasure, jobs of every state.
"""

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import recollect
from recollect import Message, Place
from recollect.core.ports.jobs import JobState, NewJob
from recollect.core.types import Audience
from recollect.learning.consent import pause
from recollect.privacy.planned_erasures import Plan, schedule
from recollect.privacy.target import ErasureTarget

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
DEV = Place("discord", "500", "600", name="dev", public=True)
LOUNGE = Place("discord", "500", "601", name="lounge", public=True)
STAFF = Place("discord", "500", "602", name="staff")
THREAD = Place("discord", "500", "600", thread="700", name="dev/release", public=True)
ELSEWHERE = Place("discord", "501", "610", name="chess", public=True)
ANN_DM, BEN_DM = Place("discord", dm="1001"), Place("discord", dm="1002")
FILES = ["durable", "rolling", "journal", "snapshot", "categories"]
NAMES = {"1001": "Ann", "1002": "Ben", "1003": "Cleo", "1004": "Dan", "1005": "Eve", "99": "Bot"}

TALK = [
    (DEV, "1001", "I moved to Lisbon in May and I use Helix"),
    (DEV, "1002", "I work at Porr and I prefer tabs over spaces"),
    (DEV, "1001", "My sister Nora lives in Lyon"),
    (DEV, "1003", "I'm allergic to peanuts"),
    (DEV, "1001", "I now live in Porto"),
    (LOUNGE, "1002", "I play chess every Thursday"),
    (LOUNGE, "1001", "I prefer tea over coffee"),
    (STAFF, "1002", "I am building a crawler called Magpie"),
    (THREAD, "1001", "I use Rust for the release tool"),
    (ANN_DM, "1001", "I am afraid of spiders"),
    (BEN_DM, "1002", "My birthday is on 4 July"),
    (ELSEWHERE, "1002", "I live in Graz"),
    (ELSEWHERE, "1004", "I like long walks"),
]


class Clock:
    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def pass_by(self, **span: float) -> datetime:
        self.time += timedelta(**span)
        return self.time


async def say(memory, clock, number, place, author, text, wait=True):
    message = Message(str(number), author, place, text, clock.pass_by(minutes=7), NAMES[author])
    await memory.add(message)
    if wait:
        await memory.wait_learned(message, 20)
    answer = Message(
        str(number + 1), "99", place, "I am listening.", clock.pass_by(seconds=20), "Bot", True, reply_to=str(number)
    )
    await memory.add(answer)


async def main(store: str, folder: Path) -> None:
    clock = Clock()
    settings = {"model": "local", "embedder": "static", "data_dir": folder, "mirror": {"files": FILES}}
    async with recollect.AsyncMemory(store, clock=clock, **settings) as memory:
        for index, (place, author, text) in enumerate(TALK):
            await say(memory, clock, 2000 + 2 * index, place, author, text)
        remembered = await memory.remember("I am left-handed", user="1001", place=ANN_DM)
        await memory.remember("Our release day is Tuesday", user="1001", place=DEV, lore=True)
        await memory.remember("I keep bees", user="1002", place=STAFF, audience=Audience("dm", "1002"))
        shared = await memory.remember("I speak Portuguese", user="1001", place=DEV, tags=["language"])
        await memory.share(shared.memo.id, user="1001", place=DEV)
        await memory.pin(remembered.memo.id, user="1001", place=ANN_DM)
        await memory.remember("I drive a Skoda", user="1002", place=DEV)
        print(await memory.forget("I drive a Skoda", user="1002", place=DEV))
        await memory.remember("I own a cat called Miso", user="1003", place=DEV)
        await memory.forget("cat called Miso", user="1003", place=DEV)
        await memory.undo(user="1003", place=DEV)
        await memory.update(shared.memo.id, "I speak Portuguese and Galician", user="1001", place=DEV)
        await memory.message_edited("discord", "2010", "I play chess every Friday", clock.pass_by(minutes=3))
        await memory.message_deleted("discord", "2024", clock.pass_by(minutes=3))
        async with asyncio.timeout(60):
            while await memory.store.read(lambda tx: tx.jobs.list(JobState.WAITING, 10)):
                clock.pass_by(minutes=30)
                memory.worker.wake()
                await asyncio.sleep(0.05)
        print(await memory.consolidate(user="1001"))
        await memory.remember(
            "Until next week I am in Rome", user="1001", place=DEV, expires=clock.pass_by(minutes=1) + timedelta(days=2)
        )
        clock.pass_by(days=3)
        moment = clock()
        await memory.store.write(lambda tx: pause(tx, "1004", moment))
        await memory.store.write(
            lambda tx: schedule(tx, Plan(ErasureTarget("1004"), moment + timedelta(days=7), "1004", moment))
        )
        await say(memory, clock, 2900, ELSEWHERE, "1005", "I collect old maps")
        receipt = await memory.privacy.erase(ErasureTarget("1005"), asked_by="1005")
        print("erased", receipt.clean)
        await memory.vectors.fill()
    async with recollect.AsyncMemory(store, clock=clock, run_worker=False, **settings) as memory:
        await say(memory, clock, 3000, DEV, "1002", "I bought a Brompton", wait=False)
        await say(memory, clock, 3002, DEV, "1002", "I sold my car", wait=False)
        await say(memory, clock, 3004, LOUNGE, "1003", "I moved to Basel", wait=False)
        moment = clock()

        def break_one(tx):
            tx.jobs.add(NewJob("extract", "user:1001", {"broken": True}, moment, "extract:broken", "discord:500"))
            tx.jobs.add(NewJob("extract", "user:1009", {"broken": True}, moment, "extract:broken-2", "discord:500"))

        await memory.store.write(break_one)
        claimed = await memory.store.write(lambda tx: tx.jobs.claim("gone", moment, moment + timedelta(minutes=3), 50))
        for job in claimed:
            if job.payload.get("broken") and job.queue == "user:1009":
                await memory.store.write(lambda tx, job=job: tx.jobs.fail(job.id, "gone", "KeyError: 'message'"))
        print(await memory.store.read(lambda tx: tx.jobs.counts()))


asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
