"""A story of a few people in two guilds, in a store on disk with every file that can be kept."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import recollect
from recollect import Place
from recollect.core.ports import Model
from recollect.core.types import Message
from recollect.testing.clock import FakeClock
from recollect.testing.models import FakeModel
from tests import ground
from tests.scenes import Stage, at_once

HERE = Place("discord", "g1", "c-dev", name="dev", public=True)
THERE = Place("discord", "g2", "c-lobby", name="lobby", public=True)
FILES = ["durable", "rolling", "shortterm", "journal", "snapshot", "categories"]

ANNS = ("zanzibar", "lighthouse", "xylophone", "quetzal", "caturday", "Annabel")
"""Words that only Ann says, or that are hers alone."""


def dm(user: str) -> Place:
    return Place("discord", dm=user)


@asynccontextmanager
async def opened(
    folder: Path, using: Model | None = None, store: str | None = None, **settings: object
) -> AsyncIterator[Stage]:
    clock = FakeClock()
    summary = {"every_n_turns": 1}
    values = {"mirror__files": FILES, "summary": summary, "embedder": "null", "data_dir": folder / "data", **settings}
    store = store or ground.at(folder / "data" / "memory.db")
    async with recollect.AsyncMemory(store, clock=clock, model=using or FakeModel(), **at_once(values)) as memory:
        yield Stage(memory, clock)


async def ask(stage: Stage, user: str, text: str, reply: str, place: Place = HERE) -> Message:
    said = await stage.say(text, user, place, name={"ann": "Annabel"}.get(user, user.title()))
    await stage.reply(reply, said)
    await stage.settle()
    return said


async def tell(stage: Stage) -> None:
    """Ann, Ben and Cy talk in two guilds and in their DMs; everything is learned, summarised and written."""
    await ask(stage, "ben", "My parrot is called Kirkegaard", "Hello Kirkegaard, I like parrots")
    await ask(stage, "ann", "I live in a zanzibar lighthouse", "A zanzibar lighthouse, how nice!")
    await ask(stage, "cy", "My rowing boat leaks badly", "Better mend that rowing boat")
    await ask(stage, "ann", "I keep a xylophone in the cellar", "A xylophone in the cellar, noted", THERE)
    await ask(stage, "ben", "I moved the aquarium upstairs", "The aquarium is upstairs now", THERE)
    await ask(stage, "ann", "I dream of a quetzal at night", "So a quetzal it is", dm("ann"))
    await ask(stage, "ben", "I am afraid of marzipan pigs", "Nobody will know of the pigs", dm("ben"))
    await stage.remember("I moved from the zanzibar lighthouse to a windmill", user="ann", place=HERE)
    await stage.remember("Cy owes me a sandwich with cress", user="ben", place=HERE)
    await stage.remember("We meet in the old library", user="ben", place=HERE, lore=True)
    await stage.settle()
    await stage.memory.mirror.flush()
    await stage.settle()
    await stage.memory.mirror.catch_up()


def bytes_with(folder: Path, *words: str) -> dict[str, list[str]]:
    """Every file under a folder that holds one of the words, in whichever case, and which; names of files count too."""
    found: dict[str, list[str]] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes().lower() + str(path.relative_to(folder)).lower().encode()
        held = [word for word in words if word.lower().encode() in content]
        if held:
            found[str(path.relative_to(folder))] = held
    return found


def rows_with(address: str, *words: str) -> dict[str, list[str]]:
    """Every table of a store of which a row holds one of the words, read with plain SQL, and which."""
    if ground.is_sqlite():
        tables = ground.rows(
            address, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'"
        )
        rows = {table: ground.rows(address, f'SELECT * FROM "{table}"') for (table,) in tables}
    else:
        query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
        tables = ground.rows(address, f"{query} AND table_type = 'BASE TABLE'")
        rows = {table: ground.rows(address, f'SELECT each::text FROM "{table}" AS each') for (table,) in tables}
    texts = {table: str(found).lower() for table, found in rows.items()}
    held = {table: [word for word in words if word.lower() in text] for table, text in texts.items()}
    return {table: found for table, found in held.items() if found}
