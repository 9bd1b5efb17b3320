"""Write `counters.json`; runs with the code before state had owners only (commit a1fb06d), from that tree's root:

    python make.py counters.json

Every kind of list that the code could leave behind is in there, written by the code that wrote it, for people and
guilds with odd names too. Each row is name, number and item, and the targets whose erasure removed it.
"""

import asyncio
import json
import sqlite3
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from recollect.faces.discord.state import BotState
from recollect.faces.http.write_health import PROBE_STATE_NAME

from recollect import Place
from recollect.core.ports import Tx
from recollect.faces.discord import state
from recollect.learning.consent import pause
from recollect.privacy.delete_rows import save_intent
from recollect.privacy.inventory import Inventory
from recollect.privacy.target import ErasureTarget
from recollect.transfer.mirror.pages.state import Records
from recollect.transfer.mirror.state import MirrorState
from tests.privacy.telling import HERE, THERE, dm, opened, tell
from tests.scenes import Stage

WAYS: list[dict[str, Any]] = [
    {},
    {"extraction": {"trigger": "idle"}, "summary": {"every_n_turns": 9, "session_key": "user_channel"}},
    {"extraction": {"trigger": "every_n_turns"}},
]
PEOPLE = ("ann", "a:b", "o/p q%")
PLACES = (
    HERE,
    THERE,
    replace(HERE, thread="t-1"),
    Place("slack", "1", "c:1", public=True),
    Place("slack", channel="x"),
)

TARGETS = [
    *(ErasureTarget(person) for person in (*PEOPLE, "1042")),
    *(ErasureTarget(guild=guild) for guild in ("g1", "g2", "500", "1", "slack~1")),
    *(ErasureTarget(person, guild) for person in PEOPLE for guild in ("g1", "1")),
]


async def take_part(stage: Stage) -> None:
    for person in PEOPLE:
        for place in (*PLACES, dm(person)):
            said = await stage.say(f"I keep a quetzal {person}", person, place, name=f"Called {person}")
            await stage.reply(f"You keep a quetzal {person}", said)
        await stage.settle()
        memo = await stage.remember(f"I play the xylophone {person}", user=person, place=HERE)
        other = await stage.remember(f"I eat soup {person}", user=person, place=dm(person))
        for forgotten in (memo, other):
            await stage.memory.forget(forgotten.id, user=person, place=dm(person))
        await stage.memory.store.write(lambda tx, memo=memo: Records().note(tx, memo, "fact/xylophone.md", b"page"))
        await stage.say("This waits to be learned from", person, HERE)
    lore = await stage.remember("We meet in the old library", user="ann", place=HERE, lore=True)
    await stage.memory.forget(lore.id, user="ann", place=HERE, lore=True)
    await stage.memory.message_deleted("discord", "never seen")


def note(tx: Tx, stage: Stage) -> None:
    """What only the mirror, the server and an erasure write."""
    mirror, records = MirrorState(Path("/somewhere")), Records()
    for file in ("durable a:b", "shortterm slack~1", f"rolling {HERE.session}:user:a%3Ab", "rolling discord:dm:ann"):
        mirror.write(tx, file, b"content")
        mirror.add_pending(tx, [file])
    records.claim(tx, "ann")
    tx.state.append(PROBE_STATE_NAME, "1 ...")
    pause(tx, "a:b", stage.clock())
    for target in (ErasureTarget("ann"), ErasureTarget("ann", "g1"), ErasureTarget(guild="g1")):
        save_intent(tx, target, Inventory(authors={"ann"}, sessions={HERE.session}))


async def run_the_bot(notes: BotState) -> None:
    for name, value in {
        state.notified(1042): "2026-03-02T09:00:00+00:00",
        state.switched_off(500): "2026-03-02T09:00:00+00:00",
        state.listened_channel("discord:dm:1042"): "77",
        state.listened_channel("discord:500:channel:600"): "600",
        state.role_guild("900"): "500",
        state.log_position(""): "12",
        state.log_position("0/2"): "13",
        state.snapshot_message("1042"): "700/701",
        "mirrored:1042": "discord:500:channel:600",
        state.notice_message("user:1042", "durable-1"): "600/702",
        state.notice_message("lore:500", "durable-2"): "600/703",
        "commands": "digest",
    }.items():
        await notes.put(name, value)
    await notes.add(state.member_guilds(99), "500")
    await notes.add(state.summary_viewers("discord:500:channel:600"), "1042")
    await notes.add("owed", "1042 discord:500:channel:600")
    await notes.add("owed", "1043")


def goes_with(name: str, item: str) -> list[str]:
    return [str(target) for target in TARGETS if target.owns_state(name) or target.owns_item(name, item)]


async def collect() -> dict[tuple[str, int], str]:
    rows: dict[tuple[str, int], str] = {}
    for number, way in enumerate(WAYS):
        folder = Path(tempfile.mkdtemp())
        async with opened(folder, **way) as stage:
            if number == 0:
                await tell(stage)
                await run_the_bot(BotState(stage.memory.store))
                await stage.memory.store.write(lambda tx, stage=stage: note(tx, stage))
                for erased in (ErasureTarget("ann", "g1"), ErasureTarget(guild="g2")):
                    await stage.memory.privacy.schedule(erased, stage.clock() + timedelta(days=90), asked_by="ann")
            await take_part(stage)
        with closing(sqlite3.connect(folder / "data" / "memory.db")) as file:
            found = file.execute("SELECT name, number, item FROM counters").fetchall()
        known = {name for name, _ in rows}
        rows |= {(name, n): item for name, n, item in found if name not in known}
    return rows


def main(target: Path) -> None:
    rows = sorted(asyncio.run(collect()).items())
    lines = [json.dumps([name, n, item, goes_with(name, item)], ensure_ascii=False) for (name, n), item in rows]
    target.write_text("[\n" + ",\n".join(lines) + "\n]\n")


main(Path(sys.argv[1]))
